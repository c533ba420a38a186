"""Regular expressions that compile on first use.

Compiling one takes up to three milliseconds, and Python does not cache it across processes. An
agent starts a new process for every event, and most events need few of our expressions.
"""

from __future__ import annotations

import re
from typing import Any, cast


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, but deferred."""
    return cast("re.Pattern[str]", _Lazy(text, flags))


class _Lazy:
    def __init__(self, text: str, flags: int) -> None:
        self._arguments = text, flags

    def __getattr__(self, name: str) -> Any:
        """Compile, and cache the attribute so that this runs once."""
        value = getattr(re.compile(*self._arguments), name)
        setattr(self, name, value)
        return value
