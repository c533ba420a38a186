"""Rules in documents for those who work on a project: what a patch must, must not and should be.

An agent that works there needs exactly these. A rule is a sentence that demands or forbids
something and stands alone; its memory has the paragraph around it. What only explains how to start
stays out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recollect.capture.sentences import split_line
from recollect.core.note import SUMMARY_LENGTH
from recollect.core.patterns import pattern
from recollect.importing.reasons import gives_reason
from recollect.importing.repository_files import TextFile, item_of_file
from recollect.importing.sections import Section, plain, sections, unnumbered
from recollect.importing.source import Item, Skipped
from recollect.importing.titles import fitted, named_by, one_line, stands

MOST_OF_FILE: Final = 30
_FOR_THEM = pattern(
    r"(?![^\n]*(?:neps?|peps?|rfcs?|proposals)/)(?:(?:[^\n]*/)?"
    r"(?:contribut(?:e|ing|ions?)|hacking|coding[-_ ]?\w{0,12}|style[-_ ]?guide\w{0,3}"
    r"|maintain\w{0,6}|branches|submitting[-_ ]?patches|governance"
    r"|(?:[\w-]{0,40}[-_])?(?:polic(?:y|ies)|conventions?))(?:[-_][\w-]{0,30})?"
    r"|(?:[^\n]*/)?(?:contribut(?:e|ing)|conventions|policies)/[^\n.]{1,120})"
    r"(?:\.(?:md|mdx|markdown|rst|txt|adoc))?\Z",
    re.IGNORECASE,
)
_SHOUTED = pattern(r"\b(?:MUST|NEVER|SHALL|DO NOT|NOT|SHOULD|ONLY|ALWAYS)\b")
_FORBIDS = pattern(
    r"\b(?:never|must not|mustn['’]t|do not|don['’]t|cannot be|can['’]t be|may not|should not"
    r"|shouldn['’]t|not allowed|not (?:be )?accepted|won['’]t (?:be )?(?:accept\w{0,2}|merged?)"
    r"|will not be|will be (?:closed|rejected)|forbidden|prohibited|avoid|no longer accept\w{0,2}"
    r"|(?:are|is) (?:not permitted|banned|rejected)|no [^\s]{1,30} (?:may|is|are) (?:be )?"
    r"(?:allowed|made|accepted))\b",
    re.IGNORECASE,
)
_MUST = pattern(r"\b(?:must|mandatory|shall)\b", re.IGNORECASE)
_DEMANDS = pattern(
    r"\b(?:must|always (?:be|use|add|put|run|have|include|keep|write)|should|shall|required?"
    r"|requires|mandatory|has to|have to|needs? to be|(?:may|can) only|only (?:be|if|when)\b"
    r"|(?:are|is) expected to|prefer(?:red)?|be sure to|make sure|please)\b",
    re.IGNORECASE,
)
# How to start, where to ask, and what somebody may like: no rule.
_WELCOME = pattern(
    r"(?:thank|welcome|feel free|if you (?:have|want|need|are (?:new|not|unsure|looking))"
    r"|you(?:['’]ll| (?:can|may|might|could|will|should (?:see|now|be able)))"
    r"|for (?:more|example|instance)|see\b|most people|by nature|this is|to report"
    r"|(?:please )?(?:be sure to )?(?:read|review|refer|check out|visit|join|open an issue|see|note"
    r"|take a look|have a look|follow (?:the|these|our))"
    r"|are|is|must|should|can|may|has|have|will|others|otherwise|[A-Z]{3,12}[/:]|we did|additional"
    r"|there (?:is|are)|remember|note)(?!\w)"
    r"|[^\n]{0,200}\b(?:don['’]t (?:worry|hesitate|know|understand|have|need|want)"
    r"|do not (?:worry|hesitate|need|have to|want|really)|don['’]t really"
    r"|not only|only (?:one|takes?|a few)|if only|judged|blamed"
    r"|feel free|happy to|should (?:now|see|look like|be able|work|help)|not required"
    r"|please (?:follow|see|read|refer)"
    r"|required (?:to install|dependenc\w{1,4})|you may have to|regularly)\b",
    re.IGNORECASE,
)
_HOW_TO = pattern(
    r"(?:getting started|install\w{0,8}|set[- ]?up\w{0,3}|running|your first|resources|quick ?start"
    r"|credits?|licen[sc]e|contact|community|acknowledg\w{0,6}|code of conduct|requirements)\b",
    re.IGNORECASE,
)
_LABEL = pattern(r"[^.:\n]{2,60}:\s+(?=[A-Z`])")
_MARKER = pattern(r"\s{0,8}(?:[-*+•]|\(?\d{1,3}[.)])\s+")
_NEXT_ITEM = pattern(r"\n(?=\s{0,8}(?:[-*+•]|\(?\d{1,3}[.)])\s)")
_CODE = pattern(r"```|~~~|\||<|\$ |>|#|\.\. |:::|\{%|\t")
_MOST_SECTION = 40_000
_FEWEST_WORDS, _MOST_CONTEXT = 5, 45


def is_for_contributors(path: str) -> bool:
    """Whether a document is for those who work on the project."""
    return _FOR_THEM.match(path) is not None


def rules_in(file: TextFile) -> Iterator[Item | Skipped]:
    """Yield the rules of a document, each with the paragraph that it stands in."""
    seen: set[str] = set()
    for section in sections(file.text):
        heads = [unnumbered(heading) for heading in section.headings]
        if any(_HOW_TO.match(head) for head in heads[-2:]):
            continue
        for text in _paragraphs(section):
            item = _rule(file, heads, text)
            if item is not None and item.identity not in seen and len(seen) < MOST_OF_FILE:
                seen.add(item.identity)
                yield item


def _paragraphs(section: Section) -> Iterator[str]:
    """Yield the paragraphs and items of a section, without code and tables."""
    in_code = False
    for block in section.text[:_MOST_SECTION].split("\n\n"):
        fences = block.count("```")
        was, in_code = in_code, in_code ^ (fences % 2 == 1)
        if was or fences or block.startswith("    ") or _CODE.match(block.lstrip("\n")):
            continue
        for one in _NEXT_ITEM.split(block):
            yield one_line(plain(_MARKER.sub("", one, count=1)))


def _rule(file: TextFile, heads: list[str], text: str) -> Item | None:
    said = _LABEL.sub("", text, count=1)
    best: tuple[float, str, str] | None = None
    for sentence in split_line(said):
        points = _points(sentence)
        title = _title(sentence, heads) if points > 0 else ""
        if title and (best is None or points > best[0]):
            best = points, title, sentence
    if best is None or text.endswith(":"):
        return None
    points, title, sentence = best
    kind = "constraints" if _FORBIDS.search(sentence) or _MUST.search(sentence) else "preferences"
    identity = f"{file.path}#{'/'.join(heads)[-120:]}#{named_by(sentence)}"
    where = f"section “{heads[-1]}”" if heads else ""
    score = min(0.9, 0.5 + 0.1 * points + 0.05 * gives_reason(text))
    return item_of_file(file, identity, title, text, kind, score, where=where)


def _points(sentence: str) -> float:
    """Return how strongly a sentence demands something; nothing if it is no rule."""
    sentence = sentence.strip()
    if len(sentence.split()) < _FEWEST_WORDS or _WELCOME.match(sentence) or "?" in sentence[-2:]:
        return 0.0
    points = 2.0 * bool(_FORBIDS.search(sentence)) + 1.0 * bool(_SHOUTED.search(sentence))
    return points + 1.0 * bool(_DEMANDS.search(sentence))


def _title(sentence: str, heads: list[str]) -> str:
    """Return a rule as a title, under its heading if there is room; empty if it needs others."""
    sentence = sentence.rstrip(" .")
    is_order = sentence.lower().startswith(("please ", "we ", "never ", "do not ", "don't "))
    if not stands(sentence) and not (is_order and sentence[:1].isupper()):
        return ""
    title = fitted(sentence, "")
    if not title or not _points(title):
        return ""
    context = heads[-1] if heads and len(heads[-1]) <= _MOST_CONTEXT else ""
    with_context = f"{context}: {title}"
    is_new = context and context.lower() not in title.lower()
    return with_context if is_new and len(with_context) <= SUMMARY_LENGTH else title
