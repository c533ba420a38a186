"""`recollect config`: show and change the configuration.

`set` and `unset` change the file before they open the memory, because a wrong value in your own
file prevents opening it. So they are not methods of `Recollect`. Neither are `trust` and `untrust`
in `config_trust.py`: a person decides these, never a program.
"""

from __future__ import annotations

import os
from pathlib import Path

import click

from recollect.cli.config_trust import trust_command, untrust_command
from recollect.cli.output import echo_json, json_option, opened, warn
from recollect.config.config import Ignored
from recollect.config.edit import set_key, unset_key


@click.group("config")
def config_command() -> None:
    """Show and change the configuration."""


user_option = click.option(
    "--user", is_flag=True, help="Use your own file, which counts in every repository."
)


@config_command.command("list")
@click.option(
    "--all", "every", is_flag=True, help="Also list keys of kinds that have their default value."
)
@json_option
@click.pass_context
def list_command(ctx: click.Context, every: bool, as_json: bool) -> None:
    """List the keys with their values and sources."""
    with opened(ctx) as store:
        settings = store.settings()
        warn(store)
    if as_json:
        echo_json({name: setting.value for name, setting in settings.items()})
        return
    left = 0
    for name, setting in settings.items():
        if not every and name.startswith("kinds.") and setting.source == "default":
            left += 1
            continue
        click.echo(f"{name} = {setting.value!r}  ({setting.source})")
    if left:
        click.echo(
            f"{left} keys of kinds have their default value. To list them, add --all", err=True
        )


@config_command.command("set")
@click.argument("key")
@click.argument("value")
@user_option
@click.pass_context
def set_command(ctx: click.Context, key: str, value: str, user: bool) -> None:
    """Set KEY to VALUE in the project's file, for everybody who shares the repository."""
    path = set_key(key, value, directory=_directory(ctx), environment=os.environ, user=user)
    _echo_setting(ctx, key, path)


@config_command.command("unset")
@click.argument("key")
@user_option
@click.pass_context
def unset_command(ctx: click.Context, key: str, user: bool) -> None:
    """Remove KEY from the project's file."""
    path = unset_key(key, directory=_directory(ctx), environment=os.environ, user=user)
    _echo_setting(ctx, key, path)


def _directory(ctx: click.Context) -> Path:
    return Path(ctx.obj.directory or ".").absolute()


def _echo_setting(ctx: click.Context, key: str, path: Path | None) -> None:
    """Print the value that counts now: a stronger source may override the file."""
    with opened(ctx) as store:
        setting = store.explain_setting(key)
    click.echo(f"{setting.key} = {setting.value!r}, from {setting.source}")
    if setting.ignored is not None:
        click.echo(f"Note: {_ignored(setting.ignored)}", err=True)
    if path is None:
        click.echo("Nothing was changed: the file does not set this key.", err=True)


@config_command.command("explain")
@click.argument("key")
@json_option
@click.pass_context
def explain_command(ctx: click.Context, key: str, as_json: bool) -> None:
    """Explain KEY: its meaning, its value, and the source of the value."""
    with opened(ctx) as store:
        setting = store.explain_setting(key)
        warn(store)
    ignored = setting.ignored
    if as_json:
        echo_json({**setting._asdict(), "ignored": ignored and ignored._asdict()})
        return
    click.echo(f"{setting.key} = {setting.value!r}, from {setting.source}")
    click.echo(f"{setting.meaning} (default {setting.default!r}; variable {setting.variable})")
    if ignored is not None:
        click.echo(_ignored(ignored))


def _ignored(ignored: Ignored) -> str:
    return f"{ignored.source} says {ignored.value!r}: {ignored.reason}"


config_command.add_command(trust_command)
config_command.add_command(untrust_command)
