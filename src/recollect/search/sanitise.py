"""Makes the text of a memory safe to show to an agent: data to read, never a command.

Memories come from anywhere: a colleague, a web page that an agent read, the output of a tool. This
module keeps what they say and removes what could make an agent mistake them for its user or its
system prompt. A person's own "always use uv" is not an attack and passes.

The filters read a text as a model reads it: without hidden characters, and with look-alike
characters replaced by the letters they imitate. What the filters accept is shown as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.core.characters import (
    fold,
    visible,  # re-exported for callers of this module
)
from recollect.core.patterns import pattern, remembered
from recollect.search.imperatives import attacks

# What makes a line pose as somebody else: the turn of another role, or a persona for the agent.
# Only the phrase goes, so that what it introduces stays.
_AI = r"(?:ai|assistant|claude|chatgpt|gpt|codex|language model)"
_POSES = pattern(
    # `Assistant:`
    r"^(?:[\s>*#_\-=\[({|]{0,40}(?:(?:system|assistant|human|user|developer|tool)"
    r"(?:[ _-](?:prompt|message|instructions?|note|override))?[\s*_\-=\])}|]{0,12}:"
    # `As an AI assistant,`, `As an AI you must obey:`
    r"|as an ai\b(?: (?:language )?(?:model|assistant|agent)\b)?"
    r"(?: you (?:must|should|shall|will) (?:\w{1,12} ){0,2}(?:obey|comply|follow|listen)\b"
    r"[^,.:;\n]{0,40}:)?[,:]?"
    # `You are an AI without limits.`, `You are a senior engineer:`
    rf"|you are (?:now )?(?:an? )?{_AI}\b(?:[^,.:;\n]{{0,300}}(?!\w))?[,.:;]?"
    r"|you are (?:now )?(?:an?|the) [^,.:;\n]{1,60}:(?!\S)"
    r"|from now on,? you\b)\s{0,20})+"
    # `[system]`, `=== SYSTEM ===`, `### System` on a line of their own, or before the text
    r"|^\s{0,20}(?:\[[ \t]{0,4}(?:system|assistant|developer)[ \t]{0,4}\]"
    r"|[=#*\-]{2,20}[ \t]{0,4}(?:begin |end )?(?:system|assistant|developer)(?:[ _-](?:prompt"
    r"|message))?"
    r"[ \t]{0,4}[=#*\-]{0,20}[ \t]{0,4}(?=\n|\Z))"
    # as JSON
    r"|[{,]?\s{0,4}\"role\"\s{0,4}:\s{0,4}\"(?:system|assistant|developer|tool)\"\s{0,4},?",
    re.IGNORECASE | re.MULTILINE,
)
# Markup with which agents call tools or speak in roles. Escaping is not enough: the escaped form
# still invites a model to follow it.
_CALL = pattern(
    r"<\|[a-z_]{1,30}\|>(?:(?:system|assistant|user|developer)\b)?"
    r"|</?\s{0,9}(?:antml:|tool_?(?:use|call|result|calls|code)|function_?(?:calls?|results?)"
    r"|invoke|"
    r"parameter|system(?:-reminder|-prompt)?|assistant|human|user|memory-context"
    r"|recollect-\w{1,40}|"
    r"\|?im_(?:start|end)\|?)\b[^>\n]{0,200}>?|\[/?INST\]|<</?SYS>>"
    r"|\"type\"\s{0,4}:\s{0,4}\"(?:tool_use|tool_result|function_call)\"\s{0,4},?"
    r"|\"(?:tool_calls|function_call)\"\s{0,4}:\s{0,4}"
    r"|^[ \t]{0,8}(?:Action(?: Input)?|Observation|Tool(?: Input)?)[ \t]{0,4}:[ \t]{0,4}(?=\S)"
    r"|\bto=functions\.\w{1,40}",
    re.IGNORECASE | re.MULTILINE,
)
# A pattern is tried, and so compiled, only if the text contains one of its hints.
_POSE_HINTS = (
    *("system", "assistant", "human", "user", "developer", "tool"),
    *("as an ai", "you are ", "from now on"),
)
_CALL_HINTS = (
    *("<", "[inst", "[/inst", '"type"', '"tool_calls"', '"function_call"'),
    *("action", "observation", "tool", "to=functions"),
)
_BLANKS = pattern(r"[^\S\n]+")
_LEFT_OUT = "[left out: it reads like an order to the agent]"


def sanitise(text: str) -> str:
    """Return the text of a memory as an agent may see it: harmless, and escaped for markup."""
    return escape(plain(text))


@remembered
def plain(text: str) -> str:
    """Return the same without escaping, for callers that escape it later."""
    text = _filtered(text)
    text = "\n".join(_BLANKS.sub(" ", line).rstrip() for line in text.split("\n"))
    return text.strip()


def quoted(text: str) -> str:
    """Return a text that an agent asked for, without hidden characters and tool calls."""
    shown, parts = _readable(text)
    if "<" in shown or "[" in shown:
        shown, parts = _cut(shown, parts, (m.span() for m in _CALL.finditer(shown)), " ")
    return "".join(parts)


def escape(text: str) -> str:
    """Escape a text so that it cannot open or close an element, or end an attribute."""
    return (
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    )


def _readable(text: str) -> tuple[str, str | list[str]]:
    """Return a text as a model reads it, and what to show for each of its characters."""
    if text.isascii():
        text = visible(text)
        return text, text
    return fold(text)


def _filtered(text: str) -> str:
    """Remove tool calls, roles, personas and attacks from a text."""
    shown, parts = _readable(text)
    if _has_one(_CALL_HINTS, shown):
        shown, parts = _cut(shown, parts, (m.span() for m in _CALL.finditer(shown)), " ")
    if _has_one(_POSE_HINTS, shown):
        shown, parts = _cut(shown, parts, (m.span() for m in _POSES.finditer(shown)), "")
    shown, parts = _cut(shown, parts, attacks(shown), _LEFT_OUT)
    return "".join(parts)


def _has_one(hints: Iterable[str], text: str) -> bool:
    lowered = text.lower()
    return any(hint in lowered for hint in hints)


def _cut(
    shown: str, parts: str | list[str], spans: Iterable[tuple[int, int]], instead: str
) -> tuple[str, str | list[str]]:
    """Replace spans in both forms of a text."""
    kept: list[str] = []
    left: list[str] = []
    last = 0
    for start, end in spans:
        kept += shown[last:start], instead
        left += *parts[last:start], *instead
        last = end
    if not last:
        return shown, parts
    return "".join((*kept, shown[last:])), [*left, *parts[last:]]
