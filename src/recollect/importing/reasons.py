"""What marks a reason, a rule, a consequence or a lesson in what developers write.

Commit messages, changelogs and documents are read for the same words: what gives a reason is worth
keeping, and the paragraph that gives it is kept whole.
"""

from __future__ import annotations

import re

from recollect.core.patterns import pattern

# Each is one kind of explanation, with the points that it adds; one of a kind counts once. The
# points follow from which kinds the commits have that people ask about.
_KINDS = tuple(
    (points, pattern(text, re.IGNORECASE))
    for points, text in (
        (
            0.45,
            r"\bbecause\b|\bthe reason\b|\breasons? (?:for|why|is|was)\b|\bdue to\b|\brationale\b"
            r"|\bmotivat|\bthat['’]s why\b|\bsince (?!v?\d|version|then|commit\b)\w",
        ),
        (
            0.5,
            r"\bcaus(?:es?|ed|ing)\b|\b(?:leads?|led|leading) to\b|\bresult(?:s|ed|ing)? in\b"
            r"|\bas a (?:result|consequence)\b|\b(?:this|which|that) means\b|\bmeans that\b"
            r"|\bthereby\b"
            r"|\bthis way\b|\bend(?:s|ed)? up\b",
        ),
        (
            0.2,
            r"\binstead of\b|\brather than\b|\bin favou?r of\b|\bas opposed to\b|\balternative(?:s"
            r"|ly)?\b|\bthis replaces\b",
        ),
        (
            0.45,
            r"\b(?:turns|turned) out\b|\bit appears that\b|\bin practice\b|\bin hindsight\b"
            r"|\bsurpris"
            r"|\bsubtle\b|\bunfortunately\b|\bin (?:fact|reality)\b|\beven though\b"
            r"|\bnot actually\b"
            r"|\bnot even\b",
        ),
        (
            0.25,
            r"\bto avoid\b|\bavoids?\b|\bin order to\b|\bso that\b|\botherwise\b|\bto prevent\b"
            r"|\bprevents\b|\bto (?:make sure|ensure)\b|\bensures\b|\bguarantee\w{0,2}\b",
        ),
        (
            0.45,
            r"\bwe (?:decided|choo?se|want|need|can['’]t|cannot|should|must|could|prefer"
            r"|no longer|(?:do not|don['’]t) (?:want|need|have))\b|\bdecision\b|\bbeen decided\b"
            r"|\bpolicy\b|\bmust(?: not| be| have)?\b|\bnot appropriate\b|\bconsidered\b"
            r"|\bacceptable\b"
            r"|\bpreferable\b",
        ),
        (
            0.8,
            r"\btrade-?offs?\b|\bdownside|\bdrawback|\bat the cost of\b|\bpros and cons\b"
            r"|\bcompromise"
            r"|\bworth\b|\boutweigh|\badvantages?\b|\bbenefits?\b|\bwast(?:es?|ing)\b|\bsaves\b",
        ),
        (
            0.45,
            r"\bpreviously\b|\bused to\b|\bbefore this\b|\bprior to\b|\bno longer\b"
            r"|\bhistorically\b"
            r"|\boriginally\b|\b(?:is|was|were|are) currently\b|\bcurrently,? (?:the|we|it)\b",
        ),
        (
            0.2,
            r"\bthe (?:problem|issue|bug|root cause|culprit|trouble) (?:is|was|with|here|occurs"
            r"|arises)|\broot cause\b|\bintroduced (?:in|by)\b|\bha(?:s|d|ve) a problem\b",
        ),
        (
            0.3,
            r"\b(?:un|fork-|thread-)?safe(?:ty)?\b|\brisky?\b|\bdangerous\b|\berror-prone\b|\bconfus"
            r"|\bsurprising|\bmislead|\bfragile\b|\b(?:in)?secur(?:e|ity)\b|\bvulnerab|\bCVE-\d{4}",
        ),
        (
            0.3,
            r"\bcompatib|\bupgrad|\bmigrat|\bdeprecat|\bbreak(?:s|ing)?\b|\bexisting (?:users|code"
            r"|clients|scripts|applications)\b|\binteroperab",
        ),
        (
            0.9,
            r"\bnot (?:used|needed|maintained|supported|possible|worth|necessary|thread-safe)\b"
            r"|\bunmaintained\b|\bnobody\b|\bno one\b|\bnot a single\b|\b(?:few|no) users\b"
            r"|\bfit[- ]for[- ]purpose\b",
        ),
        (
            0.45,
            r"\b(?:broken|buggy|never worked|do(?:es)?(?:n't| not) work|did(?:n't| not) work"
            r"|not working|unreliable|slow(?:er)?|overhead|contention|impossible|side[- ]effects?"
            r"|too (?:difficult|hard|complex|complicated|slow|fragile|expensive|much|many))\b",
        ),
        (
            0.25,
            r"\baccording to\b|\bRFC ?\d{3,5}\b|\bthe (?:spec|standard|specification)\b"
            r"|\brequired by\b|\bto match\b|\bconsisten\w{1,4}\b",
        ),
        (
            0.3,
            r"\bhangs?\b|\bcrash(?:es|ed|ing)?\b|\bdeadlocks?\b|\bfails to\b|\bat random\b"
            r"|\brandomly\b"
            r"|\bincorrectly\b|\bwrongly\b|\bpanics?\b|\binfinite\b|\bassert(?:ion|s)?\b",
        ),
    )
)
_MOST_POINTS = 3.0


def reasons_in(text: str) -> int:
    """Return how many kinds of explanation a text has."""
    return sum(1 for _, kind in _KINDS if kind.search(text))


def points_of_reasons(text: str) -> float:
    """Return the points of the kinds of explanation that a text has."""
    return min(_MOST_POINTS, sum(points for points, kind in _KINDS if kind.search(text)))


def gives_reason(text: str) -> bool:
    """Whether a text has an explanation of any kind."""
    return any(kind.search(text) for _, kind in _KINDS)
