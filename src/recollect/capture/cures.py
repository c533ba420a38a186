"""Names what cured a failure, and drafts the solution; or drafts the failure that has none yet.

A cure is what happened between the last failure of a command and its first success: an edited file,
or a command that changes the environment. If nothing happened, nothing is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from recollect.capture.commands import (
    RUN,
    hides_failure,
    is_check,
    main_part,
    only_looks,
    shown,
    task_of,
    words_of,
)
from recollect.capture.error_lines import read_report, tells_of_failure
from recollect.capture.sentences import words
from recollect.capture.tool_learning import (
    ERROR,
    LASTING,
    RECOVERABLE,
    SEVERITIES,
    WORKAROUND,
    Learning,
    is_ours,
    is_own_tool,
    sentence,
)
from recollect.capture.workarounds import is_same_install
from recollect.core.note import SUMMARY_LENGTH
from recollect.core.patterns import pattern

MOST_CURES = 3
# How often a check must fail to be a blocker.
BLOCKS = 2
_ROOM = 30  # what a summary leaves for the message

# A change of these does not cure a command.
_DOCUMENT = pattern(r"(?:\.(?:md|rst|txt|adoc)|(?:^|/)(?:LICENSE|CHANGELOG|NOTICE))\Z")
_NO_DOCUMENTS = ("requirements", "constraints", "cmakelists")
_QUOTED = pattern(r"['\"`‘]([\w@./+-]{3,60})['\"`’]")
# Options with which a command runs less than before, or nothing.
_NARROWS = words(
    "-k --deselect --ignore -run --testNamePattern --grep --help -h --version --dry-run"
    " --collect-only --co --list"
)


# A variable that is not set fails again on the next machine, whatever the code says by then.
_UNSET = pattern(r"KeyError: ['\"][A-Z][A-Z0-9_]{1,60}['\"]|\bos\.environ\[|environment variable")


# A command that says so wants an argument.
_ASKS_FOR_MORE = pattern(
    r"\b(?:usage|arguments?|required|missing|expects?|expected|specify|not enough|sys\.argv)\b"
    r"|\bneeds? (?:an?|the)\b|\b(?:give|name|pass|choose) (?:me )?(?:an?|the|one)\b"
    r"|\bIndexError: list index\b|\bwhich \w{1,20}\?",
    re.IGNORECASE,
)


def asks_for_more(failure: Learning) -> bool:
    """Return whether a command failed because it was not told enough."""
    return _ASKS_FOR_MORE.search(f"{failure.said}\n{failure.excerpt}") is not None


def is_of_environment(failure: Learning) -> bool:
    """Return whether a command failed because of where it ran, and not because of the code."""
    return _UNSET.search(f"{failure.said}\n{failure.excerpt}") is not None


def passes_again(failure: Learning, command: str, tool: str, output: str = "") -> bool:
    """Return whether a successful tool event does what failed earlier."""
    if failure.severity == RECOVERABLE and failure.category != ERROR:
        return False
    if is_own_tool(tool) or not command or not failure.command or only_looks(command):
        return False
    if hides_failure(command) and tells_of_failure(read_report(output)):
        return False
    return covers(command, failure)


def covers(command: str, failure: Learning) -> bool:
    """Return whether a command runs at least what failed."""
    task, targets = task_of(command)
    failed, wanted = task_of(failure.command)
    if not task or task != failed or _narrows(command, failure.command):
        return False
    if not targets or targets == wanted or is_same_install(failure.command, command):
        return True
    # A retry of the failed file, or of its folder, is enough.
    wanted = wanted or frozenset(failure.files)
    return bool(wanted) and all(any(_within(one, target) for target in targets) for one in wanted)


def _narrows(command: str, failed: str) -> bool:
    """Return whether a command has an option, which the failed one had not, to run less."""
    options = {word.partition("=")[0] for word in words_of(main_part(command))}
    return bool((options & _NARROWS) - set(words_of(main_part(failed))))


def _within(path: str, target: str) -> bool:
    folder = target.removeprefix("./").removesuffix("...").rstrip("/")
    path = path.removeprefix("./")
    return not folder or path == folder or path.startswith((folder + "/", folder + "::"))


def cures_of(failure: Learning, changes: Sequence[str]) -> list[str]:
    """Return what may have cured a failure, the last first.

    A command that names what was missing is the cure. Otherwise every change counts, except
    documents if there is anything else.
    """
    latest = list(dict.fromkeys(reversed(changes)))
    found = [one for one in latest if one.startswith(RUN) or is_ours(one)]
    missing = frozenset(_QUOTED.findall(failure.said))
    named = [
        one
        for one in found
        if one.startswith(RUN) and not missing.isdisjoint(one.removeprefix(RUN).split())
    ]
    effective = [one for one in found if not _is_document(one)]
    return named or effective or found


def _is_document(change: str) -> bool:
    if change.startswith(RUN) or not _DOCUMENT.search(change):
        return False
    name = change.rsplit("/", 1)[-1].lower()
    return not any(word in name for word in _NO_DOCUMENTS)


def is_worth_keeping(failure: Learning, cures: Sequence[str]) -> bool:
    """Return whether a solved failure is likely to happen again to somebody with the same code."""
    return (
        failure.score >= LASTING
        or is_of_environment(failure)
        or (bool(cures) and all(cure.startswith(RUN) for cure in cures))
    )


def solution_of(
    failure: Learning, *, command: str, cures: Sequence[str], way: str = ""
) -> dict[str, Any]:
    """Return one memory with the problem and its cure. The cures come last first."""
    listed = list(cures[:MOST_CURES])
    lead = failure.summary.partition("` failed")[0] + "` failed" if failure.said else "It failed"
    tail = _tail(lead, listed, way)
    body = [f"Problem: {_full(failure)}", f"Passes again: `{shown(command, 80)}`"]
    if way:
        body.append(f"Way round: `{way}`")
    if listed:
        steps = [_step(cure) for cure in listed]
        if len(cures) > len(listed):
            steps.append(f"- and {len(cures) - len(listed)} before")
        head = "Cure:" if len(steps) == 1 else "Cure, the last step first:"
        body.append("\n".join([head, *steps]))
    if failure.excerpt.strip():
        body.append(_fenced(failure.excerpt))
    return {
        "kind": "solutions",
        "summary": sentence(lead, failure.said, tail) if failure.said else failure.summary,
        "body": "\n\n".join(body),
        "observation_type": "bugfix",
        "concepts": ["problem-solution"],
        "files_modified": [cure for cure in cures if not cure.startswith(RUN)][:20],
        "importance": round(0.5 + 0.3 * failure.score, 2),
        "tags": [WORKAROUND] if way else [],
    }


def _step(cure: str) -> str:
    ran = cure.startswith(RUN)
    return f"- ran `{shown(cure.removeprefix(RUN), 80)}`" if ran else f"- changed {cure}"


def _tail(lead: str, cures: Sequence[str], way: str) -> str:
    """Return the end of the summary, with as many cures as there is room for."""
    for number in range(len(cures), -1, -1):
        tail = _named(cures[:number], way)
        if len(lead) + len(tail) <= SUMMARY_LENGTH - _ROOM:
            return tail
    return "; fixed"


def _named(cures: Sequence[str], way: str) -> str:
    ran = [f"`{shown(one.removeprefix(RUN))}`" for one in cures if one.startswith(RUN)]
    names = [one.rsplit("/", 1)[-1] for one in cures if not one.startswith(RUN)]
    if way:
        return f"; `{way}` gets round it"
    if ran and names:
        order = [*ran, "a change in " + _joined(names)]
        return "; fixed by " + _joined(order if cures[0].startswith(RUN) else order[::-1])
    if ran:
        return "; fixed by " + _joined(ran)
    return "; fixed in " + _joined(list(dict.fromkeys(names))) if names else "; fixed"


def _joined(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _fenced(text: str) -> str:
    fence = "```" if "```" not in text else "~~~~"
    return f"{fence}\n{text}\n{fence}"


def _full(failure: Learning) -> str:
    """Return the summary with the complete message."""
    return (
        failure.summary.partition(": ")[0] + ": " + failure.said
        if failure.said
        else failure.summary
    )


# Without a cure


def unsolved_of(failure: Learning, times: int) -> dict[str, Any] | None:
    """Return a memory of a failure without a cure; None if it is about the code at hand."""
    blocks = times >= BLOCKS and is_check(failure.command)
    if not blocks and failure.score < LASTING:
        return None
    lead = failure.summary.partition("` failed")[0] + "` fails" if failure.said else "It fails"
    often = "once" if times == 1 else f"{times} times"
    body = [f"Not solved yet; seen {often} in one session.", f"Message: {_full(failure)}"]
    if failure.excerpt.strip():
        body.append(_fenced(failure.excerpt))
    return {
        "kind": "blockers" if blocks else "learnings",
        "summary": sentence(lead, failure.said) if failure.said else failure.summary,
        "body": "\n\n".join(body),
        "observation_type": "discovery",
        "concepts": ["gotcha"],
        "files_read": list(failure.files),
        "importance": round(0.4 + 0.3 * failure.score, 2),
    }


def severity_order(failure: Learning, times: int) -> tuple[int, int, float]:
    """Return a sort key: the most severe first, then the most frequent."""
    return (SEVERITIES.index(failure.severity), -times, -failure.score)
