"""Detects text that tells an agent what to do: known attacks, and plain imperatives.

Attacks are removed, whoever wrote them. Imperatives are normal in memories ("always use uv"), so
they stay; if the source is not trusted, rendering adds a note that the text is quoted.
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from recollect.core.patterns import pattern, remembered

# The number of words allowed between two words of an attack. Every repeat is bounded.
_GAP = r"\W{1,9}"
_WORDS = rf"(?:\w{{1,24}}{_GAP})"
_RULES = r"(?:instructions?|prompts?|directives?|guidelines?|guardrails|orders)"
_LOOSE_RULES = r"(?:rules?|messages?|context|constraints|training|restrictions)"
_BEFORE = r"(?:previous|prior|above|earlier|preceding|foregoing|your|system|safety|developer)"
_DROP = r"(?:ignore|disregard|forget|override|overrule|bypass|drop|discard)"
_PEOPLE = r"(?:user|human|developer|operator|person)"

_ATTACK = pattern(
    rf"\b{_DROP}{_GAP}{_WORDS}{{0,3}}?{_BEFORE}{_GAP}{_WORDS}{{0,2}}?(?:{_RULES}|{_LOOSE_RULES})\b"
    rf"|\b{_DROP}{_GAP}(?:all|any|every|these|those|the){_GAP}"
    rf"{_WORDS}{{0,1}}?{_RULES}(?:{_GAP}(?:above|before|so{_GAP}far|you\b|given)"
    rf"|\W{{0,3}}(?:\Z|and\b|\n))"
    rf"|\b{_DROP}{_GAP}(?:everything|all|anything){_GAP}(?:(?:that|which){_GAP})?(?:you{_GAP}"
    r"(?:were|have|know|learned)|above|before|said|so\W{1,9}far)"
    rf"|\b(?:reveal|print|show|repeat|output|leak|dump){_GAP}{_WORDS}{{0,3}}?"
    rf"(?:system|hidden|developer){_GAP}(?:prompt|message|instructions?)\b"
    rf"|\b(?:new|updated|real|true){_GAP}(?:system|developer){_GAP}(?:prompt|message"
    rf"|instructions?)\b"
    rf"|\b(?:do{_GAP}not|don\W?t|never){_GAP}(?:tell|inform|mention|reveal|show)\b{_GAP}"
    rf"{_WORDS}{{0,3}}?(?:the{_GAP})?{_PEOPLE}\b"
    rf"|\bwithout{_GAP}(?:asking|telling|informing|notifying){_GAP}(?:the{_GAP})?{_PEOPLE}\b"
    rf"|\b(?:decode|decrypt|unescape){_GAP}{_WORDS}{{0,8}}?(?:and|then){_GAP}{_WORDS}{{0,2}}?"
    r"(?:run|execute|follow|obey|eval|do|apply)\b"
    rf"|\b(?:follow|obey|execute|run){_GAP}{_WORDS}{{0,4}}?(?:base64|rot13"
    rf"|hex)(?:\W{{1,3}}encoded)?"
    rf"{_GAP}{_WORDS}{{0,2}}?(?:instructions?|commands?|orders|text|below)\b"
    rf"|\byou{_GAP}(?:are|will{_GAP}be){_GAP}(?:now{_GAP})?(?:free|unrestricted|jailbroken|root)\b"
    rf"|\byour{_GAP}(?:new|real|only){_GAP}(?:task|goal|role|instructions?|purpose){_GAP}(?:is"
    rf"|are)\b"
    r"|\bjailbreak|\bdeveloper\W{1,9}mode\W{1,9}enabled|\bDAN\W{1,9}mode",
    re.IGNORECASE,
)
# What every match of `_ATTACK` contains: of one row, a word of each part. A text without them is
# not searched, so most hooks never compile the pattern, which takes three milliseconds.
_TOPICS = ("prompt", "message", "instruction")
_HINTS: tuple[tuple[tuple[str, ...], ...], ...] = (
    (
        ("ignore", "disregard", "forget", "overr", "bypass", "drop", "discard"),
        (
            *(*_TOPICS, "directive", "guideline", "guardrails", "orders", "rule", "context"),
            *("constraints", "training", "restrictions", "everything", "all", "anything"),
        ),
    ),
    (("system", "hidden", "developer"), _TOPICS),
    (
        ("user", "human", "developer", "operator", "person"),
        ("tell", "inform", "mention", "reveal", "show", "asking", "notifying"),
    ),
    (("decode", "decrypt", "unescape", "jailbreak"),),
    (("base64", "rot13", "hex"), ("instruction", "command", "orders", "text", "below")),
    (("you",), ("free", "unrestricted", "jailbroken", "root")),
    (("your",), ("new", "real", "only"), ("task", "goal", "role", "instruction", "purpose")),
    (("developer", "dan"), ("mode",)),
)
# Words spelled with digits, or letter by letter.
_FIGURES = "013457@$"
_LEET = str.maketrans(_FIGURES, "oieastas")
_DIGIT_IN_WORD = pattern(rf"[a-z][{_FIGURES}]|[{_FIGURES}][a-z]", re.IGNORECASE)
_SPELLED = pattern(r"(?:\b\w[ .\-_*]){5,200}\w\b")
_BETWEEN = pattern(r"[ .\-_*]")
_SHORTEST_BASE64 = 24
_BASE64 = pattern(rf"[A-Za-z0-9+/]{{{_SHORTEST_BASE64},2000}}={{0,2}}")
_SENTENCE_END = pattern(r"(?<=[.!?])\s{1,20}|\n")

# An instruction at the start of a sentence.
_IMPERATIVE = pattern(
    r"(?:^|[.!?:;]\s|\n)[\s>*#_\-\d.)]{0,12}(?:please\W{1,3}|now\W{1,3}|then\W{1,3}|first\W{1,3}|"
    r"always\W{1,3}|never\W{1,3}|immediately\W{1,3}|must\W{1,3}|(?:do\W{1,3}not"
    r"|don.?t)\W{1,3}){0,3}"
    # "go: downloading" and "make: ***" are what a program says, with its name before it.
    r"(?!(?:chmod|curl|go|install|make|rm|sudo|wget):\s)"
    r"(?:add|allow|append|apply|approve|call|change|chmod|clone|commit|copy|create|curl|delete"
    r"|deploy|"
    r"disable|do|download|drop|edit|enable|eval|execute|export|fetch|follow|force|give|go|grant|"
    r"ignore|include|insert|install|invoke|make|merge|modify|move|open|paste|post|print"
    r"|publish|pull|"
    r"push|put|read|remove|rename|replace|reply|report|restart|rm|run|say|send|set|skip|start|stop|"
    r"sudo|switch|tell|trust|turn|update|upload|use|visit|wget|write)\b"
    r"|\b(?:you|agents?|assistants?|claude|codex|the\W{1,3}(?:ai|model|agent|assistant))\W{1,3}"
    r"(?:\w{1,12}\W{1,3}){0,1}(?:must|should|shall|need\W{1,3}to|have\W{1,3}to|are\W{1,3}to"
    r"|may\W{1,3}not)\b",
    re.IGNORECASE,
)


def attacks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences that contain an attack, in order."""
    # An id such as `1a2b3c4` has digits between letters: it is a suspect only if it reads as one.
    readings = [text]
    if any(char in text for char in _FIGURES) and _DIGIT_IN_WORD.search(text):
        readings.append(text.translate(_LEET))
    suspects = [one for one in readings if _has_hint(one)]
    spans = {match.span() for one in suspects for match in _ATTACK.finditer(one)}
    spans |= set(_hidden_attacks(text))
    if not spans:
        return
    ends = [match.span() for match in _SENTENCE_END.finditer(text)]
    end = 0
    for start, stop in sorted(_widened(text, ends, span) for span in spans):
        if stop > end:
            yield max(start, end), stop
            end = stop


@remembered
def is_imperative(text: str) -> bool:
    """Return whether a text tells its reader to do something."""
    return _IMPERATIVE.search(text) is not None


def _has_hint(text: str) -> bool:
    lowered = text.lower()
    return any(
        all(any(hint in lowered for hint in part) for part in parts)  # of each part, one
        for parts in _HINTS
    )


def _hidden_attacks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of attacks that are spelled letter by letter or encoded."""
    for match in _SPELLED.finditer(text):
        words = _BETWEEN.sub("", match[0]).lower()
        if any(words.startswith(verb) for verb in _SPELLED_VERBS) and any(
            what in words for what in ("instruct", "prompt", "rules", "user", "guideline")
        ):
            yield match.span()
    if len(max(text.split(), key=len, default="")) < _SHORTEST_BASE64:
        return
    for match in _BASE64.finditer(text):
        try:
            decoded = a2b_base64(match[0][: len(match[0]) // 4 * 4]).decode("ascii")
        except (Error, ValueError):
            continue
        if _ATTACK.search(decoded):
            yield match.span()


_SPELLED_VERBS = ("ignore", "disregard", "forget", "override", "bypass", "reveal", "donottell")


def _widened(text: str, ends: Sequence[tuple[int, int]], span: tuple[int, int]) -> tuple[int, int]:
    """Return the span of the sentences that contain a span."""
    before = bisect_right(ends, (span[0], span[0])) - 1
    begin = min(ends[before][1], span[0]) if before >= 0 else 0
    after = bisect_left(ends, (span[1], -1))
    return begin, ends[after][0] if after < len(ends) else len(text)
