"""`recollect.open`: the memory of one repository, for Python.

The command line, the hooks, the MCP server and the web page are thin users of this object.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from recollect.app.config import Config, data_dir, load_config
from recollect.app.uids import UidMaker
from recollect.core.catalog import Catalog, Place
from recollect.core.fields import (
    LOCAL_SENSITIVITIES,
    check_body,
    check_fields,
    check_revision,
    check_summary,
)
from recollect.core.kinds import kind_named
from recollect.core.memory import Memory, fold
from recollect.core.record import Record, render_record
from recollect.core.status import VISIBLE, check_transition, status_named
from recollect.errors import Ambiguous, NotFound, ValidationError
from recollect.ledger.git import Git
from recollect.ledger.health import WARNING, Finding, check_records, check_surroundings
from recollect.ledger.ledger import Cursor, Ledger
from recollect.ledger.purge import purge
from recollect.ledger.repository import find_repository, open_user_ledger
from recollect.ledger.sync import SyncReport, sync
from recollect.ledger.writes import Change, Creation


def open_recollect(path: str | os.PathLike[str] | None = None) -> Recollect:
    """Open the memory of the repository around a path; outside of any, the user ledger."""
    environment = dict(os.environ)
    if path is not None:
        # A path that was asked for counts more than a repository named by the surroundings.
        for name in ("GIT_DIR", "GIT_WORK_TREE"):
            environment.pop(name, None)
    directory = Path.cwd() if path is None else Path(path).expanduser().absolute()
    if not directory.is_dir():
        raise ValidationError(f"There is no directory {directory}", "Name one that exists.")
    config = load_config(directory, environment)
    git = Git(directory, timeout=config.number("git.timeout"), environment=environment)
    repository = find_repository(git)
    project = None
    if repository is None:
        repository = open_user_ledger(git, data_dir(environment))
        project = str(directory.resolve())
    ledger = Ledger(
        repository,
        clock=lambda: datetime.now(UTC),
        lock_timeout=config.number("lock.timeout"),
        configured_author=config.text("author"),
    )
    return Recollect(ledger, config, project)


@dataclass
class SyncResult:
    """What a sync brought and what it did."""

    report: SyncReport
    received: list[Memory] = field(default_factory=list)
    purged: list[str] = field(default_factory=list)


class Recollect:
    """The memories of one repository: capture, read, change, share, erase."""

    def __init__(self, ledger: Ledger, config: Config, project: str | None = None) -> None:
        self.ledger = ledger
        self.config = config
        self.project = project
        self._catalog = Catalog()
        self._cursor: Cursor = {}
        self._new_uid = UidMaker()

    def __enter__(self) -> Recollect:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what was read; the object can be used again."""
        self._catalog = Catalog()
        self._cursor = {}

    # Writing

    def capture(
        self, kind: str, summary: str, body: str = "", *, at: str | None = "HEAD", **fields: Any
    ) -> Memory:
        """Remember something, next to the commit `at`; with None, next to the project as a whole.

        When this returns, the memory is in the ledger and survives a crash.
        """
        draft = {"kind": kind, "summary": summary, "body": body, "at": at, **fields}
        return self.capture_many([draft])[0]

    def capture_many(self, records: Iterable[Mapping[str, Any]]) -> list[Memory]:
        """Remember several things at once, in one commit for each kind: all of them or none."""
        creations = [self._creation(dict(record)) for record in records]
        if not creations:
            return []
        written = self.ledger.write(creations, "capture")
        return [
            fold(record, (), kind=creation.kind, name=record.id or "")
            for creation, record in zip(creations, written, strict=True)
        ]

    def _creation(self, draft: dict[str, Any]) -> Creation:
        kind = kind_named(str(draft.pop("kind", "")))
        summary = check_summary(draft.pop("summary", ""))
        body = check_body(draft.pop("body", "") or "")
        at = draft.pop("at", "HEAD")
        fields = check_fields({name: value for name, value in draft.items() if value is not None})
        fields = {name: value for name, value in fields.items() if value not in ([], {})}
        self._link(fields)
        repository = self.ledger.repository
        if repository.branch:
            fields.setdefault("branch", repository.branch)
        if self.project:
            fields.setdefault("project", self.project)
        return Creation(
            uid=self._new_uid(),
            kind=kind.name,
            fields={**fields, "summary": summary},
            body=body,
            revision=None if at is None else check_revision(at),
        )

    def _link(self, fields: dict[str, Any]) -> None:
        """Put uids in the place of the names that a memory relates to."""
        if fields.get("relates_to"):
            fields["relates_to"] = [self.get(name).uid for name in fields["relates_to"]]

    def update(
        self, memory_id: str, *, summary: str | None = None, body: str | None = None, **fields: Any
    ) -> Memory:
        """Change a memory; a field set to None is taken back. The history keeps what it was."""
        memory = self.get(memory_id)
        changes = check_fields(fields)
        self._link(changes)
        if summary is not None:
            changes["summary"] = check_summary(summary)
        if body is not None and check_body(body) == memory.body:
            body = None
        known = memory.as_json()
        changes = {name: value for name, value in changes.items() if known[name] != value}
        _check_border(memory, changes)
        if not changes and body is None:
            return memory
        return self._change(memory, changes, body, "edit")

    def set_status(self, memory_id: str, status: str, reason: str = "") -> Memory:
        """Resolve, archive, retire or restore a memory; an illegal step is refused."""
        memory = self.get(memory_id)
        target = status_named(status)
        check_transition(memory.status, target)
        changes: dict[str, Any] = {"status": target}
        if reason:
            changes["status_reason"] = check_summary(reason)
        return self._change(memory, changes, None, target)

    def _change(
        self, memory: Memory, fields: Mapping[str, Any], body: str | None, reason: str
    ) -> Memory:
        records = self._catalog.history(memory.uid)
        creation = records[0] if records[0].id else _with_name(records[0], memory.id)
        change = Change(
            uid=self._new_uid(),
            of=memory.uid,
            places=self._catalog.places(memory.uid),
            fields=fields,
            body=body,
            known_rev=records[-1].rev,
            creation=render_record(creation),
        )
        self.ledger.write([change], reason)
        return self.get(memory.uid)

    def purge(self, memory_id: str) -> list[str]:
        """Erase a memory for good, here and, after the next sync, in every clone.

        Gives what could not be erased, in sentences; normally nothing.
        """
        memory = self.get(memory_id)
        left = purge(
            self.ledger,
            record_uid=self._new_uid(),
            of=memory.uid,
            name=memory.id.partition("~")[0],
            places=self._catalog.places(memory.uid),
        )
        self.refresh()
        return left

    def sync(self, remote: str | None = None) -> SyncResult:
        """Exchange memories with a remote; afterwards both sides hold the same."""
        self.refresh()
        before = dict(self._catalog.memories)
        report = sync(
            self.ledger,
            remote or self.config.text("sync.remote") or None,
            timeout=self.config.number("sync.timeout"),
        )
        self.refresh()
        after = self._catalog.memories
        received = [m for uid, m in after.items() if before.get(uid) != m]
        return SyncResult(
            report,
            sorted(map(self._catalog.named, received), key=lambda memory: memory.uid),
            sorted(before[uid].id for uid in report.purged if uid in before),
        )

    # Reading

    def refresh(self) -> int:
        """Read what changed in the ledger since the last time; how many notes that were."""
        changes = self.ledger.changes(self._cursor)
        if changes.complete:
            self._catalog = Catalog()
        count = 0
        for place, note in changes.notes:
            self._catalog.apply(place, note)
            count += 1
        self._cursor = changes.cursor
        return count

    def get(self, memory_id: str) -> Memory:
        """The memory of an id; refuses one that means none, or several."""
        found = self.candidates(memory_id)
        if not found:
            raise NotFound(f"There is no memory {memory_id}")
        if len(found) > 1:
            names = [memory.id for memory in found]
            raise Ambiguous(f"{memory_id} means {len(found)} memories.", names)
        return found[0]

    def candidates(self, memory_id: str) -> list[Memory]:
        """Every memory that an id can mean."""
        self.refresh()
        return self._catalog.resolve(memory_id)

    def memories(self, *, kind: str | None = None, status: str | None = None) -> list[Memory]:
        """Memories, oldest first: active and resolved ones, or those of one status, or `all`."""
        self.refresh()
        wanted = kind_named(kind).name if kind and kind not in self.kinds() else kind
        statuses = VISIBLE if status is None else frozenset({status_named_or_all(status)})
        found = [
            memory
            for memory in self._catalog.memories.values()
            if (wanted is None or memory.kind == wanted)
            and ("all" in statuses or memory.status in statuses or _unknown(memory, statuses))
            and self._concerns(memory)
        ]
        return sorted(map(self._catalog.named, found), key=lambda memory: memory.uid)

    def _concerns(self, memory: Memory) -> bool:
        """Whether a memory of the user ledger belongs to the directory we are in."""
        if self.project is None or memory.project is None:
            return True
        return Path(self.project).is_relative_to(memory.project)

    def kinds(self) -> set[str]:
        """The kinds that the ledger holds, those that this version does not know included."""
        return {memory.kind for memory in self._catalog.memories.values()}

    def history(self, memory_id: str) -> list[Record]:
        """The records of a memory: its creation, then its updates."""
        return self._catalog.history(self.get(memory_id).uid)

    def journal(self) -> list[tuple[Record, Place]]:
        """Every record of the ledger, oldest first: creations, updates, purges."""
        self.refresh()
        memories = self._catalog.memories
        return [
            (record, place)
            for record, place in self._catalog.journal()
            if (memory := memories.get(record.memory_uid)) is None or self._concerns(memory)
        ]

    def verify(self) -> list[Finding]:
        """Look at every record of the ledger."""
        self.refresh()
        return list(check_records(self.ledger, self._catalog))

    def doctor(self) -> list[Finding]:
        """Look at everything that can be wrong, and say what to do."""
        found = [Finding(WARNING, "configuration", text) for text in self.config.warnings]
        found += check_surroundings(self.ledger)
        found += self.verify()
        found += [Finding(WARNING, "ledger", text) for text in self.ledger.warnings]
        return found

    @property
    def catalog(self) -> Catalog:
        """What was read at the last refresh."""
        return self._catalog


def status_named_or_all(status: str) -> str:
    """A status, or `all`."""
    return "all" if status.strip().lower() == "all" else status_named(status)


def _unknown(memory: Memory, wanted: frozenset[str]) -> bool:
    """A status that only a newer version knows is shown with the visible ones."""
    return wanted == VISIBLE and memory.status not in ("archived", "retired")


def _check_border(memory: Memory, changes: Mapping[str, Any]) -> None:
    """Refuse to move a memory between the shared and the private space by an edit."""
    target = changes.get("sensitivity", memory.sensitivity)
    if (target in LOCAL_SENSITIVITIES) != (memory.sensitivity in LOCAL_SENSITIVITIES):
        raise ValidationError(
            f"A {memory.sensitivity} memory cannot be made {target}: its text is in a history that"
            f" is {'shared' if target in LOCAL_SENSITIVITIES else 'private'}.",
            f"Capture it again with --sensitivity {target}, then purge {memory.id}",
        )


def _with_name(creation: Record, name: str) -> Record:
    return Record(
        uid=creation.uid,
        op=creation.op,
        fields=creation.fields,
        body=creation.body,
        id=name.partition("~")[0],
        timestamp=creation.timestamp,
        by=creation.by,
    )
