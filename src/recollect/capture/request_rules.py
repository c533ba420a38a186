"""The phrases that ask to keep something, and the confidence of each.

Only a request beyond doubt is captured without review: it opens the sentence, it addresses
somebody, and what to keep follows directly. All others become suggestions. Handbooks, forms and
comments use the same words: "remember to close the file", "Remember my choice", "keep in mind that
if you". They address anybody, about anything; a person who asks an agent speaks about their own
work.
"""

from __future__ import annotations

import re

from recollect.capture.signal_rules import EXPLICIT, HEARSAY, Rule, rule
from recollect.core.patterns import pattern

_AGENT = r"(?:claude|codex|copilot|cursor|gemini|agent|assistant)"
# Words before the actual request.
_LEAD = (
    r"^(?:(?:please|pls|plz|kindly|ok|okay|hey|hi|hello|btw|fyi|also|and|so|oh|yes|yeah|great|good"
    rf"|nice|thanks|note|important|just|always|{_AGENT}|going forward|one more thing|let'?s"
    r"|for (?:later|future|the next|next) sessions?|(?:can|could|would|will) you"
    r"|you (?:should|must)"
    r"|i(?:'d| would)? (?:want|need|like) you to)[,:!.]*(?: -)? )*"
)
# Where a request begins: at the start of a clause, or after words that ask.
_ASK = (
    r"(?:^|[,;:(—–] ?| - |\b(?:please|pls|plz|kindly|also|and|so|then|just|ok|okay|hey|btw|fyi"
    rf"|{_AGENT}|let'?s|(?:you|we) (?:should|must|have to|need to)|(?:make sure|be sure|you) to"
    r"|make sure you|next time|from (?:here|now|this point) on|going forward"
    r"|(?:can|could|would|will) (?:we|you)),? )(?:(?:please|pls|kindly|always|also|just) ){0,6}"
)
_REMEMBER = r"(?:rem[em]*b[er]{1,3}|memori[sz]e)"
_LATER = (
    r"(?:later|next time|(?:the |all |any )?(?:next|future|later|further|other|coming|following)"
    r"(?: \w+)?|the (?:future|rest)|ever|good)\b(?! use\b)"
)
_MEMORY = (
    r"(?:(?:an?|your|our|my|the|this|project(?:'s)?|permanent|persistent|long-?term|auto) )*"
    r"(?:memory(?: (?:bank|file|tool))?|memories|(?:claude|agents|memory)\.md"
    r"|(?<=your )notes)(?![\w-])"
)
_KEEP = r"(?:add|commit|keep|log|note|persist|put|record|save|store|write)"
_IT = r"(?:this|that|it|these|the following)"
_THING = (
    r"(?:convention|decision|fact|info|information|insight|knowledge|learning|lesson|memory|note"
    r"|preference|reminder|rule)\b"
)
# "this" as the whole object, not as in "this file".
_IS_ALL = (
    rf"(?=[:;,.!]|$| [-–—] | (?:down|for {_LATER}|in (?:mind|your)|please|pls|to"
    r" (?:memory|your))\b)"
)
# What to keep, directly after the request.
_CONTENT = r"(?::|,? that\b| [-–—](?= ))"
# What makes a sentence of "remember the host" or "don't forget the host".
_IS = (
    r"(?:(?!for\b|of\b|that\b|they\b|to\b|we\b|which\b)[\w/.`-]+ ){1,3}(?:are|can't|cannot|does"
    r"|doesn't|don't|expects?|goes|has|have|is|lives?|must|needs?|only|runs?|should|starts?|stays?"
    r"|takes?|uses?|was)\b"
)
_OURS = r"(?:i|i'm|i've|my|me|we|we're|we've|our|us|this (?:repo\w*|project|code ?base|fork|team))"

REQUESTS: tuple[Rule, ...] = (
    # Requests beyond doubt.
    rule(
        EXPLICIT,
        0.98,
        "remember",
        rf"{_LEAD}remember (?:{_IT}|(?:{_IT} )?(?:for|in) {_LATER}(?: \w+)?)(?: please)?{_CONTENT}"
        rf"(?! (?:an?|any|each|every|if|in|it|there|when|you)\b)",
    ),
    rule(
        EXPLICIT,
        0.98,
        "remember",
        rf"{_LEAD}remember that (?:i|my|our)\b(?! (?:asked|mentioned|promised|said|showed"
        r"|told|wrote))",
    ),
    rule(
        EXPLICIT,
        0.97,
        "save |store |add |put |record |commit |log ",
        rf"{_LEAD}(?:add|commit|log|put|record|save|store)(?: {_IT})?"
        rf" (?:into|to|in(?! memory)) {_MEMORY}"
        rf"(?: (?:for {_LATER}|please))?{_CONTENT}",
    ),
    rule(
        EXPLICIT,
        0.97,
        "save |store |add |record ",
        rf"{_LEAD}(?:add|record|save|store) {_IT} as (?:an? |my |our )?(?:\w+ )?{_THING}{_CONTENT}",
    ),
    rule(
        EXPLICIT,
        0.97,
        "note |mind ",
        rf"{_LEAD}(?:note|keep (?:{_IT} )?in mind) (?:{_IT} )?for (?:all )?"
        rf"(?:future|later|next|the next) (?:chats?|conversations?|sessions?|time){_CONTENT}",
    ),
    # Phrases that others use too: requests, but never captured without review.
    rule(
        EXPLICIT,
        0.95,
        "rem|memori",
        rf"{_ASK}{_REMEMBER}(?: {_IT}{_IS_ALL}| that\b|:|,? (?:i|i'm|we|our|no|never"
        r"|always|only)\b|, the\b"
        r"|,? my (?!answer|choice|device|login|me\b|name\b|password|selection|settings?)"
        rf"| (?:{_IT} )?(?:for|in) {_LATER}| (?:going forward|from (?:here|now) on)\b"
        rf"| when you\b(?=.{{0,1000}}\b{_OURS}\b)| the following\b| th(?:is|ese) \w+: )"
        rf"|{_LEAD}{_REMEMBER} the (?={_IS}"
        r"|[^:.]{3,40}: )",
        HEARSAY,
    ),
    rule(
        EXPLICIT,
        0.92,
        "rem",
        rf"\b(?:(?:please|pls|plz),?|you to) {_REMEMBER} (?!to\b|when\b|me\b|th(?:is|ese|at) \w)",
        HEARSAY,
    ),
    rule(
        EXPLICIT,
        0.85,
        "remember to",
        r"(?:^|\b(?:please|pls) )remember to(?: (?:always|never|not|only)\b"
        rf"|\b(?=.{{0,1000}} {_OURS}\b))",
        HEARSAY,
    ),
    rule(
        EXPLICIT,
        0.92,
        "memor|claude.md|agents.md",
        rf"{_ASK}{_KEEP}(?: {_IT}(?: {_THING})?| (?:a|one) (?:entry|line"
        rf"|{_THING}))?(?: down)? (?:as|in"
        r"|into|to|with)"
        rf" {_MEMORY}(?=[:.!?]|$| [-–—] | (?:for|forever|now|please|pls|saying|so|that|too)\b)"
        rf"|^memory: (?!\d)(?=(?:\S+ ){{4}})|\bfor (?:your|the) memory: |{_ASK}(?:add"
        r"|create|make|save"
        r"|store) a memory(?: that|:)"
        rf"|{_ASK}update {_MEMORY}(?::| that\b| with {_IT}\b)",
        HEARSAY,
    ),
    rule(
        EXPLICIT,
        0.90,
        "save |store |keep |add |record |log |persist |mark |saving |saved |stored ",
        rf"{_ASK}(?:add|keep|log|persist|record|save|store)(?: {_IT})?(?:{_IS_ALL} for {_LATER}"
        rf"| as (?:an? |my |our )?(?:\w+ )?{_THING}(?=[:.,!]|$| [-–—] | that\b))"
        rf"|{_ASK}(?:save|store) {_IT}{_IS_ALL}|{_ASK}(?:keep track of|persist|record|mark) {_IT}"
        rf"(?: down)?:|{_ASK}(?:note|record|save|store) the fact that\b"
        r"|\bworth saving\b|\bi(?:'d| would)? (?:like|want) (?:this|that|it) (?:saved|stored)\b"
        rf"|{_ASK}save that .{{5,80}} for {_LATER}",
        HEARSAY,
    ),
    rule(
        EXPLICIT,
        0.92,
        "note|write |jot |noting|you mind ",
        rf"{_ASK}(?:note (?:{_IT}{_IS_ALL}|(?:{_IT} )?down(?: that\b|:| this\b| somewhere\b)"
        rf"|(?:{_IT} )?for {_LATER})|(?:keep|leave|make|take) (?:a )?(?:\w+ )?note(?: that\b|:|,"
        rf"| of {_IT}\b| for\b)|(?:jot|write) (?:{_IT} down\b(?! in the\b)|down:)):?"
        r"|\b(?:please|pls|plz) note[:,] |\blet'?s note that\b|^noting for later\b"
        r"|\byou mind (?:noting|remembering|saving)\b",
        HEARSAY,
    ),
    # Something that somebody must not forget to do is a task.
    rule(
        EXPLICIT,
        0.92,
        "note to |note for ",
        r"^(?-i:note to self|NOTE TO SELF|Note to self|nts)(?:[:,]"
        r"| [-–—]) (?=\S+ \S+ \S)(?!.*\bno idea\b)(?!(?:a|add|call|check"
        r"|delete|fix|look|need|remember|remove|rename|should|test|this|todo|trim|try|update)\b)"
        r"|^(?:just )?(?:a )?notes? (?:to|for) (?:the )?(?:next"
        rf"|future)(?: (?:\w+ )?(?:{_AGENT}s?|conversations?|me"
        r"|maintainers?|myself|self|sessions?|us|you))?:",
        HEARSAY,
    ),
    rule(
        EXPLICIT,
        0.90,
        " reference|for future|the future|for later |for next |for the |for all ",
        rf"(?:^|{_ASK}(?:keep|note|record|remember|save|store) {_IT} )for (?:future"
        r"|later) reference\b(?!,? (?:see|read|refer|check|please|here)\b|:? https?:)"
        rf"|{_LEAD}for (?:all |the |any )?(?:future|later|next) (?:chats?|conversations?"
        r"|runs?|sessions?"
        r"|time)[:,] |\bfor (?:the )?future: ",
        HEARSAY,
    ),
    rule(
        EXPLICIT,
        0.92,
        "note that",
        rf"{_ASK}note that (?:my|our)\b|\b(?:please|pls|you to|you should) note that\b",
        HEARSAY,
    ),
    rule(
        EXPLICIT,
        0.88,
        " forget",
        rf"{_ASK}(?:don'?t|do not|never)(?: you)?(?: ever)? forget"
        rf"(?:,|:| (?!to\b|about\b)(?:{_IT}|{_OURS}|(?=(?:an? |the )?{_IS}))"
        rf"| (?:to|about)\b(?=.{{0,1000}} {_OURS}\b))",
        HEARSAY,
    ),
    rule(
        EXPLICIT,
        0.85,
        " in mind",
        rf"{_ASK}(?:keep|bear|have) (?:{_IT} )?in mind\b(?=[:,.!)]|$| [-–—] | (?:that|for"
        rf"|the \w+ (?:is|are|has|must)|{_OURS})\b)",
        HEARSAY,
    ),
    rule(
        EXPLICIT,
        0.85,
        "remember|memo:|mental note|reminder for|to note",
        r"^(?:memo|mental note|(?:as )?a?n? ?reminder for (?:future|later|next"
        r"|yourself)[^:.]{0,30}): "
        r"|\b(?:facts?|points?|things?) to (?:note|remember)(?: for [^:.]{3,30})?: "
        r"|\b(?:just )?so you remember: |\bi want (?:this|that|it) remembered\b"
        r"|\blet it be remembered\b|^worth remembering(?=:| for\b)|^/remember (?=\w)",
        HEARSAY,
    ),
    rule(
        EXPLICIT,
        0.75,
        "important",
        r"^(?:this is |very |most )?important(?: note)?: "
        r"(?=.*\b(?:always|do not|don't|ever|i|must|my|never|our|should|we)\b)",
        HEARSAY,
    ),
)

# Forms, lists of commands, commit messages, tips, and stories about somebody else.
_NOT_TOLD = pattern(
    r"^(?-i:(?:feat|fix|chore|docs|refactor|test|perf|build|style|revert)(?:\([^)]*\))?!?: )"
    r"|^\W*(?:tip|hint|warning|caution|example|faq|q|a|error|fatal|usage|step \d+)\b[ :]"
    r"|\{\w[\w .]*\}|<\w+>|\( \)|\(•\)|[✓✔☐☑→]"
    r"|\b(?:check ?box|newsletter|piece of paper|chapter|subscribe|third parties)\b|-- \w+\.? \w+$",
    re.IGNORECASE,
)
_OF_OTHERS = pattern(
    r"\b(?:users?|students?|customers?|readers?|players?|somebody|someone|people|he|she|they)\b"
    r"|^\W*(?:if|in case|when|whenever|although|while|oh sure|yeah right)\b",
    re.IGNORECASE,
)
# Advice that handbooks give to everybody.
_TO_ANYBODY = pattern(
    r"^,?(?: that)? ?(?:if|when|whenever|for each|an?|any|some|you|it(?! turn)|there)\b"
    r"|^(?: that)? ?(?:this|these) (?:\w+ )?(?:also|are|both|can|case|code|edge|example|function"
    r"|has been|is|method|page|section|values?)\b|^(?: that)? ?the (?:code|following"
    r"|function|method|section|user)\b"
    r"|\b(?:you(?!r)|yourself)\b|\byour (?!memory\b|local\b)|\b(?:itself|in general|general case"
    r"|future (?:releases|versions))\b|\blol\b|:(?:meth|func|class|ref|doc):",
    re.IGNORECASE,
)
_TO_READERS = pattern(
    r"\b(?:you(?:'ll| can| could| have| may| must| need| should| want| will)|your)\b|\?|\blol\b"
    r"|\b(?:above|below|box|chapter|click|earlier|example|offices?|press|support team|tap"
    r"|tick|24/7)\b",
    re.IGNORECASE,
)
_FEWEST_WORDS = 3
# "Remember this: the sum of two even numbers is even" is a lesson; with a name in it, a fact.
_TEXTBOOK = pattern(r"remember (?:this|that|it|these|the following):", re.IGNORECASE)
_SPECIFIC = pattern(
    r"\S[A-Z\d_/@=]|\s[A-Z]\w|\d|`|(?i:\b(?:api|branch|build|bus|clients?|customers?|database|db"
    r"|deploy\w*|main|partners?|ports?|prod|production|release|repo\w*|sandbox|server|staging|suite"
    r"|teams?|tests?|token|vendor|vpn)\b)"
)
_SAID_ALIKE = pattern(
    r"\b(?:remember(?: that|,)|note that|in mind(?: that)?|forget(?: that)?)\b.{0,4}$",
    re.IGNORECASE | re.DOTALL,
)
_FOR_LATER = pattern(r"\b(?:future|later|next|from now on|going forward)\b", re.IGNORECASE)
_SO_YOU_CAN = pattern(r"\bso (?:that )?you can\b", re.IGNORECASE)
_DUTY = pattern(r"(?:we|you) (?:should|must|have to)\b|we need to\b", re.IGNORECASE)
_PURPOSE = pattern(r"\bso (?:that )?(?:i|it|others?|phase|the|they|we|you)\b[^:]*$", re.IGNORECASE)
_OURS_ANYWHERE = pattern(rf"\b{_OURS}\b", re.IGNORECASE)


def is_asked(text: str, match: re.Match[str]) -> bool:
    """Return whether the phrase is a request, by the words around it."""
    before, after = text[: match.start()], text[match.end() :]
    if _NOT_TOLD.search(text) or _OF_OTHERS.search(before) or _SO_YOU_CAN.search(after):
        return False
    if _DUTY.match(match[0]) and not _OURS_ANYWHERE.search(after):
        return bool(_FOR_LATER.search(text))
    alike = _SAID_ALIKE.search(match[0]) and not _FOR_LATER.search(text)
    mine = _OURS_ANYWHERE.search(after)
    return not (alike and _TO_ANYBODY.search(after) and not (mine and "you" not in after.lower()))


def is_beyond_doubt(match: re.Match[str], after: str) -> bool:
    """Return whether what to keep follows, and is neither addressed to all nor true everywhere."""
    if len(after.split()) < _FEWEST_WORDS or _TO_READERS.search(after):
        return False
    textbook = _TEXTBOOK.fullmatch(match[0])
    return not (textbook and not _SPECIFIC.search(after) and not _OURS_ANYWHERE.search(after))


def what_is_asked(rest: str) -> str:
    """Return what a request asks to keep, without its own words and its purpose."""
    return _PURPOSE.sub("", rest)
