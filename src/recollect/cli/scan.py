"""`recollect scan`: look for secrets in memories."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, json_option, opened
from recollect.errors import SecretFound


@click.command()
@json_option
@click.pass_context
def scan_command(ctx: click.Context, as_json: bool) -> None:
    """Look for secrets in every memory and its history.

    If there are any, the exit code is 53. To erase one here and in every clone, run: recollect
    purge ID
    """
    with opened(ctx) as store:
        leaks = store.scan()
        if as_json:
            echo_json(
                [
                    {
                        "id": leak.memory.id,
                        "found": list(leak.found),
                        "only_in_history": leak.only_in_history,
                    }
                    for leak in leaks
                ]
            )
        else:
            for leak in leaks:
                where = " (in its history only)" if leak.only_in_history else ""
                click.echo(f"{store.short_name(leak.memory)}  {', '.join(leak.found)}{where}")
            if not leaks:
                click.echo("No secrets found.", err=True)
    if leaks:
        click.echo("To erase one for good, run: recollect purge ID", err=True)
        ctx.exit(SecretFound.exit_code)
