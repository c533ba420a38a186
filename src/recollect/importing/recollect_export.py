"""Exports the memories of a repository, and imports such an export without loss.

An imported memory has everything that the exported one had, except for its author, its uid and its
name: these tell who wrote a record where, which an export cannot prove. Its history is not exported
either, but its list of changes is. An import is written completely or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from recollect.core.age import seconds_of
from recollect.core.fields import LOCAL_SENSITIVITIES, MAX_BODY_BYTES, check_reason
from recollect.core.memory import Memory
from recollect.core.patterns import pattern
from recollect.core.status import ACTIVE, STATUSES, UNCONFIRMED
from recollect.core.uid import derive_uid, is_uid
from recollect.errors import ParseError, RecollectError, ValidationError
from recollect.importing.claude_memory import (
    CREATED,
    INVALID,
    KNOWN,
    PURGED,
    UPDATED,
    Outcome,
    Plan,
    writes_of,
)
from recollect.importing.export_format import read_export, to_entry
from recollect.index.protocol import ALL, Filters, Index, is_purged, made_with
from recollect.ledger.writes import NOBODY, Change, Write
from recollect.sleep.undo import recorded
from recollect.state.runs import IMPORT
from recollect.store.prepare import change_of
from recollect.store.store import Store

SOURCE_NAME: Final = "recollect"
VIA: Final = f"import:{SOURCE_NAME}"
# How it came to be before it was exported, and who wrote it then; in the provenance.
_FIRST_VIA, _FIRST_AUTHOR = "first_via", "first_author"
_COMMIT: Final = pattern(r"[0-9a-f]{40,64}\Z")
# Fields that `prepare` checks as they are.
_PLAIN: Final = (
    *("kind", "summary", "body", "content", "tags", "spec", "phase", "concepts"),
    *("asked_as", "observation_type", "files_read", "files_modified", "importance"),
    *("confidence", "sensitivity", "ttl", "session", "branch", "created"),
)
_CHANGEABLE: Final = tuple(name for name in _PLAIN if name not in ("kind", "body", "created"))


# Export


def entries(store: Store, *, private: bool = False) -> list[dict[str, Any]]:
    """Return the memories of a repository for an export; local ones only if that is wanted."""
    index = store.indexing.fresh()
    chosen = exported(index.select(Filters(statuses=ALL, project=store.project)), private=private)
    anchors = {memory.uid: [p.anchor for p in index.places(memory.uid)] for memory in chosen}
    commits = _commits(store, {one for each in anchors.values() for one in each})
    return [
        to_entry(memory, next((a for a in anchors[memory.uid] if a in commits), None))
        for memory in chosen
    ]


def exported(memories: Sequence[Memory], *, private: bool) -> list[Memory]:
    """Return the memories that may leave: public ones, or all of them."""
    return [memory for memory in memories if private or not is_local(memory)]


def is_local(memory: Memory) -> bool:
    """Whether a memory stays on this machine unless somebody asks for it."""
    return (
        memory.sensitivity in LOCAL_SENSITIVITIES
        or memory.status == UNCONFIRMED
        or memory.was_unconfirmed
    )


def _commits(store: Store, names: set[str]) -> set[str]:
    """Return those of some names that are commits here."""
    asked = sorted(name for name in names if _COMMIT.match(name))
    if not asked:
        return set()
    said = store.ledger.repository.git.run(
        "cat-file", "--batch-check", stdin="".join(f"{name}\n" for name in asked).encode()
    )
    lines = [line.split() for line in said.decode("ascii", "replace").splitlines()]
    return {line[0] for line in lines if len(line) == 3 and line[1] == "commit"}


# Import


def import_export(store: Store, path: Path, *, dry_run: bool = False) -> list[Outcome]:
    """Import an export; return the result for each memory. Importing twice adds nothing."""
    found = read_export(path)
    index = store.indexing.fresh()
    stamp = store.ledger.stamp()
    commits = _commits(store, {str(entry.get("commit")) for entry in found})
    outcomes: list[Outcome] = []
    writes: list[Write] = []
    uids: dict[str, str] = {}  # exported uid → uid here
    waiting: list[tuple[str, Mapping[str, Any]]] = []
    for number, entry in enumerate(_in_order(found), 1):
        name = str(entry.get("id") or f"memory {number}")[:100]
        try:
            old = _uid_of(entry)
            nonce = _nonce(entry)
            memory = next(iter(index.get_many([old])), None)
            known = memory or made_with(index, nonce)
            if known is not None:
                uids[old] = known.uid
                changes = [] if memory is not None else _newer(store, known, entry)
                writes += changes
                result = UPDATED if changes else KNOWN
            elif is_purged(index, old) or is_purged(index, nonce):
                result = PURGED
            elif old in uids:
                result = KNOWN
            else:
                planned = _plan(store, entry, nonce, commits)
                links = [uids[one] for one in _links(entry) if one in uids]
                if links and len(links) == len(_links(entry)):
                    fields = {**planned.creation.fields, "relates_to": links}
                    planned = planned._replace(creation=planned.creation._replace(fields=fields))
                new = planned.creation.record(stamp).uid
                result = PURGED if is_purged(index, new) else CREATED
                if result == CREATED:
                    uids[old] = new
                    writes += writes_of(store, planned)
                    if len(links) < len(_links(entry)):
                        waiting.append((new, entry))
        except RecollectError as error:
            outcomes.append(Outcome(name, INVALID, problem=error.message))
            continue
        summary = str(store.redact(str(entry.get("summary", ""))))[:100]
        outcomes.append(Outcome(name, result, uids.get(old, ""), summary))
    writes += _linking(index, waiting, uids)
    if not dry_run and writes:
        with store.deferred_effects("import"), recorded(store, IMPORT, writes) as written:
            written += store.write(writes, "import")
    return outcomes


def _in_order(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return memories, the oldest first: a memory relates to older ones."""
    return sorted(found, key=lambda entry: str(entry.get("created", "")))


def _uid_of(entry: Mapping[str, Any]) -> str:
    uid = entry.get("uid")
    if not isinstance(uid, str) or not is_uid(uid):
        raise ParseError("It has no uid.", "Export the memories again.")
    return uid


def _links(entry: Mapping[str, Any]) -> list[str]:
    given = entry.get("relates_to")
    return [one for one in given if isinstance(one, str)] if isinstance(given, list) else []


def _linking(
    index: Index, waiting: Sequence[tuple[str, Mapping[str, Any]]], uids: Mapping[str, str]
) -> list[Change]:
    """Return the relations to memories that come later in the export, or are here already."""
    changes = []
    for uid, entry in waiting:
        given = _links(entry)
        here = {memory.uid for memory in index.get_many(given)}
        links = [uids.get(one) or (one if one in here else "") for one in given]
        if any(links):
            nonce = derive_uid(f"{uid}\nrelations", _milliseconds(entry.get("created")))
            fields = {"relates_to": [one for one in links if one]}
            changes.append(
                Change(nonce, uid, (), "", fields, time=_time(entry.get("updated")), by=NOBODY)
            )
    return changes


def _nonce(entry: Mapping[str, Any]) -> str:
    return derive_uid(f"{VIA}\n{entry['uid']}", _milliseconds(entry.get("created")))


def _milliseconds(time: Any) -> int:
    return int((seconds_of(time if isinstance(time, str) else None) or 0.0) * 1000)


def _time(value: Any) -> str | None:
    return value if isinstance(value, str) and seconds_of(value) is not None else None


def _plan(store: Store, entry: Mapping[str, Any], nonce: str, commits: set[str]) -> Plan:
    """Prepare a memory for writing; raise if it is not usable."""
    draft = {name: entry[name] for name in _PLAIN if entry.get(name) is not None}
    commit = entry.get("commit")
    draft["at"] = commit if commit in commits else None
    draft["provenance"] = _provenance(entry)
    status = entry.get("status") or ACTIVE
    if status not in STATUSES:
        raise ValidationError(f"There is no status {str(status)[:40]!r}.", "Update Recollect.")
    if status == UNCONFIRMED:
        draft["status"] = UNCONFIRMED
    creation = store.prepare(draft, nonce)
    fields = dict(creation.fields)
    if "branch" not in draft:
        fields.pop("branch", None)
    as_is = draft.get("sensitivity") == "secret"
    more = _more(entry, status)
    fields |= more if as_is else store.redact(more)
    if len(json.dumps(fields, ensure_ascii=False).encode()) > 4 * MAX_BODY_BYTES:
        raise ValidationError("It is too large.", "Leave it out of the export.")
    steps = _steps(store, entry, status, fields)
    # Without an author, every clone that imports the same export writes the same records.
    return Plan(creation._replace(fields=fields, by=NOBODY), steps)


def _provenance(entry: Mapping[str, Any]) -> dict[str, Any]:
    given = entry.get("provenance")
    told = dict(given) if isinstance(given, Mapping) else {}
    first = {_FIRST_VIA: told.get("via"), _FIRST_AUTHOR: entry.get("author")}
    kept = {name: value for name, value in first.items() if isinstance(value, str)}
    return {**kept, **told, "via": VIA}


def _more(entry: Mapping[str, Any], status: str) -> dict[str, Any]:
    """Return the fields that nobody sets by hand."""
    extra, slugs, log = (entry.get(name) for name in ("extra", "slugs", "changes"))
    more: dict[str, Any] = dict(extra) if isinstance(extra, Mapping) else {}
    if isinstance(slugs, list):
        more["slugs"] = [one for one in slugs if isinstance(one, str)]
    if isinstance(log, list):
        told = [one for one in log if isinstance(one, Mapping)]
        if told and told[-1].get("field") == "status" and told[-1].get("new_value") == status:
            told.pop()  # the change of the status adds it
        more["changes"] = told
    times = entry.get("times_updated")
    if type(times) is int and times > 0:
        more["times_updated"] = times
    return {name: value for name, value in more.items() if value}


def _steps(
    store: Store, entry: Mapping[str, Any], status: str, fields: dict[str, Any]
) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return the last change of the status and the last edit, with their times."""
    created = str(_time(entry.get("created")) or "")
    moved = str(_time(entry.get("status_changed")) or created)
    updated = str(_time(entry.get("updated")) or moved)
    steps: list[tuple[str, Mapping[str, Any]]] = []
    if moved > created or status not in (ACTIVE, UNCONFIRMED):
        step: dict[str, Any] = {"status": status}
        if isinstance(entry.get("status_reason"), str):
            step["status_reason"] = check_reason(store.redact(entry["status_reason"]))
        if isinstance(entry.get("status_by"), str):
            step["status_by"] = store.redact(entry["status_by"])[:40]
        steps.append((moved, step))
    if updated > max(created, moved) and fields.get("times_updated"):
        fields["times_updated"] -= 1  # this change counts as one
        steps.append((updated, {"changes": []}))
    return tuple(steps)


def _newer(store: Store, memory: Memory, entry: Mapping[str, Any]) -> list[Change]:
    """Return what has changed in an export since the memory was imported."""
    updated = _time(entry.get("updated"))
    if updated is None or updated <= (memory.updated or ""):
        return []
    now = memory.as_json()
    given = {name: entry.get(name) for name in _CHANGEABLE if entry.get(name) is not None}
    prepared = store.prepare({**given, "kind": memory.kind, "at": None}, memory.nonce).fields
    fields = {k: v for k, v in prepared.items() if k in given and now.get(k) != v}
    said = store.redact(entry.get("body") or "")
    body = said if isinstance(said, str) and said != memory.body else None
    changes = []
    if fields or body is not None:
        changes.append(change_of(store, memory, fields, body)._replace(time=updated))
    status = entry.get("status")
    if status in STATUSES and status != memory.status:
        nonce = derive_uid(f"{memory.uid}\n{status}\n{updated}", _milliseconds(updated))
        changes.append(Change(nonce, memory.uid, (), "", {"status": status}, time=updated))
    return changes
