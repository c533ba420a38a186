"""The words before what a sentence says: fillers, and what announces a correction or a change."""

from __future__ import annotations

import re

from recollect.core.patterns import pattern

# Filler words at the start of a sentence. "No force push" does not start with one.
_FILLER = pattern(
    r"(?:(?:h+m+|m+h+|mm+|u+h+|u+m+|ok(?:ay)?|kk?|ah+|oh+|btw|hey|yeah|yep|yup|nope|no{2,}|nah|great|perfect"
    r"|thanks|lol|haha|sick|by the way|fyi|anyway|please|pls)[,.:!…—–-]*\s+"
    r"|(?:no|yes|right|well|actually|sure|so|fine|sorry|also|and|but|plus|wait|super|cool|nice|good"
    r"|wonderful|agreed|hang on|hold on|no wait|one more thing|for the record|in any case)"
    r"[,.:!…—–-]+\s+|(?:and|but|so|also) "
    # Who corrects says what is right after it: "no, that's wrong: …".
    r"|(?:no )?(?:(?:that|this|it)(?:'s|’s| is| was)|you(?:'re|’re| are)|you got (?:that|it|this))"
    r" (?:just |still |all |completely |totally |simply )?"
    r"(?:wrong|incorrect|mistaken|outdated|not (?:quite )?(?:right|true|correct|it))"
    r"[,.:;!…—–-]+\s+"
    r"|(?:wrong|incorrect|not (?:quite|true|exactly))[,.:;!…—–-]+\s+"
    # Who takes something back says what holds after it.
    r"|(?:scratch|strike) (?:that|it)[,.:;!…—–-]+\s+|on second thoughts?[,:—–-]*\s+"
    # What was chosen by its number follows in words.
    r"|(?:let's |we'll |i'd )?(?:go with|take|do|use|pick) the (?:first|second|third|last|other)"
    r" (?:one|option|way)[,:;—–-]+\s+(?=\w+ \w+ \w+ ))+",
    re.IGNORECASE,
)
# "Scratch that, …": what was kept just now does not hold; what holds may follow.
_SCRATCHES = pattern(
    r"\s{0,9}(?:(?:oh|ah|hm+|m+h+|no|ok(?:ay)?|sorry|wait|actually|well)[\s,.!…—–-]{1,4}){0,3}"
    r"(?:scratch|strike) (?:that|it)\b",
    re.IGNORECASE,
)
# The same, and nothing else; or with a reason: "no, forget that, it came yesterday".
_SCRATCHES_ONLY = pattern(
    r"\s{0,9}(?:(?:oh|ah|hm+|m+h+|no|nah|ok(?:ay)?|sorry|wait|actually|well|please|pls)"
    r"[\s,.!…—–-]{1,4}){0,3}"
    r"(?:scratch|strike) (?:that|it|the last (?:one|bit|thing))"
    r"(?:[\s,.!…—–-]{1,4}(?:please|pls|sorry|thanks|forget (?:that|it))){0,2}[\s.!…]{0,4}\Z"
    r"|\s{0,9}(?:(?:oh|ah|sorry|wait|actually)[\s,.!…—–-]{1,4}){0,2}(?:no|nah|nope)[\s,.!…—–-]{1,4}"
    r"forget (?:that|it) ?[,;:.!—–-]",
    re.IGNORECASE,
)
# What is left to do, and what others settled, is told, and not asked to be kept.
_TELLS = pattern(
    r"\s{0,9}(?:(?:so|ok(?:ay)?|and|also|btw|well)[\s,.:]{1,3}){0,2}"
    r"(?:(?P<left>(?:still (?:to do|open|missing)|to-?do|left to do"
    r"|open (?:points?|items?|ends?))\s{0,3}:)"
    r"|(?:we|the team|they)(?:'ve| have)? (?:decided|agreed|settled)\b)",
    re.IGNORECASE,
)
# A task in the middle of what seems to be a wish: "…, can you run it and have a look".
_NOW = pattern(
    r"\b(?:can|could|would|will) you (?:please )?"
    r"(?:run|look|check|fix|see|find|have a look|try|add)\b"
    r"|\bplease (?:run|look|check|fix|find|try|have a look|give me)\b|\b(?:write|give|show) me\b",
    re.IGNORECASE,
)

# Words that take something back, whatever it is.
TAKES_BACK = pattern(
    r"\b(?:scrap|scratch|strike|undo|nvm|nevermind|never mind|overkill|obsolete"
    r"|overturn(?:s|ed)?|overrul(?:e|es|ed)|revis(?:e|es|ed|ing)|reconsider(?:ed|ing)?"
    r"|discontinued?|supersed(?:e|es|ed)|retract(?:ed)?|revert(?:ed|ing)?|reversed?|rethink"
    r"|chang(?:e|ed|ing) (?:my|our|her|his|their|your) minds?"
    r"|changes? (?:of|in) (?:plans?|heart|mind|course)|plans? (?:have |has )?changed"
    r"|(?:tak(?:e|en|ing)|took|turn|turning|go|going|goes|went|come|coming|switch|switching|get"
    r"|roll|rolling)(?: \w{1,20}){0,5}? back|back to|correct (?:myself|that|this|it)"
    r"|(?:i|we) (?:was|were) wrong|(?:was|were|is) (?:a |the )?(?:mistake|wrong|bad idea|error)"
    r"|second thoughts?|after all|no longer|any ?more|allowed again|off the table"
    r"|(?:is|are|was) (?:dead|out|gone|off)|can (?:go|leave)|(?:falls?|goes?|going) away"
    r"|forget (?:what|about|the|that)|what (?:i|we) said|decision (?:on|about|is)"
    r"|giv(?:e|ing) up on|rip(?:ping)? out|gets? rid of|in place of|takes? over|sunset"
    r"|as of (?:today|now)|henceforth|from (?:here|now|today|this \w{3,10}) on|replac(?:es|ing)"
    r"|shut down|withdrawn|uninstalled|it is now|is our \w{2,20} now)\b",
    re.IGNORECASE,
)
# Words that often come with a change, and often do not.
MAY_CHANGE = pattern(
    r"\b(?:instead|rather|drop(?:ped|ping)?|ditch(?:ed)?|kill(?:ed)?|replaced?|chang(?:e|es|ed|ing)"
    r"|switch(?:ed|ing)?|mov(?:e|es|ed|ing)|swap(?:ped)?|port(?:ed)?|migrat(?:e|ed|ing)|rais(?:e|ed)"
    r"|lower(?:ed)?|bump(?:ed)?|upgrade|forget|actually|becomes?|from now on|again|now|nah"
    r"|in future|(?:bad|sad) news|not realistic|says? no|of no use|have to|had enough"
    r"|mistake|wrong|make it|new|decided|agreed|so no|no more|not proved|crap|broken|nonsense"
    r"|too \w{3,20}|goes? (?:up|down|to)|comes? down|is enough|it is)\b"
    r"|→|->|=>|\bthen[.,]|, not \w",
    re.IGNORECASE,
)
# "Let's go back to RabbitMQ", "revert to yarn then", "we stay with Postgres after all".
_BACK = pattern(
    r"\b(?:(?:go|going|went|switch|switching|move|moving|change|get|come|swap) back to"
    r"|(?:revert|return|reverting|returning) to"
    r"|back to(?= [^.!?;:\n]{1,80}\b(?:then|again|it is)\b)"
    r"|\A(?:so |ok |okay )?back to|(?:stay|stick|keep|go|staying|sticking) with"
    r"(?= [^.!?;:\n]{1,80}\bafter all\b)) (?P<choice>[^.!?;:,\n]{1,80})",
    re.IGNORECASE,
)
# "It's 2 retries, not 3", "Not once a night: every six hours".
_VALUE = pattern(
    r"(?:\Anot (?P<before>[^.!?;:,\n]{1,60})[:,;—–-]+ \S"
    r"|, not (?P<after>[^.!?;:,\n]{1,60}?)(?=[.!?;:,\n]|\Z| (?:because|since|as|so)\b))",
    re.IGNORECASE,
)
# Characters of a text in which somebody says that something changes.
_LOOKED_AT = 2000


def without_filler(text: str) -> str:
    """Return a text without filler words at its start."""
    filler = _FILLER.match(text)
    return text[filler.end() :] or text if filler else text


def scratches(prompt: str) -> bool:
    """Return whether a prompt begins by taking back what was said just before."""
    return _SCRATCHES.match(prompt) is not None


def only_scratches(prompt: str) -> bool:
    """Return whether a prompt takes back what was said just before, and puts nothing there."""
    return _SCRATCHES_ONLY.match(prompt[:200]) is not None


def tells(sentence: str) -> bool:
    """Return whether a sentence tells what was decided or is left to do: that is no wish."""
    return _TELLS.match(sentence) is not None


def tells_open(sentence: str) -> bool:
    """Return whether a sentence begins by saying that something is left to do."""
    found = _TELLS.match(sentence)
    return found is not None and found["left"] is not None


def asks_now(text: str) -> bool:
    """Return whether a text asks the agent to do something now, which is over when it is done."""
    return _NOW.search(text) is not None


def tells_change(prompt: str) -> bool:
    """Return whether a prompt has any word that comes with a change."""
    text = prompt[:_LOOKED_AT]
    return TAKES_BACK.search(text) is not None or MAY_CHANGE.search(text) is not None


def chosen_again(text: str) -> str:
    """Return the earlier choice that a text goes back to; empty if it does not."""
    found = _BACK.search(text[:_LOOKED_AT])
    return found["choice"] if found else ""


def corrected_in(text: str) -> str:
    """Return the value that a text corrects, as in "2 retries, not 3"; empty if it does not."""
    found = _VALUE.search(text[:_LOOKED_AT])
    return (found["before"] or found["after"] or "") if found else ""
