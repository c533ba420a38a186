"""`recollect status`: how much is remembered, and how it is indexed."""

from __future__ import annotations

from collections import Counter

import click

from recollect.cli.output import echo_json, json_option, opened, warn
from recollect.sleep.clock import clock_problem


@click.command()
@json_option
@click.pass_context
def status_command(ctx: click.Context, as_json: bool) -> None:
    """Show how many memories there are of each kind and status, and the state of the index."""
    with opened(ctx) as store:
        memories = store.memories(status="all")
        index = store.indexing.fresh()
        model = index.model()
        path = store.indexing.path
        summary = {
            "memories": len(memories),
            "kinds": dict(sorted(Counter(memory.kind for memory in memories).items())),
            "statuses": dict(sorted(Counter(memory.status for memory in memories).items())),
            "index": str(path) if path.exists() else None,
            "index_bytes": path.stat().st_size if path.exists() else 0,
            "model": model,
            "without_vectors": index.count_pending(model) if model else len(memories),
            "pending_purges": len(store.pending_purges()),
            "suggested_changes": len(store.suggested_changes()),
            "clock": clock_problem(store) or None,
        }
        warn(store)
        if as_json:
            echo_json(summary)
            return
        click.echo(f"{summary['memories']} memories")
        for kind, count in Counter(memory.kind for memory in memories).most_common():
            click.echo(f"  {count:>6}  {kind}")
        statuses = ", ".join(f"{count} {name}" for name, count in summary["statuses"].items())  # type: ignore[attr-defined]
        click.echo(f"status: {statuses or 'nothing yet'}")
        if summary["pending_purges"]:
            click.echo(
                f"purges by others that wait: {summary['pending_purges']}; recollect sync"
                " --accept-purges"
            )
        if summary["suggested_changes"]:
            click.echo(f"suggested changes: {summary['suggested_changes']}; recollect review")
        if summary["clock"]:
            click.echo(f"sleep does not run: {summary['clock']}")
        click.echo(f"vectors: {model or 'none yet; `recollect reindex` makes them'}")
