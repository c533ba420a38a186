"""Keeps public memories as files in the working tree, for people who review them there.

The ledger is authoritative and the files are copies. A change that a person or a checkout makes to
a file becomes a pending suggestion. An invalid file is renamed. Every other file is rewritten from
the ledger. Each run compares again, so the next run repairs the effects of a crash.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final

from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.errors import RecollectError
from recollect.importing.claude_memory import REFUSED, read_file
from recollect.importing.document_folder import (
    INDEX_PAGE,
    MANIFEST,
    NOTHING_SEEN,
    Entry,
    Manifest,
    Seen,
    digest,
    find_folder,
    forget_seen,
    read_seen,
    render_manifest,
    save_seen,
)
from recollect.ledger.lock import exclusive
from recollect.mirror.compare import (
    CHANGED,
    FOREIGN,
    INVALID,
    OURS,
    PURGED,
    WAITING,
    Comparison,
    MirrorFile,
    compare,
    text_of,
)
from recollect.mirror.page import HEADING, render_index, row_of
from recollect.mirror.suggestions import suggest_changes
from recollect.store.store import Store

LOCK: Final = "mirror.lock"
# Problems of a file in addition to those that a comparison reports.
MISSING: Final = "missing"
STALE: Final = "stale"
LEFT_OVER: Final = "left over"
# Somebody else's file in the folder.
UNKNOWN: Final = "unknown"


class Difference(NamedTuple):
    """A file that differs from the ledger."""

    file: str
    state: str
    memory: str = ""
    problem: str = ""


@dataclass(slots=True)
class Report:
    """The result of an update of the mirror."""

    files: int = 0
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    suggested: list[str] = field(default_factory=list)
    # New names of invalid files.
    renamed: list[str] = field(default_factory=list)
    # Warnings for the user.
    notes: list[str] = field(default_factory=list)

    @property
    def has_changed(self) -> bool:
        """Whether any file changed."""
        return bool(self.written or self.removed)


class Mirror:
    """The mirror of one working tree."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.folder = find_folder(store)

    def update(self, *, check_files: bool = True) -> Report:
        """Update the mirror; without `check_files`, only if the ledger changed."""
        with self._locked():
            seen = read_seen(self._store, self.folder)
            if not check_files and self._is_current(seen):
                return Report()
            self.folder.sweep()
            report = self._update(compare(self._store, self.folder, seen), seen)
        if report.has_changed and self._store.config.flag("mirror.auto_commit"):
            from recollect.mirror.commit import commit

            report.notes += commit(self._store, self.folder)
        return report

    def differences(self) -> list[Difference]:
        """Return every difference from the ledger. Reads every file and changes nothing."""
        with self._locked():
            comparison = compare(self._store, self.folder, NOTHING_SEEN)
            wanted = comparison.wanted()
            manifest, found = comparison.held(), []
            for path, memory in wanted.items():
                file, sha = comparison.files.get(path), digest(text_of(memory, path).encode())
                manifest[path] = (_entry(comparison, memory, sha),)
                if file is None:
                    found.append(Difference(path, MISSING, memory.id))
                elif file.state == OURS and file.sha256 != sha:
                    found.append(Difference(path, STALE, memory.id))
            for path, file in comparison.files.items():
                state = file.state
                if state == OURS:
                    if path in wanted:
                        continue
                    state = LEFT_OVER
                memory_id = file.memory.id if file.memory is not None else ""
                found.append(Difference(path, state, memory_id, file.problem))
            pages = ((INDEX_PAGE, _page(comparison, wanted)), (MANIFEST, render_manifest(manifest)))
            as_said = all(one.state in WAITING for one in found)
            for name, text in pages:
                data = self.folder.read(name)
                if data is None:
                    found.append(Difference(name, MISSING))
                elif as_said and data != text.encode():  # otherwise it follows from the other files
                    found.append(Difference(name, STALE))
            # A kind of a newer version has a folder that this one does not know.
            named = {path.partition("/")[0] for path in comparison.files}
            found += [
                Difference(path, UNKNOWN, problem="Recollect did not write it and leaves it alone")
                for path in self.folder.others()
                if path not in named
            ]
        return sorted(found)

    def clear(self) -> list[str]:
        """Delete every file that is an unchanged copy; return the others."""
        with self._locked():
            comparison = compare(self._store, self.folder, NOTHING_SEEN)
            stay = {path: file for path, file in comparison.files.items() if file.state != OURS}
            for path in comparison.files.keys() - stay.keys():
                self.folder.remove(path)
            page = self.folder.read(INDEX_PAGE)
            if page is not None and page.startswith(HEADING.encode()):
                self.folder.remove(INDEX_PAGE)
            lines = {
                path: comparison.manifest[path] for path in stay if path in comparison.manifest
            }
            if lines:
                self.folder.write(MANIFEST, render_manifest(lines))
            else:
                self.folder.remove(MANIFEST)
            forget_seen(self._store)
            return sorted(stay)

    def _locked(self) -> AbstractContextManager[None]:
        state_dir = self._store.ledger.repository.state_dir
        return exclusive(state_dir / LOCK, self._store.ledger.lock_timeout)

    def _is_current(self, seen: Seen) -> bool:
        return (
            seen is not NOTHING_SEEN
            and dict(self._store.indexing.fresh().cursor()) == dict(seen.cursor)
            and self.folder.state(MANIFEST) == seen.manifest
        )

    def _update(self, comparison: Comparison, seen: Seen) -> Report:
        report = Report()
        for path in suggest_changes(comparison):
            report.suggested.append(path)
            report.notes.append(
                f"{self.folder.name}/{path} was changed. To accept or reject it: recollect review"
            )
        for file in list(comparison.files.values()):
            if file.state == INVALID:
                self._rename_invalid(comparison, file, report)
            elif file.state == PURGED:
                self._erase(comparison, file, report)
        wanted = comparison.wanted()
        manifest = self._write(comparison, wanted, seen, report)
        for path, file in comparison.files.items():
            if path not in wanted and file.state not in WAITING:
                self.folder.remove(path)
                report.removed.append(path)
        self._put_page(INDEX_PAGE, _page(comparison, wanted), report)
        self._put_page(MANIFEST, render_manifest(manifest), report)
        hashes = {path: manifest[path][0].sha256 for path in wanted}
        save_seen(
            self._store,
            self.folder,
            Seen(
                comparison.cursor,
                self.folder.state(MANIFEST),
                {path: (self.folder.state(path), sha) for path, sha in hashes.items()},
            ),
        )
        report.files = len(wanted)
        return report

    def _rename_invalid(self, comparison: Comparison, file: MirrorFile, report: Report) -> None:
        renamed = self.folder.rename_invalid(file.path, self._store.now())
        report.renamed.append(renamed)
        report.notes.append(
            f"{self.folder.name}/{file.path} is not valid; renamed it to"
            f" {self.folder.name}/{renamed} ({file.problem})"
        )
        del comparison.files[file.path]

    def _erase(self, comparison: Comparison, file: MirrorFile, report: Report) -> None:
        self.folder.erase(file.path)
        report.removed.append(file.path)
        path = f"{self.folder.name}/{file.path}"
        said = self._store.ledger.repository.git.run(
            "rev-parse", "--verify", "--quiet", f"HEAD:{path}", ok=(0, 1, 128)
        )
        if said.strip():
            report.notes.append(f"Deleted {path}, but the history of the branch still contains it.")
        del comparison.files[file.path]

    def _write(
        self, comparison: Comparison, wanted: Mapping[str, Memory], seen: Seen, report: Report
    ) -> Manifest:
        """Write the files that differ from the ledger; return the manifest of all files."""
        manifest = comparison.held()
        for path, memory in wanted.items():
            file, entries = comparison.files.get(path), comparison.manifest.get(path, ())
            if seen is not NOTHING_SEEN and _is_copy(file, entries, memory):
                manifest[path] = entries
                continue
            text = text_of(memory, path)
            sha = digest(text.encode())
            if file is None or file.sha256 != sha:
                self.folder.write(path, text)
                report.written.append(path)
            manifest[path] = (_entry(comparison, memory, sha),)
        return manifest

    def _put_page(self, name: str, text: str, report: Report) -> None:
        there = self.folder.read(name)
        if there == text.encode():
            return
        is_ours = name == MANIFEST or (there or b"").startswith(HEADING.encode())
        if not is_ours and os.path.lexists(self.folder.path / name):
            report.notes.append(f"Kept {self.folder.name}/{name}, which Recollect did not write.")
            return
        self.folder.write(name, text)
        report.written.append(name)


def _is_copy(file: MirrorFile | None, entries: tuple[Entry, ...], memory: Memory) -> bool:
    """Return whether a file is known to be current, without rendering its memory again."""
    if file is None or len(entries) != 1:
        return False
    return entries[0][:2] == (memory.uid, memory.version) and entries[0].sha256 == file.sha256


def _entry(comparison: Comparison, memory: Memory, sha: str) -> Entry:
    return Entry(memory.uid, memory.version, comparison.history(memory)[-1].uid, sha)


def _page(comparison: Comparison, wanted: Mapping[str, Memory]) -> str:
    rows = {path: row_of(memory) for path, memory in wanted.items()}
    for path, file in comparison.files.items():
        if file.state == CHANGED and file.memory is not None:
            rows[path] = row_of(file.memory)
        elif file.state == FOREIGN:
            try:
                rows[path] = row_of(read_file(comparison.folder, path, comparison.store.redact)[0])
            except REFUSED:
                continue
    return render_index(rows, comparison.folder.name)


def after_write(store: Store) -> list[str]:
    """Check the files after an agent wrote to them; return what became of what it wrote."""
    mirror = Mirror(store)
    report = mirror.update()
    name = mirror.folder.name
    return [
        *report.notes,
        *(
            f"{name}/{path} is in the mirror. Its change is not in memory: it waits until a person"
            " accepts it with `recollect review`. To change a memory, use: recollect write update"
            for path in report.suggested
        ),
    ]


def follow(store: Store, *, look: bool = False) -> None:
    """Update the mirror after a change of the ledger; on failure, only warn."""
    if store.ledger.repository.is_user_ledger:
        return
    try:
        report = Mirror(store).update(check_files=look)
    except RecollectError as error:
        store.ledger.warnings.append(f"Could not update the mirror: {error.message} {error.hint}")
    except OSError as error:
        store.ledger.warnings.append(f"Could not update the mirror: {error}")
    else:
        store.ledger.warnings += report.notes
