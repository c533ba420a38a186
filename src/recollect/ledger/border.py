"""The boundary of the private space: what must never reach the shared space or a remote.

The local refs themselves say what is private, so this works without an index. Everything that is
pushed is checked as it is sent, history included. So neither a copy of a private note that plain
git made, nor a reference that an older version wrote, leaves this clone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from recollect.core.names import parse_name
from recollect.core.note import Note, parse_note, read_stored
from recollect.core.places import LOCAL
from recollect.core.record import PURGE, Record, is_legacy, render_record
from recollect.core.spaces import Private, references, without_private
from recollect.core.uid import PATTERN as UID
from recollect.errors import ValidationError
from recollect.ledger.git import Git
from recollect.ledger.refs import PREFIXES, SEEN_PREFIXES, list_tips

_OF = re.compile(rf"\nof: ({UID})(?=\n)")
_ID = re.compile(r"\nid: (\S{1,200})(?=\n)")
_ANY_UID = re.compile(rf"(?=({UID}))".encode())  # wherever it starts
_SHORTEST = 4  # characters of an anchor that an id must have
_ANY_NAME = re.compile(rb":([0-9a-fA-F]{4})[0-9a-fA-F]{0,60}:[0-9]")


def read_private(git: Git) -> Private:
    """Return what is private in this clone, according to the local refs."""
    tips = list_tips(git, PREFIXES[LOCAL], SEEN_PREFIXES[LOCAL])
    uids: set[str] = set()
    names = set()
    for data in _contents(git, "--no-walk", *{tip.commit for tip in tips.values()}):
        for uid, text in parse_note(data.decode("utf-8", "surrogateescape")).items():
            head = text[: max(text.find("\n---\n", 3) + 1, 0)]
            uids |= {uid, *_OF.findall(head)}
            names |= {parse_name(name) for name in _ID.findall(head)}
    return Private(frozenset(uids), frozenset(name for name in names if name is not None))


def check_shared(record: Record, private: Callable[[], Private]) -> None:
    """Reject a shared record that refers to a private memory.

    `private` is called only if the record refers to anything.
    """
    named = references(record)
    if named and any(map(private().holds, named)):
        raise refusal("A shared memory cannot refer to a private one: others would learn its uid.")


def refusal(message: str) -> ValidationError:
    """Return the error for anything that would expose private data to the shared space."""
    return ValidationError(
        message,
        "Nothing was stored. Leave the reference out, or capture it with --sensitivity private.",
    )


class RemoteNotes:
    """The notes that a remote has for some kinds, read on demand."""

    def __init__(self, git: Git, commits: Iterable[str]) -> None:
        self._git = git
        self._commits = sorted(set(commits))
        self._texts: frozenset[str] | None = None

    def has(self, text: str) -> bool:
        """Whether the remote has exactly this record."""
        return text in self._all()

    def has_memory(self, uid: str | None) -> bool:
        """Whether the remote has the memory with that uid, or a change to it."""
        marks = (f"\nuid: {uid}\n", f"\nof: {uid}\n")
        return any(mark in text for text in self._all() for mark in marks)

    def _all(self) -> frozenset[str]:
        if self._texts is None:
            self._texts = frozenset(
                text
                for data in _contents(self._git, "--no-walk", *self._commits)
                for text in parse_note(data.decode("utf-8", "surrogateescape")).values()
            )
        return self._texts


def without_private_records(note: Note, remote: RemoteNotes, private: Private) -> Note:
    """Return a note as it may be pushed.

    What the remote already has stays: it reveals nothing new and changes nothing here.
    """
    kept: Note = {}
    for uid, text in note.items():
        if not _mentions(text.encode("utf-8", "replace"), private):
            kept[uid] = text
            continue
        record = read_stored(text)
        is_private = uid in private.uids or record.of in private.uids
        crosses = is_private or any(map(private.holds, references(record)))
        if not crosses or remote.has(text):
            kept[uid] = text
        elif is_private:
            if record.op == PURGE and remote.has_memory(record.of):
                kept[uid] = text  # what the remote has under that uid must be erased there
        elif not is_legacy(text):
            kept[uid] = render_record(without_private(record, private))
    return kept


def reveals_nothing_private(
    git: Git, commits: Iterable[str], known: Iterable[str], private: Private
) -> bool:
    """Whether commits add nothing private for someone who has the known commits."""
    if not private.uids:
        return True
    there = sorted(set(known))
    remote = RemoteNotes(git, there)
    for data in _contents(git, *sorted(set(commits)), *(f"^{oid}" for oid in there)):
        if _mentions(data, private):
            note = parse_note(data.decode("utf-8", "surrogateescape"))
            if without_private_records(note, remote, private) != note:
                return False
    return True


def _mentions(data: bytes, private: Private) -> bool:
    """Whether a text may name a private memory; cheap, and reliable if it says no."""
    if any(found.decode() in private.uids for found in _ANY_UID.findall(data)):
        return True
    anchors = {name.anchor[:_SHORTEST].encode() for name in private.names}
    return any(found.lower() in anchors for found in _ANY_NAME.findall(data))


def _contents(git: Git, *revisions: str) -> Iterator[bytes]:
    """Return the notes of commits and, unless a revision is `--no-walk`, of their histories."""
    oids = git.history_blobs(revisions)
    yield from (data for data in git.read_all(oids) if data is not None)
