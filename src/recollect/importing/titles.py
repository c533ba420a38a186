"""Titles of imported memories: what authors wrote, if it stands alone, in 100 characters."""

from __future__ import annotations

import re

from recollect.capture.sentences import split_line
from recollect.core.document import slugify
from recollect.core.note import SUMMARY_LENGTH
from recollect.core.patterns import pattern
from recollect.importing.verbs import first_verb, has_verb, said_of_change

_PARENS = pattern(r"\s{1,3}\([^()]{1,200}\)")  # not those of a call
_FINITE = pattern(
    r"(?<![\w-])(?:is|are|was|were|isn't|aren't|now|no longer|should|must|can|cannot|can't|could"
    r"|does|doesn't|do|don't"
    r"|has|have|had|will|won't|would|needs?|returns?|requires?|uses?|causes?|breaks?|gets?|makes?"
    r"|became|fails?"
    r"|supports?|allows?|takes?|means|contains?|leads?|results?|happens?|works?|depends?|became"
    r"|caused|broke)(?![\w-])"
)
_LEANING = pattern(
    r"(?:please|nevertheless|in fact|while|although|though|below|above|this|that|these|those|it|its"
    r"|they|them|he|she|here|there|so|but|and|or|also|however"
    r"|therefore|thus|then"
    r"|hence|instead|otherwise|yet|note|e\.g|i\.e|for example|in addition|as a result|which"
    r"|because|since|if so"
    r"|unfortunately|luckily|now|similarly|likewise|furthermore|moreover|besides|again"
    r"|additionally|first|second"
    r"|finally|later|previously|the (?:same|above|latter|former|previous|following|first|second"
    r"|other)|both|such"
    r"|one|another|all of|some of|after (?:this|that)|before (?:this|that)|with (?:this|that)"
    r"|in (?:this|that)"
    r"|let's|let us|i|i'm|i've|we|in other words|in particular|especially|see|thanks|todo|fixme"
    r"|per|as)\b",
    re.IGNORECASE,
)
# What stands before a colon and is no part of the program.
_LABEL = pattern(
    r"(?:optimi[sz]ations?|bug ?fix(?:es)?|improvements?|perf(?:ormance)?|feature|refactor(?:ing)?"
    r"|core|all|misc"
    r"|general|lib|deps|dependencies|cleanup|security|fix(?:es)?|global|main|src|treewide|internal"
    r"|various|\*|note"
    r"|breaking(?: change)?|deprecat\w+|major|minor|patch|hotfix|important|new|changed?|added"
    r"|backport|pr|issue"
    r"|style|crate|pkg|project|api|rfc)\Z",
    re.IGNORECASE,
)
_SPACES = pattern(r"\s+")
_CLAUSE = pattern(
    r",? (?:because|since|so that|in order to|due to|caused by)\b|, (?:so|but|and|which)\b|[;]\s"
    r"| [-–—]{1,2} "
)
# A clause that ends so breaks off: "created a bug in which …".
_HANGING = pattern(
    r"\b(?:in|on|of|to|for|from|by|with|at|and|or|the|an?|through|during|after|just|only|indicate)\Z"
)
_TICKET_END = pattern(r"#\d{1,7}\Z")  # "caused by #2810", which …
# "`f` implementing a function": a line of a list that something announced.
_FRAGMENT = pattern(r"`[^`\n]{1,100}`,? \w{2,20}ing\b")
_SENTENCES = 5  # of a paragraph that a title is looked for in
_TELLS = pattern(
    r"\b(?:because|since|so that|not|no longer|never|always|must|cannot|instead|rather than"
    r"|avoid\w*|deprecat\w+"
    r"|remov\w+|only|should|unless|require\w*|default|incompatible|unsupported|fails?)\b"
)
_POINTING = pattern(
    r"\b(?:this|these|those|above|below|following|aforementioned|here|such|mentioned)\b",
    re.IGNORECASE,
)
_PAST = pattern(
    r"\b(?:and before|used to|previously|originally|formerly|in the past|until now|historically"
    r"|at first|initially)\b|\b[Bb]efore v?\d"
)
_PRESENT = pattern(r"\b(?:now|no longer|not anymore|instead)\b")
# A participle says what was done: "Client timeout handling improved".
_DONE = pattern(
    r"\b[a-z]{2,20}ed(?=\Z| (?:in|to|by|from|for|on|when|if|with|as|at|into|out|off)\b)"
)
# Somebody did something: news, not what is true of the program.
_PERSON = pattern(
    r"[A-Z][a-z]{1,20} (?:[A-Z][\w.-]{0,20} ){1,2}(?:has|have|had|is|was|found|reported|provided"
    r"|pointed|made|noticed|brought|fixed|added|and|discovered|wrote|did|helped)\b|[A-Z][a-z]{1,20}"
    r" (?:[A-Z][\w-]{1,20}['’]s?|[A-Z][\w-]{1,20} at )"
)
_OTHER_CHANGE = pattern(r"\bthe (?:change|fix|patch|commit)s? (?:for|from|in|of)\b", re.IGNORECASE)
_CODE_WORD = pattern(r"[^\s,]{0,60}(?:[_().:/=-]|[a-z][A-Z]|::)|[^\s,]{1,30},[^\s:]{1,60}:")
_ENUMERATED = 40  # characters before an "and" that a comma makes the end of a list
_NAMING = 6  # words that name a text
_SHORTEST = 25  # characters of a sentence that says something


def one_line(text: str) -> str:
    """Return a text with single spaces."""
    return _SPACES.sub(" ", text).strip()


def named_by(text: str) -> str:
    """Return a name for a text, by its first words: it stays if the rest changes."""
    return slugify(" ".join(text.split()[:_NAMING]))


def is_statement(text: str) -> bool:
    """Whether a text states something: it has a verb, and needs nothing before it."""
    says = _FINITE.search(text) or has_verb(text)
    return bool(says) and len(text.split()) > 3 and not _LEANING.match(text)


def is_sentence(title: str) -> bool:
    """Whether a title says what was done or what is so, and points at nothing outside it."""
    says = first_verb(title) or _FINITE.search(title) or has_verb(title) or _DONE.search(title)
    leans = _POINTING.search(title) or _OTHER_CHANGE.search(title) or _PERSON.match(title)
    return bool(says) and not leans


def tells(title: str) -> bool:
    """Whether a title gives a reason or a rule."""
    return _TELLS.search(title) is not None


def is_past(sentence: str) -> bool:
    """Whether a sentence tells how something was before."""
    return _PAST.search(sentence) is not None and _PRESENT.search(sentence) is None


def stands(sentence: str) -> bool:
    """Whether a sentence needs nothing before it."""
    return (
        sentence[:1].isupper()
        and not _LEANING.match(sentence)
        and not _POINTING.search(sentence)
        and not sentence.endswith((":", "?"))
    )


def fitted(sentence: str, area: str) -> str:
    """Return a sentence as a title: with its area, and short enough; empty if it cannot be."""
    sentence = one_line(sentence).rstrip(" .")
    is_broken = sentence.endswith((":", ",", "(", "…", "+", "&", "=")) or "•" in sentence
    if is_broken or not _is_closed(sentence):
        return ""
    is_plain = area and 1 < len(area) <= 32 and not _LABEL.match(area)
    if is_plain and not _begins_with(sentence, area):
        with_area = f"{area}: {sentence}"
        if len(with_area) <= SUMMARY_LENGTH:
            return with_area
    if len(sentence) > SUMMARY_LENGTH:
        sentence = _PARENS.sub("", sentence)
    if len(sentence) > SUMMARY_LENGTH:
        sentence = _cut(sentence)
    return capitalized(sentence)


def _begins_with(sentence: str, area: str) -> bool:
    """Whether a sentence names its area first; later, it may be a part of something else."""
    start = sentence.lower().removeprefix("the ")
    after = start[len(area) :][:1]
    return start.startswith(area.lower()) and not after.isalnum()


def capitalized(sentence: str) -> str:
    """Return a sentence with a capital letter, unless it begins with a name from code."""
    return sentence if _CODE_WORD.match(sentence) else sentence[:1].upper() + sentence[1:]


def _cut(sentence: str, most: int = SUMMARY_LENGTH) -> str:
    """Return the first clauses of a long sentence; empty if they do not make one."""
    ends = [m.start() for m in _CLAUSE.finditer(sentence) if 30 <= m.start() <= most]
    for end in reversed(ends):
        said = sentence[:end]
        if sentence.startswith(", and", end) and "," in said[-_ENUMERATED:]:
            continue  # the last of several things
        if _HANGING.search(said) or _TICKET_END.search(said):
            continue
        if _is_closed(said) and said.count("`") % 2 == 0 and said.count('"') % 2 == 0:
            return said
    return ""


def _is_closed(sentence: str) -> bool:
    """Whether each bracket is closed; a sentence may have been split in the middle of one."""
    return all(sentence.count(a) == sentence.count(b) for a, b in ("()", "[]", "{}", "“”"))


def statement_in(paragraph: str) -> str:
    """Return a title from the first sentences of a paragraph; empty if none makes one.

    Of several, one that gives a reason or a rule is the title.
    """
    found = []
    for sentence in split_line(paragraph)[:_SENTENCES]:
        sentence = sentence.rstrip(" .")
        done = said_of_change(sentence)
        if done:
            found.append(fitted(done, ""))
        elif len(sentence) >= _SHORTEST and is_statement(sentence) and stands(sentence):
            found.append(fitted(sentence, ""))
    titles = sorted((title for title in found if title), key=is_past)
    return next((title for title in titles if _TELLS.search(title)), titles[0] if titles else "")


_OURSELVES = pattern(r"(?:we|our)\b", re.IGNORECASE)
# One of several steps, which says nothing without the others.
_STEP = pattern(r"\(?\d{1,2}[.)]\s|[^\n]{1,200},? \d{1,2}\Z")
# What is reserved or guaranteed stands in other sentences.
_RESERVED = pattern(r"\b(?:to do|make|address|guarantee) such\b", re.IGNORECASE)
# How to use something; and what a sentence before it began.
_ADVICE = pattern(
    r"(?:you|your|if you|please|when you|for (?:more|details|instance)|make sure|only when)\b"
    r"|[^\n]{0,60}\b(?:also|however|as well)\b",
    re.IGNORECASE,
)


def section_title(text: str, context: str) -> str:
    """Return a sentence of a section that says something, under what it is about.

    One that gives a reason or a rule, else the first; empty if no sentence says something.
    """
    sentences = split_line(text.replace("\n", " "))[:_SENTENCES]
    found = list(filter(None, (_under(sentence, context) for sentence in sentences)))
    return next(filter(tells, found), found[0] if found else "")


def _under(sentence: str, context: str) -> str:
    """Return a sentence as a title, under what it is about; empty if it makes none."""
    sentence = sentence.rstrip(" .")
    leans = not stands(sentence) and not (context and _OURSELVES.match(sentence))
    if (
        _STEP.match(sentence)
        or leans
        or len(sentence) < _SHORTEST
        or _ADVICE.match(sentence)
        or (": " in sentence and not is_statement(sentence.partition(": ")[0]))
        or _RESERVED.search(sentence)
    ):
        return ""
    sentence = sentence.partition(": ")[0]  # what it says, without the details
    room = SUMMARY_LENGTH - len(context) - 2
    said = sentence if len(sentence) <= room else _cut(sentence, room)
    is_whole = len(said) >= _SHORTEST and (_FINITE.search(said) or has_verb(said))
    is_ours = _OURSELVES.match(sentence) is not None
    if context and is_whole and (is_ours or context.lower() not in said.lower()):
        return f"{context}: {said}"
    if is_ours:
        return ""
    title = fitted(sentence, "")
    return title if is_sentence(title) else ""


def entry_title(text: str, version: str = "") -> str:
    """Return the first sentence of an entry, and its version if there is room for it.

    Empty if it says too little, or needs something before it.
    """
    sentence = next(iter(split_line(text)), "").rstrip(" .")
    count = len(sentence.split())
    is_said = count > 2 if first_verb(sentence) else count > 3 and not _LEANING.match(sentence)
    is_said = is_said and not _FRAGMENT.match(sentence)
    title = fitted(sentence, "") if is_said else ""
    if len(title) < len(sentence) and not is_sentence(title):
        return ""  # the clause that is left says nothing
    with_version = f"{title} ({version})"
    has_room = title and version and len(with_version) <= SUMMARY_LENGTH
    return with_version if has_room else title
