"""What the stages of a pipeline may ask of sessions: their course, and what they were given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.strength import UNUSED, Uses, together
from recollect.hosts.protocol import Event
from recollect.search.selection import Episode
from recollect.state.database import StateError
from recollect.state.usage import STANDING

# What fits into a fifth of a second at a session's start: so many memories to look at, at 0.2 ms
# each, and so many writes, at 1.3 ms.
_MOST_ASLEEP, _MOST_WRITES = 500, 50


class RecordedSession:
    """The sessions in the directory where an agent works."""

    def __init__(self, store: Recollect, event: Event) -> None:
        self.store = store
        self._event = event
        self._now = store.ledger.clock().timestamp()
        self._episode: Episode | None = None
        store.local.make_folder()  # what one hook notes, the next one must know

    def given(self, context: str) -> Mapping[str, str]:
        """What the agent was given before: uid → version."""
        return self.store.local.sessions.given(context) if context else {}

    def give(self, context: str, memories: Sequence[Memory], *, standing: bool = False) -> None:
        """Note that memories were put in front of the agent."""
        self._put(context, memories)
        event = STANDING if standing else "injected"
        self.store.local.usage.record([memory.uid for memory in memories], event, self._now)

    def recalled(self, context: str) -> list[Memory]:
        """The memories in a context that were not cited in it yet."""
        given = self.store.local.sessions.uncited(context) if context else []
        return self.store.indexing.using(lambda index: index.get_many(given))

    def cite(self, context: str, uids: Sequence[str]) -> None:
        """Note that memories in a context helped."""
        self.store.local.sessions.cite(context, uids)
        self.store.local.usage.record(uids, "cited", self._now)

    def uses(self, memories: Sequence[Memory]) -> Mapping[str, Uses]:
        """How often memories were of use, with what they were merged from: by uid."""
        parts = {memory.uid: (memory.uid, *memory.sources) for memory in memories}
        found = self.store.local.usage.uses([uid for own in parts.values() for uid in own])
        return {
            uid: together(found.get(part, UNUSED) for part in own) for uid, own in parts.items()
        }

    def know(self, context: str, memories: Sequence[Memory]) -> None:
        """Note that the agent knows of memories; that it says them is no sign that they helped."""
        self._put(context, memories)
        if context:
            with suppress(StateError):
                self.store.local.sessions.cite(context, [memory.uid for memory in memories])

    def _put(self, context: str, memories: Sequence[Memory]) -> None:
        """Note what is in a context; broken notes are worth less than what is kept."""
        if context:
            known = [(memory.uid, memory.version) for memory in memories]
            with suppress(StateError):
                self.store.local.sessions.give(context, known, self._now)

    def forget_given(self, context: str) -> None:
        """Note that the agent does not know any more what it was given."""
        self.store.local.sessions.forget_given(context)

    def begin(self, session: str) -> None:
        """Note that a session began."""
        if session:
            self.store.local.sessions.begin(session, self._now)

    def resume(self, session: str) -> None:
        """Note that a session goes on where it was."""
        if session:
            self.store.local.episodes.resume(session, self._now)

    def episode(self) -> Episode:
        """What the session is at."""
        if self._episode is None:
            session, episodes = self._event.session, self.store.local.episodes
            self._episode = Episode(session, episodes.began(session), episodes.pauses(session))
        return self._episode

    def note_activity(self, words: Iterable[str], most: int) -> list[frozenset[int]]:
        """Note what a tool call is about, by hashes; gives the last calls, oldest first."""
        episodes, session = self.store.local.episodes, self._event.session
        hashes = {salted_hash(word, episodes.salt()) for word in words}
        episodes.note(session, hashes, self._now, most)
        return episodes.recent(session)

    def mark_boundary(self, context: str, keep: int) -> None:
        """Note that the session turned to something else."""
        self.store.local.episodes.mark(self._event.session, context, self._now, keep)
        self._episode = None

    def sleep(self) -> Mapping[str, int] | None:
        """Look after the project's memories, if it is time and they are few enough for a hook."""
        if not self.store.local.maintenance.is_due(self._now):
            return None
        if not self.store.local.maintenance.may_try(self._now):
            return {"put_off": 1}
        from recollect.sleep.run import sleep_if_due

        plan = sleep_if_due(self.store, most=_MOST_ASLEEP, writes=_MOST_WRITES)
        if plan is None:
            return None
        return {"merged": len(plan.merges), "steps": len(plan.steps)}

    def end(self, session: str) -> None:
        """Note that a session ended, for whoever consolidates next."""
        if session:
            self.store.local.sessions.end(session, self._now)


def salted_hash(word: str, salt: bytes) -> int:
    """A number for a word that nobody can guess the word from without the salt."""
    import hashlib

    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=6, key=salt).digest())
