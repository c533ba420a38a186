"""The redaction gate: everything that is written passes through here first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from recollect.core.patterns import pattern

# Imported where used: a hook that stores nothing needs no rules.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.config.config import Config
    from recollect.hosts.protocol import Event
    from recollect.redact.redactor import Redactor

# Texts recently found clean: the ledger's gate does not search them again. So many characters are
# kept, enough for some thousands of memories that are captured at once.
_MOST_KNOWN = 8 << 20
_OVERHEAD = 100
# Characters of a plain name. No rule matches a secret in a name this short.
_PLAIN_NAME = 20
_SHORTEST_TOKEN = 16
_UUID_DIGITS = 32
# An author as git writes one: a name, and an address in angle brackets.
_AUTHOR = "author"
_IDENTITY = pattern(r"([^<>\n]{0,100})(<[^<>\s@]{1,100}@[^<>\s@]{1,100}>)\Z")
# A value under such a name is judged together with the name, as in `"password": "…"`.
_TELLING = ("pass", "pwd", "secret", "token", "credential", "key", "auth")


class Gate:
    """Removes secrets from values of any shape; each text is searched once."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self._known: dict[str, None] = {}
        self._size = 0

    def __call__(self, value: Any, warnings: list[str] | None = None) -> Any:
        """Return the value as it may be written: texts, items, keys and values of objects."""
        if isinstance(value, str):
            return self._text(value, warnings)
        if isinstance(value, Mapping):
            return self._object(value, warnings)
        if isinstance(value, list | tuple | set | frozenset):
            return [self(item, warnings) for item in value]
        return value

    def _text(self, text: str, warnings: list[str] | None) -> str:
        if text in self._known:
            return text
        result = self.redactor.redact(text)
        if result.found and warnings is not None:
            warnings.append("Redacted or reported: " + ", ".join(dict.fromkeys(result.found)))
        if not result.found or result.text != text:
            self._size += len(result.text) + _OVERHEAD
            if self._size > _MOST_KNOWN:
                self._known.clear()
                self._size = len(result.text) + _OVERHEAD
            self._known[result.text] = None
        return result.text

    def _object(self, value: Mapping[Any, Any], warnings: list[str] | None) -> dict[Any, Any]:
        cleaned: dict[Any, Any] = {}
        for key, item in value.items():
            name = key if _is_plain(key) else self(key, warnings)
            if name != key:  # two secrets must not become one key
                name = next(n for n in _numbered(str(name)) if n not in cleaned and n not in value)
            if key == _AUTHOR and isinstance(item, str) and (who := _IDENTITY.match(item)):
                # The address identifies the author, as in git itself.
                cleaned[name] = f"{self(who[1], warnings)}{who[2]}"
                continue
            item = self._named(key, item, warnings) if isinstance(item, str) else item
            cleaned[name] = self(item, warnings)
        return cleaned

    def _named(self, key: Any, text: str, warnings: list[str] | None) -> str:
        """Redact a value that only its name reveals, such as the password in `{"password": …}`."""
        if not isinstance(key, str) or "\n" in text or '"' in text or "\\" in text:
            return text
        if not any(part in key.lower() for part in _TELLING):
            return text
        head = f'{key} = "'
        shown = self._text(f'{head}{text}"', warnings)
        inside = shown.startswith(head) and shown.endswith('"')
        return shown[len(head) : -1] if inside else text


def _is_plain(key: Any) -> bool:
    """Whether a key is a short, plain name such as `summary`, which cannot contain a secret."""
    return not isinstance(key, str) or (
        len(key) <= _PLAIN_NAME and key.isascii() and key.replace("_", "").isalpha()
    )


def _numbered(name: str) -> Any:
    """Yield a name, then the same name with numbers."""
    yield name
    number = 2
    while True:
        yield f"{name} {number}"
        number += 1


def make_redactor(config: Config, strategy: str | None = None) -> Redactor:
    """Return the redactor for a configuration, or one with another strategy."""
    from recollect.redact.redactor import Redactor

    allowed = [digest.strip() for digest in config.text("redact.allowed").split(",")]
    return Redactor(
        strategy=strategy or config.text("redact.strategy"),
        allowed=[digest for digest in allowed if digest],
        home=str(Path.home()),
        personal=config.flag("redact.personal"),
    )


def clean(redactor: Redactor, value: Any, warnings: list[str]) -> Any:
    """Return a value without secrets; warnings name the type of a secret, never its text."""
    return Gate(redactor)(value, warnings)


def marked(config: Config, name: str) -> str:
    """Redact a name that is always written, such as a branch, without blocking the write."""
    return name if _is_plain(name) else make_redactor(config, "redact").redact(name).text


def clean_event(event: Event, config: Config) -> Event:
    """Return an event with redacted names: ids, the source and the tool are foreign text."""
    names = (event.session, event.agent, event.source, event.tool)
    if all(map(is_id, names)):
        return event
    session, agent, source, tool = (n if is_id(n) else marked(config, n) for n in names)
    return event._replace(session=session, agent=agent, source=source, tool=tool)


def is_id(name: str) -> bool:
    """Whether a name is short, or a UUID as agents use them, and so cannot contain a secret."""
    if len(name) <= _SHORTEST_TOKEN - 4:
        return True
    digits = name.replace("-", "")
    return len(digits) == _UUID_DIGITS and not digits.strip("0123456789abcdef")


def redact_message(value: Any) -> Any:
    """Redact a message for display and logs: rejected text may contain a secret."""
    from recollect.redact.redactor import Redactor

    return Gate(Redactor())(value)


def project_name(config: Config, directory: Path) -> str:
    """Return the path that memories outside a repository belong to, without tokens.

    A part of the hash distinguishes two directories whose names contain different tokens.
    """
    path = str(directory)
    if not any(_may_be_token(part) for part in directory.parts):
        return path
    found = make_redactor(config, "redact").tokens_in(path)
    if not found:
        return path
    from hashlib import sha256

    for token in found:
        digest = sha256(token.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        path = path.replace(token, f"REDACTED-{digest}")
    return path


def _may_be_token(part: str) -> bool:
    return len(part) >= _SHORTEST_TOKEN and any(char.isdigit() for char in part)
