"""The words that give a signal away, and how sure each of them is.

The six types and their confidences are those of the memory lifecycle that this project carries on.
Narrower than there are the patterns that everyday talk is full of: "problem", "important" and
"interesting" count where they open a sentence, "fixed the" where it says how, "blocked by" where it
is people or their work that wait, a request where somebody is asked. "The issue is" alone is never
suggested: in the sessions that were read it always told of a bug that was fixed minutes later.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.core.patterns import pattern

DECISION, LEARNING, BLOCKER = "decision", "learning", "blocker"
RESOLUTION, PREFERENCE, EXPLICIT = "resolution", "preference", "explicit"
KIND_OF_TYPE = {
    DECISION: "decisions",
    LEARNING: "learnings",
    BLOCKER: "blockers",
    RESOLUTION: "solutions",
    PREFERENCE: "preferences",
    EXPLICIT: "notes",
}
DEFAULT_KIND = KIND_OF_TYPE[EXPLICIT]

HEARSAY = 0.90  # below automatic capture
SUPPOSED = 0.60  # below any suggestion


class Rule(NamedTuple):
    """One pattern. It matches only where one of `needs` stands, which is cheap to look for."""

    type: str
    confidence: float
    needs: tuple[str, ...]
    pattern: re.Pattern[str]
    at_most: float = 1.0


def _rule(kind: str, confidence: float, needs: str, text: str, at_most: float = 1.0) -> Rule:
    return Rule(kind, confidence, tuple(needs.split("|")), pattern(text, re.IGNORECASE), at_most)


_WE = (
    r"\b(?:i|we)(?:'ve| have|'d| had)?(?: (?:all|also|already|both|just|now|then|therefore"
    r"|\w+ly))?"
)
# Where a request begins: at the start of a clause, or behind words that ask.
_ASK = (
    r"(?:^|[,;:(—–] ?| - |\b(?:please|pls|plz|kindly|also|and|but|so|then|just|ok|okay|hey|claude"
    r"|let's|you to|(?:you|we) (?:should|must|have to|need to)|(?:can|could|would|will) you),? )"
    r"(?:(?:please|always|also|just) )?"
)
# Behind "this" when it is the whole matter, and not "this file".
_IS_ALL = (
    r"(?=[:;,.!]|$| (?:down|for (?:all|future|later|next|the (?:future|next|rest))"
    r"|in (?:memory|mind|your)|please|to (?:memory|your))\b)"
)
_THING = (
    r"(?:convention|decision|fact|info|information|insight|knowledge|learning|lesson|memory|note"
    r"|preference|reminder|rule)\b"
)
_MEMORY = r"(?:(?:your|our|the project(?:'s)?|project|long-term) )?memory\b"
# Who or what can be held up; a thread and a request are blocked as a matter of course.
_HELD_UP = (
    r"\b(?:i'm|we're|i am|we are|i was|we were|been|this is|that's|it's|(?:build|ci|deployment"
    r"|issue|merge|migration|pr|progress|release|rollout|task|ticket|upgrade|work)(?: is| was)?)"
    r"(?: (?:also|completely|currently|now|still))? "
)
# Who decides to have a look has decided nothing yet.
_TRY = r"(?:check|dig|experiment|explore|figure|find|give|investigate|look|play|see|take|try)\b"
_WITH_A_HOW = (
    r"(?=.*(?<!-)\b(?:by|because|since|using|caused?|causing|due to|instead of|so that)\b)"
)

RULES: tuple[Rule, ...] = (
    _rule(
        DECISION,
        0.90,
        "decided",
        rf"{_WE} decided (?:not )?(?:to\b(?! {_TRY})|(?:for|on|against|that)\b)",
    ),
    _rule(
        DECISION,
        0.90,
        "chose|selected|picked|opted",
        rf"{_WE} (?:chose|selected|picked|opted) (?:not )?(?:to|for|on)\b",
    ),
    _rule(DECISION, 0.85, "chose", rf"{_WE} chose \S+(?: \S+){{0,5}}? (?:over|instead)\b"),
    _rule(DECISION, 0.85, "decided", r"\bit (?:was|has been|'s been) decided (?:to|that)\b"),
    _rule(
        DECISION,
        0.75,
        "because",
        r"(?:^[^.;]{0,30}|[;,] )\bwe (?:avoid|chose|keep|use) .{1,80}? because\b",
    ),
    _rule(DECISION, 0.88, "decision", r"\bthe decision (?:is|was) (?:to|that)\b"),
    _rule(DECISION, 0.85, "decision", r"^(?:final )?decision: "),
    _rule(DECISION, 0.85, "go with", r"\b(?:(?:we|i)(?:'ll| will)|let's) go with\b"),
    _rule(
        DECISION,
        0.85,
        "after ",
        r"\bafter (?:considering|evaluating|weighing)\b[^.;?!]{0,80}?,? (?:i|we)\b",
    ),
    _rule(DECISION, 0.80, "went with", rf"{_WE} went with\b"),
    _rule(DECISION, 0.82, "final", r"\bfinal(?:ly)? (?:choosing|decided|settled on)\b"),
    _rule(DECISION, 0.80, "made the call", rf"{_WE} made the call to\b"),
    # A choice with its reason; without, it is what to do next.
    _rule(
        DECISION,
        0.75,
        "let's |lets ",
        r"\blet'?s (?:not |just |keep|make|move|put|stay|stick|store|use)\b.{5,120}?"
        r" (?:because|since|so that|to avoid|for (?:backwards?|compatibility|consistency))\b",
        HEARSAY,
    ),
    _rule(
        LEARNING,
        0.90,
        "learn|reali|discovered|found out",
        rf"{_WE} (?:learned|learnt|reali[sz]ed|discovered|found out)(?: (?:that|about))?\b",
    ),
    _rule(LEARNING, 0.95, "til", r"(?-i:^TIL\b|\bTIL that\b)"),
    _rule(LEARNING, 0.85, "turn", r"\b(?:turns|turned) out\b"),
    _rule(LEARNING, 0.92, "key ", r"\bkey (?:insight|takeaway|learning)(?::| is\b| was\b)"),
    _rule(
        LEARNING,
        0.85,
        "finding|discovery",
        r"^(?:the )?(?:key|critical|major|main|important) (?:finding|discovery)(?::| is\b| was\b)",
    ),
    _rule(LEARNING, 0.80, "limitation:", r"^(?:known |current )?limitation: ", HEARSAY),
    _rule(LEARNING, 0.70, "interesting", r"^interesting(?:ly)?[,:] "),
    _rule(
        LEARNING,
        0.80,
        "know|knew|reali",
        r"\bi (?:didn't|did not|never) (?:know|knew|reali[sz]ed?)\b",
    ),
    _rule(LEARNING, 0.82, "now i ", r"\bnow i (?:know|understand)(?= (?:that|why)\b|:)"),
    _rule(
        LEARNING,
        0.80,
        " was| of the ",
        r"\bthe (?:bug|(?:root )?cause|issue|problem) was (?:that|the|an?|caused by|due to)\b"
        r"|\b(?:cause|origin|root|source) of the (?:bug|issue|problem) (?:is|was)\b",
    ),
    _rule(
        LEARNING,
        0.80,
        "root cause",
        r"^(?:so )?(?:the )?(?:actual |real |underlying )?root cause(?: of [^.;:]{1,60})?"
        r"(?::| (?:is|was)\b)",
        HEARSAY,
    ),
    _rule(LEARNING, 0.88, "aha moment", r"\baha moment\b"),
    _rule(BLOCKER, 0.92, "blocked", rf"(?:^|{_HELD_UP})blocked (?:by|on)\b"),
    _rule(BLOCKER, 0.88, "stuck", rf"(?:^|{_HELD_UP})stuck (?:on|with)\b"),
    _rule(BLOCKER, 0.85, "because", r"\b(?:i|we) can(?:'t| ?not) .{1,30} because\b"),
    _rule(
        BLOCKER,
        0.90,
        "blocking",
        r"\b(?:this|that)(?:'s| is) blocking (?:me|us|my|our|the|all|everything|progress|work)\b",
    ),
    _rule(
        BLOCKER,
        0.75,
        "the issue|the main|the real",
        r"(?<!of )\bthe (?:main |real )?issue (?:is that\b|with .{1,60}? is\b)",
        SUPPOSED,
    ),
    _rule(BLOCKER, 0.75, "no way to", r"\b(?:currently,? there is|there is currently) no way to\b"),
    _rule(
        BLOCKER,
        0.70,
        "problem",
        r"^(?:the )?problem: |(?<!of )\bthe problem is that\b",
        SUPPOSED,
    ),
    _rule(
        BLOCKER,
        0.80,
        "having trouble|struggling",
        r"\b(?:i'm|we're|i am|we are) (?:having trouble|struggling) with\b",
    ),
    _rule(
        BLOCKER,
        0.78,
        "can't |figured out",
        r"\b(?:i|we) (?:still )?(?:can't (?:figure out|get|make)|have(?: not|n't) figured out)\b",
    ),
    _rule(
        RESOLUTION, 0.92, "fixed|solved", rf"(?<!-)\b(?:fixed|resolved|solved) the\b{_WITH_A_HOW}"
    ),
    # What "this" was, the sentence does not say.
    _rule(
        RESOLUTION,
        0.92,
        "fixed|solved",
        rf"\b(?:fixed|resolved|solved) (?:this|that|it)\b{_WITH_A_HOW}",
        HEARSAY,
    ),
    _rule(RESOLUTION, 0.85, "fixed by", r"^(?:this was |it was )?fixed by (?:not )?\w+ing\b"),
    _rule(
        RESOLUTION,
        0.88,
        "workaround",
        r"\bworkaround(?:: | (?:is|was) (?:to|by)\b)|\bas a workaround\b",
    ),
    _rule(
        RESOLUTION,
        0.85,
        "solution: ",
        r"(?<!alternative )(?<!possible )(?<!potential )(?<!proposed )(?<!suggested )\bsolution: ",
    ),
    _rule(
        RESOLUTION,
        0.88,
        "figured",
        rf"(?:^|{_WE} )figured (?:it )?out\b(?! how\b(?!.* (?:by|using|with)\b))",
    ),
    _rule(
        RESOLUTION,
        0.85,
        "that worked|that fixed",
        r"(?:^|[,;] |\band |\bbut )that (?:worked(?=[.!:]|$)|fixed it|fixed the)\b",
    ),
    _rule(RESOLUTION, 0.82, "got it ", r"\bgot it (?:working|to work)\b"),
    _rule(
        RESOLUTION,
        0.85,
        "the fix|the solution",
        r"\bthe (?:fix|solution) (?:was|is)"
        r"(?:(?= (?:to|that|(?!com|land|miss|pend|wait|work)\w+ing)\b)|:)",
    ),
    _rule(RESOLUTION, 0.75, "finally got", r"\bfinally got\b"),
    _rule(
        PREFERENCE,
        0.88,
        "prefer|like to",
        r"\bi (?:always |usually |generally |really )?(?:prefer\b|like to\b)",
    ),
    _rule(
        PREFERENCE, 0.85, "prefer", r"\bwe (?:\w+ly |always )?prefer (?:to|using|\S+ (?:over|to))\b"
    ),
    _rule(PREFERENCE, 0.90, "preference", r"\b(?:my|our) preference (?:is|would be)\b"),
    _rule(
        PREFERENCE,
        0.88,
        "rather|prefer",
        r"\bi(?:'d| would) (?:much |really )?(?:rather|prefer)\b(?! not)",
    ),
    _rule(PREFERENCE, 0.75, "like ", r"\bi (?:don't |do not |really )?like (?:when|how|it when)\b"),
    _rule(
        PREFERENCE,
        0.78,
        "better ",
        r"\b(?:it'?s|it is|it would be|would be|i think) better (?:not )?to\b",
        HEARSAY,
    ),
    _rule(PREFERENCE, 0.80, "never want", r"\b(?:i|we) never want\b(?! to\b)"),
    _rule(PREFERENCE, 0.70, "want ", r"\bi (?:always |never )?want (?:to|it to|you to)\b"),
    _rule(PREFERENCE, 0.68, "need|require", r"\bi (?:always |never |usually )?(?:need|require)\b"),
    _rule(PREFERENCE, 0.85, "from now on", r"\bfrom now on\b"),
    _rule(
        PREFERENCE,
        0.80,
        "always|never",
        r"^(?:please )?(?:always|never) (?:add|ask|check|commit|deploy|edit|format|import|include"
        r"|keep|merge|mock|name|pin|prefer|push|put|rebase|run|squash|start|test|touch|use|write)\b",
    ),
    _rule(
        PREFERENCE,
        0.80,
        ", never",
        r"^(?:please )?(?:keep|put|run|use|write) [^.;:]{3,80}, never\b",
    ),
    # A request that is one beyond doubt.
    _rule(
        EXPLICIT,
        0.98,
        "remember",
        rf"{_ASK}remember (?:this{_IS_ALL}|that{_IS_ALL}|that (?:i|my|our|we (?:always|can't|cannot"
        r"|deploy|do not|don't|must|never|only|prefer|use))\b|for (?:later|next|the future)\b)",
    ),
    _rule(
        EXPLICIT,
        0.95,
        "save ",
        rf"{_ASK}save (?:this|that)(?:{_IS_ALL}(?: for)?| as (?:an? |my |our )?{_THING}| {_THING})",
    ),
    _rule(
        EXPLICIT, 0.95, "memory", rf"{_ASK}(?:add|commit|save|store) .{{1,40}} (?:in|to) {_MEMORY}"
    ),
    _rule(
        EXPLICIT,
        0.92,
        "note|write ",
        rf"{_ASK}(?:note (?:this{_IS_ALL}|to self\b|down (?:that|this)\b|down:"
        r"|for (?:future|later|next|the)\b)|(?:make|take) (?:a )?note\b"
        r"|write (?:this|that|it) down\b):?",
    ),
    _rule(
        EXPLICIT,
        0.90,
        " reference",
        rf"(?:^|{_ASK}(?:keep|note|record|remember|save|store) (?:it|that|this) )"
        r"for (?:future|later) reference\b",
    ),
    # What handbooks say as well: asked for, but never kept unseen.
    _rule(
        EXPLICIT,
        0.98,
        "remember",
        rf"{_ASK}remember(?: that\b|:|, (?:i|my|our|we)\b)"
        r"|^remember this |(?:\b(?:please|pls|plz),? |\byou to )remember (?!to\b|when\b|me\b)",
        HEARSAY,
    ),
    _rule(EXPLICIT, 0.85, "remember", r"(?:^|\bplease )remember to\b", HEARSAY),
    _rule(
        EXPLICIT,
        0.92,
        "note that",
        rf"{_ASK}note that (?:my|our)\b|\b(?:please|you to|you should) note that\b",
        HEARSAY,
    ),
    _rule(EXPLICIT, 0.88, " forget", rf"{_ASK}(?:don't|do not|never) forget\b", HEARSAY),
    _rule(
        EXPLICIT,
        0.85,
        " in mind",
        rf"{_ASK}(?:keep|bear|have) (?:(?:this|that|it) )?in mind\b",
        HEARSAY,
    ),
    _rule(
        EXPLICIT,
        0.75,
        "important",
        r"^(?:this is |very |most )?important(?: note)?: "
        r"(?=.*\b(?:always|do not|don't|ever|i|must|my|never|our|should|we)\b)",
        HEARSAY,
    ),
)
