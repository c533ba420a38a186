"""`recollect config`: what is configured, and where it comes from."""

from __future__ import annotations

import click

from recollect.app.config import KEYS
from recollect.cli.output import echo_json, json_option, opened


@click.group("config")
def config_command() -> None:
    """Show the configuration and where each value comes from."""


@config_command.command("list")
@json_option
@click.pass_context
def list_command(ctx: click.Context, as_json: bool) -> None:
    """List every key with its value."""
    with opened(ctx) as store:
        settings = store.config.settings
    if as_json:
        echo_json({name: setting.value for name, setting in settings.items()})
        return
    for name, setting in settings.items():
        click.echo(f"{name} = {setting.value!r}  ({setting.source})")


@config_command.command("explain")
@click.argument("key")
@json_option
@click.pass_context
def explain_command(ctx: click.Context, key: str, as_json: bool) -> None:
    """Say what KEY means, its value, and which source gave it."""
    with opened(ctx) as store:
        setting = store.config.explain(key)
    meaning = next(known for known in KEYS if known.name == key)
    if as_json:
        echo_json(
            {
                "key": key,
                "value": setting.value,
                "source": setting.source,
                "default": meaning.default,
                "variable": meaning.variable,
                "meaning": meaning.meaning,
            }
        )
        return
    click.echo(f"{key} = {setting.value!r}, from {setting.source}")
    click.echo(f"{meaning.meaning} (default {meaning.default!r}; variable {meaning.variable})")
