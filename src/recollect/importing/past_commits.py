"""Reads the history into the words of commits, so that search finds what no memory tells.

Nothing of it is a memory, and nothing of it reaches the ledger. Secrets are removed first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.core.record import PURGED_NONCE
from recollect.errors import MemoryIndexError, SecretFound
from recollect.importing.collect import nonce_of
from recollect.importing.commit_message import Message, first_of_message, parse_message
from recollect.importing.commit_ranking import rank
from recollect.importing.titles import one_line
from recollect.ledger.commits import Commit, count_commits, read_commits
from recollect.ledger.git import Git
from recollect.store import commit_index
from recollect.store.commit_index import CommitText
from recollect.store.store import Store

# The newest commits that are indexed, and the characters of each: for its words, and to show.
MOST_COMMITS: Final = 200_000
_MOST_TEXT = 4_000
_MOST_SHOWN = 700
_MOST_MARK = 60  # characters of what says which commit one reverts
_MOST_SUBJECT = 300
_MOST_AUTHOR = 80
# Raise it if other values count as secrets, or if other parts of a message are read.
_RULES = 6
# Commits that get a vector, those that tell most first; the characters below the subject that it is
# of; and how many are computed before they are kept, so that an interruption loses little.
MOST_VECTORS: Final = 16_000
_MOST_MEANT = 400
_AT_ONCE = 64
# What the score of a commit is multiplied by if nothing was decided in it. What is only a subject
# and weighs less than others of its kind is trivial, and gets no vector.
_CHORE, _BARE = 0.7, 0.85
_STEP = 500  # commits between two calls of `progress`
_UPDATE = pattern(
    r"(?:[a-z]{1,12}+(?:\([^()\n]{0,40}+\))?+: ?)?+(?:bump (?:the )?\S{1,80}+ (?:from|to|group)\b"
    r"|update (?:dependency|rust crate|module) \S|squashed '[^'\n]{1,80}+' changes)",
    re.IGNORECASE,
)

Progress = Callable[[int, int], None]


class PastCommits(NamedTuple):
    """How many commits search knows, how many of them are new, and the bytes that they take."""

    commits: int
    added: int
    bytes: int


def index_history(store: Store, progress: Progress | None = None) -> PastCommits:
    """Read what is new in the history of the checked-out branch.

    Everything is read again if the history was rewritten, if a shallow clone got more of it, or if
    other values than before count as secrets.
    """
    repository = store.ledger.repository
    git = repository.git
    tip = _tip(git)
    if not tip:
        return PastCommits(0, 0, 0)
    store.local.make_folder()
    index = commit_index.for_writing(repository)
    try:
        before, now = index.count(), _circumstances(store)
        known = index.tip() if index.circumstances() == now else ""
        is_later = bool(known) and _is_ancestor(git, known, tip)
        if known != tip:
            revision = f"{known}..{tip}" if is_later else tip
            total = min(MOST_COMMITS, count_commits(git, revision))
            found = _texts(store, git, revision, total, progress)
            index.add(found, tip, now, most=MOST_COMMITS, fresh=not is_later)
            # A history has hundreds of addresses and examples of keys: nobody reads a note on each.
            store.ledger.warnings[:] = dict.fromkeys(store.ledger.warnings)
        count = index.count()
        added = count - before if is_later else count
        return PastCommits(count, max(0, added), commit_index.size(repository))
    finally:
        index.close()


def embed_history(store: Store, progress: Callable[[int], None] | None = None) -> int:
    """Compute the vectors that commits have not got yet, and return how many these were.

    It can be interrupted at any time, and goes on where it was.
    """
    embedder = store.indexing.embedder
    repository = store.ledger.repository
    if embedder is None or not repository.history_path.exists():
        return 0
    index = commit_index.for_writing(repository)
    try:
        todo = index.vectors.missing(embedder.name, MOST_VECTORS, _BARE)
        for start in range(0, len(todo), _AT_ONCE):
            some = todo[start : start + _AT_ONCE]
            texts = [f"{one.subject}\n{one.body[:_MOST_MEANT]}".strip() for one in some]
            keys = [one.key for one in some]
            index.vectors.add(zip(keys, embedder.embed(texts), strict=True))
            if progress is not None:
                progress(start + len(some))
        return len(todo)
    finally:
        index.close()


def count_pending(store: Store) -> int:
    """Return how many commits need a vector of the model that is used, and have none."""
    embedder = store.indexing.embedder
    index = commit_index.open_commits(store.ledger.repository) if embedder is not None else None
    if index is None or embedder is None:
        return 0
    try:
        return index.vectors.count_missing(embedder.name, MOST_VECTORS, _BARE)
    except MemoryIndexError:
        return 0
    finally:
        index.close()


def preview_history(store: Store) -> PastCommits:
    """Return how many commits search knows, and how many `index_history` would read."""
    repository = store.ledger.repository
    git, known, count = repository.git, "", 0
    tip = _tip(git)
    index = commit_index.open_commits(repository)
    if index is not None:
        try:
            count = index.count()
            known = index.tip() if index.circumstances() == _circumstances(store) else ""
        except MemoryIndexError:
            pass
        finally:
            index.close()
    is_later = bool(known and tip) and _is_ancestor(git, known, tip)
    revision = f"{known}..{tip}" if is_later else tip
    new = min(MOST_COMMITS, count_commits(git, revision)) if tip else 0
    return PastCommits(count, new, commit_index.size(repository))


def purged_imports(store: Store) -> frozenset[str]:
    """Return the nonces of imported memories that were purged: their commits are not shown."""
    purges = store.indexing.fresh().purges_with_prefix("")
    nonces = (record.fields.get(PURGED_NONCE) for record in purges)
    return frozenset(str(nonce) for nonce in nonces if nonce)


def _tip(git: Git) -> str:
    """Return the commit that is checked out; empty if there is none."""
    said: bytes = git.run("rev-parse", "--verify", "-q", "HEAD^{commit}", ok=(0, 1, 128))
    return said.decode().strip()


def _circumstances(store: Store) -> str:
    """Return a hash of what else decides what is read: how deep the clone is, what is secret."""
    git = store.ledger.repository.git
    said = git.run("rev-parse", "--git-path", "shallow", ok=(0, 128))
    shallow = git.directory / Path(said.decode("utf-8", "surrogateescape").rstrip("\n"))
    ends = shallow.read_bytes() if shallow.is_file() else b""
    config = store.config
    secret = (config.text("redact.allowed"), config.flag("redact.personal"))
    return sha256(
        ends + repr((_RULES, config.text("redact.strategy"), *secret)).encode()
    ).hexdigest()[:16]


def _is_ancestor(git: Git, older: str, newer: str) -> bool:
    asked = git.result("merge-base", "--is-ancestor", older, newer, ok=(0, 1, 128))
    return asked.returncode == 0


def _texts(
    store: Store, git: Git, revision: str, total: int, progress: Progress | None
) -> Iterator[CommitText]:
    purged = purged_imports(store)
    for number, commit in enumerate(read_commits(git, revision)):
        if progress is not None and number % _STEP == 0:
            progress(number, total)
        if number >= MOST_COMMITS:
            break
        text = None if _is_purged(commit, purged) else _text(store, commit)
        if text is not None:
            yield text
    if progress is not None:
        progress(total, total)


def _is_purged(commit: Commit, purged: Collection[str]) -> bool:
    return bool(purged) and nonce_of("git", commit.oid) in purged


def _text(store: Store, commit: Commit) -> CommitText | None:
    """Return what is indexed of a commit; None for a merge without a text, and for updates."""
    try:
        # Redact before anything is cut: rules do not find half a secret.
        said: str = store.redact(commit.message)
        author: str = store.redact(commit.author)
    except SecretFound:  # `redact.strategy` is `block`
        return None
    first = first_of_message(said)
    message = parse_message(said)
    if (len(commit.parents) > 1 and not message.prose) or is_update(first) or not first:
        return None
    subject = first if not message.is_merge else message.subject
    if not subject:
        return None
    ranked = rank(message, commit.author)
    prose = message.prose
    if message.reverted and message.reverted[:12] not in f"{subject}\n{prose[:_MOST_SHOWN]}":
        prose = f"{prose[: _MOST_SHOWN - _MOST_MARK]}\n\nIt reverts commit {message.reverted[:12]}."
        prose = f"{prose}{message.prose[_MOST_SHOWN - _MOST_MARK :]}".strip()
    return CommitText(
        commit.oid,
        commit.time,
        one_line(author)[:_MOST_AUTHOR],
        one_line(subject)[:_MOST_SUBJECT],
        prose[:_MOST_TEXT],
        prose[:_MOST_SHOWN],
        _weight(message, commit.author, is_chore=ranked.is_chore),
        ranked.points,
    )


def _weight(message: Message, author: str, *, is_chore: bool) -> float:
    """Return how much a commit counts. A revert of what was no chore is none, without a reason."""
    if is_chore and (message.prose or not message.reverts):
        return _CHORE
    if is_chore and rank(parse_message(message.reverts), author).is_chore:
        return _CHORE
    return 1.0 if message.prose else _BARE


def is_update(subject: str) -> bool:
    """Whether a commit only takes a newer version of what somebody else makes."""
    return _UPDATE.match(subject) is not None
