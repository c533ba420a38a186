"""The prefixes of what the log of a session holds; `session_summary` reads it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

FILE: Final = "changed "
DONE: Final = "done: "  # what the agent reports
OPEN: Final = "open: "  # what the agent says is left
CORRECTED: Final = "corrected: "  # what a person said instead
WRONG: Final = "wrong: "  # what was kept, and a person took back later
TURN: Final = "turn "  # a prompt, by the salted hash of its text
TESTS_PASS: Final = "tests pass"  # noqa: S105
TESTS_FAIL: Final = "tests fail"
COMMIT_MADE: Final = "commit made: "
