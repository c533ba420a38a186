"""The rules, most specific first: if two match the same text, the first one names it."""

from __future__ import annotations

from recollect.redact.entropy import RUN, is_random
from recollect.redact.people import (
    is_address,
    is_card,
    is_iban,
    is_phone,
    is_social_security,
)
from recollect.redact.rule import Rule
from recollect.redact.shapes import CONTEXT_RULES, SPOKEN
from recollect.redact.tokens import TOKENS
from recollect.redact.values import (
    is_connection,
    is_password,
    is_real_key,
    is_real_value,
    is_secret,
)

_PASSWORD_NAMES = ("password", "passwd", "passphrase", "passwort", "pwd", "_pass", "-pass")
_KEY_NAMES = tuple(
    f"{whose}{sign}key"
    for whose in (
        "access",
        "account",
        "api",
        "app",
        "auth",
        "crypt",
        "encryption",
        "license",
        "master",
        "private",
        "service",
        "signing",
        "storage",
    )
    for sign in ("_", "-", "")
)
_SECRET_NAMES = ("secret", "token", "credential", ":_auth", *_KEY_NAMES, "api key", "secret key")

# What may follow a name without changing its meaning: `secret_key`, `tokenValue`, `PWD2`.
_SUFFIX = (
    r"(?i:s|[_-]?(?:access[_-]?key|base|dev|key(?:[_-]?base)?|live|plain|prod|production|raw|"
    r"staging|string|test|text|value)|[_-]?\d{1,3})?(?![\w-])"
)
# From the name to the value: `=`, `: str =`, `"]: `, `">`, `", "`, `set_password(`, ` is `.
_SIGN = r"""(?:
    \\{0,3}["'`]?\]? [ \t]{0,8}
    (?: :[ \t]?[A-Za-z_][\w.\[\]|?]{0,30}[ \t]?= | :=|=>|={1,3}|: ) [ \t]{0,8}
  | ["']?[ \t]{0,8}\r?\n[ \t]{0,40}["']?value["']?[ \t]?:[ \t]{0,8}   # a variable of Kubernetes
  | \\{0,3}["'][ \t]{1,4}value[ \t]?=[ \t]?                          # an XML attribute
  | \((?=[rbu]?["'])
  | \\{0,3}["'],[ \t]{0,4}(?=["'])
  | >(?=[^<>\s]{1,300}</)
  | [ \t]{1,4}(?=\\{0,3}["'`])
  | [ \t]{1,4}(?:is|was)[ \t:]{1,4}
)"""
# In quotes, everything up to the closing one; bare, up to white space or ending punctuation.
_VALUE = r"""(?:
    \\{1,3} (?: "([^"\r\n]{1,300})" | '([^'\r\n]{1,300})' )
  | [rRbBuU]? (?: "((?:[^"\\\r\n]|\\.){1,300})" | '((?:[^'\\\r\n]|\\.){1,300})' )
  | `([^`\r\n]{1,300})`
  | ["'`]?([^\s"'`,;&|<>()\[\]{}]{1,300})
)"""
# Both types of name share it, so that it is compiled once.
_ASSIGNED = rf"(?x){_SUFFIX}{_SIGN}{_VALUE}"
_BARE = r"[^\s\"'`,;&|<>()\[\]{}]"
_OPTION = (
    r"--(?i:[a-z]{1,20}-){0,3}"
    r"(?i:password|passwd|passphrase|pass|pwd|secret|token|(?:api|access|auth|secret)-?key)"
    rf"[ \t]{{1,4}}[\"']?({_BARE}{{1,300}})"
)
_COMMAND = (
    r"(?:mysql(?:dump|admin)?|mariadb(?:-dump)?)\b[^\n|;]{0,120}?[ \t]-p[\"']?("
    + _BARE
    + r"{1,200})"
    r"|sshpass[ \t]+-p[ \t]*[\"']?(" + _BARE + r"{1,200})"
    r"|docker[ \t]+login\b[^\n|;]{0,120}?[ \t]-p[ \t]*[\"']?(" + _BARE + r"{1,200})"
    r"|redis-cli\b[^\n|;]{0,120}?[ \t]-a[ \t]*[\"']?(" + _BARE + r"{1,200})"
    r"|curl\b[^\n|;]{0,200}?[ \t](?:-u|--user)[ \t=]*[\"']?[\w.@+-]{1,80}:(" + _BARE + r"{1,200})"
    r"|-pass(?:in|out)[ \t]+pass:(" + _BARE + r"{1,200})"
    r"|(?i:identified[ \t]+by)[ \t]+[\"']([^\"'\s]{1,200})[\"']"
)

# The password in an address. It may contain a slash, but not after a port.
_ADDRESS = r"://[^\s:/@\"'<>]{0,80}:(?!\d{1,5}/)([^\s\"'<>]{1,200})@(?=[\w\[$])"

RULES: tuple[Rule, ...] = (
    Rule(
        "private-key",
        # If closed, everything between; if cut off, the lines that still look like a key.
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:[^-]|-(?!----))*+-----END [A-Z0-9 ]{0,40}(?:-----)?"
        r"|(?:(?:\\[nr]|[\s\"'+,|>#*])*+(?:[A-Z][A-Za-z-]{3,20}:[^\n]{0,120}\n|[A-Za-z0-9+/=]{12,}+))*+"
        r"(?:\s[A-Za-z0-9+/=]{1,75}(?!\S))?)",
        ("-----begin",),
        check=is_real_key,
    ),
    Rule(
        "private-key",
        r"MI[IG][A-Za-z0-9+/]{2,8}ADA[A-Z][Bg][A-Za-z0-9+/]{40,}={0,2}",
        ("mii", "mig"),
    ),
    *TOKENS,
    Rule(
        "jwt",
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*)?",
        ("eyj",),
        shows_ends=True,
    ),
    Rule("connection-string", _ADDRESS, ("://",), check=is_connection),
    Rule("basic-auth", _ADDRESS, ("://",), check=is_real_value),
    Rule(
        "authorization",
        r"(?i)authorization\\{0,3}[\"']?[ \t]{0,4}[:=,][ \t]{0,4}\\{0,3}[\"'`]?"
        r"(?:bearer|basic|token|apikey|api-key|negotiate|bot)[ \t]{1,4}"
        r"([A-Za-z0-9._~+/=:-]{6,2000})",
        ("authorization",),
        check=is_real_value,
    ),
    Rule(
        "authorization",
        r"(?i)bearer[ \t]{1,4}((?=[a-z._~+/=-]{0,60}\d)[A-Za-z0-9._~+/=-]{16,2000})",
        ("bearer",),
        check=is_real_value,
    ),
    *CONTEXT_RULES,
    Rule("password", _ASSIGNED, _PASSWORD_NAMES, check=is_password, behind=True),
    Rule("secret", _ASSIGNED, _SECRET_NAMES, check=is_secret, behind=True),
    *SPOKEN,
    Rule("password", _OPTION, ("--",), check=is_password),
    Rule(
        "password",
        _COMMAND,
        (
            "mysql",
            "mariadb",
            "sshpass",
            "docker",
            "redis-cli",
            "curl",
            "-passin",
            "-passout",
            "identified",
        ),
        check=is_real_value,
    ),
    Rule(
        "email",
        r"(?<![\w.+%~-])[\w.+%-]{1,64}+@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,6}[A-Za-z]{2,24}(?![\w(-])",
        within=("@",),
        check=is_address,
    ),
    Rule(
        "card-number",
        r"[2-6](?<![\w.+-].)(?:\d{13,15}"
        r"|\d{3}(?:(?: \d{4}){3}|(?:-\d{4}){3}| \d{6} \d{5}|-\d{6}-\d{5}))"
        r"(?![\w-]|\.\d)",
        check=is_card,
    ),
    Rule(
        "social-security-number",
        r"[0-8](?<![\w.+-].)\d\d-\d\d-\d{4}(?![\w-]|\.\d)",
        check=is_social_security,
    ),
    Rule(
        "iban",
        r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,4})?)"
        r"(?![A-Za-z0-9])",
        check=is_iban,
        personal=True,
    ),
    Rule(
        "phone-number",
        r"(?<![\w.+/-])(?:\+|00)[1-9]\d{0,2}[ .\-/]{0,2}(?:\(0?\d{1,5}\)[ .\-/]{0,2})?\d{1,12}"
        r"(?:[ .\-/]{1,2}\d{1,9}){0,5}(?![\w-])"
        r"|(?<![\w.+/-])\(?0\d{2,5}\)?[ \-/]{1,2}\d{3,9}(?:[ -]\d{1,6}){0,3}(?![\w-])"
        r"|(?<![\w.+/-])\(?[2-9]\d{2}\)?[ .-]\d{3}[.-]\d{4}(?![\w-])",
        check=is_phone,
        personal=True,
    ),
    Rule("high-entropy", RUN, check=is_random, shows_ends=True),
)
