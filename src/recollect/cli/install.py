"""`recollect install`: install the plugin in an agent."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click

from recollect.cli.output import echo_json, json_option
from recollect.hosts.registry import SCOPES, host_named, names


@click.command()
@click.argument("agent", type=click.Choice(names()), metavar="AGENT")
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="user",
    show_default=True,
    help="For you in every project, or for this project.",
)
@click.option(
    "--uninstall", "removing", is_flag=True, help="Remove the plugin; your memories stay."
)
@json_option
@click.pass_context
def install_command(
    ctx: click.Context, agent: str, scope: str, removing: bool, as_json: bool
) -> None:
    """Install the plugin in an agent: hooks, commands and a skill.

    This uses the agent's own plugin commands. In a session, /plugin marketplace add and /plugin
    install do the same.
    """
    directory, host = Path(ctx.obj.directory or "."), host_named(agent)
    if removing:
        host.uninstall(scope, directory, os.environ)
        folder = None
    else:
        folder = host.install(scope, directory, os.environ)
    if as_json:
        echo_json({"agent": agent, "scope": scope, "installed": not removing})
        return
    if folder is None:
        click.echo(f"Removed the plugin from {host.TITLE}. Your memories are unchanged.", err=True)
        return
    click.echo(f"Installed the plugin in {host.TITLE} from {folder}", err=True)
    click.echo("Start a new session. To see what Recollect did in it, run: recollect why", err=True)
    click.echo(
        "To fill the memory of a repository from its past, run there: recollect learn", err=True
    )
    if shutil.which("recollect") is None:
        click.echo(
            "Note: `recollect` is not on the PATH that agents see. In a clone of Recollect, run"
            " `make install`.",
            err=True,
        )
