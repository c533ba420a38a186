"""The wording that named features of a sentence look for (`capture/features.py`)."""

from __future__ import annotations

import re

from recollect.core.patterns import pattern

QUESTION = pattern(
    r"(?:(?:and|but|hey|hi|hmm|ok|okay|oh|so|well|wait)[, ]+)*(?:"
    r"(?:am|are|can|can't|could|did|didn't|do|does|doesn't|don't|had|has|have|is|isn't|shall|should"
    r"|was|were|will|would|wouldn't)"
    r" (?:i|we|you|u|they|he|she|it|this|that|there|the|anyone|anybody|someone|somebody)"
    r"|(?:what|why|how|who|where|when|which)(?:'?s| (?:am|are|can|could|did|do|does|has|have|is"
    r"|should|was|were|will|would)))\b",
    re.IGNORECASE,
)
# What somebody else asks: "HR asks from which hour overtime is paid".
REPORTED_QUESTION = pattern(
    r"(?!(?:if|when|whenever|once) )(?:[\w.'-]{1,30} ){1,4}(?:asks|asked|(?:wants|want) to know"
    r"|(?:keeps|keep) asking|(?:is|are) asking)(?: (?:me|us))? (?:from |for |to |in |by )?"
    r"(?:how|what|which|who|whose|why|when|where|whether|if)\b",
    re.IGNORECASE,
)
HYPOTHETICAL = pattern(
    r"\b(?:if (?:i|we|you|it|they|he|she) (?:were|had|would|could|did)|would have|might|maybe"
    r"|perhaps|could be|may be|suppose|imagine|hypothetical|what if|i wonder|not sure|possibly"
    r"|probably|should we|we could|you could|one option|for example|e\.g)\b",
    re.IGNORECASE,
)
PLAN = pattern(
    r"(?:(?:now|ok|okay|great|good|perfect|alright|next|first|then|so|and)[,.!:]* )*(?:now )?"
    r"(?:let me|let's|i'll|i will|i'm going to|i am going to|i need to|i should|i can|i want to"
    r"|we need to|we should|time to|next step|next,|going to)\b",
    re.IGNORECASE,
)
CORRECTION = pattern(
    r"(?:no|nope|nah|wait|stop|wrong|actually|sorry|hmm|not quite)\b[,.!:;— -]|\bnot what i\b"
    r"|\binstead\b|\brather than\b|that's (?:not|wrong)"
    r"|(?:please )?(?:don't|do not|dont|never|stop)\b",
    re.IGNORECASE,
)
IMPERATIVE = pattern(
    r"(?:please |always |never |only |just |also |then |and |so |but |ok(?:ay)?,? )*"
    r"(?:add|always|ask|avoid|build|call|change|check|commit|create|delete|deploy|do|don't"
    r"|ensure|fix"
    r"|follow|format|give|go|implement|keep|leave|look|make|merge|move|name|never|open|pin|prefer"
    r"|push|put|read|remove|rename|replace|review|revert|run|set|show|skip|split|squash|start|stick"
    r"|stop|store|switch|test|treat|try|update|use|verify|wait|write)\b",
    re.IGNORECASE,
)
NEGATION = pattern(
    r"\b(?:not|never|no|none|nothing|neither|nor|without|cannot)\b|n't\b|\bdont\b", re.IGNORECASE
)
REASON = pattern(
    r"\b(?:because|since|so that|due to|therefore|to avoid|to prevent|in order to|otherwise"
    r"|which means|reason|caused?)\b",
    re.IGNORECASE,
)
LASTING = pattern(
    r"\b(?:always|never|from now on|every time|each time|whenever|by default|going forward|must"
    r"|anywhere|everywhere|all (?:new|our)|any|only|convention|rule|policy|standard)\b",
    re.IGNORECASE,
)
POINTS = pattern(
    r"(?:it|its|it's|this|that|that's|these|those|they|they're|he|she|both|same|there|here)\b",
    re.IGNORECASE,
)
WE = pattern(r"\b(?:we|we're|we've|we'll|our|us)\b", re.IGNORECASE)
SELF = pattern(r"\b(?:i|i'm|i've|i'd|my)\b", re.IGNORECASE)
YOU = pattern(r"\b(?:you|you're|your)\b", re.IGNORECASE)
PAST = pattern(
    r"\b(?:was|were|had|did|decided|chose|found|fixed|turned|learned|switched|moved|agreed|picked"
    r"|went|tried|broke|failed|solved|resolved|\w{3,20}ed)\b",
    re.IGNORECASE,
)
REPORT = pattern(
    r"(?:i've|i have|i|we've|all|both|done|added|updated|created|removed|fixed|implemented|verified"
    r"|tests?|build|everything|changes?|successfully|committed|pushed)\b",
    re.IGNORECASE,
)
# Words that often say what a sentence is. They are features like all others: the rest of the
# sentence can outweigh them.
CLUES = {
    "prefers": r"(?:i|we) (?:\w{1,20} )?prefer|i'd (?:rather|prefer)|i would (?:rather|prefer)"
    r"|(?:my|our) preference|i (?:\w{1,20} )?(?:like|hate) (?:it|to|when|how)|not a fan",
    "wants": r"(?:i|we) (?:\w{1,20} )?(?:want|need)\b|i'd like",
    "chooses": r"decid|chose|go(?:ing)? with|went with|let's (?:use|keep|stick|drop|go)|settled"
    r"|opted|switch(?:ed|ing)? to|stick with|agreed|in favou?r of|no longer|instead of",
    "finds out": r"turns? out|turned out|root cause|culprit|reali[sz]ed|learned|found (?:out|that)"
    r"|the (?:problem|issue|reason|cause|bug) (?:is|was)|it seems|apparently|til\b",
    "cures": r"fixed|fix(?:es)? (?:is|was)|the fix|solved|resolved|work(?:ed )?around|helped|cured",
    "is blocked": r"block(?:ed|s|ing|er)|waiting (?:for|on)|stuck|until|can't (?:proceed|continue)",
    "limits": r"must|limit|at most|only|not (?:supported|allowed)|requires?|can't|cannot|quota"
    r"|has to|have to",
    "postpones": r"for now|todo|hack|temporar|later|shortcut|tech(?:nical)? debt|not yet"
    r"|eventually",
    "standing order": r"(?:always|never) (?!been\b|had\b|was\b|got\b)\w|from now on|going forward"
    r"|whenever you|every time|each time you|don't ever|no more",
    # What is over soon, or was never meant: asides, times, reports of work, praise of a change.
    "moment": r"brb|afk|bbl|ttyl|lol|(?:one|a) (?:sec|moment|minute)\b|hang on|gimme|give me a"
    r"|back in|right back|where were we|signing off|gotta|lunch|coffee|sorry",
    "time": r"today|tonight|yesterday|tomorrow|right now|at the moment|these days|so far|still"
    r"|last (?:night|week|month|year)|this (?:morning|time|run|afternoon|week)|once more",
    "wonders": r"what's|whats|wonder(?:ing)?|curious|asks?|asking|wants? to know|no idea|dunno"
    r"|some day|one day|thinking",
    "under way": r"(?:i'm|we're|i am|we are|it's) (?:now |just |still |also )?[a-z]{2,20}ing\b"
    r"|running|about to|going to|next\b|will\b|i'll",
    "praises": r"correctly|safe(?:ly)?\b|clean\b|surgical|minimal|well[- ](?:scoped|tested)"
    r"|looks? good|no issues|nothing (?:else|blocks)|as expected|appropriate|consistent|solid|nice"
    r"|good\b|great",
    "merges": r"conflicts?|merg(?:e|ed|ing)|rebas\w{1,4}|cherry|branch|their version|upstream|pr\b",
    "suggests": r"consider|recommend|suggest|could|would be|might want|option|alternativ|ideally",
    "is done": r"done|finished|shipped|released|merged|deployed|migrated|complete|live|works",
}
CLUE = {name: pattern(rf"\b(?:{words})", re.IGNORECASE) for name, words in CLUES.items()}
# How findings are told: "Label: statement", "`x` returns y when z".
LABEL = pattern(r"[^:.!?]{1,60}(?:: | [—–-] )\S")
PRESENT = pattern(
    r"\b(?:is|isn't|are|aren't|has|have|does|doesn't|don't|can't|cannot|won't|means|returns?|uses?"
    r"|reads?|writes?|runs?|calls?|needs?|expects?|requires?|holds?|contains?|keeps?|ignores?"
    r"|fails?"
    r"|breaks?|drops?|skips?|sends?|stores?|takes?|gives?|gets?|makes?|sets?|shows?|handles?"
    r"|assumes?"
    r"|depends?|supports?|falls?|lives?|starts?|stops?|works?|happens?|comes?|goes|passes|matches"
    r"|resolves?|loads?|checks?|creates?|overwrites?|overrides?|defaults?|exists?|treats?|counts?"
    r"|points?|maps?|lets?|fires?|triggers?|blocks?|causes?|prevents?)\b",
    re.IGNORECASE,
)
OWN_ACTION = pattern(
    r"(?:[^:.!?]{1,60}(?:: | [—–-] ))?(?:(?:i|i've|i have|we've|also|just|now|then) )*"
    r"(?:fixed|made|rewrote|wrote|ran|split|kept|built|put|set up|sent|found|got|took|left"
    r"|[a-z]{2,16}[^e\W\d_]ed)\b",
    re.IGNORECASE,
)
NOW = pattern(r"\bnow\b|\bno longer\b", re.IGNORECASE)
CONDITION = pattern(
    r"(?<!^)\b(?:when|whenever|if|unless|until|before|after|while|even|once|where|regardless)\b",
    re.IGNORECASE,
)
CONTRAST = pattern(
    r"\b(?:but|only|however|although|though|instead of|rather than|unlike|whereas|already|even)\b"
    r"|\b(?:not|never)\b[^.]{1,60}\b(?:just|but)\b",
    re.IGNORECASE,
)
ARROW = pattern(r"→|->|=>")
EXPLAINS = pattern(
    r"\b(?:why|how (?:come|does|do|is|are|can|did|should|would|could)|what(?:'s| is| are| does| do"
    r"| happens| causes)|explain|difference|reason|investigate|figure out|look into)\b",
    re.IGNORECASE,
)
# What the sentences before announce: a list of changes, or what was found out.
RECAPS = pattern(
    r"\b(?:summary|summari[sz]e|what (?:i|was|has|changed|we|got)|(?:changes?|files?|updates?"
    r"|fixes|edits"
    r"|tests?) (?:made|changed|added|updated|applied|is|are|were)|i (?:made|changed|added"
    r"|updated|fixed)"
    r"|i've|complete[d.!]?|implemented|done|the (?:changes|fix|plan)|here's what|added|updated"
    r"|created"
    r"|deleted|removed)\b",
    re.IGNORECASE,
)
FINDINGS = pattern(
    r"\b(?:what's (?:happening|going)|root cause|the (?:issue|problem|bug|reason|cause|culprit)"
    r"|because"
    r"|i (?:found|see|understand)|confirmed|verified|findings?|facts?|worth|note|key|why|actually"
    r"|difference|full picture|turned (?:up|out))\b",
    re.IGNORECASE,
)
NOW_PLEASE = pattern(r"\bplease\b|\bpls\b|\bcan you\b|\bcould you\b", re.IGNORECASE)
# Output of a program that somebody pasted.
OUTPUT = pattern(
    r"(?:--?\w|===|---|\$ |\[|(?:fatal|error|failed|warning|fail|panic|ok|run|running"
    r"|output)\b[: /]"
    r"|\w{1,30}=\S)|\b(?:level|msg|path)=|\bexit (?:code|status)\b|\d\d:\d\d:\d\d",
    re.IGNORECASE,
)
TEST = pattern(r"\bTest[A-Z_]\w|\btest_\w|\w_test\b|\.(?:test|spec)\.")
FILE = pattern(
    r"(?:✅ ?)?`?[\w./-]{1,80}\.[a-z]{1,5}(?::[\d,-]{1,20})?`?(?: \([^()]{1,60}\))?(?::| [—–-]) "
)
ORDER_AFTER_LABEL = pattern(
    r"[^:.!?]{1,60}(?:: | [—–-] )(?:add|change|check|create|delete|do|drop|fix|keep|make|move"
    r"|remove"
    r"|rename|replace|skip|update|use|write)\b",
    re.IGNORECASE,
)
GREETING = pattern(
    r"(?:hello|hi|hey|good (?:morning|afternoon|evening)|morning|thanks|thank you|ok(?:ay)?|great"
    r"|perfect|cool|nice|yes|yep|sure)\b",
    re.IGNORECASE,
)
