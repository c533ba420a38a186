"""Learns from tool events: errors, workarounds, discoveries and warnings.

`error_lines` finds and rates what a tool said. This module adds the outcome of the event: it
failed, it failed behind a pipe that hides the failure, or it succeeded. Somebody else's text, found
with `cat` or `grep`, teaches nothing, and neither does a script that nobody runs twice. From
`LASTING` on, a failure is worth keeping, with or without its cure. Below that, it is about the
current code: failed tests and type errors come and go, and git has the changes. See `cures`.

Nothing here raises, whatever the text. Nothing here is redacted: that happens before anything is
written.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.capture.commands import (
    hides_failure,
    is_inline,
    main_part,
    only_looks,
    shown,
    task_of,
)
from recollect.capture.error_lines import (
    ErrorLine,
    Report,
    excerpt_of,
    find_error_line,
    find_message,
    fingerprint,
    plain,
    read_report,
    tells_of_failure,
)
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import SUMMARY_LENGTH
from recollect.core.patterns import pattern

ERROR, WORKAROUND, DISCOVERY, WARNING = "error", "workaround", "discovery", "warning"
CATEGORIES = (ERROR, WORKAROUND, DISCOVERY, WARNING)
# A hidden failure; a failure; and a warning that did not stop the command.
SILENT, HARD, RECOVERABLE = "sev-0", "sev-1", "sev-2"
SEVERITIES = (SILENT, HARD, RECOVERABLE)
THRESHOLD = 0.6
LASTING = 0.75
# From here on, a failed command is watched until it passes: what helped may be plain to see.
WATCHED = 0.35
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
_EXIT = pattern(r"^\s*(?:Error: )?Exit code (-?\d{1,9})\s*\n?")
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
    exit_code: int | None = None


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
    if is_own_tool(tool) or is_stopped(error):
        return None
    if error.strip():
        learning = _from_failure(tool, command, output, error)
    else:
        learning = _from_success(command, output)
    if learning is None or learning.score < threshold:
        return None
    code = _EXIT.match(error)
    return learning._replace(
        files=_files(files, learning.excerpt), exit_code=int(code[1]) if code else None
    )


def is_own_tool(tool: str) -> bool:
    """Return whether a tool belongs to the client: it reads, writes or asks, and runs nothing."""
    return bool(_OWN_TOOLS.match(tool))


def is_stopped(error: str) -> bool:
    """Return whether somebody stopped a tool, so that its failure teaches nothing."""
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
    if not report.telling:
        return None
    from recollect.capture.notices import find_notice

    notice = find_notice(report, task_of(command)[1])
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
        summary=sentence(lead, complaint.said),
        excerpt=excerpt_of(report, complaint.at, EXCERPT_BYTES),
        files=(),
        fingerprint=fingerprint(complaint.said, category, " ".join(task_of(command)[0])),
        command=command[:_MOST_COMMAND],
        said=complaint.said,
    )


def sentence(lead: str, said: str, tail: str = "") -> str:
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


def is_ours(path: str) -> bool:
    """Return whether a path is inside the repository."""
    odd = path.startswith(("/", "\\", "-", "~")) or ".." in path or path[1:2] == ":"
    return bool(path.strip()) and not odd and path.isprintable()
