"""Regular expressions that are compiled when they are first used.

To compile one takes up to three milliseconds, and Python keeps none of it: an agent starts a new
process for every event, and most events need few of our expressions.
"""

from __future__ import annotations

import re
from typing import Any, cast


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, only later."""
    return cast("re.Pattern[str]", _Lazy(text, flags))


class _Lazy:
    def __init__(self, text: str, flags: int) -> None:
        self._arguments = text, flags

    def __getattr__(self, name: str) -> Any:
        """Compile, and keep what was asked for: it is not asked for again."""
        value = getattr(re.compile(*self._arguments), name)
        setattr(self, name, value)
        return value
