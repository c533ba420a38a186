"""`recollect candidate`: find the typed memory that new information is about."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, json_option, opened, warn
from recollect.core.names import short


@click.command()
@click.option("--kind", required=True, help="A typed kind, such as decisions.")
@click.option(
    "--new-info", required=True, metavar="TEXT", help="The new information, in one sentence."
)
@click.option(
    "--lifecycle-event",
    metavar="EVENT",
    help="What happened: resolved, removed, reversed, superseded or deprecated.",
)
@json_option
@click.pass_context
def candidate_command(
    ctx: click.Context, kind: str, new_info: str, lifecycle_event: str | None, as_json: bool
) -> None:
    """Find the typed memory that new information is about, and what you may do to it."""
    with opened(ctx) as store:
        found = store.find_candidate(kind, new_info, lifecycle_event)
        warn(store)
    if as_json:
        echo_json(found)
        return
    candidate = found["candidate"]
    if candidate is None:
        click.echo(f"{found['structural_cud']}: no memory of this kind is about it.")
    else:
        click.echo(f"{found['structural_cud']}: {short(candidate['id'])}  {candidate['title']}")
        click.echo(f"version {candidate['version']}")
    for hint in (*found["vetoes"], *found["hints"]):
        click.echo(f"- {hint}")
