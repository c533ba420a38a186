"""The command line: one file per verb, no logic. Stdout is data, stderr is talk.

A verb's file is imported when it is called, so that each starts as fast as it can.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from typing import Any

import click

from recollect.cli.output import Where
from recollect.cli.terminal import echo, echo_exactly, escaped_json, guarded
from recollect.errors import RecollectError
from recollect.hosts.agents import agent_above, agent_in
from recollect.version import __version__

VERBS: dict[str, str] = {
    "archive": "transitions",
    "candidate": "candidate",
    "capture": "capture",
    "config": "config",
    "doctor": "doctor",
    "edit": "edit",
    "gc": "gc",
    "hook": "hook",
    "import": "import_",
    "init": "init",
    "install": "install",
    "lifecycle": "lifecycle",
    "list": "list",
    "log": "log",
    "mcp": ".mcp.command",  # of the package beside this one
    "mirror": "mirror",
    "purge": "purge",
    "purge-expired": "purge_expired",
    "reindex": "reindex",
    "repair": "repair",
    "resolve": "transitions",
    "restore": "transitions",
    "retire": "transitions",
    "review": "review",
    "scan": "scan",
    "schema": "schema",
    "search": "search",
    "show": "show",
    "sleep": "sleep",
    "status": "status",
    "strength": "strength",
    "summarize-old": "summarize_old",
    "sync": "sync",
    "timeline": "timeline",
    "undo": "undo",
    "verify": "verify",
    "why": "why",
    "write": "write",
}


class Verbs(click.Group):
    """The verbs, each imported when it is needed."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb; whatever it prints goes through the sanitiser for terminals."""
        agent = agent_in(os.environ) or (ctx.obj if isinstance(ctx.obj, str) else "")
        ctx.obj = agent
        with guarded(is_agent=bool(agent)):
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every verb."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command behind a verb."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module("." + VERBS[cmd_name], "recollect.cli")
        command: click.Command = getattr(module, cmd_name.replace("-", "_") + "_command")
        return command


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="recollect")
@click.option("-C", "directory", metavar="PATH", help="Work in this directory instead of here.")
@click.option("--mine", is_flag=True, help="Your own memories, which follow you everywhere.")
@click.pass_context
def root(ctx: click.Context, directory: str | None, mine: bool) -> None:
    """A memory for coding agents that lives in your repository, in git notes."""
    ctx.obj = Where(directory, mine, ctx.obj or "")


def main() -> None:
    """Run the command line; an error says what to do next and has an exit code of its own."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets another one, not a traceback.
            stream.reconfigure(errors="replace")
    try:
        root(prog_name="recollect", obj=agent_above())
    except RecollectError as error:
        from recollect.redact.gate import told

        if "--json" in sys.argv:
            echo_exactly(escaped_json(told(error.as_json())), err=True)
        else:
            echo(told(f"Error: {error.message}\n{error.hint}"), err=True)
        sys.exit(error.exit_code)
