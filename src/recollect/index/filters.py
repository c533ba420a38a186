"""Filters as SQL conditions on the table `memory`."""

from __future__ import annotations

from recollect.index.protocol import Filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Of the shorter forms of a path; a path with more folders is not one that anybody writes.
_MOST_FOLDERS = 50

FILE_COUNTS = "SELECT path, count(*) FROM file JOIN memory ON memory.key = file.memory"

# Every folder may have one of these, so the name alone does not say which file is meant.
_EVERYWHERE = """
    __init__ __main__ changelog conftest dockerfile index init lib license main makefile mod package
    readme setup
"""
_COMMON = frozenset(_EVERYWHERE.split())


def where(filters: Filters) -> tuple[str, tuple[Any, ...]]:
    """Return the condition and its parameters."""
    parts: list[str] = []
    parameters: list[Any] = []

    def add(condition: str, *values: Any) -> None:
        parts.append(condition)
        parameters.extend(values)

    if filters.statuses is None:
        add("memory.visible = 1")
    elif "all" not in filters.statuses:
        add(_one_of("memory.status", filters.statuses), *sorted(filters.statuses))
    if filters.sensitivities is not None and "all" not in filters.sensitivities:
        add(_one_of("memory.sensitivity", filters.sensitivities), *sorted(filters.sensitivities))
    for column in ("kind", "spec", "session", "observation_type"):
        value = getattr(filters, column)
        if value is not None:
            add(f"memory.{column} = ?", value)
    for tag in filters.tags:
        add("memory.key IN (SELECT memory FROM tag WHERE tag = ?)", tag)
    if filters.file is not None:
        path = filters.file.rstrip("/")
        # Paths below a folder start with its name and a slash; the character after a slash is 0.
        below = (f"{path}/", f"{path}0")
        said = _endings(path)[:_MOST_FOLDERS]
        add(
            "memory.key IN (SELECT memory FROM file WHERE path = ?"
            " UNION SELECT memory FROM file WHERE path > ? AND path < ?"
            " UNION SELECT memory FROM named WHERE path > ? AND path < ?"
            f" UNION SELECT memory FROM named WHERE path IN ({','.join('?' * len(said))}))",
            *(path, *below, *below, *said),
        )
    if filters.concept is not None:
        add("memory.key IN (SELECT memory FROM concept WHERE concept = ?)", filters.concept)
    if filters.since is not None:
        add("memory.created >= ?", filters.since)
    if filters.until is not None:
        add("(memory.created IS NULL OR memory.created <= ?)", filters.until)
    if filters.alive_at is not None:
        add("(memory.expires IS NULL OR memory.expires > ?)", filters.alive_at)
    if filters.anchors is not None:
        add(_one_of("memory.anchor", filters.anchors), *sorted(filters.anchors))
    if filters.project is not None:
        add(
            "(memory.project IS NULL OR memory.project = ?"
            " OR substr(?, 1, length(memory.project) + 1) = memory.project || '/')",
            filters.project,
            filters.project,
        )
    return " AND ".join(parts) or "1 = 1", tuple(parameters)


def _one_of(column: str, values: frozenset[str]) -> str:
    return f"{column} IN ({','.join('?' * len(values))})"


def _endings(path: str) -> list[str]:
    """Return a path and the shorter forms that a text may use for it: without its first folders."""
    parts = path.split("/")
    found = ["/".join(parts[start:]) for start in range(len(parts))]
    is_common = parts[-1].partition(".")[0].lower() in _COMMON
    return found[:-1] if is_common and len(found) > 1 else found
