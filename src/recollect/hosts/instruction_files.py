"""The files in which a project gives standing instructions to agents, hosts or not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from recollect.core.patterns import pattern

AGENTS_FILE: Final = "AGENTS.md"  # the one that most agents read
# How the block of ours in such a file begins: see `mirror.instruction_block`.
BLOCK_BEGINS: Final = b"<!-- recollect:begin "
# At the root of a project; git may not track them.
AT_THE_ROOT: Final = (
    "CLAUDE.md",
    AGENTS_FILE,
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


def has_block(path: Path) -> bool:
    """Whether a block of ours is in a file."""
    try:
        return BLOCK_BEGINS in path.read_bytes()
    except OSError:
        return False
