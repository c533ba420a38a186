"""`recollect sync`: share memories through the git remote."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, echo_memories, json_option, opened


@click.command()
@click.argument("remote", required=False)
@json_option
@click.pass_context
def sync_command(ctx: click.Context, remote: str | None, as_json: bool) -> None:
    """Exchange memories with REMOTE, by default origin. Private and secret ones stay here."""
    with opened(ctx) as store:
        if not as_json:
            click.echo("Exchanging memories …", err=True)
        result = store.sync(remote)
        report = result.report
        for warning in report.warnings:
            click.echo(f"Warning: {warning}", err=True)
        if as_json:
            echo_json(
                {
                    "remote": report.remote,
                    "cases": report.cases,
                    "received": [memory.as_json() for memory in result.received],
                    "purged": result.purged,
                }
            )
            return
        echo_memories(result.received, store)
        for name in result.purged:
            click.echo(f"{name} was purged by another clone")
        sent = [kind for kind, case in report.cases.items() if case in ("S1", "S4", "S5", "S6")]
        click.echo(
            f"In step with {report.remote}: received or changed {len(result.received)}, "
            f"sent {', '.join(sent) or 'nothing'}",
            err=True,
        )
