"""Rules that recognise secrets by their context: files, blocks, sentences, broken lines."""

from __future__ import annotations

from recollect.redact.rule import Candidate, Rule, compiled
from recollect.redact.tokens import TOKENS
from recollect.redact.values import (
    is_placeholder,
    is_real_value,
    is_spoken_password,
)

_NAMES = (
    *("password", "passwd", "passphrase", "passwort", "pwd", "_pass", "-pass"),
    *("secret", "token", "credential", "api_key", "apikey", "api-key", "private_key", "access_key"),
)
# `host:5432:database:user:password`, as in `~/.pgpass`; a port or `*` in the second place.
_PGPASS = (
    r"(?m):(?:\d{4,5}|\*):(?:[^:\s\\]|\\.){1,64}:(?:[^:\s\\]|\\.){1,64}:"
    r"([^\s:]{4,200})[ \t]{0,8}$"
)
_PGPASS_HOST = r"(?:^|[\n\s>+\"'`])(?:[A-Za-z0-9*][\w.*-]{0,100}|/[\w./-]{1,100})\Z"
# In triple quotes, a value may span lines.
_TRIPLE = (
    r"(?i:s|[_-]?(?:key|value|string|text|base|prod|dev"
    r"|test))?(?![\w-])[\"'\]]{0,2}[ \t]{0,8}(?::[ \t]?[A-Za-z]\w{0,30}[ \t]?)?"
    r"[=:][ \t]{0,8}[rRbBuUfF]{0,2}"
    r'(?:"""\s{0,20}+([^"]{3,400}+)"""'
    r"|'''\s{0,20}+([^']{3,400}+)''')"
)
# `variable "db_password" { … default = "…" }`, as in Terraform.
_TERRAFORM = (
    r"(?i)variable[ \t]{1,8}\"[\w-]{0,60}?"
    r"(?:password|passwd|passphrase|secret|token|credential|api_?key|private_?key|access_?key)"
    r"[\w-]{0,40}\"[ \t]{0,8}\{(?:[^{}\"]|\"[^\"\n]{0,200}\"){0,400}?\bdefault[ \t]{0,8}=[ \t]{0,8}"
    r"\"((?:[^\"\\\n]|\\.){3,300})\""
)
_QUOTE, _NOT_IN_WORDS = r"[\"'`“„«]?", r"[^\s\"'`“”„«»,;()<>]"
# In a sentence, in English and German; the value may be in quotes.
_SPOKEN = (
    r"(?i)(?:password|passwort|passphrase|kennwort|passcode|pwd|pw)\b"
    r"(?:[ \t]{1,4}(?:for|of|to|on|at|für|von|zum|zur|des|der)(?:[ \t]{1,4}[\w.@'’-]{1,40}){1,5}?)?"
    r"(?:[ \t]{0,4}(?::|=|->)|[ \t]{1,4}(?:is|was|ist|lautet|war|will[ \t]be|to|auf)\b)[ \t:]{0,4}"
    r"(?:(?:still|now|just|jetzt|set[ \t]to|noch)[ \t]){0,2}"
    + _QUOTE
    + rf"({_NOT_IN_WORDS}{{6,120}})"
)
_SPOKEN_BEFORE = (
    rf"(?i)(?:use|with|using|try|enter|type|nimm|mit)[ \t]{{1,4}}{_QUOTE}({_NOT_IN_WORDS}{{6,120}})"
    r"[\"'`”“»]?[ \t]{1,4}(?:as|for|als|für)[ \t]{1,4}(?:(?:the|your|its|a|das|our)[ \t])?"
    r"(?:[\w-]{1,30}[ \t]){0,2}?(?:password|passwort|passphrase|kennwort|passcode)\b"
)
# What breaks a token: a line end, with the prefix of the next line, or a hidden character.
_BREAK = (
    r"(?:[ \t]{0,8}\\?\r?\n[ \t]{0,16}(?:[>|#*+\"'][ \t]{0,4})?|=\r?\n"
    "|[\u00ad\u200b\u200c\u200d\u2060\ufeff]{1,4})"
)
_PIECE = r"[A-Za-z0-9_.~/+=-]"
# A word at the start of the next line is not part of it.
_NO_WORD = r"(?![A-Z]?[a-z]{1,15}(?:[.,:;)]|\s|\Z))"
_SPLIT = rf"(?<![A-Za-z0-9_]){_PIECE}{{3,200}}+(?:{_BREAK}{_NO_WORD}{_PIECE}{{3,200}}+){{1,8}}"
_BREAKS = ("\n", "\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff")
# Beginnings of tokens that may be broken over lines; shorter ones are not distinctive.
_TELLING_START = 4
_SPLIT_STARTS = tuple(
    dict.fromkeys(
        anchor
        for rule in TOKENS
        for anchor in rule.anchors
        if len(anchor) >= _TELLING_START and not {" ", "/", "=", "$"} & set(anchor)
    )
)


def is_stored_password(found: Candidate) -> bool:
    """Whether the last field of a `.pgpass` line is a password."""
    before = found.text[max(0, found.begin - 110) : found.begin]
    value = found.value
    if is_placeholder(value) or value.isdigit() or not compiled(_PGPASS_HOST).search(before):
        return False
    return not value.startswith("/")


def is_split_token(found: Candidate) -> bool:
    """Whether a token that is broken over lines is a real one when rejoined.

    If the first line alone is a token, the rest is just the next line.
    """
    first, *others = compiled(_BREAK).split(found.value)
    return bool(others) and not _is_token(first) and _is_token(first + "".join(others))


def _is_token(text: str) -> bool:
    """Whether a text is a vendor's token from its first character on."""
    lowered = text.encode("ascii", "replace").lower().decode("ascii")
    return any(
        start == 0
        for rule in TOKENS
        if rule.anchors and lowered.startswith(rule.anchors)
        for start, _ in rule.find(text, lowered)
    )


CONTEXT_RULES: tuple[Rule, ...] = (
    Rule("password", _TRIPLE, _NAMES[:7], check=is_real_value, behind=True),
    Rule("secret", _TRIPLE, _NAMES[7:], check=is_real_value, behind=True),
    Rule("password", _TERRAFORM, ("variable",), check=is_real_value),
    Rule("password", _PGPASS, (":",), check=is_stored_password),
)
SPOKEN: tuple[Rule, ...] = (
    Rule(
        "password",
        _SPOKEN,
        ("password", "passwort", "passphrase", "kennwort", "passcode", "pwd", "pw"),
        check=is_spoken_password,
    ),
    Rule(
        "password",
        _SPOKEN_BEFORE,
        ("use ", "with ", "using ", "try ", "enter ", "type ", "nimm ", "mit "),
        check=is_spoken_password,
    ),
    Rule("split-token", _SPLIT, _SPLIT_STARTS, check=is_split_token, needs=_BREAKS),
)
