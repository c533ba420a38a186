"""The source `mcp-memory`: the graph of `@modelcontextprotocol/server-memory` (2026.8.31).

It is a file with one JSON object per line: entities with observations, and relations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from recollect.capture.kind_of import kind_of
from recollect.errors import ParseError
from recollect.importing.foreign import (
    NO_TEXT,
    digest_of,
    parse_json,
    read_text,
    store_at,
    tags_of,
    text_of,
    titled,
    without_secrets,
)
from recollect.importing.source import Item, Place, Reading, Skipped

_FILES: Final = ("memory.jsonl", "memory.json")
_SCORE: Final = 0.6


class McpMemory:
    """One memory for each observation, and the relations of each entity."""

    name = "mcp-memory"
    about = "the knowledge graph of the MCP server “memory” (JSON lines)"

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return the file in the repository, or the one that the environment names."""
        given = reading.environ.get("MEMORY_FILE_PATH")
        paths = [Path(given)] if given else []
        paths += [reading.repository / name for name in _FILES]
        for path in paths:
            if path.is_file() and not path.is_symlink():
                try:
                    entities, relations = _graph(path)
                except ParseError:
                    continue
                about = f"{len(entities)} entities, {sum(map(len, relations.values()))} relations"
                return [Place(str(path), about)]
        return []

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield the observations; the whole file is read first, so a broken one adds nothing."""
        entities, relations = _graph(store_at(place, *_FILES))
        for key, entity in entities.items():
            clean = without_secrets(reading, entity, ("name", "entityType"), ("observations",))
            name, observations = clean["name"], clean["observations"]
            tags = tags_of([clean["entityType"], name])
            if not observations and key not in relations:
                yield Skipped(name, NO_TEXT)
            for text in dict.fromkeys(observations):
                summary, body = titled("", f"{name}: {text}")
                yield _item(f"{name}#{digest_of(text)}", kind_of(text), summary, body, tags)
        for key, found in relations.items():
            name = reading.redact(key)
            told = [(reading.redact(verb), reading.redact(other)) for verb, other in found]
            told = [(verb.replace("_", " "), other) for verb, other in told]
            lines = "\n".join(f"- {name} {verb} {other}" for verb, other in told)
            others = ", ".join(dict.fromkeys(other for _, other in told))
            summary, body = titled(f"{name} is related to {others}", lines)
            yield _item(f"{name}#relations", "notes", summary, body, tags_of([name]))


def _item(identity: str, kind: str, summary: str, body: str, tags: list[str]) -> Item:
    fields = {"tags": tags, "provenance": {"said_by": "agent"}}
    return Item(identity, kind, summary, body, score=_SCORE, fields=fields)


def _graph(
    path: Path,
) -> tuple[dict[str, Mapping[str, Any]], dict[str, list[tuple[str, str]]]]:
    """Return the entities by name, and the relations by the entity that they begin at."""
    entities: dict[str, Mapping[str, Any]] = {}
    relations: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        entry = parse_json(line, f"{path}, line {number},")
        kind = entry.get("type") if isinstance(entry, dict) else None
        if kind == "entity" and text_of(entry.get("name")):
            entities[text_of(entry["name"])] = entry
        elif kind == "relation":
            begin, verb, end = (text_of(entry.get(k)) for k in ("from", "relationType", "to"))
            if begin and verb and end:
                relations[begin].append((verb, end))
        else:
            raise ParseError(
                f"{path}, line {number}, is neither an entity nor a relation.",
                "Name the file that MEMORY_FILE_PATH names in the configuration of the server.",
            )
    return entities, dict(relations)


SOURCE = McpMemory()
