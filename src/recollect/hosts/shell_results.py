"""What Gemini CLI and Qwen Code tell their model about a command: its output among other lines."""

from __future__ import annotations

import re
from typing import Any

from recollect.core.patterns import pattern

_WRAPPER = ("<untrusted_context>", "</untrusted_context>")
_OUTPUT = "Output: "
_NOTHING = "(empty)"
_STATUS = pattern(
    r"(?:Error: \(none\)|Exit Code: |Signal: |Process Group PGID: |Background PIDs: )"
)
_CODE = pattern(r"Exit Code: (-?\d{1,9})\s*\Z", re.ASCII)
_MOST_LINES = 8  # of the client's own, after the output
_MOST_TEXT = 1_000_000


def read_shell_result(text: str) -> tuple[str, int]:
    """Return the output of a command and its exit code, which is 0 if the text does not say."""
    text = text[:_MOST_TEXT].strip()
    if text.startswith(_WRAPPER[0]):
        text = text.removeprefix(_WRAPPER[0]).removesuffix(_WRAPPER[1]).strip()
    if not text.startswith(_OUTPUT):
        _, mark, rest = text.partition(f"\n{_OUTPUT}")
        text = _OUTPUT + rest if mark else text
    code = 0
    for _ in range(_MOST_LINES):
        before, _, last = text.rpartition("\n")
        if not _STATUS.match(last):
            break
        if found := _CODE.match(last):
            code = int(found[1])
        text = before.rstrip()
    text = text.removeprefix(_OUTPUT)
    return ("" if text == _NOTHING else text), code


def text_of_content(content: Any) -> str:
    """Return the text of what a tool tells the model: a string, or a list of parts."""
    if isinstance(content, str):
        return content[:_MOST_TEXT]
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))[:_MOST_TEXT]
