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
# Guides for those who work on the project, which explain as well.
_GUIDE = pattern(
    r"(?![^\n]*(?:neps?|peps?|rfcs?|proposals)/)(?:[^\n]*/)?(?:(?:contrib|process|internals?)/"
    r"[^\n.]{1,120}|(?:llm|ai)[-_](?:usage|polic\w{1,3})|development|develop|internals)"
    r"(?:\.(?:md|mdx|markdown|rst|txt|adoc))\Z",
    re.IGNORECASE,
)
# What names such a file, but says nothing to somebody who writes code.
_ASIDE = pattern(r"[^\n]*(?:trademark|privacy|cookie|brand|governance)", re.IGNORECASE)
# The norm: what must be, must not be, is not accepted, or is to be done or left.
_FORBIDS = pattern(
    r"(?:please )?(?:never|do not|don['’]t|avoid)\b|we (?:do not|don['’]t|never) (?!know|have)"
    r"|no (?!one\b)[^\n]{1,80}\b(?:must|may|shall|(?:is|are) (?:allowed|accepted|made|merged))\b"
    r"|[^\n]{1,200}\b(?:must|may|shall|should|can) (?:not|never)\b|[^\n]{1,200}(?:\bmustn['’]t"
    r"|\bshouldn['’]t|\bnot (?:be )?(?:allowed|accepted|permitted)"
    r"|\bwon['’]t (?:be )?(?:accept\w{0,2}|merged?)|\b(?:will|may) be (?:closed|rejected)"
    r"|\b(?:is|are) (?:\w{2,20}ly )?(?:forbidden|prohibited|banned|rejected)"
    r"|\bshould be avoided|\bno longer accept\w{0,2})\b",
    re.IGNORECASE,
)
_MUST = pattern(
    r"[^\n]{1,200}(?:\b(?:must(?!-)|shall|has to|have to|may only|can only)\b"
    r"|\b(?:is|are) mandatory\b)"
    r"|(?:please )?always [a-z]",
    re.IGNORECASE,
)
_SHOULD = pattern(
    r"[^\n]{1,200}\b(?:should (?:always |only |never |all )?(?!not\b)[a-z]"
    r"|(?:is|are) more important than)"
)
_SHOUTED = pattern(r"\b(?:MUST|NEVER|SHALL|DO NOT|NOT|SHOULD|ONLY|ALWAYS)\b")
# What greets, asks for kindness, points elsewhere, holds in one case only, or needs what was said
# before: no rule that stands alone.
_NOT_ALONE = pattern(
    r"(?:thank|welcome|feel free|if|when\w{0,4}|once|unless|until|before|after|while|during|in|on"
    r"|at|by|for|to|from|with|without|as|depending|occasionally|sometimes|usually|normally|typically"
    r"|your|they|others?|otherwise|see|most people|note|remember|remind\w{0,3}|there|are|is|must"
    r"|should|can|may|has|have|will|we did|run|first|then|next|finally|step|additional\w{0,2}"
    r"|the (?:target|following|latter|former|first|second|next|last|same|other|result|product)"
    r"|do not (?:worry|hesitate|forget|be afraid|feel|panic|expect)"
    r"|don['’]t (?:worry|hesitate|forget|be afraid|feel|panic|expect)"
    r"|never (?:mind|fear))(?!\w)|(?-i:[A-Z]{3,12})[/:]"
    r"|please (?!do not|don['’]t|never|always|avoid)|you (?!must\b|may not|should not)"
    r"|[^\n]{0,200}\b(?:ideally|as far as possible|when possible|if possible|where possible|try to"
    r"|probably|usually|generally|sometimes|as well|also|do your best"
    r"|not only|not (?:have|need) to|feel free|happy to"
    r"|should (?:now|see|look|be able|work|help|get|find|already)"
    r"|may not (?:be (?:able|possible)|have|know|work)|can not|click\w{0,3}|button"
    r"|you may have to)\b"
    r"|[^\n]{0,200}(?:https?://|\bwww\.|\[\w{1,4}\])",
    re.IGNORECASE,
)
# What everybody wants, or where to look.
_TRUISM = pattern(
    r"(?:please )?(?:look|see|read|check|consult|refer|follow|consider|try|think|ask|join|visit)\b"
    r"|[^\n]{0,120}\b(?:should|must) (?:always )?be (?:as )?(?:very )?(?:\w{3,16} and )?"
    r"(?:meaningful|descriptive|concise|clear|readable|short|simple|good|nice|easy|polite|respectful"
    r"|understandable|useful|helpful|considered|possible)\b[^`\d\n]{0,60}\Z"
    r"|[^\n]{0,200}\b(?:that|which|who) (?:the )?(?:users?|we|you|they|it)? ?(?:must|should|may)\b"
    r"|[^\n]{0,200}\b(?:them|they|their|mess|possible|egregiously|free of typos|more often)\b"
    r"|(?:\S{1,30} ){0,4}it\b|(?:most|many|the [\"“])"
    r"|[^\n]{0,200}\b(?:relevant|appropriate|respective|corresponding)\b[^\n]{0,30}\Z"
    r"|[^\n]{0,200}\b(?:described (?:there|here|above|below)|the \w{1,20} (?:above|below))\b",
    re.IGNORECASE,
)
_CASE = pattern(
    r"(?:once|when|during|if|before|after|for|in|unless|until) [^,\n]{3,80},"
    r" (?P<rest>[^\n]{15,300})",
    re.IGNORECASE,
)
_HANGS = pattern(r"\b(?:mostly|mainly|partly)\Z")
_HOW_TO = pattern(
    r"(?:getting started|install\w{0,8}|set[- ]?up\w{0,3}|running|your first|resources|quick ?start"
    r"|credits?|licen[sc]e|contact|community|acknowledg\w{0,6}|code of conduct|requirements)\b",
    re.IGNORECASE,
)
_LABEL = pattern(r"[^.:\n]{2,60}:\s+(?=[A-Z`])")
_MARKER = pattern(r"\A\s{0,8}(?:[-*+•]|\(?\d{1,3}[.)])\s+")
_NEXT_ITEM = pattern(r"\n(?=\s{0,8}(?:[-*+•]|\(?\d{1,3}[.)])\s)")
_CODE = pattern(r"```|~~~|\||<|\$ |>|#|\.\. |:::|\{%|\t")
_MOST_SECTION = 40_000
_FEWEST_OF_WISH = 8  # words of what only should be, if it names nothing from the code
_NAMES_CODE = pattern(r"[`\d'\"]|\w_\w|\w\(\)|[a-z][A-Z]")
_FEWEST_WORDS, _MOST_CONTEXT = 6, 45
_MOST_SENTENCE = 400
# Headings that say nothing about what is below them.
_NO_CONTEXT = pattern(
    r"[^\n]{0,80}[:?]|(?:step|get started|following up|general|guide\w{0,6}|rules?|overview|notes?"
    r"|misc\w{0,9}|introduction|other|conventions?|alignment)\b",
    re.IGNORECASE,
)


def is_for_contributors(path: str) -> bool:
    """Whether a document is for those who work on the project."""
    return _FOR_THEM.match(path) is not None or is_guide_for_contributors(path)


def is_guide_for_contributors(path: str) -> bool:
    """Whether a document is a guide for those who work on the project, besides its rules."""
    return _GUIDE.match(path) is not None and _FOR_THEM.match(path) is None


def rules_in(file: TextFile) -> Iterator[Item | Skipped]:
    """Yield the rules of a document, each with the paragraph that it stands in."""
    seen: set[str] = set()
    if _ASIDE.match(file.path):
        return
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
        points = norm_in(sentence)
        title = _title(sentence, heads) if points > 0 else ""
        if title and (best is None or points > best[0]):
            best = points, title, sentence
    if best is None or text.endswith(":"):
        return None
    points, title, sentence = best
    kind = "constraints" if _FORBIDS.match(sentence) or _MUST.match(sentence) else "preferences"
    identity = f"{file.path}#{'/'.join(heads)[-120:]}#{named_by(sentence)}"
    where = f"section “{heads[-1]}”" if heads else ""
    score = min(0.9, 0.5 + 0.1 * points + 0.05 * gives_reason(text))
    return item_of_file(file, identity, title, text, kind, score, where=where)


def norm_in(sentence: str) -> float:
    """Return how strongly a sentence demands something; nothing if it is no rule."""
    sentence = sentence.strip()[:_MOST_SENTENCE]
    if len(sentence.split()) < _FEWEST_WORDS or _NOT_ALONE.match(sentence) or "?" in sentence[-2:]:
        return 0.0
    if _TRUISM.match(sentence):
        return 0.0
    strong = bool(_FORBIDS.match(sentence)) or bool(_MUST.match(sentence))
    is_bare = len(sentence.split()) < _FEWEST_OF_WISH and not _NAMES_CODE.search(sentence)
    if not strong and is_bare:
        return 0.0
    points = 2.0 * strong or 1.0 * bool(_SHOULD.match(sentence) is not None)
    return points + 1.0 * bool(points and _SHOUTED.search(sentence))


def is_conditional_norm(sentence: str) -> bool:
    """Whether a sentence says what must be in a case: "Once X is released, Y must stay"."""
    case = _CASE.match(sentence[:_MOST_SENTENCE])
    rest = case["rest"] if case else ""
    is_norm = bool(_FORBIDS.match(rest) or _MUST.match(rest)) and not _TRUISM.match(rest)
    return is_norm and stands(f"{rest[:1].upper()}{rest[1:]}") and not rest.startswith("you")


def _title(sentence: str, heads: list[str]) -> str:
    """Return a rule as a title, under its heading if there is room; empty if it needs others."""
    sentence = sentence.rstrip(" .")
    is_order = _FORBIDS.match(sentence) and sentence.lower().startswith(("please ", "we "))
    if not stands(sentence) and not (is_order and sentence[:1].isupper()):
        return ""
    title = fitted(sentence, "")
    if not title or not norm_in(title) or _HANGS.search(title):
        return ""
    context = heads[-1] if heads and len(heads[-1]) <= _MOST_CONTEXT else ""
    context = "" if _NO_CONTEXT.match(context) else context
    with_context = f"{context}: {title}"
    is_new = context and context.lower() not in title.lower()
    return with_context if is_new and len(with_context) <= SUMMARY_LENGTH else title
