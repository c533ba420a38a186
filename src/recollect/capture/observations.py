"""Turns what was done and found out in a session into observations, and rates them.

An observation has a type, a title, an importance and concepts. Most of what an agent does is not an
observation, and most observations are not memorable: git already knows that a file was edited. A
memorable one gives a reason, or names something that will matter again. The threshold is 0.30.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from recollect.capture.checkpoints import commit_of
from recollect.capture.commands import main_part, only_looks, program_of, words_of
from recollect.capture.error_lines import one_line
from recollect.core.fields import TYPE_WEIGHTS
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.patterns import pattern
from recollect.hosts.protocol import AGENT, CREATE, FETCH, WRITES

GATE = 0.30
# The weight of each dimension; what is known already lowers all of it.
_SUBSTANCE, _SALIENCE, _TYPE = 0.45, 0.25, 0.30
_CONFIGURATION = pattern(
    r"(?:^|/)(?:\.github/|\.circleci/|\.env|Dockerfile|Makefile|docker-compose|compose\.|pyproject\.toml"
    r"|package(?:-lock)?\.json|Cargo\.|go\.(?:mod|sum)|requirements|tsconfig|\.gitignore|\.?eslint)"
    r"|\.(?:ya?ml|toml|ini|cfg|lock)$"
)
_CONVENTIONAL = pattern(r"(?P<type>[a-z]+)(?:\((?P<scope>[^)]{1,40})\))?!?: (?P<said>.+)")
_BY_PREFIX = {
    "fix": "bugfix",
    "bugfix": "bugfix",
    "hotfix": "bugfix",
    "feat": "feature",
    "feature": "feature",
    "refactor": "refactor",
    "style": "refactor",
    "perf": "refactor",
}
# The type of a text; the first pattern that matches counts.
_BY_WORDS: Sequence[tuple[str, re.Pattern[str]]] = (
    (
        "decision",
        pattern(
            r"\b(?:decided?|chose|chosen|we(?:'ll| will) use|opt(?:ed)? for|settled on|agreed"
            r"|adopt(?:ed)?|switch(?:ed)? (?:from \S+ )?to|in favou?r of|rather than)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "bugfix",
        pattern(
            r"\b(?:fix(?:e[sd])?|bug|regression|crash(?:e[sd])?|repair(?:s|ed)?|hotfix|no longer"
            r" (?:fails|crashes))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "discovery",
        pattern(
            r"\b(?:turns out|turned out|root cause|caused by|the (?:reason|cause|culprit) (?:is"
            r"|was)"
            r"|because|discovered|found (?:out )?that|it seems|actually|only works?|requires?"
            r"|must (?:be|not)|does(?:n't| not) (?:support|work|allow)|undocumented|gotcha)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "refactor",
        pattern(
            r"\b(?:refactor(?:ed|s)?|rename[sd]?|extract(?:ed|s)?|clean(?:ed)? ?up|simplif(?:y|ied)"
            r"|restructure[sd]?|inline[sd]?|dedup\w*|split(?:s)? (?:up|into))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "feature",
        pattern(
            r"\b(?:add(?:s|ed)?|implement(?:s|ed)?|introduce[sd]?|support(?:s)?|new|create[sd]?)\b",
            re.IGNORECASE,
        ),
    ),
)
_CONCEPTS: Mapping[str, re.Pattern[str]] = {
    "trade-off": pattern(
        r"\btrade-?offs?\b|\bat the (?:cost|expense) of\b|\brather than\b|\binstead of\b"
        r"|\bcosts? more\b"
        r"|\bin favou?r of\b|\bslower but\b|\bfaster but\b",
        re.IGNORECASE,
    ),
    "gotcha": pattern(
        r"\bgotcha\b|\bbeware\b|\bcareful\b|\bunexpected(?:ly)?\b|\bsurpris\w+|\bsilently\b"
        r"|\bmust not\b"
        r"|\bnever\b|\bdoes(?:n't| not) (?:work|support|allow)\b|\bonly works?\b|\bfails? (?:if"
        r"|when)\b"
        r"|\bundocumented\b",
        re.IGNORECASE,
    ),
    "why-it-exists": pattern(
        r"\bbecause\b|\bso that\b|\bthe reason\b|\bin order to\b|\bto avoid\b|\bto prevent\b"
        r"|\bsince\b",
        re.IGNORECASE,
    ),
    "pattern": pattern(
        r"\balways\b|\bconventions?\b|\bpatterns?\b|\beverywhere\b|\bconsistent(?:ly)?\b|\bidiom\b",
        re.IGNORECASE,
    ),
    "how-it-works": pattern(
        r"\bworks by\b|\bhow (?:it|the)\b|\buses\b|\bcalls\b|\breads\b|\bis stored\b|\bresolves\b"
        r"|\breturns\b|\bhandles?\b|\bdepends on\b",
        re.IGNORECASE,
    ),
}
_BY_TYPE = {
    "bugfix": "problem-solution",
    "feature": "what-changed",
    "refactor": "what-changed",
    "change": "what-changed",
    "discovery": "how-it-works",
    "decision": "why-it-exists",
}
# The type of what somebody said, where its kind decides it.
_TYPE_OF_KIND = {
    "decisions": "decision",
    "preferences": "decision",
    "constraints": "discovery",
    "learnings": "discovery",
    "patterns": "discovery",
    "blockers": "discovery",
    "solutions": "bugfix",
    "runbooks": "bugfix",
}
# Talk about the work, not about its subject.
_TALK = pattern(
    r"^(?:I|I'(?:ve|ll|m)|Here(?:'s| is| are)|Let me|Now|Perfect|Great|Good|Based on|Below|Summary"
    r"|Verdict|Next|Done|This (?:review|report|document|PR)|Launching|agentId|The (?:user|task)"
    r"|You(?:r|'re)?|We(?:'re| are) (?:done|ready))\b",
    re.IGNORECASE,
)
_WHOLE = pattern(r"[A-Z'\"`(].*[.!]['\")]?$")
# What a report must contain to be more than a description.
_CUE = pattern(
    r"\b(?:because|turns out|turned out|root cause|caused by|the (?:reason|cause|culprit)"
    r"|only works?"
    r"|does(?:n't| not) (?:support|work|allow)|undocumented|instead of|rather than|in favou?r of"
    r"|decided|chose|silently|otherwise|to avoid|to prevent)\b",
    re.IGNORECASE,
)
_SENTENCE = pattern(r"(?<=[.!?])\s+(?=[A-Z`\"'(])|\n+")
# A line break within a paragraph: no blank line and no list item follows.
_WRAPPED = pattern(r"(?<!\n)\n(?![\n\s*•-]|\d{1,3}[.)])")
_MARKS = pattern(r"^[\s>#*\-+\d.)]*|\*\*|__|^\|.*\|$")
_REASON = pattern(
    r"\b(?:because|so that|since|otherwise|in order to|to avoid|to prevent|instead of|rather than"
    r"|caused by|root cause|turns out|must|never|always|only|requires?|unless|until|depends on"
    r"|breaks?|fails?|the reason|limit(?:ed|s)?|without|cannot|can't)\b",
    re.IGNORECASE,
)
# The repeats are bounded, so that one long word does not take a second.
_SPECIFIC = pattern(
    r"`[^`]{1,80}`|\b\w{1,40}[_./]\w|\b[a-z]{1,40}[A-Z]|\b[A-Z]{2,20}\b|\b\d{1,20}\b|--\w|['\"]\w{1,40}['\"]"
)
_EVERYDAY = pattern(
    r"\b(?:bump|typo|wip|formatting|merge (?:branch|pull)|update (?:readme|docs|changelog)|lint"
    r"|initial commit|minor|cleanup|tweak|changed|created|moved)\b",
    re.IGNORECASE,
)
_WORD = pattern(r"[\w'-]{3,}")

_MOST_TEXT = 4_000
_TELLING = ("decision", "discovery")


class Observation(NamedTuple):
    """Something that was done or found out."""

    type: str
    title: str
    subtitle: str
    importance: float
    concepts: tuple[str, ...]
    files_read: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    # The text it was taken from, if that says more than the title.
    detail: str = ""

    @property
    def text(self) -> str:
        """The complete text."""
        return "\n".join(part for part in (self.title, self.detail) if part)


def observe(
    action: str,
    command: str,
    files_read: Sequence[str],
    files_modified: Sequence[str],
    output: str,
) -> Observation | None:
    """Return what a successful tool event did or found out; None if it was routine."""
    found: Observation | None = None
    if action in (AGENT, FETCH):
        found = _from_report(action, output[:_MOST_TEXT])
    elif action in WRITES and files_modified:
        found = _from_files(action, files_modified, output[:_MOST_TEXT])
    elif command and not only_looks(command):
        found = _from_commit(command, output) or _from_command(command)
    if found is None:
        return None
    return found._replace(files_read=tuple(files_read), files_modified=tuple(files_modified))


def _observation(kind: str, title: str, subtitle: str, detail: str = "") -> Observation:
    title, subtitle = one_line(title), one_line(subtitle)
    detail = "\n".join(map(one_line, detail.splitlines())).strip()
    importance, concepts = _rated(kind, f"{title}\n{detail}")
    return Observation(
        type=kind,
        title=shorten_line(title) if title else kind,
        subtitle=shorten_line(subtitle) if subtitle else "",
        importance=importance,
        concepts=concepts,
        detail=detail,
    )


def _rated(kind: str, text: str) -> tuple[float, tuple[str, ...]]:
    """Return the importance and the concepts of a text with an observation type."""
    concepts = [name for name, words in _CONCEPTS.items() if words.search(text)][:3]
    own = _BY_TYPE[kind]
    if own not in concepts and (kind != "discovery" or not concepts):
        concepts.append(own)
    importance = 0.3 + 0.4 * TYPE_WEIGHTS[kind] + 0.3 * _substance(text)
    return round(min(1.0, importance), 2), tuple(concepts)


def facets(text: str, kind: str = "") -> tuple[str, tuple[str, ...], float]:
    """Return the observation type, the concepts and the importance of a text, said or observed.

    The kind of a memory decides its observation type, if it is known.
    """
    type_ = _TYPE_OF_KIND.get(kind) or classify(text)
    importance, concepts = _rated(type_, text)
    return type_, concepts, importance


def classify(text: str) -> str:
    """Return the observation type of a text; `change` if nothing else fits."""
    conventional = _CONVENTIONAL.match(text)
    if conventional and conventional["type"] in _BY_PREFIX:
        return _BY_PREFIX[conventional["type"]]
    if conventional and conventional["type"] in ("chore", "build", "ci", "docs", "test", "deps"):
        return "change"
    for kind, words in _BY_WORDS:
        if words.search(text):
            return kind
    return "change"


def statements(text: str) -> Iterator[str]:
    """Yield the whole sentences of a report that are about its subject."""
    for sentence in _SENTENCE.split(text[:_MOST_TEXT]):
        said = one_line(_MARKS.sub("", sentence))
        if 30 <= len(said) <= 240 and not _TALK.match(said) and _WHOLE.match(said):
            yield said


def gives_reason(text: str) -> bool:
    """Return whether a text says why, or what was chosen."""
    return bool(_CUE.search(text))


def first_finding(text: str) -> str:
    """Return the first statement that gives a reason, else the first one; empty if none."""
    said = list(statements(text))
    return next(filter(gives_reason, said), said[0] if said else "")


def _from_report(action: str, output: str) -> Observation | None:
    """Return the first sentence of a report that states something worth knowing."""
    for said in statements(output):
        kind = classify(said) if gives_reason(said) else ""
        if kind in ("discovery", "decision"):
            source = "found by a subagent" if action == AGENT else "found on the web"
            detail = said if len(said) > SUMMARY_LENGTH else ""
            return _observation(kind, said, source, detail)
    return None


def _from_files(action: str, files: Sequence[str], output: str) -> Observation | None:
    path = files[0]
    name = path.rsplit("/", 1)[-1]
    if action == CREATE and "has been updated" not in output and not _CONFIGURATION.search(path):
        return _observation("feature", f"Created {name}", path)
    return _observation("change", f"Changed {name}", path)


def _from_commit(command: str, output: str) -> Observation | None:
    commit = commit_of(command, output)
    if commit is None:
        return None
    subject, body, where = commit
    kind = classify(subject)
    # What was done is in git. Why, or what was chosen, is worth knowing.
    lines = _WRAPPED.sub(" ", body)
    why = next((said for said in statements(lines) if gives_reason(said)), "")
    if why and kind not in _TELLING:
        kind = classify(why) if classify(why) in _TELLING else kind
    return _observation(kind, subject, where, body)


def _from_command(command: str) -> Observation | None:
    main = main_part(command)
    words = words_of(main)
    program = program_of(main)
    verbs = [word for word in words[1:4] if not word.startswith("-")]
    names = [word for word in verbs[1:] if word[0].isalnum() or word[0] == "@"]
    if program == "git" and verbs[:1] == ["mv"] and len(verbs) > 2:
        return _observation("refactor", f"Moved {verbs[1]} to {verbs[2]}", main)
    adds = verbs[:1] in (["add"], ["install"], ["get"], ["i"]) and program != "git"
    if adds and names and program in ("npm", "pnpm", "yarn", "uv", "pip", "poetry", "cargo", "go"):
        return _observation("change", f"Dependency {one_line(names[0])} added", main)
    return None


def memorability(
    what: Observation | str,
    *,
    known: Collection[str] = (),
    weights: Mapping[str, float] = TYPE_WEIGHTS,
) -> float:
    """Rate an observation from 0 to 1: substance, salience and type, less what is known already."""
    text = (what.text if isinstance(what, Observation) else what)[:_MOST_TEXT]
    kind = what.type if isinstance(what, Observation) else classify(text)
    score = (
        _SUBSTANCE * _substance(text)
        + _SALIENCE * _salience(what, text)
        + _TYPE * weights.get(kind, weights["change"])
    )
    return round(score * _distinctiveness(text, known), 3)


def _substance(text: str) -> float:
    """Return how much a text says: reasons count most, then length."""
    words = len(_WORD.findall(text))
    if words < 3:
        return 0.0
    reasons = min(2, len(_REASON.findall(text)))
    length = min(1.0, words / 20)
    return min(1.0, 0.3 * reasons + 0.4 * length) * (0.4 if _EVERYDAY.search(text) else 1.0)


def _salience(what: Observation | str, text: str) -> float:
    """Return how closely a text is tied to this project: names in it, and files behind it."""
    specific = min(4, len(_SPECIFIC.findall(text))) / 4
    tied = isinstance(what, Observation) and bool(what.files_modified or what.files_read)
    return min(1.0, 0.8 * specific + (0.2 if tied else 0.0))


def _distinctiveness(text: str, known: Collection[str]) -> float:
    """Return 1 for what is new, 0 for what is known word for word."""
    words = set(_WORD.findall(text.lower()))
    if not words:
        return 0.0
    nearest = 0.0
    for other in known:
        others = set(_WORD.findall(other.lower()))
        nearest = max(nearest, len(words & others) / len(words | others))
    return 1.0 - nearest
