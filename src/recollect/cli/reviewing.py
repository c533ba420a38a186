"""The dialogue of `recollect review` on a terminal: one at a time, each with a key."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from recollect.api.recollect import Recollect
from recollect.api.reviews import Review
from recollect.cli.review_lines import change_name, echo_change, where_from
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.core.note import summarize
from recollect.errors import RecollectError

if TYPE_CHECKING:
    from recollect.capture.suggestions import Suggestion

_KEYS = {
    "a": "accept",
    "k": "accept and keep both",
    "e": "edit",
    "r": "reject",
    "m": "merge into another",
    "s": "skip",
    "q": "quit",
}


class _Quit(Exception):
    """The user wants to stop."""


def ask_about(store: Recollect, review: Review) -> None:
    """Ask about everything that waits, one after the other."""
    total = review.total
    number = 0
    try:
        for memory in review.unconfirmed:
            number += 1
            click.echo(f"\n{number} of {total}")
            _ask_about_memory(store, memory)
        for suggestion in review.suggestions:
            number += 1
            click.echo(f"\n{number} of {total}")
            _ask_about_suggestion(store, suggestion)
        for change in review.changes:
            number += 1
            click.echo(f"\n{number} of {total}")
            echo_change(store, change)
            _decide(store, change_name(change), _ask("ars"))
    except (_Quit, click.Abort):
        click.echo("")
    left = store.review().total
    click.echo(f"Left to review: {left}" if left else "Nothing is left to review.")


def _ask_about_memory(store: Recollect, memory: Memory) -> None:
    old = store.would_supersede(memory)
    _show(store, memory, old)
    while True:
        key = _ask("akermsq" if old is not None else "aermsq")
        try:
            if key == "e":
                memory = _edited(store, memory)
                _show(store, memory, old)
            elif key == "m":
                if _merged(store, memory):
                    return
            else:
                _decide(store, memory.uid, key, old)
                return
        except RecollectError as error:
            click.echo(f"{error.message} {error.hint}", err=True)


def _show(store: Recollect, memory: Memory, old: Memory | None) -> None:
    click.secho(memory.summary, bold=True)
    if memory.text:
        click.echo(memory.text)
    click.echo(f"{'id:':<13}{store.short_name(memory)}")
    click.echo(f"{'kind:':<13}{memory.kind}")
    click.echo(f"{'from:':<13}{where_from(store, memory)}")
    click.echo(f"{'created:':<13}{memory.created}")
    if memory.session:
        click.echo(f"{'session:':<13}{memory.session}")
    if files := ", ".join(dict.fromkeys((*memory.files_modified, *memory.files_read))):
        click.echo(f"{'files:':<13}{files}")
    click.echo(f"{'confidence:':<13}{memory.confidence:.2f}")
    if old is not None:
        name = store.short_name(old)
        click.echo(f"Accepting it archives {name} (superseded). The difference:")
        for line in _difference(old, memory):
            colour = {"-": "red", "+": "green"}.get(line[:1])
            click.echo(f"  {click.style(line, fg=colour)}")


def _difference(old: Memory, new: Memory) -> list[str]:
    before, after = ([m.summary, *m.text.splitlines()] for m in (old, new))
    lines = difflib.unified_diff(before, after, lineterm="", n=1)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def _ask(keys: str) -> str:
    """Ask for one of some keys; `q` is always among them."""
    offered = ", ".join(f"[{key}] {_KEYS[key]}" for key in dict.fromkeys(keys + "q"))
    while True:
        given: str = click.prompt(offered, prompt_suffix=" > ", default="s", show_default=False)
        key = given.strip().lower()[:1]
        if key == "q":
            raise _Quit
        if key in keys:
            return key


def _decide(store: Recollect, name: str, key: str, old: Memory | None = None) -> None:
    if key in ("a", "k"):
        for memory in store.accept([name], keep_both=key == "k"):
            click.echo(f"Remembered as {short(memory.id)}")
        if old is not None and key == "a":
            click.echo(f"Archived {short(old.id)}")
    elif key == "r":
        rejected = store.reject([name])
        for memory in rejected.unconfirmed:
            click.echo(f"Rejected. To undo it, run: recollect restore {short(memory.id)}")


def _edited(store: Recollect, memory: Memory) -> Memory:
    """Let the user change the text, in an editor if there is one."""
    text = memory.summary if not memory.body else f"{memory.summary}\n\n{memory.body}"
    try:
        new = click.edit(text)
    except click.ClickException:  # there is no editor
        new = click.prompt("New text", default=memory.summary, show_default=False)
    if new is None or new.strip() == text.strip():
        return memory
    first, _, rest = new.strip().partition("\n")
    summary, more = summarize(first)
    said = {**memory.provenance, "said_by": "user"}
    body = rest.strip() or more
    return store.update(memory.uid, summary=summary, body=body, provenance=said)


def _merged(store: Recollect, memory: Memory) -> bool:
    """Let the user choose what to merge into; whether it was merged."""
    candidates: Sequence[Memory] = store.merge_candidates(memory)
    for number, candidate in enumerate(candidates, 1):
        click.echo(f"  {number}  {store.short_name(candidate)}  {candidate.summary}")
    given = click.prompt("Merge into (number or id; nothing: back)", default="", show_default=False)
    chosen = given.strip()
    if not chosen:
        return False
    into = chosen
    if chosen.isdigit() and 1 <= int(chosen) <= len(candidates):
        into = candidates[int(chosen) - 1].uid
    merged = store.merge_into(memory.uid, into)
    click.echo(f"Merged into {short(merged.id)}")
    return True


def _ask_about_suggestion(store: Recollect, suggestion: Suggestion) -> None:
    click.secho(str(suggestion.draft.get("summary")), bold=True)
    if suggestion.draft.get("body"):
        click.echo(str(suggestion.draft["body"]))
    click.echo(f"{'kind:':<13}{suggestion.draft.get('kind')}")
    click.echo(f"{'why:':<13}{suggestion.why}")
    for source in store.get_many(list(suggestion.sources)):
        click.echo(f"{'merges:':<13}{store.short_name(source)}  {source.summary}")
    try:
        _decide(store, suggestion.uid, _ask("ars"))
    except RecollectError as error:
        click.echo(f"{error.message} {error.hint}", err=True)
