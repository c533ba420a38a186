"""The part of a hook session for what people ask to keep: twins, reversals, files, forgetting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from recollect.api.recollect import Recollect
from recollect.capture.novelty import Known, judge
from recollect.capture.unconfirmed import reject, relate_reversed, supersede_unconfirmed, text_of
from recollect.core.kinds import SESSIONS
from recollect.core.marks import without_own_text
from recollect.core.memory import Memory, is_expired
from recollect.core.names import short
from recollect.core.places import SHARED
from recollect.core.status import ACTIVE, ARCHIVED, RESTORED, RETIRED
from recollect.hooks.session_keeping import KeepingSession
from recollect.hosts.protocol import PROMPT, Event
from recollect.index.protocol import Filters, Index, made_with
from recollect.state.database import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from recollect.capture.requests import Request
    from recollect.capture.wish_meaning import Meant, Read

_SIMILAR = 5
_FORGOTTEN = "you asked to forget it"
_AGAIN = "you asked to remember it again"
_MOST_TRACES = 200
_UNCONFIRMED = "unconfirmed"


class AskedSession(KeepingSession):
    """A hook session that knows what was asked for, and can take it back."""

    # The hashed words of what must not be kept, once they are read.
    _unkept: list[frozenset[int]] | None = None

    def __init__(self, store: Recollect, event: Event) -> None:
        super().__init__(store, event)
        self._requests: dict[str, list[Request]] = {}  # by the text that they are in
        self._meant: dict[tuple[str, ...], list[Meant]] = {}  # the last that was read
        self._reading: dict[str, Callable[[], list[Request]]] = {}

    def find_exact(self, text: str, kind: str) -> Memory | None:
        """Return the public, active memory with exactly this text, of a kind if one is named."""
        for memory in self._twins(text, kind, alive=True):
            if memory.status == ACTIVE:
                return memory
        return None

    def find_hidden(self, text: str, kind: str) -> Memory | None:
        """Return a memory of the owner with exactly this text that search does not show."""
        for memory in self._twins(text, kind, alive=True):
            if memory.status not in (ACTIVE, _UNCONFIRMED) and self.is_own(memory):
                return memory
        return None

    def swallows(self, memory: Memory) -> bool:
        """Whether what a memory says need not be noticed again.

        What expired, was archived, or was retired for its age must be able to come back. What
        somebody retired must not. What was only noticed is another memory by now, or rejected,
        which is known elsewhere.
        """
        if memory.status == RETIRED:
            return memory.status_by is None and not memory.was_unconfirmed
        return memory.status != ARCHIVED and not is_expired(memory, self._now)

    def has_twin(self, text: str) -> bool:
        """Whether a memory with exactly this text exists, whatever became of it.

        One that was only noticed does not count: who asks for it confirms it.
        """
        return any(memory.status != _UNCONFIRMED for memory in self._twins(text, "", alive=False))

    def _twins(self, text: str, kind: str, *, alive: bool) -> list[Memory]:
        from recollect.capture.twins import twins_of  # most events compare nothing

        return twins_of(self.store, text, kind, alive_at=self._now if alive else None)

    def bring_back(self, memory: Memory) -> Memory:
        """Make a hidden memory active again, because somebody asked for it again."""
        return self.store.set_status(memory.uid, RESTORED, _AGAIN)

    def merge_files(self, memory: Memory, files: Sequence[str]) -> Memory:
        """Add files to a memory that was asked for again; return it as it is then."""
        new = [path for path in files if path not in memory.files_read]
        if not new or not self.is_own(memory):
            return memory
        return self.store.update(memory.uid, files_read=[*memory.files_read, *new])

    def relate(self, draft: Mapping[str, Any], reversed_: Sequence[Memory]) -> dict[str, Any]:
        """Return a draft that says which shared memories it reverses; local ones stay unnamed."""
        shared = [old for old in reversed_ if not old.was_unconfirmed]
        return relate_reversed(draft, shared) if shared else dict(draft)

    def supersede(self, new: Memory, reversed_: Sequence[Memory]) -> list[Memory]:
        """Hide the memories of this person that a new one reverses; return them as they are then.

        An unconfirmed one is retired. An active one is archived if the reversal is beyond doubt;
        without that, and if somebody else wrote it, recall only prefers the new one.
        """
        from recollect.core.reversal import SUPERSEDED

        own = [old for old in reversed_ if self.is_own(old) and old.uid != new.uid]
        hidden = [old.uid for old in supersede_unconfirmed(self.store, own, new)]
        for old in own:
            like = judge(text_of(new), [Known(old.uid, text_of(old))])
            if old.status == ACTIVE and like.is_sure:
                self.store.set_status(old.uid, ARCHIVED, SUPERSEDED + short(new.id))
                hidden.append(old.uid)
        return self.store.indexing.using(lambda index: index.get_many(hidden)) if hidden else []

    def knows_meaning(self) -> bool:
        """Whether wishes can be told by their meaning: an embedder is loaded."""
        return self.reader() is not None

    def requests_in(self, text: str) -> list[Request]:
        """Return the wishes in a text, by their meaning too if an embedder is loaded."""
        if text not in self._requests:
            read = self._reading.pop(text, None) or self._find_requests(text)
            self._requests[text] = read()
        return self._requests[text]

    def read_ahead(self, text: str) -> None:
        """Look for the wishes in a text, then for a change of mind, beside what others do.

        Most of the time, the model reads, and other threads can run meanwhile.
        """
        if text not in self._reading and text not in self._requests:
            self._reading[text] = self.beside().begin(self._find_requests(text))
            self.look_for_change()

    def _find_requests(self, text: str) -> Callable[[], list[Request]]:
        from recollect.capture.requests import find_requests

        return lambda: find_requests(text, read=self.reader())

    def reader(self) -> Read | None:
        """Return how to read the sentences of a prompt, if an embedder is loaded."""
        embedder = self.store.indexing.loaded_embedder
        if embedder is None:
            return None
        from recollect.capture.wish_meaning import reader_with

        read = reader_with(embedder, self._read_next)
        return None if read is None else lambda said: self._read_once(said, read)

    def _read_next(self) -> str:
        """Return what the model reads after the wishes of a prompt, for a change of mind."""
        if self._event.name != PROMPT or self._event.agent:
            return ""
        from recollect.capture.changed_meaning import read_of

        return read_of(without_own_text(self._event.text))

    def _read_once(self, said: Sequence[str], read: Read) -> list[Meant]:
        """Read the sentences of a prompt, once for what it asks to keep and what not to."""
        known = tuple(said)
        if known not in self._meant:
            self._meant = {known: read(said)}
        return self._meant[known]

    def record_kept(self, kept: Mapping[str, str]) -> None:
        """Record what this event kept: uid or nonce → fingerprint of the wish."""
        with suppress(StateError):  # the memory is what counts
            self.store.local.kept.record(self._event.session, list(kept.items()), self._now)

    def is_handled(self, fingerprint: str) -> bool:
        """Whether a wish was kept before, whatever became of it."""
        return self.store.local.kept.is_handled(fingerprint)

    def kept_last(self) -> list[Memory]:
        """Return what this session kept last, in this turn or in the one before."""
        since = self._previous_prompt()
        names = self.store.local.kept.last(self._event.session, since)
        found = self._named(names)
        wanted = Filters(
            statuses=frozenset({_UNCONFIRMED}), since=since - 1, project=self.store.project
        )
        noticed = self.store.indexing.using(lambda index: index.newest(wanted, _SIMILAR, self._now))
        own = [memory for memory in noticed if memory.session == self._event.session]
        kept = [memory for memory in found if memory.status == ACTIVE]
        written = self._written_since(since)
        if kept:
            from recollect.capture.restating import restates

            texts = [text_of(memory) for memory in kept]
            return [*kept, *(m for m in written if any(restates(one, text_of(m)) for one in texts))]
        return written[:1] or own[:1]

    def _written_since(self, since: float) -> list[Memory]:
        """Return what the agent wrote down since a moment in this session, the newest first."""
        wanted = Filters(statuses=frozenset({ACTIVE}), since=since - 1, project=self.store.project)
        newest = self.store.indexing.using(lambda index: index.newest(wanted, _SIMILAR, self._now))
        return [
            memory
            for memory in newest
            if memory.provenance.get("said_by") == "agent" and self.is_own(memory)
            if memory.session in (None, self._event.session) and memory.kind != SESSIONS
        ]

    def _previous_prompt(self) -> float:
        """Return when the prompt before this one came; infinity if there was none."""
        traces = self.store.local.sessions.traces(_MOST_TRACES, self._event.session)
        return next((trace.at for trace in traces if trace.event == PROMPT), float("inf"))

    def forget(self, memory: Memory) -> list[Memory]:
        """Retire a memory; return what it had superseded, which is active again.

        An unconfirmed one is rejected, so that its like never comes again.
        """
        from recollect.capture.twins import similar_in
        from recollect.core.reversal import SUPERSEDED, is_superseded

        self.note_wrong([memory])
        if memory.status == _UNCONFIRMED:
            reject(self.store, [memory])
            return []
        from recollect.capture.rejections import note_rejected

        note_rejected(self.store, {memory.uid: text_of(memory)})  # nor its like later
        self.store.take_back(memory.uid, _FORGOTTEN)
        self.store.local.kept.drop(self._event.session, [memory.uid, memory.nonce or ""])
        reason = SUPERSEDED + short(memory.id)
        text = f"{memory.summary}\n{memory.text}"
        back = [
            old
            for old in similar_in(self.store, text, 2 * _SIMILAR)
            if is_superseded(old) and old.status_reason == reason
        ]
        return [
            self.store.set_status(old.uid, RESTORED, "what superseded it is gone") for old in back
        ]

    def may_be_shared(self, memory: Memory) -> bool:
        """Whether others have, or will get, what this session has just forgotten."""
        places = self.store.indexing.using(lambda index: index.places(memory.uid))
        return any(place.space == SHARED for place in places)

    def note_unkept(self, text: str) -> None:
        """Record, as salted hashes, the words of what the person asks not to keep."""
        from recollect.capture.unkept import words_of

        words = words_of(text)
        if words and self._event.session:
            self.store.local.make_folder()
            self.store.local.noticed.note_unkept(self._event.session, words, self._now)
            self._unkept = None

    def has_unkept(self) -> bool:
        """Whether the person asked, in this session, not to keep something."""
        if self._unkept is None:
            self._unkept = self.store.local.noticed.unkept(self._event.session)
        return bool(self._unkept)

    def is_unkept(self, text: str) -> bool:
        """Whether a sentence of a text repeats what the person asked not to keep."""
        if not self.has_unkept() or self._unkept is None:
            return False
        from recollect.capture.sentences import split_line
        from recollect.capture.unkept import repeats, words_of

        noticed = self.store.local.noticed
        said = [one for line in text.splitlines() for one in split_line(line)]
        return any(repeats(noticed.hashed(words_of(one)), self._unkept) for one in said)

    def note_changed_files(self, paths: Sequence[str]) -> None:
        """Record files that a tool changed, if something was kept in this turn."""
        kept, session = self.store.local.kept, self._event.session
        if paths and session and kept.unlinked(session):
            kept.add_files(session, self.store.redact(list(paths)))

    def link_changed_files(self) -> list[Memory]:
        """Link what was kept in this turn to the files that changed in it; return what changed."""
        kept, session = self.store.local.kept, self._event.session
        names = kept.unlinked(session) if session else []
        if not names:
            return []
        files = kept.files(session)
        changed = []
        for memory in self._named(names) if files else ():
            new = [path for path in files if path not in memory.files_modified]
            if new and memory.status == ACTIVE:
                given = [*memory.files_modified, *new]
                changed.append(self.store.update(memory.uid, files_modified=given))
        kept.end_turn(session)
        return changed

    def _named(self, names: Sequence[str]) -> list[Memory]:
        """Return memories by uid, or by the nonce of a draft that was spooled at the time."""

        def look(index: Index) -> list[Memory]:
            made = (made_with(index, name) for name in names)
            found = [*index.get_many(list(names)), *(memory for memory in made if memory)]
            return list({memory.uid: memory for memory in found}.values())

        return self.store.indexing.using(look) if names else []
