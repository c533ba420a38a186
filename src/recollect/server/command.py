"""The commands `recollect serve …`. They are here because `cli` does not import this package.

Nothing of the server is imported before a command runs, so that every other command starts fast
and works without the packages that only a server needs.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recollect.cli.output import echo_json, json_option
from recollect.errors import ServerError, ValidationError

if TYPE_CHECKING:
    from recollect.server.database import Database
    from recollect.server.settings import Settings

_NEEDED = "psycopg", "psycopg_pool", "prometheus_client"


def _check_packages() -> None:
    from importlib.util import find_spec

    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ServerError(
            f"The server needs packages that are not installed: {', '.join(missing)}.",
            "Install them with: pip install 'git-recollect[server]'",
        )


def _settings(ctx: click.Context) -> Settings:
    _check_packages()
    from recollect.server.settings import read_settings

    path = Path(ctx.obj.directory or "", ctx.meta["recollect.server"]).expanduser()
    return read_settings(path, os.environ)


def _database(settings: Settings) -> Database:
    from recollect.server.database import Database

    database = Database(settings.database)
    database.migrate()
    return database


@click.group(invoke_without_command=True)
@click.option(
    "--config",
    default="team.toml",
    metavar="FILE",
    help="The file of the server (default: team.toml).",
)
@click.option(
    "--check", is_flag=True, help="Check the file, the database and the remotes; then end."
)
@click.pass_context
def serve_command(ctx: click.Context, config: str, check: bool) -> None:
    """Serve the memories of many repositories to a team.

    Follows the repositories that the file names, keeps an index of them in PostgreSQL, and answers
    agents (MCP) and `recollect search --everywhere`. Everybody needs a token, and sees only the
    repositories that it names.
    """
    ctx.meta["recollect.server"] = config
    if ctx.invoked_subcommand is not None:
        return
    settings = _settings(ctx)
    if check:
        from recollect.server.checking import check_server

        for line in check_server(settings, os.environ):
            click.echo(line)
        return
    if settings.public:
        click.echo(
            f"Other machines can reach {settings.host}. Use a proxy with TLS: tokens would travel"
            " in plain text.",
            err=True,
        )
    from recollect.server.serving import serve

    serve(settings)


@serve_command.group("token")
def token_group() -> None:
    """Say who may see which repositories."""


@token_group.command("add")
@click.argument("person")
@click.option(
    "--repository", "repositories", multiple=True, metavar="NAME", help="One that they may see."
)
@click.option("--all", "everything", is_flag=True, help="They may see all that the file names now.")
@click.option("--expires", metavar="TIME", default="90d", help="How long it works (default: 90d).")
@click.option("--write", "can_write", is_flag=True, help="They may also write.")
@click.option("--proxy", "by_proxy", is_flag=True, help="The proxy says who it is; make no token.")
@click.pass_context
def add_token(
    ctx: click.Context,
    person: str,
    repositories: tuple[str, ...],
    everything: bool,
    expires: str,
    can_write: bool,
    by_proxy: bool,
) -> None:
    """Make a token for a person, and print it this once."""
    settings = _settings(ctx)
    from recollect.server.people import People, parse_span

    unknown = [name for name in repositories if name not in settings.names]
    if unknown:
        raise ValidationError(
            f"{settings.path} names no repository {unknown[0]!r}.",
            "Use some of: " + ", ".join(settings.names[:20]),
        )
    if by_proxy and settings.proxy is None:
        raise ValidationError(
            f"{settings.path} names no proxy.", "Add a [proxy], or leave out --proxy."
        )
    chosen = settings.names if everything else repositories
    number, text = People(_database(settings)).add(
        person,
        chosen,
        expires=parse_span(expires),
        can_write=can_write,
        by_proxy=by_proxy,
    )
    if text:
        click.echo(text)
    may = "read and write" if can_write else "read"
    click.echo(f"{number}: {person} may {may} {', '.join(chosen)}, for {expires}.", err=True)
    if can_write and not settings.write:
        click.echo(f"Nobody can write before {settings.path} has: write = true", err=True)


@token_group.command("list")
@json_option
@click.pass_context
def list_tokens(ctx: click.Context, as_json: bool) -> None:
    """List the tokens, without their text."""
    settings = _settings(ctx)
    from recollect.server.people import People

    now = datetime.now(UTC)
    found = People(_database(settings)).list()
    if as_json:
        echo_json([_token_json(token, now) for token in found])
        return
    for token in found:
        marks = (" write" if token.can_write else "") + (" proxy" if token.by_proxy else "")
        until = "" if token.expires is None else f" until {token.expires:%Y-%m-%d}"
        names = ", ".join(token.repositories)
        click.echo(f"{token.id:>4}  {token.state(now)}{until}{marks}  {token.person}: {names}")


def _token_json(token: Any, now: datetime) -> dict[str, Any]:
    dates = ("created", "expires", "revoked")
    values = token._asdict()
    values |= {name: values[name] and values[name].isoformat() for name in dates}
    return {**values, "repositories": list(token.repositories), "state": token.state(now)}


@token_group.command("revoke")
@click.argument("number", type=int)
@click.pass_context
def revoke_token(ctx: click.Context, number: int) -> None:
    """Revoke a token by its number in the list; it ends with the next request."""
    settings = _settings(ctx)
    from recollect.server.people import People

    token = People(_database(settings)).revoke(number)
    click.echo(f"{token.id}: the token of {token.person} opens nothing any more.", err=True)


@serve_command.command("audit")
@click.option(
    "-n", "--limit", type=click.IntRange(1, 100_000), default=50, help="Most lines (default: 50)."
)
@click.option("--person", metavar="NAME", help="Only what this person did.")
@json_option
@click.pass_context
def show_audit(ctx: click.Context, limit: int, person: str | None, as_json: bool) -> None:
    """Show who asked and wrote what, newest first."""
    settings = _settings(ctx)
    from recollect.server.audit import Audit

    found = Audit(_database(settings)).last(limit, person)
    if as_json:
        echo_json([entry.as_json() for entry in found])
        return
    for one in found:
        names = ", ".join(one.repositories)
        said = f" “{one.query}”" if one.query else ""
        click.echo(
            f"{one.at:%Y-%m-%d %H:%M:%S}  {one.person}  {one.action}{said}"
            f"  {one.outcome}, {one.hits} from {names or 'nowhere'}"
        )


@serve_command.command("forget")
@click.argument("repository")
@click.pass_context
def forget_repository(ctx: click.Context, repository: str) -> None:
    """Delete the mirror and the index of a repository that the file no longer names."""
    settings = _settings(ctx)
    if repository in settings.names:
        raise ValidationError(
            f"{settings.path} still names {repository}, so the server would fetch it again.",
            "Remove it there, restart the server, then forget it.",
        )
    from recollect.server.forgetting import forget

    forget(settings, _database(settings), repository)
    click.echo(f"The server has nothing of {repository[:100]} any more.", err=True)
