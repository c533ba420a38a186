"""Splits a text into statements: their meaningful words in order, and those that they deny."""

from __future__ import annotations

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.index.text import STOP_WORDS, query_terms

# Endings that do not change the meaning.
_ENDING = pattern(r"(?:ing|ed|es|s|e)\Z")
TOKEN = pattern(r"[^\W_]+(?:[.'’/-][^\W_]+)*")
STATEMENT = pattern(
    r"(?<![.!?])[.!?]++(?:\s++|\Z)|\n|;|\s[-–—]{1,2}\s"
    r"|(?i:,?\s(?:because|since|so that|otherwise|due to|as it|which is why)\b)"
)


def words_in(text: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(text.split())


# Words without a meaning of their own in a statement. Those that direct or limit it are not here.
FILLER = STOP_WORDS | words_in(
    "use uses used using usage choose chose chosen pick picked adopt adopted go goes going"
    " decide decided decision prefer prefers preferred want wants need needs remember note"
    " please always must should shall will make makes made ensure sure really currently today"
    " also still simply just usually generally team project repo keep kept now fact via etc"
    " one's let's we'll we've we're i'm i've it's that's there's plan run set get"
)
FILLER -= words_in(
    "before after off over under until only without not no nor cannot between down up"
)
CHOICE = words_in(
    "use uses used using choose chose chosen pick picked adopt adopted prefer prefers preferred"
    " switch switched switching standardize"
)
DENY = words_in(
    "not no never without cannot nor avoid avoids stop stopped drop dropped dropping replaces"
    " replace replaced replacing don't doesn't didn't won't can't isn't aren't shouldn't mustn't"
    " dont doesnt wont cant instead rather neither"
)
# "X over Y" and "from X to Y" deny one side only with a word of choice or of change.
CHANGE = words_in(
    "switch switched switching move moved moving migrate migrated migrating migration changed away"
)
SCOPE = words_in(
    "in on for when if unless only except during before after until within under at from to"
)
ARTICLES = words_in("the a an our my its this that each every all")


class Statement(NamedTuple):
    """The meaningful words of a statement in order, and those that it denies."""

    stems: tuple[str, ...]
    denied: frozenset[str]
    chooses: bool
    # For each word: the word before it, and the word after it, whatever these are.
    before: dict[str, str]
    after: dict[str, str]


def statements(text: str) -> list[Statement]:
    """Split a text into statements, each once."""
    found: dict[tuple[tuple[str, ...], frozenset[str]], Statement] = {}
    for part in STATEMENT.split(text):
        one = statement(part)
        if one.stems:
            found.setdefault((one.stems, one.denied), one)
    return list(found.values())


def statement(text: str) -> Statement:
    """Return one statement, whatever its text contains."""
    raw = [word.lower().replace("’", "'") for word in TOKEN.findall(text)]
    changes = not CHANGE.isdisjoint(raw)
    chooses = not CHOICE.isdisjoint(raw) or changes
    stems: list[str] = []
    denied: set[str] = set()
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    denies = False
    last = ahead = ""  # the words before this one, without articles
    for at, word in enumerate(raw):
        if word not in ARTICLES:
            last, ahead = ahead, word
        if word == "longer" and last == "no":
            continue
        turns = (word == "over" and chooses) or (word == "from" and changes)
        if turns or word in DENY or word.endswith("n't"):
            denies = True
        elif word not in FILLER and word not in CHANGE:
            for stem in stems_of(word):
                if denies:
                    denied.add(stem)
                if stem not in before:
                    stems.append(stem)
                    before[stem] = last
                    after[stem] = raw[at + 1] if at + 1 < len(raw) else ""
            denies = False
    return Statement(tuple(stems), frozenset(denied), chooses, before, after)


def stems_of(word: str) -> list[str]:
    """Return the stem of a word; languages without spaces count by pairs of characters."""
    if word.isascii():
        return [stem_of(word)]
    return [stem_of(part) for part in query_terms(word)] or [word]


def stem_of(term: str) -> str:
    """Return a word without an ending that does not change its meaning."""
    return _ENDING.sub("", term) if len(term) > 4 else term
