"""The memory as the stages of a pipeline see it: the project's ledger and the person's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.app.keeping import drain, keep
from recollect.app.recollect import Recollect
from recollect.core.age import seconds_since
from recollect.core.memory import Memory
from recollect.core.names import parse_name
from recollect.flow.event import Event
from recollect.index.base import Filters
from recollect.ledger.worktree import RecentWork, compare_files, find_root, recent_work
from recollect.recall.injection import Candidate
from recollect.recall.scoring import recency
from recollect.recall.search import Hit, Question, search

# Working memory: which kinds, how many at most, how much the kind counts, and what it is there for.
_STANDING = (
    ("blockers", 5, 1.0, "it blocks the work"),
    ("constraints", 10, 0.9, "a limit that must be kept"),
    ("preferences", 10, 0.9, "how people here like it done"),
    ("sessions", 1, 0.8, "what the last session did"),
    ("decisions", 8, 0.7, "decided lately"),
    ("progress", 2, 0.6, "where the work stands"),
)
_PUBLIC = frozenset({"public"})
_ACTIVE = frozenset({"active"})
_MOST_FILES = 20


class RepositoryMind:
    """The memories that count in the directory where an agent works."""

    def __init__(self, store: Recollect, personal: Recollect | None, event: Event) -> None:
        self.store = store
        self.stores = [store] if personal is None else [store, personal]
        self._directory = Path(event.directory or ".")
        self._now = store.ledger.clock().timestamp()
        self._root: Path | None = None

    def setting(self, name: str) -> Any:
        """The value of a configuration key."""
        return self.store.config.explain(name).value

    def now(self) -> float:
        """The time at which the event came."""
        return self._now

    def redact(self, text: str) -> str:
        """A text without secrets. Where that fails nothing is kept: the error goes all the way."""
        from recollect.capture.redact import Redactor  # few prompts have something to keep

        return Redactor(home=str(Path.home())).redact(text).text

    def keep(self, drafts: Sequence[Mapping[str, Any]]) -> list[Memory]:
        """Remember what somebody asked to remember."""
        return keep(self.store, drafts)

    def drain(self) -> int:
        """Bring what waits to the ledger; how many that were."""
        return len(drain(self.store))

    # Candidates

    def size(self) -> int:
        """How many memories there are to choose from."""
        return sum(s.indexing.fresh().count(self._filters(s)) for s in self.stores)

    def answering(self, text: str, limit: int) -> list[Candidate]:
        """Memories that answer a text, by keywords: there is no time to load a model."""
        return [
            Candidate(
                hit.memory,
                hit.score,
                "its words answer",
                hit.words,
                hit.evidence,
                hit.why.vector,
                {**hit.why.as_json(), "words": hit.words, "evidence": hit.evidence},
            )
            for store in self.stores
            for hit in self._search(store, text, limit)
        ]

    def _search(self, store: Recollect, text: str, limit: int) -> list[Hit]:
        question = Question(text, limit, "text", self._filters(store))
        return store.indexing.using(
            lambda index: search(index, question, now=self._now, uses=store.local.usage.counts)
        )

    def about_files(self, paths: Sequence[str], limit: int) -> list[Candidate]:
        """Memories that name these files, the newest and most important first."""
        found: dict[str, Candidate] = {}
        for store in self.stores:
            for path in paths:
                wanted = self._filters(store, file=path)
                for memory in store.indexing.using(
                    lambda index, wanted=wanted: index.select(  # type: ignore[misc]
                        wanted, limit=limit, newest_first=True
                    )
                ):
                    found.setdefault(
                        memory.uid, self._candidate(memory, 1.0, "it names a file at hand")
                    )
        return list(found.values())

    def standing(self, limit: int) -> list[Candidate]:
        """Working memory: what blocks, what must be kept to, what was decided lately."""
        found: list[Candidate] = []
        for store in self.stores:
            index = store.indexing.fresh()
            for kind, most, weight, reason in _STANDING:
                wanted = self._filters(store, kind=kind, statuses=_ACTIVE)
                found += [
                    self._candidate(memory, weight, reason)
                    for memory in index.select(wanted, limit=most, newest_first=True)
                ]
        found.sort(key=lambda c: (-c.score, c.memory.uid))
        return found[:limit]

    def _candidate(self, memory: Memory, weight: float, reason: str) -> Candidate:
        passed = seconds_since(memory.created, self._now)
        born = None if passed is None else self._now - passed
        new = recency(born, self._now)
        parts = {"recency": new, "importance": memory.importance}
        score = weight + 0.2 * new + 0.15 * memory.importance
        return Candidate(memory, score, reason, parts=parts)

    def _filters(self, store: Recollect, **more: Any) -> Filters:
        return Filters(sensitivities=_PUBLIC, alive_at=self._now, project=store.project, **more)

    def surroundings(self) -> RecentWork:
        """What is being worked on."""
        if self.store.ledger.repository.is_user_ledger:
            return RecentWork()
        return recent_work(self.store.ledger.repository)

    # Files

    def _tree(self) -> Path:
        if self._root is None:
            directory = self._directory.absolute()
            self._root = find_root(directory) or directory
        return self._root

    def relative(self, path: str) -> str:
        """A path as memories name it: from the root of the working tree."""
        full = self._directory / path
        for root in (self._tree(), self._tree().resolve()):
            for candidate in (full, full.resolve()):
                if candidate.is_relative_to(root):
                    return candidate.relative_to(root).as_posix()
        return full.name

    def freshness(self, memories: Sequence[Memory]) -> Mapping[str, str]:
        """For memories that name files, whether those are as they were: by uid."""
        named = {}
        for memory in memories:
            files = tuple(dict.fromkeys((*memory.files_modified, *memory.files_read)))
            name, passed = parse_name(memory.id), seconds_since(memory.created, self._now)
            if files and name is not None and passed is not None and memory.project is None:
                named[memory.uid] = (name.anchor, self._now - passed, files[:_MOST_FILES])
        if not named or self.store.ledger.repository.is_user_ledger:
            return {}
        return compare_files(self.store.ledger.repository, self._tree(), named)

    # Sessions

    def given(self, context: str) -> Mapping[str, str]:
        """What the agent was given before: uid → version."""
        return self.store.local.sessions.given(context) if context else {}

    def give(self, context: str, memories: Sequence[Memory]) -> None:
        """Note that memories were put in front of the agent."""
        self.know(context, memories)
        self.store.local.usage.record([memory.uid for memory in memories], "injected", self._now)

    def know(self, context: str, memories: Sequence[Memory]) -> None:
        """Note that the agent knows of memories."""
        if context:
            known = [(memory.uid, memory.version) for memory in memories]
            self.store.local.sessions.give(context, known, self._now)

    def forget_given(self, context: str) -> None:
        """Note that the agent does not know any more what it was given."""
        self.store.local.sessions.forget_given(context)

    def begin(self, session: str) -> None:
        """Note that a session began."""
        self.store.local.make_folder()
        if session:
            self.store.local.sessions.begin(session, self._now)

    def end(self, session: str) -> None:
        """Note that a session ended, for whoever consolidates next."""
        if session:
            self.store.local.sessions.end(session, self._now)
