"""`recollect hook`: what an agent calls. `recollect.__main__` handles it without this file."""

from __future__ import annotations

import click

from recollect.engine.client import main
from recollect.hosts.protocol import EVENTS


@click.command()
@click.argument("event", type=click.Choice(EVENTS), metavar="EVENT")
@click.argument("agent", default="", required=False)
def hook_command(event: str, agent: str) -> None:
    """Handle a hook event of an agent.

    AGENT is its name in `recollect install`; without it, the input tells.

    Reads the hook JSON of the agent from stdin, and prints one JSON object or nothing. The plugin
    calls it; you never need to. It always exits with 0. To see what it did, run: recollect why
    """
    main([event, agent])
