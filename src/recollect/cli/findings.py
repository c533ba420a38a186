"""Print the findings of `doctor`, `verify` and `repair`."""

from __future__ import annotations

import sys

import click

from recollect.cli.output import echo_json
from recollect.ledger.health import OK, PROBLEM, Finding

_MOST_IDS = 100
_MARKS = {OK: ("✓", "green"), PROBLEM: ("✗", "red")}


def report(findings: list[Finding], as_json: bool) -> None:
    """Print findings; exit with 1 if any is a problem."""
    if as_json:
        echo_json([found._replace(ids=found.ids[:_MOST_IDS])._asdict() for found in findings])
    else:
        for finding in findings:
            mark, colour = _MARKS.get(finding.level, ("!", "yellow"))
            click.echo(f"{click.style(mark, fg=colour)} {finding.check}: {finding.message}")
            if finding.hint:
                click.echo(f"  {finding.hint}")
    if any(finding.level == PROBLEM for finding in findings):
        sys.exit(1)
