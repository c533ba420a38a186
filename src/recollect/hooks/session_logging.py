"""The part of a hook session that keeps the log of each session and writes its summary."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from recollect.core.kinds import SESSIONS
from recollect.core.marks import MARKER
from recollect.core.memory import Memory
from recollect.core.note import shorten_line
from recollect.core.status import ACTIVE, RESOLVED, RETIRED
from recollect.core.uid import derive_uid
from recollect.hooks.session_observing import ObservingSession
from recollect.index.protocol import ALL, Filters
from recollect.state.session_log import Due
from recollect.state.session_marks import COMMIT_MADE, CORRECTED, DONE, TURN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PUBLIC = frozenset({"public"})
_KEPT = frozenset({ACTIVE, RESOLVED})
_MOST_GOAL = 200
_MOST_GOALS = 2
_ASKS = "?"  # at the end of the mark of a turn that began with a question
_VIA = "session"


class LoggingSession(ObservingSession):
    """What happens in a session, as its log has it, and the summaries that come of it."""

    def note_goal(self, text: str) -> None:
        """Record what the session is for: its first prompt and, if that is no task, the first task.

        What somebody asks to remember is not a goal.
        """
        from recollect.capture.outcomes import tells_what_to_do

        log, session = self.store.local.session_log, self._event.session
        if not session or MARKER in text.lower():
            return
        known = log.goal(session).splitlines()
        is_more = 0 < len(known) < _MOST_GOALS and not tells_what_to_do(known[-1])
        if not known or (is_more and tells_what_to_do(text) and text not in known):
            goal = shorten_line(self.redact(text), _MOST_GOAL)
            log.set_goal(session, "\n".join((*known, goal)), self._now)

    def note_milestone(self, what: str) -> None:
        """Record what happened in the session."""
        if self._event.session:
            self.store.local.session_log.add(self._event.session, self.redact(what), self._now)

    def note_open(self, items: Sequence[str]) -> None:
        """Record what is left to do in the session, in place of what was left before."""
        if self._event.session:
            clean = [self.redact(item) for item in items]
            self.store.local.session_log.set_open(self._event.session, clean, self._now)

    def knows_turn(self, prompt: str) -> bool:
        """Whether the hook of a prompt had the time to record it."""
        return self._turn_mark(prompt) in self._turns()

    def has_earlier_turn(self, prompt: str) -> bool:
        """Whether a turn came before this prompt: the first one has nothing to correct."""
        return any(turn != self._turn_mark(prompt) for turn in self._turns())

    def _turns(self) -> list[str]:
        entries = self.store.local.session_log.entries(self._event.session)
        return [what for _, what in entries if what.startswith(TURN)]

    def note_turn(self, prompt: str) -> None:
        """Record that a turn begins."""
        if self._event.session:
            log = self.store.local.session_log
            log.add(self._event.session, self._turn_mark(prompt), self._now)

    def take_back(self, correction: str, *, commits: bool) -> None:
        """Drop what the last turn reported as done, and record what the person said instead."""
        if not self._event.session:
            return
        log = self.store.local.session_log
        log.take_back(self._event.session, (DONE, COMMIT_MADE) if commits else (DONE,))
        if correction:
            self.note_milestone(CORRECTED + correction)

    def _turn_mark(self, prompt: str) -> str:
        from recollect.capture.features import is_question
        from recollect.capture.sentences import sentences
        from recollect.state.salting import salted_hash

        words = " ".join(prompt.split())
        asks = _ASKS if any(map(is_question, sentences(prompt))) else ""
        return f"{TURN}{salted_hash(words, self.store.local.episodes.salt()):x}{asks}"

    def answers_question(self) -> bool:
        """Whether the turn that runs began with a question."""
        turns = self._turns()
        return bool(turns) and turns[-1].endswith(_ASKS)

    # Summaries

    def due_sessions(self) -> list[Due]:
        """Return the other sessions that need a summary, the one with the last activity first."""
        if self.store.project is not None:
            return []  # the user ledger also holds sessions of other directories
        return self.store.local.session_log.due(but=self._event.session)

    def goals_of(self, session: str) -> list[str]:
        """Return what a session was for."""
        return self.store.local.session_log.goal(session).splitlines()

    def log_of(self, session: str) -> list[tuple[float, str]]:
        """Return what happened in a session, in order."""
        return self.store.local.session_log.entries(session)

    def failures_of(self, session: str) -> list[tuple[float, str]]:
        """Return the unsolved failures of a session that say something: when, and what failed."""
        from recollect.capture.tool_learning import THRESHOLD

        found = []
        for at, learning in self.store.local.tools.failures_of(session):
            known = json.loads(learning)
            if float(known.get("score", THRESHOLD)) < THRESHOLD:
                continue
            found.append((at, str(known.get("summary") or known.get("said") or "")))
        return found

    def kept_in(self, session: str) -> list[Memory]:
        """Return the shared memories that were made in a session, in order.

        A summary is shared, so it may not repeat what is private or not confirmed.
        """
        wanted = Filters(session=session, statuses=_KEPT, sensitivities=_PUBLIC, alive_at=self._now)
        found = self.store.indexing.fresh().select(wanted)
        return [memory for memory in found if memory.kind not in (SESSIONS, "facts", "progress")]

    def summary_of(self, session: str) -> Memory | None:
        """Return the automatic summary of a session, whatever its status."""
        wanted = Filters(kind=SESSIONS, session=session, statuses=ALL, sensitivities=_PUBLIC)
        found = self.store.indexing.fresh().select(wanted)
        own = [m for m in found if m.provenance.get("via") == _VIA and self.is_own(m)]
        return own[-1] if own else None

    def drafted_summary(self, session: str) -> Memory | None:
        """Return the summary that the agent of a session wrote when it was asked, if it did."""
        asked = self.store.local.observed.asked_at(session)
        if asked is None:
            return None
        wanted = self._filters(self.store, kind=SESSIONS, statuses=ALL, since=asked - 1)
        written = self.store.indexing.fresh().select(wanted)
        return next((one for one in written if one.provenance.get("via") == "write"), None)

    def update_summary(self, memory: Memory, record: Mapping[str, Any]) -> bool:
        """Bring the summary of a session up to date; return whether it changed.

        A summary that left the window comes back; one that a person retired does not.
        """
        from recollect.core.content import check_content
        from recollect.store.prepare import change_of, prepare_status
        from recollect.typed.session_rollover import REASON, retire_oldest

        clean = self.store.redact(dict(record))
        content = check_content(SESSIONS, clean["content"])
        fields = {
            name: value
            for name, value in (
                ("summary", clean["summary"]),
                ("content", content),
                ("files_modified", list(clean["files_modified"])),
            )
            if memory.as_json()[name] != value
        }
        if not fields:
            return False
        writes = []
        if memory.status == RETIRED:
            if memory.status_reason != REASON:
                return False
            writes.append(prepare_status(self.store, memory, "restored", "the session went on"))
        writes.append(change_of(self.store, memory, fields, None))
        for one in writes:
            self.store.write([one], "edit")
        if memory.status == RETIRED:
            retire_oldest(self.store, [memory.uid])
        return True

    def summary_nonce(self, due: Due) -> str:
        """Return the nonce of a session's summary: the same in every process that writes it."""
        return derive_uid(f"summary of the session {due.session}", int(due.began * 1000))

    def mark_summarised(self, due: Due) -> None:
        """Record that a session has its summary, or needs none."""
        self.store.local.session_log.mark_summarised(due)

    # Transcripts of other sessions

    def unread_transcripts(self, most: int) -> list[tuple[str, str]]:
        """Return the transcripts of other sessions that go on after what was read."""
        from recollect.hooks.session_observing import size_of

        if self.store.project is not None:
            return []
        known = self.store.local.observed.read_so_far(self._event.session, most)
        return [(session, path) for session, path, position in known if size_of(path) > position]
