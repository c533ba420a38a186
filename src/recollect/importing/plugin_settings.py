"""The settings of the claude-memory plugin: what of its `memory-config.json` Recollect can do.

The file may come with a repository that nobody trusts, so nothing is set from it. It becomes
commands that a person can run. A text in it must be one harmless line, and the command quotes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final

from recollect.config.config import Config
from recollect.config.key import ConfigKey
from recollect.config.keys import KEYS
from recollect.core.content_schemas import SCHEMAS
from recollect.core.kinds import FACTS, find_kind
from recollect.importing.foreign import parse_json, read_text
from recollect.search.sanitise import plain

FILE: Final = "memory-config.json"
_MOST: Final = 1 << 20
_LONGEST: Final = 200  # characters of a text
# The plugin's name → our key, for what is not about one category.
_PLAIN: Final = {
    ("auto_commit",): "mirror.auto_commit",
    ("memory_root",): "mirror.path",
    ("retrieval", "enabled"): "inject.enabled",
    ("retrieval", "max_inject"): "inject.prompt_memories",
    ("retrieval", "match_strategy"): "recall.match_strategy",
    ("triage", "max_messages"): "triage.max_messages",
    ("triage", "parallel", "enabled"): "triage.parallel",
    ("triage", "parallel", "default_model"): "triage.default_model",
    ("triage", "parallel", "verification_model"): "triage.verification_model",
    ("delete", "grace_period_days"): "delete.grace_period_days",
    ("delete", "archive_retired"): "delete.archive_retired",
}
_OF_CATEGORY: Final = ("enabled", "auto_capture", "retention_days", "description")


def settings_of(path: Path, config: Config) -> dict[str, bool | float | str]:
    """Return the settings of a file that differ from those in effect, by our keys."""
    given = parse_json(read_text(path, _MOST), path)
    if not isinstance(given, dict):
        return {}
    known = {key.name: key for key in KEYS}
    found: dict[str, bool | float | str] = {}
    for name, value in _pairs(given):
        key = known.get(name)
        if key is not None and value != config.explain(name).value and _fits(key, value):
            found[name] = value
    triage = _at(given, "triage", "enabled")
    if isinstance(triage, bool) and triage != (config.text("triage.mode") != "off"):
        found["triage.mode"] = "draft" if triage else "off"
    return found


def _fits(key: ConfigKey, value: Any) -> bool:
    """Whether a key accepts a value, and the value is safe to show."""
    if isinstance(key.default, bool):
        return isinstance(value, bool)
    if isinstance(key.default, str):
        if key.choices:
            return value in key.choices
        is_line = isinstance(value, str) and 0 < len(value) <= _LONGEST and plain(value) == value
        return is_line and value.isprintable() and (key.name != "mirror.path" or _is_inside(value))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and key.least <= value <= key.most and (not key.whole or value == int(value))


def _is_inside(folder: str) -> bool:
    path = PurePosixPath(folder)
    return not path.is_absolute() and ".." not in path.parts and not folder.startswith(("~", "-"))


def _pairs(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for path, name in _PLAIN.items():
        yield name, _at(given, *path)
    for name in SCHEMAS:
        if name != FACTS:
            yield f"kinds.{name}.max_memories", given.get("max_memories_per_category")
    categories = _at(given, "categories")
    for category, options in (categories if isinstance(categories, dict) else {}).items():
        kind = find_kind(str(category))
        if kind is None or not isinstance(options, dict):
            continue
        for option in _OF_CATEGORY:
            yield f"kinds.{kind.name}.{option}", options.get(option)
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
