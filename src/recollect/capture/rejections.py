"""Texts that somebody rejected: neither they nor their like come again.

Their words are kept as salted hashes, in order and with the number of denials, because the same
words with one more `not` say the opposite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.capture.novelty import Outline, fingerprint, is_repeated, outline
from recollect.state.noticed import Rejection
from recollect.store.store import Store


def note_rejected(store: Store, texts: Mapping[str, str]) -> None:
    """Record rejected texts, each by the uid of its memory or suggestion."""
    now = store.ledger.clock().timestamp()
    store.local.make_folder()
    store.local.noticed.reject(
        [
            Rejection(uid, _hashes(store, text), outline(text).denials)
            for uid, text in texts.items()
        ],
        now,
    )


def is_rejected(store: Store, text: str) -> bool:
    """Whether a text, or nearly the same, was rejected."""
    if store.local.observed.is_rejected(fingerprint(text)):  # by an earlier version
        return True
    rejected = store.local.noticed.rejections()
    if not rejected:
        return False
    own = _hashed(store, text)
    return any(is_repeated(own, Outline(known.words, known.denials)) for known in rejected)


def forget_rejected(store: Store, texts: Sequence[str]) -> None:
    """Forget that texts and their like were rejected, because somebody restored them."""
    store.local.observed.forget_rejected([fingerprint(text) for text in texts])
    own = [_hashed(store, text) for text in texts]
    store.local.noticed.forget_rejection(
        known.uid
        for known in store.local.noticed.rejections()
        if any(is_repeated(one, Outline(known.words, known.denials)) for one in own)
    )


def _hashed(store: Store, text: str) -> Outline:
    return Outline(_hashes(store, text), outline(text).denials)


def _hashes(store: Store, text: str) -> tuple[int, ...]:
    return store.local.noticed.hashed(map(str, outline(text).words))
