"""The command `recollect mcp`. It is here because `cli` does not import this package."""

from __future__ import annotations

import click


@click.command()
@click.option(
    "--allow",
    metavar="NAMES",
    help="What the client may do, such as read,write (default: read, write, erase, private).",
)
@click.pass_context
def mcp_command(ctx: click.Context, allow: str | None) -> None:
    """Serve memories to an agent over MCP.

    The server uses stdin and stdout, and stops with the agent. The plugin starts it. In another
    client, configure `recollect mcp` as a stdio server. While it runs, it also does the work of
    the hooks in the same repository.
    """
    from recollect.core.capabilities import MCP, allowed_to
    from recollect.mcp.start import main

    allowed = allowed_to(MCP, allow)

    main(ctx.obj.directory, allowed)
