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
from collections.abc import Iterator

from recollect.capture import request_words as words
from recollect.capture.pasted import origin_of
from recollect.capture.sentences import split_line, without_code
from recollect.capture.unkept import is_unkept
from recollect.core.marks import MARKER
from recollect.core.named_tuple import NamedTuple

_MOST_TEXT = 20_000  # characters at each end of a longer text
_TYPED = 2_000  # characters; of a longer text, parts may be pasted from a handbook
_MOST_CONTENT = 2_000
_MOST_ASIDE = 200
_FEW = 3  # words that point to nothing
_LATER = frozenset(("keep in mind", "note", "from now on", "remember to", "don't forget to"))


class Request(NamedTuple):
    """A wish: what to keep, the rule that found it, and the kind that the rule suggests."""

    content: str
    rule: str
    kind: str = ""


class _Wish(NamedTuple):
    """Where a wish begins in its sentence, its words, and its rule."""

    start: int
    match: re.Match[str]
    rule: words.Rule

    @property
    def points(self) -> bool:
        groups = self.match.groupdict()
        return any(groups.get(name) is not None for name in ("alone", "kept"))


class _Said(NamedTuple):
    """A sentence, the same without code and quotations, the number of its paragraph, its wishes."""

    text: str
    masked: str
    block: int
    is_item: bool
    wishes: list[_Wish]


def find_requests(text: str) -> list[Request]:
    """Return the wishes in a prompt, in order."""
    lower = text.lower()
    rules = [rule for rule in words.RULES if any(map(lower.__contains__, rule.needs))]
    if not rules:
        return []
    if len(text) > 2 * _MOST_TEXT:
        text = f"{text[:_MOST_TEXT]}\n\n{text[-_MOST_TEXT:]}"
    said = _sentences(text, rules)
    found: list[Request] = []
    after = 0  # the sentences before this one belong to an earlier wish
    for at, one in enumerate(said):
        for number, wish in enumerate(one.wishes if at >= after else ()):
            end = one.wishes[number + 1].start if number + 1 < len(one.wishes) else len(one.text)
            if (
                end < len(one.text)
                and not wish.points
                and not _says(one.text[wish.match.end() : end])
            ):
                continue  # "for later sessions, please remember: …" is one wish
            contents, after = _contents(said, at, wish, end)
            found += [Request(one, wish.rule.name, wish.rule.kind) for one in contents]
    return list(dict.fromkeys(found))


def is_covered(sentence: str, requests: list[Request]) -> bool:
    """Return whether a sentence says what one of the wishes asks to keep."""
    said = set(words.WORD.findall(sentence.lower()))
    parts = (part for one in requests for part in (one.content, *split_line(one.content)))
    asked = (set(words.WORD.findall(part.lower())) for part in parts)
    return bool(said) and any(one and (one <= said or said <= one) for one in asked)


def asks_to_forget(text: str) -> bool:
    """Return whether a prompt asks to forget what was kept just now ("no, forget that")."""
    first = next(iter(split_line(text.strip().partition("\n")[0][:_MOST_ASIDE])), "")
    return bool(words.FORGET.match(_masked(first)))


def _contents(said: list[_Said], at: int, wish: _Wish, end: int) -> tuple[list[str], int]:
    """Return what a wish asks to keep, and the number of the sentence after it."""
    one, after = said[at], at + 1
    if wish.points:
        content = _pointed(said, at, wish)
        is_needed = wish.rule.name != "from now on"
        return ([content] if content or is_needed else []), after
    start = wish.match.end()
    cut = words.CUT.search(one.masked, start, end)
    content = one.text[start : cut.start() if cut else end].strip()
    colon = wish.match[0].rstrip().endswith(":")
    if not _says(content) and colon:
        while after < len(said) and _goes_on(said, at + 1, after):
            after += 1
        following = said[at + 1 : after]
        if len(following) > 1 and all(one.is_item for one in following):
            return [_clean(one.text, wish) for one in following], after
        content = " ".join(one.text for one in following)
    elif end == len(one.text) and not cut:
        while after < len(said) and said[after].block == one.block and not said[after].is_item:
            plain = _goes_on(said, at, after) and (
                colon or words.FOLLOWS.match(said[after].masked) is not None
            )
            if not plain:
                break
            content += f" {said[after].text}"
            after += 1
    clean = _clean(content, wish)
    if _says(clean):
        return [clean], after
    return ([""] if wish.rule.name != "from now on" else []), after


def _goes_on(said: list[_Said], first: int, at: int) -> bool:
    """Return whether a sentence continues what a wish began: same paragraph, no task, no wish."""
    if at > first and said[at].block != said[first].block:
        return False
    if said[at].block > said[max(0, first - 1)].block + 1:
        return False
    one = said[at]
    is_task = bool(words.TASK.match(one.masked)) and not one.is_item
    return not one.wishes and not one.masked.endswith("?") and not is_task


def _pointed(said: list[_Said], at: int, wish: _Wish) -> str:
    """Return what "remember that." points to in its own paragraph; empty if to nothing."""
    one = said[at]
    before = one.text[: wish.start].strip(" ,;:-–—(")
    if wish.rule.name == "from now on":
        return _clean(before, wish) if _says(before) and not words.STATES.match(one.masked) else ""
    candidates = [before]
    # What is meant stands right before, but for an aside such as "looks nicer."
    for near in (at - 1, at - 2, at + 1):
        if 0 <= near < len(said) and said[near].block == one.block:
            other = said[near]
            is_told = not other.masked.endswith("?") and not other.wishes
            candidates.append(other.text if is_told and not words.TASK.match(other.masked) else "")
    return next((_clean(text, wish) for text in candidates if _says(text, _FEW)), "")


def _says(text: str, least: int = 1) -> bool:
    """Return whether a text says something beyond words that point."""
    found = words.WORD.findall(text.lower())
    return len(found) >= least and not words.EMPTY.issuperset(found)


def _clean(content: str, wish: _Wish) -> str:
    """Return the content as a sentence of its own."""
    content = words.POLITE_END.sub("", content.strip(" ,;:-–—")).strip()
    content = words.ASIDE.sub("", content)
    asks = words.ASKS.match(content.lower())
    if asks:  # "would you please never …?"
        first, *others = split_line(content[asks.end() :])
        content = " ".join((first.rstrip("?") + "." * first.endswith("?"), *others))
    if content.endswith(")") and content.count(")") > content.count("("):
        content = content[:-1].rstrip()
    if len(content) > 1 and content[0] in "\"“'«" and content[-1] in "\"”'»":
        content = content[1:-1]
    to = wish.match.groupdict().get("to") or ""
    if to.startswith("not ") or (content.lower().startswith("not ") and to):
        content = "Do not " + content.removeprefix("not ").removeprefix("Not ")
    content = content.strip()[:_MOST_CONTENT]
    if content.endswith((".", "!", "?")) and len(split_line(content)) == 1:
        content = content.rstrip(".!?") if not content.endswith("..") else content
    first = content.split(" ", 1)[0].rstrip(",:").replace("'", "").replace("’", "")
    return content[:1].upper() + content[1:] if first.isalpha() and first.islower() else content


def _sentences(text: str, rules: tuple[words.Rule, ...] | list[words.Rule]) -> list[_Said]:
    """Split what the writer of a prompt says into sentences, and find the wishes in each."""
    found: list[_Said] = []
    lines = list(_lines(text))
    last = max((block for block, _, _ in lines), default=0)
    silent = -1
    for block, is_item, line in lines:
        for number, sentence in enumerate(split_line(line)):
            masked = _masked(sentence)
            # "Between us: …" covers the rest of its paragraph, and asks to keep nothing.
            silent = block if is_unkept(sentence) else silent
            wishes = [] if silent == block else list(_wishes(masked, rules))
            if len(text) > _TYPED and 0 < block < last:
                wishes = [wish for wish in wishes if wish.rule.name not in _LATER]
            if sentence:
                found.append(_Said(sentence, masked, block, is_item and not number, wishes))
    return found


def _lines(text: str) -> Iterator[tuple[int, bool, str]]:
    """Yield the lines that the writer wrote: paragraph, list item or not, and text unwrapped."""
    lines = text.splitlines()
    foreign = origin_of(lines).foreign
    joined: list[tuple[int, bool, str]] = []
    block, skips = 0, False
    for at, line in enumerate(lines):
        bare = line.strip()
        skips = bool(bare) and (skips or MARKER in bare[: len(MARKER) + 8].lower())
        if not bare or foreign[at] or skips:
            block += bool(joined) and joined[-1][0] == block
            continue
        item = words.ITEM.match(line)
        said = line[item.end() :].strip() if item else bare
        if at == 0 and bare[:10].lower() == "# remember":  # how some agents' users take notes
            said = bare[2:]
        before = joined[-1] if joined and joined[-1][0] == block else None
        wrapped = said[:1].islower() and not words.TASK.match(said) and not item
        is_wish = any(rule.pattern.match(said.lower()) for rule in words.RULES)
        if before and wrapped and not is_wish and before[2][-1] not in ".!?:;":
            joined[-1] = (before[0], before[1], f"{before[2]} {said}")
            continue
        joined.append((block, bool(item), said))
    yield from joined


def _masked(text: str) -> str:
    """Return a sentence in lower case, with code and quotations blanked, at the same length."""
    lower = without_code(text).replace("’", "'").lower()
    lower = lower if len(lower) == len(text) else without_code(text)
    return words.QUOTED.sub(lambda quote: "x" * len(quote[0]), lower)


def _wishes(masked: str, rules: tuple[words.Rule, ...] | list[words.Rule]) -> Iterator[_Wish]:
    """Yield the wishes of a sentence, in order, none inside another."""
    if words.NO_TALK.match(masked):
        return
    found: list[_Wish] = []
    for rule in rules:
        if not any(map(masked.__contains__, rule.needs)):
            continue
        for match in rule.pattern.finditer(masked):
            led = words.LED.search(masked, max(0, match.start() - words.LED_WINDOW), match.start())
            if led is not None and _is_asked(masked, led, match, rule):
                found.append(_Wish(led.start(), match, rule))
            elif rule.name == "from now on" and match["alone"] is not None and not found:
                is_doubtful = words.HEDGED.search(masked) or masked.endswith("?")
                found += [] if is_doubtful else [_Wish(match.start(), match, rule)]
    end = -1
    for wish in sorted(found, key=lambda one: (one.match.start(), -one.match.end())):
        if wish.match.start() >= end:
            yield wish
            end = wish.match.end()


def _is_asked(masked: str, led: re.Match[str], match: re.Match[str], rule: words.Rule) -> bool:
    """Return whether the words of a wish are a request of the writer to the agent."""
    before, lead, rest = masked[: led.start()], led[0], masked[match.end() :]
    is_polite = bool(words.POLITE.search(lead)) or "please" in lead
    asks_later = words.ASKS.match(rest) and words.STANDING.search(rest)
    if masked.endswith("?") and not (is_polite or asks_later or words.POLITE_END.search(masked)):
        return False
    if words.REPORTED.search(before[-200:]) or words.PROGRAM.search(before[-300:]):
        return False
    if words.SARCASM.search(masked) or (
        words.CONDITION.match(masked) and words.OTHERS.search(before)
    ):
        return False
    if words.SAID_BY.search(masked):
        return False
    if before and lead.startswith(("and", "but", "then", "also")) and not is_polite:
        clause = words.CLAUSE.split(before)[-1].strip()
        if words.SUBJECT.match(clause) or words.OTHERS.search(clause):
            return False
    if rule.name == "from now on" and words.HEDGED.search(masked):
        return False
    if "to" in match.groupdict() and len(before.split()) > 1:
        return bool(words.STANDING.search(rest))
    return True
