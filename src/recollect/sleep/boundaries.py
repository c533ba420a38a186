"""Detects where one episode of work ends and another begins, from what tools touch.

Compares the words of the last few tool calls with those of the few before. People divide their
experience in the same way, at the moments when the surroundings change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from recollect.core.patterns import pattern
from recollect.index.text import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# The number of tool calls in a window. Two adjacent windows are compared.
WINDOW: Final = 4
# Parts of a path that say nothing about the work.
_PLAIN = frozenset({"src", "lib", "tests", "test", "app", "main", "index", "init", "spec"})
_MOST_COMMAND = 400
_SEPARATOR = pattern(r"&&|\|\||[|;]")
_PROGRAM = pattern(r"[A-Za-z][\w.+-]{0,30}\Z")
_PATH = pattern(r"[\w@.+-]+(?:/[\w@.+-]+)+/?|[\w@+-]+\.[A-Za-z]\w{0,5}")
# Quoted text, heredocs and further lines may contain anything.
_QUOTED = pattern(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.""", re.DOTALL)
_NO_WORD = "\0"
_ANYTHING = pattern(r"[\r\n'\"`#]|<<|\$\(")


def outline(command: str) -> str:
    """Return a command without quoted text, heredocs and further lines."""
    text = _ANYTHING.split(_QUOTED.sub(_NO_WORD, command), maxsplit=1)[0]
    if len(text) <= _MOST_COMMAND:
        return text
    return text[:_MOST_COMMAND].rpartition(" ")[0]  # do not cut a word in half


def keywords(paths: Iterable[str], command: str) -> frozenset[str]:
    """Return what a tool call is about: the words of the paths it names, and the programs it runs.

    Other words of a command are ignored, because they may be anything, such as a password. Redact
    paths and the outline of the command first: after splitting, a secret is not recognisable.
    """
    named = list(paths)
    words: set[str] = set()
    for part in _SEPARATOR.split(outline(command)):
        first, _, rest = part.strip().partition(" ")
        if _PROGRAM.match(first):
            words.add(first.lower())
        before = ""
        for word in rest.split():
            # `-p some.word` is the value of an option, and may not be a file.
            if _PATH.fullmatch(word) and ("/" in word or not before.startswith("-")):
                named.append(word)
            before = word
    for path in named:
        for piece in path.replace("\\", "/").split("/"):
            words.update(query_terms(piece.rpartition(".")[0] or piece))
    return frozenset(words - _PLAIN)


def is_boundary(calls: Sequence[frozenset[int]], threshold: float) -> bool:
    """Return whether the last calls are about something else than those before them.

    Calls come oldest first, each as the set of (the hashes of) its words.
    """
    if len(calls) < 2 * WINDOW:
        return False
    before = frozenset[int]().union(*calls[-2 * WINDOW : -WINDOW])
    after = frozenset[int]().union(*calls[-WINDOW:])
    if not before or not after:
        return False
    return len(before & after) / len(before | after) < threshold
