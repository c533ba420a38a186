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
from recollect.importing.commit_body import length_told
from recollect.importing.commit_kinds import (
    ADDS,
    DECIDES,
    GRAVE,
    HARD,
    LEARNING,
    MOST_RATED,
    REPAIRS,
    TAKES_AWAY,
    kind_of,
    verb_of,
    word_set,
)
from recollect.importing.commit_message import Message, cause_of, parse_message
from recollect.importing.reasons import gives_reason, points_of_reasons, reasons_in

_SETTLES = frozenset({"do not", "always"}) | word_set(
    "avoid default keep limit make treat allow enable rename change increase reduce lower cap"
    " use guarantee preserve trust ignore store set"
)
_RESTRICTS = pattern(
    r"\b(?:workarounds?|work around|instead of|rather than|in favou?r of|no longer|don['’]?t|do not"
    r"|never|always|only|must|avoid\w{0,3}|prevent\w{0,3}|disallow\w{0,3}|disable\w?|ignor\w{1,3}"
    r"|refus\w{1,3}|reject\w{0,3}|unless|by default|defaults?|opt-?(?:in|out)|limit\w{0,3}"
    r"|restrict\w{0,3}"
    r"|deprecat\w{1,5}|backwards?|compat\w{0,10})(?!\w)",
    re.IGNORECASE,
)
_CVE = pattern(r"\bCVE-\d{4}-\d")
# Something ended, or came back.
_ENDED = pattern(
    r"\b(?:removed?|removes|removal|drop(?:s|ped)?|gone|dead|deprecat\w{1,5}|disabled?"
    r"|added back|reverted?)\b",
    re.IGNORECASE,
)
# What people use, so that they notice when it changes.
_USED = pattern(
    r"\b(?:support|features?|options?|backends?|API|defaults?|protocols?|commands?|compatib\w{1,7}"
    r"|licen[sc]e|security|CVE-\d{4})\b",
    re.IGNORECASE,
)
# All of something went: a protocol, a backend, a platform.
_WHOLE = pattern(
    r"(?:drop(?:s|ped)?|removed?|removes|removal|delete[ds]?|retired?)(?: (?:all |the )?"
    r"(?:support|backend|code))?\Z"
    r"|(?:drop|remov|discontinu|end)\w{0,4} (?:[^\s]{1,40} ){0,4}(?:support|backend)\b"
    r"|[^\n]{0,60}\bsupport (?:for [^\n]{1,60} )?(?:is |was |has been )?(?:removed|dropped)\b",
    re.IGNORECASE,
)
_LICENCE = pattern(
    r"\b(?:chang\w{1,3} (?:the )?licen[sc]e|licen[sc]e (?:chang|from|to)|re-?licens)", re.IGNORECASE
)
# Taken away because nobody needed it: cleaning, however it is put.
_LEFT_OVER = pattern(
    r"\b(?:unused|dead|unnecessary|un-?needed|redundant|useless|obsolete|outdated|stray"
    r"|duplicated?"
    r"|left-?overs?|superfluous|needless|no[- ]longer[- ](?:used|needed|reachable)|unreachable)\b",
    re.IGNORECASE,
)
# A version of something else that is no longer supported: routine.
_OLD_VERSION = pattern(
    r"\b(?:python|django|openssl|rust|postgresql|mysql|mariadb|sqlite|node|oracle|ruby|rails|go"
    r"|php|java|windows|macos|gcc|msrv)\b[^\n]{0,12}\d|\bMSRV\b",
    re.IGNORECASE,
)
# Never worth a memory, however well it is explained.
_TRIVIAL = pattern(
    r"(?:update (?:the )?(?:changelog|changes|authors|contributors|readme|copyright|translations?"
    r"|docs?|tests?|news|history|todo|copy)"
    r"|style (?:clean|fix|chang)|more (?:[^\s]{1,30} ){1,3}fixes\Z|whitespace|typo|cosmetic"
    r"|reformat|re-?indent|lint|spell\w*"
    r"|pep ?8|pyflakes|flake8|black|isort|clang-format|rustfmt|rename variable"
    r"|remove unused (?:import|variable|include)|removed? (?:trailing|extra|blank)"
    r"|add(?:ed)? (?:a )?(?:missing |more |some )?(?:tests?|test cases?|unit tests?|comments?"
    r"|docs?|documentation"
    r"|note|release notes?|changelog|docstrings?|changes|stub|coverage|news)\b"
    r"|fix(?:ed|es)? (?:multiple|several|various|some|many) (?:small |minor )?(?:issues?|bugs?"
    r"|problems?|things)\b"
    r"|fix(?:ed|es)? (?:a |some |several |various |the |many |more |all |a (?:bunch|few|couple|lot)"
    r" (?:of )?)?(?:small |minor |broken )?(?:typos?"
    r"|spelling|grammar|formatting|indentation"
    r"|whitespace|link|links|docs?|documentation|comments?|warnings?|tests?|lint"
    r"|ci|test suite|flak\w+|failing|style)\b"
    r"|(?:relocat|mov|renam)\w{1,3} (?:some|a few|several)\b"
    r"|some (?:simplif|clean|improve|refactor|small|minor|more|fix)"
    r"|document(?:ed|s|ing)?\b|(?:various|misc\w*|several|follow-?up)\b|wip\b"
    r"|port(?:ed|s|ing)? (?!numbers?\b|range|forward|is\b|must\b)[^\s]|rewrite [^\s]{1,40}\Z"
    r"|fixup|squash|oops|back to dev|git \d"
    r"|(?:remove|drop|delete|resolve|address|fix)\w{0,3} (?:[\w.()-]{1,12} ){0,3}"
    r"(?:TODO|FIXME)S?\b)",
    re.IGNORECASE,
)
# Chores by their subject, unless they say why.
_CHORE = pattern(
    r"(?:bump|release|prepare|version|update (?:the )?(?:submodule|dependenc|deps|lock|release"
    r"|version|ci|cargo|go )"
    r"|merge\b|cleanup\b|clean up|cleaned up|tidy|minor|cut v?\d"
    r"|removed? (?:superfluous|useless|duplicate|duplicated|dead|unnecessary|redundant|stray)\b"
    r"|fix(?:ed|es)? (?:a |some |several |various |the )?(?:small |minor |broken )?(?:compil\w+"
    r"|build)\b"
    r"|start(?:ed|ing)? (?:work|development)|initial|first |post-release|sync with|the \w+ batch"
    r"|v?\d+\.\d+|[\w.-]+ v?\d+\.\d+(?:\.\d+)*(?:[-.]?(?:rc|beta|alpha|dev)\S*)?\Z)",
    re.IGNORECASE,
)
_TRIVIAL_TYPES = word_set("doc docs style test tests wip")
_CHORE_TYPES = word_set("build chore ci deps release")
# "fix(build)" is about building, where the program builds.
_WORK_TYPES = word_set("feat feature fix bugfix perf security hotfix")
_TRIVIAL_AREAS = pattern(
    r"(?:tests?|testing|test ?suite|t\d+|(?:lib|unit)\d{3,4}|docs?|documentation"
    r"|changelog|release[- ]?notes|relnotes|readme|authors|checksrc|lint|codespell|typos?"
    r"|examples?|[\w ./-]{0,30}tests?\Z|translations?|l10n|po|copyright|benches|benchmarks?"
    r"|spec|man|runtests)\b",
    re.IGNORECASE,
)
_CHORE_AREAS = pattern(
    r"(?:ci|github|travis|appveyor|azure|circleci|cirrus|build|make(?:file)?|scripts?|deps|gha"
    r"|workflows?|contrib|dist|rel|bump)\b",
    re.IGNORECASE,
)
_BOT = pattern(
    r"[^\n]{0,80}(?:\[bot\]|dependabot|renovate|pre-commit-ci|github-actions|greenkeeper)"
)
_SHORTEST = 2  # words of a subject
_SHORT, _EXPLAINED = 60, 180  # characters of a text that explains with a reason in it, or without
# About the tests or the build, not about the program.
_ASIDE = pattern(
    r"\b(?:Test[A-Z]\w{0,60}|tests?|testing|test suite|valgrind|(?:a|t|m|ub)san"
    r"|sanitizers?|\w{1,20}ignore|(?:clang|gcc|msvc"
    r"|coverity|build|compile) warnings?|compiler"
    r"|makefile|cmake"
    r"|github actions?|docs?|typing|mypy|type (?:hints?|annotations?)|travis|ruff|flake8"
    r"|documentation|comments?|README|benchmarks?|lint\w*|typos?|refactor\w*|readability|flaky"
    r"|build (?:error|failure)s?"
    r"|variable names?|coverage|helper|boilerplate|dead code|unused|un-?needed"
    r"|no[- ]longer[- ](?:needed|used)|obsolete"
    r"|unnecessary|redundant|leftover|release (?:announcement|notes)|codecov|tox"
    r"|changelog|magic num\w*|fixup"
    r"|take \d|SQUASH|TODOs?|FIXMEs?|broken links?|table headers?"
    r"|and other (?:fixes|improvements|stuff)|references? to|usages? of"
    r"|remove (?:direct |the )?uses? of|internal uses? of"
    r"|[\w/.-]{1,40}\.(?:pl|pm|m4|cmake|ya?ml)|strict-warnings|make (?:install|depend|check|dist)"
    r"|install process|auto-size|prototypes?|examples?|gcc|clang|msvc|mingw|clang-format"
    r"|workflows?|copyright"
    r"|checkbox\w{0,3}|css|stylesheets?"
    r"|typedefs?|#?includes?|debug output|pre-commit|dockerfile|code style|static anal\w{1,6}"
    r"|constants?|stubs?|log messages?|nits?|appease\w?|linker|cross-compil\w{1,5}|auto(?:conf"
    r"|make|tools)"
    r"|pkg-config|config files?|doctests?|whitespace|fuzz\w{0,5}|deprecation warnings? in)\b",
    re.IGNORECASE,
)
# What a text says of a change that nobody outside notices.
_UNNOTICED = pattern(
    r"\bno (?:functional|behaviou?ral|semantic|user[- ](?:visible|facing)) changes?\b|\bcosmetic"
    r"|\bjust (?:a )?(?:clean|refactor)|\bpurely internal|\bto please\b|\bsilenc(?:e[sd]?|ing)\b"
    r"|\bcompil(?:er|ation) warnings?|\b(?:more |better )?readab|\beasier to read|\bclean(?: "
    r"|-)?ups?\b"
    r"|\b(?:dead|unused) code\b|\bnever (?:used|called)\b|\bfalse positives?\b|\brefactor"
    r"|\bnot needed,? (?:so )?remove|\bdependence on\b|\bno (?:change|difference) in behaviou?r"
    r"|\bin preparation\b|\bpreparation (?:for|of)\b|\b(?:next|subsequent|follow-?up) (?:commit"
    r"|patch|PR)"
    r"|\A[^\n]{0,90}(?:_test\.\w|\btest_\w|\b(?:the|our|this|these|a) tests?\b|\btest suite\b)"
    r"|\bCI (?:jobs?|builds?|tests?|pipelines?|runs?)\b|\A(?:this )?also\b"
    r"|\bthis (?:patch|commit|change) (?:only|just|simply) (?:moves|renames)",
    re.IGNORECASE,
)
# A subject that names no particular thing.
_VAGUE = pattern(
    r"(?:(?:tweak|refine|improve|rework|adjust|update|enhance|polish|change|clarify)\w{0,3}"
    r"(?: [^\s]{1,40}){1,3}|[^\n]{0,60}\b(?:deprecated code|stuff|things|bits|semantical fixes"
    r"|logic|behaviou?r|handling|weird"
    r"|premature optimi[sz]ations?)"
    r"|[^\n]{0,90}\b(?:in )?(?:a few|some|several|various|many|multiple) (?:places|spots|issues"
    r"|fixes|improvements|bugs|tweaks)\b[^\n]{0,40})\Z",
    re.IGNORECASE,
)
# The messages of many commits, one below the other.
_MANY = pattern(
    r"squashed commit of the following|^commit [0-9a-f]{40}$", re.IGNORECASE | re.MULTILINE
)


# A newer version of something else, whatever that version fixed.
_NEW_VERSION = pattern(
    r"(?:(?:re-?)?vendor|updat|bump|upgrad)\w{0,3}\b[^\n]{0,80}?(?:\bv?\d+\.\d|\bgo ?1\."
    r"|\b[0-9a-f]{10,40}\b)",
    re.IGNORECASE,
)
_VENDORED = pattern(r"(?:vendor(?:ed)?|deps?|dependencies|third[-_ ]party)\b", re.IGNORECASE)
# A reason inside a subject.
_GIVES_REASON = pattern(
    r"\b(?:because|to (?:avoid|prevent)|so that|due to|in order to)\b", re.IGNORECASE
)
# Reasons that make a chore worth keeping, and the characters of a text that gives them.
_FEW_REASONS, _MANY_REASONS, _ARGUED = 2, 3, 100
# A revert whose only cause is that tests failed.
_TESTS_FAIL = pattern(
    r"\b(?:travis|appveyor|jenkins|CI|buildbot|cirrus|tests? (?:are |is |were )?fail|test failures?"
    r"|build failures?|failing (?:tests?|builds?))",
    re.IGNORECASE,
)
_ARGUED_LONG = 300
_MOST_REASON = 240  # characters of a reason


def reason_in(message: Message) -> str:
    """Return the first sentence that gives a reason; empty if none does."""
    for sentence in message.sentences:
        if gives_reason(sentence):
            if len(sentence) <= _MOST_REASON:
                return sentence
            return sentence[:_MOST_REASON].rsplit(" ", 1)[0] + "…"
    return ""


def explains(message: Message) -> bool:
    """Whether a message says why below its subject; a subject alone makes a poor memory."""
    if message.reverts:
        return bool(cause_of(message))
    text = message.prose.replace("BREAKING CHANGE", "").lstrip(" :")  # the label is no reason
    length = length_told(text)
    has_reason = length >= _SHORT and gives_reason(text[:MOST_RATED])
    return bool(length >= _EXPLAINED or has_reason or _LICENCE.search(message.subject))


def says_why(message: Message) -> bool:
    """Whether a message gives reasons enough that it counts, whatever it changes."""
    text = message.prose[:MOST_RATED]
    return bool(
        GRAVE.search(f"{message.subject}\n{text}")
        or _LICENCE.search(message.subject)
        or (len(text) >= _ARGUED and reasons_in(f"{message.subject}\n{text}") >= _FEW_REASONS)
    )


def argues(message: Message) -> bool:
    """Whether a message gives so many reasons that it counts even if it changes only the build."""
    text = f"{message.subject}\n{message.prose[:MOST_RATED]}"
    return says_why(message) and reasons_in(text) >= _MANY_REASONS


class Ranked(NamedTuple):
    """How many points a message has, and the kind of memory that it makes."""

    points: float
    kind: str
    is_chore: bool = False


# Points, about as the log-odds that somebody later asks about a commit: fitted on 120 commits that
# answer questions about six histories, among 24,600 that explain something, then rounded. What
# cleans or tests counts less than fitted, because it makes poor memories.
_REVERTS = 4.4
_BY_VERB = {
    **dict.fromkeys(DECIDES, 1.7),
    **dict.fromkeys(TAKES_AWAY, 1.0),
    **dict.fromkeys(REPAIRS, -0.4),
}
_LONG = ((40, 0.8), (100, 0.7), (180, 0.5), (300, 0.2), (700, 0.2))  # characters, points for each
_IS_GRAVE, _IS_KNOWN_HOLE = 1.5, 1.7
# What a chore that says why loses.
_CHORE_COSTS = 0.8
# Verbs of work that changes nothing for others, or adds a little.
QUIET: Final = word_set(
    "move rework split merge redo unify refactor test document prepare simplify extract factor"
    " inline relocate consolidate reorganize restructure combine rewrite"
)


# What the worth of a commit is fitted on, too.
SUBJECTS: Final = {
    "ended": _ENDED.search,
    "restricts": _RESTRICTS.search,
    "used": _USED.search,
    "whole": _WHOLE.match,
    "left over": _LEFT_OVER.search,
    "old version": _OLD_VERSION.search,
    "aside": _ASIDE.search,
    "vague": _VAGUE.match,
    "says why": _GIVES_REASON.search,
}
TEXTS: Final = {"unnoticed": _UNNOTICED.search, "hole": _CVE.search}


def rank(message: Message, author: str) -> Ranked:
    """Rate a message; chores, bots and texts without a statement get nothing."""
    if _BOT.match(author) or (_is_trivial(message) and not message.is_breaking):
        return Ranked(0.0, LEARNING, is_chore=True)
    is_chore = _is_chore(message) and not message.is_breaking
    if is_chore and not says_why(message):
        return Ranked(0.0, LEARNING, is_chore=True)
    if message.reverts:
        return _rank_revert(message)
    subject, text = message.subject, message.prose[:MOST_RATED]
    verb = verb_of(subject)
    points = _BY_VERB.get(verb, 0.5 if verb in _SETTLES else 0.3 if not verb else 0.0)
    points += 1.0 * bool(_ENDED.search(subject)) + 0.6 * bool(_RESTRICTS.search(subject))
    points += 1.5 * (_WHOLE.match(subject) is not None and verb in TAKES_AWAY)
    points += 1.0 * bool(_GIVES_REASON.search(subject)) + 3.0 * bool(_LICENCE.search(subject))
    points += 0.8 * bool(_USED.search(subject)) + 0.4 * bool(HARD.search(subject))
    points += _told(f"{subject}\n{text}", text)
    points -= 1.8 * bool(_ASIDE.search(subject)) + 1.5 * bool(_LEFT_OVER.search(subject))
    points -= (
        1.0 * bool(_UNNOTICED.search(text))
        + 1.5 * message.is_squashed
        + 0.8 * bool(_VAGUE.match(subject))
    )
    points -= (
        0.7 * (verb in QUIET) + 0.5 * (verb in ADDS) + 0.8 * bool(_OLD_VERSION.search(subject))
    )
    points += (
        1.2 * message.is_breaking
        - 0.5 * message.is_merge
        - _CHORE_COSTS * (is_chore and not message.is_backport)
    )
    return Ranked(max(points, 0.0), kind_of(message))


def _is_trivial(message: Message) -> bool:
    """Whether a message is about words, tests or looks, or says nothing."""
    words = len(message.subject.split()) + (1 if message.area else 0)
    return bool(
        _TRIVIAL.match(message.subject)
        or message.type in _TRIVIAL_TYPES
        or (_TRIVIAL_AREAS.match(message.area) and message.type not in _WORK_TYPES)
        or words < _SHORTEST
        or _NEW_VERSION.match(message.subject)
        or _VENDORED.match(message.area)
        or (message.is_merge and not message.prose)
        or _MANY.search(message.prose[:MOST_RATED])
    )


def _is_chore(message: Message) -> bool:
    return bool(
        _CHORE.match(message.subject)
        or message.type in _CHORE_TYPES
        or (_CHORE_AREAS.match(message.area) and message.type not in _WORK_TYPES)
        or message.is_backport
    )


def _rank_revert(message: Message) -> Ranked:
    """Rate a revert: without a cause, it is only told with what it took back."""
    taken_back = parse_message(message.reverts)
    is_trivial = _is_trivial(taken_back) or _is_chore(taken_back)
    cause = cause_of(message)
    is_explained = gives_reason(cause) or len(message.prose) >= _SHORT
    if (
        not cause
        or not is_explained
        or taken_back.is_merge
        or (is_trivial and not says_why(message))
    ):
        return Ranked(0.0, LEARNING, is_chore=True)
    points = _REVERTS + _told(message.prose[:MOST_RATED], message.prose[:MOST_RATED])
    is_of_tests = _TESTS_FAIL.search(cause) is not None and len(message.prose) < _ARGUED_LONG
    points -= 2.0 * bool(_ASIDE.search(taken_back.subject)) + 2.5 * is_of_tests
    return Ranked(max(points, 0.0), LEARNING)


def _told(text: str, prose: str) -> float:
    """Return points for the length of prose, for reasons, and for trouble that a text tells of."""
    length = length_told(prose)
    points = sum(points for least, points in _LONG if length >= least)
    points += points_of_reasons(text)
    points += 0.2 * bool(HARD.search(text)) + _IS_KNOWN_HOLE * bool(_CVE.search(text))
    return points + _IS_GRAVE * bool(GRAVE.search(text))
