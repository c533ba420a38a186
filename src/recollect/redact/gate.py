"""The gate to the disk: whatever is written goes through here first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.config.config import Config
from recollect.redact import Redactor


def make_redactor(config: Config, strategy: str | None = None) -> Redactor:
    """The redactor that a configuration asks for, or one that treats secrets in another way."""
    allowed = [digest.strip() for digest in config.text("redact.allowed").split(",")]
    return Redactor(
        strategy=strategy or config.text("redact.strategy"),
        allowed=[digest for digest in allowed if digest],
        home=str(Path.home()),
    )


def clean(redactor: Redactor, value: Any, warnings: list[str]) -> Any:
    """A value without secrets; what was found is told by its type, never by its text."""
    if isinstance(value, str):
        result = redactor.redact(value)
        if result.found:
            warnings.append("Taken out or reported: " + ", ".join(dict.fromkeys(result.found)))
        return result.text
    if isinstance(value, Mapping):
        return {key: clean(redactor, one, warnings) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [clean(redactor, one, warnings) for one in value]
    return value
