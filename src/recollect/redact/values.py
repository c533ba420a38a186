"""Telling a secret from the text around it: placeholders, code and plain words."""

from __future__ import annotations

from recollect.redact.entropy import is_odd
from recollect.redact.rule import Candidate, compiled

# Placeholders for a secret: `<token>`, `${TOKEN}`, `$(pass show x)`, `{{ token }}`, `%s`, `xxxx`,
# `****`, `your-api-key`.
_STANDS_FOR = r"""(?xi)
      <.*> | \{.*\} | \[.*\] | \(.*\) | \^.            # markup, a template, a pattern
    | \$\w+\Z | \$[({] | &[\w.]+\Z | %[sd]\Z | %[({] | %\w+%\Z      # a variable
    | [x*.\-_\#0•…]+\Z
    | .*(?: \$[{(] | \{\{ | \#\{ | … | \.\.\. | \*\*\* | xxxx
          | example | placeholder | change[_ -]?me | redacted | your[_ -] | dummy )
    | (?:my|your|some|the|any|new|old|test|fake|mock|sample|insert|enter|replace|todo)[_ -]?
      (?:\w+[_ -])?(?:pass|pw|secret|token|key|cred|value|auth)[a-z_-]*\Z
"""
# Words that follow `password:` in signatures, schemas, forms, permissions and messages.
_WORDS = frozenset(
    (  # noqa: SIM905 - words read best as a line
        "admin any bar basic bearer bool boolean bytes char default disabled empty enabled env "
        "false field file final float foo hidden incorrect inherit input int integer invalid key "
        "keyring missing never new nil none null number object off old omit optional pass "
        "passcode passphrase passwd password prompt pwd read required root sample scram-sha-256 "
        "secret secrets self stdin str string test testing text this token true type undefined "
        "unknown unset user username value varchar void write wrong"
    ).split()
)
# Names with a number: `base64`, `sha-256`, `oauth2`, `line 12`.
_TECHNICAL = (
    r"(?i)(?:aes|argon|ascii|base|bcrypt|bip|ecma|ed|es|float|hs|http|int|ipv|latin|level|line|md|"
    r"node|oauth|pbkdf|phase|pkcs|py|python|rs|rsa|sha|step|uint|utf|v|web|x)-?\d{1,5}(?![A-Za-z0-9])"
)
_CODE = (
    r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+!?\Z"  # an attribute: `settings.token`
    r"|[a-z][a-z0-9+.-]{1,20}://"  # an address; its own rule finds a password in it
    r"|[+-]?\d[\d.,:_]*[a-zA-Z%]{0,3}\Z"  # a number, a time, a size, a version
    r"|v?\d+(?:\.\w+)+\Z"
    r"|\d{4}-\d\d-\d\d"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z"  # a constant, an environment variable
)
_PATH = r"(?:\.{0,2}|~|[A-Za-z]:)[/\\]"
_DATABASE = (
    r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|"
    r"cockroachdb|ldaps?|kafka|nats|smtps?|jdbc:[a-z]{1,12})(?:\+[a-z0-9]{1,16})?\Z"
)
_NAMES_A_SECRET = r"(?i)pass|pwd|secret|token|key|cred|auth"  # noqa: S105 - a pattern
_IDENTIFIER = r"_*(?:[A-Za-z]+|\d{1,3})(?:[_-]+(?:[A-Za-z]+|\d{1,3}))*+\d{0,3}\Z"
_SIGNS = frozenset(":=(>")
_HASH = r"(?i)(?:argon2(?:id|i|d)?|[bs]crypt|pbkdf2|sha-?\d|md\d)"
# Ordinary text that mixes letters and signs: `3rd`, `up-to-date?`, `bcrypt2`, `C++`, `@ada`.
_PROSE = (
    r"(?:\d{1,4}[a-z]{1,3}|[A-Za-z]+(?:[-/_.'’][A-Za-z]+)*+[?!%*]{1,3}|[A-Za-z]+-?\d{1,2}|[A-Za-z]+[+#]{1,2}"
    r"|[@#$&*+~]+[A-Za-z_.-]+|[a-z]+(?:[-_.][a-z]+)*+[-_.]?\d{1,3}|[^\W\d_]+[*~+=?&|]+[^\W\d_]*)\Z"
)
_FEWEST_DIFFERENT = 10


def is_real_token(found: Candidate) -> bool:
    """Whether a value with a vendor's prefix is not an example from the vendor's manual."""
    lowered = found.value.lower()
    return len(set(lowered)) >= _FEWEST_DIFFERENT and not any(
        word in lowered for word in ("example", "xxxx", "your", "placeholder")
    )


def is_real_key(found: Candidate) -> bool:
    """Whether a private-key block contains a key, and not `…` or `XXXX`."""
    runs = compiled(r"[A-Za-z0-9+/]{16,}").findall(found.value)
    return any(len(set(run)) >= _FEWEST_DIFFERENT for run in runs)


def is_real_value(found: Candidate) -> bool:
    """Whether a value that can only be a secret is not a placeholder."""
    return not is_placeholder(found.value)


def is_connection(found: Candidate) -> bool:
    """Whether an address with a password belongs to a database, a queue or the like."""
    return _has(_DATABASE, found.lead) and is_real_value(found)


def is_password(found: Candidate) -> bool:
    """Whether what follows a name like `password` is a password.

    In quotes, it may be any word that is not a placeholder. Bare, it must not look like code or
    prose, except in an environment file (`DB_PASSWORD=swordfish`), where nothing else can occur.
    """
    value = found.value.rstrip("\\.:")
    if len(value) < 4 or _has(r"\s", value):
        return False
    if is_placeholder(value) or _is(_PATH, value):
        return False
    if _is_quoted(found) and not _SIGNS.isdisjoint(found.head):
        return _is_mixed(value) or not _has(_NAMES_A_SECRET, value)
    if _is_expression(found, value) or _is(_TECHNICAL, value):
        return False
    if _is_environment(found):
        return not _has(_NAMES_A_SECRET, value)
    return len(value) >= 6 and _is_mixed(value) and not _names_itself(value)


def is_spoken_password(found: Candidate) -> bool:
    """Whether a word in a sentence is a password: "the password is hunter2-Blue!".

    It must mix letters with digits or signs, because a word of prose is not a password.
    """
    value = found.value.rstrip(".,:;\\")
    if len(value) < 6 or is_placeholder(value) or _is(_PATH, value) or _is(_CODE, value):
        return False
    if _is(_TECHNICAL, value) or _names_itself(value) or _is(_PROSE, value):
        return False
    if found.after in ("(", "[", "{") or _is(_HASH, value) or _has(r"[\[\]{}]", value):
        return False
    return _is_mixed(value) and not value.endswith("=")


def is_secret(found: Candidate) -> bool:
    """Whether what follows a name like `token` or `api_key` is a secret; stricter, as uses vary."""
    value = found.value.rstrip("\\.:")
    if len(value) < 8 or not ((_has(r"[A-Za-z]", value) and _has(r"\d", value)) or is_odd(value)):
        return False
    if is_placeholder(value) or _has(r"\s", value) or _is(_PATH, value):
        return False
    if found.lead.endswith("hashed_") or ("," in found.head and len(value) < 16):
        return False  # the second may be the next in a list of names
    if _is(_CODE, value) or _is(_TECHNICAL, value) or _names_itself(value):
        return False
    if _is_quoted(found) or _is_environment(found):
        return True
    return not _is_expression(found, value) and not _is(_IDENTIFIER, value)


def _is(pattern: str, value: str) -> bool:
    return compiled(pattern).match(value) is not None


def _has(pattern: str, value: str) -> bool:
    return compiled(pattern).search(value) is not None


def is_placeholder(value: str) -> bool:
    """Whether a value is only a placeholder for a secret."""
    return value.lower() in _WORDS or _is(_STANDS_FOR, value)


def _is_mixed(value: str) -> bool:
    """Whether letters are mixed with digits or symbols, as is rare in a word."""
    return _has(r"[^\W\d_]", value) and _has(r"[\d!@#$%^&*+~?=]", value)


def _is_quoted(found: Candidate) -> bool:
    return found.head.endswith(('"', "'", "`"))


def _is_environment(found: Candidate) -> bool:
    return found.head.isupper() and found.head.rstrip(" \"'").endswith(("=", ":"))


def _is_expression(found: Candidate, value: str) -> bool:
    """Whether a bare value is code: a call, an index, an attribute, a number."""
    return found.after in ("(", "[", "{") or _is(_CODE, value)


def _names_itself(value: str) -> bool:
    """Whether a value is an identifier that names its content: `access_token`, `my-key-2`."""
    return _is(_IDENTIFIER, value) and _has(_NAMES_A_SECRET, value)
