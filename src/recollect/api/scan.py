"""Look for secrets in stored memories."""

from __future__ import annotations

import json
from collections.abc import Iterator

from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.index.protocol import ALL, Filters
from recollect.redact.gate import make_redactor
from recollect.store.store import Store


class Leak(NamedTuple):
    """A memory that contains secrets; `found` has their types, never the secrets themselves."""

    memory: Memory
    found: tuple[str, ...]
    # The current text has no secret, but the history has.
    only_in_history: bool


def scan(store: Store) -> Iterator[Leak]:
    """Check every memory, whatever its status, with its whole history."""
    redactor = make_redactor(store.config, "warn")
    index = store.indexing.fresh()
    for memory in index.select(Filters(statuses=ALL)):
        now = redactor.redact(_shown(memory)).found
        found = set(now)
        for record in index.history(memory.uid):
            said = json.dumps(dict(record.fields), ensure_ascii=False, default=str)
            found |= set(redactor.redact(f"{said}\n{record.body or ''}").found)
        if found:
            yield Leak(memory, tuple(sorted(found)), not now)


def _shown(memory: Memory) -> str:
    return f"{memory.summary}\n{memory.body}\n{json.dumps(memory.content, default=str)}"
