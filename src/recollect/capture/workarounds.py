"""Finds the way round: what a command that passes has, and the same command that failed had not.

A way round is an option (`--legacy-peer-deps`), a variable (`NODE_OPTIONS=…`), a pinned version, or
`|| true`. Options that only change what is shown are none. If nothing else happened between the
failure and the success, any other option is one, too, and a command that now runs first is a cure.
"""

from __future__ import annotations

from itertools import takewhile

from recollect.capture.commands import (
    is_check,
    main_part,
    only_looks,
    parts_of,
    repairing_parts,
    task_of,
    words_of,
)
from recollect.capture.sentences import words
from recollect.core.patterns import pattern

_MOST_SHOWN = 60
_MOST_ARGUMENTS = 3
_WAY = pattern(
    r"--(?:force|legacy|ignore|skip|no-|disable|allow|unsafe|insecure|trusted-host|break-system"
    r"|openssl-legacy|skipLibCheck|without|accept-)[\w-]{0,40}(?:=\S{0,40})?\Z"
)
_ONLY_SHOWS = pattern(
    r"--no-(?:colou?r|header|progress|pager|summary|cov|coverage|edit|ff|banner|fund|audit|input|tty"
    r"|interaction|stat|patch|ext-diff|optional-locks)\b|--(?:ignore-case|skip-worktree)"
)
_SHOWS = pattern(
    r"--(?:verbose|debug|quiet|silent|trace|stacktrace|traceback|tb|colou?rs?|info|logs?|log-level"
    r"|reporters?|format|output|json|durations|maxfail|bail|last-failed|stepwise|watch|progress"
    r"|plain|rerun-tasks)(?:[=-]\S{0,40})?\Z"
)
_VARIABLE = pattern(
    r"(?:export\s+)?([A-Z_][A-Z0-9_]{1,60})=('[^']{0,200}'|\"[^\"]{0,200}\"|\S{0,200})"
)
_PLAIN_VARIABLES = words(
    "CI PAGER GIT_PAGER NO_COLOR FORCE_COLOR CLICOLOR TERM COLUMNS DEBUG VERBOSE RUST_BACKTRACE"
    " RUST_LOG LOG_LEVEL LC_ALL LANG PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED"
)
_PINNED = pattern(
    r"(?P<name>@?[\w./-]{1,100}?)(?:\[[\w,-]{1,60}\])?(?P<version>(?:[=<>~!]=?|@).{1,60})\Z"
)
_INSTALLS = words("install add i require get")
_IGNORES = pattern(r"\|\|\s{0,9}(?:true|:)(?:\s|;|\)|\Z)")


def difference(failed: str, passed: str, *, is_all: bool) -> tuple[list[str], str]:
    """Return the cures in the command line that passes, and its way round the failure.

    `is_all`: nothing else happened between the two, so whatever differs is what helped.
    """
    main = main_part(passed)
    cures, way = repairing_parts(passed, but=main), way_round(failed, passed)
    if is_all and not cures and not way:
        known = {part.text for part in parts_of(failed)}
        first = takewhile(lambda part: part.text != main, parts_of(passed))
        cures = [
            part.text
            for part in first
            if part.then == "&&" and part.text not in known and not only_looks(part.text)
        ]
        way = "" if cures else _added_options(failed, passed)
    return cures, way


def _added_options(failed: str, passed: str) -> str:
    """Return the long options that a command has beside everything that the failed one had."""
    before, after = words_of(main_part(failed)), words_of(main_part(passed))
    added = [word for word in after if word not in before]
    if [word for word in after if word in before] != before:
        return ""
    options = [word for word in added if word.startswith("--") and len(word) > len("--")]
    shows = any(_SHOWS.match(word) or _ONLY_SHOWS.match(word) for word in options)
    return "" if shows else " ".join(options)[:_MOST_SHOWN]


def added_arguments(failed: str, passed: str) -> str:
    """Return the few arguments that a command has after all that the failed one had."""
    before, after = words_of(main_part(failed)), words_of(main_part(passed))
    added = after[len(before) :]
    if after[: len(before)] != before or not 0 < len(added) <= _MOST_ARGUMENTS:
        return ""
    return "" if any(word.startswith("-") for word in added) else " ".join(added)[:_MOST_SHOWN]


def way_round(failed: str, passed: str) -> str:
    """Return what the command that passes adds to get round a failure; empty if nothing."""
    before = words_of(main_part(failed))
    added = [word for word in words_of(main_part(passed)) if word not in before]
    task = task_of(passed)[0]
    if task[:2] == ("git", "push"):
        return ""  # force is the usual way after a rebase
    found = [word for word in added if _WAY.match(word) and not _ONLY_SHOWS.match(word)]
    found += [one for one in _variables(passed) if one not in _variables(failed)]
    found += _pins(failed, passed)
    if _IGNORES.search(passed) and not _IGNORES.search(failed) and not is_check(passed):
        found.append("|| true")
    return " ".join(found)[:_MOST_SHOWN]


def _variables(command: str) -> list[str]:
    """Return the variables that a command line sets for its main part."""
    found = []
    for part in parts_of(command):
        text = part.text
        while assigned := _VARIABLE.match(text):
            if assigned[1] not in _PLAIN_VARIABLES:
                found.append(f"{assigned[1]}={assigned[2]}")
            text = text[assigned.end() :].lstrip()
    return found


def _pins(failed: str, passed: str) -> list[str]:
    """Return the packages that only the second command pins to another version."""
    if not is_same_install(failed, passed):
        return []
    before = task_of(failed)[1]
    return sorted(one for one in task_of(passed)[1] if one not in before and _PINNED.match(one))


def is_same_install(failed: str, passed: str) -> bool:
    """Return whether two commands install the same packages, in whatever versions."""
    (task, wanted), (other, given) = task_of(failed), task_of(passed)
    if task != other or not task or _INSTALLS.isdisjoint(task[1:]) or not wanted:
        return False
    return {_name(one) for one in wanted} == {_name(one) for one in given}


def _name(package: str) -> str:
    pinned = _PINNED.match(package)
    return (pinned["name"] if pinned else package).lower()
