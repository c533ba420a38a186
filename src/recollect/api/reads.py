"""Finding and reading memories: those of the project and, beside them, your own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from recollect.store.store import Store

# A hook imports this module: whatever it does not need is imported where it is used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from recollect.api.results import (
        Answer,
        Answers,
        ExplainedSetting,
        Listed,
        Location,
        LogEntry,
        PastCommit,
    )
    from recollect.config.config import Config, Setting
    from recollect.core.memory import Memory
    from recollect.facts.facts import Found
    from recollect.ledger.ledger import Ledger
    from recollect.search.search import Hit
    from recollect.sleep.strength_report import Strength
    from recollect.state.sessions import Trace
    from recollect.store.history import Version

# Filters that may name a commit of the project, which your own ledger does not have.
_MOMENTS = ("since", "until")


class Reads(Store):
    """The methods that find and read."""

    def __init__(
        self,
        ledger: Ledger,
        config: Config,
        project: str | None = None,
        *,
        open_personal: Callable[[], Self | None] | None = None,
    ) -> None:
        super().__init__(ledger, config, project)
        self._personal: Self | None = None
        # Opens your own memories; the first call that needs them calls it.
        self._open_personal = open_personal

    @property
    def personal(self) -> Self | None:
        """Your own memories, if this is the memory of a project and you have any."""
        if self._open_personal is not None:
            opener, self._open_personal = self._open_personal, None
            self._personal = opener()
        return self._personal

    @property
    def index_notices(self) -> list[str]:
        """What happened to the index, the project's or your own: rebuilt, or in memory only."""
        own = self._personal.index_notices if self._personal is not None else []
        return [*self.indexing.about_file, *own]

    def close(self) -> None:
        """Close the files. You can go on using the object: it opens them again."""
        super().close()
        if self._personal is not None:
            self._personal.close()

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        mode: str | None = None,
        min_similarity: float | None = None,
        as_of: str | None = None,
        counting: bool = True,
        weaker: bool = False,
        **filters: Any,
    ) -> Answers:
        """Find the memories that answer a query, the project's and your own, best first.

        Where two have the same score, the project's comes first. Private, secret and unclassified
        memories are found only if you ask for them with `sensitivity`. Weaker matches, which
        probably answer something else, are only counted, unless `weaker` asks for them. With
        `counting=False`, nothing is recorded as shown; call `note_shown` for what a reader gets to
        see.
        """
        from recollect.api.results import Answer, Answers
        from recollect.search.store import search_store

        limit = max(1, limit)
        found: list[tuple[Hit, bool]] = []
        left_out: list[tuple[Hit, bool]] = []
        releases = self._releases(query)
        for store, chosen in self._each(filters):
            moment = as_of if store is self or as_of is None else self.moment(as_of)
            mine = store is not self
            if mine and self.indexing.loaded_embedder is not None:  # else it would load another
                store.indexing.share_embedder(self.indexing.loaded_embedder)
            hits, others = search_store(
                store,
                query,
                limit,
                mode=mode,
                min_similarity=min_similarity,
                as_of=moment,
                releases=releases,
                uses=store.local.usage.uses,
                owner=partial(getattr, store.ledger, "author"),
                **chosen,
            )
            found += [(hit, mine) for hit in hits]
            left_out += [(hit, mine) for hit in others]
        if self._personal is not None:
            for pairs in (found, left_out):
                pairs.sort(key=lambda pair: (-pair[0].score, pair[1], pair[0].memory.uid))
        best = found + left_out if weaker else found
        answers = Answers(
            Answer(h.memory, h.score, h.why, mine, h.replaced_by) for h, mine in best[:limit]
        )
        answers.strong = min(limit, len(found))
        answers.weaker = min(limit, len(found) + len(left_out)) - len(answers)
        if counting and as_of is None:
            self.note_shown(answers)
        return answers

    def search_history(
        self, query: str, limit: int = 5, *, besides: Iterable[Answer] = ()
    ) -> list[PastCommit]:
        """Find commits that say something about a query, best first; they are no memories.

        There are none before `index_history` has read the history. Commits that one of the answers
        in `besides` comes from are left out.
        """
        if not self.ledger.repository.history_path.exists():
            return []  # most searches: they import nothing for it
        from recollect.api.history import search_history

        return search_history(self, query, limit, besides)

    def with_history(
        self, query: str, answers: Sequence[Answer], limit: int
    ) -> list[Answer | PastCommit]:
        """Return all answers, and commits of the history where they leave room, the best first.

        Confirmed memories stay first; one that an import made and nobody confirmed stands where its
        commit would. Before `index_history` has read the history, these are the answers alone.
        """
        if not self.ledger.repository.history_path.exists():
            return list(answers)  # most searches: they import nothing for it
        from recollect.api.history import answers_in_order

        return answers_in_order(self, query, answers, limit)

    def _releases(self, query: str) -> Mapping[str, float]:
        """When tags were made, if a query names a release."""
        from recollect.ledger.files import tag_times
        from recollect.search.periods import is_release
        from recollect.search.triggers import find_period

        return tag_times(self.ledger.repository) if is_release(find_period(query)) else {}

    def browse(
        self, *, newest_first: bool = False, project: str = "", **filters: Any
    ) -> list[Listed]:
        """List the memories that pass the filters, the project's and your own, by creation time.

        With a `project`, only those that belong to it, by the name or the path of its directory.
        Private, secret and unclassified memories are listed only if you ask for them with
        `sensitivity`, and expired ones only with `expired=True`. `memories` gives all of this
        ledger alone.
        """
        from recollect.api.results import Listed
        from recollect.core.age import counted, seconds_of
        from recollect.core.crowding import is_ahead

        wanted = {"sensitivity": "public", "expired": False, **filters}
        found = [
            Listed(memory, store is not self)
            for store, chosen in self._each(wanted)
            for memory in store.memories(**chosen)
        ]
        if project:
            found = [one for one in found if self._is_of(project, one)]
        now = self.now()

        def created(listed: Listed) -> tuple[bool, str, str]:
            memory = listed.memory
            # A memory with a date in the future does not come before the new ones.
            ahead = newest_first and is_ahead(seconds_of(memory.created), now)
            return not ahead, counted(memory.created, now), memory.uid

        return sorted(found, key=created, reverse=newest_first)

    def _is_of(self, project: str, listed: Listed) -> bool:
        """Whether a memory belongs to a project, by the name or the path of its directory."""
        from pathlib import PurePath

        tree = self.work_tree
        home = listed.memory.project or ("" if listed.mine or tree is None else str(tree))
        return bool(home) and project in (home, PurePath(home).name)

    def _each(self, filters: dict[str, Any]) -> list[tuple[Self, dict[str, Any]]]:
        """The project's memories and your own, each with the filters that fit its ledger."""
        found = [(self, filters)]
        if self.personal is not None:
            theirs = {
                name: self.moment(value) if name in _MOMENTS and value is not None else value
                for name, value in filters.items()
            }
            if self.personal._knows(theirs.get("kind")):
                found.append((self.personal, theirs))
        return found

    def _knows(self, kind: str | None) -> bool:
        from recollect.core.kinds import find_kind

        return kind is None or find_kind(kind) is not None or self._holds_kind(kind)

    def note_shown(self, shown: Iterable[Answer | Listed]) -> None:
        """Record that a reader saw memories."""
        seen = list(shown)
        now = self.now()
        for store in (self, self._personal):
            uids = [one.memory.uid for one in seen if one.mine == (store is not self)]
            if store is not None and uids:
                store.local.usage.record(uids, "shown", now)

    def owner_of(self, memory_id: str) -> Self:
        """The object that holds a memory: this one or, if only your own ledger has it, `personal`.

        Call it before you change a memory that `search` or `browse` found.
        """
        if self.candidates(memory_id) or self.personal is None:
            return self
        return self.personal if self.personal.candidates(memory_id) else self

    def find(self, memory_id: str) -> Memory:
        """The memory of an id, the project's or your own; refuses an id of none, or of several."""
        return self.owner_of(memory_id).get(memory_id)

    def readable(self, memory_id: str, sensitivity: str | Sequence[str] = "public") -> list[Memory]:
        """The memories that an id can mean, the project's or your own, if you may see them.

        Private, secret and unclassified memories need a `sensitivity` that names them, or `all`.
        """
        from recollect.errors import NotFound

        owner = self.owner_of(memory_id)
        found = owner.candidates(memory_id) or [owner.get(memory_id)]
        levels = self.filters(sensitivity=sensitivity).sensitivities or frozenset({"public"})
        shown = [m for m in found if not levels.isdisjoint({m.sensitivity, "all"})]
        if not shown:
            level = found[0].sensitivity
            raise NotFound(
                f"{memory_id} is not shown, because its sensitivity is {level}.",
                f"To show it, run: recollect show {memory_id} --sensitivity {level}",
            )
        return shown

    def get_many(self, ids: Sequence[str]) -> list[Memory]:
        """The memories of several ids in one call, in their order; unknown ids are left out.

        An id that means several memories is refused, as `get` does.
        """
        known = {m.uid: m for m in self.indexing.using(lambda index: index.get_many(list(ids)))}
        found = []
        for name in ids:
            if name in known:
                found.append(known[name])
            elif self.candidates(name):
                found.append(self.get(name))
        return found

    def versions(self, memory_id: str) -> list[Version]:
        """The versions of a memory with their texts, oldest first: one for each record."""
        from recollect.store.history import versions

        return versions(self, memory_id)

    def log(
        self, limit: int | None = None, *, sensitivity: str | Sequence[str] = "public"
    ) -> list[LogEntry]:
        """The captures, changes and purges of this ledger, by when they were written, newest first.

        Records of private, secret and unclassified memories are left out, unless `sensitivity` asks
        for them.
        """
        from recollect.api.journal import entries

        levels = self.filters(sensitivity=sensitivity).sensitivities or frozenset({"public"})
        return entries(self, levels)[:limit]

    def location(self) -> Location:
        """Where the memories are stored, and how many there are."""
        from recollect.api.results import Location

        repository = self.ledger.repository
        ledger = "user" if repository.is_user_ledger else "repository"
        return Location(ledger, repository.common_dir, len(self.memories(status="all")))

    def settings(self) -> Mapping[str, Setting]:
        """The keys of the configuration, each with its `value` and the `source` of the value."""
        return {name: self._shown(name) for name in self.config.settings}

    def _shown(self, name: str) -> Setting:
        """Return a setting without secrets."""
        setting = self.config.settings[name]
        if name != "index.url" or not setting.value:
            return setting
        from recollect.config.database_url import shown_url

        return setting._replace(value=shown_url(str(setting.value)))

    def explain_setting(self, key: str) -> ExplainedSetting:
        """What a key means, its value and source, and a value of the project that has no effect."""
        from recollect.api.results import ExplainedSetting
        from recollect.config.config import key_named

        known = key_named(key)
        return ExplainedSetting(
            known.name,
            *self._shown(known.name),
            default=known.default,
            variable=known.variable,
            meaning=known.meaning,
            project=known.project,
            ignored=self.config.ignored.get(known.name),
        )

    def why(self, limit: int = 10, session: str | None = None) -> list[Trace]:
        """What the last hook events captured, injected or skipped, and why; newest first.

        An event that ran out of time or was killed is among them.
        """
        from recollect.state.unfinished import unfinished_events

        traces = self.local.sessions.traces(limit, session)
        ended = unfinished_events(self.ledger.repository.state_dir, session)
        found = sorted([*traces, *reversed(ended)], key=lambda trace: -trace.at)
        return found[: max(0, limit)]

    def strength(self, memory_id: str) -> Strength:
        """How strong a memory is, what made it so, and when it will be archived."""
        from recollect.sleep.strength_report import strength_of

        return strength_of(self, memory_id)

    def query_facts(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002
        *,
        at: str | None = None,
        history: bool = False,
        hops: int = 1,
    ) -> list[Found]:
        """Find facts by any of their parts: true now, true `at` a time, or all with `history`.

        With `hops=2`, also the facts about the things that were found.
        """
        from recollect.facts.facts import query_facts

        return query_facts(
            self,
            subject=subject,
            predicate=predicate,
            thing=object,
            at=at,
            history=history,
            hops=hops,
        )

    def find_candidate(
        self, kind: str, new_info: str, lifecycle_event: str | None = None
    ) -> dict[str, Any]:
        """Find the typed memory that new information is about, and what you may do to it."""
        from recollect.typed.write import find_candidate

        return find_candidate(self, kind, new_info, lifecycle_event)

    def schema(self, kind: str | None = None) -> dict[str, Any]:
        """The JSON Schema of the documents of a typed kind; without a kind, of each typed kind."""
        from recollect.core.content import SCHEMAS, json_schema
        from recollect.core.kinds import kind_named

        if kind is None:
            return {name: json_schema(name) for name in SCHEMAS}
        return json_schema(kind_named(kind).name)
