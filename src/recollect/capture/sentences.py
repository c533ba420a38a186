"""Splits what a person or an agent says into whole sentences.

Leaves out what nobody says: code, quotations, tables, headings, bare addresses and the markup of
tools. A list item is a sentence. The text of a `[remember]` marker is already captured, so it is
skipped. Markdown emphasis is removed, and inline code stays, because a memory reads well with it.
For the same reason, one line of code after a colon stays, and so does a heading such as "Root
cause", which describes its paragraph. The time is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import chain

from recollect.core.marks import MARKER
from recollect.core.patterns import pattern

MAX_SENTENCE = 1000  # longer text without a full stop is a log or data
MAX_TEXT = 200_000  # of a longer text, the end, which is newest
_START = 24  # characters; an item may be wrapped, or be several sentences
_MIN_WRAP = 40  # nobody wraps text at less


def words(text: str) -> frozenset[str]:
    """Split a string into a set of words."""
    return frozenset(text.split())


# Quotations, names and numbers are different every time: the models see a mark in their place.
QUOTED = pattern(r"\"[^\"]*\"|“[^“”]{0,600}”|«[^«»]{0,600}»")
NAME = pattern(
    r"(?:https?://)?[\w@~-]{1,80}(?:[./\\:][\w@~-]{1,80}){1,20}(?:\(\))?|(?<!\w)--?[a-z][\w-]{1,40}"
    r"|/[\w-]{2,40}|\b[a-zA-Z0-9]{1,40}_\w{1,80}|\b[a-z]{1,40}[A-Z]\w{0,80}"
    r"|\b[A-Z][a-z]{1,40}[A-Z]\w{0,80}"
)
NUMBER = pattern(r"\b\d[\d.,:]*\w{0,3}\b")
_FENCE = pattern(r"[ \t]*(?:>[ \t]*)?(```+|~~~+)")
_ITEM = pattern(r"[ \t]*(?:[-*+•–]|\d{1,3}[.)]|\[[ xX]\])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADING = pattern(r"[ \t]{0,3}#{1,6}(?:[ \t]|$)")
_BOLD_ONLY = pattern(r"(?:\*\*[^*]+\*\*|__[^_]+__):?$")
_LABELLED = pattern(r"(\*\*|__)[^*_\n]{1,60}(?::\1|\1:)")
_RULE = pattern(r"[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,})[ \t]*$")
_CODE_ONLY = pattern(r"(?:`[^`]*`[\s,;:.]*)+$")
_ADDRESS = pattern(r"<?(?:https?|ssh|git|file)://")
CODE = pattern(r"`[^`]*`")
_MOST_CODE = 120  # of one line
_LABEL = pattern(
    r"(?:the )?(?:actual |real )?(?:root cause|cause|problem|issue|bug|fix|solution|workaround"
    r"|key (?:finding|insight|learning|takeaway)|(?:known )?limitation)",
    re.IGNORECASE,
)
_NO_LETTER = pattern(r"[^\w ]+")
_COMMAND = pattern(r"(?:\$|%|>>>|❯|#!)[ \t]")

_TAG = pattern(r"<(/?)([A-Za-z][\w-]{0,40})(?:\s[^<>]*)?/?>")
_INLINE_TAGS = words(
    "a b big br center details div em font hr i img kbd li ol p s small span strong sub summary"
    " sup u ul"
)
# Content of programs, as in all elements with a hyphen or an underscore in their name.
_FOREIGN_TAGS = words(
    "blockquote code env html invoke output parameter pre private result script stderr stdout"
    " style svg table thinking"
)

_LINK = pattern(r"!?\[([^\[\]\n]{1,300})\]\([^()\s]{0,500}\)")
_STRONG = pattern(r"\*{2,3}|~~")
_STAR_OPEN = pattern(r"(?<![\w*/.\\])\*(?=[^\s*./])")
_STAR_CLOSE = pattern(r"(?<=[^\s*/\\])\*(?![\w*/.])")
_UNDERLINED = pattern(r"(?<![\w./`])_([^\s_](?:[^_]{0,200}[^\s_])?)_(?![\w./(`])")
_DOUBLE_UNDERLINED = pattern(r"(?<![\w./`])__([^\s_]{1,50} (?:[^_]{0,200}[^\s_])?)__(?![\w./(`])")

_QUOTE = pattern(r"(?<![\w\"])\"[^\"\s][^\"]{0,600}\"(?!\w)|“[^”]{1,600}”")
_ENDS = pattern(r"[.!?](?=\s)")
_END = pattern(r"(?<![.!?])[.!?]++[\"'”’)\]]*+(?=\s)|[。！？]+")
_MONTH_NEXT = pattern(
    r"\s(?:Januar|Februar|M(?:ä|ae)rz|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    r"|Jan|Feb|Apr|Aug|Sept?|Okt|Nov|Dez)\b"
)
_VERB_NEXT = pattern(r"\s{1,2}(?:is|are|was|were|has|have)\b")
_LAST_WORD = pattern(r"(?<![\w.])[\w.]++$")
_ABBREVIATIONS = words(
    "approx al ca cf dr e.g eg esp etc fig i.e ie incl jr mr mrs ms nos nr pp prof resp sr viz vs"
    " w.r.t"
)
_MAY_END = words("al etc jr sr")  # as the last word of a sentence, if a new one clearly begins
_GOES_ON = words(
    "and as at because but by for from if in instead into of on or over rather since so than that"
    " the then to unless until when where which while whose with without"
)


def sentences(text: str) -> list[str]:
    """Return every sentence of a text, in order."""
    return list(chain.from_iterable(paragraphs(text)))


def paragraphs(text: str) -> list[list[str]]:
    """Yield the sentences of each run of lines; an empty run where something was left out."""
    text = text[-MAX_TEXT:].replace("\r\n", "\n").replace("\r", "\n")
    return [
        [one for line in block for one in _split(_plain(line)) if _is_prose(one)]
        for block in _blocks(_without_markup(text).split("\n"))
    ]


def list_items(text: str) -> frozenset[str]:
    """Return how each list item of a text starts, as `starts_as` cuts it."""
    found = set()
    for line in text[-MAX_TEXT:].split("\n"):
        item = _ITEM.match(line)
        if item:
            found.add(starts_as(_plain(line[item.end() :])))
    return frozenset(found)


def starts_as(sentence: str) -> str:
    """Return the start of a sentence that tells it from its neighbours."""
    return sentence[:_START]


def split_line(line: str) -> list[str]:
    """Split a line into sentences, without emphasis marks."""
    return _split(_plain(line))


def _without_markup(text: str) -> str:
    """Remove elements that programs wrote, and HTML tags."""
    if "<" not in text:
        return text
    tags = list(_TAG.finditer(text))
    closing: dict[str, list[int]] = {}
    for at, tag in enumerate(tags):
        if tag[1]:
            closing.setdefault(tag[2].lower(), []).append(at)
    kept: list[str] = []
    position = at = 0
    while at < len(tags):
        tag = tags[at]
        name = tag[2].lower()
        at += 1
        if "-" in name or "_" in name or name in _FOREIGN_TAGS:
            kept.append(text[position : tag.start()])
            ends = closing.get(name, [])
            end = bisect_left(ends, at)
            if not tag[1] and not tag[0].endswith("/>") and end < len(ends):
                at = ends[end] + 1
                tag = tags[ends[end]]
            position = tag.end()
        elif name in _INLINE_TAGS:
            kept.append(text[position : tag.start()])
            position = tag.end()
    kept.append(text[position:])
    return "".join(kept)


def _blocks(lines: list[str]) -> list[list[str]]:
    """Yield runs of lines that belong together, with wrapped lines joined."""
    blocks: list[list[str]] = []
    run: list[str] = []
    code: list[str] = []
    fence = label = ""
    for line in [*lines, ""]:
        opened = _FENCE.match(line)
        if opened:
            closed = bool(fence) and opened[1].startswith(fence)
            fence = "" if closed else fence or opened[1]
            if closed:
                _add_code(blocks, code)
            code = []
        elif fence:
            code.append(line)
            continue
        elif line.strip() and not _is_foreign(line, after_text=bool(run)):
            if run and line.lstrip().lower().startswith(MARKER):
                blocks += _said(run)
                run = []
            heads = label and not run and not _ITEM.match(line)
            run.append(f"{label}: {line.lstrip()}" if heads else line)
            label = ""
            continue
        elif run and _RULE.match(line):
            run.pop()  # it was a heading, and this is its underline
        blocks += _said(run)
        if line.strip() and (not blocks or blocks[-1]):
            blocks.append([])  # excluded text stood between two paragraphs
        label = _label(line) if line.strip() else label
        run = []
    return blocks


def _add_code(blocks: list[list[str]], code: list[str]) -> None:
    """Append one line of code to the sentence that announced it."""
    line = code[0].strip() if len(code) == 1 else ""
    before = blocks[-2] if len(blocks) > 1 else []
    announced = bool(before) and before[-1].rstrip("*_").endswith(":")
    if announced and line and len(line) <= _MOST_CODE and "`" not in line:
        before[-1] += f" `{line}`"


def _label(line: str) -> str:
    """Return what a heading says about its paragraph, if it says only that."""
    if not _HEADING.match(line) and not _BOLD_ONLY.match(line.strip()):
        return ""
    said = " ".join(_NO_LETTER.sub(" ", line.replace("_", " ")).split())
    return said.capitalize() if _LABEL.fullmatch(said) else ""


def _said(run: list[str]) -> list[list[str]]:
    """Return lines as a paragraph, or nothing if they belong to a marker."""
    marked = not run or run[0].lstrip().lower().startswith(MARKER)
    return [] if marked else [_joined(run)]


def _is_foreign(line: str, *, after_text: bool) -> bool:
    """Return whether a line is not prose: a quotation, a table, a heading, a command."""
    bare = line.strip()
    if not after_text and line.startswith(("    ", "\t")) and not _ITEM.match(line):
        return True  # an indented code block
    if (
        bare.startswith((">", "|", "//", "/*", "<!--"))
        or bare.count(" | ") > 1
        or _COMMAND.match(bare)
    ):
        return True
    if _HEADING.match(line) or _RULE.match(line) or _BOLD_ONLY.match(bare):
        return True
    item = _ITEM.match(line)
    rest = line[item.end() :].strip() if item else bare
    return bool(_CODE_ONLY.match(rest)) or all(map(_ADDRESS.match, rest.split()))


def _joined(run: list[str]) -> list[str]:
    """Join the lines of a paragraph that were only wrapped."""
    width = max(len(line) for line in run)
    joined: list[list[str]] = []
    before, in_item = "", False
    for line in run:
        item = _ITEM.match(line)
        said = line[item.end() :] if item else line.strip()
        first = said.split(None, 1)[0] if said.strip() else ""
        full = len(before) + 1 + len(first) > width
        ragged = first[:1].islower() and len(before) * 2 > width
        wrapped = width >= _MIN_WRAP and (full or ragged)
        hangs = in_item and line[:1].isspace()
        begins = item or _LABELLED.match(said)
        if joined and not begins and (wrapped or hangs or first in _GOES_ON):
            joined[-1].append(said)
        else:
            joined.append([said])
            in_item = bool(item)
        before = line
    return [" ".join(parts) for parts in joined]


def _plain(line: str) -> str:
    """Remove emphasis marks from a line, outside of its inline code."""
    parts = line.split("`")
    if len(parts) % 2 == 0:  # a backtick without a partner starts no code
        parts[-2:] = ["`".join(parts[-2:])]
    parts[::2] = [_unmarked(part) for part in parts[::2]]
    return " ".join("`".join(parts).split())


def _unmarked(text: str) -> str:
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "*" in text or "~~" in text:
        text = _STRONG.sub("", text)
        if _STAR_OPEN.search(text) and _STAR_CLOSE.search(text):
            text = _STAR_CLOSE.sub("", _STAR_OPEN.sub("", text))
    if "_" in text:  # `__init__` is a name, and so are `_a` and `b_`
        text = _UNDERLINED.sub(r"\1", _DOUBLE_UNDERLINED.sub(r"\1", text))
    return text


def without_code(text: str) -> str:
    """Return the text with its inline code blanked, at the same length."""
    return CODE.sub(lambda code: "x" * len(code[0]), text) if "`" in text else text


def _split(line: str) -> list[str]:
    """Split a line into sentences."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(_without_quotes(without_code(line))):
        if _ends(line, start, end):
            found.append(line[start : end.end()].strip())
            start = end.end()
    found.append(line[start:].strip())
    return found


def _without_quotes(text: str) -> str:
    """Blank the sentence ends inside quotations, at the same length."""
    if '"' not in text and "“" not in text:
        return text
    return _QUOTE.sub(lambda quote: _ENDS.sub("x", quote[0]), text)


def _ends(line: str, start: int, end: re.Match[str]) -> bool:
    """Return whether a sentence ends at this mark."""
    begins = line[end.end() + 1 : end.end() + 2]  # there is one space between two words
    if end[0].endswith(('"', "”")) and begins.islower():
        return False  # the sentence continues after the quotation
    if not end[0].startswith("."):
        return True
    if end[0].startswith(".."):
        return False
    word = _LAST_WORD.search(line, max(start, end.start() - 12), end.start())
    last = word[0] if word else ""
    if last.lower() in _ABBREVIATIONS:
        return last.lower() in _MAY_END and begins.isupper()
    if "." in last and last[0].isdigit() and _VERB_NEXT.match(line, end.end()):
        return False  # "all of 10.8. is theirs"
    if last.isdigit() and len(last) <= 2 and _MONTH_NEXT.match(line, end.end()):
        return False  # "am 14. März"
    # an initial does not end a sentence
    return not (len(last) == 1 and last.isupper() and last != "I")


def _is_prose(sentence: str) -> bool:
    """Return whether it has at least two words, and is not a log, an address or a path."""
    if not 3 <= len(sentence) <= MAX_SENTENCE or " " not in sentence:
        return False
    letters = sum(map(str.isalpha, sentence)) + sentence.count(" ")
    return letters * 2 >= len(sentence)
