"""How good a memory a commit would make, from 0 to 3, by weights fitted on judged ones.

The points of `commit_ranking` say how much a message tells. The files say what it is about: a
change that comes with documents is one that people notice, and one of build files alone is not. The
weights come from `python -m benchmarks.learning`, which has the judged commits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from recollect.core.patterns import pattern
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
from recollect.importing.commit_ranking import QUIET, SUBJECTS, TEXTS, length_told
from recollect.importing.titles import is_sentence

# Commits that change only such files tell little about the program.
ASIDE_FILE: Final = pattern(
    r"(?:tests?|testing|t|docs?|examples?|bench(?:es|marks?)?)/|[^\n]*/(?:tests|docs)/"
    r"|[^\n]*\.(?:md|rst|txt|po)\Z|(?:[^\n]*/)?(?:test_[^/\n]+|[^/\n]+_tests?\.\w{1,5})\Z"
)
# Commits that change only these or the above are about the build.
BUILD_FILE: Final = pattern(
    r"ci/|\.|[^\n]*\.(?:ya?ml|toml|cfg|ini|lock|json|in|am|ac|m4|cmake|mod|sum)\Z"
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
_PEOPLE = pattern(
    r"\b(?:users?|people|admins?|distro\w{0,8}|customers?|applications?|clients?|operators?)\b",
    re.IGNORECASE,
)
_DEFAULT = pattern(r"\bdefault", re.IGNORECASE)
_INDENTED = pattern(r"^(?:    |\t)|```", re.MULTILINE)
_MOST_LENGTH = 3_000
_LONG = 400

WEIGHTS: Final[Mapping[str, float]] = {
    "": 0.163,
    "all files gone": 0.133,
    "breaking": 0.922,
    "build": -0.704,
    "code": -0.35,
    "default": 0.256,
    "files gone": -0.241,
    "length": 0.232,
    "long": 0.168,
    "names code": -0.206,
    "no sentence": -0.264,
    "no verb": -0.109,
    "people": 0.394,
    "points": 0.11,
    "revert": 0.19,
    "squashed": -1.049,
    "subject: aside": -0.149,
    "subject: ended": 0.063,
    "subject: left over": -0.393,
    "subject: old version": 0.209,
    "subject: restricts": 0.041,
    "subject: says why": 0.187,
    "subject: used": 0.176,
    "subject: vague": -0.155,
    "subject: whole": 0.805,
    "text: hole": 0.449,
    "text: unnoticed": -0.144,
    "trouble in the subject": 0.196,
    "verb that adds": -0.026,
    "verb that decides": 0.116,
    "verb that quiet": -0.42,
    "verb that repairs": 0.065,
    "verb that takes away": -0.22,
    "with documents": 0.332,
    "with tests": 0.167,
}


def features(
    message: Message, points: float, files: Sequence[str], tree: Collection[str]
) -> dict[str, float]:
    """Return what is known about a commit; `tree` has the files of today."""
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


def worth_of(found: Mapping[str, float]) -> float:
    """Return the worth of a commit by its features."""
    return sum(WEIGHTS.get(name, 0.0) * value for name, value in found.items()) + WEIGHTS.get("", 0)
