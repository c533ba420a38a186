"""What the stages may ask of the memory. `app` gives it to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from recollect.core.memory import Memory
from recollect.ledger.worktree import RecentWork
from recollect.recall.injection import Candidate


class Mind(Protocol):
    """The memories that count where the agent works: the project's and the person's own."""

    def setting(self, name: str) -> Any:
        """The value of a configuration key."""

    def now(self) -> float:
        """The time, in seconds since 1970."""

    def keep(self, drafts: Sequence[Mapping[str, Any]]) -> list[Memory]:
        """Remember what somebody asked to remember: safely spooled first, then in the ledger.

        Gives those that reached the ledger; the others follow with the next event.
        """

    def redact(self, text: str) -> str:
        """A text without secrets."""

    def answering(self, text: str, limit: int) -> list[Candidate]:
        """Memories that answer a text."""

    def about_files(self, paths: Sequence[str], limit: int) -> list[Candidate]:
        """Memories that name these files."""

    def relative(self, path: str) -> str:
        """A path as memories name it: from the root of the working tree."""

    def standing(self, limit: int) -> list[Candidate]:
        """Working memory: what blocks, what must be kept to, what was decided lately."""

    def surroundings(self) -> RecentWork:
        """What is being worked on: the branch, the last commits, the files they changed."""

    def drain(self) -> int:
        """Bring what waits in the spool to the ledger; how many that were."""

    def size(self) -> int:
        """How many memories there are to choose from."""

    def given(self, context: str) -> Mapping[str, str]:
        """What was given before in this context: uid → version."""

    def give(self, context: str, memories: Sequence[Memory]) -> None:
        """Note that memories were put in front of the agent."""

    def know(self, context: str, memories: Sequence[Memory]) -> None:
        """Note that the agent knows of memories, because it was there when they were kept."""

    def forget_given(self, context: str) -> None:
        """Note that the agent does not know any more what it was given."""

    def freshness(self, memories: Sequence[Memory]) -> Mapping[str, str]:
        """For memories that name files, whether those are as they were: by uid."""

    def begin(self, session: str) -> None:
        """Note that a session began."""

    def end(self, session: str) -> None:
        """Note that a session ended, for whoever consolidates next."""
