"""Finds marked text in an event and makes drafts of it, each with a stable identity.

The identity includes the moment of the event. So if a hook and an engine both capture the same
event, they capture the same memory.
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


def all_marked_in(event: Event) -> list[Marked]:
    """Return the marked text in an event, including quoted and pasted text.

    Text that Recollect injected and `<private>` text do not count.
    """
    text = without_own_text(event.text)
    if "<private" in text.lower():
        from recollect.redact.homes import drop_private

        text = drop_private(text)
    return find_all_marked(text)


def draft_of(event: Event, item: Marked, content: str) -> dict[str, Any]:
    """Make a draft of marked text. `content` must already be redacted."""
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
    """Derive the nonce of a draft from its event, its text and its number in the event."""
    same = f"{event.session}\n{json.dumps(draft, sort_keys=True)}"
    return derive_uid(same, event.moment + number)
