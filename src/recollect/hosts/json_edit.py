"""Changes one entry of a JSON text, with or without comments; every other character stays.

The result of an edit is a `Splice`: where characters go in, and which go out. An entry is put
after the last one of its object or list, in the indentation that is used there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from re import DOTALL
from typing import Any, NamedTuple

from recollect.core.patterns import pattern

_TOKEN = pattern(
    r'(?P<blank>[\s\ufeff]+|//[^\n]*+|/\*.*?\*/)|(?P<text>"(?:[^"\\\n]|\\.)*+")'
    r'|(?P<mark>[{}\[\],:])|(?P<word>[^\s{}\[\],:"/]+)',
    DOTALL,
)
_CLOSING = {"{": "}", "[": "]"}
_DEEPEST = 100
Keys = Sequence[str]
Place = Sequence[str | int]


class NotJson(ValueError):
    """The text is not JSON with comments; or there is something else at the place of an object."""


class Splice(NamedTuple):
    """Replaces `removed`, which is at the offset `at`, with `inserted`."""

    at: int
    removed: str
    inserted: str

    def applied(self, text: str) -> str:
        """Return the text with the change."""
        return text[: self.at] + self.inserted + text[self.at + len(self.removed) :]


class _Node:
    """A value in the text. `parts` are the entries of an object or a list."""

    def __init__(self, opening: str, start: int) -> None:
        self.opening, self.start, self.end = opening, start, start
        self.parts: list[_Part] = []


class _Part:
    """An entry: its key, or none in a list; where it starts; its value; the comma after it."""

    def __init__(self, key: str | None, start: int, node: _Node) -> None:
        self.key, self.start, self.node, self.comma = key, start, node, -1


def read(text: str) -> Any:
    """Return the value of a text, without its comments; an empty text is an empty object."""
    root = _parse(text)
    return {} if root is None else _value(text, root)


def insert(text: str, keys: Keys, value: Any) -> Splice:
    """Put a value at a key that does not exist yet. Objects on the way to it are created."""
    root = _parse(text)
    if root is None:
        end = "" if text else "\n"
        return Splice(0, "", json.dumps(_nested(keys, value), indent=2, ensure_ascii=False) + end)
    node, depth = _deepest(root, keys)
    if node.opening != "{" or depth == len(keys):
        raise NotJson(f"{'.'.join(keys[:depth]) or 'the file'} is not an object")
    return _into(text, root, node, keys[depth], _nested(keys[depth + 1 :], value))


def append(text: str, keys: Keys, value: Any) -> Splice:
    """Put a value at the end of the list at a key, which is created if it does not exist."""
    root = _parse(text)
    if root is not None:
        node, depth = _deepest(root, keys)
        if depth == len(keys):
            if node.opening != "[":
                raise NotJson(f"{'.'.join(keys)} is not a list")
            return _into(text, root, node, None, value)
    return insert(text, keys, [value])


def remove(text: str, place: Place) -> Splice | None:
    """Take out what is at a key, or at a position in a list; None if it is not there."""
    root = _parse(text)
    if root is None:
        return None
    above, last = place[:-1], place[-1]
    node, depth = _deepest(root, above)
    if depth < len(above):
        return None
    found = _positions(node, last)
    return _out_of(text, node, found[0]) if found else None


def _nested(keys: Keys, value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _deepest(root: _Node, place: Place) -> tuple[_Node, int]:
    """Follow keys as far as they exist; return where that ends, and how many were followed."""
    node = root
    for depth, key in enumerate(place):
        # Of two equal keys, readers use the last.
        found = _positions(node, key)
        if not found:
            return node, depth
        node = node.parts[found[-1]].node
    return node, len(place)


def _positions(node: _Node, key: str | int) -> list[int]:
    """Return the positions of a key's entries; a number is a position in a list."""
    if isinstance(key, int):
        return [key] if node.opening == "[" and key < len(node.parts) else []
    return [at for at, part in enumerate(node.parts) if part.key == key]


def _into(text: str, root: _Node, node: _Node, key: str | None, value: Any) -> Splice:
    newline = "\r\n" if "\r\n" in text else "\n"
    outer, unit = _margin(text, node.start), _unit(text, root)
    if node.parts:
        first, last = node.parts[0], node.parts[-1]
        margin = text[_line(text, first.start) : first.start]
        if margin.strip():  # the entries are on one line
            gap, said = " ", _said(key, value, None, "", newline)
        else:
            gap, said = newline + margin, _said(key, value, unit, margin, newline)
        if last.comma < 0:
            return Splice(last.node.end, "", f",{gap}{said}")
        return Splice(last.comma + 1, "", f"{gap}{said},")
    margin = outer + unit
    end = "" if "\n" in text[node.start : node.end] else newline + outer
    said = _said(key, value, unit, margin, newline)
    return Splice(node.start + 1, "", f"{newline}{margin}{said}{end}")


def _out_of(text: str, node: _Node, at: int) -> Splice:
    part = node.parts[at]
    start, end = part.start, part.node.end
    before = node.parts[at - 1] if at else None
    if before is not None and part.comma < 0:
        start = before.comma
    else:
        # Up to the comma after it, and with the gap before it.
        start = before.comma + 1 if before is not None else node.start + 1
        start = max(start, _gap(text, part.start))
        if part.comma >= 0:
            end = part.comma + 1
        elif not text[end : node.end - 1].strip():
            end = node.end - 1
    return Splice(start, text[start:end], "")


def _gap(text: str, at: int) -> int:
    """Return where the space before an offset starts."""
    while at and text[at - 1] in " \t\r\n":
        at -= 1
    return at


def _said(key: str | None, value: Any, unit: str | None, margin: str, newline: str) -> str:
    said = json.dumps(value, indent=unit, ensure_ascii=False)
    said = said.replace("\n", newline + margin)
    return said if key is None else f"{json.dumps(key, ensure_ascii=False)}: {said}"


def _line(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _margin(text: str, at: int) -> str:
    """Return the space at the start of a line."""
    start = end = _line(text, at)
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return text[start:end]


def _unit(text: str, root: _Node) -> str:
    """Return what one level is indented by."""
    if root.parts:
        at = root.parts[0].start
        margin = text[_line(text, at) : at]
        if margin and not margin.strip():
            return margin
    return "  "


def _value(text: str, node: _Node) -> Any:
    if node.opening == "{":
        return {part.key: _value(text, part.node) for part in node.parts}
    if node.opening == "[":
        return [_value(text, part.node) for part in node.parts]
    try:
        return json.loads(text[node.start : node.end], strict=False)
    except ValueError as error:
        raise NotJson(str(error)) from None


def _parse(text: str) -> _Node | None:
    tokens = _tokens(text)
    token = next(tokens, None)
    if token is None:
        return None
    root = _node(tokens, token, 0)
    if next(tokens, None) is not None:
        raise NotJson("there is text after the last bracket")
    return root


def _tokens(text: str) -> Iterator[tuple[str, int, str]]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise NotJson(f"line {text.count(chr(10), 0, at) + 1} is not JSON")
        if found.lastgroup != "blank":
            yield found.lastgroup or "", at, found[0]
        at = found.end()


def _node(tokens: Iterator[tuple[str, int, str]], token: tuple[str, int, str], depth: int) -> _Node:
    kind, start, said = token
    if depth > _DEEPEST:
        raise NotJson("it is nested too deeply")
    node = _Node(said if said in _CLOSING else "", start)
    node.end = start + len(said)
    if kind != "mark":
        return node
    if not node.opening:
        raise NotJson(f"unexpected {said}")
    is_complete = True  # nothing before, or a comma
    for token in tokens:
        kind, at, said = token
        if said == _CLOSING[node.opening]:
            node.end = at + 1
            return node
        if said == "," and not is_complete:
            node.parts[-1].comma, is_complete = at, True
        elif not is_complete:
            raise NotJson(f"a comma is missing before {said[:40]}")
        elif node.opening == "[":
            node.parts.append(_Part(None, at, _node(tokens, token, depth + 1)))
            is_complete = False
        else:
            if kind != "text" or next(tokens, ("", 0, ""))[2] != ":":
                raise NotJson(f"{said[:40]} is not a key")
            key = json.loads(said, strict=False)
            value = next(tokens, None)
            if value is None:
                break
            node.parts.append(_Part(key, at, _node(tokens, value, depth + 1)))
            is_complete = False
    raise NotJson("a bracket is not closed")
