"""`recollect mcp`: the verb. It stands here, because `cli` does not know this package."""

from __future__ import annotations

import click


@click.command()
@click.pass_context
def mcp_command(ctx: click.Context) -> None:
    """Serve the memory to an agent over MCP, on stdin and stdout, until the agent goes away.

    The plugin starts it; elsewhere, name `recollect mcp` as a stdio server. While it runs, it does
    the work of the hooks in the same repository.
    """
    from recollect.mcp.server import main

    main(ctx.obj.directory)
