"""How the time that a piece of code takes grows with its input.

Measured in processor time, and judged by a ratio: eight times the input may take three times as
long for each character, which tells linear (8) from quadratic (64) on any machine and under load.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

FACTOR, MOST_GROWTH = 8, 24
# Sizes to begin with, small enough for exponential and cubic time to show before they hang.
_FIRST, _SECOND, SIZE = 24, 250, 2000
# Below this many seconds for SIZE characters nothing can be quadratic.
ENOUGH = 0.001
_AT_ONCE = 0.02
_REPEATS, _ROUNDS = 3, 3

# What is repeated, whatever the code looks for.
RUNS = (
    *"aAzZ1 \n\t\r\"'`/\\.-_*<>([{}])=:;,@#+~!?|$%&^é中\u2028\U0001f600\x00",
    *("a ", "a.", "a/", "a-", "aA", "A1", "a_", "a\n", " \n", ". ", '\\"', "<a", "<a ", "](", "['"),
    *("```\n", "~~~\n", "---\n", "- a\n", "> ", "a: ", "a=", "//", "::", "->", "**a", "$(", "a'b "),
    *("not ", "the a ", "[remember]", "[remember] x\n", "<private>", "x@y.", "://", "a1B2c3D4"),
)
ENDS = ("", "\x01")


def seconds(job: Callable[[str], object], text: str, repeats: int = 1) -> float:
    """The least processor time that a job took for a text."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        job(text)
        best = min(best, time.process_time() - start)
    return best


def too_fast_growing(
    job: Callable[[str], object], build: Callable[[int], str], enough: float = ENOUGH
) -> str:
    """Why a job does not take linear time; empty where it does. `build` gives a text of a size."""
    for size in (_FIRST, _SECOND, SIZE):
        spent = seconds(job, build(size))
        if spent > _AT_ONCE and size < SIZE:
            spent = seconds(job, build(size), _REPEATS)
            if spent > _AT_ONCE and (found := growth(job, build, size // FACTOR)):
                return found
        elif spent <= enough and size == SIZE:
            return ""
    return growth(job, build, SIZE)


def growth(job: Callable[[str], object], build: Callable[[int], str], size: int) -> str:
    """Why a job takes more than linear time for a size and eight times as much; else empty."""
    text = build(size * FACTOR)
    large = seconds(job, text)
    if large < _AT_ONCE:
        return ""
    small = float("inf")
    for _ in range(_ROUNDS):  # something else may have run in between
        small = min(small, seconds(job, build(size), _REPEATS))
        if large < max(MOST_GROWTH * small, _AT_ONCE):
            return ""
        large = min(large, seconds(job, build(size * FACTOR)))
    return f"{size} characters {small * 1000:.2f} ms, {size * FACTOR} {large * 1000:.1f} ms"


def pumped(prefix: str, run: str, end: str) -> Callable[[int], str]:
    """Texts that repeat something until they have a size."""
    return lambda size: prefix + run * max(1, (size - len(prefix)) // len(run)) + end


def hostile(pattern: str, flags: int = 0, seed: int = 0) -> Iterator[tuple[str, str]]:
    """What to repeat, and after what, to make an expression try as much as it can.

    Each repeat in the expression, after what leads to it, again and again; and texts that match up
    to some place.
    """
    tree, chance = parser.parse(pattern, flags), random.Random(seed)
    found: dict[tuple[str, str], None] = {}
    for _ in range(3):
        for lead, body in _repeats(list(tree), "", chance):
            for run in (body, lead + body, lead + body * 3, body + lead):
                if run:
                    found[("", run)] = None
            if body:
                found[(lead, body)] = None
        whole = _sample(list(tree), chance, {})
        for end in {len(whole), len(whole) // 2, len(whole) - 1}:
            if whole[:end]:
                found[("", whole[:end])] = None
                found[("", whole[:end] + " ")] = None
    yield from found


_REPEATING = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)


def _repeats(items: list[Any], lead: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    """The texts of each repeat, with a text that leads to it."""
    for what, value in items:
        if what in _REPEATING:
            _, most, body = value
            if most > 20:
                yield lead, _sample(list(body), chance, {})
            yield from _repeats(list(body), lead, chance)
        elif what is code.BRANCH:
            for branch in value[1]:
                yield from _repeats(list(branch), lead, chance)
        elif what is code.SUBPATTERN:
            yield from _repeats(list(value[3]), lead, chance)
        elif what is code.ATOMIC_GROUP:
            yield from _repeats(list(value), lead, chance)
        elif what in (code.ASSERT, code.ASSERT_NOT):
            yield from _repeats(list(value[1]), lead, chance)
        lead += _sample([(what, value)], chance, {})


def _sample(items: list[Any], chance: random.Random, groups: dict[int, str]) -> str:
    text = ""
    for what, value in items:
        if what is code.LITERAL:
            text += chr(value)
        elif what is code.NOT_LITERAL:
            text += "b" if value == ord("a") else "a"
        elif what is code.ANY:
            text += "a"
        elif what is code.IN:
            text += _one_of(value, chance)
        elif what is code.BRANCH:
            text += _sample(list(chance.choice(value[1])), chance, groups)
        elif what is code.SUBPATTERN:
            part = _sample(list(value[3]), chance, groups)
            if value[0] is not None:
                groups[value[0]] = part
            text += part
        elif what is code.ATOMIC_GROUP:
            text += _sample(list(value), chance, groups)
        elif what in _REPEATING:
            least, most, body = value
            times = least if most == least else least + chance.randint(0, 1)
            text += "".join(_sample(list(body), chance, groups) for _ in range(min(times, 40)))
        elif what is code.GROUPREF:
            text += groups.get(value, "")
    return text


_OF_CATEGORY = {
    code.CATEGORY_DIGIT: "1",
    code.CATEGORY_NOT_DIGIT: "a",
    code.CATEGORY_SPACE: " ",
    code.CATEGORY_NOT_SPACE: "a",
    code.CATEGORY_WORD: "a",
    code.CATEGORY_NOT_WORD: " ",
}


def _one_of(items: list[Any], chance: random.Random) -> str:
    if items[0][0] is code.NEGATE:
        return next(char for char in "a 1-.Aé\n🎉" if not _is_one(char, items[1:]))
    what, value = chance.choice(items)
    if what is code.RANGE:
        return chr(chance.choice((value[0], value[1])))
    return chr(value) if what is code.LITERAL else _OF_CATEGORY.get(value, "a")


def _is_one(char: str, items: list[Any]) -> bool:
    for what, value in items:
        if what is code.LITERAL and ord(char) == value:
            return True
        if what is code.RANGE and value[0] <= ord(char) <= value[1]:
            return True
        if what is code.CATEGORY:
            sort = {"1": "DIGIT", " ": "SPACE", "\n": "SPACE"}.get(char, "OTHER")
            is_word = char.isalnum()
            name = str(value)
            if name.endswith("NOT_WORD"):
                hit = not is_word
            elif name.endswith("WORD"):
                hit = is_word
            elif "_NOT_" in name:
                hit = not name.endswith(sort)
            else:
                hit = name.endswith(sort)
            if hit:
                return True
    return False
