"""How much a commit tells a newcomer, in points, by what its message says.

A decision with its reason counts most: something was removed, replaced, reverted, forbidden or made
the default, and the text says why. Chores count nothing. The weights are judgements, tuned by
reading what they bring to the top in repositories of different style.
"""

from __future__ import annotations

import re
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.importing.commit_message import Message, cause_of, parse_message
from recollect.importing.verbs import first_verb

DECISION: Final = "decisions"
SOLUTION: Final = "solutions"
LEARNING: Final = "learnings"


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DECIDES = _set(
    "abandon adopt ban choose deprecate disallow eliminate forbid prohibit require"
    " retire switch migrate restrict reject refuse prefer revert stop transition discourage enforce"
    " reinstate undeprecate rewrite relax withdraw disable"
)
# Often a decision, and often only cleaning.
_TAKES_AWAY = _set("drop remove replace delete")
_SETTLES = frozenset({"do not", "always"}) | _set(
    "avoid default keep limit make treat allow enable introduce rename change increase reduce"
    " lower cap"
    " support use move guarantee preserve rework redo merge split unify trust ignore store"
)
_REPAIRS = _set(
    "fix correct prevent handle protect guard solve resolve restore address mitigate harden"
)
_SAYS_DECISION = pattern(
    r"\b(?:instead of|in favou?r of|rather than|by default|no longer|support for|minimum"
    r"|backwards?[- ]"
    r"(?:in)?compat\w*|breaking|incompatible|the default|obsolete|unmaintained|end[- ]of[- ]life"
    r"|EOL|MSRV"
    r"|legacy|licen[sc]e|security|CVE-\d|policy|convention)\b",
    re.IGNORECASE,
)
_RESTRICTS = pattern(
    r"\b(?:workarounds?|work around|instead of|rather than|in favou?r of|no longer|don['’]?t|do not"
    r"|never|always|only|must|avoid\w{0,3}|prevent\w{0,3}|disallow\w{0,3}|disable\w?|ignor\w{1,3}"
    r"|refus\w{1,3}|reject\w{0,3}|unless|by default|opt-?(?:in|out)|limit\w{0,3}|restrict\w{0,3}"
    r"|deprecat\w{1,5}|backwards?|compat\w{0,10})(?!\w)",
    re.IGNORECASE,
)
_HARD = pattern(
    r"\b(?:race(?: condition)?s?|deadlock\w*|leak\w*|overflow\w*|underflow\w*|crash\w*|regress\w+"
    r"|corrupt\w*"
    r"|CVE-\d{4}-\d+|vulnerab\w+|use[- ]after[- ]free|double[- ]free|data loss|infinite loop"
    r"|hang(?:s|ing)?"
    r"|segfault\w*|injection|bypass|denial of service|DoS|out[- ]of[- ]bounds|panic\w*|starv\w+"
    r"|quadratic"
    r"|exponential\w*|memory usage|undefined behaviou?r|time-?out|stack exhaustion)\b",
    re.IGNORECASE,
)
_FAST = pattern(
    r"\b\d+(?:\.\d+)?\s?(?:%|x)\s?(?:faster|slower|speed ?up|improvement|less|fewer|reduction"
    r"|better|performance)"
    r"|\b(?:faster|slower|speed ?up|performance) (?:by|of|improvement of) (?:about |around "
    r"|up to )?\d",
    re.IGNORECASE,
)
# Each says a reason, a consequence or a lesson; one of a kind counts once.
_REASONS = tuple(
    pattern(text, re.IGNORECASE)
    for text in (
        r"\bbecause\b|\bthe reason\b|\breasons? (?:for|why|is|was)\b|\bdue to\b|\brationale\b"
        r"|\bmotivat",
        r"\binstead of\b|\brather than\b|\bin favou?r of\b|\bas opposed to\b|\balternative(?:s"
        r"|ly)?\b",
        r"\b(?:turns|turned) out\b|\bit appears that\b|\bin practice\b|\bin hindsight\b|\bsurpris"
        r"|\bsubtle\b",
        r"\bto avoid\b|\bavoids?\b|\bin order to\b|\bso that\b|\botherwise\b|\bto prevent\b"
        r"|\bprevents\b",
        r"\bwe (?:decided|chose|want|need|can't|cannot|don't want|should|must|could|prefer"
        r"|no longer)\b|\bdecision\b",
        r"\btrade-?offs?\b|\bdownside|\bdrawback|\bat the cost of\b|\bpros and cons\b|\bcompromise"
        r"|\bworth\b",
        r"\bpreviously\b|\bused to\b|\bbefore this\b|\bprior to\b|\bno longer\b|\bhistorically\b"
        r"|\boriginally\b",
        r"\bthe (?:problem|issue|bug|root cause|culprit|trouble) (?:is|was|with|here|occurs"
        r"|arises)|\broot cause\b|\bcaused by\b|\bintroduced (?:in|by)\b",
        r"\b(?:un)?safe\b|\brisky?\b|\bdangerous\b|\berror-prone\b|\bconfus|\bsurprising"
        r"|\bmisleading|\bfragile\b",
        r"\bcompatib|\bupgrad|\bmigrat|\bdeprecat|\bbreak(?:s|ing)?\b|\bexisting (?:users|code"
        r"|clients|scripts|applications)\b",
        r"\bnot (?:used|needed|maintained|supported|possible|worth|necessary|thread-safe)\b"
        r"|\bunmaintained\b|\bnobody\b|\bno one\b|\bunused\b",
    )
)
_CHORE = pattern(
    r"(?:bump|release|prepare|version|update (?:the )?(?:changelog|changes|authors|contributors"
    r"|readme|copyright"
    r"|translations?|submodule|dependenc|deps|lock|copy|release|version|docs?|tests?|ci|news"
    r"|history|todo|cargo)"
    r"|merge\b|whitespace|typo|cosmetic|reformat|re-?indent|lint|cleanup\b|clean up|cleaned up"
    r"|tidy|spell\w*|minor"
    r"|pep ?8|pyflakes|flake8|black|isort|clang-format|rustfmt|rename variable"
    r"|remove unused (?:import|variable|include)"
    r"|removed? (?:trailing|extra|superfluous|blank|useless|duplicate|duplicated|dead|unnecessary"
    r"|redundant|stray)"
    r"|add(?:ed)? (?:a )?(?:missing |more |some )?(?:tests?|test cases?|unit tests?|comments?"
    r"|docs?|documentation"
    r"|note|release notes?|changelog|docstrings?|changes|stub|coverage|news)\b"
    r"|fix(?:ed|es)? (?:a |some |several |various |the )?(?:small |minor |broken )?(?:typos?"
    r"|spelling|grammar|formatting|indentation"
    r"|whitespace|link|links|docs?|documentation|comments?|warnings?|compil\w+|build|tests?|lint"
    r"|ci|test suite|flak\w+|failing|style)\b"
    r"|wip\b|fixup|squash|oops|start(?:ed|ing)? (?:work|development)|initial|first |back to dev"
    r"|post-release|sync with"
    r"|the \w+ batch|git \d|v?\d+\.\d+|[\w.-]+ v?\d+\.\d+(?:\.\d+)*(?:[-.]?(?:rc|beta|alpha"
    r"|dev)\S*)?\Z)",
    re.IGNORECASE,
)
_CHORE_TYPES = _set("build chore ci doc docs style test tests deps release wip")
# "fix(build)" is about building, where the program builds.
_WORK_TYPES = _set("feat feature fix bugfix perf security hotfix")
_CHORE_AREAS = pattern(
    r"(?:tests?|testing|t\d+|docs?|documentation|ci|github|travis|appveyor|azure|circleci|cirrus"
    r"|build|make(?:file)?"
    r"|changelog|release[- ]?notes|relnotes|readme|authors|scripts?|checksrc|lint|codespell|typos?"
    r"|deps|gha|workflows?"
    r"|examples?|[\w ./-]{0,30}\btests?\Z|translations?|l10n|po|copyright|benches|benchmarks?"
    r"|contrib|spec|man|runtests|cirrus|dist|rel|bump)\b",
    re.IGNORECASE,
)
_BOT = pattern(
    r"[^\n]{0,80}(?:\[bot\]|dependabot|renovate|pre-commit-ci|github-actions|greenkeeper)"
)
_SHORTEST = 2  # words of a subject
_MOST_RATED = 4_000  # characters of a text that is rated
_EXPLAINED = 300  # characters of a text that explains
# About the tests or the build, not about the program.
_ASIDE = pattern(
    r"\b(?:Test[A-Z]\w{0,60}|tests?|testing|test suite|valgrind|asan|tsan|warnings?|compiler"
    r"|makefile|cmake"
    r"|github actions?|docs?|typing|mypy|type (?:hints?|annotations?)|fixtures?|travis|ruff|flake8"
    r"|documentation|comments?|README|examples?|benchmarks?|lint\w*|typos?|refactor\w*|flaky"
    r"|build (?:error|failure)s?"
    r"|variable names?|coverage|helper|boilerplate|dead code|unused|un-?needed"
    r"|no[- ]longer[- ](?:needed|used)|obsolete"
    r"|unnecessary|redundant|leftover|imports?|release (?:announcement|notes)|codecov|tox"
    r"|changelog|magic num\w*|fixup"
    r"|take \d|SQUASH|and other (?:fixes|improvements|stuff)|references? to|usages? of|macros?"
    r"|prototypes?)\b",
    re.IGNORECASE,
)


_MOST_REASON = 240  # characters of a reason


def reason_in(message: Message) -> str:
    """Return the first sentence that gives a reason; empty if none does."""
    for sentence in message.sentences:
        if any(reason.search(sentence) for reason in _REASONS):
            if len(sentence) <= _MOST_REASON:
                return sentence
            return sentence[:_MOST_REASON].rsplit(" ", 1)[0] + "…"
    return ""


class Ranked(NamedTuple):
    """How many points a message has, and the kind of memory that it makes."""

    points: float
    kind: str
    is_chore: bool = False


def rank(message: Message, author: str) -> Ranked:
    """Rate a message; chores, bots and texts without a statement get nothing."""
    subject = message.subject
    if (
        _CHORE.match(subject)
        or message.type in _CHORE_TYPES
        or (_CHORE_AREAS.match(message.area) and message.type not in _WORK_TYPES)
        or _BOT.match(author)
        or message.is_backport
        or len(subject.split()) < _SHORTEST
    ) and not message.is_breaking:
        return Ranked(0.0, DECISION, is_chore=True)
    verb = first_verb(subject)
    text = message.prose[:_MOST_RATED]
    points, kind = 0.0, LEARNING
    if verb in _DECIDES:
        points, kind = 3.0, DECISION
    elif verb in _TAKES_AWAY:
        points, kind = 2.0, DECISION
    elif verb in _SETTLES:
        points, kind = 1.5, DECISION
    elif verb in _REPAIRS:
        points, kind = 0.8, SOLUTION
    if _SAYS_DECISION.search(subject):
        points, kind = points + 1.5, DECISION
    if _HARD.search(subject):
        points += 1.5
        kind = SOLUTION if kind != DECISION else kind
    reasons = sum(1 for reason in _REASONS if reason.search(text))
    points += min(reasons, 6) * 1.0
    points += 1.2 * bool(_HARD.search(text)) + 1.2 * bool(_FAST.search(text))
    points += min(len(text), 1200) / 500 + (1.0 if len(text) >= _EXPLAINED else 0.0)
    if _ASIDE.search(subject) or verb in ("refactor", "test", "document", "prepare", "simplify"):
        points -= 3.0
    points += 1.0 * bool(_RESTRICTS.search(subject))
    if not text:
        points -= 0.5
    if verb in ("move", "rename", "rework", "split", "merge", "redo", "unify") and reasons < 3:
        points -= 2.0
    if message.is_breaking:
        points, kind = points + 3.0, DECISION
    if message.reverts:
        kind = LEARNING
        taken_back = parse_message(message.reverts)
        is_chore = taken_back.type in _CHORE_TYPES or _CHORE_AREAS.match(taken_back.area)
        is_aside = _ASIDE.search(taken_back.subject) and not cause_of(message)
        if is_chore or is_aside or _CHORE.match(taken_back.subject) or taken_back.is_merge:
            return Ranked(0.0, kind, is_chore=True)
        if cause_of(message):
            points = max(points, 1.5) + 2.5
        else:  # that it was tried is worth knowing, if what was tried was worth something
            tried = rank(taken_back, author).points + (taken_back.type in _WORK_TYPES)
            says_what = len(taken_back.subject.split()) > _SHORTEST + 1
            points = 1.5 + min(tried, 2.0) + 0.5 * says_what
    return Ranked(max(points, 0.0), kind)
