"""Finds what an event asks to keep, and makes drafts of it, each with a stable identity.

Anybody can mark text with `[remember]`; a person can also ask in plain words, in a prompt.

The identity includes the moment of the event. So if a hook and an engine both capture the same
event, they capture the same memory.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from recollect.capture.pasted import PASTED
from recollect.core.marks import REQUESTED, without_own_text
from recollect.core.note import summarize
from recollect.core.patterns import pattern
from recollect.core.uid import derive_uid
from recollect.hosts.protocol import PROMPT, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.capture.markers import Marked
    from recollect.capture.requests import Request

_PATH = pattern(r"(?<![\w:/.-])@?((?:[\w.-]{1,80}/){0,12}[\w.-]{1,80})")
# Kinds of what is true for a while only; who asks to keep something means more than that.
_PASSING = ("progress", "sessions")
_FORGETS = (
    *("forget", "don't", "don’t", "dont", "do not", "no need to", "off the record"),
    *("scratch", "strike"),
    *("between us", "to yourself", "worth remembering", "worth noting", "from me", "out of your"),
)
_MOST_NAMES, _MOST_FILES, _MOST_TEXT = 200, 10, 20_000


def all_marked_in(event: Event) -> list[Marked]:
    """Return what an event asks to keep, including marked text in quotations and pasted text.

    Text that Recollect injected and `<private>` text do not count. A wish with an empty content
    asks for nothing that could be kept. `requests_in` of the session also finds wishes that only
    their meaning tells.
    """
    from recollect.capture.markers import find_all_marked

    text = without_private(event.text)
    found = find_all_marked(text)
    if event.name == PROMPT and not event.agent:
        from recollect.capture.requests import find_requests

        found += map(as_marked, find_requests(text))
    return found


def without_private(text: str) -> str:
    """Return a text without what Recollect injected and what stands in `<private>`."""
    text = without_own_text(text)
    if "<private" in text.lower():
        from recollect.redact.homes import drop_private

        text = drop_private(text)
    return text


def as_marked(wish: Request) -> Marked:
    """Return a wish in plain words as something to keep."""
    from recollect.capture.markers import Marked

    return Marked("", wish.content, via=REQUESTED, rule=wish.rule, usual_kind=wish.kind)


def forgets_kept(event: Event) -> bool:
    """Return whether a prompt asks to forget what was kept just now.

    "No, forget that", or "scratch that" without anything that holds instead.
    """
    text = without_own_text(event.text)
    if event.name != PROMPT or not any(map(text[:400].lower().__contains__, _FORGETS)):
        return False
    from recollect.capture.leads import only_scratches
    from recollect.capture.requests import asks_to_forget

    return only_scratches(text) or asks_to_forget(text)


def files_named(event: Event) -> list[str]:
    """Return the files that a prompt names and that exist, relative to the working tree."""
    if event.name != PROMPT or not event.directory:
        return []
    directory = Path(event.directory).absolute()
    tree = next((d for d in (directory, *directory.parents) if (d / ".git").exists()), directory)
    names = [match[1].rstrip(".") for match in _PATH.finditer(event.text[:_MOST_TEXT])]
    names = [name for name in dict.fromkeys(names) if "." in name[1:] or "/" in name]
    found: dict[str, None] = {}
    for name in names[:_MOST_NAMES]:
        for folder in (directory, tree):
            path = folder / name
            try:
                if path.is_file() and path.resolve().is_relative_to(tree.resolve()):
                    found[path.resolve().relative_to(tree.resolve()).as_posix()] = None
                    break
            except (OSError, ValueError):
                continue
    return list(found)[:_MOST_FILES]


def draft_of(event: Event, item: Marked, content: str) -> dict[str, Any]:
    """Make a draft of marked text. `content` must already be redacted."""
    from recollect.capture.kind_of import kind_of
    from recollect.capture.leads import without_filler
    from recollect.capture.markers import DEFAULT_KIND
    from recollect.capture.tags import tags_of
    from recollect.capture.titles import title_and_body

    if item.via == REQUESTED:
        bare = without_filler(content)
        content = bare[:1].upper() + bare[1:] if bare != content else content
    summary, body = title_and_body(content) if item.via == REQUESTED else summarize(content)
    # Only a person asks in plain words, even if it is found in the transcript at a later event.
    said_by = "user" if event.name == PROMPT or item.via == REQUESTED else "agent"
    via = item.via
    if not item.is_own:
        said_by, via = "tool", PASTED
    kind = item.kind or kind_of(content)
    if item.via == REQUESTED and kind in _PASSING:
        kind = DEFAULT_KIND
    return {
        "kind": item.usual_kind if item.usual_kind and kind == DEFAULT_KIND else kind,
        "summary": summary,
        "body": body,
        **({"tags": list(tags_of(content))} if via == REQUESTED else {}),
        "session": event.session or None,
        "provenance": {"said_by": said_by, "via": via, "hook": event.name, "host": event.host},
    }


def identity(event: Event, draft: Mapping[str, Any], number: int) -> str:
    """Derive the nonce of a draft from its event, its text and its number in the event."""
    same = f"{event.session}\n{json.dumps(draft, sort_keys=True)}"
    return derive_uid(same, event.moment + number)
