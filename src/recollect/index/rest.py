"""When a repository slept: local state, by which sleep knows whether it is due."""

from __future__ import annotations

import apsw

PAUSE = 86_400.0


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
            self._db.execute("INSERT INTO slept VALUES (?)", (at,))

    def is_due(self, now: float) -> bool:
        """Whether a session has ended since the last sleep, or a day has passed."""
        last = self.last_sleep()
        return last is None or now - last >= PAUSE or self.ended_since(last)

    def ended_since(self, at: float) -> bool:
        """Whether a session has ended since then."""
        rows = self._db.execute("SELECT 1 FROM session WHERE ended > ? LIMIT 1", (at,))
        return next(iter(rows), None) is not None
