"""The words of wishes, and the words around them that make them none.

`requests.py` finds the wishes. Each pattern is for a text in lower case, in which code and
quotations are blanked.
"""

from __future__ import annotations

import re

from recollect.capture.sentences import words as as_words
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

PREFERENCES = "preferences"
# Who types "always …" and nothing else gives no task.
STANDING_ORDER = "standing order"


class Rule(NamedTuple):
    """The words of a wish, and the strings of which one must be in a text."""

    name: str
    needs: tuple[str, ...]
    pattern: re.Pattern[str]
    kind: str = ""


_WHEN = (
    r"(?:later|good|now on|here on|(?:(?:the|all|any|your) )?(?:future|next|later|further|other"
    r"|coming|upcoming)(?: (?:time|use|work|reference|sessions?|chats?|conversations?|changes"
    r"|downloads|runs?|prompts?|tasks?|releases?))?)\b"
)
LATER = rf"(?:(?:for|in|from|to) )?{_WHEN}|going forward|moving forward"
_FOR = (
    rf"{LATER}|for (?:me|us|you|yourself|everyone|everybody|(?:the|my|our) (?:whole |rest of the )?"
    r"(?:team|others|colleagues|group|company|record|project|memory|repo\w*)|your memory)\b"
)
_IT = r"(?:this(?: one)?|that|it|these|those|the following|all of (?:this|that))"
_ONE = r"(?:one(?: (?:more|last))?|two|three|some|a few|these|this|the following)(?: \w+)?"
_TAIL = rf"(?:,? (?:{_FOR}|please|pls|plz|too|also|as well|well|down|somewhere)){{0,4}}"
_TAILED = _TAIL.replace("{0,4}", "{1,4}")
_COLON = r"\s*:(?=\s|\Z)\s*"
# Where the content begins: after `that`, a colon or a dash.
_SO = rf"(?:,? that\s+(?=\S)|{_COLON}|\s+[-–—]{{1,2}}\s+)"
# Where a wish ends that points to what stands beside it.
_END = rf"{_TAIL}(?:,? (?:ok|okay|thanks|thx))?(?=\s*(?:[.!?)]|\Z))"
VERB = (
    r"(?:is|isn't|are|aren't|was|were|has|have|had|must|mustn't|can|can't|cannot|may|need|needs"
    r"|isnt|arent|cant|dont|wont|uses?|runs?|lives?|goes|go|expects?|does|doesn't|do|don't|should|shouldn't|will|won't|only"
    r"|never|always|takes?|stays?|starts?|wants?|belongs?|sits?|holds?|comes?|costs?|ends?|likes?"
    r"|expires?|returns?|depends?|requires?|ships?|deploys?|prefers?|allows?|keeps?|gets?|works?)"
)
# The verb of a statement. Endings tell most of them: "the key rotates", "tests talk to redis".
_AUXILIARY = (
    r"(?:is|isn't|are|aren't|was|were|has|have|had|must|mustn't|can|can't|cannot|may|needs?|does"
    r"|doesn't|do|don't|should|shouldn't|will|won't|would|only|never|always|goes|got|means?"
    r"|times out)\b"
)
_PLURALS = (
    r"(?:args?|bits|branches|bugs|buttons|cases|changes|columns|comments|commits|days|details|docs"
    r"|edges|endpoints|errors|fields|files|fixes|flags|headers|hooks|icons|ideas|imports|issues"
    r"|items|jobs|keys|labels|limits|lines|links|logs|methods|modules|names|notes|numbers|pages"
    r"|packages|params|parts|paths|places|points|ports|results|routes|rows|rules|scripts|steps"
    r"|strings|styles|tables|tags|tasks|tests|things|tickets|times|tools|types|units|updates|users"
    r"|values|variables|versions|warnings|weeks|words|years)"
)
_THIRD_PERSON = (
    r"(?<!the )(?<!our )(?<!your )(?<!my )(?<!its )(?<!all )(?<!any )(?<!some )(?<!these )"
    r"(?<!those )(?<!new )(?<!old )(?<! of )(?<! in )(?<! and )(?<! or )(?<! a )(?<!other )"
    rf"(?!{_PLURALS}\b)[a-z]{{3,}}(?<![suia])s\b(?<!ings)(?<!ions)(?<!ments)(?<!['-].s) (?=\S)"
)
_AFTER_PLURAL = (
    r"(?<=s )(?:accept|belong|break|call|cause|change|come|contain|cost|depend|deploy|end|expect"
    r"|expire|fail|follow|get|go|happen|hold|include|keep|live|look|make|map|match|need|point|prefer"
    r"|read|reject|require|return|run|see|send|share|ship|sit|sleep|start|stay|store|support|take"
    r"|talk|use|want|work|write)\b (?=\S)"
)
_PAST = r"[a-z]{3,}ed (?:all|down|from|into|its|off|out|over|support|the|to|up)\b"
# A statement without `that`: "the mac build has to be signed", "we ship on Fridays".
_STATED = (
    r"(?=(?:i|i'm|i've|i'd|we|we're|we've|there|no|never|always|only|don't|do not)\s"
    r"|(?:(?!(?:for|of|that|they|to|we|which|who|when|where|how|if|until|and|or|me|what|why)\b)"
    rf"[\w/.@'-]+,?\s){{1,6}}(?:{_AUXILIARY}|{_THIRD_PERSON}|{_AFTER_PLURAL}|{_PAST}))"
)
_KEPT = rf"(?: {_IT})?{_TAIL}{_SO}|{_TAIL},\s(?=\w)|{_TAIL} {_STATED}"
# "this: …", "one thing about the code: …"; or only "this", which points to what stands beside it.
_POINTS = rf" (?:{_IT}|{_ONE})\b[^:.?!;]{{0,60}}{_COLON}"
_ALONE = rf"(?P<alone> {_IT}{_END})"
_TO = r" (?P<to>(?:not )?to (?:please )?)(?=\w)"
_REMEMBER = (
    r"\b(?:(?:remember|rember|remeber|rememeber|memori[sz]e)(?:(?<=if you remember)ed)?(?![\w-])"
    r"(?: you(?= that\b))?)"
)
_THAT_ONE = (
    r"(?! that (?:bug|time|issue|thing|one|day|discussion|meeting|ticket|error|pr|conversation)"
    r"(?: (?:with|we|you|i|from|about|where|when|in|on|last|and)\b|[.,!?]|\Z))"
    r"(?! (?:when|how|what|why|where|who|the time|me)\b(?! you\b.{0,200}\b(?:must|have to|may)\b))"
)
_FORGET_NOT = (
    r"\b(?:do(?:n't|nt| not)|never)(?: you)?"
    r"(?: let (?:me|us|yourself))?(?: ever)? forget"
)
_STORE = r"\b(?:add|commit|keep|log|note|persist|put|record|retain|save|store|track|write)"
_STORED = (
    rf"(?: (?:{_IT}|{_ONE}|a note|the fact))?(?: down)? (?:to|in|into|as) (?:(?:an?|your|ur|my|our"
    r"|the|project|permanent|persistent|long-?term|new) ){0,3}(?:memory(?: bank)?|memories|notes?"
    r"|learnings?|preferences?|rules?|facts?|reminders?|decisions?|conventions?"
    r"|knowledge(?: base)?)\b(?!-)"
)
_HERE = rf"(?:{_FOR}|(?:for|in|of) (?:this|our|the|all) (?:repo\w*|projects?|code ?base))"

RULES: tuple[Rule, ...] = (
    Rule(
        "things to remember",
        ("rememb", " note", "noting", "mind", "worth"),
        pattern(
            r"\b(?:(?:an?|one|two|some|important|key) ){0,2}"
            r"(?:(?:some)?things?(?: else)?(?: that(?:'s| is| are))?|facts?|points?"
            r"|rules?|worth|so you|let it be) (?:(?:to|worth) )?"
            rf"(?:remember(?:ing|ed)?|not(?:e|ing)|keep(?:ing)? in mind|(?:hold|hang)ing on ?to"
            rf"|keeping|writing down|not forgetting)\b[^:.?!]{{0,60}}{_COLON}"
        ),
    ),
    Rule(
        "heading",
        ("rule", "order", "instruction", "know", "lesson", "thing", "important", "good", "useful"),
        pattern(
            rf"\b(?:rule (?:number |no\.? ?|#)?\d{{1,3}}\b[^:.?!]{{0,80}}{_COLON}(?=\S)"
            r"|(?:house|ground|standing|team) (?:rule|order|instruction)s?"
            rf"(?: {_HERE})?(?:(?:,|(?: from| by)\b)[^:.?!]{{0,60}})?{_COLON}"
            r"|(?:(?:an?|it's|it is|one|another|the|very|most|more|last|just|you|so that|let it"
            r"|be) ){0,3}(?:rules?|lessons?(?: learn(?:ed|t))?|things?|something|important|useful"
            r"|good|known?)"
            rf"(?: (?:to|thing|point|rule|know)){{0,2}}(?:,? {_HERE}){{1,2}}"
            rf"(?:{_COLON}|\s+[-–—]{{1,2}}\s+))"
        ),
    ),
    Rule(
        "worth remembering",
        ("worth", "one to", "memo:", "away:"),
        pattern(
            r"\b(?:(?:(?:that|this|it)(?:'s| is) |is )?(?:(?:maybe|well|also"
            r"|(?:another )?one|something|a fact(?: about me)?) )?"
            r"(?:worth (?:remembering|memori[sz]ing|keeping|storing|noting|saving|writing down"
            r"|(?:hang|hold)ing on ?to)|(?<=one )to (?:(?:hang|hold) on ?to|keep|remember|note))"
            rf"(?:{_TAIL}(?:, [^,:.?!]{{1,40}})?{_COLON}|(?P<alone>{_END}))"
            rf"|(?:memo|file(?: {_IT})? away){_TAIL}{_COLON})"
        ),
    ),
    Rule(
        "make it a habit",
        ("habit", "a rule"),
        pattern(
            r"\b(?:(?:make|treat|take|consider) it (?:as )?a (?:habit|rule)(?: of yours)?"
            r" (?:to|that)|(?:make|get into) (?:a|the) habit of)\s+(?=\S)"
        ),
        PREFERENCES,
    ),
    Rule(
        STANDING_ORDER,
        ("always ", "never ", "t ever "),
        pattern(
            r"\A(?:please,? )?(?=(?:always|never|do(?:n't|nt| not) ever) (?!(?:mind|again|ever|the"
            r"|an?|this|that|it|you|i|we|they|been|ha[ds]|have|seen|saw|heard|said|tried|used|gets?"
            r"|got|works?|fails?)\b)[a-z]{2,20} \S+ \S)"
        ),
        PREFERENCES,
    ),
    Rule(
        "can you always",
        ("always ", "never "),
        pattern(
            r"\A(?=(?:can|could|would|will) you (?:please |pls )?(?:always|never)"
            r" (?!(?:mind|assume)\b)[a-z]{2,20} \S+ \S)"
        ),
        PREFERENCES,
    ),
    Rule("remember to", ("rem",), pattern(rf"{_REMEMBER}(?:,? (?:{LATER}))?{_TO}"), PREFERENCES),
    Rule(
        "remember",
        ("rem", "memori"),
        pattern(rf"{_REMEMBER}{_THAT_ONE}(?:{_POINTS}|{_KEPT}|{_ALONE}| (?=when you\b))"),
    ),
    Rule("don't forget to", ("forget",), pattern(_FORGET_NOT + _TO), PREFERENCES),
    Rule(
        "don't forget",
        ("forget",),
        pattern(rf"{_FORGET_NOT}{_THAT_ONE}(?:{_POINTS}|{_KEPT}|{_ALONE})"),
    ),
    Rule(
        "keep in mind",
        (" in mind",),
        pattern(
            rf"\b(?:keep|kept|bear|have|had|keeping) (?:{_IT} )?in mind(?:, (?:for|when|in)\b"
            rf"[^,.;:?!]{{1,60}}, that\s|{_POINTS}|{_KEPT}|(?P<alone>{_END}))"
        ),
    ),
    Rule(
        "note to",
        ("note ", "note:", "notes ", "reminder"),
        pattern(
            r"\b(?:mental note(?=:| -)|(?:notes?|reminder) (?:to|for) (?:(?:the )?(?:self|myself"
            r"|yourself|claude|later"
            r"|(?:next|future)\b[^:.?!,]{0,30}))(?:,? and (?:to |for )?(?:you|u|me|yourself|myself"
            r"|the team)(?:,? i (?:guess|suppose|think))?)?)(?:\s*:\s+| [-–—]{1,2} )"
        ),
    ),
    Rule(
        "make a note",
        (" note", "record", "track"),
        pattern(
            r"\b(?:(?:mak(?:e|ing)|tak(?:e|ing)|keep)(?: an?)?(?: \w+)? (?:note|record"
            rf"(?= of {_IT}))(?: of {_IT})?|keep track of {_IT}"
            rf"|(?:add|leave|write) an?(?: \w+)? note(?= for | please)|put (?:{_IT} )?on record)"
            rf"(?:{_TAIL}(?:{_SO}|,\s)|(?P<alone>{_END}))"
        ),
    ),
    Rule(
        "note",
        ("note", "noting", " down", "learn", "retain", "for ", "please", "pls"),
        pattern(
            rf"\b(?:(?:please|pls|plz|kindly),? note(?:,? (?:{LATER}))?(?:{_SO}|,\s|,? {_STATED})"
            rf"|not(?:e|ing)(?:,? (?:{LATER}))?,? that\s+(?=\S)"
            rf"|(?:not(?:e|ing)|learn|retain) (?:{_IT}|down|(?:{_IT} )?(?:{LATER}))"
            rf"\b[^:.?!]{{0,40}}{_COLON}|note {LATER},\s*"
            rf"|(?:write|jot|note) (?:{_IT} )?down(?:{_TAIL}{_SO}| so\b[^:.?!]{{0,60}}{_COLON}"
            rf"|(?P<alone>{_END})))"
            rf"|{_STORE} (?:{_IT}{_TAILED}{_COLON}|(?:{_IT} )?for {_WHEN}(?:{_TAIL}{_SO}"
            rf"|(?P<kept>{_END})))"
        ),
    ),
    Rule(
        "save to memory",
        (
            *("memor", " note", "learning", " rule", "fact", "remind", "decision", "preference"),
            *("convention", "knowledge"),
        ),
        pattern(
            rf"(?:{_STORE}{_STORED}|\bupdate (?:your|ur|the|my|our) memory)(?:[^:.?!]{{0,40}}"
            rf"{_COLON}|\s+[-–—]{{1,2}}\s+"
            r"|(?:(?<=to memory)|(?<=r memory)|(?<=notes)|(?<=knowledge)|note),? that\s+(?=\S)"
            rf"|(?P<alone>{_END}))"
        ),
    ),
    Rule(
        "for later sessions",
        ("for ",),
        pattern(
            r"\b(?:(?:this|that|here's|here is) )?(?:one )?for (?:(?:all |any |the |your )?"
            r"(?:future|later|next|coming|upcoming) (?:sessions?|chats?|conversations?|runs|work"
            r"|tasks)"
            r"|next time|(?:future|later) reference|the record"
            r"|(?:your|the|ur) memory|(?:the )?future)\b(?: and for your memory)?"
            r"(?:,? please)?(?:\s*[,:]\s+|\s+[-–—]{1,2}\s+| (?=i\b|we\b|my\b|our\b|the\b|use\b"
            r"|always\b|never\b|please\b))(?!(?:see|read|refer|check|here)\b)"
        ),
    ),
    Rule(
        "from now on",
        (
            *("now on", "here on", "point on", "today", "forward", "henceforth", "n future"),
            *("the future", "from now", "this day"),
        ),
        pattern(
            r"\b(?:(?:from|as of) (?:now|here|this (?:point|moment|day)|today) on(?:wards?)?"
            r"|as of now|from this day(?: forward)?(?=\s*[,:])"
            r"|(?:always )?from (?:now|today)(?=\s*[,:]"
            r"| (?:always|never|we|you|all|every|use|please|do|don't)\b)"
            r"|(?:going|moving) forward(?! (?:in|to|through|by|and|button|from|with)\b)"
            r"|henceforth|in (?:the )?future(?=,| please| always| never| use\b"
            r"| do\b| don't))\b(?P<alone>(?:,? (?:please|ok|okay))?(?=\s*(?:[.!?)]|\Z)))?"
            r"(?:\s*[,:]\s*|\s+[-–—]{1,2}\s+|\s+)?(?:please,? )?"
        ),
        PREFERENCES,
    ),
)
_AGENT = r"(?:claude|codex|copilot|cursor|gemini|agent|assistant)"
# Words between the start of a clause and the wish itself.
_LEAD = (
    r"(?:please(?: to)?|pls|plz|kindly|ok|okay|k|hey|hi|hello|btw|fyi|also|and|but|so|oh|yes|yeah"
    r"|no|great|super|wonderful|alright|fine|right|agreed"
    r"|good|nice|thanks|thank you|perfect|cool|just|do|always|now|then|next|again|first|finally"
    r"|lastly"
    r"|actually|anyway|well|plus|ps|p\.s\.|by the way|one (?:more|last) thing|(?:very )?important"
    rf"|{_AGENT}|let'?s|(?:may|might|can|could) i ask you to|(?:can|could|would|will) (?:you|we)"
    r"|(?:you|we) (?:should|must|need to|have to)"
    r"|i(?:'d| would)? (?:want|need|like|love) (?:you to|that you)|make sure (?:you|to"
    r"|that you)|(?:you )?be so (?:kind|nice|good)(?: as)?(?: to| and)?|(?:you(?:'d| would) )?"
    r"do me a (?:\w{1,12} )?favou?r(?: and| if you)?"
    r"|i(?:'d| would) (?:appreciate|like|love) (?:it )?if you(?: could)?|if you (?:would|could|can)"
    r"|it would be (?:nice|great|good) if you(?: could)?"
    r"|be sure (?:to|you)|a? ?reminder|heads up|going forward|from now on|most importantly|/"
    r"|(?:for|in) (?:the )?(?:future|later|next|other) sessions)"
)
LED = pattern(
    r"(?:\A|[,;:(!?.—–…]\s{0,9}|\s[-–—]{1,2}\s"
    r"|\b(?:and|but|then|also|so|please|pls|plz|btw|you mind|und|aber|bitte|et|mais|y|pero|e|en)\s)"
    rf"(?:{_LEAD}(?:[,:!.]{{0,3}}(?: -)? |(?<=/)|[,:])){{0,6}}\Z"
)
LED_WINDOW = 90
POLITE = pattern(r"\b(?:can|could|would|will) (?:you|we)\b|\byou mind\b|\bi ask you to\b")
ASKS = pattern(r"(?:(?:can|could|would|will) you (?:please |kindly )?|please,? )")
POLITE_END = pattern(
    r"(?<! is)(?<! are)(?<! be)(?<!'s)(?<!'re),? "
    r"(?:ok|okay|right|alright|please|pls|yeah|yes|got it|understood|thanks|thank you|thx)"
    r"[\s.!?]*\Z"
)
ASIDE = pattern(r" (?:pls|plz|please|btw)(?=[,.;](?:\s|\Z)|\Z)", re.IGNORECASE)
# Who says it is somebody else, or a text: the wish is not the writer's.
REPORTED = pattern(
    r"(?<!\bi )(?<!\bi've )\b(?:said|says|say|saying|told|tells|asked|asks|wrote|writes|reads"
    r"|states|warns|reminded|mentioned|prints?|shows?|labell?ed|called|titled|named|quote"
    r"|message|title|subject|label|tooltip|placeholder|caption|toast|banner|docstring|comment"
    r"|heading|prompt|text|hint|copy|string|commit)\b[^,;.!?]{0,30}[:,]?\s*\Z"
)
SAID_BY = pattern(r", (?:he|she|they|it|the [\w -]{1,30}) (?:says?|said|writes|wrote)[.!]?\Z")
OTHERS = pattern(
    r"\b(?:users?|students?|customers?|clients?|readers?|players?|developers?|people|everyone"
    r"|somebody|someone|he|she|they)\b"
)
# "write a function that loads it and …": what follows is the specification of a program.
PROGRAM = pattern(
    r"\b(?:function|method|class|script|component|hook|handler|button|checkbox|feature|option|flag"
    r"|app|page|form|test|cache|middleware|service|parser|agent|bot|command|server|client|code"
    r"|browser|system|tool|plugin|dialog|editor|ui|api)s?"
    r" (?:to|that|which|should|must|will|can|needs?|has|would)\b"
)
CONDITION = pattern(r"(?:if|when|whenever|while|once|after|in case|although|unless)\b")
SUBJECT = pattern(
    r"\W{0,3}(?:the|it|this|that|they|he|she|there|these|those|an?|users?|our|my|its|if|when|while"
    r"|because|since|i|we|you)\b"
)
HEDGED = pattern(
    r"\b(?:i think|i guess|maybe|perhaps|probably|might|we could|should we|decided that)\b"
)
SARCASM = pattern(r"\b(?:oh sure|yeah right)\b")
# What happens from now on, which is not asked for.
STATES = pattern(
    r"\W{0,3}(?:the|it|this|that|they|he|she|there|these|those|if|when|what|i'll|i've|i have"
    r"|i will)\b"
)
CLAUSE = pattern(r"[,;:.!?()—–]")
NO_TALK = pattern(
    r"\W*(?:tip|hint|warning|caution|example|faq|todo|fixme|error|fatal|usage"
    r"|note to self: remember)"
    r"\b[ :]|(?:feat|fix|chore|docs|refactor|test|perf|build|style|revert"
    r"|ci)(?:\([^)\n]{0,40}\))?!?: "
    r"|//|/\*|\*/|<[a-z]|\{\"|--\s"
)
STANDING = pattern(
    r"\b(?:always|never|every|each|whenever|when|before|after|only|unless|if|next time|future|our"
    r"|from now on|forward|in (?:this|the) (?:repo\w*|project|code ?base)|not|we)\b"
)
# What an order for the task at hand points to.
AT_HAND = pattern(r"\b(?:this|these|that|those|here|now|today|tonight|above|below)\b")
# What the agent shall do now ends the content.
TASK = pattern(
    r"(?:(?:and|then|ok|okay|so|also|but|now|please|anyway|next|great|thanks|thank you)[,.!]? )*"
    r"(?:(?:now|then|please|next|thanks|thank you|continue|proceed|go (?:on|ahead)|let's|lets"
    r"|(?:can|could|would|will|do|did|does|is|are|should) (?:you|we|i|it"
    r"|the|there)|i (?:want|need|would like) (?:you )?to|for now|today|meanwhile|back to"
    r"|(?:fix|add|implement|write|create|update|refactor|run|show|tell|explain|look|check|find|give"
    r"|start|help|remove|delete|rename|move|commit|push|review|debug|investigate|generate|build"
    r"|deploy|test|make|finish|open|read|try|change|replace|install|merge|rebase)\b(?! is\b))\b)"
)
# What ends a talk is no part of what to keep.
CLOSING = pattern(
    r"\W{0,3}(?:(?:ok|okay|so|and|right|well|anyway)[,.]? )?(?:that(?:'s| is|s) (?:it|all|enough)\b"
    r"|thanks|thank you|cheers|bye|see (?:you|ya)|cya|good (?:night|evening)|have a (?:nice|good)"
    r"|i(?:'m|m| am) (?:off|done|out)\b|gotta go|talk (?:later|tomorrow))"
)
CUT = pattern(
    r"(?:[,;] (?:and |then |but |so )?| (?:and|then) )(?:now|please|can you|could you|let's|then"
    r"|next|after that|go ahead)\b"
)
FOLLOWS = pattern(
    r"(?:it|they|otherwise|because|that's why|that is why|this is because|the reason|e\.g\.|only"
    r"|never|always|so|but|and|also|which|even|except"
    r"|(?:[^\s,.;:]{1,20} ){1,6}there(?=[,.;]|\Z))\b"
)
# What leads to a statement and is no part of it.
PREAMBLE = pattern(
    r"(?:(?:before (?:we|i|you) (?:stop|finish|start|begin|go on|continue|go|wrap up|leave)|btw"
    r"|by the way|fyi|one (?:more|last|other) thing|another thing|while (?:i'm|we're|you're) at it"
    r"|also|oh|ah|and|ps|p\.s\.|great|good|nice|cool|perfect|thanks|thank you|ok|okay|right|alright"
    r"|well|so|anyway|anyhow|for the record|in other news|yes|yep|yeah|actually)[,:;.!—–-]{1,2}\s+"
    r"|(?:and|also|oh) )+",
    re.IGNORECASE,
)
EMPTY = as_words(
    "this that it these those one all everything above below ok okay please thanks thank you for"
    " the later next time now good well again to me too as exactly like yes yep right in future"
    " session sessions always of and so forever on just do though tho"
)
QUOTED = pattern(r"\"[^\"\n]{0,600}\"|“[^”\n]{0,600}”|«[^»\n]{0,600}»|(?<!\w)'[^'\n]{1,300}'(?!\w)")
WORD = pattern(r"[^\W_]+")
