"""Filters from people and agents, validated and converted to what an index accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from recollect.core.age import seconds_of as seconds
from recollect.core.fields import OBSERVATION_TYPES, SENSITIVITIES
from recollect.core.kinds import find_kind, kind_named
from recollect.core.status import status_named
from recollect.errors import ValidationError
from recollect.index.protocol import Filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPTIONS = (
    "kind",
    "status",
    "sensitivity",
    "spec",
    "tag",
    "tags",
    "file",
    "concept",
    "session",
    "observation_type",
    "expired",
    "since",
    "until",
)


def make_filters(
    options: Mapping[str, Any],
    *,
    project: str | None,
    now: float,
    moment: Callable[[str], str],
    holds: Callable[[str], bool],
) -> Filters:
    """Return filters from options; reject an unknown option or an invalid value.

    `expired=False` leaves out memories whose lifetime is over; without the option, they count.
    """
    unknown = sorted(options.keys() - set(OPTIONS))
    if unknown:
        raise ValidationError(
            f"There is no filter {unknown[0]!r}.", "Use one of: " + ", ".join(OPTIONS)
        )
    given = {name: value for name, value in options.items() if value is not None}
    statuses = _several(given.get("status"))
    levels = _several(given.get("sensitivity"))
    tags = [*_several(given.get("tag")), *_several(given.get("tags"))]
    return Filters(
        kind=_kind(given.get("kind"), holds),
        statuses=frozenset(map(_status, statuses)) if statuses else None,
        sensitivities=frozenset(map(_sensitivity, levels)) if levels else None,
        spec=given.get("spec"),
        tags=tuple(tag.lower() for tag in tags),
        file=given.get("file"),
        concept=given.get("concept"),
        session=given.get("session"),
        observation_type=_observation(given.get("observation_type")),
        alive_at=now if given.get("expired") is False else None,
        since=seconds(moment(given["since"])) if "since" in given else None,
        until=seconds(moment(given["until"])) if "until" in given else None,
        project=project,
    )


def _several(value: str | Iterable[str] | None) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)


def _kind(name: str | None, holds: Callable[[str], bool]) -> str | None:
    """Return a kind by name or alias, or one from a newer version that the ledger holds."""
    if name is None:
        return None
    known = find_kind(name)
    if known is not None:
        return known.name
    return name if holds(name) else kind_named(name).name


def _observation(name: str | None) -> str | None:
    """Return a type of observation in lower case, as the ledger stores it."""
    if name is None or name.strip().lower() in OBSERVATION_TYPES:
        return name and name.strip().lower()
    raise ValidationError(
        f"There is no type {name!r}.", "Use one of: " + ", ".join(OBSERVATION_TYPES)
    )


def _status(name: str) -> str:
    return "all" if name.strip().lower() == "all" else status_named(name)


def _sensitivity(name: str) -> str:
    if name not in (*SENSITIVITIES, "all"):
        raise ValidationError(
            f"There is no sensitivity {name!r}.", "Use one of: " + ", ".join(SENSITIVITIES)
        )
    return name
