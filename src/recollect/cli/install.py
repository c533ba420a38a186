"""`recollect install`: install Recollect in an agent."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from recollect.cli.output import echo_json, json_option, opened
from recollect.hosts.installing import Outcome, set_up, states_here
from recollect.hosts.protocol import Host
from recollect.hosts.registry import SCOPES, host_named, names
from recollect.ledger.worktree import find_root
from recollect.redact.gate import redact_message


@click.command()
@click.argument("agent", type=click.Choice(names()), metavar="[AGENT]", required=False)
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="user",
    show_default=True,
    help="For you in every project, or for this project.",
)
@click.option("--uninstall", "removing", is_flag=True, help="Remove it; your memories stay.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@json_option
@click.pass_context
def install_command(
    ctx: click.Context, agent: str | None, scope: str, removing: bool, dry_run: bool, as_json: bool
) -> None:
    """Install Recollect in an agent: hooks, MCP server and commands.

    Without AGENT, lists the agents on this machine and, on a terminal, offers to install each.
    Only what must change in the agent's settings does, and --uninstall restores them.
    """
    here = Path(ctx.obj.directory or ".").absolute()
    directory = find_root(here) or here
    if agent is None:
        _offer(ctx, directory, scope, as_json=as_json, removing=removing, dry_run=dry_run)
        return
    host = host_named(agent)
    outcome = _set_up(ctx, host, scope, directory, removing=removing, dry_run=dry_run)
    if as_json:
        said = {"agent": agent, "scope": scope, "installed": not removing, "dry_run": dry_run}
        said |= {"files": outcome.differences, "commands": outcome.commands}
        echo_json({**said, "notes": outcome.notes})
    elif dry_run:
        _show(outcome)
    else:
        _tell(host, outcome, scope, removing=removing)


def _set_up(
    ctx: click.Context, host: Host, scope: str, directory: Path, *, removing: bool, dry_run: bool
) -> Outcome:
    """Install or remove a host, and the block for a host without hooks."""
    outcome = set_up(
        host, scope, directory, Path.home(), os.environ, removing=removing, dry_run=dry_run
    )
    differences = outcome.differences
    if outcome.block is not None:
        with opened(ctx) as store:
            path = (store.work_tree or directory) / outcome.block.relative_to(directory)
            difference = store.instruction_block(path, on=not removing, dry_run=dry_run)
        differences = [*differences, *filter(None, (difference,))]
    # A line that changes can hold a secret, too, and an agent may read what we print.
    return outcome._replace(differences=redact_message(differences))


def _offer(
    ctx: click.Context, directory: Path, scope: str, *, as_json: bool, removing: bool, dry_run: bool
) -> None:
    """List the agents on this machine, and ask about each."""
    states = [
        state._replace(problem=redact_message(state.problem))
        for state in states_here(directory, Path.home(), os.environ)
    ]
    if as_json:
        echo_json(
            [
                {"agent": host.NAME, "installed": is_installed}
                | ({"problem": problem} if problem else {})
                for host, is_installed, problem in states
            ]
        )
        return
    if not states:
        click.echo(f"No agent was found on this machine. Known: {', '.join(names())}", err=True)
        return
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not dry_run
    for host, is_installed, problem in states:
        said = problem or ("installed" if is_installed else "not installed")
        click.echo(f"{host.NAME:12} {said}")
        if problem or not asks or is_installed is not removing:
            continue
        verb = "Remove Recollect from" if removing else "Install Recollect in"
        if click.confirm(f"{verb} {host.TITLE}?", default=not removing):
            outcome = _set_up(ctx, host, scope, directory, removing=removing, dry_run=False)
            _tell(host, outcome, scope, removing=removing)
    if not asks and not all(state.is_installed for state in states):
        click.echo("To install it in one of them, run: recollect install AGENT", err=True)


def _show(outcome: Outcome) -> None:
    for difference in outcome.differences:
        click.echo(difference, nl=False)
    for command in outcome.commands:
        click.echo(f"would run: {command}")
    for note in outcome.notes:
        click.echo(note, err=True)
    if outcome.is_nothing:
        click.echo("Nothing would change.", err=True)


def _tell(host: Host, outcome: Outcome, scope: str, *, removing: bool) -> None:
    for note in outcome.notes:
        click.echo(note, err=True)
    if removing:
        click.echo(f"Removed Recollect from {host.TITLE}. Your memories are unchanged.", err=True)
        return
    was = "is already installed" if outcome.is_nothing else "is now installed"
    click.echo(f"Recollect {was} in {host.TITLE}.", err=True)
    if outcome.afterwards:
        click.echo(outcome.afterwards, err=True)
    if scope == "project" and outcome.differences:
        click.echo("Commit what changed, so that every clone has it: git status", err=True)
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
