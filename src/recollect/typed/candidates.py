"""Finds the memory that new information is about, if any, and what may be done with it.

Agents ask this before they write, so that news about a known subject changes its memory instead of
adding another. The answer depends on the words alone, so the same question gets the same answer. It
is a proposal: a wrong candidate costs one look, because the agent can still create a memory, while
a missed one becomes a duplicate.

A word of the title counts 2, a tag 3, a prefix of 4 letters or more 1; 3 points make a candidate.
By itself, that finds a candidate for nearly any longer text, so one passage must also contain
enough of the title: more than half of its meaningful words, or at least three that are 40 % of
them.
Measured with the texts in `tests/typed/test_candidates.py`, each against all memories of its
project: of 48 texts about a known subject, 46 find it and none finds another; of 57 texts about
something else, 2 find one, while points alone would find one for 41. The texts of the second
project (19 of 20, and 1 of 22) were written after the rule was set.

A text that is the title, the slug or a tag, and nothing else, names its memory, and so does one
that quotes a title of several words. Then the length of the words does not matter: "Use uv".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.errors import ValidationError
from recollect.index.text import STOP_WORDS, query_terms
from recollect.typed.action_table import (
    ACTIONS,
    CREATE,
    DELETE,
    NOOP,
    UPDATE,
    UPDATE_OR_DELETE,
    resolve,
)

LIFECYCLE_EVENTS: tuple[str, ...] = ("resolved", "removed", "reversed", "superseded", "deprecated")
# A session must not delete decisions of people, or the record of what was done.
DELETE_DISALLOWED: frozenset[str] = frozenset({"decisions", "preferences", "sessions"})

_TITLE_WORD, _TAG, _BEGINNING = 2, 3, 1
_THRESHOLD = 3
_SIMILAR = 0.85
_SHORTEST_WORD = 3
_SHORTEST_BEGINNING = 4
_ENOUGH_WORDS, _ENOUGH_SHARE = 3, 0.4
_PASSAGE = 12
_EXCERPT = 200
# Words that appear in titles on any subject.
_COMMON_WORDS = """
    always instead longer may must never new one per still two use used uses using
"""
_COMMON = STOP_WORDS | frozenset(_COMMON_WORDS.split())
_WORD = pattern(r"[^\W_]+")
_LATIN = pattern(r"[a-z0-9]+")


class Choice(NamedTuple):
    """The memory to change, or None, and what may be done."""

    candidate: Memory | None
    lifecycle_event: str | None
    delete_allowed: bool
    pre_action: str | None
    structural_cud: str
    # Forbidden actions, each with the reason.
    vetoes: Mapping[str, str]
    hints: tuple[str, ...]
    score: int

    @property
    def allowed(self) -> list[str]:
        """The actions that can still result from a proposal."""
        left = {resolve(self.structural_cud, action, self.vetoes) for action in ACTIONS}
        return [action for action in ACTIONS if action in left]

    def as_json(self) -> dict[str, Any]:
        """Return the choice as agents read it."""
        return {
            "candidate": None if self.candidate is None else _shown(self.candidate),
            "lifecycle_event": self.lifecycle_event,
            "delete_allowed": self.delete_allowed,
            "pre_action": self.pre_action,
            "structural_cud": self.structural_cud,
            "vetoes": list(self.vetoes.values()),
            "hints": list(self.hints),
            "score": self.score,
            "allowed": self.allowed,
        }


def choose(
    kind: str,
    new_info: str,
    memories: Iterable[Memory],
    *,
    title: str = "",
    lifecycle_event: str | None = None,
    similar: Iterable[tuple[str, float]] = (),
) -> Choice:
    """Find the memory that new information is about, among the active ones of its kind.

    `title` is the title of the new information, if it has one. `similar` holds uids with the
    similarity, 0 to 1, that a search found. It decides between equal scores, and finds a candidate
    if the words find none.
    """
    candidate, score, hints = _find(_Text(new_info, title), memories, dict(similar))
    return choice_of(kind, candidate, lifecycle_event, hints, score)


def choice_of(
    kind: str,
    candidate: Memory | None,
    lifecycle_event: str | None = None,
    found: Sequence[str] = (),
    score: int = 0,
) -> Choice:
    """Return what may be done, once the memory is known."""
    if lifecycle_event is not None and lifecycle_event not in LIFECYCLE_EVENTS:
        raise ValidationError(
            f"{lifecycle_event!r} is not a lifecycle event.",
            "Use one of: " + ", ".join(LIFECYCLE_EVENTS),
        )
    hints = list(found)
    delete_allowed = kind not in DELETE_DISALLOWED
    pre_action: str | None = None
    vetoes: dict[str, str] = {}
    if candidate is None:
        pre_action = structural = NOOP if lifecycle_event else CREATE
        meaning = "no known memory matches, so there is nothing to change"
    elif delete_allowed:
        structural = UPDATE_OR_DELETE
        meaning = "DELETE the memory if none of it is true any more; otherwise, UPDATE it"
    else:
        structural = UPDATE
        vetoes[DELETE] = f"DELETE is not allowed: a session can change {kind}, but not delete them."
        meaning = "UPDATE the memory to say so; DELETE is not allowed for this kind"
    if lifecycle_event:
        hints.append(f"The subject is {lifecycle_event}: {meaning}.")
    return Choice(
        candidate,
        lifecycle_event,
        delete_allowed,
        pre_action,
        structural,
        vetoes,
        tuple(hints),
        score,
    )


class _Text:
    """The words of a text in order, indexed for lookups."""

    def __init__(self, text: str, title: str = "") -> None:
        self._plain = f" {_plain(text)} "
        self._whole = {_plain(text), _plain(title)} - {""}
        self._places: dict[str, list[int]] = {}
        for place, word in enumerate(_words(text)):
            self._places.setdefault(word, []).append(place)
        self._beginning: dict[str, list[str]] = {}
        for word in self._places:
            self._beginning.setdefault(word[:_SHORTEST_BEGINNING], []).append(word)

    def is_named(self, names: Iterable[str]) -> bool:
        """Return whether the text, or its title, is one of these names, and nothing else."""
        return not self._whole.isdisjoint(map(_plain, names))

    def quotes(self, title: str) -> bool:
        """Return whether the text has a title of several words, however short, word for word."""
        plain = _plain(title)
        words = plain.split()
        return len(words) > 1 and not _COMMON.issuperset(words) and f" {plain} " in self._plain

    def has(self, word: str) -> bool:
        return word in self._places

    def begins(self, word: str) -> bool:
        """Return whether the text has a word that starts with this one, or the other way round."""
        return len(word) >= _SHORTEST_BEGINNING and bool(self._related(word))

    def places(self, word: str) -> list[int]:
        """Return the positions of a word, its prefixes, and words that start with it."""
        return [place for other in self._related(word) for place in self._places[other]]

    def _related(self, word: str) -> list[str]:
        if len(word) < _SHORTEST_BEGINNING:
            return [word] if word in self._places else []
        return [
            other
            for other in self._beginning.get(word[:_SHORTEST_BEGINNING], ())
            if other.startswith(word)
            or (len(other) >= _SHORTEST_BEGINNING and word.startswith(other))
        ]


def _find(
    text: _Text, memories: Iterable[Memory], similar: Mapping[str, float]
) -> tuple[Memory | None, int, list[str]]:
    """Return the best memory, its score, and how it was found."""
    by_name: list[tuple[int, int, float, str, Memory]] = []
    by_words: list[tuple[int, float, str, Memory]] = []
    by_meaning: list[tuple[float, str, int, Memory]] = []
    for memory in memories:
        title = list(dict.fromkeys(_words(memory.summary)))
        score = _score(text, title, memory.tags)
        similarity = similar.get(memory.uid, 0.0)
        rank = _name_rank(text, memory)
        if rank:
            by_name.append((-rank, -score, -similarity, memory.uid, memory))
        elif score >= _THRESHOLD and _covers_title(text, title):
            by_words.append((-score, -similarity, memory.uid, memory))
        elif similarity >= _SIMILAR:
            by_meaning.append((-similarity, memory.uid, score, memory))
    if by_name:
        _, points, _, _, memory = min(by_name, key=lambda found: found[:4])
        return memory, -points, ["Found one candidate by its name."]
    if by_words:
        points, _, _, memory = min(by_words, key=lambda found: found[:3])
        return memory, -points, [f"Found one candidate by its words (score {-points})."]
    if by_meaning:
        similarity, _, score, memory = min(by_meaning, key=lambda found: found[:2])
        return memory, score, [f"Found one candidate by similarity ({-similarity:.2f})."]
    return None, 0, []


def _name_rank(text: _Text, memory: Memory) -> int:
    """Return how a text names a memory: 2 by its title or slug, 1 by a tag, 0 not at all."""
    if text.is_named((memory.summary, *memory.slugs)) or text.quotes(memory.summary):
        return 2
    return int(text.is_named(memory.tags))


def _plain(text: str) -> str:
    """Return the words of a text in order, whatever their case and what stands between them."""
    return " ".join(_WORD.findall(text.casefold()))


def _score(text: _Text, title: Sequence[str], tags: Iterable[str]) -> int:
    """Score each word of the title and each tag once, however often the text repeats it."""
    score = 0
    for word in title:
        score += _TITLE_WORD if text.has(word) else _BEGINNING * text.begins(word)
    for tag in tags:
        parts = _words(tag)
        if parts and all(map(text.has, parts)):
            score += _TAG
        elif not set(parts) & set(title):
            score += _BEGINNING * any(map(text.begins, parts))
    return score


def _covers_title(text: _Text, title: Sequence[str]) -> bool:
    """Return whether one passage of the text contains enough words of the title."""
    length = max(_PASSAGE, 2 * len(title))
    hits = sorted((place, word) for word in title for place in text.places(word))
    most = start = 0
    inside: dict[str, int] = {}
    for place, word in hits:
        inside[word] = inside.get(word, 0) + 1
        while hits[start][0] <= place - length:
            gone = hits[start][1]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            start += 1
        most = max(most, len(inside))
    return most * 2 > len(title) or (most >= _ENOUGH_WORDS and most >= _ENOUGH_SHARE * len(title))


def _words(text: str) -> list[str]:
    """Return the meaningful words in order; for scripts without spaces, pairs of characters."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        terms = [word] if word.isascii() else query_terms(word)
        if word not in terms:  # a mixed script was split: `データベースにpostgresqlを使う`
            found += terms
            terms = _LATIN.findall(word)
        found += [term for term in terms if len(term) >= _SHORTEST_WORD and term not in _COMMON]
    return found


def _shown(memory: Memory) -> dict[str, Any]:
    """Return a candidate as agents read it: enough to decide, and to name it in an update."""
    last = memory.changes[-1].get("summary") if memory.changes else None
    return {
        "id": memory.id,
        "uid": memory.uid,
        "version": memory.version,
        "slug": memory.slugs[0] if memory.slugs else None,
        "title": memory.summary,
        "tags": list(memory.tags),
        "status": memory.status,
        "excerpt": {
            "title": memory.summary,
            "record_status": memory.status,
            "tags": list(memory.tags),
            "last_change_summary": last or "Initial creation",
            "key_fields": _key_fields(memory),
        },
    }


def _key_fields(memory: Memory) -> dict[str, str]:
    """Return the most telling fields of the content, or the body if there is no content."""
    from recollect.core.content import SCHEMAS

    schema = SCHEMAS.get(memory.kind)
    if memory.content is None or schema is None:
        return {"body": memory.body[:_EXCERPT]} if memory.body else {}
    given = ((name, memory.content.get(name)) for name in schema.key_fields)
    return {name: _flat(value)[:_EXCERPT] for name, value in given if value is not None}


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_flat(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_flat, value))
    return str(value)
