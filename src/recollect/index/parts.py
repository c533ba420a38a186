"""Parts of words: what people type is often only the beginning of a word, or the middle.

A term of a query also finds words that begin with it and, if there are none, words that contain it.
Such a match counts for less than the whole word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from recollect.core.named_tuple import NamedTuple
from recollect.index.tables import Tables

# A shorter term is the beginning of too many words.
_LEAST = 4
# With more terms than this, a query is a sentence: only a word that no memory contains may be the
# beginning of another. A limit on their number keeps a long text from taking long.
_FEW = 3
_MOST = 20
# Words that are counted to estimate how many memories a beginning finds. A limit on time.
_MOST_COUNTED = 200
# Words that contain a term, and the memories up to which looking for them takes less than 40 ms
# (2026, two cores).
_MOST_INSIDE = 4
_MOST_MEMORIES = 20_000


class Part(NamedTuple):
    """Words that begin with some letters, as a phrase of search: `timeo*`."""

    phrase: str
    # The term of the query that it stands for, and about how many memories contain it.
    term: str
    memories: int


def find_parts(
    tables: Tables,
    terms: Sequence[str],
    known: Mapping[str, int],
    stem: Callable[[str], str],
    memories: int,
) -> list[Part]:
    """Return the parts that terms stand for; `known` has the terms that are words of the store."""
    is_short = len(terms) <= _FEW
    found = []
    wanted = [term for term in terms if len(term) >= _LEAST and (is_short or term not in known)]
    for term in wanted[:_MOST]:
        beginning = _beginning(tables, term, stem(term))
        found += beginning
        if not beginning and is_short and term not in known and memories <= _MOST_MEMORIES:
            found += _inside(tables, term, stem(term))
    return found


def _beginning(tables: Tables, term: str, stem: str) -> list[Part]:
    """Return the part that is a term itself, if a longer word begins with it."""
    rows = tables.rows(
        "SELECT count(*), sum(doc), max(term) FROM"
        " (SELECT term, doc FROM term WHERE term >= ? AND term < ? ORDER BY term LIMIT ?) AS words",
        (stem, stem + "\U0010ffff", _MOST_COUNTED),
    )
    ((words, memories, last),) = rows
    return [Part(f"{term}*", term, memories)] if words and last != stem else []


def _inside(tables: Tables, term: str, stem: str) -> list[Part]:
    """Return the words that contain a term; a longer word loses an `e` at its end."""
    rows = tables.rows(
        "SELECT term, sum(doc) FROM term WHERE replace(term, ?, '') <> term GROUP BY term"
        " ORDER BY sum(doc) DESC, term LIMIT ?",
        (stem.removesuffix("e"), _MOST_INSIDE),
    )
    return [Part(f"{word}*", term, count) for word, count in rows]
