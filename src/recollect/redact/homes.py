"""Private data that is not a secret: `<private>` parts, and the names of home directories."""

from __future__ import annotations

from recollect.redact.rule import compiled

_TAG = r"(?i)<(/?)private>"
_NAME = r"(?!~)[^\s/\\:*?\"'`<>|,;()\[\]{}$&=]{1,64}"
# `/home/ada`, `/Users/ada`, also below mounted drives and volumes. The slash comes first so that
# the search can skip to it; the lookbehind then checks what precedes it.
_HOME = (
    r"/(?<![\w.~-]/)(?:(?:var|export|mnt/[a-z]|[a-z]|System/Volumes/Data)/)?(?:home|Users)/" + _NAME
)
# `C:\Users\Ada Lovelace\`, also with doubled backslashes as in JSON.
_WINDOWS_HOME = (
    rf"(?<![\w~])[A-Za-z]:(?:\\{{1,4}}|/)Users(?:\\{{1,4}}|/)"
    rf"(?:{_NAME}(?: {_NAME}){{1,3}}(?=\\)|{_NAME})"
)
# The folders that Claude Code names after them: `~/.claude/projects/-Users-ada-work`.
_FOLDER = r"(?<=[/\\])-(?:home|Users)-[A-Za-z0-9_.]{1,64}"


def drop_private(text: str) -> str:
    """Remove the `<private>…</private>` parts; an unclosed one extends to the end."""
    if "private>" not in text.lower():
        return text
    kept: list[str] = []
    depth = position = 0
    for tag in compiled(_TAG).finditer(text):
        if tag.group(1):
            if depth:
                depth -= 1
                position = tag.end()
            continue
        if depth == 0:
            kept.append(text[position : tag.start()])
        depth += 1
    if depth == 0:
        kept.append(text[position:])
    return _joined(kept)


def shorten_homes(text: str, home: str | None) -> str:
    """Replace home directories with `~`."""
    if home and home in text:
        import re  # few texts name it, and it is not kept: only rules are

        text = re.sub(rf"(?<![\w.~-]){re.escape(home)}(?![\w~-]|\.\w)", "~", text)
    if ":\\" in text or ":/Users/" in text:
        text = compiled(_WINDOWS_HOME).sub("~", text)
    if "/home/" in text or "/Users/" in text:
        text = compiled(_HOME).sub("~", text)
    if "-Users-" in text or "-home-" in text:
        text = compiled(_FOLDER).sub("-~", text)
    return text


def _joined(parts: list[str]) -> str:
    """Join the parts; separate words stay separate."""
    joined = ""
    for part in parts:
        if joined[-1:] == " " == part[:1]:
            joined += part[1:]
        elif not joined or joined[-1].isspace() or part[:1].isspace() or not part:
            joined += part
        else:
            joined += f" {part}"
    return joined
