"""The memory as the stages of a pipeline see it: the project's ledger and the person's own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.api.recollect import Recollect
from recollect.capture.novelty import Known
from recollect.capture.suggestions import suggest, suggestions
from recollect.core.age import seconds_since
from recollect.core.kinds import SESSIONS
from recollect.core.marks import MARKER
from recollect.core.memory import Memory
from recollect.core.names import parse_name
from recollect.core.note import shorten_line
from recollect.hooks.session_keeping import KeepingSession
from recollect.hooks.talk import Talk
from recollect.hosts.protocol import STOP, WRITES, Event
from recollect.hosts.registry import host_named
from recollect.index.protocol import ALL, Filters, Index
from recollect.ledger.worktree import RecentWork, compare_files, find_root, recent_work
from recollect.search.constants import FLOOR_VECTOR
from recollect.search.scoring import recency
from recollect.search.search import Hit, Question, search_words_first
from recollect.search.selection import Candidate, belongs_to

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
_ARCHIVED = frozenset({"archived"})
# What was made in the episode at hand comes before what is as good otherwise.
_AT_HAND = 0.05
_MOST_FILES = 20
_MOST_GOAL = 200
_MOST_TALK = 256 * 1024  # of a long talk only its end: there is a deadline
_ALIKE = 5
# Events whose text says what somebody means; the words of a path or of a commit do not.
_BY_MEANING = ("prompt", "tool-failure")
_README = "README.md"
_MOST_DOCUMENT = 100_000


class HookSession(KeepingSession):
    """The memories that count in the directory where an agent works."""

    def __init__(self, store: Recollect, personal: Recollect | None, event: Event) -> None:
        super().__init__(store, event)
        self.stores = [store] if personal is None else [store, personal]
        for one in self.stores:
            one.has_deadline = True
        self._directory = Path(event.directory or ".")
        self._root: Path | None = None
        self._documents: list[Known] | None = None
        self._host = host_named(event.host)
        self._heard: int | None = None
        self._last: tuple[str, str] | None = None

    def setting(self, name: str) -> Any:
        """The value of a configuration key."""
        return self.store.config.explain(name).value

    def now(self) -> float:
        """The time at which the event came."""
        return self._now

    def author(self) -> str:
        """Who works here, as memories name their author."""
        return self.store.ledger.author

    # ObservedState

    def similar(self, text: str, limit: int) -> list[Memory]:
        """Memories of any status that share words with a text, the most similar first."""
        return [memory for store in self.stores for memory in _alike(store, text, limit)]

    def known(self, text: str, kind: str) -> Memory | None:
        """The public, active memory that says just this, of a kind if one is named."""
        for memory in _alike(self.store, text, _ALIKE):
            is_shown = memory.status == "active" and memory.sensitivity == "public"
            says = _folded(memory.text or memory.summary)
            if is_shown and kind in ("", memory.kind) and says == _folded(text):
                return memory
        return None

    def suggested(self) -> list[Known]:
        """What waits for review."""
        return [Known(s.uid, s.text) for s in suggestions(self.store)]

    def documents(self) -> list[Known]:
        """What the project tells everybody, as far as it is not too long to look at."""
        if self._documents is None:
            self._documents = []
            for name in (*self._host.INSTRUCTIONS, _README):
                try:
                    with (self._tree() / name).open("rb") as file:
                        text = file.read(_MOST_DOCUMENT).decode("utf-8", "replace")
                except OSError:
                    continue
                self._documents.append(Known(name, text))
        return self._documents

    def is_rejected(self, fingerprint: str) -> bool:
        """Whether somebody said no to it before."""
        return self.store.local.observed.is_rejected(fingerprint)

    def suggest(
        self, draft: Mapping[str, Any], *, confidence: float, why: str, updates: str | None
    ) -> None:
        """Let somebody accept or reject a draft; one that could not be kept is refused here."""
        clean = self.store.redact(draft)
        self.store.prepare(clean)
        suggest(self.store, clean, confidence=confidence, why=why, updates=updates)

    def touch(self, uids: Sequence[str]) -> None:
        """Note that memories were said again."""
        self.store.local.usage.record(uids, "said", self._now)

    def talk(self) -> Talk:
        """What was said since the last time we looked."""
        path, session = self._event.transcript, self._event.session
        if not path or not session:
            return Talk()
        position = self.store.local.observed.position(session, path)
        part = self._host.read_transcript(Path(path), position, most=_MOST_TALK)
        if part is None:
            return Talk(said := self._with_last([]), exchanges=len(said))
        self._heard = part.end
        said = self._with_last([(message.role, message.text) for message in part.messages])
        wrote = any(self._host.action_of(tool) in WRITES for tool in part.tools)
        return Talk(said, part.tools, len(said), wrote)

    def _with_last(self, said: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Join what the transcript holds with the last message, which comes with the event."""
        if self._event.name != STOP:
            return said
        from recollect.hooks.last_message import join_last

        said, self._last = join_last(self.store.local, self._event, said)
        return said

    def worked(self, talk: Talk) -> Talk:
        """Count the work of a talk; all of it since the last summary of the session."""
        noticing, session = self.store.local.observed, self._event.session
        tools, exchanges = noticing.worked(session, talk.tools, talk.exchanges, self._now)
        return talk._replace(tools=tools, exchanges=exchanges)

    def counted(self) -> None:
        """A summary was asked for: from here on it is counted anew."""
        self.store.local.observed.counted(self._event.session)

    def heard(self) -> None:
        """What was said has been looked at, and need not be again."""
        if self._heard is not None:
            path, session = self._event.transcript, self._event.session
            self.store.local.observed.read_to(session, path, self._heard, self._now)
        if self._last is not None:
            self.store.local.observed.note_last_message(self._event.session, *self._last, self._now)

    def note_failure(self, fingerprint: str, learning: Mapping[str, Any]) -> None:
        """Keep what a failed tool taught until it is solved."""
        self.store.local.observed.failed(
            self._event.session, fingerprint, json.dumps(self.store.redact(learning)), self._now
        )

    def failures(self) -> list[Mapping[str, Any]]:
        """The unsolved failures of this session, newest first."""
        found = self.store.local.observed.failures(self._event.session)
        return [json.loads(learning) for _, learning in found]

    def solved(self, fingerprint: str) -> None:
        """A failure is solved."""
        self.store.local.observed.solved(self._event.session, fingerprint)

    def note_changes(self, paths: Sequence[str]) -> None:
        """Note which files were changed."""
        clean = self.store.redact(list(paths))
        self.store.local.observed.changed(self._event.session, clean, self._now)

    def changes(self) -> list[str]:
        """The files that were changed since the last failure was solved."""
        return self.store.local.observed.changes(self._event.session)

    def note_goal(self, text: str) -> None:
        """Note what the session is about, the first time it is said."""
        noticing, session = self.store.local.observed, self._event.session
        if session and MARKER not in text.lower() and not noticing.has_goal(session):
            noticing.begin(session, shorten_line(self.redact(text), _MOST_GOAL), self._now)

    def reached(self, what: str) -> None:
        """Note that the work came somewhere."""
        self.store.local.observed.reached(self._event.session, self.redact(what), self._now)

    def unsummarised(self) -> list[tuple[str, str, list[str]]]:
        """Sessions that ended without a summary: id, goal, what was reached."""
        if self.store.project is not None:
            return []  # the user ledger holds those of other directories, too
        unsummarised = self.store.local.observed.unsummarised(but=self._event.session)
        return [(s, goal, reached) for s, goal, reached in unsummarised if not self._was_drafted(s)]

    def _was_drafted(self, session: str) -> bool:
        """Whether the agent of a session wrote its summary when it was asked to."""
        asked = self.store.local.observed.asked_at(session)
        if asked is None:
            return False
        wanted = self._filters(self.store, kind=SESSIONS, statuses=ALL, since=asked - 1)
        written = self.store.indexing.fresh().select(wanted)
        return any(memory.provenance.get("via") == "write" for memory in written)

    def summed(self, session: str) -> None:
        """A session has its summary, or needs none."""
        self.store.local.observed.summed(session)

    def may_ask(self, pause: float) -> bool:
        """Whether the agent may be asked to draft; yes once in so many seconds."""
        return self.store.local.observed.may_ask(self._event.session, self._now, pause)

    def candidate(self, kind: str, text: str) -> Mapping[str, Any] | None:
        """The memory of a kind that a text is about; by words only, there is little time."""
        from recollect.typed.write import choose_candidate

        found = choose_candidate(self.store, kind, text, by_meaning=False).as_json()["candidate"]
        return dict(found) if found is not None else None

    def write_file(self, name: str, text: str) -> str:
        """Leave a text, which must be redacted, for the agents of this session to read."""
        from recollect.state.session_files import write_session_file

        folder = self.store.ledger.repository.state_dir
        return str(
            write_session_file(folder, self._event.session, name, self.redact(text), self._now)
        )

    def follow_mirror(self, *, look: bool) -> None:
        """Bring the mirror up to date, now that nobody waits for an answer."""
        if self.store.config.flag("mirror.enabled"):
            from recollect.mirror.mirror import follow

            follow(self.store, look=look)

    def guard(self, paths: Sequence[str]) -> str:
        """Why a tool must not write to these files; empty where it may."""
        if not self.store.config.flag("mirror.enabled") or self.store.work_tree is None:
            return ""
        from recollect.mirror.denial import denial

        return denial(self.store, paths, self._directory)

    # Candidates

    def size(self) -> int:
        """How many memories there are to choose from."""
        return sum(s.indexing.fresh().count(self._filters(s)) for s in self.stores)

    def answering(self, text: str, limit: int, *, archived: bool = False) -> list[Candidate]:
        """Memories that answer a text, by keywords; where a model is loaded, by meaning, too."""
        episode = self.episode()
        return [
            Candidate(
                hit.memory,
                hit.score + (_AT_HAND if belongs_to(hit.memory, episode) else 0.0),
                "its words answer" if hit.words else "it means much the same",
                hit.words,
                hit.evidence,
                hit.why.vector,
                {**hit.why.as_json(), "words": hit.words, "evidence": hit.evidence},
            )
            for store in self.stores
            for hit in self._search(store, text, limit, archived)
        ]

    def _search(self, store: Recollect, text: str, limit: int, archived: bool) -> list[Hit]:
        more = {"statuses": _ARCHIVED} if archived else {}
        question = Question(text, limit, filters=self._filters(store, **more), candidates=0)
        hybrid = self.setting("recall.match_strategy") == "hybrid"
        by_meaning = hybrid and self._event.name in _BY_MEANING

        def find(index: Index) -> list[Hit]:
            if archived and not index.count(question.filters):
                return []
            return search_words_first(
                index,
                question,
                near=FLOOR_VECTOR,
                now=self._now,
                embed=store.indexing.embed_query if by_meaning else None,
                uses=store.local.usage.uses,
                decay_per_day=store.config.number("sleep.decay_per_day"),
            )

        return store.indexing.using(find)

    def about_files(self, paths: Sequence[str], limit: int) -> list[Candidate]:
        """Memories that name these files, the newest and most important first."""
        found: dict[str, Candidate] = {}
        for store in self.stores:
            for path in paths:
                wanted = self._filters(store, file=path)
                for memory in store.indexing.using(
                    lambda index, wanted=wanted: index.newest(  # type: ignore[misc]
                        wanted, limit, self._now
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
                    for memory in index.newest(wanted, most, self._now)
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
        return self._within(path) or Path(path).name

    def is_inside(self, path: str) -> bool:
        """Whether a path lies in the working tree."""
        return self._within(path) is not None

    def _within(self, path: str) -> str | None:
        full = self._directory / path
        for root in (self._tree(), self._tree().resolve()):
            for candidate in (full, full.resolve()):
                if candidate.is_relative_to(root):
                    return candidate.relative_to(root).as_posix()
        return None

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


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _alike(store: Recollect, text: str, limit: int) -> list[Memory]:
    """Memories of one ledger, of any status, that share words with a text."""
    wanted = Filters(statuses=ALL, project=store.project)

    def look(index: Index) -> list[Memory]:
        found = index.lexical(text, wanted, limit).matches
        return index.get_many([match.uid for match in found])

    return store.indexing.using(look)
