"""The files in which a project gives standing instructions to agents, hosts or not."""

from __future__ import annotations

import re
from typing import Final

from recollect.core.patterns import pattern

# At the root of a project; git may not track them.
AT_THE_ROOT: Final = (
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
)
IN_WORDS: Final = "CLAUDE.md, AGENTS.md, GEMINI.md, .cursor/rules and copilot-instructions.md"
_FILE = pattern(
    r"(?:[^\n]*/)?(?:CLAUDE|AGENTS|GEMINI)\.md\Z"
    r"|(?:[^\n]*/)?\.cursor/rules/[^\n]+\.(?:mdc|md)\Z|(?:[^\n]*/)?\.cursorrules\Z"
    r"|\.github/copilot-instructions\.md\Z|\.github/instructions/[^\n]+\.instructions\.md\Z",
    re.ASCII,
)


def gives_instructions(path: str) -> bool:
    """Whether a file of a project gives standing instructions to agents."""
    return _FILE.match(path) is not None
