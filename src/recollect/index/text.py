"""Words: what goes into the keyword index, and what a query looks up.

The database splits at everything that is not a letter or a digit and stems English words. This
module adds two things, the same way for text and query: names like `parseNote` also count by their
parts, and languages without spaces count by pairs of characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.core.patterns import pattern

_WORD = pattern(r"[^\W_]+")
_CAMEL = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# A word that mixes cases, or letters and digits. Matched once per word, at its start: matching at
# each letter takes quadratic time for a long word.
_COMPOUND = pattern(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9]*?(?:[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z]\d|\d[A-Za-z]))"
    r"[A-Za-z0-9]++"
)
_MARKS = ".,;:!?()[]{}'\"`*-"
# Chinese, Japanese, Korean, Thai: scripts without spaces between words.
_UNSPACED = pattern(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_DENIAL = pattern(r"(?i)\b(?:not|no|never|without|cannot|\w+n't)\b")

# Words that say nothing about the topic of a question.
_EVERY_STOP_WORD = """
    a about after again all also am an and any are aren as at be because been before being below
    between both but by can cannot could couldn did didn do does doesn doing don down during each
    few for from further get got had hadn has hasn have haven having he her here hers herself him
    himself his how i if in into is isn it its itself just let me more most my myself no nor not
    now of off on once only or other ought our ours ourselves out over own please same shan she
    should shouldn so some such than that the their theirs them themselves then there these they
    this those through to too under until up us very was wasn we were weren what when where which
    while who whom why will with won would wouldn you your yours yourself yourselves
    s t d ll m re ve
"""
STOP_WORDS = frozenset(_EVERY_STOP_WORD.split())
_STOP_WORDS = frozenset(_EVERY_STOP_WORD.encode().split())
# Words of everyday requests and answers. They say little about a topic, even in a store in which
# they are rare.
_EVERYDAY_WORDS = """
    able actually add added adding ahead already always another answer anything apply ask asked
    away back bad basically begin best better big bit branch break breaks bring broke broken
    build call called came case cases change changed changes changing check checked checks
    choose choosing chose chosen clean cleanup clear code column come comes comment comments
    commit commits common complete consider continue correct could create created current
    currently decide decided decision default describe detail details difference different done
    easy either else end enough even ever every everything exactly example exist exists expect
    expected explain extra fact far feel figure file files fill find fine finish first fix fixed
    fixes fixing follow following found full function functions gave general getting give given
    go goes going gone good great guess hand handle handled handles handling happen happened
    happening happens hard help helper hey hi idea implement important improve instead issue
    issues keep keeps kept kind knew know known large last later latest least leave left less
    like likely line lines lint list little long longer look looked looking looks lot made main
    make makes making many matter may maybe mean means merge method might mind minute miss
    missing move much must name named need needed needs never new next nice nothing number ok
    okay old one open option options paragraph part pass people perhaps pick picked piece place
    plan please point possible prefer pretty print prints probably problem problems proceed
    project proper properly pull push put question quick quickly quite rather read readable
    ready real really reason rebase recent recently refactor related remember remind remove
    removed rename renamed repo rest result results return revert reverted review rid right run
    running runs said saw say says see seem seems seen send sentence set several shall short
    shorter show shows side simple simply since single small solution someone something
    sometimes somewhere soon sort specific squash start started starting state stay step steps
    still stop stuff sure take taken takes talk task tell test tests text thank thanks thing
    things think thought tidy time times today together told took touch toward tried try trying
    turn turned two type typo understand undo unit update updated use used useful user users
    uses using usual usually value variable variables various version want wanted wants warning
    way ways week well went whatever whether whole without wonder word words work worked working
    works write writing written wrong wrote yes yesterday yet
"""
EVERYDAY_WORDS = frozenset(_EVERYDAY_WORDS.split())
_DENYING = frozenset({b"not", b"no", b"never", b"without", b"cannot"})


# Each ASCII letter in lower case, each digit, and a space for anything else.
_LETTERS = bytes(ord(c.lower()) if c.isalnum() else ord(" ") for c in map(chr, range(128))).ljust(
    256
)
_LOWER, _CAPITALS, _DIGITS = (
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
)
LETTERS = _LOWER + _CAPITALS + _DIGITS


class Neighbours:
    """Characters of some classes side by side: whether an ASCII text has any.

    The text becomes long numbers with a byte for each character, and a bit for each sequence that
    the character may have a part in. An expression takes several times as long, and most texts of
    a large store have nothing of what is looked for.
    """

    def __init__(self, *sequences: tuple[str, ...]) -> None:
        self._sequences = sequences
        self._tables: list[bytes] = []

    def within(self, text: str) -> bool:
        """Whether a text has one of the sequences."""
        if not self._tables:
            self._tables = self._filled()
        data = f"{text}\n\n".encode()
        found = -1
        for place, table in enumerate(self._tables):
            found &= int.from_bytes(data[place:].translate(table), "little")
            if not found:
                return False
        return True

    def _filled(self) -> list[bytes]:
        tables = [bytearray(256) for _ in range(max(map(len, self._sequences)))]
        for number, sequence in enumerate(self._sequences):
            for place, table in enumerate(tables):
                for code in sequence[place].encode() if place < len(sequence) else range(256):
                    table[code] |= 1 << number
        return [bytes(table) for table in tables]


# What is in every compound.
_MIXED = Neighbours(
    (_LOWER, _CAPITALS + _DIGITS),
    (_CAPITALS, _DIGITS),
    (_DIGITS, _LOWER + _CAPITALS),
    (_CAPITALS, _CAPITALS, _LOWER),
)


def all_indexable(texts: Sequence[str]) -> Sequence[str]:
    """Return texts with the parts of compound names and of unspaced runs added to each."""
    together = "\n".join(texts)
    if together.isascii() and not _MIXED.within(together):
        return texts
    return [indexable(text) for text in texts]


def indexable(text: str) -> str:
    """Return a text with the parts of compound names and of unspaced runs added."""
    if text.isascii() and not _MIXED.within(text):
        return text
    # Most words are letters only, lower case after the first. To sort them out takes a quarter of
    # the time of the expression, which takes longer than all else that is done for a text.
    others = [
        word
        for word in text.split()
        if not ((letters := word.strip(_MARKS)).isalpha() and letters[1:].islower())
    ]
    compounds = _COMPOUND.findall(" ".join(others))
    extra = [part for word in compounds for part in _camel_parts(word)]
    if not text.isascii():
        extra += _pairs(text)
    return f"{text} {' '.join(extra)}" if extra else text


def _camel_parts(word: str) -> Iterator[str]:
    parts = _CAMEL.findall(word)
    if len(parts) > 1:
        yield from (part for part in parts if len(part) > 1)


def _pairs(word: str) -> Iterator[str]:
    for run in _UNSPACED.findall(word):
        if len(run) == 1:
            yield run
        for at in range(len(run) - 1):
            yield run[at : at + 2]


def query_terms(query: str) -> list[str]:
    """Return the meaningful words of a query, unique and in order. Any text is a legal query."""
    terms: dict[str, None] = {}
    for word in _WORD.findall(query):
        if (
            word.isascii() and word.isalpha() and word.islower()
        ):  # most words, in a third of the time
            if word not in STOP_WORDS:
                terms[word] = None
            continue
        pairs = [] if word.isascii() else list(_pairs(word))
        # Look up an unspaced run by its pairs: the whole run is hardly ever a word.
        whole = [] if pairs and len(word) > 2 else [word]
        for term in (*whole, *(_camel_parts(word) if _COMPOUND.match(word) else ()), *pairs):
            if term.lower() not in STOP_WORDS:
                terms[term.lower()] = None
    return list(terms)


def plain_words(text: str) -> tuple[set[bytes], bool]:
    """Return the words of a text, for comparison, and whether it negates them."""
    if text.isascii():  # a table and a split take a fifth of the time of the expression
        words = text.encode().translate(_LETTERS).split()
    else:
        words = [word.encode() for word in (*_WORD.findall(text.lower()), *_pairs(text))]
    found = set(words)
    denied = text.count("n't")
    if not _DENYING.isdisjoint(found):
        denied += sum(word in _DENYING for word in words)
    return found - _STOP_WORDS, denied % 2 == 1


def denials(text: str) -> int:
    """Count the negations: the same words with one more negation mean the opposite."""
    return len(_DENIAL.findall(text))
