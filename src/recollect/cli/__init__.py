"""The command line: one file per command, which only translates. Data goes to stdout, messages to
stderr.

The file of a command is imported when it runs, so that each starts fast.
"""

from __future__ import annotations

import importlib
import io
import os
import sys

import click

from recollect.cli.output import Where
from recollect.cli.terminal import echo, echo_exactly, escaped_json, guarded
from recollect.core.patterns import keep_compiled
from recollect.errors import RecollectError
from recollect.hosts.agents import agent_above, agent_in
from recollect.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The module of each command, in the groups of `recollect --help`.
GROUPS: dict[str, dict[str, str]] = {
    "Remember and find": {
        "capture": "capture",
        "search": "search",
        "list": "list",
        "show": "show",
        "timeline": "timeline",
        "blame": "blame",
        "edit": "edit",
        "resolve": "transitions",
        "archive": "transitions",
        "retire": "transitions",
        "restore": "transitions",
        "candidate": "candidate",
        "write": "write",
        "schema": "schema",
        "fact": "fact",
        "learn": "learn",
    },
    "Review": {
        "review": "review",
        "ui": ".web.command",  # of the package beside this one
        "why": "why",
        "log": "log",
        "strength": "strength",
        "scan": "scan",
        "undo": "undo",
    },
    "Share": {
        "sync": "sync",
        "serve": ".server.command",  # of the package beside this one
        "mirror": "mirror",
        "import": "import_",
        "export": "export",
    },
    "Look after": {
        "status": "status",
        "doctor": "doctor",
        "sleep": "sleep",
        "lifecycle": "lifecycle",
        "summarize-old": "summarize_old",
        "gc": "gc",
        "purge": "purge",
        "purge-expired": "purge_expired",
        "reindex": "reindex",
        "verify": "verify",
        "repair": "repair",
    },
    "Set up": {
        "install": "install",
        "config": "config",
        "capabilities": "capabilities",
        "init": "init",
        "hook": "hook",
        "mcp": ".mcp.command",  # of the package beside this one
    },
}
VERBS: dict[str, str] = {
    name: module for commands in GROUPS.values() for name, module in commands.items()
}


class Verbs(click.Group):
    """The commands, each imported when it is needed."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; everything it prints is sanitised for terminals."""
        agent = agent_in(os.environ) or (ctx.obj if isinstance(ctx.obj, str) else "")
        ctx.obj = agent
        with guarded(is_agent=bool(agent)):
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every command, in the order of the help."""
        return [*VERBS]  # `list` may be the module of that command by now

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module("." + VERBS[cmd_name], "recollect.cli")
        command: click.Command = getattr(module, cmd_name.replace("-", "_") + "_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the commands in groups."""
        width = formatter.width - 6 - max(map(len, VERBS))
        for title, names in GROUPS.items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name, command.get_short_help_str(width))
                        for name, command in found
                        if command
                    ]
                )


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="recollect")
@click.option("-C", "directory", metavar="PATH", help="Run in this directory.")
@click.option(
    "--mine", is_flag=True, help="Use only your own memories, which follow you to every project."
)
@click.pass_context
def root(ctx: click.Context, directory: str | None, mine: bool) -> None:
    """Memory for coding agents, stored in your repository as git notes."""
    ctx.obj = Where(directory, mine, ctx.obj or "")


def main() -> None:
    """Run the command line; an error says what to do, and sets the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # If a terminal cannot show a character, print another one instead of a traceback.
            stream.reconfigure(errors="replace")
    try:
        root(prog_name="recollect", obj=agent_above())
    except RecollectError as error:
        from recollect.redact.gate import redact_message

        if "--json" in sys.argv:
            echo_exactly(escaped_json(redact_message(error.as_json())), err=True)
        else:
            echo(redact_message(f"Error: {error.message}\n{error.hint}"), err=True)
        sys.exit(error.exit_code)
    finally:
        keep_compiled()
