"""Proof: whether a record's text is what its author wrote.

The random part of a proving uid is the hash of the record's text without its `uid` and `id` lines.
The text includes a nonce, which gives the uid its time and distinguishes two records with the same
content. An altered copy does not match its uid, in any clone. The `id` is assigned inside the
transaction, so it is not part of the hash; but the id of a creation must begin with its kind.

A record without proof was written by an older version or by another program.
"""

from __future__ import annotations

import json
import re
from functools import cache

from recollect.core.patterns import pattern
from recollect.core.record import CREATE, LEGACY_MARK, Record, read_value, render_record
from recollect.core.uid import ALPHABET, LENGTH, claims_proof, encode, proving_prefix

TYPE_CHECKING = False
if TYPE_CHECKING:
    import hashlib
    from collections.abc import Callable

_DOMAIN = b"recollect record 1\n"
_PROOF_BYTES, _PROOF = 10, 16  # and its characters
_DIGEST_LENGTH = 20
_NONCE, _TYPE = "\nnonce: ", "\ntype: "
_NONCE_VALUE = pattern(rf"[0-3][{ALPHABET}]{{{LENGTH - 1}}}$", re.MULTILINE)
_CREATION = f"\nop: {CREATE}\n"
_OPENER = "---\nuid: "
_MOST_ID = 200  # characters of the one line that the proof does not cover
_sorted_json = json.JSONEncoder(sort_keys=True).encode


def seal(record: Record) -> Record:
    """Return the record under the uid that proves it. It needs a nonce; the id may follow later."""
    assert record.nonce is not None
    uid = _proving_uid(render_record(record._replace(uid=record.nonce)))
    assert uid is not None
    return record._replace(uid=uid)


def proves(uid: str, text: str) -> bool:
    """Whether a text is the one that its uid was derived from."""
    return claims_proof(uid) and _proving_uid(text) == uid


def is_altered(record: Record) -> bool:
    """Whether a record from `read_with_digest` differs from what its author wrote."""
    return bool(record.digest) and claims_proof(record.uid)


def content_digest(record: Record) -> str:
    """Return a digest for the content of a record that no uid proves.

    It excludes the id and the legacy marker, which an edit adds.
    """
    fields = record.fields
    if LEGACY_MARK in fields:
        fields = {name: value for name, value in fields.items() if name != LEGACY_MARK}
    content = (record.op, record.of, record.rev, record.timestamp, record.by, record.nonce)
    text = _sorted_json((*content, fields, record.body))
    return _sha256()(text.encode()).hexdigest()[:_DIGEST_LENGTH]


@cache
def _sha256() -> Callable[[bytes], hashlib._Hash]:
    import hashlib  # loads OpenSSL, which few hooks need

    return hashlib.sha256


def _is_named_by_kind(text: str, at: int, end: int) -> bool:
    """Whether the id of a creation begins with the kind in its `type`."""
    kind = text.find(_TYPE, 0, end)
    if kind < 0:
        return False
    name = read_value(text[at + 4 : text.find("\n", at + 1)].strip(" "))
    if not isinstance(name, str):
        return False
    after = text.find("\n", kind + 1, end)
    given = text[kind + len(_TYPE) : end if after < 0 else after]
    return name.startswith(f"{read_value(given)}:")


def _nonce(text: str, end: int) -> str | None:
    """Return the nonce in the header of a record, which ends there."""
    at = text.find(_NONCE, 0, end)
    while at >= 0:
        found = _NONCE_VALUE.match(text, at + len(_NONCE), end)
        if found is not None:
            return found[0]
        at = text.find(_NONCE, at + 1, end)
    return None


def _proving_uid(text: str) -> str | None:
    """Return the uid that proves a text; None without a nonce or if the record is incomplete."""
    end = text.find("\n---\n", 3)
    if end < 0 or not text.startswith(_OPENER):
        return None
    nonce = _nonce(text, end)
    if nonce is None:
        return None
    start = text.index("\n", len(_OPENER))
    at = text.find("\nid:", start, end)
    if at >= 0:
        after = text.find("\n", at + 1)
        if after - at > _MOST_ID or text.find("\nid:", after, end) >= 0:
            return None
        if text.startswith(_CREATION, start) and not _is_named_by_kind(text, at, end):
            return None
        covered = text[start:at] + text[after:]
    else:
        covered = text[start:]
    digest = _sha256()(_DOMAIN + covered.encode("utf-8", "surrogateescape")).digest()
    return proving_prefix(nonce) + encode(int.from_bytes(digest[:_PROOF_BYTES], "big"), _PROOF)
