"""What the stages may ask of the memory. `app` gives it to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from recollect.capture.novelty import Known
from recollect.core.memory import Memory
from recollect.core.strength import Uses
from recollect.ledger.worktree import RecentWork
from recollect.search.selection import Candidate, Episode


class Talk(NamedTuple):
    """Part of a talk: who said what, and how much work there was in between."""

    said: Sequence[tuple[str, str]] = ()
    tools: Mapping[str, int] = {}  # by name, how often each was used
    exchanges: int = 0
    wrote: bool = False  # whether a tool changed files


class Mind(Protocol):
    """The memories that count where the agent works: the project's and the person's own."""

    def setting(self, name: str) -> Any:
        """The value of a configuration key."""

    def now(self) -> float:
        """The time, in seconds since 1970."""

    def author(self) -> str:
        """Who works here, as memories name their author."""

    def identify(self, draft: Mapping[str, Any], number: int) -> str:
        """The nonce of a draft, which is the given one of the event at hand."""

    def settle(self, nonce: str) -> None:
        """What was put aside with this nonce is kept, or need not be."""

    def keep(self, drafts: Mapping[str, Mapping[str, Any]]) -> list[Memory]:
        """Remember drafts by their nonces: safely spooled first, then in the ledger.

        Gives those that reached the ledger; the others follow with the next event.
        """

    def redact(self, text: str) -> str:
        """A text without secrets."""

    def is_own(self, memory: Memory) -> bool:
        """Whether the owner of this clone wrote a memory, as far as the memory says who did."""

    # Noticing

    def similar(self, text: str, limit: int) -> list[Memory]:
        """Memories of any status that share words with a text, the likest first."""

    def known(self, text: str, kind: str) -> Memory | None:
        """The public, active memory that says just this, of a kind if one is named."""

    def suggested(self) -> list[Known]:
        """What waits for review."""

    def documents(self) -> list[Known]:
        """What the project tells everybody: CLAUDE.md, AGENTS.md, README."""

    def is_rejected(self, fingerprint: str) -> bool:
        """Whether somebody said no to it before."""

    def suggest(
        self, draft: Mapping[str, Any], *, confidence: float, why: str, updates: str | None
    ) -> None:
        """Let somebody accept or reject a draft."""

    def touch(self, uids: Sequence[str]) -> None:
        """Note that memories were said again."""

    def alone(self) -> AbstractContextManager[None]:
        """Nobody else looks at what is known and adds to it while this lasts."""

    def talk(self) -> Talk:
        """What was said since the last time that `heard` was called."""

    def worked(self, talk: Talk) -> Talk:
        """Count the work of a talk; all of it since the last summary of the session."""

    def counted(self) -> None:
        """A summary was asked for: from here on it is counted anew."""

    def heard(self) -> None:
        """What was said has been looked at, and need not be again."""

    def note_failure(self, fingerprint: str, learning: Mapping[str, Any]) -> None:
        """Keep what a failed tool taught until it is solved."""

    def failures(self) -> list[Mapping[str, Any]]:
        """The unsolved failures of this session, newest first."""

    def solved(self, fingerprint: str) -> None:
        """A failure is solved."""

    def note_changes(self, paths: Sequence[str]) -> None:
        """Note which files were changed."""

    def changes(self) -> list[str]:
        """The files that were changed since the last failure was solved."""

    def note_goal(self, text: str) -> None:
        """Note what the session is about, the first time it is said."""

    def reached(self, what: str) -> None:
        """Note that the work came somewhere."""

    def unsummed(self) -> list[tuple[str, str, list[str]]]:
        """Sessions that ended without a summary: id, goal, what was reached."""

    def summed(self, session: str) -> None:
        """A session has its summary, or needs none."""

    def may_ask(self, pause: float) -> bool:
        """Whether the agent may be asked to draft; yes once in so many seconds."""

    def candidate(self, kind: str, text: str) -> Mapping[str, Any] | None:
        """The memory of a kind that a text is about, as candidate selection gives it."""

    def leave(self, name: str, text: str) -> str:
        """Leave a text for the agents of this session to read; gives where it is."""

    def follow_mirror(self, *, look: bool) -> None:
        """Bring the mirror up to date; with `look`, also where only its files have changed."""

    def guard(self, paths: Sequence[str]) -> str:
        """Why a tool must not write to these files; empty where it may."""

    # Recall

    def answering(self, text: str, limit: int, *, archived: bool = False) -> list[Candidate]:
        """Memories that answer a text; with `archived`, only those that were archived."""

    def uses(self, memories: Sequence[Memory]) -> Mapping[str, Uses]:
        """How often memories were of use: by uid."""

    def about_files(self, paths: Sequence[str], limit: int) -> list[Candidate]:
        """Memories that name these files."""

    def relative(self, path: str) -> str:
        """A path as memories name it: from the root of the working tree."""

    def is_inside(self, path: str) -> bool:
        """Whether a path lies in the working tree."""

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

    def give(self, context: str, memories: Sequence[Memory], *, standing: bool = False) -> None:
        """Note that memories were put in front of the agent: because they answer something, or
        because they are what a session starts with.
        """

    def recalled(self, context: str) -> list[Memory]:
        """The memories in a context of which nobody knows yet whether they helped."""

    def cite(self, context: str, uids: Sequence[str]) -> None:
        """Note that memories in a context helped; once is enough for one context."""

    def know(self, context: str, memories: Sequence[Memory]) -> None:
        """Note that the agent knows of memories, because it was there when they were kept."""

    def forget_given(self, context: str) -> None:
        """Note that the agent does not know any more what it was given."""

    def freshness(self, memories: Sequence[Memory]) -> Mapping[str, str]:
        """For memories that name files, whether those are as they were: by uid."""

    def begin(self, session: str) -> None:
        """Note that a session began."""

    def resume(self, session: str) -> None:
        """Note that a session goes on where it was."""

    def episode(self) -> Episode:
        """What the session is at."""

    def note_activity(self, words: Iterable[str], most: int) -> list[frozenset[int]]:
        """Note what a tool call is about; gives the last calls, oldest first, as hashes."""

    def mark_boundary(self, context: str, keep: int) -> None:
        """Note that the session turned to something else. The context must be redacted."""

    def sleep(self) -> Mapping[str, int] | None:
        """Look after the memories, if it is time and there is time: what was done, in numbers."""

    def end(self, session: str) -> None:
        """Note that a session ended, for whoever consolidates next."""
