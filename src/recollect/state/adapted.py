"""The weights that detection learned from accepted and rejected suggestions."""

from __future__ import annotations

from collections.abc import Mapping

import apsw


class Adapted:
    """Named weights of one repository; they hold no text."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def weights(self) -> dict[str, float]:
        """Return all weights."""
        return {str(name): float(w) for name, w in self._db.execute("SELECT * FROM adapted")}

    def add(self, steps: Mapping[str, float], most: float) -> None:
        """Change weights; none exceeds `most` in either direction."""
        with self._db:
            self._db.executemany(
                "INSERT INTO adapted VALUES (?1, max(-?3, min(?3, ?2))) ON CONFLICT (name)"
                " DO UPDATE SET weight = max(-?3, min(?3, weight + ?2))",
                [(name, step, most) for name, step in steps.items()],
            )

    def clear(self) -> None:
        """Delete all weights."""
        with self._db:
            self._db.execute("DELETE FROM adapted")
