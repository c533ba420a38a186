"""The settings of the claude-memory plugin: what of its `memory-config.json` Recollect can do.

The file may come with a repository that nobody trusts, so nothing is set from it. It becomes
commands that a person can run; texts in it are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from recollect.config.config import Config
from recollect.config.keys import KEYS
from recollect.core.kinds import find_kind
from recollect.importing.foreign import parse_json, read_text

FILE: Final = "memory-config.json"
_MOST: Final = 1 << 20
# The plugin's name → our key, for what is not about one category.
_PLAIN: Final = {
    ("auto_commit",): "mirror.auto_commit",
    ("retrieval", "max_inject"): "inject.prompt_memories",
    ("retrieval", "match_strategy"): "recall.match_strategy",
    ("triage", "max_messages"): "triage.max_messages",
    ("triage", "parallel", "enabled"): "triage.parallel",
    ("triage", "parallel", "default_model"): "triage.default_model",
    ("triage", "parallel", "verification_model"): "triage.verification_model",
    ("delete", "grace_period_days"): "delete.grace_period_days",
    ("delete", "archive_retired"): "delete.archive_retired",
}
_OF_CATEGORY: Final = ("enabled", "auto_capture", "retention_days")


def settings_of(path: Path, config: Config) -> dict[str, bool | float | str]:
    """Return the settings of a file that differ from those in effect, by our keys."""
    given = parse_json(read_text(path, _MOST), path)
    if not isinstance(given, dict):
        return {}
    known = {key.name: key for key in KEYS}
    found: dict[str, bool | float | str] = {}
    for name, value in _pairs(given):
        key = known.get(name)
        if key is None or value == config.explain(name).value:
            continue
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = isinstance(value, bool) if isinstance(key.default, bool) else is_number
        if isinstance(key.default, str):
            fits = value in (key.choices or ())
        if fits:
            found[name] = value
    return found


def _pairs(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for path, name in _PLAIN.items():
        yield name, _at(given, *path)
    most = given.get("max_memories_per_category")
    categories = _at(given, "categories")
    for category, options in (categories if isinstance(categories, dict) else {}).items():
        kind = find_kind(str(category))
        if kind is None or not isinstance(options, dict):
            continue
        for option in _OF_CATEGORY:
            yield f"kinds.{kind.name}.{option}", options.get(option)
        yield f"kinds.{kind.name}.max_memories", most
        yield "sessions.max_retained", options.get("max_retained")
    by_category = {
        "triage_threshold": _at(given, "triage", "thresholds"),
        "model": _at(given, "triage", "parallel", "category_models"),
    }
    for option, found in by_category.items():
        for category, value in (found if isinstance(found, dict) else {}).items():
            kind = find_kind(str(category))
            if kind is not None:
                yield f"kinds.{kind.name}.{option}", value


def _at(given: Any, *path: str) -> Any:
    for name in path:
        given = given.get(name) if isinstance(given, dict) else None
    return given
