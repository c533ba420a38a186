"""Lines about what waits for review, for the list and for the dialogue."""

from __future__ import annotations

import json

import click

from recollect.api.recollect import Recollect
from recollect.core.age import age
from recollect.core.authority import SuggestedChange, plain
from recollect.core.memory import Memory

_NAME_LENGTH = 6


def echo_change(store: Recollect, change: SuggestedChange) -> None:
    """Print a change that somebody else suggests, in one line."""
    fields = ", ".join(f"{k} = {json.dumps(v)}" for k, v in sorted(change.fields.items()))
    name = store.short_name(store.get(change.memory))
    click.echo(
        f"{click.style(change_name(change), fg='yellow')}  {name}: {fields}"
        f" (suggested by {plain(change.by or 'somebody')})"
    )


def where_from(store: Recollect, memory: Memory) -> str:
    """Where and when an unconfirmed memory was noticed, and why."""
    said = memory.provenance
    who = {"user": "by you", "agent": "by the agent", "tool": "in the output of a tool"}
    when = age(memory.created, store.ledger.clock().timestamp())
    parts = [
        f"noticed {when if when == 'now' else f'{when} ago'}",
        who.get(str(said.get("said_by")), ""),
        f"on {memory.branch}" if memory.branch else "",
        f"at {said['hook']}" if said.get("hook") else "",
        f"({said['why']})" if said.get("why") else "",
    ]
    return " ".join(filter(None, parts))


def change_name(change: SuggestedChange) -> str:
    """Return the short id of a change that somebody else suggests."""
    return change.record[-_NAME_LENGTH:].lower()
