"""`recollect config trust` and `untrust`: which settings of a cloned repository count.

They are not methods of `Recollect`: a person decides this, never a program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from recollect.cli.output import opened
from recollect.config.config import find_project, load_config, needs_trust
from recollect.config.trust_store import Trust, digest, forget, remember, trust_of
from recollect.errors import ValidationError


@click.command("trust")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def trust_command(ctx: click.Context, yes: bool) -> None:
    """Trust the settings of this repository, as they are now."""
    directory = Path(ctx.obj.directory or ".").absolute()
    with opened(ctx) as store:
        programs = store.ledger.repository.git.local_programs()
        home = store.config.home
    project = find_project(directory)
    if project is None:
        raise ValidationError("This is not a working tree.", "Go to a repository.")
    asked = needs_trust(project.values())
    from recollect.ledger.git_programs import digest_of

    wanted = Trust(digest(asked) if asked else "", digest_of(programs))
    if wanted in (Trust(), trust_of(home, project.root)):
        click.echo("There is nothing to trust here.", err=True)
        return
    if asked:
        click.echo(f"{project.path} sets:")
        for line in _lines(asked, directory):
            click.echo(f"  {line}")
    if programs:
        click.echo("The repository's own git configuration runs these programs:")
        for setting in programs:
            click.echo(f"  {setting.name!r} = {setting.value!r}")
    _confirm(yes, ctx.obj.agent)
    remember(home, project.root, wanted)
    click.echo("Trusted. If the settings change, you are asked again.", err=True)


def _lines(asked: Mapping[str, Any], directory: Path) -> list[str]:
    present = load_config(directory, os.environ).settings
    return [f"{name} = {value!r}  (now {present[name].value!r})" for name, value in asked.items()]


def _confirm(yes: bool, agent: str) -> None:
    if agent:
        raise ValidationError(
            f"Only a person can trust a repository, and {agent} is running this command.",
            "Run it in your own terminal.",
        )
    if yes:
        return
    if not sys.stdin.isatty():
        raise ValidationError("There is no terminal to ask on.", "Read the list, then add --yes")
    click.confirm("Trust it?", abort=True, err=True)


@click.command("untrust")
@click.pass_context
def untrust_command(ctx: click.Context) -> None:
    """Stop trusting the settings of this repository."""
    directory = Path(ctx.obj.directory or ".").absolute()
    with opened(ctx) as store:
        home = store.config.home
    was = forget(home, directory)
    said = "This repository is no longer trusted." if was else "This repository was not trusted."
    click.echo(said, err=True)
