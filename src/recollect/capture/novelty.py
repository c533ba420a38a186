"""Compares a text with memories, pending and rejected suggestions, and the docs.

A text is split into statements, and each is compared with the statements of what is known:

| verdict | when |
|---|---|
| duplicate | everything it says is known, in the same words |
| supersedes | it says the opposite of what is known: a denial, another choice, another number |
| near | it contains what is known, and adds to it: the known memory is the one to change |
| new | everything else, however many words the two have in common |

A different object makes a different statement: "Redis for the sessions" is not "Redis for the
cache".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from recollect.capture.statements import SCOPE, Statement, statements, stem_of, words_in
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.index.text import STOP_WORDS, denials, query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

NEW: Final = "new"
NEAR: Final = "near"
SUPERSEDES: Final = "supersedes"
DUPLICATE: Final = "duplicate"

# A document counts if one of its sentences contains nearly all of the words.
_SAID = 0.85
_FEWEST = 3
# The share of common words from which a text is like a rejected one.
_REPEATED = 0.8
# Characters of a text that is compared by its statements; a longer one must be the same as a whole.
_MOST_COMPARED = 20_000
_WORD = pattern(r"[^\W_]+")
_DOC_SENTENCE = pattern(r"[.!?]\s+|\n\s*\n|\n\s*[-*#|]|\n\s*\d+[.)]\s")
_FORBIDS = words_in(
    "forbidden banned disallowed prohibited deprecated obsolete gone dead wrong removed"
)
_EQUALS = words_in("is are was = to at be of equals now takes allows has have")
_OPPOSITES = (
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("allow", "forbid"),
    ("allowed", "forbidden"),
    ("true", "false"),
    ("before", "after"),
    ("required", "optional"),
    ("public", "private"),
    ("accept", "reject"),
    ("include", "exclude"),
    ("tabs", "spaces"),
    ("sync", "async"),
    ("minimum", "maximum"),
    ("open", "closed"),
    ("on", "off"),
    ("over", "under"),
    ("merge", "rebase"),
    ("up", "down"),
    ("mutable", "immutable"),
    ("ascending", "descending"),
    ("always", "never"),
    ("first", "last"),
    ("stable", "unstable"),
    ("safe", "unsafe"),
)


class Known(NamedTuple):
    """A known text, and what it is."""

    name: str
    text: str


class Novelty(NamedTuple):
    """How new a text is, the most similar known text, and whether a reversal is beyond doubt."""

    verdict: str
    like: str = ""
    similarity: float = 0.0
    is_sure: bool = False


def fingerprint(text: str) -> str:
    """Return a value that is equal for the same words, whatever case, order and punctuation."""
    import hashlib

    words = " ".join(sorted(_stems(text)))
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def judge(text: str, known: Iterable[Known]) -> Novelty:
    """Compare a text with what is known; what decides most counts, then what is most similar."""
    mine, stems = statements(text[:_MOST_COMPARED]), _stems(text)
    best = Novelty(NEW)
    for other in known:
        similarity = _similarity(stems, _stems(other.text))
        verdict, sure = NEW, False
        if max(len(text), len(other.text)) > _MOST_COMPARED:
            is_same = text.casefold().split() == other.text.casefold().split()
            verdict = DUPLICATE if is_same else NEW
        elif similarity:
            verdict, sure = _compare(mine, statements(other.text))
            if verdict != DUPLICATE and not sure:
                verdict, sure = _check_reversal(text, other.text, verdict)
        if not mine:  # no word to compare
            verdict = DUPLICATE if similarity == 1 else NEW
        found = Novelty(verdict, other.name, similarity, sure)
        if similarity and _rank(found) > _rank(best):
            best = found
    return best


def _check_reversal(text: str, other: str, verdict: str) -> tuple[str, bool]:
    """Return the verdict on a text that may take back what another one says."""
    from recollect.capture.reversals import fills_place, takes_back  # most texts are new

    if takes_back(text, other):
        return SUPERSEDES, True
    return (SUPERSEDES if fills_place(text, other) else verdict), False


class Outline(NamedTuple):
    """The meaningful words of a text in order, and its denials.

    Words may be hashes: an outline works without the text.
    """

    words: tuple[Hashable, ...]
    denials: int


def outline(text: str) -> Outline:
    """Return the outline of a text."""
    words = dict.fromkeys(stem_of(word) for word in _words(text))
    return Outline(tuple(words), denials(text))


def is_repeated(one: Outline, other: Outline) -> bool:
    """Return whether two outlines have nearly the same words, in the same order and as denied."""
    mine, theirs = frozenset(one.words), frozenset(other.words)
    common = mine & theirs
    smaller = min(len(mine), len(theirs))
    contains = smaller >= _FEWEST and len(common) == smaller
    if _similarity(mine, theirs) < _REPEATED and not contains:
        return False
    in_order = [w for w in one.words if w in common] == [w for w in other.words if w in common]
    return in_order and one.denials == other.denials


def first_and_stems(
    text: str, other: str, least: int
) -> tuple[Statement, set[str], set[str]] | None:
    """Return the first statement of a text, and the stems that another text has and denies.

    None if the statement has fewer than `least` of them, which is too few to tell.
    """
    mine = statements(text)[:1]
    if not mine or len(mine[0].stems) < least:
        return None
    theirs = statements(other)
    known = {stem for one in theirs for stem in one.stems}
    return mine[0], known, {stem for one in theirs for stem in one.denied}


def repeats(text: str, other: str) -> bool:
    """Return whether the first statement of a text says nothing that another text does not."""
    compared = first_and_stems(text, other, _FEWEST)
    if compared is None:
        return False
    mine, known, denied = compared
    stems = mine.stems
    is_known = sum(stem in known for stem in stems) >= _SAID * len(stems)
    return is_known and all((stem in denied) == (stem in mine.denied) for stem in stems)


def share_words(text: str, other: str) -> bool:
    """Return whether two texts have a meaningful word in common."""
    return not _stems(text).isdisjoint(_stems(other))


def said_in(text: str, document: str) -> bool:
    """Return whether one sentence of a document already says it."""
    mine = _stems(text)
    if len(mine) < _FEWEST:
        return False
    for sentence in _DOC_SENTENCE.split(document):
        theirs = _stems(sentence)
        if len(mine & theirs) >= _SAID * len(mine):
            return True
    return False


def _rank(one: Novelty) -> tuple[int, float]:
    order = {DUPLICATE: 4, SUPERSEDES: 3 if one.is_sure else 1, NEAR: 2, NEW: 0}
    return order[one.verdict], one.similarity


def _similarity(mine: frozenset[Hashable], theirs: frozenset[Hashable]) -> float:
    """Return common words over all words."""
    if not mine or not theirs:
        return 1.0 if mine == theirs else 0.0
    return len(mine & theirs) / len(mine | theirs)


def _compare(mine: list[Statement], theirs: list[Statement]) -> tuple[str, bool]:
    """Compare all statements of a text with all statements of another."""
    if not mine or not theirs:
        return NEW, False
    relations = [[_relate(one, other) for other in theirs] for one in mine]
    for row in relations:
        # What contradicts one statement may still repeat another, as in "tabs, not spaces".
        if _SAME not in row and _REVERSES in row:
            return SUPERSEDES, True
    known = [_SAME in row or _WITHIN in row for row in relations]
    if all(known):
        return DUPLICATE, False
    main = [row[0] for row in relations]  # what a memory says first is what it is about
    if _SAME in main or _CONTAINS in main:
        return NEAR, False
    if any(_REPLACES in row for row in relations):
        return SUPERSEDES, False
    return NEW, False


_SAME, _WITHIN, _CONTAINS, _REVERSES, _REPLACES, _OTHER = range(6)


def _relate(one: Statement, other: Statement) -> int:
    """Return what a statement is to a known one."""
    a, b = set(one.stems), set(other.stems)
    common, mine, theirs = a & b, a - b, b - a
    if not common:
        return _OTHER
    turned = {stem for stem in common if (stem in one.denied) != (stem in other.denied)}
    if turned:
        # "Memcached, not Redis, for the cache": all that the other says is here, and is denied.
        is_about_it = b - turned <= a and (b - turned or a == b)
        return _REVERSES if is_about_it else _OTHER
    if _is_opposite(mine, theirs):
        return _REVERSES
    if not mine and not theirs:
        return _SAME if _same_order(one, other) else _OTHER
    if not mine:
        at = _place(one.stems, other.stems)
        last = one.stems[-1]
        is_whole = at is not None and other.after.get(last, "") not in SCOPE
        is_whole = is_whole and "only" not in theirs
        return _WITHIN if is_whole and len(common) > 1 else _OTHER
    if not theirs:
        forbids = any(stem in _STEMMED_FORBIDS for stem in mine)
        if forbids and not any(stem in _STEMMED_FORBIDS for stem in other.stems):
            return _REVERSES
        return _CONTAINS if _place(other.stems, one.stems) is not None else _OTHER
    return _replaced(one, other, mine, theirs)


def _replaced(one: Statement, other: Statement, mine: set[str], theirs: set[str]) -> int:
    """Return what a statement is to one from which it differs in single words."""
    if len(one.stems) != len(other.stems) or len(mine) != 1 or len(theirs) != 1:
        return _OTHER
    new, old = next(iter(mine)), next(iter(theirs))
    at = one.stems.index(new)
    if other.stems.index(old) != at:
        return _OTHER
    if any(map(str.isdigit, new)) and any(map(str.isdigit, old)):
        is_value = one.before.get(new) in _EQUALS and other.before.get(old) in _EQUALS
        return _REVERSES if is_value and len(one.stems) > 1 else _OTHER
    is_choice = one.chooses and other.chooses and at == 0 and len(one.stems) > 1
    return _REPLACES if is_choice else _OTHER


def _is_opposite(mine: set[str], theirs: set[str]) -> bool:
    """Return whether two statements differ in one word and its opposite only."""
    if len(mine | theirs) > 2 or not mine | theirs:
        return False
    for left, right in _OPPOSITES:
        first, second = stem_of(left), stem_of(right)
        if (mine, theirs) in (({first}, {second}), ({second}, {first})):
            return True
        if {left, right} == {"on", "off"} and "off" in mine | theirs and len(mine | theirs) == 1:
            return True
    return False


def _same_order(one: Statement, other: Statement) -> bool:
    """Return whether the same words stand in the same order, or one phrase stands elsewhere."""
    if one.stems == other.stems:
        return True
    if one.denied or other.denied:
        return False
    mine, theirs = (
        {stem: before for stem, before in s.before.items() if before in SCOPE} for s in (one, other)
    )
    return len(mine) == 1 and mine == theirs


def _place(part: tuple[str, ...], whole: tuple[str, ...]) -> int | None:
    """Return where a run of words begins in another; None if it is not in one piece."""
    for at in range(len(whole) - len(part) + 1):
        if whole[at : at + len(part)] == part:
            return at
    return None


def _words(text: str) -> list[str]:
    """Return the meaningful words; names such as `PostgreSQL` count once, not by their parts."""
    words = _WORD.findall(text.lower()) if text.isascii() else query_terms(text)
    return [word for word in words if word not in STOP_WORDS]


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem_of(word) for word in _words(text))


_STEMMED_FORBIDS = frozenset(map(stem_of, _FORBIDS))
