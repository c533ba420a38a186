"""`recollect hook`: what an agent calls. `recollect.__main__` serves it without this file."""

from __future__ import annotations

import click

from recollect.engine.client import main
from recollect.hosts.protocol import EVENTS


@click.command()
@click.argument("event", type=click.Choice(EVENTS), metavar="EVENT")
def hook_command(event: str) -> None:
    """Serve EVENT of an agent: its hook JSON on stdin, ours on stdout.

    The plugin calls it; nobody needs to type it. It always exits with 0 and never prints anything
    but one JSON object or nothing. What it did: recollect why
    """
    main([event])
