"""Print safely: for a terminal, and for an agent that reads the output.

Memories contain text that others wrote. On a terminal, none of its characters may move the cursor,
hide text or reorder it; a mark shows where one was removed. In the shell of an agent, the output
of a reading command stands in the same frame as injected memories: it is data, not instructions.

Commands print with `click.echo`, `click.secho` and `click.style`. While a command runs, these are
the functions of this module, so that no command can forget to use them.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from recollect.core.characters import HIDDEN, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

# Commands that print the text of memories.
READING = frozenset(
    {
        *("candidate", "doctor", "lifecycle", "list", "log", "review", "scan", "search", "show"),
        *("status", "strength", "timeline", "verify", "why", "learn", "import"),
    }
)
_plain_echo, _plain_style, _plain_confirm = click.echo, click.style, click.confirm
# Colours are ours: styled text is kept here, under a random name that no memory can contain.
_NAME = f"\x00{os.urandom(8).hex()}"
_STYLED_NAME = re.compile(f"{_NAME}([0-9]{{1,9}})\x00")
_styled: list[str] = []
_frame: list[str] = []  # what closes the open frame


def echo(
    message: Any = None,
    file: IO[Any] | None = None,
    nl: bool = True,
    err: bool = False,
    color: bool | None = None,
) -> None:
    """Print a text; hidden characters are shown as a mark."""
    text = "" if message is None else str(message)
    if not err and _is_framed():
        _open_frame()
        text = _for_agent(text)
    _plain_echo(_finished(text), file=file, nl=nl, err=err, color=color)


def _finished(text: str) -> str:
    """Return a text as a terminal gets it: without hidden characters, with our colours."""
    parts = _STYLED_NAME.split(text)
    parts[::2] = map(printable, parts[::2])
    parts[1::2] = [_styled[int(number)] for number in parts[1::2]]
    return "".join(parts)


def echo_paged(lines: Sequence[str]) -> None:
    """Print lines; on a terminal that is too small for them, in the pager."""
    import shutil  # also loads what reads archives

    streams = (sys.stdin, sys.stdout)
    room = shutil.get_terminal_size().lines - 1  # the prompt comes after them
    if _for_an_agent or len(lines) <= room or not all(stream.isatty() for stream in streams):
        for line in lines:
            click.echo(line)
        return
    click.echo_via_pager("\n".join(map(_finished, lines)))


def echo_exactly(text: str, *, nl: bool = True, err: bool = False) -> None:
    """Print a text as it is: our own, or an escaped one."""
    _plain_echo(text, nl=nl, err=err)


def escaped_json(value: Any, indent: int | None = None) -> str:
    """A value as JSON, with control characters escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def style(text: Any, **styles: Any) -> str:
    """Style a text for `echo`."""
    clean = printable(str(text))
    if _for_an_agent:
        return clean  # an agent reads no colours
    _styled.append(_plain_style(clean, **styles))
    return f"{_NAME}{len(_styled) - 1}\x00"


def _secho(message: Any = None, **options: Any) -> None:
    for_echo = {
        name: options.pop(name) for name in ("file", "nl", "err", "color") if name in options
    }
    echo(style("" if message is None else message, **options), **for_echo)


def _confirm(text: str, *arguments: Any, **options: Any) -> bool:
    return _plain_confirm(printable(text), *arguments, **options)


_OURS = {"echo": echo, "secho": _secho, "style": style, "confirm": _confirm}
_for_an_agent = False


@contextmanager
def guarded(*, is_agent: bool) -> Iterator[None]:
    """Sanitise everything that is printed meanwhile and, for an agent, put it in the frame."""
    global _for_an_agent  # noqa: PLW0603 - a process runs one command
    before = {name: getattr(click, name) for name in _OURS}
    outer, _for_an_agent = _for_an_agent, is_agent
    for name, ours in _OURS.items():
        setattr(click, name, ours)
    try:
        yield
    finally:
        while _frame:
            _plain_echo(_frame.pop())
        for name, theirs in before.items():
            setattr(click, name, theirs)
        _for_an_agent = outer
        _styled.clear()


def is_for_agent() -> bool:
    """Whether an agent reads what is printed. It answers no question, and agrees to nothing."""
    return _for_an_agent


def _is_framed() -> bool:
    """Whether an agent reads the output, and the command prints memories."""
    context = click.get_current_context(silent=True) if _for_an_agent else None
    return context is not None and " ".join(context.command_path.split()[1:]) in READING


def _open_frame() -> None:
    if not _frame:
        from recollect.core.marks import CLOSING, OPENING

        _plain_echo(OPENING)
        _frame.append(CLOSING)


def _for_agent(text: str) -> str:
    """A text that can neither close the frame nor call a tool."""
    from recollect.api.agent_text import quoted

    parts = _STYLED_NAME.split(text)
    parts[::2] = map(quoted, parts[::2])
    for number in parts[1::2]:
        _styled[int(number)] = quoted(_styled[int(number)])
    return "".join(
        part if place % 2 == 0 else f"{_NAME}{part}\x00" for place, part in enumerate(parts)
    )
