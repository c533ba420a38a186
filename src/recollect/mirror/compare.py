"""Compares the mirror with the ledger and classifies each file. Nothing here changes anything.

A file with any earlier text of its memory is a copy, whether a crash or a checkout brought it back.
Only other text counts as somebody's change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from recollect.core.claude_memory import Described, render_document, to_document
from recollect.core.memory import Memory, fold
from recollect.core.named_tuple import NamedTuple
from recollect.core.record import Record
from recollect.core.spaces import is_marked
from recollect.importing.claude_memory import REFUSED, by_creation, nonce_of, read_file
from recollect.importing.document_folder import (
    BIGGEST,
    Manifest,
    MirrorFolder,
    Seen,
    digest,
    known_hash,
    read_manifest,
)
from recollect.index.protocol import ALL, Filters, Index, is_purged, made_with
from recollect.mirror.page import file_names
from recollect.store.store import Store

# A copy, possibly of an earlier state.
OURS: Final = "ours"
CHANGED: Final = "changed"
NEW: Final = "new"
INVALID: Final = "invalid"
# The manifest names a memory, or a state of one, that only another clone has: wait for a sync.
FOREIGN: Final = "foreign"
PURGED: Final = "purged"
# Files that stay as they are until a sync or a review.
WAITING: Final = (FOREIGN, CHANGED, NEW)
_PUBLIC = "public"


class MirrorFile(NamedTuple):
    """One file as it was found."""

    path: str
    state: str
    sha256: str | None
    memory: Memory | None = None
    described: Described | None = None
    text: str = ""
    problem: str = ""


@dataclass(slots=True)
class Comparison:
    """The folder and the ledger, side by side."""

    store: Store
    folder: MirrorFolder
    manifest: Manifest
    # The ledger: how far it was read, and its memories.
    index: Index
    cursor: Mapping[str, str]
    memories: dict[str, Memory]
    files: dict[str, MirrorFile] = field(default_factory=dict)

    def wanted(self) -> dict[str, Memory]:
        """Return the memory of every file that should exist, except files that wait."""
        left = [file for file in self.files.values() if file.state in WAITING]
        waiting = {file.memory.uid for file in left if file.memory is not None}
        public = [
            memory
            for memory in self.memories.values()
            if _is_mirrored(memory) and memory.uid not in waiting
        ]
        names = file_names(public, taken={file.path for file in left})
        return {path: self.memories[uid] for uid, path in names.items()}

    def held(self) -> Manifest:
        """Return the manifest entries of other clones, and of files that wait."""
        return {path: entries for path, entries in self.manifest.items() if self._is_held(path)}

    def _is_held(self, path: str) -> bool:
        if path in self.files:
            return self.files[path].state in WAITING
        uids = {entry.uid for entry in self.manifest[path]}
        return not uids & self.memories.keys() and not any(
            is_purged(self.index, uid) for uid in uids
        )

    def history(self, memory: Memory) -> list[Record]:
        """Return the records of a memory."""
        return self.index.history(memory.uid)

    def states(self, memory: Memory) -> dict[str, Memory]:
        """Return the memory as it was after each of its records, by the uid of the record."""
        records = self.history(memory)
        return {
            record.uid: fold(
                records[0],
                records[1:count],
                kind=memory.kind,
                name=memory.id,
                owner=self.store.ledger.author,
            )
            for count, record in enumerate(records, 1)
        }

    def former(self, memory: Memory, path: str) -> set[str]:
        """Return the hashes of every text that the memory's file has had, or could have had."""
        return {digest(text_of(was, path).encode()) for was in self.states(memory).values()}


def _is_mirrored(memory: Memory) -> bool:
    """Return whether a memory has a file: it is public, and no private one has its uid."""
    return (
        memory.sensitivity == _PUBLIC
        and not memory.was_unconfirmed  # it must not leave this machine
        and not is_marked(memory.uid)
    )


def text_of(memory: Memory, path: str) -> str:
    """Return the text that the file of a memory should have."""
    return render_document(to_document(memory, Path(path).stem))


def _read_ledger(store: Store) -> tuple[Index, Mapping[str, str], dict[str, Memory]]:
    index = store.indexing.fresh()
    cursor = dict(index.cursor())
    memories = index.select(Filters(statuses=ALL))
    return index, cursor, {memory.uid: memory for memory in memories}


def compare(store: Store, folder: MirrorFolder, seen: Seen) -> Comparison:
    """Classify every file; read only those that changed since the last time."""
    comparison = Comparison(store, folder, read_manifest(folder), *_read_ledger(store))
    public = [memory for memory in comparison.memories.values() if _is_mirrored(memory)]
    by_identity = by_creation(public)
    for uid, path in file_names(public).items():
        memory = comparison.memories[uid]
        by_identity.setdefault((memory.kind, Path(path).stem, memory.created), memory)
    for path, state in folder.scan(comparison.manifest).items():
        sha = known_hash(seen, path, state)
        if sha is None:
            data = folder.read(path, BIGGEST)
            sha = None if data is None else digest(data)
        comparison.files[path] = _listed(comparison, path, sha) or _unlisted(
            comparison, by_identity, path, sha
        )
    return comparison


def _listed(comparison: Comparison, path: str, sha: str | None) -> MirrorFile | None:
    """Classify a file by the manifest and the history; None if its text must be read."""
    entries = comparison.manifest.get(path)
    if not entries:
        return None
    listed = next((entry for entry in entries if entry.sha256 == sha), None)
    entry = listed or entries[-1]
    memory = comparison.memories.get(entry.uid)
    if memory is None:
        return MirrorFile(path, PURGED if is_purged(comparison.index, entry.uid) else FOREIGN, sha)
    if listed is not None:
        is_ahead = listed.version != memory.version and listed.record not in {
            record.uid for record in comparison.history(memory)
        }
        return MirrorFile(path, FOREIGN if is_ahead else OURS, sha, memory)
    return _read(comparison, path, sha, memory)


def _unlisted(
    comparison: Comparison,
    by_identity: Mapping[tuple[str, str, str | None], Memory],
    path: str,
    sha: str | None,
) -> MirrorFile:
    """Classify a file that no manifest names: new, or a copy if the manifest was lost."""
    try:
        described, text = read_file(comparison.folder, path, comparison.store.redact)
    except REFUSED as error:
        return MirrorFile(path, INVALID, sha, problem=error.message)
    name = Path(path).stem
    nonce = nonce_of(described, name, text)
    memory = comparison.memories.get(nonce) or made_with(comparison.index, nonce)
    if memory is not None:
        return MirrorFile(path, OURS, sha, memory)
    if is_purged(comparison.index, nonce):
        return MirrorFile(path, PURGED, sha)
    memory = by_identity.get((described.kind, name, described.created))
    if memory is None:
        return MirrorFile(path, NEW, sha, None, described, text)
    return _read(comparison, path, sha, memory)


def _read(comparison: Comparison, path: str, sha: str | None, memory: Memory) -> MirrorFile:
    """Read a file of a known memory that is not what Recollect wrote last."""
    if sha in comparison.former(memory, path):
        return MirrorFile(path, OURS, sha, memory)
    try:
        described, text = read_file(comparison.folder, path, comparison.store.redact)
    except REFUSED as error:
        return MirrorFile(path, INVALID, sha, memory, problem=error.message)
    if memory.kind != described.kind:
        return MirrorFile(path, INVALID, sha, problem=f"The memory has the kind {memory.kind}.")
    return MirrorFile(path, CHANGED, sha, memory, described, text)
