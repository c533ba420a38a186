"""What is marked in an event, as drafts that have their identity before anything looks at them.

The moment of the event is part of it: a hook and an engine that both keep what the same event asks
for keep the same memory.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from recollect.capture.markers import Marked, find_all_marked
from recollect.capture.pasted import PASTED
from recollect.core.marks import without_own_text
from recollect.core.note import summarize
from recollect.core.uid import derive_uid
from recollect.hosts.protocol import PROMPT, Event


def marked_in(event: Event) -> list[Marked]:
    """What whoever speaks in an event asks to keep."""
    return [item for item in all_marked_in(event) if item.is_own]


def all_marked_in(event: Event) -> list[Marked]:
    """What is marked in an event, also in what was quoted or pasted.

    Not what we said ourselves, nor what somebody called private.
    """
    text = without_own_text(event.text)
    if "<private" in text.lower():
        from recollect.redact.homes import drop_private

        text = drop_private(text)
    return find_all_marked(text)


def draft_of(event: Event, item: Marked, content: str) -> dict[str, Any]:
    """The draft of something marked, whose content is without secrets by now."""
    from recollect.capture.signals import kind_of

    summary, body = summarize(content)
    said_by = "user" if event.name == PROMPT else "agent"
    via = "marker"
    if not item.is_own:
        said_by, via = "tool", PASTED
    return {
        "kind": item.kind or kind_of(content),
        "summary": summary,
        "body": body,
        "session": event.session or None,
        "provenance": {"said_by": said_by, "via": via, "hook": event.name},
    }


def identity(event: Event, draft: Mapping[str, Any], number: int) -> str:
    """The nonce of a draft, which is the given one of its event."""
    same = f"{event.session}\n{json.dumps(draft, sort_keys=True)}"
    return derive_uid(same, event.moment + number)
