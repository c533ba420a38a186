"""Finds what a session was for and what it achieved, in the participants' own words.

The last answer of a turn says what was done: "Done. Added a retry to the upload client." The next
session wants to know that. The changed files say less, and the first prompt is as often a question
or a chore as the subject of the session.
"""

from __future__ import annotations

import re

from recollect.capture.features import is_question
from recollect.capture.pasted import origin_of
from recollect.capture.sentences import sentences, without_code, words
from recollect.core.marks import MARKER
from recollect.core.note import shorten_line
from recollect.core.patterns import pattern

LONGEST = 200  # characters
_MOST_SENTENCES = 40
_FEWEST_WORDS = 4
_LONGEST_CORRECTION = 120
_MANY_WORDS = 12  # nobody describes a chore at such length

_DID_WORDS = (
    r"(?:added|adjusted|allowed|bumped|changed|cleaned|configured|converted|corrected"
    r"|created|deleted|disabled|documented|dropped|enabled|exposed|extended|extracted|filed|fixed"
    r"|implemented|improved|inlined|installed|introduced|logged|merged|migrated|moved|reduced"
    r"|refactored|registered|removed|renamed|replaced|reset|resolved|restored|reverted|reworked"
    r"|rewrote|simplified|split|switched|unified|updated|upgraded|wired|wrapped|wrote)"
    # What was done must follow, or it is unclear to what.
    r" (?!(?:it|this|that|them|these|those|to|into|by|with|from|as|in|on|for|and|or)\b)"
    r"(?=[\w`\"'/])"
)
_CHEERS = pattern(
    r"(?:(?:done|fixed|pushed|committed|perfect|great|excellent|good|clean|complete"
    r"|all (?:done|clean|green|set)|(?:bug ?fix|implementation) complete)\b[\s.!:—–✅-]+)+",
    re.IGNORECASE,
)
_DID = pattern(
    r"(?:i(?:'ve| have)? (?:also |now |just )?|(?:also |and |both )?)"
    + _DID_WORDS
    # "`cart.py` - Added ...": a file and its change
    + r"|(?:x{3,}|[\w./-]+\.\w{1,5})(?: \([^)]{1,30}\))? ?[:—–-]+ ?"
    + _DID_WORDS
    + r"|(?!now |if |when |once |but |or |so |and )[^,;]{3,80}?\b"
    r"(?:(?:is|are|has been|have been) now"
    r"|now (?:also |always |correctly |only |properly )?(?!is |was |has )[a-z]+s) \w",
    re.IGNORECASE,
)
_CUT = pattern(r"\b(?:and|or|to|by|for|with|that|the|a|of|in|on|as):$", re.IGNORECASE)
_NOT_DONE = pattern(
    r"^(?:also|it|its|that|this|these|those|they)\b"
    r"|\bnow (?:clean|complete|fixed|good|green|in place|live|open|ready|running|up|working)\b"
    r"|\b(?:would|could|should|might|will|if (?:you|we)|let me|let's|want me|i'll|need(?:s)? to"
    r"|todo|to-do|yesterday|last (?:week|month|year))\b",
    re.IGNORECASE,
)
_GREETING = (
    r"(?:good (?:morning|afternoon|evening|day)|(?:morning|evening)(?=[,.!])|hi|hello|hey|moin"
    r"|hallo|servus|guten (?:morgen|tag|abend)|bonjour|salut|hola|ciao)(?=[,.!]{0,3}(?:\s|\Z))"
    r"(?: (?:there|again|all|everyone|everybody|folks|team|mate|claude))?"
)
_NO_PROMPT = pattern(
    r"^\s*(?:/[\w:.-]+(?:\s|\Z)|<|\[Request interrupted|Caveat: |This session is being continued"
    r"|(?:(?:yes|yeah|yep|no|ok(?:ay)?|sure|great|perfect|nice|cool|thanks?|thank you|please|lets?"
    r"|let's|continue|resume|go|on|ahead|for it|do|it|that|this|then|proceed|sounds good|lgtm|hi"
    r"|hello|hey|y|n)\b[\s.!,]*)+\Z"
    rf"|{_GREETING}[\s.!,]*\Z)",
    re.IGNORECASE,
)
_COURTESY = pattern(
    rf"(?:{_GREETING}[,.! ]+|(?:ok(?:ay)?|so|now|alright|please|then|also|and)[,.! ]+"
    r"|(?:can|could|would|will) (?:you|we) (?:please |maybe |also |now )?"
    r"|i(?:'d| would) like (?:you )?to |i want (?:you )?to |let'?s (?:now |please )?)+",
    re.IGNORECASE,
)
# A prompt that asks for a lasting result begins with one of these.
_MAKES = words(
    "add adapt allow build change clean convert create delete design disable display document drop"
    " enable expand extend extract fix generate handle implement improve install integrate"
    " introduce let make migrate move optimise optimize port prevent refactor remove rename replace"
    " reset restructure rewrite save simplify split store support turn unify update upgrade use"
    " write"
)
_WORKS = words("analyse analyze debug diagnose plan research resolve solve sort troubleshoot")
_FOLLOWS = pattern(r"\w+ (?:the|this) (?:following )?(?:plan|spec|design)\b", re.IGNORECASE)
_PLAN = pattern(r"^(?:plan|task|goal|feature|title)\s*:\s*", re.IGNORECASE)
# Prompts that ask a question, or ask for something that leaves nothing behind.
_ASKS = words(
    "are can compare could describe did do does explain find give how is list print read show"
    " summarise summarize tell walk what when where which who why"
)
_ERRANDS = words(
    "analyse analyze ask check checkout clone commit compile continue go help investigate look"
    " merge open pull push rebase resume review run search see start stop switch sync test think"
    " trace verify wait"
)
_WORD = pattern(r"[^\W\d_][\w'-]{2,}")
_ANY_WORD = pattern(r"[\w'-]{3,}")
_NAMED = pattern(r"(?:^|\s)@\S+")  # a file to read
_EMPTY = words(
    "all and any everything findings for from hard issues more please really that the them these"
    " this those very with you"
)


# What somebody asks to keep is no task, and the summary names it among what was kept.
_WISH = pattern(
    r"[\s>*-]{0,9}(?:(?:please|also|and|hey|ok)[\s,]{1,3}){0,3}(?:remember\b|note (?:that|:)"
    r"|keep in mind|don't forget|do not forget|make a note|from now on)",
    re.IGNORECASE,
)


def outcome_of(answer: str) -> str:
    """Return the first thing that an answer says was done; empty if there is none."""
    for sentence in sentences(answer)[:_MOST_SENTENCES]:
        cheers = _CHEERS.match(sentence)
        said = sentence[cheers.end() :] if cheers else sentence
        if _tells_of_something_done(said) and not _CUT.search(said):
            return said[:1].upper() + (said[1:-1] + "." if said.endswith(":") else said[1:])
    return ""


def _tells_of_something_done(sentence: str) -> bool:
    text = without_code(sentence).replace("’", "'")
    return (
        len(sentence) <= LONGEST
        and not text.endswith("?")
        and len(_WORD.findall(sentence)) >= _FEWEST_WORDS
        and ("`" in sentence or len(_WORD.findall(sentence)) > _FEWEST_WORDS + 1)
        and _DID.match(text) is not None
        and not _NOT_DONE.search(text)
    )


def is_prompt(text: str) -> bool:
    """Return whether a prompt says what somebody wants: not a command, not just a yes."""
    return len(_ANY_WORD.findall(text[:2_000])) >= 2 and not _NO_PROMPT.match(text[:2_000])


def is_wish(text: str) -> bool:
    """Return whether a prompt begins with a wish to keep something."""
    return _WISH.match(text) is not None


def without_wishes(text: str) -> str:
    """Return a prompt without the sentences that ask to keep something."""
    from recollect.capture.requests import find_requests, is_covered

    wishes = find_requests(text)
    if not wishes:
        return text
    return " ".join(one for one in sentences(text) if not is_covered(one, wishes))


def correction_of(text: str) -> str:
    """Return a correction that makes sense by itself; empty if it does not."""
    from recollect.capture.leads import without_filler

    at = text.lower().find(MARKER)
    line = without_filler(" ".join(text[: len(text) if at < 0 else at].split()))
    line = line[:1].upper() + line[1:]
    is_whole = len(line) <= _LONGEST_CORRECTION and len(line.split()) >= _FEWEST_WORDS
    return shorten_line(line, _LONGEST_CORRECTION) if is_whole else ""


def goal_of(prompt: str) -> str:
    """Return what a prompt asks for, on one line; pasted text counts only if it is all there is."""
    said = prompt.splitlines()
    own = [line for line, other in zip(said, origin_of(said).foreign, strict=True) if not other]
    said = own if any(own) else said
    lines = [" ".join(line.lstrip("#>*- \t").split()) for line in said]
    lines = [line for line in lines if line]
    if not lines:
        return ""
    first = lines[0]
    if first.endswith(":") and len(lines) > 1 and not lines[1].startswith("```"):
        first = f"{first} {_PLAN.sub('', lines[1])}"
    polite = _COURTESY.match(first)
    return first[polite.end() :] or first if polite else first


def is_task(goal: str) -> bool:
    """Return whether a goal names a lasting result."""
    first = _WORD.match(goal)
    return first is not None and first[0].lower() in _MAKES and tells_what_to_do(goal)


def is_plan(goal: str) -> bool:
    """Return whether a goal announces everything that is to be done."""
    return _FOLLOWS.match(goal) is not None


def tells_what_to_do(goal: str) -> bool:
    """Return whether a goal is about work with a lasting result: not a question, not a chore."""
    found = _content(goal)
    first = found[0].lower() if found else ""
    asks = first in _ASKS or goal.rstrip().endswith("?") or is_question(goal)
    enough = len(found) >= (_MANY_WORDS if first in _ERRANDS else _FEWEST_WORDS - 1)
    works = any(word.lower() in _MAKES or word.lower() in _WORKS for word in found)
    return enough and works and not asks


def _content(text: str) -> list[str]:
    return [word for word in _WORD.findall(_NAMED.sub(" ", text)) if word.lower() not in _EMPTY]
