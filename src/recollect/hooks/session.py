"""The hook session: everything that the stages of a pipeline may read or write for one event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from recollect.api.recollect import Recollect
from recollect.capture.unconfirmed import without_expired
from recollect.core.age import seconds_since
from recollect.core.kinds import SESSIONS
from recollect.core.memory import READ_IN, Memory
from recollect.core.status import UNCONFIRMED
from recollect.core.strength import Uses
from recollect.hooks.marking import files_named, without_private
from recollect.hooks.session_logging import LoggingSession
from recollect.hosts.protocol import PROMPT, TOOL_FAILURE, Event
from recollect.index.protocol import Filters, Index
from recollect.ledger.git import beside
from recollect.search.constants import (
    IMPORTANCE_WEIGHT,
    INDEX_AT_HAND,
    INDEX_USE,
    MOST_PENDING_AT_HOOK,
    PARALLEL_SECONDS,
    RECENCY_WEIGHT,
    UNCONFIRMED_FACTOR,
    USED_OFTEN,
    WORKING_MEMORY,
)
from recollect.search.gate import Features, about, answers, strongest
from recollect.search.scoring import Why, recency
from recollect.search.search import TITLE_TAGS, Hit, Question, search
from recollect.search.selection import Candidate, Skipped, Sorted, belongs_to
from recollect.search.triggers import Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.ledger.surroundings import Surroundings
    from recollect.ledger.worktree import RecentWork

_ACTIVE, _ARCHIVED, _UNCONFIRMED = map(frozenset, ({"active"}, {"archived"}, {UNCONFIRMED}))
_SESSIONS = 10  # sessions to choose the last one from
_MOST_READ = 200  # memories from the instructions of a project
_INDEXED = 2  # memories to choose each title of the index from
# Events whose text is worth a search by meaning; paths and commit messages are not.
_BY_MEANING = (PROMPT, TOOL_FAILURE)


class HookSession(LoggingSession):
    """The memories for one event: the project's store and the user's own, if there is one.

    A hook session lives for one event. The stages of a pipeline call it for everything outside the
    event: settings, search, capture, suggestions, transcript, files and local state. It has five
    parts: `RecordedSession` (what sessions did), `KeepingSession` (capture), `ObservingSession`
    (conversation and tools), `LoggingSession` (summaries) and this class (search and the rest).
    """

    _recent: RecentWork | None = None
    _asked_recent: Callable[[], RecentWork] | None = None
    _surroundings: Surroundings | None = None

    def for_event(self, event: Event) -> HookSession:
        """Return a hook session for another event, with the same stores."""
        return HookSession(self.store, next(iter(self.stores[1:]), None), event)

    def setting(self, name: str) -> Any:
        """Return the value of a configuration key."""
        return self.store.config.explain(name).value

    def now(self) -> float:
        """Return the time of the event, in seconds."""
        return self._now

    def author(self) -> str:
        """Return the author of new memories."""
        return self.store.ledger.author

    def update_mirror(self, *, read_files: bool) -> None:
        """Bring the mirror up to date, if it is enabled."""
        if self.store.config.flag("mirror.enabled"):
            from recollect.mirror.mirror import follow

            follow(self.store, look=read_files)
        from recollect.state.instruction_blocks import files_with_block

        if files_with_block(self.store.ledger.repository.state_dir):
            from recollect.mirror.instruction_block import refresh

            refresh(self.store)

    def check_mirror(self, paths: Sequence[str]) -> list[str]:
        """Check the mirror after a tool wrote to these files; return what the agent should know."""
        from recollect.mirror.guard import touches_mirror

        if not touches_mirror(self.store.config, paths, str(self._directory)):
            return []
        from recollect.mirror.mirror import after_write

        return [self.redact(text) for text in after_write(self.store)]

    def mirror_denial(self, paths: Sequence[str]) -> str:
        """Return why a tool must not write to these files; empty if it may."""
        if not self.store.config.flag("mirror.enabled") or self.store.work_tree is None:
            return ""
        from recollect.mirror.denial import denial

        return denial(self.store, paths, self._directory)

    # Search

    def surroundings(self) -> Surroundings:
        """Return the package and the specification that the session works in."""
        if self._surroundings is None:
            self._surroundings = self._detect()
        return self._surroundings

    def _detect(self) -> Surroundings:
        from recollect.ledger.surroundings import Surroundings, detect  # a start only

        repository, tree = self.store.ledger.repository, self.store.work_tree
        if repository.is_user_ledger or tree is None:
            return Surroundings()

        def is_used(spec: str) -> bool:
            return self.store.indexing.fresh().count(Filters(spec=spec)) > 0

        return detect(tree, self._directory.absolute(), repository.branch, is_used)

    def _is_of_other_spec(self, memory: Memory) -> bool:
        """Whether a memory belongs to another specification than the one of the branch."""
        specs = self.surroundings().specs
        return bool(specs) and memory.spec is not None and memory.spec.lower() not in specs

    def _at_hand(self, memory: Memory) -> float:
        """Return what the specification of the branch and the package at hand add to a score."""
        here = self.surroundings()
        has_spec = memory.spec is not None and memory.spec.lower() in here.specs
        files = (*memory.files_modified, *memory.files_read)
        in_package = bool(here.folder) and any(f.startswith(f"{here.folder}/") for f in files)
        is_tagged = bool(here.project) and here.project in memory.tags
        return INDEX_AT_HAND * (has_spec + (in_package or is_tagged))

    def meaning_of(self, kind: str) -> str:
        """Return what the user means by a kind; empty if they have not described it."""
        described = self.store.config.settings.get(f"kinds.{kind}.description")
        return "" if described is None or described.source == "default" else str(described.value)

    def count_memories(self) -> int:
        """Return the number of memories that could be injected."""
        return sum(s.indexing.fresh().count(self._filters(s)) for s in self.stores)

    def search(
        self, text: str, limit: int, *, archived: bool = False, asked: bool = False
    ) -> list[Candidate]:
        """Find memories that may answer a text, the likeliest first.

        It searches by keywords and, if a model is loaded, by meaning.
        """
        episode, files = self.current_episode(), frozenset(files_named(self._event))
        found, by_points = [], self.setting("recall.match_strategy") == TITLE_TAGS
        for store in self.stores:
            for hit in self._search(store, text, limit, archived=archived, asked=asked):
                if by_points:
                    # Points are the user's choice, so the gate does not judge: every hit counts.
                    points = partial(dict[str, float], points=hit.score)
                    found.append(
                        Candidate(hit.memory, hit.score, "points", hit.words, 1.0, explain=points)
                    )
                    continue
                named = {*hit.memory.files_modified, *hit.memory.files_read}
                features = hit.features._replace(
                    episode=float(belongs_to(hit.memory, episode)),
                    at_hand=float(not files.isdisjoint(named)),
                )
                is_about = about(features)
                likely = is_about * answers(features)
                explain = partial(_explain, likely, is_about, features, hit.why)
                reason = "matching words" if hit.words else "similar meaning"
                found.append(
                    Candidate(hit.memory, likely, reason, hit.words, likely, is_about, explain)
                )
        return sorted(found, key=lambda c: (-c.probability, -c.score, c.memory.uid))

    def _search(
        self, store: Recollect, text: str, limit: int, *, archived: bool, asked: bool
    ) -> list[Hit]:
        filters = self._filters(store, **({"statuses": _ARCHIVED} if archived else {}))
        strategy = self.setting("recall.match_strategy")
        # Only points are a way of their own; `text` is `hybrid` without vectors.
        mode = strategy if strategy == TITLE_TAGS else "hybrid"
        by_meaning = strategy in ("hybrid", "semantic") and self._event.name in _BY_MEANING
        question = Question(
            text,
            limit,
            mode,
            filters,
            candidates=0,
            asked=asked,
            word_vectors=by_meaning and store.config.text("embedding.model") != "none",
        )

        def find(index: Index) -> list[Hit]:
            if archived and not index.count(question.filters):
                return []
            embed = self._embed(store, index) if by_meaning else None
            return search(
                index,
                question,
                now=self._now,
                embed=embed,
                uses=store.local.usage.uses,
                decay_per_day=store.config.number("sleep.decay_per_day"),
                half_life_days=store.config.number("recall.half_life_days"),
                beside=self.beside() if embed is not None and self._beside is None else None,
            )

        found = store.indexing.using(find)
        alive = {memory.uid for memory in without_expired(store, [hit.memory for hit in found])}
        return [hit for hit in found if hit.memory.uid in alive]

    def _embed(self, store: Recollect, index: Index) -> Callable[[str], bytes] | None:
        """Return how to embed a text. After a prompt, the model reads it for wishes, too."""
        embed = store.indexing.embed_query(index, MOST_PENDING_AT_HOOK)
        if embed is None or self._event.name != PROMPT or self._event.agent:
            return embed

        def embed_and_read(text: str) -> bytes:
            vector = embed(text)
            self.read_ahead(without_private(self._event.text))
            return vector

        return embed_and_read

    def keep_vectors(self) -> None:
        """Prepare the next search by meaning, if a model is loaded."""
        for store in self.stores:
            store.indexing.keep_vectors()

    def memories_about(self, paths: Sequence[str], limit: int) -> list[Candidate]:
        """Find memories that name these files, the newest and most important first."""
        found: dict[str, Candidate] = {}
        for store in self.stores:
            for path in paths:
                wanted = self._filters(store, file=path)
                named = store.indexing.using(
                    lambda index, wanted=wanted: index.newest(  # type: ignore[misc]
                        wanted, limit, self._now
                    )
                )
                for memory in without_expired(store, named):
                    found.setdefault(
                        memory.uid, self._candidate(memory, 1.0, "names a touched file")
                    )
        return list(found.values())

    def working_memory(self, limit: int) -> list[Candidate]:
        """Return the newest memories of the kinds in `WORKING_MEMORY`, the best first.

        Nobody stands by an unconfirmed memory, so a session starts with its title only.
        """
        found: list[Candidate] = []
        for store in self.stores:
            index = store.indexing.fresh()
            for kind, most, weight, reason in WORKING_MEMORY:
                wanted = self._filters(store, kind=kind, statuses=_ACTIVE)
                if kind == SESSIONS:
                    found += self._last_sessions(index, wanted, weight, reason)
                    continue
                found += [
                    self._candidate(memory, weight + self._at_hand(memory), reason)
                    for memory in self._newest(index, wanted, most)
                    if not self._is_of_other_spec(memory)
                ]
        found.sort(key=lambda c: (-c.score, c.memory.uid))
        return found[:limit]

    def memories_for_index(self, limit: int) -> list[Candidate]:
        """Return the memories whose titles a session starts with, the best first."""
        found: list[Candidate] = []
        for store in self.stores:
            wanted, index = self._filters(store), store.indexing.fresh()
            newest = without_expired(store, self._newest(index, wanted, _INDEXED * limit))
            uses = self.uses(newest)
            found += [
                self._candidate(memory, self._title_weight(memory, uses[memory.uid]), "index")
                for memory in newest
                if memory.kind != SESSIONS  # the last one is there in full
            ]
        return sorted(found, key=lambda c: (-c.score, c.memory.uid))

    def _title_weight(self, memory: Memory, used: Uses) -> float:
        """Return what use, the episode and the last commits of the branch add to a title."""
        weight = INDEX_USE * min(1.0, used.times / USED_OFTEN)
        if belongs_to(memory, self.current_episode()):
            weight += INDEX_AT_HAND
        if not {*memory.files_modified, *memory.files_read}.isdisjoint(self.recent_work().files):
            weight += INDEX_AT_HAND
        return weight + self._at_hand(memory)

    def without_read(self, candidates: Iterable[Candidate]) -> Sorted:
        """Leave out what the agent reads anyway, in a file with its standing instructions."""
        kept, skipped = [], []
        for candidate in candidates:
            if self._reads(candidate.memory):
                skipped.append(Skipped(candidate.memory.uid, "the agent reads its file anyway"))
            else:
                kept.append(candidate)
        return kept, skipped

    def _reads(self, memory: Memory) -> bool:
        files = memory.provenance.get(READ_IN)
        names = map(str, files) if isinstance(files, list | tuple) else ()
        read = self._host.INSTRUCTIONS
        return any(name in read or name.rpartition("/")[2] in read for name in names)

    def _newest(self, index: Index, wanted: Filters, most: int) -> list[Memory]:
        """Return the newest memories; what the agent reads anyway takes no place."""
        found = index.newest(wanted, most, self._now)
        if any(map(self._reads, found)):
            found = index.newest(wanted, most + _MOST_READ, self._now)
        return [memory for memory in found if not self._reads(memory)][:most]

    def _last_sessions(
        self, index: Index, wanted: Filters, weight: float, reason: str
    ) -> list[Candidate]:
        """Return the last session of this person and, after it, one that ran beside it."""
        from recollect.search.by_time import changed, last_sessions

        resumed = self._event.session if self._event.source == "resume" else None
        found = last_sessions(index, wanted, self._now, _SESSIONS)
        sessions = [m for m in found if resumed is None or m.session != resumed]
        sessions.sort(key=self.is_own, reverse=True)
        beside = [m for m in sessions[1:] if self._now - changed(m, self._now) < PARALLEL_SECONDS]
        first = [self._candidate(memory, weight, reason) for memory in sessions[:1]]
        return first + [self._candidate(m, weight / 2, "ran beside it") for m in beside[:1]]

    def answer(self, plan: Plan) -> list[Candidate]:
        """Return what answers a question without a topic, the best first."""
        from recollect.search import by_time

        statuses = by_time.STATUSES if self.setting("capture.mode") == "auto" else _ACTIVE
        found = [
            one
            for store in self.stores
            for one in by_time.answer(
                store.indexing.fresh(), plan, self._filters(store, statuses=statuses), self._now
            )
        ]
        return [
            self._candidate(memory, 1.0, reason)._replace(score=1.0 - number / 100)
            for number, (memory, reason) in enumerate(found)
        ]

    def _candidate(self, memory: Memory, weight: float, reason: str) -> Candidate:
        passed = seconds_since(memory.created, self._now)
        born = None if passed is None else self._now - passed
        new = recency(born, self._now)
        score = weight + RECENCY_WEIGHT * new + IMPORTANCE_WEIGHT * memory.importance
        if memory.status == UNCONFIRMED:
            score *= UNCONFIRMED_FACTOR
        parts = {"recency": new, "importance": memory.importance}
        return Candidate(memory, score, reason, explain=lambda: parts)

    def recent_work(self) -> RecentWork:
        """Return the last commits of the branch and their files."""
        if self._recent is None:
            self._recent = (self._asked_recent or self._ask_recent)()
        return self._recent

    def _ask_recent(self) -> RecentWork:
        from recollect.ledger.worktree import RecentWork, recent_work

        repository = self.store.ledger.repository
        return RecentWork() if repository.is_user_ledger else recent_work(repository)

    def look_ahead(self) -> None:
        """Begin to ask git for the last commits and the author, if there are memories."""
        if self.count_memories():
            self._asked_recent = beside(self._ask_recent, "commits")
            self.store.ledger.ask_author()

    # Files

    def file_states(self, memories: Sequence[Memory]) -> Mapping[str, str]:
        """Return for memories that name files, by uid, whether these files have changed."""
        from recollect.ledger.worktree import compare_files, files_since

        named = {m.uid: files for m in memories if (files := files_since(m, self._now)) is not None}
        if not named or self.store.ledger.repository.is_user_ledger:
            return {}
        return compare_files(self.store.ledger.repository, self._tree(), named)


def _explain(likely: float, is_about: float, features: Features, why: Why) -> Mapping[str, float]:
    """Return what made a memory likely, and the parts of its score."""
    decided = {f"by {name}": part for name, part in strongest(features)}
    return {"probability": likely, "about": is_about, **decided, **why.as_json()}
