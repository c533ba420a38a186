"""When a repository slept: local state, by which sleep knows whether it is due."""

from __future__ import annotations

import apsw

PAUSE = 86_400.0
# So long after a run that could not finish a hook does not try again.
_BACK_OFF = 3_600.0


class Rest:
    """The sleeps of one repository."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def last_sleep(self) -> float | None:
        """When it slept last; None if never."""
        (found,) = next(iter(self._db.execute("SELECT max(at) FROM slept")))
        return None if found is None else float(found)

    def slept(self, at: float) -> None:
        """Note that it slept."""
        with self._db:
            self._db.execute("DELETE FROM slept")
            self._db.execute("DELETE FROM tried")
            self._db.execute("INSERT INTO slept VALUES (?)", (at,))

    def may_try(self, now: float) -> bool:
        """Whether no run of the last hour was left unfinished; if so, this one is noted."""
        with self._db:
            (last,) = next(iter(self._db.execute("SELECT max(at) FROM tried")))
            if last is not None and 0 <= now - last < _BACK_OFF:
                return False
            self._db.execute("DELETE FROM tried")
            self._db.execute("INSERT INTO tried VALUES (?)", (now,))
        return True

    def is_due(self, now: float) -> bool:
        """Whether a session has ended since the last sleep, or a day has passed."""
        last = self.last_sleep()
        return last is None or now - last >= PAUSE or self.ended_since(last)

    def ended_since(self, at: float) -> bool:
        """Whether a session has ended since then."""
        rows = self._db.execute("SELECT 1 FROM session WHERE ended > ? LIMIT 1", (at,))
        return next(iter(rows), None) is not None
