"""The phrases that reveal a signal, and the confidence of each.

The six types and their confidences come from the original memory lifecycle. Patterns that are
frequent in everyday language are narrower here: "problem", "important" and "interesting" count if
they open a sentence, "fixed the" if it says how, "blocked by" if people or their work wait, and a
request if it addresses somebody. "The issue is" alone is never suggested: in the sessions used for
tuning, it always described a bug that was fixed minutes later.
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
    """One pattern. It is tried only if the text contains one of `needs`: a cheap check."""

    type: str
    confidence: float
    needs: tuple[str, ...]
    pattern: re.Pattern[str]
    at_most: float = 1.0


def rule(kind: str, confidence: float, needs: str, text: str, at_most: float = 1.0) -> Rule:
    """Build a rule from its `needs` on one line."""
    return Rule(kind, confidence, tuple(needs.split("|")), pattern(text, re.IGNORECASE), at_most)


_WE = (
    r"\b(?:i|we)(?:'ve| have|'d| had)?(?: (?:all|also|already|both|just|now|then|therefore"
    r"|\w+ly))?"
)
# Who or what can be blocked; threads and requests block as a matter of course.
_HELD_UP = (
    r"\b(?:i'm|we're|i am|we are|i was|we were|been|this is|that's|it's|(?:build|ci|deployment"
    r"|issue|merge|migration|pr|progress|release|rollout|task|ticket|upgrade|work)(?: is| was)?)"
    r"(?: (?:also|completely|currently|now|still))? "
)
# A decision to look at something decides nothing yet.
_TRY = (
    r"(?:check|continue|dig|experiment|explore|figure|find|give|go with the flow"
    r"|investigate|look|open"
    r"|play|read|rerun|see|start with|take|try)\b"
)
_WITH_A_HOW = (
    r"(?=.{0,1000}(?<!-)\b(?:by|because|since|using|caused?|causing|due to|instead of|so that)\b)"
)

# The start of a rule for people who work here, not a report of what a program does.
_VERB = (
    r"(?:add|answer|ask|avoid|begin|build|call|check|commit|deploy|document|explain|format|give"
    r"|include|keep|leave|log|make|merge|name|open|pin|push|put|read|reply|respond|review|run|send"
    r"|show|sign|skip|squash|start|stick|stop|store|tell|test|treat|try|use|verify|wait|write)"
)
_RULE = r"(?:always|never|only|don't|dont|do not|no|every|each|all|any|new)"
_TO_DO = (
    rf"(?:(?:please|pls|just|also|then) )?(?:{_VERB}|{_RULE}|i(?:'d| want| would| prefer| need)|we"
    r"|you(?! (?:can|could|may|will)\b)|whenever|when|before|after|let's|my|our"
    r"|\w+ \w+ (?:always|never|must|goes?|needs?)|\w+"
    r" (?:always|must|targets|goes?|needs?|gets?))\b"
)

STATEMENTS: tuple[Rule, ...] = (
    rule(
        DECISION,
        0.90,
        "decided",
        rf"{_WE} decided (?:not )?(?:to\b(?! {_TRY})|(?:for|on|against|that)\b)",
    ),
    rule(
        DECISION,
        0.90,
        "chose|selected|picked|opted",
        rf"{_WE} (?:chose|selected|picked|opted) (?:not )?(?:to|for|on)\b",
    ),
    rule(DECISION, 0.85, "chose", rf"{_WE} chose \S+(?: \S+){{0,5}}? (?:over|instead)\b"),
    rule(DECISION, 0.85, "decided", r"\bit (?:was|has been|'s been) decided (?:to|that)\b"),
    rule(
        DECISION,
        0.75,
        "because",
        r"(?:^[^.;]{0,30}|[;,] )\bwe (?:avoid|chose|keep|use) .{1,80}? because\b",
    ),
    rule(DECISION, 0.88, "decision", r"\bthe decision (?:is|was) (?:to|that)\b"),
    rule(DECISION, 0.85, "decision", r"^(?:final )?decision: "),
    rule(DECISION, 0.85, "go with", r"\b(?:(?:we|i)(?:'ll| will)|let's) go with\b"),
    rule(
        DECISION,
        0.85,
        "after ",
        r"\bafter (?:considering|evaluating|weighing)\b[^.;?!]{0,80}?,? (?:i|we)\b",
    ),
    rule(DECISION, 0.80, "went with", rf"{_WE} went with\b"),
    rule(DECISION, 0.82, "final", r"\bfinal(?:ly)? (?:choosing|decided|settled on)\b"),
    rule(DECISION, 0.80, "made the call", rf"{_WE} made the call to\b"),
    # A choice with its reason; without one, it is just the next step.
    rule(
        DECISION,
        0.75,
        "let's |lets ",
        r"\blet'?s (?:not |just |keep|make|move|put|stay|stick|store|use)\b.{5,120}?"
        r" (?:because|since|so that|to avoid|for (?:backwards?|compatibility|consistency))\b",
        HEARSAY,
    ),
    rule(
        LEARNING,
        0.90,
        "learn|reali|discovered|found out",
        rf"{_WE} (?:learned|learnt|reali[sz]ed|discovered|found out)(?: (?:that|about))?\b",
    ),
    rule(LEARNING, 0.95, "til", r"(?-i:^TIL\b|\bTIL that\b)"),
    rule(LEARNING, 0.85, "turn", r"\b(?:turns|turned) out\b"),
    rule(LEARNING, 0.92, "key ", r"\bkey (?:insight|takeaway|learning)(?::| is\b| was\b)"),
    rule(
        LEARNING,
        0.85,
        "finding|discovery",
        r"^(?:the )?(?:key|critical|major|main|important) (?:finding|discovery)(?::| is\b| was\b)",
    ),
    rule(LEARNING, 0.80, "limitation:", r"^(?:known |current )?limitation: ", HEARSAY),
    rule(LEARNING, 0.70, "interesting", r"^interesting(?:ly)?[,:] "),
    rule(
        LEARNING,
        0.80,
        "know|knew|reali",
        r"\bi (?:didn't|did not|never) (?:know|knew|reali[sz]ed?)\b",
    ),
    rule(LEARNING, 0.82, "now i ", r"\bnow i (?:know|understand)(?= (?:that|why)\b|:)"),
    rule(
        LEARNING,
        0.80,
        " was| of the ",
        r"\bthe (?:bug|(?:root )?cause|issue|problem) was (?:that|the|an?|caused by|due to)\b"
        r"|\b(?:cause|origin|root|source) of the (?:bug|issue|problem) (?:is|was)\b",
    ),
    rule(
        LEARNING,
        0.80,
        "root cause",
        r"^(?:so )?(?:the )?(?:actual |real |underlying )?root cause(?: of [^.;:]{1,60})?"
        r"(?::| (?:is|was)\b)",
        HEARSAY,
    ),
    rule(LEARNING, 0.88, "aha moment", r"\baha moment\b"),
    rule(BLOCKER, 0.92, "blocked", rf"(?:^|{_HELD_UP})blocked (?:by|on)\b"),
    rule(BLOCKER, 0.88, "stuck", rf"(?:^|{_HELD_UP})stuck (?:on|with)\b"),
    rule(BLOCKER, 0.85, "because", r"\b(?:i|we) can(?:'t| ?not) .{1,30} because\b"),
    rule(
        BLOCKER,
        0.90,
        "blocking",
        r"\b(?:this|that)(?:'s| is) blocking (?:me|us|my|our|the|all|everything|progress|work)\b",
    ),
    rule(
        BLOCKER,
        0.75,
        "the issue|the main|the real",
        r"(?<!of )\bthe (?:main |real )?issue (?:is that\b|with .{1,60}? is\b)",
        SUPPOSED,
    ),
    rule(BLOCKER, 0.75, "no way to", r"\b(?:currently,? there is|there is currently) no way to\b"),
    rule(
        BLOCKER,
        0.70,
        "problem",
        r"^(?:the )?problem: |(?<!of )\bthe problem is that\b",
        SUPPOSED,
    ),
    rule(
        BLOCKER,
        0.80,
        "having trouble|struggling",
        r"\b(?:i'm|we're|i am|we are) (?:having trouble|struggling) with\b",
    ),
    rule(
        BLOCKER,
        0.78,
        "can't |figured out",
        r"\b(?:i|we) (?:still )?(?:can't (?:figure out|get|make)|have(?: not|n't) figured out)\b",
    ),
    rule(
        RESOLUTION, 0.92, "fixed|solved", rf"(?<!-)\b(?:fixed|resolved|solved) the\b{_WITH_A_HOW}"
    ),
    # The sentence does not say what "this" was.
    rule(
        RESOLUTION,
        0.92,
        "fixed|solved",
        rf"\b(?:fixed|resolved|solved) (?:this|that|it)\b{_WITH_A_HOW}",
        HEARSAY,
    ),
    rule(RESOLUTION, 0.85, "fixed by", r"^(?:this was |it was )?fixed by (?:not )?\w+ing\b"),
    rule(
        RESOLUTION,
        0.88,
        "workaround",
        r"\bworkaround(?:: | (?:is|was) (?:to|by)\b)|\bas a workaround\b",
    ),
    rule(
        RESOLUTION,
        0.85,
        "solution: ",
        r"(?<!alternative )(?<!possible )(?<!potential )(?<!proposed )(?<!suggested )\bsolution: ",
    ),
    rule(
        RESOLUTION,
        0.88,
        "figured",
        rf"(?:^|{_WE} )figured (?:it )?out\b(?! how\b(?!.{{0,1000}} (?:by|using|with)\b))",
    ),
    rule(
        RESOLUTION,
        0.85,
        "that worked|that fixed",
        r"(?:^|[,;] |\band |\bbut )that (?:worked(?=[.!:]|$)|fixed it|fixed the)\b",
    ),
    rule(RESOLUTION, 0.82, "got it ", r"\bgot it (?:working|to work)\b"),
    rule(
        RESOLUTION,
        0.85,
        "the fix|the solution",
        r"\bthe (?:fix|solution) (?:was|is)"
        r"(?:(?= (?:to|that|(?!com|land|miss|pend|wait|work)\w+ing)\b)|:)",
    ),
    rule(RESOLUTION, 0.75, "finally got", r"\bfinally got\b"),
    rule(
        PREFERENCE,
        0.88,
        "prefer|like to",
        r"\bi (?:always |usually |generally |really )?(?:prefer\b|like to\b)",
    ),
    rule(
        PREFERENCE, 0.85, "prefer", r"\bwe (?:\w+ly |always )?prefer (?:to|using|\S+ (?:over|to))\b"
    ),
    rule(PREFERENCE, 0.90, "preference", r"\b(?:my|our) preference (?:is|would be)\b"),
    rule(
        PREFERENCE,
        0.88,
        "rather|prefer",
        r"\bi(?:'d| would) (?:much |really )?(?:rather|prefer)\b(?! not| you (?:check|do"
        r"|fix|look|start|try)\b)",
    ),
    rule(PREFERENCE, 0.75, "like ", r"\bi (?:don't |do not |really )?like (?:when|how|it when)\b"),
    rule(
        PREFERENCE,
        0.78,
        "better ",
        r"\b(?:it'?s|it is|it would be|would be|i think) better (?:not )?to\b",
        HEARSAY,
    ),
    rule(PREFERENCE, 0.80, "never want", r"\b(?:i|we) never want\b(?! to\b)"),
    rule(PREFERENCE, 0.70, "want ", r"\bi (?:always |never )?want (?:to|it to|you to)\b"),
    rule(PREFERENCE, 0.68, "need|require", r"\bi (?:always |never |usually )?(?:need|require)\b"),
    rule(
        PREFERENCE,
        0.85,
        "from now on",
        rf"\bfrom now on,? {_TO_DO}|(?:^|[,;:] |please )(?:{_VERB}"
        rf"|{_RULE})\b[^.;]{{3,80}} from now on\b",
    ),
    rule(
        PREFERENCE,
        0.80,
        "always|never",
        r"^(?:please )?(?:always|never) (?:add|ask|check|commit|deploy|edit|format|import|include"
        r"|keep|merge|mock|name|pin|prefer|push|put|rebase|run|squash|start|test|touch"
        r"|use|write)\b",
    ),
    rule(
        PREFERENCE,
        0.80,
        ", never",
        r"^(?:please )?(?:keep|put|run|use|write) [^.;:]{3,80}, never\b",
    ),
)
