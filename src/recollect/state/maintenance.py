"""The maintenance log: when a repository last ran sleep, and whether it is due."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

PAUSE = 86_400.0
# After an unfinished run, a hook waits this long before it tries again.
_BACK_OFF = 3_600.0


class MaintenanceLog:
    """The sleep runs of one repository."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def last_sleep(self) -> float | None:
        """Return when sleep last ran; None if never."""
        (found,) = next(iter(self._db.execute("SELECT max(at) FROM slept")))
        return None if found is None else float(found)

    def record_sleep(self, at: float) -> None:
        """Record a sleep run."""
        with self._db:
            self._db.execute("DELETE FROM slept")
            self._db.execute("DELETE FROM tried")
            self._db.execute("INSERT INTO slept VALUES (?)", (at,))

    def set_back(self, now: float, slept: float | None) -> None:
        """Delete times that a wrong clock left: nothing happened later than now."""
        with self._db:
            self._db.execute("DELETE FROM slept")
            self._db.execute("DELETE FROM tried WHERE at > ?", (now,))
            self._db.execute("DELETE FROM confirmed WHERE at > ?", (now,))
            self._db.execute("UPDATE known SET at = ?1 WHERE at > ?1", (now,))
            self._db.execute("UPDATE use SET at = ?1 WHERE at > ?1", (now,))
            self._db.execute("UPDATE retired SET at = ?1 WHERE at > ?1", (now,))
            if slept is not None:
                self._db.execute("INSERT INTO slept VALUES (?)", (min(slept, now),))

    def confirm_clock(self, at: float) -> None:
        """Record that a person confirmed the clock."""
        with self._db:
            self._db.execute("DELETE FROM confirmed")
            self._db.execute("INSERT INTO confirmed VALUES (?)", (at,))

    def confirmed(self) -> float | None:
        """Return when a person last confirmed the clock."""
        (found,) = next(iter(self._db.execute("SELECT max(at) FROM confirmed")))
        return None if found is None else float(found)

    def moments(self) -> list[float]:
        """Return all recorded times of events here, oldest first, by this machine's clock."""
        rows = self._db.execute(
            "SELECT at FROM slept UNION SELECT began FROM session UNION SELECT ended FROM session"
            " UNION SELECT at FROM use UNION SELECT at FROM trace UNION SELECT at FROM run"
        )
        return sorted(float(at) for (at,) in rows if at is not None)

    def retired_since(self, uids: Iterable[str], now: float) -> dict[str, float]:
        """Return when this clone first saw that memories are retired; now if it is new."""
        wanted = list(uids)
        with self._db:
            self._db.executemany(
                "INSERT OR IGNORE INTO retired VALUES (?, ?)", [(uid, now) for uid in wanted]
            )
            known = dict(self._db.execute("SELECT uid, at FROM retired"))
            self._db.executemany(
                "DELETE FROM retired WHERE uid = ?", [(u,) for u in known.keys() - set(wanted)]
            )
        return {uid: known[uid] for uid in wanted}

    def claim_attempt(self, now: float) -> bool:
        """Record an attempt to sleep; return False if one in the last hour did not finish."""
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
