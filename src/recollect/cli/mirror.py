"""`recollect mirror`: memories as files in the working tree."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from recollect.cli.output import echo_json, json_option, opened, warn

if TYPE_CHECKING:
    from recollect.mirror.mirror import Report

# The states of a file that its JSON names, too.
_CHANGED, _NEW = "changed", "new"
# A team mate's file waits for a sync, and a file of somebody else is none of our business.
_NOT_WRONG = ("foreign", "unknown")


@click.group("mirror")
def mirror_command() -> None:
    """Keep public memories as files in the working tree.

    You can review the files in a pull request.
    """


@mirror_command.command("on")
@json_option
@click.pass_context
def on_command(ctx: click.Context, as_json: bool) -> None:
    """Switch the mirror on for this project, and write its files."""
    with opened(ctx) as store:
        done = store.mirror_on()
        if as_json:
            echo_json({"enabled": True, "config": str(done.config), **asdict(done.report)})
            return
        _echo_overridden(done.overridden)
        _echo_report(done.report, store.mirror_folder)
        click.echo(f"The mirror is on. The setting is in {done.config}", err=True)
        warn(store)


@mirror_command.command("off")
@click.option("--remove", is_flag=True, help="Also delete its files, if nobody changed them.")
@json_option
@click.pass_context
def off_command(ctx: click.Context, remove: bool, as_json: bool) -> None:
    """Switch the mirror off for this project; its files stay."""
    with opened(ctx) as store:
        done = store.mirror_off(remove=remove)
        if as_json:
            path = done.config and str(done.config)
            echo_json({"enabled": False, "config": path, "stay": done.stay})
            return
        _echo_overridden(done.overridden)
        folder = store.mirror_folder
        click.echo("The mirror is off.", err=True)
        if done.stay is None:
            click.echo(f"Its files stay in {folder}. To delete them, add --remove", err=True)
        for file in done.stay or ():
            click.echo(f"Kept {folder}/{file}: it is not an unchanged copy.", err=True)
        warn(store)


@mirror_command.command("verify")
@click.option("--repair", is_flag=True, help="Suggest what people changed, and write the rest.")
@json_option
@click.pass_context
def verify_command(ctx: click.Context, repair: bool, as_json: bool) -> None:
    """Compare every file with the ledger; if any differs, the exit code is 1."""
    with opened(ctx) as store:
        if repair:
            report = store.mirror_repair()
            if as_json:
                echo_json(asdict(report))
            else:
                _echo_report(report, store.mirror_folder)
                warn(store)
            return
        found = store.mirror_differences()
        folder = store.mirror_folder
        if as_json:
            echo_json([difference._asdict() for difference in found])
        for difference in () if as_json else found:
            problem = f": {difference.problem}" if difference.problem else ""
            click.echo(f"{difference.state:<10} {folder}/{difference.file}{problem}")
        wrong = [difference for difference in found if difference.state not in _NOT_WRONG]
        if not as_json:
            click.echo(_advice({difference.state for difference in wrong}), err=True)
    if wrong:
        ctx.exit(1)


def _advice(states: Set[str]) -> str:
    if not states:
        return "The mirror matches the ledger."
    if states <= {_CHANGED, _NEW}:
        return (
            "To suggest these changes, run: recollect mirror verify --repair\n"
            "Then accept or reject them: recollect review"
        )
    return "To repair the files, run: recollect mirror verify --repair"


def _echo_report(report: Report, folder: str) -> None:
    for note in report.notes:
        click.echo(f"Note: {note}", err=True)
    click.echo(
        f"Memories in {folder}: {report.files} (files written: {len(report.written)},"
        f" removed: {len(report.removed)}, suggested: {len(report.suggested)})",
        err=True,
    )


def _echo_overridden(overridden: str) -> None:
    if overridden:
        click.echo(f"Note: {overridden}", err=True)
