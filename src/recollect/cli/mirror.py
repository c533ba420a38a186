"""`recollect mirror`: memories as files in the working tree."""

from __future__ import annotations

import os
from collections.abc import Set
from dataclasses import asdict
from pathlib import Path

import click

from recollect.api.recollect import Recollect
from recollect.cli.output import echo_json, json_option, opened, warn
from recollect.config.config import load_config
from recollect.config.edit import set_key
from recollect.errors import ValidationError
from recollect.mirror.compare import CHANGED, FOREIGN, NEW
from recollect.mirror.mirror import Mirror, Report


@click.group("mirror")
def mirror_command() -> None:
    """Keep public memories as files in the working tree, for review in a pull request."""


@mirror_command.command("on")
@json_option
@click.pass_context
def on_command(ctx: click.Context, as_json: bool) -> None:
    """Switch the mirror on for this project, and write it."""
    with opened(ctx) as store:
        mirror = Mirror(store)
        path = _switch(store, True)
        report = mirror.bring()
        if as_json:
            echo_json({"enabled": True, "config": str(path), **asdict(report)})
            return
        _tell(report, mirror)
        click.echo(f"The mirror is on, because {path} says so.", err=True)
        warn(store)


@mirror_command.command("off")
@click.option("--remove", is_flag=True, help="Delete its files too, those that nobody changed.")
@json_option
@click.pass_context
def off_command(ctx: click.Context, remove: bool, as_json: bool) -> None:
    """Switch the mirror off for this project; its files stay as they are."""
    with opened(ctx) as store:
        mirror = Mirror(store)
        path = _switch(store, False) if store.config.flag("mirror.enabled") else None
        stay = mirror.clear() if remove else None
        if as_json:
            echo_json({"enabled": False, "config": path and str(path), "stay": stay})
            return
        click.echo("The mirror is off.", err=True)
        if stay is None:
            click.echo(f"Its files stay in {mirror.folder.name} (--remove deletes them).", err=True)
        for file in stay or ():
            click.echo(f"{mirror.folder.name}/{file} is no unchanged copy and stays.", err=True)
        warn(store)


@mirror_command.command("verify")
@click.option("--repair", is_flag=True, help="Suggest what people changed, and write the rest.")
@json_option
@click.pass_context
def verify_command(ctx: click.Context, repair: bool, as_json: bool) -> None:
    """Compare every file with the ledger; ends with exit code 1 where one differs."""
    with opened(ctx) as store:
        mirror = Mirror(store)
        if not store.config.flag("mirror.enabled"):
            raise ValidationError("The mirror is off.", "Switch it on with: recollect mirror on")
        if repair:
            report = mirror.bring()
            if as_json:
                echo_json(asdict(report))
            else:
                _tell(report, mirror)
                warn(store)
            return
        found = mirror.differences()
        if as_json:
            echo_json([difference._asdict() for difference in found])
        for difference in () if as_json else found:
            problem = f": {difference.problem}" if difference.problem else ""
            click.echo(f"{difference.state:<10} {mirror.folder.name}/{difference.file}{problem}")
        wrong = [difference for difference in found if difference.state != FOREIGN]
        if not as_json:
            click.echo(_advice({difference.state for difference in wrong}), err=True)
    if wrong:
        ctx.exit(1)


def _advice(states: Set[str]) -> str:
    if not states:
        return "The mirror says what the ledger says."
    if states <= {CHANGED, NEW}:
        return "Suggest it with: recollect mirror verify --repair, then decide: recollect review"
    return "Put it right with: recollect mirror verify --repair"


def _tell(report: Report, mirror: Mirror) -> None:
    for note in report.notes:
        click.echo(f"Note: {note}", err=True)
    click.echo(
        f"Memories in {mirror.folder.name}: {report.files} (files written: {len(report.written)},"
        f" removed: {len(report.removed)}, suggested: {len(report.suggested)})",
        err=True,
    )


def _switch(store: Recollect, enabled: bool) -> Path:
    """Say in the project's configuration whether there is a mirror."""
    directory = store.ledger.repository.git.directory
    path = set_key(
        "mirror.enabled", str(enabled).lower(), directory=directory, environment=os.environ
    )
    found = load_config(directory, os.environ).explain("mirror.enabled")
    if found.value != enabled:  # something stronger than the project's file decides
        click.echo(f"Note: {found.source} says mirror.enabled = {found.value}", err=True)
    return path
