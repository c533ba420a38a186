"""What a memory may look like in front of an agent: data that can be read, never a command.

Memories come from anywhere: a colleague, a web page that an agent read, a tool's output. The
governor lets what they say through and takes away what could make an agent take them for somebody
who gives orders. A person's own "always use uv" is no attack and passes.
"""

from __future__ import annotations

import re
import unicodedata

from recollect.core.patterns import pattern

# Somebody else's turn, at the start of a line.
_ROLE = pattern(
    r"^[\s>*#_-]*(?:system|assistant|human|user|developer|tool)\b[\s*_]*:\s*",
    re.IGNORECASE | re.MULTILINE,
)
_PERSONA = pattern(
    r"^[\s>*#_-]*(?:as an ai\b[^,.\n]{0,40},?|you are (?:now )?(?:an? )?(?:ai|assistant|claude|"
    r"chatgpt|gpt|codex|language model)\b[^.\n]*\.?|from now on,? you\b)\s*",
    re.IGNORECASE | re.MULTILINE,
)
# The known shapes of an attack. Each is cut out with the sentence that it stands in.
_OVERRULE = (
    r"(?:ignore|disregard|forget|override|bypass)\W+(?:\w+\W+){0,3}?"
    r"(?:previous|prior|above|earlier|preceding|all|any|your|system|safety)\W+(?:\w+\W+){0,2}?"
    r"(?:instructions?|prompts?|rules?|directives?|guidelines?|messages?|context|guardrails)"
)
_ATTACK = pattern(
    rf"{_OVERRULE}"
    r"|(?:reveal|print|show|repeat|output|leak)\W+(?:\w+\W+){0,3}?(?:system|hidden|developer)\W+"
    r"(?:prompt|message|instructions?)"
    r"|(?:new|updated|real|true)\W+(?:system|developer)\W+(?:prompt|message|instructions?)"
    r"|do\W+not\W+(?:tell|inform|mention|reveal|show)\W+(?:\w+\W+){0,2}?(?:the\W+)?"
    r"(?:user|human|developer)"
    r"|without\W+(?:asking|telling|informing)\W+(?:the\W+)?(?:user|human)"
    r"|\bjailbreak|developer\W+mode\W+enabled|\bDAN\W+mode",
    re.IGNORECASE,
)
# Markup by which agents call tools or speak in roles; escaped markup would still be a lure.
_CALL = pattern(
    r"</?\s*(?:antml:|tool_?(?:use|call|result|calls)|function_?(?:calls?|results?)|invoke|parameter|"
    r"system(?:-reminder|-prompt)?|assistant|human|user|memory-context|recollect-\w+|"
    r"\|?im_(?:start|end)\|?)\b[^>\n]{0,200}>?|<\|[a-z_]{1,30}\|>|\[/?INST\]|<</?SYS>>",
    re.IGNORECASE,
)
# An expression is only tried, and thereby compiled, where one of these stands.
_PERSONA_HINTS = ("as an ai", "you are ", "from now on")
_ATTACK_HINTS = (
    *("instruction", "prompt", "rule", "directive", "guideline", "message", "context", "guardrail"),
    *("user", "human", "developer", "jailbreak", "dan"),
)
_SENTENCE_END = pattern(r"(?<=[.!?])\s+|\n")
_BLANKS = pattern(r"[^\S\n]+")
# Of ASCII nobody sees the control characters; lines and columns one does.
_HIDDEN = dict.fromkeys({*range(0x20), 0x7F} - {ord("\n"), ord("\t")})
_LEFT_OUT = "[left out: it reads like an order to the agent]"


def govern(text: str) -> str:
    """A memory's text as it may be shown to an agent: harmless, and escaped for markup."""
    text = visible(text)
    if "<" in text or "[" in text:
        text = _CALL.sub(" ", text)
    if ":" in text:
        text = _ROLE.sub("", text)
    lowered = text.lower()
    if any(hint in lowered for hint in _PERSONA_HINTS):
        text = _PERSONA.sub("", text)
    if any(hint in lowered for hint in _ATTACK_HINTS) and _ATTACK.search(text):
        text = _without_attacks(text)
    text = "\n".join(_BLANKS.sub(" ", line).rstrip() for line in text.split("\n"))
    return escape(text.strip())


def quoted(text: str) -> str:
    """A text for an agent that asked for it: as it is, but for hidden characters and calls."""
    text = visible(text)
    return _CALL.sub(" ", text) if "<" in text or "[" in text else text


def visible(text: str) -> str:
    """A text without what nobody sees: control characters, zero widths, reversed directions."""
    if text.isascii():
        return text if text.isprintable() else text.translate(_HIDDEN)
    return "".join(
        c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Co", "Cs")
    )


def escape(text: str) -> str:
    """A text that cannot open or close an element, nor end an attribute."""
    return (
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    )


def _without_attacks(text: str) -> str:
    kept, start = [], 0
    for end in (*_SENTENCE_END.finditer(text), None):
        sentence = text[start : end.start() if end else len(text)]
        gap = end.group() if end else ""
        kept.append((_LEFT_OUT if _ATTACK.search(sentence) else sentence) + gap)
        start = end.end() if end else len(text)
    whole = "".join(kept)
    # An attack may run over the end of a line.
    return _ATTACK.sub(_LEFT_OUT, whole)
