"""`recollect resolve`, `archive`, `retire`, `restore`: change the status of a memory."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, opened, status_options
from recollect.core.names import short
from recollect.core.status import ARCHIVED, RESOLVED, RESTORED, RETIRED


def _command(verb: str, status: str, meaning: str) -> click.Command:
    @click.command(verb, help=meaning)
    @status_options
    @click.pass_context
    def command(ctx: click.Context, memory_id: str, reason: str, as_json: bool) -> None:
        with opened(ctx) as store:
            memory = store.owner_of(memory_id).set_status(memory_id, status, reason)
        if as_json:
            echo_json(memory.as_json())
        else:
            click.echo(f"{short(memory.id)} is {memory.status}")

    return command


resolve_command = _command("resolve", RESOLVED, "Mark a memory as done; search still finds it.")
archive_command = _command("archive", ARCHIVED, "Hide a memory from search and recall.")
retire_command = _command("retire", RETIRED, "Delete a memory; you can restore it.")
restore_command = _command("restore", RESTORED, "Make a memory active again.")
