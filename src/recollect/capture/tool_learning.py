"""Learns from tool events: errors, workarounds, discoveries and warnings.

`error_lines` finds and rates what a tool said. This module adds the outcome of the event: it
failed, it failed behind a pipe that hides the failure, or it succeeded. Somebody else's text, found
with `cat` or `grep`, teaches nothing, and neither does a script that nobody runs twice. From
`LASTING` on, a learning is worth keeping, with or without its fix. Below that, it is about the
current code: failed tests and type errors come and go, and git has the changes. Such a failure is
worth keeping only if the fix was not in the code.

Nothing here raises, whatever the text. Nothing here is redacted: that happens before anything is
written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from recollect.capture.commands import (
    hides_failure,
    is_inline,
    main_part,
    only_looks,
    shown,
    task_of,
    words_of,
)
from recollect.capture.error_lines import (
    ErrorLine,
    Report,
    excerpt_of,
    find_error_line,
    find_message,
    find_notice,
    fingerprint,
    plain,
    read_report,
    tells_of_failure,
)
from recollect.capture.sentences import words
from recollect.core.note import SUMMARY_LENGTH
from recollect.core.patterns import pattern

ERROR, WORKAROUND, DISCOVERY, WARNING = "error", "workaround", "discovery", "warning"
CATEGORIES = (ERROR, WORKAROUND, DISCOVERY, WARNING)
# A hidden failure; a failure; and a warning that did not stop the command.
SILENT, HARD, RECOVERABLE = "sev-0", "sev-1", "sev-2"
SEVERITIES = (SILENT, HARD, RECOVERABLE)
THRESHOLD = 0.6
LASTING = 0.75
EXCERPT_BYTES = 1_024
MOST_FILES = 8
_MOST_COMMAND = 500

# The base value of a learning, before rating what the tool said.
_FAILED, _HIDDEN, _LOOKED, _WENT_WELL = 0.4, 0.35, 0.2, 0.25
_LATE, _WAY_ROUND = 0.25, 0.4
_ONE_OFF = -0.25

# The client's own tools: what they refuse is the agent's mistake, and what they show is a file.
_OWN_TOOLS = pattern(
    r"(?:Read|(?:Multi|Notebook)?Edit|Write|Grep|Glob|LS|apply_patch|Agent|Task\w*|TodoWrite|Skill"
    r"|ToolSearch|ExitPlanMode|AskUserQuestion|BashOutput|Kill\w+|Web(?:Fetch|Search))\Z"
)
# An interrupted command teaches nothing.
_STOPPED = (
    *("interrupted by user", "interrupted by the user", "doesn't want to proceed", "hook error"),
    *("doesn't want to take", "tool use was rejected", "<tool_use_error>", "permission to use "),
    *("was aborted", "was cancelled", "keyboardinterrupt", "requires approval", "was denied by"),
    *("exit code 130", "exit code 143"),
)
_EXIT = pattern(r"^\s*(?:Error: )?Exit code (-?\d+)\s*\n?")
_TIMED_OUT = pattern(r"^\s*(?:Error: )?Command timed out after ([\w. ]{1,20}?)\s*(?:\n|$)")
_ENDLESS = pattern(r"\b(?:sleep|watch|serve|dev|start|tail -f|--watch|runserver|up)\b")
# Commands that read files can only show that a tool is missing.
_NO_TOOL = pattern(r"command not found|cannot connect to|not (?:logged in|authenticated)|dubious")
_WAYS_ROUND = {
    "--legacy-peer-deps": "conflicts of peer dependencies",
    "--break-system-packages": "an externally managed Python",
    "--openssl-legacy-provider": "hashes that OpenSSL 3 refuses",
    "--no-verify": "the git hooks",
    "--ignore-engines": "the demanded version of Node",
    "--ignore-platform-reqs": "the demanded platform",
    "--allow-unrelated-histories": "histories without a common start",
    "--no-build-isolation": "an isolated build that fails",
    "--skipLibCheck": "type errors in libraries",
    "--ignore-scripts": "install scripts that fail",
    "--no-sandbox": "a sandbox that is not allowed here",
    "--trusted-host": "a certificate that is not trusted",
    "GIT_SSL_NO_VERIFY": "a certificate that is not trusted",
    "NODE_TLS_REJECT_UNAUTHORIZED=0": "a certificate that is not trusted",
}
# Commands that change the environment: programs, and subcommands of others.
_REPAIRERS = words("chmod chown cp export kill ln mkdir mv")
_REPAIRS = words(
    "add ci config download enable generate init install link login migrate pull restart start sync"
    " tidy up update upgrade"
)
_REMOTE = words("ssh scp rsync")
_NO_REPAIR = (("git", "add"), ("git", "init"), ("git", "pull"))
_IN_PROJECT = pattern(
    r"(?<![\w/.@~-])((?:[\w.-]+/)*[\w-]+\.(?:py|pyi|js|jsx|ts|tsx|mjs|go|rs|java|kt"
    r"|c|cc|cpp|h|hpp|rb|php|cs|swift|toml|json|ya?ml|cfg|ini|sql|sh|tf|proto|vue|svelte))\b"
)
_FOREIGN = pattern(r"site-packages|node_modules|dist-packages|\.venv/|lib/python|/cargo/registry")


class Learning(NamedTuple):
    """Something that a tool event taught."""

    category: str
    severity: str
    score: float
    summary: str
    excerpt: str
    files: tuple[str, ...]
    # The same for the same problem, whatever its numbers, paths, hashes and times.
    fingerprint: str
    # The command and its message, as in the summary.
    command: str = ""
    said: str = ""


def learn_from(
    tool: str,
    command: str,
    files: Sequence[str],
    output: str,
    error: str,
    *,
    threshold: float = THRESHOLD,
) -> Learning | None:
    """Return what an event taught; None if it was routine."""
    if _OWN_TOOLS.match(tool) or _is_stopped(error):
        return None
    if error.strip():
        learning = _from_failure(tool, command, output, error)
    else:
        learning = _from_success(command, output)
    if learning is None or learning.score < threshold:
        return None
    return learning._replace(files=_files(files, learning.excerpt))


def _is_stopped(error: str) -> bool:
    low = error[:500].lower()
    return any(words in low for words in _STOPPED)


def _from_failure(tool: str, command: str, output: str, error: str) -> Learning | None:
    name = shown(command) or plain(tool)[:40]
    late = _TIMED_OUT.match(error)
    if late:
        if is_inline(command) or only_looks(command) or _ENDLESS.search(main_part(command)):
            return None
        said = f"did not finish within {plain(late[1])}"
        summary = f"`{name}` {said}."
        excerpt = excerpt_of(read_report(error), 0, EXCERPT_BYTES)
        mark = fingerprint(said, name)
        score = _FAILED + _LATE
        return Learning(ERROR, RECOVERABLE, score, summary, excerpt, (), mark, command, said)
    report = read_report(_EXIT.sub("", error, count=1).strip() or output)
    complaint = find_error_line(report) or find_message(report)
    if complaint is None:
        return None
    score = complaint.weight + (_ONE_OFF if is_inline(command) else 0)
    if command and only_looks(command):
        score = _LOOKED + score if _NO_TOOL.search(complaint.said) else 0
    else:
        score += _FAILED
    severity = RECOVERABLE if complaint.passes else HARD
    category = DISCOVERY if complaint.demands else ERROR
    return _learning(category, severity, score, f"`{name}` failed", complaint, report, command)


def _from_success(command: str, output: str) -> Learning | None:
    # Text that no command printed is a page, a file or an answer, not a report.
    if not command or only_looks(command) or is_inline(command):
        return None
    name = shown(command)
    report = read_report(output)
    if hides_failure(command) and tells_of_failure(report):
        complaint = find_error_line(report)
        if complaint is None:
            return None
        category = DISCOVERY if complaint.demands else ERROR
        score = _HIDDEN + complaint.weight
        return _learning(category, SILENT, score, f"`{name}` failed", complaint, report, command)
    for flag, what in _WAYS_ROUND.items():
        if flag in main_part(command):
            found = ErrorLine(0, f"{flag} works around {what}", _WAY_ROUND)
            lead = f"`{name}` went through"
            return _learning(
                WORKAROUND, RECOVERABLE, _WENT_WELL + _WAY_ROUND, lead, found, report, command
            )
    notice = find_notice(report)
    if notice is None:
        return None
    category = DISCOVERY if notice.demands else WARNING
    lead = f"`{name}` reports" if notice.demands else f"`{name}` warns"
    score = _WENT_WELL + notice.weight
    return _learning(category, RECOVERABLE, score, lead, notice, report, command)


def _learning(
    category: str,
    severity: str,
    score: float,
    lead: str,
    complaint: ErrorLine,
    report: Report,
    command: str,
) -> Learning:
    return Learning(
        category=category,
        severity=severity,
        score=round(max(0.0, min(1.0, score)), 2),
        summary=_sentence(lead, complaint.said),
        excerpt=excerpt_of(report, complaint.at, EXCERPT_BYTES),
        files=(),
        fingerprint=fingerprint(complaint.said, category, " ".join(task_of(command)[0])),
        command=command[:_MOST_COMMAND],
        said=complaint.said,
    )


def _sentence(lead: str, said: str, tail: str = "") -> str:
    """Return `lead: message tail`, with as much of the message as fits."""
    room = SUMMARY_LENGTH - len(lead) - len(tail) - 2
    if len(said) > room:
        cut = said[: max(0, room - 1)]
        head, space, _ = cut.rpartition(" ")
        said = (head if space and len(head) > room // 2 else cut).rstrip(" ,;:([") + "…"
    return f"{lead}: {said}{tail}"[:SUMMARY_LENGTH]


def _files(given: Sequence[str], excerpt: str) -> tuple[str, ...]:
    """Return the files of the event, and those of the project that the excerpt names."""
    named = [path for path in _IN_PROJECT.findall(excerpt) if not _FOREIGN.search(path)]
    return tuple(dict.fromkeys([*given, *(path.removeprefix("./") for path in named)]))[:MOST_FILES]


def repairs(command: str) -> bool:
    """Return whether a command changes the environment: installs, configures or starts."""
    if only_looks(command):
        return False
    named = [word for word in words_of(main_part(command)) if not word.startswith("-")]
    program, *rest = [word.rsplit("/", 1)[-1] for word in named] or [""]
    told = rest[:3] if program not in _REMOTE else []
    if any((program, word) in _NO_REPAIR for word in told[:1]):
        return False
    return program in _REPAIRERS or not _REPAIRS.isdisjoint(told)


def is_worth_keeping(failure: Learning, *, changed: Sequence[str], ran: Sequence[str]) -> bool:
    """Return whether a solved failure is likely to happen again to somebody with the same code."""
    return failure.score >= LASTING or (not changed and any(map(repairs, ran)))


def solves(
    failure: Learning,
    command: str,
    tool: str,
    files: Sequence[str],
    *,
    ran: Sequence[str] = (),
    output: str = "",
) -> bool:
    """Return whether a successful tool event is the fix of an earlier failure.

    It is if it does what failed, and something happened in between: files changed, or a command
    changed the environment. A failure that disappears by itself has no fix to report.
    """
    if failure.severity == RECOVERABLE and failure.category != ERROR:
        return False
    if not (files or any(repairs(one) for one in ran)):
        return False
    if _OWN_TOOLS.match(tool) or not command or not failure.command or only_looks(command):
        return False
    if hides_failure(command) and tells_of_failure(read_report(output)):
        return False
    return _covers(command, failure)


def _covers(command: str, failure: Learning) -> bool:
    """Return whether a command runs at least what failed."""
    task, targets = task_of(command)
    failed, wanted = task_of(failure.command)
    if not task or task != failed:
        return False
    if not targets or targets == wanted:
        return True
    # A retry of the failed file, or of its folder, is enough.
    wanted = wanted or frozenset(failure.files)
    return bool(wanted) and all(any(_within(one, target) for target in targets) for one in wanted)


def _within(path: str, target: str) -> bool:
    folder = target.removeprefix("./").removesuffix("...").rstrip("/")
    path = path.removeprefix("./")
    return not folder or path == folder or path.startswith((folder + "/", folder + "::"))


def solution_of(
    failure: Learning, *, command: str, changed: Sequence[str], ran: Sequence[str] = ()
) -> dict[str, Any]:
    """Return one memory with the problem and its fix."""
    fixes = [shown(one) for one in ran if repairs(one)]
    paths = [path for path in dict.fromkeys(changed) if is_ours(path)]
    names = list(dict.fromkeys(path.rsplit("/", 1)[-1] for path in paths))
    by = f"`{fixes[-1]}`" if fixes and not names else " and ".join(names[:2])
    more = " and more" if len(names) > 2 else ""
    tail = f"; fixed by {by}" if fixes and not names else f"; fixed in {by}{more}" if by else ""
    lead = failure.summary.partition("` failed")[0] + "` failed" if failure.said else "It failed"
    if len(lead) + len(tail) > SUMMARY_LENGTH - 30:
        tail = "; fixed"
    body = [f"Problem: {_full(failure)}", f"Passes again: `{shown(command, 80)}`"]
    if paths:
        body.append("Changed: " + ", ".join(paths[:20]))
    if fixes:
        body.append("Run: " + ", ".join(f"`{one}`" for one in fixes[-5:]))
    if failure.excerpt.strip():
        fence = "```" if "```" not in failure.excerpt else "~~~~"
        body.append(f"{fence}\n{failure.excerpt}\n{fence}")
    return {
        "kind": "solutions",
        "summary": _sentence(lead, failure.said, tail) if failure.said else failure.summary,
        "body": "\n\n".join(body),
        "observation_type": "bugfix",
        "concepts": ["problem-solution"],
        "files_modified": paths,
        "importance": round(0.5 + 0.3 * failure.score, 2),
    }


def _full(failure: Learning) -> str:
    """Return the summary with the complete message."""
    return (
        failure.summary.partition(": ")[0] + ": " + failure.said
        if failure.said
        else failure.summary
    )


def is_ours(path: str) -> bool:
    """Return whether a path is inside the repository."""
    odd = path.startswith(("/", "\\", "-", "~")) or ".." in path or path[1:2] == ":"
    return bool(path.strip()) and not odd and path.isprintable()
