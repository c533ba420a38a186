"""`recollect capabilities`: what each surface may do."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, json_option
from recollect.core.capabilities import CAPABILITIES, SURFACES


@click.command()
@json_option
def capabilities_command(as_json: bool) -> None:
    """Show what each surface may do: the command line, Python, hooks and MCP.

    To give a client of MCP less, start it with: recollect mcp --allow read,write
    """
    if as_json:
        echo_json(
            {
                surface: {name: name in allowed for name in CAPABILITIES}
                for surface, allowed in SURFACES.items()
            }
        )
        return
    click.echo("          " + "".join(f"{surface:<8}" for surface in SURFACES))
    for name, meaning in CAPABILITIES.items():
        marks = "".join(f"{'yes' if name in may else '-':<8}" for may in SURFACES.values())
        click.echo(f"{name:<10}{marks}{meaning}")
