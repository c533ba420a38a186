"""Finds wishes in a prompt: what a person asks the agent, in plain words, to remember.

    fix the bug, and remember that the API is rate-limited
    From now on use uv.  /  Please note: releases are tagged by hand.  /  Don't forget to lint.

A wish is certain, so it is found by rules, and each match names its rule. The words of a rule count
only where a request to the agent can begin: at the start of a clause, or after words that ask. So
"I remember that", "he told me to remember that" and "don't remember that" are none. Neither is what
stands in quotations, code or pasted text, nor a question. What to keep is the rest of the sentence;
after a colon, the sentences, lines or list items that follow. A wish that points ("remember that.")
means what the same paragraph says before it. If there is nothing, its content is empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.capture import request_words as words
from recollect.capture.request_text import (
    Said,
    all_rules,
    clean,
    is_one_task,
    masked,
    says,
    split_prompt,
)
from recollect.capture.sentences import split_line
from recollect.capture.unkept import is_unkept, only_asks
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.capture.wish_meaning import Read

_TYPED = 2_000  # characters; of a longer text, parts may be pasted from a handbook
_MOST_ASIDE = 200
_FEW = 3  # words that point to nothing
# "No, forget that": the whole sentence, or its first clause after a no.
_NO = r"(?:(?:oh|ah|hm+|no|nope|nah|wait|stop|actually|sorry|please|ok|okay|well)[,.!… ]{1,3})"
_FORGET = pattern(
    rf"(?:{_NO}){{0,4}}(?:scratch that|never ?mind)?[,;.! —–-]{{0,3}}(?:and |please |just )?"
    r"(?:forget (?:that|it|this)(?: (?:one|again|please|memory|wish))?"
    r"|do(?:n't|nt| not) write (?:that|it|this) down"
    r"|forget (?:what (?:i|you) (?:just )?(?:said|saved|kept|noted|remembered)|the last \w{1,9})"
    r"|(?:do(?:n't|nt| not)|no need to) (?:remember|keep|save|store|note) (?:that|it|this)"
    r"(?: (?:one|please|after all|then|in memory))?)"
    r"(?:[.! ]{0,3}\Z|, (?:please|thanks|sorry|it(?:'s| is) (?:wrong|not true)|that(?:'s| is| was)"
    r" (?:wrong|not true|a mistake))[^,]{0,60}\Z)"
)
_LATER = frozenset(("keep in mind", "note", "from now on", "remember to", "don't forget to"))


class Request(NamedTuple):
    """A wish: what to keep, the rule that found it, and the kind that the rule suggests.

    `is_sure`: its words ask, or its meaning surely does.
    """

    content: str
    rule: str
    kind: str = ""
    is_sure: bool = True


class _Wish(NamedTuple):
    """Where a wish begins in its sentence, its words, and its rule."""

    start: int
    match: re.Match[str]
    rule: words.Rule

    @property
    def points(self) -> bool:
        return _points(self.match)


def _points(match: re.Match[str]) -> bool:
    """Return whether a wish points to what stands beside it: "keep that in mind"."""
    groups = match.groupdict()
    return any(groups.get(name) is not None for name in ("alone", "kept"))


class _Said(NamedTuple):
    """A sentence as in `Said`, and the wishes in it."""

    text: str
    masked: str
    block: int
    is_item: bool
    wishes: list[_Wish]


def find_requests(text: str, *, learned: bool = True, read: Read | None = None) -> list[Request]:
    """Return the wishes in a prompt: first what rules find, then what the model finds.

    With `read` (see `wish_meaning.reader_with`), also those that only their meaning tells.
    """
    sentences = split_prompt(text)
    found, taken = _by_rules(text, sentences)
    if learned:
        from recollect.capture.learned_requests import find_learned

        if len(text) > _TYPED:
            last = max((one.block for one in sentences), default=0)
            taken |= {at for at, one in enumerate(sentences) if 0 < one.block < last}
        asked = [one.content for one in found if one.content]
        learned_ones = find_learned(sentences, taken, asked, read)
        others = [Request(text, rule, is_sure=sure) for text, rule, sure in learned_ones]
        found += without_fragments(others, found)
    return list(dict.fromkeys(found))


def without_fragments(others: Sequence[Request], found: Sequence[Request]) -> list[Request]:
    """Leave pieces of statements out, unless there is nothing else: a wish is never lost."""
    if len(others) + len(found) < 2:
        return list(others)
    from recollect.capture.fragments import is_fragment

    whole = [one for one in others if not is_fragment(one.content)]
    return whole if whole or any(one.content for one in found) else list(others)


def typed_sentences(text: str) -> list[str]:
    """Return the sentences of a prompt in which a wish can stand."""
    return [one.text for one in split_prompt(text)]


def _by_rules(text: str, sentences: list[Said]) -> tuple[list[Request], set[int]]:
    """Return the wishes that rules find, and the numbers of the sentences that they are from."""
    lower = text.lower()
    rules = [rule for rule in all_rules() if any(map(lower.__contains__, rule.needs))]
    said = _with_wishes(sentences, rules, is_long=len(text) > _TYPED)
    found: list[Request] = []
    taken: set[int] = set()
    after = 0  # the sentences before this one belong to an earlier wish
    for at, one in enumerate(said):
        for number, wish in enumerate(one.wishes if at >= after else ()):
            end = one.wishes[number + 1].start if number + 1 < len(one.wishes) else len(one.text)
            if (
                end < len(one.text)
                and not wish.points
                and not says(one.text[wish.match.end() : end])
            ):
                continue  # "for later sessions, please remember: …" is one wish
            contents, after = _contents(said, at, wish, end)
            found += [Request(one, wish.rule.name, wish.rule.kind) for one in contents]
            taken.update(range(at, after) if contents else ())
    return found, taken


def is_covered(sentence: str, requests: list[Request]) -> bool:
    """Return whether a sentence says what one of the wishes asks to keep."""
    said = set(words.WORD.findall(sentence.lower()))
    parts = (part for one in requests for part in (one.content, *split_line(one.content)))
    asked = (set(words.WORD.findall(part.lower())) for part in parts)
    return bool(said) and any(one and (one <= said or said <= one) for one in asked)


def asks_to_forget(text: str) -> bool:
    """Return whether a prompt asks to forget what was kept just now ("no, forget that").

    Who only says not to keep something ("off the record, please") means what was said before.
    """
    first = next(iter(split_line(text.strip().partition("\n")[0][:_MOST_ASIDE])), "")
    return bool(_FORGET.match(masked(first))) or only_asks(text)


def _contents(said: list[_Said], at: int, wish: _Wish, end: int) -> tuple[list[str], int]:
    """Return what a wish asks to keep, and the number of the sentence after it."""
    one, after = said[at], at + 1
    if wish.points:
        content = _pointed(said, at, wish)
        is_needed = wish.rule.name != "from now on"
        return ([content] if content or is_needed else []), after
    start = wish.match.end()
    cut = words.CUT.search(one.masked, start, end)
    if cut and words.CONDITION.match(one.masked, start):
        # "Whenever you write an entry, please …": what to do then belongs to it.
        cut = words.CUT.search(one.masked, cut.end(), end)
    content = one.text[start : cut.start() if cut else end].strip()
    colon = wish.match[0].rstrip().endswith(":")
    # "For the record, valid for all later sessions:" is a heading, too.
    if (not says(content) and colon) or (content.endswith(":") and not cut):
        while after < len(said) and _goes_on(said, at + 1, after):
            after += 1
        following = said[at + 1 : after]
        if len(following) > 1 and all(one.is_item for one in following):
            return [clean(one.text, _to(wish)) for one in following], after
        content = " ".join(one.text for one in following) or content
    elif end == len(one.text) and not cut:
        while after < len(said) and said[after].block == one.block and not said[after].is_item:
            plain = _goes_on(said, at, after) and (
                colon or words.FOLLOWS.match(said[after].masked) is not None
            )
            if not plain:
                break
            content += f" {said[after].text}"
            after += 1
    whole = clean(content, _to(wish))
    if says(whole):
        return [whole], after
    return ([""] if wish.rule.name != "from now on" else []), after


def _to(wish: _Wish) -> str:
    return wish.match.groupdict().get("to") or ""


def _goes_on(said: list[_Said], first: int, at: int) -> bool:
    """Return whether a sentence continues what a wish began: same paragraph, no task, no wish."""
    if at > first and said[at].block != said[first].block:
        return False
    if said[at].block > said[max(0, first - 1)].block + 1:
        return False
    one = said[at]
    is_task = bool(words.TASK.match(one.masked)) and not one.is_item
    is_over = words.CLOSING.match(one.masked) is not None
    is_other = one.wishes or one.masked.endswith("?") or is_unkept(one.text)
    return not (is_other or is_task or is_over)


def _pointed(said: list[_Said], at: int, wish: _Wish) -> str:
    """Return what "remember that." points to in its own paragraph; empty if to nothing."""
    one = said[at]
    before = one.text[: wish.start].strip(" ,;:-–—(")
    if wish.rule.name == "from now on":
        return (
            clean(before, _to(wish)) if says(before) and not words.STATES.match(one.masked) else ""
        )
    candidates = [before]
    # What is meant stands right before, but for an aside such as "looks nicer."
    for near in (at - 1, at - 2, at + 1):
        if 0 <= near < len(said) and said[near].block == one.block:
            other = said[near]
            is_told = not other.masked.endswith("?") and not other.wishes
            candidates.append(other.text if is_told and not is_one_task(other.masked) else "")
    return next((clean(text, _to(wish)) for text in candidates if says(text, _FEW)), "")


def _with_wishes(sentences: list[Said], rules: list[words.Rule], *, is_long: bool) -> list[_Said]:
    """Find the wishes in each sentence."""
    last = max((one.block for one in sentences), default=0)
    found: list[_Said] = []
    for one in sentences:
        wishes = list(_wishes(one.masked, rules))
        if one.is_silent:  # "between us: …"; who asks for something else there still gets it
            own = [] if one.is_taken_back or is_unkept(one.text) else wishes
            wishes = [wish for wish in own if not wish.points]
        if is_long and 0 < one.block < last:
            wishes = [wish for wish in wishes if wish.rule.name not in _LATER]
        if len(sentences) > 1:
            wishes = [wish for wish in wishes if not _is_for_now(one.masked, wish)]
            wishes = [wish for wish in wishes if wish.rule.name != words.STANDING_ORDER]
        found.append(_Said(one.text, one.masked, one.block, one.is_item, wishes))
    return found


def _is_for_now(said: str, wish: _Wish) -> bool:
    """Return whether "remember to …" beside a task is about that task only."""
    rest = said[wish.match.end() :]
    is_order = bool(wish.match.groupdict().get("to"))
    return is_order and not (words.STANDING.search(rest) and not words.AT_HAND.search(rest))


def _wishes(said: str, rules: list[words.Rule]) -> Iterator[_Wish]:
    """Yield the wishes of a sentence, in order, none inside another."""
    if words.NO_TALK.match(said):
        return
    found: list[_Wish] = []
    for rule in rules:
        if not any(map(said.__contains__, rule.needs)):
            continue
        for match in rule.pattern.finditer(said):
            led = words.LED.search(said, max(0, match.start() - words.LED_WINDOW), match.start())
            if led is not None and _is_asked(said, led, match, rule):
                found.append(_Wish(led.start(), match, rule))
            elif rule.name == "from now on" and match["alone"] is not None and not found:
                is_doubtful = words.HEDGED.search(said) or said.endswith("?")
                found += [] if is_doubtful else [_Wish(match.start(), match, rule)]
    end = -1
    for wish in sorted(found, key=lambda one: (one.match.start(), -one.match.end())):
        if wish.match.start() >= end:
            yield wish
            end = wish.match.end()


def _is_asked(said: str, led: re.Match[str], match: re.Match[str], rule: words.Rule) -> bool:
    """Return whether the words of a wish are a request of the writer to the agent."""
    before, lead, rest = said[: led.start()], led[0], said[match.end() :]
    is_polite = bool(words.POLITE.search(lead)) or "please" in lead
    asks_later = words.ASKS.match(rest) and words.STANDING.search(rest)
    if said.endswith("?") and not (is_polite or asks_later or words.POLITE_END.search(said)):
        return False
    if words.REPORTED.search(before[-200:]):
        return False
    if words.PROGRAM.search(before[-300:]) and not _points(match):
        return False
    if words.SARCASM.search(said) or (words.CONDITION.match(said) and words.OTHERS.search(before)):
        return False
    if words.SAID_BY.search(said):
        return False
    if before and lead.startswith(("and", "but", "then", "also")) and not is_polite:
        clause = words.CLAUSE.split(before)[-1].strip()
        if words.SUBJECT.match(clause) or words.OTHERS.search(clause):
            return False
    if rule.name == "from now on" and words.HEDGED.search(said):
        return False
    if "to" in match.groupdict() and len(before.split()) > 1:
        return bool(words.STANDING.search(rest))
    return True
