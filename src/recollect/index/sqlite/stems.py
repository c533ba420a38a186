"""How FTS5 splits a text into words and stems them; every backend stores the same stems."""

from __future__ import annotations

import apsw

_TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2"])


class Stemmer:
    """The tokenizer of FTS5, of a connection or of its own."""

    def __init__(self, db: apsw.Connection | None = None) -> None:
        self._db = db or apsw.Connection(":memory:")
        self._tokenizer = self._db.fts5_tokenizer(*_TOKENIZER)

    def __call__(self, text: str, flags: int = apsw.FTS5_TOKENIZE_QUERY) -> list[str]:
        """Return the stems of a text, in order."""
        found = self._tokenizer(
            text.encode(), flags, None, include_offsets=False, include_colocated=False
        )
        return list(map(str, found))

    def document(self, text: str) -> list[str]:
        """Return the stems of a text as they are indexed."""
        return self(text, apsw.FTS5_TOKENIZE_DOCUMENT)
