"""`recollect status`: counts of memories, and the state of the index."""

from __future__ import annotations

import click

from recollect.api.waiting import Waiting
from recollect.cli.output import echo_json, json_option, opened, warn


@click.command()
@json_option
@click.pass_context
def status_command(ctx: click.Context, as_json: bool) -> None:
    """Show counts of memories, and the state of the index."""
    with opened(ctx) as store:
        summary = store.status()
        warn(store)
        if as_json:
            echo_json(summary)
            return
        click.echo(f"memories: {summary['memories']}")
        for kind, count in sorted(summary["kinds"].items(), key=lambda item: -item[1]):
            click.echo(f"  {count:>6}  {kind}")
        statuses = ", ".join(f"{count} {name}" for name, count in summary["statuses"].items())
        click.echo(f"status: {statuses or 'no memories yet'}")
        if summary["pending_purges"]:
            click.echo(
                f"pending purges by others: {summary['pending_purges']}; to apply them, run:"
                " recollect sync --accept-purges"
            )
        counts = (summary["unconfirmed"], summary["suggestions"], summary["suggested_changes"])
        if waiting := Waiting(*counts).in_words():
            click.echo(f"waiting for you: {waiting}; see: recollect review")
        drafts = summary["drafts"]
        if drafts["requests"]:
            click.echo(
                f"drafts requested from agents in the last 7 days: {drafts['requests']}"
                f" ({drafts['tokens']:,} tokens)"
            )
        if summary["clock"]:
            click.echo(f"sleep does not run: {summary['clock']}")
        click.echo(
            f"vectors: {summary['model'] or 'none yet; to compute them, run: recollect reindex'}"
        )
