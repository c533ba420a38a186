"""How good a memory a commit would make, from 0 to 3, by weights fitted on judged ones.

The points of `commit_ranking` say how much a message tells. The files say what it is about: a
change that comes with documents is one that people notice, and one of build files alone is not. The
weights come from `python -m benchmarks.learning`, which has the judged commits. Three of them ("no
sentence", "no verb" and "years") were raised by hand, after 115 memories of fish, mpv and ansible
had been read: outdated memories and titles without a verb were the bad ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from recollect.core.patterns import pattern
from recollect.importing.commit_body import length_told
from recollect.importing.commit_kinds import (
    ADDS,
    DECIDES,
    HARD,
    MOST_RATED,
    REPAIRS,
    TAKES_AWAY,
    verb_of,
)
from recollect.importing.commit_message import Message
from recollect.importing.commit_ranking import QUIET, SUBJECTS, TEXTS, argues
from recollect.importing.titles import is_sentence

# Commits that change only such files tell little about the program.
ASIDE_FILE: Final = pattern(
    r"(?:[^\n]*/)?(?:tests?|testing|testutils?|e2e|integration|functional|docs?|examples?|fuzz"
    r"|bench(?:es|marks?)?)/|t/"
    r"|[^\n]*\.(?:md|rst|txt|po)\Z|(?:[^\n]*/)?(?:test_[^/\n]+|[^/\n]+_tests?\.\w{1,5})\Z"
)
# Commits that change only these or the above are about the build.
BUILD_FILE: Final = pattern(
    r"ci/|scripts?/|tools/|hack/|\.|[^\n]*\.(?:ya?ml|toml|cfg|ini|lock|json|in|am|ac|m4|cmake|mod"
    r"|sum|sh)\Z"
    r"|(?:[^\n]*/)?(?:Makefile[^/\n]*|[A-Z_]{4,20})\Z"
)
_DOCUMENT = pattern(
    r"(?:[^\n]*/)?(?:docs?|documentation|man)/|[^\n]*(?:NEWS|CHANGE)|[^\n]*\.(?:md|rst)\Z",
    re.IGNORECASE,
)
_TEST = pattern(r"[^\n]*test", re.IGNORECASE)
_CLASSES = {
    "decides": DECIDES,
    "takes away": TAKES_AWAY,
    "repairs": REPAIRS,
    "adds": ADDS,
    "quiet": QUIET,
}
# A name from the code.
_CODE = pattern(r"\(\)|->|::|\b[A-Za-z0-9]{1,40}_\w")
_MOST_YEARS = 15
_PEOPLE = pattern(
    r"\b(?:users?|people|admins?|distro\w{0,8}|customers?|applications?|clients?|operators?)\b",
    re.IGNORECASE,
)
_DEFAULT = pattern(r"\bdefault", re.IGNORECASE)
_INDENTED = pattern(r"^(?:    |\t)|```", re.MULTILINE)
_PREPARES = pattern(r"\bpreparatory\b|\bno functional changes?\b|\bupcoming commit", re.IGNORECASE)
# What was meant to hold for a while.
_PASSING = pattern(
    r"\b(?:for (?:the moment|the time being|now)|temporar(?:y|ily)|interim|until further notice)\b",
    re.IGNORECASE,
)
_TRIED = pattern(
    r"\b(?:see how (?:it|this|that) goes|let(?:'|’)s try (?:it|this)|as an experiment"
    r"|experiment(?:ing)? for a)\b",
    re.IGNORECASE,
)
_MOST_LENGTH = 3_000
_LONG = 400

WEIGHTS: Final[Mapping[str, float]] = {
    "": 0.253,
    "all files gone": 0.126,
    "breaking": 0.857,
    "build": -0.668,
    "code": -0.353,
    "default": 0.239,
    "files gone": -0.176,
    "length": 0.209,
    "long": 0.193,
    "names code": -0.187,
    "no sentence": -0.6,
    "no verb": -0.6,
    "people": 0.406,
    "points": 0.112,
    "revert": 0.185,
    "squashed": -1.107,
    "subject: aside": -0.137,
    "subject: ended": 0.052,
    "subject: left over": -0.378,
    "subject: old version": 0.198,
    "subject: restricts": 0.064,
    "subject: says why": 0.171,
    "subject: used": 0.188,
    "subject: vague": -0.183,
    "subject: whole": 0.762,
    "text: hole": 0.438,
    "text: unnoticed": -0.135,
    "trouble in the subject": 0.17,
    "verb that adds": -0.04,
    "verb that decides": 0.103,
    "verb that quiet": -0.43,
    "verb that repairs": 0.073,
    "verb that takes away": -0.186,
    "with documents": 0.309,
    "with tests": 0.179,
    "years": -0.05,
}


def features(
    message: Message, points: float, years: float, files: Sequence[str], tree: Collection[str]
) -> dict[str, float]:
    """Return what is known about a commit: `years` before the newest, and the files of today."""
    subject = message.reverts or message.subject
    text = message.prose[:MOST_RATED]
    both = f"{subject}\n{text}"
    length = length_told(message.prose)
    verb = "" if message.reverts else verb_of(message.subject)
    size = math.log2(1 + min(length, _MOST_LENGTH) / 100)
    found: dict[str, float] = {
        "points": points,
        "length": size,
        "long": length >= _LONG,
        "years": min(years, _MOST_YEARS),
        "revert": bool(message.reverts),
        "no verb": not verb and not message.reverts,
        "no sentence": not message.reverts and not is_sentence(message.subject),
        "breaking": message.is_breaking,
        "squashed": message.is_squashed,
        "names code": _CODE.search(subject) is not None,
        "people": _PEOPLE.search(text) is not None,
        "default": _DEFAULT.search(both) is not None,
        "code": _INDENTED.search(text) is not None,
        "trouble in the subject": HARD.search(subject) is not None,
    }
    found |= {f"verb that {name}": verb in verbs for name, verbs in _CLASSES.items()}
    found |= {f"subject: {name}": finds(subject) is not None for name, finds in SUBJECTS.items()}
    found |= {f"text: {name}": finds(text) is not None for name, finds in TEXTS.items()}
    return {**found, **_of_files(files, tree)}


def _of_files(files: Sequence[str], tree: Collection[str]) -> dict[str, float]:
    if not files:
        return {}
    here = sum(1 for file in files if file in tree)
    return {
        "files gone": 1.0 - here / len(files),
        "all files gone": not here,
        "build": all(ASIDE_FILE.match(file) or BUILD_FILE.match(file) for file in files),
        "with documents": any(_DOCUMENT.match(file) for file in files),
        "with tests": any(_TEST.match(file) for file in files),
    }


def is_aside(message: Message, files: Sequence[str]) -> bool:
    """Whether a commit changes only tests and documents, or the build without saying why.

    So is one that only prepares another.
    """
    if _PREPARES.search(message.prose[:MOST_RATED]):
        return True
    if not files or not all(ASIDE_FILE.match(file) or BUILD_FILE.match(file) for file in files):
        return False
    return all(ASIDE_FILE.match(file) for file in files) or not argues(message)


def is_passing(message: Message) -> bool:
    """Whether a commit says itself that it holds for a while only, so nobody knows if it does."""
    is_tried = _TRIED.search(message.prose[:MOST_RATED]) is not None
    return is_tried or _PASSING.search(message.subject) is not None


def worth_of(found: Mapping[str, float]) -> float:
    """Return the worth of a commit by its features."""
    return sum(WEIGHTS.get(name, 0.0) * value for name, value in found.items()) + WEIGHTS.get("", 0)
