"""Finds what a person asks not to keep: "between us", "off the record", "don't write this down".

What is meant is the paragraph in which they say so. If it says nothing else, it is the whole
prompt, and if that says nothing else, what was said before it. Words that limit something to this
moment ("just for now") mean their own sentence, or the one beside it if that is all they say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.capture.novelty import outline
from recollect.capture.request_words import QUOTED
from recollect.capture.sentences import split_line, without_code
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

_MOST_TEXT = 20_000
_FEWEST = 2  # words of a paragraph that says something besides the request
# The share of its words from which a sentence repeats what is not to be kept.
_REPEATS = 0.6

_IT = (
    r"(?:this|that|any of (?:this|that|it)|what i(?:'m| am|'ll| will)? (?:just )?(?:say(?:ing)?"
    r"|said|tell(?:ing)? you|told you)(?: next| now)?|the following)"
)
_NOT = (
    r"(?:(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\byou )(?<!\bwho )\b(?:do(?:n't|nt| not)|never)"
    r"|\bno need to"
    r"|(?<!\bi )(?<!\bwe )\b(?:you )?(?:needn't|need not|do(?:n't|nt| not) (?:need|have) to)"
    r"|\b(?:would|i'd) (?:rather |prefer (?:that )?)you (?:did(?:n't| not)|not))"
    r"(?: please| ever| you| even)?"
)
_NOTES = r"(?:your|ur|any|the|my|our) (?:memor(?:y|ies)|notes?|records?|summar(?:y|ies))"
_DOWN = rf"(?:down|anywhere|(?:in(?:to)?|to) {_NOTES}|in memory|on record)"
_OCCASION = (
    r"(?:demo|screenshots?|meeting|presentation|workshop|interview|photo|walkthrough|dry run)"
)
_ONCE = r"(?:build|branch|call|commit|e?mail|pr|recording|release|run|test|ticket|video|visit)"
# Nothing that would make it a matter of the program may follow: "don't store this in the session".
_NO_MORE = (
    r"(?=\s*(?:[.,;:!?)—–]|-|\Z)|,? (?:please|pls|anywhere|down|though|but|and|because|since|it's"
    r"|it is|or|ok|lol|haha|in (?:your|ur) (?:memory|notes)|for (?:later|next time|the future))\b)"
)
_ASKS = pattern(
    rf"{_NOT} (?:write|note|jot|put|take|add|log) (?:{_IT}|it) {_DOWN}\b"
    rf"|{_NOT} (?:write|note|jot) (?:up|down)(?=\s*(?:[.,;:!?)—–]|\Z)|,? (?:please|pls)\b)"
    r"|\bnot to (?:put|write|note|record|log|repeat|store|keep|mention)(?: (?:this|that|it))?"
    r" (?:down|anywhere|on (?:record|file)|to any(?:one|body))\b"
    rf"|{_NOT} make (?:an?|any) (?:\w{{1,12}} )?notes? of (?:{_IT}|it)\b"
    rf"|\b(?:keep|leave) (?:{_IT}|it) out of {_NOTES}\b"
    rf"|\bstrike (?:{_IT}|it) from {_NOTES}\b"
    r"|\bforget (?:that )?i (?:ever |just )?(?:said|mentioned|told you|brought up)\b"
    r"|\byou did(?:n't| not) (?:hear|get) (?:this|that|it) from me\b"
    r"|\byou (?:never heard|did(?:n't| not) hear|have(?:n't| not) heard) (?:this|that|it|anything)"
    rf"\b{_NO_MORE}"
    r"|\bpretend (?:that )?i (?:never|did(?:n't| not)|have(?:n't| not)) (?:say|said|mention(?:ed)?"
    r"|told|tell)\b"
    r"|\bforget (?:this|that|it) (?:right away|immediately|at once|straight away)\b"
    r"|\bnot a word to any(?:one|body)\b|\btreat (?:this |that |it )?as confidential\b"
    r"|\bno notes(?=\s*(?:[.,;:!)]|\Z)| please\b)"
    r"|\b(?:do(?:n't|nt| not) want|would(?:n't| not) want|prefer|rather have) (?:this|that|it)"
    r" (?:not )?(?:to )?(?:be )?(?:remembered|written down|noted|on record|in writing)\b"
    r"|\b(?:prefer|ask that) (?:this|that|it) not (?:to )?be (?:stored|kept|saved|recorded)\b"
    r"|\b(?:skip|leave out) (?:this|that|it) (?:for|from|in) (?:your|ur) (?:memory|notes)\b"
    r"|\bhush[ -]hush\b|\bmum's the word\b|\bnowhere in writing\b|\bfor your (?:ears|eyes) only\b"
    r"|\bno traces? of (?:this|that|it)\b"
    r"|\bnothing (?:of|about|from) (?:this|that|it|the following) (?:in|into|goes into) (?:any|your"
    r"|ur) (?:memor(?:y|ies)|notes?|records?|files?|logs?)\b"
    rf"|\b(?:delete|wipe|erase|scrub|drop) (?:{_IT}|it) from (?:your|ur) (?:memory|notes|mind"
    r"|head)\b"
    r"|\b(?:this|that|it|which) (?:is(?:n't| not)|mustn't|must not|should(?:n't| not)|needn't"
    r"|need not) (?:to )?be (?:remembered|memori[sz]ed|written down|put in writing|noted|on record)"
    rf"\b{_NO_MORE}"
    r"|\b(?:this|that|it|which) (?:does(?:n't| not)|mustn't|must not|should(?:n't| not)|can't"
    rf"|cannot|won't|may not) (?:go|end up|land|appear|show up) (?:in|into) {_NOTES}\b"
    r"|\b(?:this|that|it|which|what i \w{1,12}(?: \w{1,12}){0,2}) stays? in (?:this|the|our)"
    r" (?:room|chat|session|conversation|window)\b"
    r"|\b(?:this|that|it|which)(?: \w{1,12})? (?:does(?:n't| not)|mustn't|must not|should(?:n't"
    r"| not)|can't|cannot|won't|may not) (?:leave|get out of|go (?:beyond|outside))"
    r" (?:this|the|our) (?:room|chat|session|conversation|team|house|office)\b"
    r"|\b(?:told|tell(?:ing)?|said|say(?:ing)?)(?: (?:you|me|us))?(?: (?:this|that|it|something))?"
    r" in (?:strict )?confidence\b"
    r"|\bnot worth (?:remembering|noting|writing down|saving|keeping in mind)\b"
    r"|\b(?:nothing|not (?:something|anything)) (?:(?:that )?you (?:need|have) to|to)"
    r" (?:remember|note|write down|memori[sz]e)\b"
    rf"|{_NOT} (?:remember|memori[sz]e|note) (?:{_IT}|it|the \w{{1,30}}){_NO_MORE}"
    rf"|{_NOT} (?:record|save|store|keep|repeat|share|mention|capture|persist) {_IT}{_NO_MORE}"
    rf"|{_NOT} (?:record|save|store|keep|repeat|capture) it (?:anywhere|in (?:your|ur) memory)\b"
    rf"|{_NOT} (?:save|store|keep|quote|record|repeat|share|mention) (?:it|me)"
    r"(?=\s*(?:[.:!)]|\Z)| on (?:this|that|it)\b)"
    rf"|\b(?:keep|leave) [\w' -]{{1,40}} out of (?:everything|(?:your|ur) (?:own )?notes"
    r"|(?:whatever|anything|everything|all) you (?:write|note|save|keep|store|remember))\b"
    rf"|{_NOT} (?:tell|mention (?:{_IT}|it) to) (?:any(?:one|body)|a soul)\b"
    r"|\boff[ -]the[ -](?:record|tape|books)\b"
    r"|(?:\A|[.,;:!?(—–]\s*|\b(?:btw|so|and|but|just|strictly|stays?|remains?|stay|only|this|that"
    r"|that's|thats|it's|its|it|is|well|ok|oh|purely)\s)between (?:us|you and (?:me|i)|ourselves)\b"
    r"(?! and (?!no\b|not\b|nothing\b|don't\b|please\b))"
    r"|\b(?:this|that|it)(?: one)?(?: (?:stays|remains|must stay|should stay|has to stay"
    r"|needs to stay)|(?:'s| is) (?:strictly|absolutely|highly)) (?:private|confidential|secret)\b"
    rf"|(?:\A|[.!?]\s)\W{{0,3}}(?:strictly )?confidential(?:ly)?[:,]"
    r"|\b(?:this|that|it)(?:'s|s| is) (?:(?:still )?(?:an? )?(?:confidential|secret|personal)\b"
    rf"{_NO_MORE}|(?:just |only )?for your (?:ears|eyes)\b)"
    r"|\bkeep (?:this|that|it|all of this)(?: one| bit)? (?:to yourself|under wraps|under your hat"
    r"|quiet)\b"
    rf"|\bkeep (?:this|that) (?:private|secret|confidential)\b{_NO_MORE}"
    r"|\b(?:not|nothing) for (?:the|your|ur|any|our|my) (?:record|memory|notes?|files?|minutes"
    r"|archives?|log"
    rf"|books)\b(?:{_NO_MORE}|(?= just\b))"
    r"|\b(?:not|nothing) to be (?:remembered|written down|kept|recorded)\b"
)
# An order for this day: "don't touch the printer today", "today please no flashing". From today on,
# and not only today, is for longer.
_ORDER = (
    r"(?:do(?:n't|nt| not)|no|not|nobody|nothing|leave|skip|use|make|put|start|stop|hold|avoid|run"
    r"|set|pretend|ignore|wait|show|call|flash|deploy|merge|push|touch|stay|hands off|let's not)"
)
_THIS_DAY = r"(?:today|tonight|this (?:morning|afternoon|evening)|the rest of the day)"
_LASTING = r"(?:from|as of|since|starting|not (?:only|just)|beyond|until|ever|never|always|every)"
_FOR_THIS_DAY = (
    r"(?:\A|[.!?…]\s)\W{0,4}(?:(?:and|but|so|oh|ah|also|then|btw|by the way|please|pls|ok)\W{1,3})"
    r"{0,2}"
    rf"(?:(?!not (?:only|just)\b){_ORDER}\b(?:(?!\b{_LASTING}\b)[^.!?;]){{0,90}}?"
    rf"\b{_THIS_DAY}\b(?!'s|,? not\b| (?:or|and)\b)"
    rf"|(?:for )?{_THIS_DAY}\W{{1,3}}(?:please |pls )?{_ORDER}\b)"
    r"|(?:\A|[.!?,;…]\s)\W{0,4}(?:so |and |but )?(?:until|till) (?:tonight|tomorrow|noon|lunch"
    r"|this evening)\W{1,3}"
    rf"(?:please |pls )?{_ORDER}\b"
)
_PASSING = pattern(
    r"(?<!\bnot )(?<!n't )\b(?:just|only|purely) (?:for|this) (?:now|today|once"
    r"|this (?:once|time|hour|morning|afternoon|evening)"
    r"|the moment|this session|one time|the run of today|today's \w{1,20}"
    rf"|(?:this|the|our|my|a|tonight's|tomorrow's) (?:one |\w{{1,20}} )?{_OCCASION}"
    rf"|this (?:one )?{_ONCE})\b"
    r"|(?<!\bnot )\b(?:just|only) (?:today|tonight|tomorrow|this (?:morning|afternoon|evening))\b"
    r"|(?<!\bnot for )\b(?:today|tonight|this (?:time|once|afternoon|evening|morning)) only\b"
    r"(?! one\b)"
    rf"|\b(?:for|in|on) this (?:one )?{_ONCE} only\b|\bbut only (?:there|here)(?=\s*(?:[.,;!)]|\Z))"
    r"|\b(?:just|only) until (?:lunch|noon|tonight|tomorrow|i'?m back"
    r"|(?:[^\s.,;]{1,20} ){0,4}?(?:this (?:afternoon|evening|morning)|tonight|tomorrow))\b"
    rf"|\bfor (?:the|this|today's) (?:\w{{1,20}} )?{_OCCASION} only\b"
    r"|\bthis one time\b|\bjust to use in this session\b|\bnot for real\b"
    r"|\bas a one[- ]?off\b|\bthinking (?:aloud|out loud)\b"
    r"|\b(?:just|only) (?:venting|musing|daydreaming|kidding|joking|saying)\b"
    r"|(?:\A|[.!?…]\s)\W{0,6}(?:(?:kidding|joking|jk|j/k)\b(?! aside)|joke(?=[.!,)]|\Z))"
    rf"|\bignore (?:me|this|that|it)\b(?:(?= (?:if|i'?m)\b)|(?=\s*(?:[.;!)]|\Z)))"
    r"|\b(?:forget|ignore|drop) (?:this|that|it)(?: again)? (?:afterwards?|after(?: this)?|later"
    r"|when you're done)\b"
)
# An order for this day says what to do, so it never speaks of the sentence before it.
_FOR_NOW = pattern(_FOR_THIS_DAY)


# "That's only for the demo", "only for today, …" and "kidding, please don't" speak of the sentence
# before them.
_POINTS_BACK = pattern(
    r"\W{0,6}(?:no\W{1,3})?(?:(?:(?:that|this|it)(?:'s| is|s)? (?:just|only)|ignore"
    r"|(?:i'm |i am )?(?:just |only )?(?:kidding|joking)|jk|j/k|joke)\b"
    r"|(?:just|only)(?: [^\s,.;!]{1,20}){1,5}, (?:tomorrow|then|after\w{0,5}|later|that is"
    r"|of course"
    r"|please|ok)\b)"
)


# From here on, a paragraph asks to keep something after all.
_BUT_KEEP = pattern(
    r"\W{0,4}(?:but|however|though|yet)\W{1,3}(?:(?:please|pls|do|you (?:can|may|should|must)"
    r"|this (?:one|much)|what you (?:can|may|should)|the (?:next|other) (?:one|bit|thing))"
    r"\W{1,3}){0,3}(?:save|keep|remember|store|note|memori[sz]e|write down|hold on to)\b"
)


class Parted(NamedTuple):
    """A prompt without what must not be kept, that, and the words that say so."""

    kept: str
    unkept: str = ""
    why: str = ""


def part(text: str) -> Parted:
    """Separate what a prompt asks not to keep, by the rules, from the rest."""
    if not _is_asked(text[:_MOST_TEXT]):
        return Parted(text)
    kept: list[str] = []
    unkept: list[str] = []
    for paragraph in _divided(paragraphs(text)):
        masked = _masked(paragraph)
        asks = _ASKS.search(masked[:_MOST_TEXT])
        if asks is None:
            rest, passing = _without_passing(paragraph)
            kept.append(rest)
            unkept += passing
            continue
        unkept.append(paragraph)
        if len(words_of(_ASKS.sub(" ", masked))) < _FEWEST:
            return Parted("", text)
    return Parted("\n\n".join(filter(None, kept)), "\n".join(filter(None, unkept)))


def is_unkept(sentence: str) -> bool:
    """Return whether a sentence asks not to keep something."""
    masked = _masked(sentence)
    return bool(_ASKS.search(masked) or _is_passing(masked))


def _is_passing(masked: str) -> bool:
    """Return whether a text limits something to this moment or this day."""
    return bool(_PASSING.search(masked) or _FOR_NOW.search(masked))


def asks_not_to_keep(sentence: str) -> bool:
    """Return whether a sentence asks that its paragraph is not kept, not only for this moment."""
    return bool(_ASKS.search(_masked(sentence)))


def keeps_again(sentence: str) -> bool:
    """Return whether a sentence asks to keep something after all: "but do save this: …"."""
    masked = _masked(sentence)
    return _BUT_KEEP.match(masked) is not None and not _ASKS.search(masked)


def takes_back(sentence: str) -> bool:
    """Return whether a sentence says that the one before it was a joke, or for the moment only."""
    masked = _masked(sentence)
    if not _PASSING.search(masked):
        return False
    return _POINTS_BACK.match(masked) is not None or _says_little(masked)


def _says_little(masked: str) -> bool:
    return len(words_of(_PASSING.sub(" ", masked))) < _FEWEST


def only_asks(text: str) -> bool:
    """Return whether a text asks not to keep something, and says nothing else."""
    masked = _masked(text[:_MOST_TEXT])
    return bool(_ASKS.search(masked)) and not words_of(_ASKS.sub(" ", masked))


def words_of(text: str) -> frozenset[str]:
    """Return the words that say something, without their endings."""
    return frozenset(map(str, outline(text).words)) - _REQUEST


def repeats(words: Iterable[int], unkept: Iterable[frozenset[int]]) -> bool:
    """Return whether the (hashed) words of a sentence repeat a text that must not be kept."""
    own = frozenset(words)
    return any(len(own & known) >= max(_FEWEST, _REPEATS * len(own)) for known in unkept if own)


def _is_asked(text: str) -> bool:
    masked = _masked(text)
    return bool(_ASKS.search(masked) or _is_passing(masked))


def _without_passing(paragraph: str) -> tuple[str, list[str]]:
    """Take out the sentences that hold for this moment only."""
    if not _is_passing(_masked(paragraph)):
        return paragraph, []
    lines = [split_line(line) for line in paragraph.splitlines()]
    said = [one for line in lines for one in line]
    passing = set()
    for at, one in enumerate(said):
        masked = _masked(one)
        if _is_passing(masked):
            passing.add(at)
            if not _PASSING.search(masked):
                continue
            if _says_little(masked) or (at and _POINTS_BACK.match(masked)):
                passing.add(at - 1 if at else 1)
    numbers = iter(range(len(said)))
    kept = [" ".join(one for one in line if next(numbers) not in passing) for line in lines]
    return "\n".join(filter(None, kept)), [said[at] for at in sorted(passing) if at < len(said)]


def _divided(given: Iterable[str]) -> Iterator[str]:
    """Divide paragraphs that ask to keep something after all."""
    for paragraph in given:
        parts: list[list[str]] = [[]]
        for sentence in split_line(paragraph) if "\n" not in paragraph else ():
            if parts[-1] and keeps_again(sentence):
                parts.append([])
            parts[-1].append(sentence)
        yield from (" ".join(one) for one in parts) if len(parts) > 1 else (paragraph,)


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return ["\n".join(lines) for lines in found if lines]


def _masked(text: str) -> str:
    """Return a text in lower case, with code and quotations blanked."""
    return QUOTED.sub(" ", without_code(text).replace("’", "'").lower())


# Words around the request, which are no part of what it is about.
_REQUEST = frozenset(
    outline(
        "btw pls ok okay record remember write between private secret keep anywhere noted note"
        " understood don t oh hey please sorry wait actually"
    ).words
)
