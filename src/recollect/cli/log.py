"""`recollect log`: show the records of the ledger."""

from __future__ import annotations

import click

from recollect.cli.output import describe, echo_json, json_option, opened, record_as_json
from recollect.core.age import seconds_of
from recollect.core.crowding import is_ahead
from recollect.core.names import short
from recollect.core.places import FOREIGN, LOCAL, SHARED
from recollect.core.spaces import marked


@click.command()
@click.option("-n", "--limit", type=click.IntRange(min=1), help="Show only the newest records.")
@json_option
@click.pass_context
def log_command(ctx: click.Context, limit: int | None, as_json: bool) -> None:
    """Show captures, changes and purges, newest first."""
    with opened(ctx) as store:
        journal, now = store.journal()[::-1], store.ledger.clock().timestamp()
        # A record with a date in the future does not come before the new ones.
        journal.sort(key=lambda entry: is_ahead(seconds_of(entry[0].timestamp), now))
        journal = journal[:limit]
        memories = {memory.uid: memory for memory in store.memories(status="all")}
        if as_json:
            echo_json([record_as_json(record) for record, _ in journal])
            return
        private = set(store.indexing.fresh().outside([SHARED, FOREIGN]))
        for record, place in journal:
            uid = record.memory_uid
            memory = memories.get(marked(uid) if uid in private and place.space != LOCAL else uid)
            name = short(memory.id) if memory else short(record.id or record.memory_uid)
            click.echo(f"{record.timestamp or '?':<21} {name}  {describe(record)}")
