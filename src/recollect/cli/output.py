"""Print memories in a terminal, and as JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from datetime import UTC, datetime

import click

from recollect.api.opening import open_recollect
from recollect.api.recollect import Recollect
from recollect.api.results import Answer, Listed
from recollect.cli.terminal import echo_exactly, escaped_json
from recollect.core.age import age
from recollect.core.memory import Memory, expires, is_expired
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import short
from recollect.core.record import PURGE, UPDATE, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.ledger.files import CommitInfo

_ALTERED = "this is not what its author wrote; see `recollect doctor`"
# Marks a memory from your own ledger among those of the project.
MINE = " [mine]"
# Seconds that the first command in a new clone waits for its remote, when it is done.
_LOOKING = 1.0
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
id_argument = click.argument("memory_id", metavar="ID")


def status_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command what every change of status takes: an id, a reason, and `--json`."""
    reason = click.option("--reason", default="", help="Why, in one line.")
    return id_argument(reason(json_option(function)))


class Where(NamedTuple):
    """Which ledger the command uses, and the agent in whose shell it runs, if any."""

    directory: str | None
    mine: bool
    agent: str = ""


def said_here(ctx: click.Context, store: Recollect, text: str) -> dict[str, Any]:
    """Who says what a command captures, as fields of its provenance."""
    return store.said_by(text, agent=ctx.obj.agent, environment=os.environ)


def opened(ctx: click.Context, *, quickly: bool = False) -> Recollect:
    """Open the ledger that the command uses.

    `quickly`, for a command that only reads memories: it asks git nothing that the files of the
    repository say, too.
    """
    store = open_recollect(ctx.obj.directory, mine=ctx.obj.mine, quickly=quickly)
    ctx.call_on_close(lambda: _say_rebuilt(ctx, store))
    store.flush_spool()
    if sys.stderr.isatty():
        _offer_sync(ctx, store)
        store.indexing.progress = ctx.with_resource(progress_to("Reading notes"))
    return store


def _offer_sync(ctx: click.Context, store: Recollect) -> None:
    """In a new clone, say once whether its remote has memories; agents hear it from their hooks."""
    from recollect.api import automatic_sync
    from recollect.state.remote_notes import offer

    folder = store.ledger.repository.state_dir
    looks = not ctx.obj.agent and automatic_sync.at_start(store, os.environ) == automatic_sync.LOOK

    def tell() -> None:
        if text := offer(folder, wait=_LOOKING if looks else 0.0):
            click.echo(f"Note: {text}", err=True)

    ctx.call_on_close(tell)


def echo_json(value: Any) -> None:
    """Print a value as JSON; control characters are escaped."""
    echo_exactly(escaped_json(value, indent=2))


def memories(count: int) -> str:
    """Return a number of memories in words."""
    return "1 memory" if count == 1 else f"{count} memories"


def warnings_of(store: Recollect) -> list[str]:
    """Return what went wrong without doing harm, each once, however often it happened."""
    return list(dict.fromkeys(store.warnings))


def warn(store: Recollect) -> None:
    """Print what went wrong without doing harm."""
    echo_notes(store.warnings)


def _say_rebuilt(ctx: click.Context, store: Recollect) -> None:
    """Print at the end of every command that the index was rebuilt, or cannot be stored."""
    _say(ctx, store.index_notices)


def echo_notes(warnings: Iterable[str]) -> None:
    """Print warnings as notes."""
    _say(click.get_current_context(), warnings)


def _say(ctx: click.Context, texts: Iterable[str]) -> None:
    """Print notes, each once, however often it happened."""
    said: set[str] = ctx.meta.setdefault("recollect.said", set())
    for text in dict.fromkeys(texts):
        if text not in said:
            said.add(text)
            click.echo(f"Note: {text}", err=True)


@contextmanager
def progress_to(label: str, announced: str = "") -> Iterator[Callable[[int], None]]:
    """Show the progress of long work on stderr, if it is a terminal; else say once what begins."""
    shown = False
    if announced and not sys.stderr.isatty():
        click.echo(announced, err=True)

    def progress(done: int) -> None:
        nonlocal shown
        if sys.stderr.isatty():
            shown = True
            echo_exactly(f"\r{label}: {done:,}", nl=False, err=True)

    yield progress
    if shown:
        click.echo("", err=True)


def listed_as_json(found: Sequence[Listed | Answer], store: Recollect) -> list[dict[str, Any]]:
    """Memories as `--json` prints them; one from your own ledger has `mine`."""
    counts = store.access_counts([one.memory for one in found if not one.mine])
    if store.personal is not None:
        counts |= store.personal.access_counts([one.memory for one in found if one.mine])
    return [
        {
            **one.memory.as_json(),
            "access_count": counts[one.memory.uid],
            **({"mine": True} if one.mine else {}),
        }
        for one in found
    ]


def echo_memories(memories: Iterable[Memory], store: Recollect) -> None:
    """Print one line for each memory that something was done to; what is private stays hidden."""
    shown = [memory._replace(summary=memory.open_title) for memory in memories]
    for line in lines_of(shown, store):
        click.echo(line)


def lines_of(
    memories: Iterable[Memory], store: Recollect, mine: Set[str] = frozenset()
) -> list[str]:
    """Return one line for each memory; `mine` has the uids of those from your own ledger."""
    now = store.now()
    rows = [(store.short_name(memory), memory) for memory in memories]
    width = max((len(name) for name, _ in rows), default=0)
    lines = []
    for name, memory in rows:
        tags = "".join(f" #{tag}" for tag in memory.tags)
        marks = tags + marks_of(memory, now) + (MINE if memory.uid in mine else "")
        lines.append(
            f"{click.style(name.ljust(width), fg='yellow')}  {age(memory.created, now):>4}"
            f"  {memory.summary}{click.style(marks, fg='cyan')}"
        )
    return lines


def marks_of(memory: Memory, now: float) -> str:
    """Return the marks of a memory that is not active, not public, or past its lifetime."""
    marks = [memory.status] if memory.status != "active" else []
    if memory.sensitivity != "public":
        marks.append(memory.sensitivity)
    if is_expired(memory, now):
        marks.append("expired")
    return "".join(f" [{mark}]" for mark in marks)


def echo_memory(memory: Memory, store: Recollect, commit: CommitInfo | None = None) -> None:
    """Print all of one memory."""
    click.secho(memory.summary, bold=True)
    rows = [
        ("id", store.short_name(memory)),
        ("slug", memory.slugs[0] if memory.slugs else None),
        ("kind", memory.kind),
        ("status", _status(memory)),
        ("altered", _ALTERED if memory.altered else None),
        ("sensitivity", memory.sensitivity if memory.sensitivity != "public" else None),
        ("tags", ", ".join(memory.tags)),
        ("spec", memory.spec),
        ("phase", memory.phase),
        ("type", memory.observation_type),
        ("concepts", ", ".join(memory.concepts)),
        ("files", ", ".join(dict.fromkeys((*memory.files_modified, *memory.files_read)))),
        ("asked as", " | ".join(memory.asked_as)),
        ("related", ", ".join(_names(memory.relates_to, store))),
        ("branch", memory.branch),
        ("project", memory.project),
        ("commit", commit and f"{commit.sha[:7]} {commit.subject} ({commit.author})"),
        ("by", memory.author),
        ("ttl", _lifetime(memory, store.now())),
        ("created", memory.created),
        ("updated", memory.updated if memory.updated != memory.created else None),
    ]
    for label, value in rows:
        if value:
            click.echo(f"{label + ':':<13}{value}")
    if memory.text:
        click.echo("\n" + memory.text)


def _lifetime(memory: Memory, now: float) -> str | None:
    """Return how long a memory lives, and until when."""
    ends = expires(memory)
    if ends is None:
        return None
    day = datetime.fromtimestamp(ends, tz=UTC).strftime("%Y-%m-%d")
    days = "1 day" if memory.ttl == 1 else f"{memory.ttl} days"
    return f"{days}, {'expired on' if ends <= now else 'until'} {day}"


def _status(memory: Memory) -> str:
    reason = f": {memory.status_reason}" if memory.status_reason else ""
    return memory.status + reason


def _names(uids: Iterable[str], store: Recollect) -> list[str]:
    """The names of memories; the uid of one that has not arrived yet; purged ones are left out."""
    names = []
    for uid in uids:
        if found := store.candidates(uid):
            names.append(store.short_name(found[0]))
        elif not store.indexing.fresh().history(uid):
            names.append(uid)
    return names


def describe(record: Record) -> str:
    """Describe what a record did."""
    if record.op == PURGE:
        return f"purged {short(record.id or '')}"
    if record.op != UPDATE:
        return f"captured: {record.fields.get('summary', '')}"
    fields = dict(record.fields)
    parts = []
    if "status" in fields:
        reason = fields.pop("status_reason", None)
        parts.append(f"{fields.pop('status')}" + (f" ({reason})" if reason else ""))
    if record.body is not None or "body" in fields:
        fields.pop("body", None)
        parts.append("body changed")
    parts += [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    return ", ".join(parts)


def record_as_json(record: Record) -> dict[str, Any]:
    """A record as `--json` prints it."""
    shown: dict[str, Any] = {
        "uid": record.uid,
        "op": record.op,
        "memory": record.memory_uid,
        "id": record.id,
        "rev": record.rev,
        "timestamp": record.timestamp,
        "by": record.by,
        "fields": dict(record.fields),
    }
    if record.body is not None:
        shown["body"] = record.body
    return shown
