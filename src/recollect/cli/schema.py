"""`recollect schema`: the JSON Schema of typed memories."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json
from recollect.core.content import SCHEMAS, json_schema
from recollect.core.kinds import kind_named


@click.command()
@click.argument("kind", required=False)
@click.option(
    "--json",
    is_flag=True,
    expose_value=False,
    help="Print errors as JSON, too; the schema always is.",
)
def schema_command(kind: str | None) -> None:
    """Print the JSON Schema of KIND, or of every typed kind."""
    if kind is None:
        echo_json({name: json_schema(name) for name in SCHEMAS})
    else:
        echo_json(json_schema(kind_named(kind).name))
