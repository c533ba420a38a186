"""The command `recollect ui`. It stands here because `cli` does not import this package."""

from __future__ import annotations

import click


@click.command()
@click.option("--no-open", is_flag=True, help="Only print the address; open no browser.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Listen on this port (default: a free one).",
)
@click.option("--read-only", is_flag=True, help="Show everything, change nothing.")
@click.pass_context
def ui_command(ctx: click.Context, no_open: bool, port: int, read_only: bool) -> None:
    """Look at the memory in your browser.

    Prints the address of a page on this machine and opens it. Nobody else can open it: the address
    has a token that works once. Looking changes nothing; what you change, you can undo from the
    page. Ends with Ctrl-C, or after an hour in which you did not use the page.
    """
    from recollect.web.serving import main

    main(ctx.obj.directory, mine=ctx.obj.mine, port=port, opens=not no_open, read_only=read_only)
