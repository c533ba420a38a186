"""The part of a hook session that captures: redaction, suggestions, nonces, spool, stash, lock."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from recollect.api.recollect import Recollect
from recollect.capture.novelty import SUPERSEDES, Known, judge, share_words
from recollect.capture.unconfirmed import add, convert_suggestions, text_of
from recollect.core.marks import without_own_text
from recollect.core.memory import Memory, is_expired
from recollect.core.note import shorten_line
from recollect.core.status import ACTIVE, ARCHIVED, UNCONFIRMED, VISIBLE
from recollect.hooks.marking import identity
from recollect.hooks.session_state import RecordedSession
from recollect.hosts.protocol import PROMPT, Event
from recollect.index.protocol import Filters, Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from recollect.capture.changed_minds import Find
    from recollect.core.meanwhile import InTurn

_LOCK = "noticing.lock"
# Memories that a change of mind may be about: by their words, and by their meaning if a model is
# loaded. It then reads them while the person waits, so there are fewer of the former.
_BY_WORDS, _BESIDE_NEAR, _NEAR = 12, 4, 4
_MOST_WRONG = 200
_LAST = 6  # memories of a session that a correction may be about
_NOTICED = frozenset({UNCONFIRMED, ACTIVE})


class KeepingSession(RecordedSession):
    """A hook session that can also capture and suggest drafts.

    Drafts are redacted before they are written, and each draft is captured once: its nonce depends
    on the event, so a second capture of the same event finds the first.
    """

    stores: Sequence[Recollect]  # the project's store, and the user's own if there is one

    def __init__(self, store: Recollect, event: Event) -> None:
        super().__init__(store, event)
        # What the prompt changes, once it was looked up, and what drafts of this event reverse.
        self._changed: list[Memory] | None = None
        self._looking: Callable[[], Find | None] | None = None
        self._beside: InTurn | None = None
        self._reversed: set[str] = set()
        # Where the prompt speaks of a memory that it changes, by its uid.
        self._places: dict[str, int] = {}

    def redact(self, text: str) -> str:
        """Return a text without secrets. If that fails, the error must stop the capture."""
        return str(self.store.redact(text))

    def is_own(self, memory: Memory) -> bool:
        """Whether the owner of this clone wrote a memory; also true if it has no author."""
        return not memory.author or _address(memory.author) == _address(self.store.ledger.author)

    def reversed_by(self, draft: Mapping[str, Any], similar: Sequence[Memory]) -> list[Memory]:
        """Return the memories of this ledger that a draft reverses, of those that are like it.

        What is found in the transcript later may be older than what this session kept since.
        """
        from recollect.core.reversal import may_reverse

        said_by = (draft.get("provenance") or {}).get("said_by")
        text = f"{draft['summary']}\n{draft.get('body') or ''}"
        changed = self.changed_by_prompt() if said_by == "user" else []
        taken_back = {old.uid for old in changed if self.carries(text, old)}
        known = {old.uid: old for old in (*similar, *self._just_said(), *changed)}
        found = [
            old
            for old in known.values()
            if old.status in (*VISIBLE, UNCONFIRMED)
            if old.sensitivity == "public" and may_reverse(said_by, old)
            if self._event.name == PROMPT or old.session != self._event.session
            if old.uid in taken_back
            or self._corrects(text, old)
            or judge(text, [Known(old.uid, text_of(old))]).verdict == SUPERSEDES
        ]
        if not found:
            return []
        self._reversed.update(old.uid for old in found)
        self.note_wrong(found)
        here = self.store.indexing.using(lambda index: index.get_many([m.uid for m in found]))
        return [old for old in here if old.project == self.store.project]

    def note_wrong(self, memories: Sequence[Memory]) -> None:
        """Record what was taken back, so that no summary states it: of this session or of its own.

        A session of which the log is left gets its summary anew at the next start.
        """
        from recollect.state.session_marks import WRONG

        log = self.store.local.session_log
        for old in memories:
            text = WRONG + shorten_line(self.redact(old.summary), _MOST_WRONG)
            for session in {self._event.session, old.session or ""} - {""}:
                if session == self._event.session or log.entries(session):
                    log.add(session, text, self._now)

    def changed_by_prompt(self) -> list[Memory]:
        """Return the memories about which the prompt tells a change of mind, the likeliest first.

        Those of this very event, and those that something else of it reverses, are left out.
        """
        if self._event.name != PROMPT or self._event.agent:
            return []
        if self._changed is None:
            self._changed = self._find_changed()
        return [old for old in self._changed if old.uid not in self._reversed]

    def _find_changed(self) -> list[Memory]:
        prompt = without_own_text(self._event.text)
        looking, self._looking = self._looking, None
        find = looking() if looking is not None else self._finder(prompt)
        if find is None:
            return []
        from recollect.capture.twins import similar_in
        from recollect.core.reversal import may_reverse

        def may_change(old: Memory) -> bool:
            is_shown = old.status in (*VISIBLE, UNCONFIRMED) and old.sensitivity == "public"
            return is_shown and may_reverse("user", old) and not is_expired(old, self._now)

        near = self._near(prompt)
        by_words = list(filter(may_change, similar_in(self.store, prompt, _BY_WORDS)))
        also = [old for old in (*self._just_said(), *near) if may_change(old)]
        found = [*(by_words[:_BESIDE_NEAR] if near else by_words), *also]
        known = list({old.uid: old for old in found}.values())
        changes = find([text_of(old) for old in known])
        self._places = {known[one.number].uid: one.place for one in changes}
        return [known[one.number] for one in changes]

    def beside(self) -> InTurn:
        """Return the thread of what the model does for a prompt: one thing after the other.

        It begins with the vector of the first search. Another one would wait for what is read then.
        """
        if self._beside is None:
            from recollect.core.meanwhile import InTurn  # a cold hook has no model

            self._beside = InTurn("model")
        return self._beside

    def look_for_change(self) -> None:
        """Look whether the prompt tells a change of mind, beside what others do."""
        if self._changed is None and self._looking is None:
            prompt = without_own_text(self._event.text)
            self._looking = self.beside().begin(partial(self._finder, prompt))

    def _finder(self, prompt: str) -> Find | None:
        """Return how to find what a prompt takes back; None if it tells no change."""
        embedder = self.store.indexing.loaded_embedder
        if embedder is not None:
            from recollect.capture.changed_meaning import finder_with

            look = finder_with(embedder)
            if look is not None:
                return look(prompt)
        from recollect.capture.leads import tells_change

        if not tells_change(prompt):
            return None
        from recollect.capture.changed_minds import Change, changed_by

        return lambda known: [Change(at) for at in changed_by(prompt, known)]

    def _near(self, prompt: str) -> list[Memory]:
        """Return memories that are near to a prompt in meaning, if an embedder is loaded."""

        def look(index: Index) -> list[Memory]:
            embed = self.store.indexing.embed_query(index)
            if embed is None:
                return []
            wanted = Filters(
                statuses=frozenset({*VISIBLE, UNCONFIRMED}), project=self.store.project
            )
            near = index.nearest(embed(prompt), wanted, _NEAR)
            return index.get_many([match.uid for match in near])

        return self.store.indexing.using(look)

    def said_instead(self, said: str, old: Memory) -> str:
        """Return what a prompt, or what is left of it, says instead of a memory that it changes."""
        from recollect.capture.changed_minds import change_in

        is_whole = said == without_own_text(self._event.text)
        return change_in(said, text_of(old), self._places.get(old.uid, -1) if is_whole else -1)

    def carries(self, text: str, old: Memory) -> bool:
        """Return whether a text from the prompt says what holds instead of a memory."""
        from recollect.capture.changed_minds import carries

        instead = self.said_instead(without_own_text(self._event.text), old)
        return carries(text, text_of(old)) or share_words(text, instead)

    def _just_said(self) -> list[Memory]:
        """Return what this session noticed last: a correction may share no word with it."""
        wanted = Filters(session=self._event.session, statuses=_NOTICED, project=self.store.project)
        if self._event.name != PROMPT or not self._event.session:
            return []
        return self.store.indexing.using(lambda index: index.newest(wanted, _LAST, self._now))

    def _corrects(self, text: str, old: Memory) -> bool:
        """Whether a text corrects what this session said: its value, or what is scratched."""
        from recollect.capture.leads import scratches
        from recollect.capture.reversals import corrects

        if old.session != self._event.session or self._event.name != PROMPT:
            return False
        if corrects(text, text_of(old)):
            return True
        return scratches(self._event.text) and share_words(text, text_of(old))

    def scratch(self, new: Memory, reversed_: Sequence[Memory]) -> list[Memory]:
        """Archive what this session kept, and the person scratched; return it."""
        from recollect.capture.leads import scratches
        from recollect.core.reversal import SUPERSEDED

        if self._event.name != PROMPT or not scratches(self._event.text):
            return []
        own = [old for old in reversed_ if old.session == self._event.session and self.is_own(old)]
        reason = SUPERSEDED + self.store.short_name(new)
        return [
            self.store.set_status(old.uid, ARCHIVED, reason) for old in own if old.status == ACTIVE
        ]

    def capture(self, drafts: Mapping[str, Mapping[str, Any]]) -> dict[str, Memory]:
        """Capture drafts by nonce; return the memories that are already in the ledger."""
        from recollect.capture.spool_flush import keep_named

        clean = {nonce: self.store.redact(draft) for nonce, draft in drafts.items()}
        return keep_named(self.store, clean, moment=self._event.moment)

    def derive_nonce(self, draft: Mapping[str, Any], number: int) -> str:
        """Return the nonce of a draft, by its number among the drafts of the event."""
        if not self._event.moment:
            return self.store.new_nonce()
        return identity(self._event, self.store.redact(draft), number)

    def pending_suggestions(self) -> list[Known]:
        """Return the suggestions that are pending review."""
        from recollect.capture.suggestions import suggestions

        return [Known(s.uid, s.text) for s in suggestions(self.store)]

    def is_rejected(self, text: str) -> bool:
        """Whether a text, or nearly the same, was rejected earlier."""
        from recollect.capture.rejections import is_rejected

        return is_rejected(self.store, text)

    def suggest(
        self,
        draft: Mapping[str, Any],
        *,
        confidence: float,
        why: str,
        updates: str | None,
        reverses: Sequence[Memory] = (),
    ) -> Memory | None:
        """Keep a draft as an unconfirmed memory; None if it waits in the spool.

        Raises if the draft could not be captured.
        """
        clean = self.store.redact(draft)
        nonce = self.derive_nonce({**clean, "why": why}, 0)
        found = add(
            self.store,
            clean,
            confidence=confidence,
            why=why,
            updates=updates,
            reverses=reverses,
            nonce=nonce,
            moment=self._event.moment,
        )
        if found is not None:
            if found.session == self._event.session:  # the agent was there when it was said
                self.mark_known(self._event.context, [found])
            self.store.local.noticed.note_untold([found.uid], self._event.session, self._now)
        return found

    def confirm(self, uid: str, how: str) -> Memory | None:
        """Confirm an unconfirmed memory; None if it is none any more."""
        from recollect.capture.unconfirmed import confirm
        from recollect.core.status import UNCONFIRMED

        found = self.store.indexing.using(lambda index: index.get_many([uid]))
        if not found or found[0].status != UNCONFIRMED:
            return None
        confirmed = confirm(self.store, found[0], how=how)
        self.mark_known(self._event.context, [confirmed])
        self.store.local.noticed.mark_told([uid])
        return confirmed

    def untold(self) -> list[Memory]:
        """Return what became unconfirmed in this session and the user has not been told about."""
        from recollect.core.status import UNCONFIRMED

        uids = self.store.local.noticed.untold(self._event.session)
        found = self.store.indexing.using(lambda index: index.get_many(uids)) if uids else []
        return [memory for memory in found if memory.status == UNCONFIRMED]

    def waiting(self) -> str:
        """Return what waits for the user's decision, in words; empty if nothing does."""
        from recollect.api.waiting import waiting_for_review

        return waiting_for_review(self.store).in_words()

    def offer_sync(self) -> str:
        """Return a sentence if the remote has memories that this clone never got."""
        from recollect.state.remote_notes import offer

        repository = self.store.ledger.repository
        return "" if repository.is_user_ledger else offer(repository.state_dir)

    def fetch_notes(self) -> str:
        """Begin what a session starts with, in a process of its own; return what that is."""
        from recollect.api import automatic_sync

        return automatic_sync.at_start(self.store, os.environ)

    def send_notes(self) -> str:
        """Begin what a session ends with, in a process of its own; return what that is."""
        from recollect.api import automatic_sync

        return automatic_sync.at_end(self.store, os.environ)

    def may_offer_learning(self) -> bool:
        """Whether to offer learning now; it is offered once, and only where there is a past."""
        from recollect.ledger.worktree import has_past

        store = self.store
        if store.ledger.repository.is_user_ledger or store.is_learning_offered():
            return False
        if not has_past(store.ledger.repository):
            return False
        store.dismiss_learning()
        return True

    def suggest_for_review(
        self,
        draft: Mapping[str, Any],
        *,
        confidence: float,
        why: str,
        updates: str | None = None,
    ) -> None:
        """Put a draft into the queue. Until a person accepts it, it reaches no agent."""
        from recollect.capture.suggestions import suggest

        clean = self.store.redact(draft)
        self.store.prepare(clean)
        suggest(self.store, clean, confidence=confidence, why=why, updates=updates)

    def discard_stashed(self, nonce: str) -> None:
        """Remove a draft from the stash."""
        from recollect.capture.spool_flush import stash_of

        stash_of(self.store).drop(nonce)

    def flush_spool(self) -> int:
        """Write the spool and the stash to the ledger; return the number of memories."""
        from recollect.state.spool import is_waiting

        if not is_waiting(self.store.ledger.repository.state_dir):
            return 0
        from recollect.capture.spool_flush import drain

        return len(drain(self.store)) + convert_suggestions(self.store)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock automatic capture, so that no other session compares and captures meanwhile."""
        from recollect.capture.spool_flush import LONGEST_WAIT
        from recollect.ledger.lock import exclusive

        lock = self.store.ledger.repository.state_dir / _LOCK
        with exclusive(lock, min(self.store.config.number("lock.timeout"), LONGEST_WAIT)):
            for store in self.stores:  # what others have captured until now counts
                store.indexing.look(once=True)
            yield


def _address(author: str) -> str:
    """Return the e-mail address of `Name <address>`, or the whole text if there is none."""
    address = author.partition("<")[2].partition(">")[0].strip().lower()
    return address or author.strip().lower()
