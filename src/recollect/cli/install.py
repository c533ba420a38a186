"""`recollect install`: put the memory into an agent."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click

from recollect.cli.output import echo_json, json_option
from recollect.hosts.claude_code.install import SCOPES, install, uninstall


@click.command()
@click.argument("agent", type=click.Choice(["claude-code"]), metavar="AGENT")
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="user",
    show_default=True,
    help="For you everywhere, or for this project.",
)
@click.option("--uninstall", "removing", is_flag=True, help="Take it out again; memories stay.")
@json_option
@click.pass_context
def install_command(
    ctx: click.Context, agent: str, scope: str, removing: bool, as_json: bool
) -> None:
    """Put the memory into AGENT: its hooks, commands and skill.

    It uses the agent's own plugin commands. In a session the same is done with
    /plugin marketplace add and /plugin install.
    """
    directory = Path(ctx.obj.directory or ".")
    if removing:
        uninstall(scope, directory, os.environ)
        folder = None
    else:
        folder = install(scope, directory, os.environ)
    if as_json:
        echo_json({"agent": agent, "scope": scope, "installed": not removing})
        return
    if folder is None:
        click.echo(f"Recollect is out of {agent}; the memories are where they were.", err=True)
        return
    click.echo(f"Recollect is in {agent}, read from {folder}", err=True)
    click.echo("Start a new session; afterwards see what it did with: recollect why", err=True)
    if shutil.which("recollect") is None:
        click.echo(
            "Note: `recollect` is not on the PATH that agents see. In a clone of Recollect, run"
            " `make install`.",
            err=True,
        )
