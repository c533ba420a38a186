"""The hook session: everything that the stages of a pipeline may read or write for one event."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.api.recollect import Recollect
from recollect.capture.novelty import Known
from recollect.core.age import seconds_since
from recollect.core.kinds import SESSIONS
from recollect.core.marks import MARKER
from recollect.core.memory import Memory
from recollect.core.names import parse_name
from recollect.core.note import shorten_line
from recollect.hooks.conversation import Conversation
from recollect.hooks.session_keeping import KeepingSession
from recollect.hosts.protocol import PROMPT, STOP, TOOL_FAILURE, WRITES, Event
from recollect.hosts.registry import host_named
from recollect.index.protocol import ALL, Filters, Index
from recollect.ledger.worktree import RecentWork, compare_files, find_root, recent_work
from recollect.search.constants import (
    FLOOR_VECTOR,
    IMPORTANCE_WEIGHT,
    RECENCY_WEIGHT,
    SAME_EPISODE,
    WORKING_MEMORY,
)
from recollect.search.scoring import recency
from recollect.search.search import Hit, Question, search_words_first
from recollect.search.selection import Candidate, belongs_to

_PUBLIC = frozenset({"public"})
_ACTIVE = frozenset({"active"})
_ARCHIVED = frozenset({"archived"})
_MOST_FILES = 20
_MOST_GOAL = 200
_MOST_TRANSCRIPT = 256 * 1024  # bytes; of more only the end, because of the deadline
_SIMILAR = 5
# Events whose text is worth a search by meaning; paths and commit messages are not.
_BY_MEANING = (PROMPT, TOOL_FAILURE)
_README = "README.md"
_MOST_DOCUMENT = 100_000


class HookSession(KeepingSession):
    """The memories for one event: the project's store and the user's own, if there is one.

    A hook session lives for one event. The stages of a pipeline call it for everything outside the
    event: settings, search, capture, suggestions, transcript, files and local state. It has three
    parts: `RecordedSession` (what sessions did), `KeepingSession` (capture) and this class (the
    rest).
    """

    def __init__(self, store: Recollect, personal: Recollect | None, event: Event) -> None:
        super().__init__(store, event)
        self.stores = [store] if personal is None else [store, personal]
        for one in self.stores:
            one.has_deadline = True
        self._directory = Path(event.directory or ".")
        self._root: Path | None = None
        self._documents: list[Known] | None = None
        self._host = host_named(event.host)
        self._read_to: int | None = None
        self._last: tuple[str, str] | None = None

    def setting(self, name: str) -> Any:
        """Return the value of a configuration key."""
        return self.store.config.explain(name).value

    def now(self) -> float:
        """Return the time of the event, in seconds."""
        return self._now

    def author(self) -> str:
        """Return the author of new memories."""
        return self.store.ledger.author

    # Automatic capture

    def similar(self, text: str, limit: int) -> list[Memory]:
        """Return memories of any status that share words with a text, the most similar first."""
        return [memory for store in self.stores for memory in _similar(store, text, limit)]

    def find_exact(self, text: str, kind: str) -> Memory | None:
        """Return the public, active memory with exactly this text, of a kind if one is named."""
        for memory in _similar(self.store, text, _SIMILAR):
            is_shown = memory.status == "active" and memory.sensitivity == "public"
            saved = _folded(memory.text or memory.summary)
            if is_shown and kind in ("", memory.kind) and saved == _folded(text):
                return memory
        return None

    def project_documents(self) -> list[Known]:
        """Return the agent's instruction files and the README, each cut to a maximum length."""
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

    def note_repeated(self, uids: Sequence[str]) -> None:
        """Record that the user or the agent repeated what memories hold."""
        self.store.local.usage.record(uids, "said", self._now)

    def read_conversation(self) -> Conversation:
        """Read the messages since the last time. Call `mark_read` when they are processed."""
        path, session = self._event.transcript, self._event.session
        if not path or not session:
            return Conversation()
        position = self.store.local.observed.position(session, path)
        part = self._host.read_transcript(Path(path), position, most=_MOST_TRANSCRIPT)
        if part is None:
            messages = self._with_last([])
            return Conversation(messages, exchanges=len(messages))
        self._read_to = part.end
        messages = self._with_last([(message.role, message.text) for message in part.messages])
        wrote = any(self._host.action_of(tool) in WRITES for tool in part.tools)
        return Conversation(messages, part.tools, len(messages), wrote)

    def _with_last(self, messages: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Join the transcript with the last message, which comes with the event."""
        if self._event.name != STOP:
            return messages
        from recollect.hooks.last_message import join_last

        messages, self._last = join_last(self.store.local, self._event, messages)
        return messages

    def add_work(self, conversation: Conversation) -> Conversation:
        """Add the work of a conversation; return all work since the last summary request."""
        observed, session = self.store.local.observed, self._event.session
        tools, exchanges = observed.add_work(
            session, conversation.tools, conversation.exchanges, self._now
        )
        return conversation._replace(tools=tools, exchanges=exchanges)

    def reset_work(self) -> None:
        """Count the work from zero, because a summary was requested."""
        self.store.local.observed.reset_work(self._event.session)

    def mark_read(self) -> None:
        """Record that the messages of `read_conversation` are processed."""
        if self._read_to is not None:
            path, session = self._event.transcript, self._event.session
            self.store.local.observed.read_to(session, path, self._read_to, self._now)
        if self._last is not None:
            self.store.local.observed.note_last_message(self._event.session, *self._last, self._now)

    def note_failure(self, fingerprint: str, learning: Mapping[str, Any]) -> None:
        """Store what a failed tool teaches until the failure is solved."""
        self.store.local.observed.record_failure(
            self._event.session, fingerprint, json.dumps(self.store.redact(learning)), self._now
        )

    def unsolved_failures(self) -> list[Mapping[str, Any]]:
        """Return the unsolved failures of this session, newest first."""
        found = self.store.local.observed.failures(self._event.session)
        return [json.loads(learning) for _, learning in found]

    def mark_solved(self, fingerprint: str) -> None:
        """Record that a failure is solved."""
        self.store.local.observed.mark_solved(self._event.session, fingerprint)

    def note_changes(self, paths: Sequence[str]) -> None:
        """Record changed files, and commands that may solve a failure."""
        clean = self.store.redact(list(paths))
        self.store.local.observed.record_changes(self._event.session, clean, self._now)

    def changes(self) -> list[str]:
        """Return the changes since the last failure was solved."""
        return self.store.local.observed.changes(self._event.session)

    def note_goal(self, text: str) -> None:
        """Record the goal of the session, once."""
        observed, session = self.store.local.observed, self._event.session
        if session and MARKER not in text.lower() and not observed.has_goal(session):
            observed.begin(session, shorten_line(self.redact(text), _MOST_GOAL), self._now)

    def note_milestone(self, what: str) -> None:
        """Record a milestone of the session."""
        self.store.local.observed.record_milestone(
            self._event.session, self.redact(what), self._now
        )

    def unsummarised(self) -> list[tuple[str, str, list[str]]]:
        """Return the sessions that ended without a summary: id, goal, milestones."""
        if self.store.project is not None:
            return []  # the user ledger also holds sessions of other directories
        unsummarised = self.store.local.observed.unsummarised(but=self._event.session)
        return [(s, goal, done) for s, goal, done in unsummarised if not self._was_drafted(s)]

    def _was_drafted(self, session: str) -> bool:
        """Whether the agent of a session wrote the summary that it was asked for."""
        asked = self.store.local.observed.asked_at(session)
        if asked is None:
            return False
        wanted = self._filters(self.store, kind=SESSIONS, statuses=ALL, since=asked - 1)
        written = self.store.indexing.fresh().select(wanted)
        return any(memory.provenance.get("via") == "write" for memory in written)

    def mark_summarised(self, session: str) -> None:
        """Record that a session has its summary, or needs none."""
        self.store.local.observed.mark_summarised(session)

    def may_request_draft(self, pause: float) -> bool:
        """Whether the agent may be asked for drafts now: once in `pause` seconds."""
        return self.store.local.observed.claim_request(self._event.session, self._now, pause)

    def find_candidate(self, kind: str, text: str) -> Mapping[str, Any] | None:
        """Return the memory of a kind that a text is about, by keywords only, which is fast."""
        from recollect.typed.write import choose_candidate

        found = choose_candidate(self.store, kind, text, by_meaning=False).as_json()["candidate"]
        return dict(found) if found is not None else None

    def write_session_file(self, name: str, text: str) -> str:
        """Write a redacted text to a file for the agents of this session; return its path."""
        from recollect.state.session_files import write_session_file

        folder = self.store.ledger.repository.state_dir
        return str(
            write_session_file(folder, self._event.session, name, self.redact(text), self._now)
        )

    def update_mirror(self, *, read_files: bool) -> None:
        """Bring the mirror up to date, if it is enabled."""
        if self.store.config.flag("mirror.enabled"):
            from recollect.mirror.mirror import follow

            follow(self.store, look=read_files)

    def mirror_denial(self, paths: Sequence[str]) -> str:
        """Return why a tool must not write to these files; empty if it may."""
        if not self.store.config.flag("mirror.enabled") or self.store.work_tree is None:
            return ""
        from recollect.mirror.denial import denial

        return denial(self.store, paths, self._directory)

    # Search

    def count_memories(self) -> int:
        """Return the number of memories that could be injected."""
        return sum(s.indexing.fresh().count(self._filters(s)) for s in self.stores)

    def search(self, text: str, limit: int, *, archived: bool = False) -> list[Candidate]:
        """Find memories that answer a text, by keywords and, if a model is loaded, by meaning."""
        episode = self.current_episode()
        return [
            Candidate(
                hit.memory,
                hit.score + (SAME_EPISODE if belongs_to(hit.memory, episode) else 0.0),
                "matching words" if hit.words else "similar meaning",
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

    def memories_about(self, paths: Sequence[str], limit: int) -> list[Candidate]:
        """Find memories that name these files, the newest and most important first."""
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
                        memory.uid, self._candidate(memory, 1.0, "names a touched file")
                    )
        return list(found.values())

    def working_memory(self, limit: int) -> list[Candidate]:
        """Return the newest memories of the kinds in `WORKING_MEMORY`, the best first."""
        found: list[Candidate] = []
        for store in self.stores:
            index = store.indexing.fresh()
            for kind, most, weight, reason in WORKING_MEMORY:
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
        score = weight + RECENCY_WEIGHT * new + IMPORTANCE_WEIGHT * memory.importance
        return Candidate(memory, score, reason, parts=parts)

    def _filters(self, store: Recollect, **more: Any) -> Filters:
        return Filters(sensitivities=_PUBLIC, alive_at=self._now, project=store.project, **more)

    def recent_work(self) -> RecentWork:
        """Return the last commits and their files."""
        if self.store.ledger.repository.is_user_ledger:
            return RecentWork()
        return recent_work(self.store.ledger.repository)

    # Files

    def _tree(self) -> Path:
        if self._root is None:
            directory = self._directory.absolute()
            self._root = find_root(directory) or directory
        return self._root

    def relative_path(self, path: str) -> str:
        """Return a path relative to the root of the working tree, as memories name it."""
        return self._within(path) or Path(path).name

    def is_inside(self, path: str) -> bool:
        """Whether a path is inside the working tree."""
        return self._within(path) is not None

    def _within(self, path: str) -> str | None:
        full = self._directory / path
        for root in (self._tree(), self._tree().resolve()):
            for candidate in (full, full.resolve()):
                if candidate.is_relative_to(root):
                    return candidate.relative_to(root).as_posix()
        return None

    def file_states(self, memories: Sequence[Memory]) -> Mapping[str, str]:
        """Return for memories that name files, by uid, whether these files have changed."""
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


def _similar(store: Recollect, text: str, limit: int) -> list[Memory]:
    """Return memories of one store, of any status, that share words with a text."""
    wanted = Filters(statuses=ALL, project=store.project)

    def look(index: Index) -> list[Memory]:
        found = index.lexical(text, wanted, limit).matches
        return index.get_many([match.uid for match in found])

    return store.indexing.using(look)
