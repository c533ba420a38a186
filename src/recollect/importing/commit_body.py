"""The text below the subject of a commit: without trailers, and short enough for a memory."""

from __future__ import annotations

import re
from typing import Final

from recollect.core.patterns import pattern
from recollect.importing.reasons import reasons_in
from recollect.importing.titles import is_statement
from recollect.importing.verbs import first_verb

MOST_BODY: Final = 2_400  # characters of a memory's body
# Characters and lines of code that a body keeps, and of code that a sentence goes on with.
_MOST_CODE, _MOST_LINES = 500, 10
_MOST_SAID, _MOST_SAID_LINES = 1_000, 20
_MOST_ROWS = 2  # lines of a table
_GAP = "…"
TRAILER: Final = pattern(
    r"(?:[A-Z][A-Za-z]{1,20}(?:-[A-Za-z]{1,20}){1,4}|Bug|Ref|Refs|Fixes|Closes|CC|Cc|URL|Link"
    r"|Issue|PR"
    r"|Change-Id|Reviewed|Assisted-by|Ticket|Backport|Backports|Test|See|Thanks|CLA|References"
    r"|Origin|Obtained from|Author|Date|Differential Revision)(?:: "
    r"|:\Z)[^\n]{0,400}\Z"
)
_CLOSING = pattern(
    r"(?:(?:also|this|it|which) )?(?:will )?(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|references"
    r"|refs?"
    r"|see|part of|related to|follow-?up (?:to|of|for)|re|pr|issue|bug|addresses)\b[ :]*+"
    r"(?:(?:https?://\S{1,200}+|[\w/-]{0,60}#\d{1,7}+|gh-\d{1,7}+|[0-9a-f]{7,40}+"
    r"|\d{1,7}+)(?![\w#])"
    r"[,. ]*+(?:and |& )?+){1,8}+\Z",
    re.IGNORECASE,
)
_NOISE = pattern(
    r"\(cherry picked from commit|backport of [0-9a-f]{7,40}|git-svn-id:|\[?skip ci\]?|-{3,}\Z"
    r"|={3,}\Z"
    r"|conflicts:\Z|#\s*conflicts|#\t\S"
    r"|closes #|fixes #|generated with|\(merged from\b|merge ?date\b"
    r"|[0-9a-f]{7,40} \[[^\]\n]{1,60}\] \S"  # a squashed commit with its author
    r"|[a-z]\w{1,15}: <?https?://\S{1,300}\Z"  # a label, as in "RFC: https://…"
    r"|\W{0,3}have a nice day"
    r"|this patch had conflicts when merged|committer: "
    r"|branch : |🤖"
    r"|(?:goos|goarch|pkg|cpu): \S"  # above the figures of a benchmark
    r"|!\[[^\]\n]{0,100}\]\([^)\n]{0,300}\)\Z"
    r"|<!--",
    re.IGNORECASE,
)
# What a conversion from Mercurial writes below a message, for machines.
_MERCURIAL = "--HG--"
_LINK = pattern(r"\[[^\]\n]{0,100}\]\([^)\n]{0,300}\)\Z")
# Who helped; it may go on in the next line.
_CREDIT = pattern(
    r"(?:many |big )?thanks\b|thank you\b|found by|patch by|(?:reported|reviewed|submitted|approved"
    r"|tested|contributed|signed[ -]off|acked|suggested|noticed|pointed out|discovered"
    r"|originally)[ -]by\b"
    r"|(?:(?:co-?)?authors?|(?:review|test|report|contribut|committ|approv)[eo]rs?)[ ]?:(?: |\Z)",
    re.IGNORECASE,
)
# How it was tested: until the next empty line.
_TESTED = pattern(r"(?:testing|test plan|tested|tests|testing done)(?::|\Z)", re.IGNORECASE)
# Its heading in a template for pull requests: until the next heading.
_TEST_HEADING = pattern(
    r"#{1,4} (?:how (?:should|can|do|did|to|was|has)\b[^\n]{0,40}\btest|test(?:ing|s|ed)?\b"
    r"|check-?list)",
    re.IGNORECASE,
)
# A picture, as editors of pull requests write it; its attributes may go on in the next lines.
_IMAGE = pattern(
    r"<(?:img|video|details|summary|br|p|div)\b[^<>]{0,600}>|</(?:details|summary|p|div)>"
)
# An item of a checklist in a pull request, and what announces the list.
_CHECK = pattern(r"[-*+] \[[ xX]{0,3}\](?: |\Z)")
_CHECKS = pattern(
    r"this (?:pull request|pr|change|patch) (?:is|has|contains|includes):\Z", re.IGNORECASE
)
_WRAPPED = 50  # characters of a line that goes on in the next
_SENTENCE_ENDS = (".", "!", "?", ")", ">")
# Addresses, ids and numbers, and nothing about them. Dropped at the end of a text; elsewhere a
# sentence may go on around them.
_ADDRESS = pattern(r"<?https?://\S{1,300}\Z")
_BARE = pattern(
    r"(?:(?:and|also|commits?|reverts?|this|see|in|of)\b[ ,]*+|[0-9a-f]{7,40}\b[ ,.]*+"
    r"|#\d{1,7}\b[ ,.]*+|[,.;()&][ ]?){1,40}+\Z",
    re.IGNORECASE,
)
# Headings of templates for pull requests.
_TEMPLATE = pattern(
    r"[ \t]*#{1,4}[ \t]+(?:motivation|solution|description|summary|changes?|context|background"
    r"|problem|rationale|why|what|overview|details?|approach|fix|cause|root cause|notes?"
    r"|implementation|what does this (?:pr|patch|pull request)|additional)\b[^\n]{0,40}\Z",
    re.IGNORECASE,
)
# Columns of figures, or of anything.
_ROW = pattern(
    r"[^\n]{0,200}(?:±|\d[ \t]?(?:[nµm]s|B|allocs)/op\b)"
    r"|(?:[^\s|][^\n|]{0,60}?(?:[ ]{3,}|[ ]?\t[ \t]*)){2,}+\S"
)
# What debuggers and sanitizers print.
_OUTPUT = pattern(r"==\d{1,7}==|[ \t]{0,8}#\d{1,3}[ \t]{1,3}0x|[ \t]{0,8}at 0x|Traceback \(")
_SQUASHED = pattern(r"^\* [^\n]{1,72}$", re.MULTILINE)
_MANY_SQUASHED = 3
# Of squashed commits, one about tests or looks tells nothing.
_OF_TESTS = pattern(r"\b(?:tests?|lint\w{0,3}|typos?|formatting|CI|review)\b", re.IGNORECASE)
_AREA = pattern(r"[\w./, -]{1,30}(?:\([\w ./-]{1,30}\))?:\s")
_NAME = pattern(r"\w{4,}")
_STEM = 5  # letters of a word that are compared
_MANY_ORDERS, _MOSTLY = 4, 0.7  # lines such as "add a flag", and their share of all
_SEVERAL = 2  # of them have a text of their own
_LISTED = pattern(r"[ \t]{0,12}(?:[-*•+]|\(?[a-z\d]{1,2}[.)])[ \t]+(?=\S)")
_BROKEN_OFF = pattern(
    r"(?:\s|\A)(?:an?|the|of|in|to|for|and|or|but|with|because|next|can|will|is|are|that|which|by|on"
    r"|as|from|at|see)\s{0,5}\Z",
    re.IGNORECASE,
)
_APART = frozenset("-*+• \t")  # how lines of lists and of code begin
_LAST_WORD = 16  # characters
_SENTENCE_END = pattern(r"[.!?](?=\s)")


def prose_of(rest: str, subject: str) -> str:
    """Return what a message says below its subject, without trailers, references and thanks.

    Of commits that were squashed, a subject stays only if text of its own follows it, and both stay
    only if they are about the same thing as the subject of the whole.
    """
    lines = _without_noise(_IMAGE.sub("", rest).split("\n"))
    if not _is_squashed(lines):
        return "\n".join(lines).strip("\n")
    announced = _announced(lines)
    are_many = sum(1 for line in lines if _SQUASHED.match(line)) >= _MANY_SQUASHED
    about = _names_in(subject)
    kept: list[str] = []
    part = 0  # where the text below the line begins in `kept`
    has_text = False  # below the line
    for line, is_listed in zip(reversed(lines), reversed(announced), strict=True):
        if _SQUASHED.match(line) and not is_listed:
            is_told, has_text = has_text, False
            start, part = part, len(kept)
            is_same = subject.startswith(line[2:].strip())
            is_apart = are_many and is_told and not is_same and not kept[-1].strip()
            if is_apart and (_OF_TESTS.search(line) or not about & _names_in(line)):
                del kept[start:]
                part = start
                continue
            if not is_told or is_same:
                continue
            line = line[2:]
            part += 1
        elif line.strip():
            has_text = True
        kept.append(line)
    return "\n".join(reversed(kept)).strip("\n")


def _names_in(subject: str) -> set[str]:
    """Return the beginnings of the longer words of a subject, without its area."""
    said = subject.removeprefix("* ")
    area = _AREA.match(said)
    return {word[:_STEM].lower() for word in _NAME.findall(said[area.end() :] if area else said)}


def _without_noise(lines: list[str]) -> list[str]:
    kept: list[str] = []
    is_credit = False  # it goes on
    is_tested = is_below = False  # a line, or a heading, that says how it was tested
    is_checked = False  # in an item of a checklist
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare == _MERCURIAL:
            break
        if bare.startswith("#"):
            is_below = _TEST_HEADING.match(bare) is not None
        is_inside = is_checked and (not bare or line[:1].isspace())
        is_checked = is_inside or _CHECK.match(bare) is not None
        if is_below or is_checked or _CHECKS.match(bare):
            continue
        if not bare:
            is_credit = is_tested = False
        elif is_tested or _TESTED.match(bare):
            is_tested = True
            continue
        elif is_credit or _CREDIT.match(bare):
            is_wrapped = len(bare) >= _WRAPPED and not bare.endswith(_SENTENCE_ENDS)
            is_credit = is_wrapped or bare.endswith(",")
            continue
        elif _is_noise(bare) or (_LINK.match(bare) and not _in_sentence(lines, number)):
            continue
        kept.append(line.rstrip())
    while kept and (not kept[-1] or _ADDRESS.match(kept[-1].strip())):
        kept.pop()
    return kept


def _in_sentence(lines: list[str], number: int) -> bool:
    """Whether a line that is only a link has prose above or below it, of which it is a part."""
    around = (line.strip() for line in lines[max(0, number - 1) : number + 2])
    return any(bare and not _LINK.match(bare) and not _is_noise(bare) for bare in around)


def _is_noise(bare: str) -> bool:
    return bool(
        TRAILER.match(bare)
        or _CLOSING.match(bare)
        or _NOISE.match(bare)
        or _BARE.match(bare)
        or _TEMPLATE.match(bare)
    )


def is_of_many(rest: str) -> bool:
    """Whether a text is the messages of several commits, one below the other."""
    lines = [line for line in rest.split("\n") if line.strip()]
    orders = [line for line in lines if first_verb(line) and not line.rstrip().endswith(".")]
    if len(orders) >= max(_MANY_ORDERS, _MOSTLY * len(lines)):
        return True
    heads = [n for n, line in enumerate(lines) if _SQUASHED.match(line)]
    texts = sum(1 for n in heads if n + 1 < len(lines) and not lines[n + 1].startswith(("*", " ")))
    return len(heads) >= _MANY_SQUASHED and texts >= _SEVERAL


def _is_squashed(lines: list[str]) -> bool:
    """Whether a text lists the subjects of commits: many, or one that stands alone."""
    if sum(1 for line in lines if _SQUASHED.match(line)) >= _MANY_SQUASHED:
        return True
    around = ["", *lines, ""]
    return any(
        _SQUASHED.match(line) and not around[n] and not around[n + 2]
        for n, line in enumerate(lines)
    )


def _announced(lines: list[str]) -> list[bool]:
    """Return, for each line, whether it is in a list that a colon announces."""
    found: list[bool] = []
    is_announced = False
    for line in lines:
        if line.strip() and not line[0].isspace() and not _LISTED.match(line):
            is_announced = line.rstrip().endswith(":")
        found.append(is_announced)
    return found


def shortened(prose: str, most: int = MOST_BODY) -> str:
    """Return a text in whole paragraphs: of a long one, those that give the reasons."""
    units = _units(_without_code(prose))
    if not units:
        return ""
    chosen = _chosen(units, most)
    parts: list[str] = []
    for number in sorted(chosen):
        if parts and number - 1 not in chosen:
            parts.append(_GAP)
        parts.append(units[number])
    text = "\n\n".join(parts)
    return _finished(text if len(text) <= most else _cut(text, most))


def _finished(text: str) -> str:
    """Return a text without a last sentence that breaks off, as after an address that is gone."""
    if not _BROKEN_OFF.search(text[-_LAST_WORD:]):
        return text
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]] if ends else text


def _chosen(units: list[str], most: int) -> set[int]:
    """Return the paragraphs that fit: the first, then those with most reasons, the last before."""
    if sum(len(unit) + 2 for unit in units) <= most:
        return set(range(len(units)))
    last = len(units) - 1
    rest = sorted(range(1, last + 1), key=lambda n: (-reasons_in(units[n]) - (n == last), n))
    chosen, size = {0}, len(units[0])
    for number in rest:
        if size + len(units[number]) + 2 * len(_GAP) + 4 <= most:
            chosen.add(number)
            size += len(units[number]) + 2 * len(_GAP) + 4
    return chosen


def _cut(text: str, most: int) -> str:
    """Return the start of a text that is too long: whole sentences, or lines, or words."""
    start = text[: most - 1]
    ends = [found.end() for found in _SENTENCE_END.finditer(start)]
    if ends and ends[-1] > most // 3:
        return start[: ends[-1]]
    line = start.rfind("\n")
    cut = start[:line] if line > most // 2 else start.rsplit(" ", 1)[0]
    return f"{cut.rstrip()}{_GAP}"


def _units(text: str) -> list[str]:
    """Return paragraphs, each with the list that it announces."""
    units: list[str] = []
    is_open = False  # the last one goes on
    for block in text.split("\n\n"):
        block = block.strip("\n")
        if not block.strip():
            continue
        if block == _GAP:  # code was here; what announced it goes, too
            if units and units[-1].endswith(":"):
                units[-1] = _unannounced(units[-1])
            is_open = False
            continue
        is_item = _LISTED.match(block) is not None
        if units and (units[-1].endswith(":") or (is_open and is_item)):
            is_open = is_item
            units[-1] = f"{units[-1]}\n\n{block}"
        else:
            is_open = False
            units.append(block)
    if units and units[-1].endswith(":"):  # what it announces is gone
        units[-1] = _unannounced(units[-1])
    return [unit for unit in units if unit]


def _unannounced(block: str) -> str:
    """Return a paragraph without the sentence at its end that announces something."""
    ends = [match.end() for match in _SENTENCE_END.finditer(block)]
    return block[: ends[-1]] if ends else ""


def _without_code(prose: str) -> str:
    """Return prose without long code and tables, which the commit has anyway; lists are no code."""
    lines: list[str] = []
    run: list[str] = []
    in_list = False
    for line in [*prose.split("\n"), ""]:
        if _LISTED.match(line):
            in_list = True
        elif line and not line[0].isspace():
            in_list = False
        is_code = (
            line.startswith((">", "$ "))
            or (line.startswith("|") and line.rstrip().endswith("|"))
            or _OUTPUT.match(line) is not None
            or (line.startswith(("    ", "\t")) and not in_list)
        )
        if is_code or (_ROW.match(line) and not in_list) or (run and not line):
            run.append(line)
            continue
        said = next((before for before in reversed(lines) if before), ".")
        if run and _is_kept(run, goes_on=not said.endswith(_SENTENCE_ENDS)):
            lines += run
        elif run:
            lines += ["", _GAP, ""]
        run = []
        lines.append(line)
    parts = "\n".join(lines).split("```")
    return "".join(
        part if number % 2 == 0 else f"```{part}```" if _is_told(part) else f"\n\n{_GAP}\n\n"
        for number, part in enumerate(parts)
    )


def _is_told(fenced: str) -> bool:
    """Whether fenced code is short, and not empty without its tables."""
    language, newline, code = fenced.partition("\n")
    left = (code if newline else language).replace(_GAP, "")
    return left.strip() != "" and _is_short(fenced)


def _is_kept(run: list[str], *, goes_on: bool) -> bool:
    """Whether code is short enough to keep; more, if the sentence before it goes on with it."""
    if sum(1 for line in run if _ROW.match(line)) > _MOST_ROWS:
        return False
    code = "\n".join(run)
    is_said = len(code) <= _MOST_SAID and code.count("\n") <= _MOST_SAID_LINES
    return (goes_on and is_said) or _is_short(code)


def _is_short(code: str) -> bool:
    return len(code) <= _MOST_CODE and code.count("\n") <= _MOST_LINES


def _says(line: str) -> bool:
    if line[:1] not in _APART:
        return True
    said = line.lstrip("-*+• \t")
    return is_statement(said) and not first_verb(said)


def length_told(prose: str) -> int:
    """Return the length of prose.

    A list of what was done explains nothing, however long it is; a list of statements does. So it
    is with the subjects of squashed commits, one in a paragraph.
    """
    return sum(
        len(line)
        for block in prose.split("\n\n")
        if "\n" in block.strip() or block.rstrip().endswith((".", ":")) or not first_verb(block)
        for line in block.split("\n")
        if _says(line)
    )
