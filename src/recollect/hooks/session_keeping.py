"""What the stages of a pipeline may ask to be kept."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from recollect.capture.spool_flush import LONGEST_WAIT, drain, keep, stash_of
from recollect.core.memory import Memory
from recollect.hooks.marking import identity
from recollect.hooks.session_state import RecordedSession
from recollect.ledger.lock import exclusive

_LOCK = "noticing.lock"


class KeepingSession(RecordedSession):
    """Keeps what an event brings, without secrets, each draft once."""

    def redact(self, text: str) -> str:
        """A text without secrets. Where that fails nothing is kept: the error goes all the way."""
        return str(self.store.redact(text))

    def is_own(self, memory: Memory) -> bool:
        """Whether the owner of this clone wrote a memory, as far as the memory says who did."""
        return not memory.author or _address(memory.author) == _address(self.store.ledger.author)

    def keep(self, drafts: Mapping[str, Mapping[str, Any]]) -> list[Memory]:
        """Remember what somebody asked to remember."""
        clean = [self.store.redact(draft) for draft in drafts.values()]
        return keep(self.store, clean, nonces=list(drafts), moment=self._event.moment)

    def identify(self, draft: Mapping[str, Any], number: int) -> str:
        """The nonce of a draft."""
        if not self._event.moment:
            return self.store.new_nonce()
        return identity(self._event, self.store.redact(draft), number)

    def discard_stashed(self, nonce: str) -> None:
        """Take away what was put aside."""
        stash_of(self.store).drop(nonce)

    def drain(self) -> int:
        """Bring what waits to the ledger; how many that were."""
        return len(drain(self.store))

    def locked(self) -> AbstractContextManager[None]:
        """Nobody else looks at what is known and adds to it while this lasts."""
        lock = self.store.ledger.repository.state_dir / _LOCK
        return exclusive(lock, min(self.store.config.number("lock.timeout"), LONGEST_WAIT))


def _address(author: str) -> str:
    """The e-mail address of `Name <address>`, or all of it where there is none."""
    address = author.partition("<")[2].partition(">")[0].strip().lower()
    return address or author.strip().lower()
