"""The arguments of a tool: one short table gives both the schema for agents and the checks.

Whatever an agent sends, a tool gets only arguments of the right type. Anything else is an error
that says what is allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.core.fields import FIELDS, MAX_BODY_BYTES
from recollect.errors import ValidationError

MOST_TEXT = MAX_BODY_BYTES
# Fields that agents may not set.
_NOT_THEIRS = frozenset({"provenance", "project", "branch"})
FREE_FIELDS = tuple(name for name in FIELDS if name not in _NOT_THEIRS)
_MOST_ITEMS = 200
_MOST_NUMBER = 1_000_000

_SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "fraction": {"type": "number"},
    "flag": {"type": "boolean"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object"},
    "names": {},  # a text or texts; a schema of both would cost more than the sentence
}


class Parameters:
    """The parameters of a tool, as `name:type`: required `*` optional `+` not in the schema.

    A parameter in the schema costs every session three times the tokens of one in a sentence, so
    the description names the rarer ones. `fields` also allows every field of a memory.
    """

    def __init__(self, given: str = "", *, fields: bool = False) -> None:
        listed, _, unlisted = given.partition("+")
        required, _, optional = listed.partition("*")
        self.types = _types(required + optional + unlisted)
        self.required = list(_types(required))
        self._listed = list(_types(required + optional))
        self.takes_fields = fields

    def schema(self) -> dict[str, Any]:
        """The JSON schema that agents read."""
        properties = {name: _SCHEMAS[self.types[name]] for name in self._listed}
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if self.required:
            schema["required"] = self.required
        return schema

    def check(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Check the arguments and their types; null counts as not given."""
        arguments = {name: value for name, value in (given or {}).items() if value is not None}
        taken = [*self.types, *(FREE_FIELDS if self.takes_fields else ())]
        unknown = sorted(arguments.keys() - set(taken))
        if unknown:
            raise ValidationError(f"There is no argument {unknown[0][:60]!r}.", _list("Use", taken))
        missing = [name for name in self.required if name not in arguments]
        if missing:
            raise ValidationError(
                f"The argument {missing[0]} is missing.", _list("Needed", self.required)
            )
        return {
            name: _checked(name, self.types[name], value) if name in self.types else value
            for name, value in arguments.items()
        }


def _types(given: str) -> dict[str, str]:
    parts = [part.partition(":") for part in given.split()]
    return {name: kind or "text" for name, _, kind in parts}


def _list(word: str, names: Iterable[str]) -> str:
    return f"{word}: {', '.join(names)}"


def _checked(name: str, kind: str, value: Any) -> Any:
    match kind, value:
        case "text", str():
            return _text(name, value)
        case "count", int() if not isinstance(value, bool) and 0 <= value <= _MOST_NUMBER:
            return value
        case "fraction", int() | float() if not isinstance(value, bool) and 0 <= value <= 1:
            return float(value)
        case "names", str():
            return _text(name, value)
        case "texts" | "names", list() if len(value) <= _MOST_ITEMS:
            if all(isinstance(item, str) for item in value):
                return [_text(name, item) for item in value]
        case "flag", bool():
            return value
        case "object", dict():
            return value
    raise ValidationError(f"{name} must be {_WORDS[kind]}, not {_shown(value)}")


_WORDS = {
    "text": "text",
    "count": f"a whole number from 0 to {_MOST_NUMBER}",
    "fraction": "a number from 0 to 1",
    "flag": "true or false",
    "texts": f"a list of at most {_MOST_ITEMS} texts",
    "object": "an object",
    "names": f"an id or a list of at most {_MOST_ITEMS} ids",
}


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _text(name: str, value: str) -> str:
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        raise ValidationError(f"The {name} is not valid Unicode.", "Send text only.") from None
    if size > MOST_TEXT:
        raise ValidationError(
            f"The {name} has {size} bytes; at most {MOST_TEXT} are allowed.", "Shorten it."
        )
    if "\0" in value:
        raise ValidationError(f"The {name} contains a NUL byte.", "Send text only.")
    return value
