"""Messages that name a problem and its solution: what is so now is the title, not what is gone.

Some projects write "Problem: …" and "Solution: …" into every message, and begin it with the
problem. So the subject says what is no longer true.
"""

from __future__ import annotations

import re

from recollect.capture.sentences import split_line
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import SUMMARY_LENGTH
from recollect.core.patterns import pattern
from recollect.importing.titles import fitted, one_line, stands
from recollect.importing.verbs import BASES

_PROBLEM = pattern(r"[*#\s]{0,6}problem\b[*\s]{0,4}:[*\s]{0,4}", re.IGNORECASE)
_SOLUTION = pattern(r"[*#\s]{0,6}solution\b[*\s]{0,4}:[*\s]{0,4}", re.IGNORECASE)
_ITEM = pattern(r"\s{0,12}(?:[-*+•]|\(?\d{1,2}[.)])\s")
# Who wrote it, and what it goes back to, at the end of a sentence.
_CREDIT = pattern(
    r"[ ,]{0,2}\((?:(?:after|closes|fixes|related|[A-Z])[^()\n]{0,100}\)?|[a-z][\w-]{2,20}\))\.?\Z"
)
_NAMES = pattern(r"[\w.]{0,40}(?:_\w|\(\)|::|[a-z][A-Z])|[`'\"][^\s`'\"]{2,40}[`'\"]|--\w")
_FEWEST, _FEWEST_NAMED = 6, 4  # words of a solution that says what it is about
_ADVERB = pattern(r"\A(?:always|never|only|still|also|do not|don't) ")
# A word that points at what only the problem names.
_LEANS = pattern(
    r"\b(?:it|them|that|this|these|those|correctly|properly|as well|too|code|accordingly)\b",
    re.IGNORECASE,
)
# A fault with a name, which can be fixed: "use-after-free in f()".
_FAULT = pattern(
    r"(?:\[security\]:?\s)?(?:possible |potential |a |an |the |another |heap |stack |buffer )*+"
    r"(?:use[- ]after[- ]free|double[- ]free|(?:buffer[- ]|integer |heap |stack |signed |int "
    r"|read )*+overflow|crash(?:es)?|(?:memory |resource |fd )?leak(?:s|ing)?(?: memory)?|deadlock"
    r"|race(?: condition)?|hang|infinite loop|out[- ]of[- ]bounds|null (?:pointer|dereference)"
    r"|invalid memory access|illegal memory access|data loss|regression"
    r"|(?:code|command|shell) injection)\b",
    re.IGNORECASE,
)
# "X may crash", "problem with X": a sentence about what went wrong, not a name of it.
_SAYS = pattern(
    r"\b(?:is|are|was|were|may|can|cannot|does|doesn't|do|has|have|will|fails?|not)\b",
    re.IGNORECASE,
)


class Solved(NamedTuple):
    """A text with what it names as the solution; the text has each of the two in one piece."""

    solution: str
    text: str


def solved_in(rest: str) -> Solved | None:
    """Return what a text below a subject names as the solution of its problem."""
    lines = rest.split("\n")
    problem = next((n for n, line in enumerate(lines) if _PROBLEM.match(line)), -1)
    solution = next((n for n, line in enumerate(lines) if _SOLUTION.match(line)), -1)
    if not 0 <= problem < solution:
        return None
    end = _end_of(lines, solution)
    said = _piece(lines[solution:end], _SOLUTION)
    if not said:
        return None
    was = _piece(lines[problem:solution], _PROBLEM)
    text = "\n".join((*lines[:problem], f"Problem: {was}", "", f"Solution: {said}", *lines[end:]))
    return Solved(one_line(said), text)


def _end_of(lines: list[str], start: int) -> int:
    """Return where the piece that begins at a line ends: at an empty line below a text."""
    is_said = _SOLUTION.sub("", lines[start], count=1).strip() != ""
    for number in range(start + 1, len(lines)):
        if lines[number].strip():
            is_said = True
        elif is_said:
            return number
    return len(lines)


def _piece(lines: list[str], label: re.Pattern[str]) -> str:
    """Return a piece without its label and its indentation; lists keep their lines."""
    kept = [label.sub("", lines[0], count=1).strip()]
    for line in lines[1:]:
        if _ITEM.match(line) or not line.strip() or not kept[-1]:
            kept.append(line.strip())
        else:
            kept[-1] = f"{kept[-1]} {line.strip()}"
    return "\n".join(kept).strip()


def title_of_solution(problem: str, area: str, solution: str) -> str:
    """Return a title that says what the solution is; empty if only the problem says about what.

    A fault with a name may be named: it was fixed.
    """
    said = _CREDIT.sub("", next(iter(split_line(solution)), "")).rstrip(" .,;:")
    verb = _ADVERB.sub("", said.lower()).partition(" ")[0]
    is_order = BASES.get(verb, "") == verb
    is_whole = bool(is_order and stands(f"{said[:1].upper()}{said[1:]}"))
    fault = _CREDIT.sub("", problem)
    if _FAULT.match(fault) and not _SAYS.search(fault):
        return _fixed(fault, said if is_whole and not _LEANS.search(said) else "")
    words = len(said.split())
    is_named = words >= _FEWEST_NAMED and _NAMES.search(said) is not None
    if not is_whole or not (is_named or words >= _FEWEST) or _LEANS.search(said):
        return ""
    return fitted(f"{said[:1].upper()}{said[1:]}" if not area else said, area)


def _fixed(fault: str, cure: str) -> str:
    """Return "Fix" and a fault, with its cure if there is room."""
    bare = fault.removeprefix("[security]").lstrip(": ")
    title = f"Fix {bare[:1].lower() if bare[1:2].islower() else bare[:1]}{bare[1:]}"
    whole = f"{title}: {cure[:1].lower()}{cure[1:]}" if cure and ": " not in title else title
    return fitted(whole if len(whole) <= SUMMARY_LENGTH else title, "")
