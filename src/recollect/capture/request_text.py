"""Splits a prompt into what its writer says, and makes a sentence of what a wish asks to keep.

`requests.py` finds wishes in it by rules, `learned_requests.py` by a model.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from recollect.capture import request_words as words
from recollect.capture.pasted import origin_of
from recollect.capture.sentences import split_line, without_code
from recollect.capture.unkept import asks_not_to_keep, is_unkept, keeps_again, takes_back
from recollect.core.marks import MARKER
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

MOST_TEXT = 20_000  # characters at each end of a longer text
_MOST_CONTENT = 2_000
_ITEM = pattern(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|\(?[a-h1-9]\))[ \t]+(?:\[[ xX]\][ \t]+)?")
# A line that ends so was wrapped, whatever the next one begins with. `_END`: the characters at its
# end that are looked at, more than the longest of these words.
_END = 8
_HANGING = pattern(r"\b(?:an?|the|in|into|of|on|to|for|with|and|or|by|at|from|as)\Z")


class Said(NamedTuple):
    """A sentence, the same without code and quotations, and the number of its paragraph.

    `is_silent`: its paragraph asks not to keep what it says. `is_taken_back`: the next sentence
    says that it was a joke, or for the moment only.
    """

    text: str
    masked: str
    block: int
    is_item: bool
    is_silent: bool
    is_taken_back: bool = False


def split_prompt(text: str) -> list[Said]:
    """Return the sentences that the writer of a prompt says, without what is pasted or quoted."""
    if len(text) > 2 * MOST_TEXT:
        text = f"{text[:MOST_TEXT]}\n\n{text[-MOST_TEXT:]}"
    found: list[Said] = []
    silent = -1
    for block, is_item, line in _lines(text):
        for number, sentence in enumerate(split_line(line)):
            if sentence:
                # "Between us: …" covers the rest of its paragraph, and asks to keep nothing. "Just
                # for now" covers its sentence.
                is_own = is_unkept(sentence)
                if is_own:
                    silent = block if asks_not_to_keep(sentence) else silent
                    if found and found[-1].block == block and takes_back(sentence):
                        found[-1] = found[-1]._replace(is_silent=True, is_taken_back=True)
                elif keeps_again(sentence):
                    silent = -1
                item = is_item and not number
                is_silent = is_own or silent == block
                found.append(Said(sentence, masked(sentence), block, item, is_silent))
    return found


@cache
def all_rules() -> tuple[words.Rule, ...]:
    """Return the rules of all languages. The others are loaded here: few events look for wishes."""
    from recollect.capture import request_words_abroad as abroad

    return (*words.RULES, *abroad.RULES)


def says(text: str, least: int = 1) -> bool:
    """Return whether a text says something beyond words that point."""
    found = words.WORD.findall(text.lower())
    return len(found) >= least and not words.EMPTY.issuperset(found)


def is_one_task(masked: str) -> bool:
    """Return whether a sentence tells what to do now; "run lint before each push" is for good."""
    return bool(words.TASK.match(masked)) and not words.STANDING.search(masked)


def clean(content: str, to: str = "") -> str:
    """Return the content as a sentence of its own. `to`: "to" or "not to", if it was an order."""
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
    if to.startswith("not ") or (content.lower().startswith("not ") and to):
        content = "Do not " + content.removeprefix("not ").removeprefix("Not ")
    content = content.strip()[:_MOST_CONTENT]
    if content.endswith((".", "!", "?")) and len(split_line(content)) == 1:
        content = content.rstrip(".!?") if not content.endswith("..") else content
    first = content.split(" ", 1)[0].rstrip(",:").replace("'", "").replace("’", "")
    return content[:1].upper() + content[1:] if first.isalpha() and first.islower() else content


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
        item = _ITEM.match(line)
        said = line[item.end() :].strip() if item else bare
        if at == 0 and bare[:10].lower() == "# remember":  # how some agents' users take notes
            said = bare[2:]
        before = joined[-1] if joined and joined[-1][0] == block else None
        wrapped = said[:1].islower() and not words.TASK.match(said) and not item
        is_wish = any(rule.pattern.match(said.lower()) for rule in all_rules())
        hangs = not item and before is not None and _HANGING.search(before[2][-_END:]) is not None
        if before and (wrapped or hangs) and not is_wish and before[2][-1] not in ".!?:;":
            joined[-1] = (before[0], before[1], f"{before[2]} {said}")
            continue
        joined.append((block, bool(item), said))
    yield from joined


def masked(text: str) -> str:
    """Return a sentence in lower case, with code and quotations blanked, at the same length."""
    lower = without_code(text).replace("’", "'").lower()
    lower = lower if len(lower) == len(text) else without_code(text)
    return words.QUOTED.sub(lambda quote: "x" * len(quote[0]), lower)
