"""Every regular expression of the program, and how it is used, found in the source and at work."""

from __future__ import annotations

import ast
import gc
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import recollect
from recollect.core.patterns import _Lazy

_ROOT = Path(recollect.__file__).parent
# What is done with those that are reached through a table or a parameter.
_THROUGH = {
    "recollect.capture.wording.CLUE": ("search",),
    "recollect.capture.notices._AGEING": ("search",),
    "recollect.capture.error_lines._DEMANDS": ("search",),
    "recollect.capture.error_lines._EMPTY": ("search",),
    "recollect.capture.error_lines._FORMS": ("match",),
    "recollect.capture.error_lines._NOT_THERE": ("search",),
    "recollect.capture.error_lines._PASSES": ("search",),
    "recollect.capture.error_lines._SLIP": ("search",),
    "recollect.capture.observations._BY_WORDS": ("search",),
    "recollect.capture.observations._CONCEPTS": ("search",),
    "recollect.capture.request_words.RULES": ("finditer", "match"),
    "recollect.capture.request_words_abroad.RULES": ("finditer", "match"),
    "recollect.capture.retractions._ACTUALLY": ("match",),
    "recollect.capture.retractions._INSTEAD": ("match",),
    "recollect.capture.retractions._TAKES_BACK": ("match",),
    "recollect.capture.wish_model._MASKED": ("sub",),
    "recollect.importing.reasons._KINDS": ("search",),
    "recollect.importing.decision_records._CONTEXT": ("match",),
    "recollect.importing.decision_records._DECIDED": ("match",),
    "recollect.mcp.hints._TOOLS": ("sub",),
    "recollect.search.triggers._QUESTIONS": ("search",),
}
USES = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")


class Expression(NamedTuple):
    """An expression, where it is, and what is done with it."""

    place: str
    text: str
    flags: int
    uses: tuple[str, ...]

    def jobs(self) -> Iterator[tuple[str, Callable[[str], object]]]:
        """What the program does with it, each as something that takes a text."""
        compiled = re.compile(self.text, self.flags)
        for use in self.uses:
            if use == "finditer":
                yield use, lambda text: sum(1 for _ in compiled.finditer(text))
            elif use in ("sub", "subn"):
                yield use, lambda text: compiled.sub("", text)
            else:
                yield use, getattr(compiled, use)


@cache
def modules() -> dict[str, Any]:
    """Every module of the program, imported."""
    found = {}
    for info in pkgutil.walk_packages([str(_ROOT)], "recollect."):
        if info.name != "recollect.__main__":
            found[info.name] = importlib.import_module(info.name)
    return found


@cache
def trees() -> dict[str, ast.Module]:
    """The syntax tree of every module."""
    return {
        name: ast.parse(Path(module.__file__).read_text("utf-8"))
        for name, module in modules().items()
    }


@cache
def expressions() -> list[Expression]:
    """All of them: made by `pattern`, by `re.compile`, and given to functions of `re`."""
    modules()
    names = {id(value): f"{module}.{name}" for module, name, value in _values()}
    uses = _uses()
    found = []
    for made in gc.get_objects():
        if isinstance(made, _Lazy):
            text, flags = made._arguments
            place = names.get(id(made), "")
            found.append(Expression(place, text, flags, uses.get(place, ())))
    for module, name, value in _values():
        if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            place = f"{module}.{name}"
            found.append(Expression(place, value.pattern, value.flags, uses.get(place, ())))
    found += _inline()
    return sorted(set(found))


def _values() -> Iterator[tuple[str, str, Any]]:
    """The expressions that can be reached from a name, also those in tables."""
    for module, loaded in modules().items():
        for name, value in vars(loaded).items():
            if not name.startswith("__"):
                for path, found in _within(value, 0):
                    yield module, name + path, found


def _within(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    if isinstance(value, _Lazy | re.Pattern):
        yield "", value
    elif depth > 4:
        return
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from ((f"[{number}]{path}", one) for path, one in _within(part, depth + 1))
    elif isinstance(value, dict):
        for number, part in enumerate(value.values()):
            yield from ((f"[{number}]{path}", one) for path, one in _within(part, depth + 1))
    elif type(value).__module__.startswith("recollect.") and hasattr(value, "__dict__"):
        for name, part in vars(value).items():
            yield from ((f".{name}{path}", one) for path, one in _within(part, depth + 1))


def _uses() -> dict[str, tuple[str, ...]]:
    """Which methods are asked of a name, in any module that has it."""
    places: dict[int, list[str]] = {}
    for module, name, value in _values():
        places.setdefault(id(value), []).append(f"{module}.{name}")
    at_place: dict[str, set[str]] = {}
    for module, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                at_place.setdefault(f"{module}.{node.value.id}", set()).add(node.attr)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
                owner = node.value.value  # `words.CLAUSE.split`: a name of another module
                named = vars(modules()[module]).get(getattr(owner, "id", ""))
                place = f"{getattr(named, '__name__', '')}.{node.value.attr}"
                at_place.setdefault(place, set()).add(node.attr)
    found = {}
    for same in places.values():
        asked = set().union(*(at_place.get(place, set()) for place in same))
        for place in same:
            name = re.split(r"[\[]|\._shapes", place)[0]
            found[place] = _THROUGH.get(name) or tuple(sorted(asked & set(USES)))
    return found


def _inline() -> Iterator[Expression]:
    """What is given to `re.sub` and the like as a literal."""
    for module, tree in trees().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            first = node.args[0] if node.args else None
            is_ours = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            if is_ours and node.func.attr in USES and isinstance(first, ast.Constant):
                place = f"{module}:{node.lineno}"
                yield Expression(place, str(first.value), 0, (node.func.attr,))
