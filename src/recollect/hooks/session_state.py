"""The part of a hook session that records: session starts and ends, injections, episodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.status import UNCONFIRMED
from recollect.core.strength import UNUSED, Uses, together
from recollect.hosts.protocol import Event
from recollect.search.selection import Episode
from recollect.state.database import StateError
from recollect.state.salting import salted_hash
from recollect.state.sessions import TITLE_OF, WHOLE_TITLE
from recollect.state.usage import STANDING

# Limits of sleep in a hook, for a fifth of a second: memories to read, at 0.2 ms each, and writes,
# at 1.3 ms each.
_MOST_SLEEP_MEMORIES, _MOST_WRITES = 500, 50


class RecordedSession:
    """The base of a hook session: what the agent's sessions did, as local state.

    It records which memories each context holds and which of them helped, when sessions start and
    end, and which episodes they have. A context is the context window of a session or a subagent.
    """

    def __init__(self, store: Recollect, event: Event) -> None:
        self.store = store
        self._event = event
        self._now = store.ledger.clock().timestamp()
        self._episode: Episode | None = None
        store.local.make_folder()  # later hooks need this state

    def injected(self, context: str) -> Mapping[str, str]:
        """Return the memories that a context holds: uid → version."""
        return self.store.local.sessions.given(context) if context else {}

    def record_injected(
        self, context: str, memories: Sequence[Memory], *, standing: bool = False
    ) -> None:
        """Record that memories were injected. `standing`: without being asked for."""
        self._add_to_context(context, memories)
        event = STANDING if standing else "injected"
        self.store.local.usage.record([memory.uid for memory in memories], event, self._now)

    def record_titles(
        self, context: str, memories: Sequence[Memory], whole: Sequence[Memory] = ()
    ) -> None:
        """Record that a context holds the titles of memories; they can still come in full.

        Those in `whole` say no more than their title, so the context has all of them.
        """
        if context:
            titles = [(memory.uid, TITLE_OF + memory.version) for memory in memories]
            titles += [(memory.uid, WHOLE_TITLE + memory.version) for memory in whole]
            with suppress(StateError):
                self.store.local.sessions.give(context, titles, self._now)

    def uncited(self, context: str) -> list[Memory]:
        """Return the memories in a context that the agent has not cited yet."""
        given = self.store.local.sessions.uncited(context) if context else []
        return self.store.indexing.using(lambda index: index.get_many(given))

    def record_cited(self, context: str, uids: Sequence[str]) -> None:
        """Record that the agent used memories of its context."""
        self.store.local.sessions.cite(context, uids)
        self.store.local.usage.record(uids, "cited", self._now)
        self.store.local.noticed.cite(uids, self._event.session, self._now)

    def used_enough(self, uids: Sequence[str], sessions: int) -> list[str]:
        """Return the unconfirmed memories among some that so many other sessions have cited."""
        found = self.store.indexing.using(lambda index: index.get_many(list(uids)))
        noticed = self.store.local.noticed
        return [
            memory.uid
            for memory in found
            if memory.status == UNCONFIRMED
            and len(set(noticed.cited_in(memory.uid)) - {memory.session}) >= sessions
        ]

    def uses(self, memories: Sequence[Memory]) -> Mapping[str, Uses]:
        """Return the uses of memories by uid, including those of their sources."""
        parts = {memory.uid: (memory.uid, *memory.sources) for memory in memories}
        found = self.store.local.usage.uses([uid for own in parts.values() for uid in own])
        return {
            uid: together([found.get(part, UNUSED) for part in own]) for uid, own in parts.items()
        }

    def mark_known(self, context: str, memories: Sequence[Memory]) -> None:
        """Record memories that the agent knows without injection: citing them is no sign of use."""
        self._add_to_context(context, memories)
        if context:
            with suppress(StateError):
                self.store.local.sessions.cite(context, [memory.uid for memory in memories])

    def _add_to_context(self, context: str, memories: Sequence[Memory]) -> None:
        """Record what a context holds. Broken local state must not prevent a capture."""
        if context:
            known = [(memory.uid, memory.version) for memory in memories]
            with suppress(StateError):
                self.store.local.sessions.give(context, known, self._now)

    def forget_injected(self, context: str) -> None:
        """Record that a context is empty again."""
        self.store.local.sessions.forget_given(context)

    def begin_session(self, session: str) -> None:
        """Record that a session started."""
        if session:
            self.store.local.sessions.begin(session, self._now)

    def resume_session(self, session: str) -> None:
        """Record that a session was resumed."""
        if session:
            self.store.local.episodes.resume(session, self._now)

    def current_episode(self) -> Episode:
        """Return the episode that the session is in."""
        if self._episode is None:
            session, episodes = self._event.session, self.store.local.episodes
            self._episode = Episode(session, episodes.began(session), episodes.pauses(session))
        return self._episode

    def note_activity(self, words: Iterable[str], most: int) -> list[frozenset[int]]:
        """Record the words of a tool call as hashes; return the last calls, oldest first."""
        episodes, session = self.store.local.episodes, self._event.session
        hashes = {salted_hash(word, episodes.salt()) for word in words}
        episodes.note(session, hashes, self._now, most)
        return episodes.recent(session)

    def mark_boundary(self, context: str, keep: int) -> None:
        """Record that the session turned to another topic."""
        self.store.local.episodes.mark(self._event.session, context, self._now, keep)
        self._episode = None

    def sleep(self) -> Mapping[str, int] | None:
        """Run sleep, if it is due and there are few enough memories for a hook."""
        if not self.store.local.maintenance.is_due(self._now):
            return None
        if not self.store.local.maintenance.claim_attempt(self._now):
            return {"postponed": 1}
        from recollect.sleep.run import sleep_if_due

        plan = sleep_if_due(self.store, most=_MOST_SLEEP_MEMORIES, writes=_MOST_WRITES)
        if plan is None:
            return None
        return {"merged": len(plan.merges), "steps": len(plan.steps)}

    def end_session(self, session: str) -> None:
        """Record that a session ended."""
        if session:
            self.store.local.sessions.end(session, self._now)
