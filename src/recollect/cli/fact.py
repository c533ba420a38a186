"""`recollect fact`: facts with a subject, a predicate and an object."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import click

from recollect.cli.output import echo_json, echo_notes, json_option, opened, said_here, warnings_of
from recollect.core.facts import Fact
from recollect.core.names import short


@click.group("fact")
def fact_command() -> None:
    """Store facts, and ask for them."""


@fact_command.command("add")
@click.argument("subject")
@click.argument("predicate")
@click.argument("thing", metavar="OBJECT")
@click.option("--confidence", type=float, help="From 0 to 1.")
@click.option("--source", metavar="ID", help="The memory that it comes from.")
@click.option("--from", "valid_from", metavar="WHEN", help="True since then: 30d, or a date.")
@click.option("--until", "valid_until", metavar="WHEN", help="True until then.")
@click.option(
    "--replaces/--beside",
    default=None,
    help="Whether it ends other values of the predicate (default: the predicate decides).",
)
@json_option
@click.pass_context
def add_command(
    ctx: click.Context, /, subject: str, predicate: str, thing: str, as_json: bool, **details: Any
) -> None:
    """Store the fact that SUBJECT PREDICATE OBJECT, unless it is known."""
    with opened(ctx) as store:
        said = said_here(ctx, store, f"{subject} {predicate} {thing}")
        stored = store.store_fact(
            subject, predicate, thing, **details, provenance={**said, "via": "cli"}
        )
        warnings = warnings_of(store)
    if as_json:
        closed = [_as_json(fact) for fact in stored.closed]
        echo_json(
            {
                **_as_json(stored.fact),
                "is_new": stored.is_new,
                "closed": closed,
                "unkept": dict(stored.unkept),
                "warnings": warnings,
            }
        )
        return
    click.echo(short(stored.fact.memory.id))
    click.echo("Stored." if stored.is_new else "Known already.", err=True)
    for fact in stored.closed:
        click.echo(f"No longer true: {_line(fact)}", err=True)
    for name in stored.unkept:
        click.echo(f"Note: the known fact has another {name}; it stays as it is.", err=True)
    echo_notes(warnings)


_parts = (
    click.option("--subject", help="Only about this subject."),
    click.option("--predicate", help="Only with this predicate."),
    click.option("--object", "thing", help="Only with this object."),
    click.option("--at", metavar="WHEN", help="What was true then."),
)


def _query_options(function: Any) -> Any:
    for option in reversed(_parts):
        function = option(function)
    return function


@fact_command.command("query")
@_query_options
@click.option("--history", is_flag=True, help="Also what is no longer true.")
@click.option("--related", is_flag=True, help="Also facts about the things that were found.")
@json_option
@click.pass_context
def query_command(
    ctx: click.Context, /, as_json: bool, related: bool, thing: str | None, **asked: Any
) -> None:
    """Find facts by any of their parts.

    The boundaries of a session are facts, too: --subject session:ID or --predicate boundary_at.
    """
    with opened(ctx) as store:
        found = store.query_facts(object=thing, hops=2 if related else 1, **asked)
    if as_json:
        echo_json([{**_as_json(one.fact), "hop": one.hop} for one in found])
        return
    for one in found:
        name = short(one.fact.memory.id) if one.fact.memory.id else "this machine"
        until = f" (until {one.fact.valid_until[:10]})" if one.fact.valid_until else ""
        click.echo(f"{name}  {_line(one.fact)}{until}")
    if not found:
        click.echo("No fact found. To store one, run: recollect fact add", err=True)


@fact_command.command("graph")
@_query_options
@json_option
@click.pass_context
def graph_command(ctx: click.Context, /, as_json: bool, thing: str | None, **asked: Any) -> None:
    """Show facts as a graph: each subject with what it leads to.

    With a filter, the graph also has the facts about the things that were found.
    """
    filtered = any((thing, asked["subject"], asked["predicate"]))
    with opened(ctx) as store:
        found = store.query_facts(object=thing, hops=2 if filtered else 1, **asked)
    facts = sorted((one.fact for one in found), key=lambda fact: fact.key)
    if as_json:
        nodes = sorted({end for fact in facts for end in (fact.subject, fact.object)})
        edges = [
            {"from": fact.subject, "predicate": fact.predicate, "to": fact.object} for fact in facts
        ]
        echo_json({"nodes": nodes, "edges": edges})
        return
    for _, of_subject in groupby(facts, key=lambda fact: fact.key[0]):
        several = list(of_subject)
        click.echo(several[0].subject)
        for fact in several:
            click.echo(f"  {fact.predicate} → {fact.object}")
    if not facts:
        click.echo("No fact found. To store one, run: recollect fact add", err=True)


def _line(fact: Fact) -> str:
    return f"{fact.subject} {fact.predicate} {fact.object}"


def _as_json(fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.memory.id or None,
        "uid": fact.memory.uid or None,
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "confidence": fact.memory.confidence,
        "valid_from": fact.valid_from or None,
        "valid_until": fact.valid_until or None,
        "source": fact.source or None,
    }
