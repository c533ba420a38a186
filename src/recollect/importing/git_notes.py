"""The source `git-notes-memory`: notes with YAML front matter under `refs/notes/mem` and `cs`.

In this repository, notes under `refs/notes/mem` are memories already: they are read where they are.
So only `refs/notes/cs` is imported from it. From another repository, both are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from recollect.core.fields import MAX_BODY_BYTES
from recollect.core.legacy import read_legacy, split_legacy
from recollect.core.patterns import pattern
from recollect.core.record import is_legacy
from recollect.errors import ParseError
from recollect.importing.foreign import (
    NO_TEXT,
    kind_for,
    tags_of,
    text_of,
    texts_of,
    time_of,
    titled,
    without_empty,
)
from recollect.importing.source import Item, Place, Reading, Skipped, how_many
from recollect.ledger.git import Git
from recollect.ledger.git_objects import OVERSIZE
from recollect.ledger.repository import Repository, find_repository

_MEM, _CS = "refs/notes/mem/", "refs/notes/cs/"
_MOST_NOTE: Final = 4 << 20
_ENTRY: Final = pattern(r"100644 blob ([0-9a-f]{40,64})\t([0-9a-f/]{40,80})\Z")
_TOO_LARGE: Final = "the note is too large"
_NO_FORMAT: Final = "it has no front matter with a type, a summary and a timestamp"
_OURS: Final = "it is a memory of Recollect; get it with: recollect sync"
# Namespaces of the older system that have no kind of the same name.
_KINDS: Final = {"research": "research", "reviews": "reviews"}


class GitNotesMemory:
    """Memories in the notes of older systems, on the commits that they are about."""

    name = "git-notes-memory"
    about = "notes of git-notes-memory and cs-memory (refs/notes/cs; mem of another repository)"

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return this repository if it has notes to import."""
        found = find_repository(Git(reading.repository))
        count = len(_refs(found, (_CS,))) if found is not None else 0
        return (
            [Place(str(reading.repository), f"{how_many(count, 'ref')} below {_CS}")]
            if count
            else []
        )

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield the records of all notes."""
        # Without `..`: parents of the path are searched for a repository.
        path = Path(place.path).expanduser().resolve()
        found = find_repository(Git(path)) if path.is_dir() else None
        own = find_repository(Git(reading.repository))
        if found is None:
            raise ParseError(f"{path} is not a git repository.", "Name a folder of a clone.")
        is_here = own is not None and own.common_dir.samefile(found.common_dir)
        refs = _refs(found, (_CS,) if is_here else (_MEM, _CS))
        for number, ref in enumerate(refs, 1):
            yield from _read(reading, found, ref, keeps_commits=is_here)
            reading.progress(number, len(refs))


def _refs(repository: Repository, prefixes: Sequence[str]) -> list[str]:
    said = repository.git.run("for-each-ref", "--format=%(refname)", *prefixes)
    return said.decode("utf-8", "replace").split()


def _read(
    reading: Reading, repository: Repository, ref: str, *, keeps_commits: bool
) -> Iterator[Item | Skipped]:
    said = repository.git.run("ls-tree", "-r", "-z", ref).decode("utf-8", "replace")
    notes = [m for entry in said.split("\0") if (m := _ENTRY.match(entry))]
    blobs = repository.git.read_all([note[1] for note in notes], _MOST_NOTE)
    for note, data in zip(notes, blobs, strict=True):
        commit = note[2].replace("/", "")
        name = f"{ref} {commit}"
        if data is None or data is OVERSIZE:
            yield Skipped(name, _TOO_LARGE)
            continue
        text = reading.redact(data.decode("utf-8", "replace"))
        for number, (is_record, part) in enumerate(split_legacy(text)):
            identity = f"{name}:{number}"
            if not is_record or not is_legacy(part):
                yield Skipped(identity, _OURS if not is_legacy(part) else _NO_FORMAT)
            else:
                yield _item(identity, ref, part, commit if keeps_commits else None)


def _item(identity: str, ref: str, text: str, commit: str | None) -> Item | Skipped:
    record = read_legacy(text)
    fields: Mapping[str, Any] = record.fields
    body = text_of(record.body or "")
    summary, body = titled(text_of(fields.get("summary")), body)
    if not summary or len(text) > MAX_BODY_BYTES:
        return Skipped(identity, NO_TEXT)
    kind = text_of(fields.get("type")) or ref.rpartition("/")[2]
    more = {
        "tags": tags_of(texts_of(fields.get("tags"))),
        "spec": text_of(fields.get("spec"))[:200],
        "phase": text_of(fields.get("phase"))[:200],
        "provenance": {"said_by": "agent"},
    }
    return Item(
        identity,
        kind_for(kind, f"{summary}. {body}", _KINDS),
        summary,
        body,
        time_of(record.timestamp),
        commit,
        score=0.75,
        # Somebody captured each of them with a command of its own.
        is_rule=True,
        fields=without_empty(more),
    )


SOURCE = GitNotesMemory()
