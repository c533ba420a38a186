"""What the tables of an index hold about one memory, computed from the memory alone."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.core.age import seconds_of
from recollect.core.crowding import author_key_of
from recollect.core.memory import Memory, expires
from recollect.core.names import Name
from recollect.core.status import HIDDEN
from recollect.core.strength import pace_of
from recollect.index.paths import named_paths
from recollect.index.tables import Row, clean
from recollect.index.text import all_indexable
from recollect.index.traits import date_words, questions_text, sketch, trust_of

# A longer tag, path or name does not become a filter: nobody types it, and an index of PostgreSQL
# cannot hold it. In characters.
LONGEST_FACET = 600
COLUMNS = (
    "kind", "anchor", "number", "status", "visible", "sensitivity", "spec", "session", "project",
    "observation_type", "created", "updated", "expires", "importance", "trust", "moved", "pace",
    "sources", "voice", "sketch", "uid", "local",
)  # fmt: skip


def memory_row(memory: Memory, name: Name | None, text: str, *, is_local: bool) -> Row:
    """Return the row of a memory, in the order of `COLUMNS`."""
    kind, anchor, number, _ = name or (memory.kind, "", 0, "")
    return (
        kind,
        anchor,
        number,
        clean(memory.status),
        int(memory.status not in HIDDEN),
        clean(memory.sensitivity),
        clean(memory.spec),
        clean(memory.session),
        clean(memory.project),
        clean(memory.observation_type),
        seconds_of(memory.created),
        seconds_of(memory.updated),
        expires(memory),
        memory.importance,
        trust_of(memory),
        seconds_of(memory.status_changed),
        pace_of(memory.kind, memory.observation_type),
        clean(" ".join(memory.sources)),
        clean(author_key_of(memory.author)),
        sketch(memory.summary, text),
        memory.uid,
        int(is_local),
    )


def facets_of(memory: Memory, text: str) -> dict[str, list[str]]:
    """Return the facets that a memory has, by their table."""
    every: dict[str, Sequence[str]] = {
        "tag": memory.tags,
        "file": _files(memory),
        "named": named_paths(f"{memory.summary}\n{text}"),
        "concept": memory.concepts,
        "relation": (*memory.relates_to, *memory.sources),
        "slug": memory.slugs,
    }
    return {table: _filterable(values) for table, values in every.items() if values}


def _filterable(values: Sequence[str]) -> list[str]:
    cleaned = dict.fromkeys(map(clean, values))
    return [value for value in cleaned if value is not None and len(value) <= LONGEST_FACET]


def words_of(memory: Memory, text: str) -> Sequence[str]:
    """Return the texts of the columns of words: summary, tags, dates, body, asked."""
    words = (
        memory.summary,
        f"{' '.join(memory.tags)} {' '.join(_files(memory))}",
        date_words(seconds_of(memory.created)),
        text,
        questions_text(memory),
    )
    return all_indexable([clean(text) or "" for text in words])


def _files(memory: Memory) -> tuple[str, ...]:
    return memory.files_modified + memory.files_read
