"""`recollect hook`: what an agent calls. `recollect.__main__` handles it without this file."""

from __future__ import annotations

import click

from recollect.engine.client import main
from recollect.hosts.protocol import EVENTS


@click.command()
@click.argument("event", type=click.Choice(EVENTS), metavar="EVENT")
def hook_command(event: str) -> None:
    """Handle a hook event of an agent.

    Reads the hook JSON of the agent from stdin, and prints one JSON object or nothing. The plugin
    calls it; you never need to. It always exits with 0. To see what it did, run: recollect why
    """
    main([event])
