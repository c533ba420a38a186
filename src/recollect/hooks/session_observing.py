"""The part of a hook session that observes: conversation, failures, changes, drafts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from recollect.api.recollect import Recollect
from recollect.capture.novelty import Known, fingerprint
from recollect.capture.unconfirmed import without_expired
from recollect.core.memory import Memory, is_expired
from recollect.core.names import short
from recollect.core.status import HIDDEN, UNCONFIRMED, VISIBLE
from recollect.hooks.session_asked import AskedSession
from recollect.hosts.protocol import LAST_PART, WRITES, Event
from recollect.hosts.registry import host_named
from recollect.index.protocol import Filters
from recollect.search.selection import Candidate, Skipped, Sorted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.hooks.conversation import Conversation
    from recollect.state.findings import StoredFinding

_PUBLIC = frozenset({"public"})
MOST_TRANSCRIPT = 256 * 1024  # bytes of one part; a hook reads as many parts as it has time for
_SIMILAR = 5
_ANSWERING = 600.0  # seconds that an agent takes at most to answer a request for drafts
_README = "README.md"
_MOST_DOCUMENT = 100_000


class ObservingSession(AskedSession):
    """What automatic capture reads and records: it compares, follows the talk and the tools."""

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
        self._taken: list[int] = []
        self._left_out: set[str] = set()

    def similar(self, text: str, limit: int) -> list[Memory]:
        """Return memories of any status that share words with a text, the most similar first."""
        from recollect.capture.twins import similar_in  # most events compare nothing

        found = [memory for store in self.stores for memory in similar_in(store, text, limit)]
        return [memory for memory in found if memory.uid not in self._left_out]

    def has_unsolved(self) -> bool:
        """Whether failures without a solution are stored that are not memories yet."""
        return self.store.local.observed.has_unsolved()

    def leave_out(self, uids: Sequence[str]) -> None:
        """Do not compare drafts with these memories: a draft of this event replaces them."""
        self._left_out.update(uids)

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

    def begin_reading(self, *, is_new: bool) -> None:
        """Record where the transcript of the session begins: what was before us is not ours."""
        path, session = self._event.transcript, self._event.session
        if path and session:
            position = 0 if is_new else size_of(path)
            self.store.local.observed.begin_reading(session, path, position, self._now)

    def read_conversation(self, most: int = MOST_TRANSCRIPT) -> Conversation:
        """Read the messages since the last time, or the first part of them.

        Call `mark_read` when they are processed. Then read again, if there is `more`.
        """
        from recollect.hooks.conversation import Conversation

        path, session = self._event.transcript, self._event.session
        if not session:
            return Conversation()
        if not path:
            return self._last_only()
        observed = self.store.local.observed
        position = observed.position(session, path)
        if not observed.has_begun_reading(session, path) and size_of(path) > most:
            position = LAST_PART  # a talk that was long before we came: only its end counts
        most = observed.claim_part(session, path, most)
        part = self._host.read_transcript(Path(path), position, most=most)
        if part is None:
            return self._last_only()
        self._read_to = part.end
        messages = [(message.role, message.text) for message in part.messages]
        if not part.more:
            messages = self._with_last(messages)
        wrote = any(self._host.action_of(tool) in WRITES for tool in part.tools)
        return Conversation(
            messages,
            part.tools,
            len(messages),
            wrote,
            part.more,
            part.failed,
            part.recovered,
        )

    def _last_only(self) -> Conversation:
        """Return what an event tells without a transcript."""
        from recollect.hooks.conversation import Conversation

        messages = self._with_last([])
        return Conversation(messages, exchanges=len(messages))

    def skip_conversation(self) -> None:
        """Record that nothing of the conversation so far may be read later."""
        path, session = self._event.transcript, self._event.session
        if path and session and (size := size_of(path)):
            self.store.local.observed.read_to(session, path, size, self._now)

    def _with_last(self, messages: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Join the transcript with the last message, which comes with the event of a stop."""
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
        self.drop_taken()
        if self._read_to is not None:
            path, session = self._event.transcript, self._event.session
            self.store.local.observed.read_to(session, path, self._read_to, self._now)
        if self._last is not None:
            self.store.local.observed.note_last_message(self._event.session, *self._last, self._now)

    def postpone(self, drafts: Sequence[Mapping[str, Any]]) -> None:
        """Keep drafts that exceed the limit of this event. They must be redacted."""
        texts = [json.dumps(draft, sort_keys=True) for draft in drafts]
        self.store.local.observed.postpone(texts, self._now)

    def take_postponed(self, most: int) -> list[Mapping[str, Any]]:
        """Return drafts of earlier events. Call `drop_taken` when they are considered."""
        found = self.store.local.observed.postponed(most)
        self._taken += [number for number, _ in found]
        return [json.loads(draft) for _, draft in found]

    def drop_taken(self) -> None:
        """Record that the drafts of `take_postponed` are considered."""
        if self._taken:
            self.store.local.observed.drop_postponed(self._taken)
            self._taken = []

    def in_context(self, context: str) -> list[Known]:
        """Return the text of the memories that a context holds."""
        uids = list(self.injected(context))
        found = self.store.indexing.using(lambda index: index.get_many(uids)) if uids else []
        return [Known(memory.uid, f"{memory.summary}\n{memory.text}") for memory in found]

    def note_findings(self, found: Sequence[tuple[str, float, str]], *, messages: int) -> None:
        """Record what detection found in new messages: kind, score and redacted text."""
        clean = [(kind, score, self.redact(text)) for kind, score, text in found]
        self.store.local.findings.add(self._event.session, clean, self._now, messages=messages)

    def recent_findings(self, messages: int) -> list[StoredFinding]:
        """Return the findings in the last messages that the agent was not asked about yet."""
        return self.store.local.findings.recent(self._event.session, messages)

    def close_findings(self, numbers: Sequence[int]) -> None:
        """Record that the agent was asked about findings, or that they are memories."""
        self.store.local.findings.close(self._event.session, numbers)

    def unconfirmed_id(self, text: str) -> str:
        """Return the id of the unconfirmed memory that a finding became; empty if there is none."""
        memory = self._noticed(text)
        is_waiting = memory is not None and memory.status == UNCONFIRMED
        return short(memory.id) if memory is not None and is_waiting else ""

    def is_noticed(self, text: str) -> bool:
        """Whether a finding is a memory already."""
        return self._noticed(text) is not None

    def _noticed(self, text: str) -> Memory | None:
        from recollect.capture.twins import similar_in  # as above

        wanted = fingerprint(text)
        for memory in similar_in(self.store, text, _SIMILAR):
            whole = memory.text or memory.summary
            if fingerprint(whole) == wanted:
                return memory
        return None

    def may_request_draft(self, pause: float, tokens: int) -> bool:
        """Whether the agent may be asked for drafts now: once in `pause` seconds."""
        observed = self.store.local.observed
        return observed.claim_request(self._event.session, self._now, pause, tokens)

    def was_just_asked(self) -> bool:
        """Whether the agent was asked for drafts at the end of this turn."""
        asked = self.store.local.observed.asked_at(self._event.session)
        return asked is not None and self._now - asked < _ANSWERING

    def find_candidate(self, kind: str, text: str) -> Mapping[str, Any] | None:
        """Return the memory of a typed kind that a text is about, by keywords only."""
        from recollect.core.content_schemas import SCHEMAS
        from recollect.typed.write import choose_candidate

        if kind not in SCHEMAS:
            return None
        found = choose_candidate(self.store, kind, text, by_meaning=False).as_json()["candidate"]
        return dict(found) if found is not None else None

    def write_session_file(self, name: str, text: str) -> str:
        """Write a redacted text to a file for the agents of this session; return its path."""
        from recollect.state.session_files import write_session_file

        folder = self.store.ledger.repository.state_dir
        return str(
            write_session_file(folder, self._event.session, name, self.redact(text), self._now)
        )

    def _filters(self, store: Recollect, **more: Any) -> Filters:
        if not self._uses_unconfirmed():
            more.setdefault("statuses", VISIBLE)
        return Filters(sensitivities=_PUBLIC, alive_at=self._now, project=store.project, **more)

    def newest_word(self, candidates: Sequence[Candidate]) -> Sorted:
        """Leave out what a newer memory of this person reverses, and add that one instead."""
        uids = [candidate.memory.uid for candidate in candidates]
        related = uids and any(
            store.indexing.using(lambda index: index.relating(uids)) for store in self.stores
        )
        if not related and all(c.memory.status not in HIDDEN for c in candidates):
            return list(candidates), []
        from recollect.core.reversal import is_superseded
        from recollect.search.replaced import newest_word, replacements

        kept = [c for c in candidates if not is_superseded(c.memory)]
        skipped = [
            Skipped(c.memory.uid, str(c.memory.status_reason))
            for c in candidates
            if is_superseded(c.memory)
        ]
        newer: dict[str, Memory] = {}
        for store in self.stores:
            look = partial(
                replacements,
                memories=[candidate.memory for candidate in kept],
                owner=partial(getattr, store.ledger, "author"),
                may_show=partial(self._may_replace, store),
            )
            newer |= store.indexing.using(look)
        kept, replaced = newest_word(kept, newer)
        return kept, [*skipped, *replaced]

    def _may_replace(self, store: Recollect, memory: Memory) -> bool:
        """Whether an agent may get a memory in the place of another one."""
        return (
            memory.sensitivity in _PUBLIC
            and (memory.status in VISIBLE or self._uses_unconfirmed())
            and not is_expired(memory, self._now)
            and bool(without_expired(store, [memory]))
        )

    def _uses_unconfirmed(self) -> bool:
        """Whether agents get unconfirmed memories without asking for them."""
        return self.store.config.text("capture.mode") == "auto"

    # Files

    def _tree(self) -> Path:
        from recollect.ledger.worktree import find_root

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


def size_of(path: str) -> int:
    """Return the size of a file; 0 if there is none."""
    try:
        return Path(path).stat().st_size
    except (OSError, ValueError):
        return 0
