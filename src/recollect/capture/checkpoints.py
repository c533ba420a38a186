"""Finds milestones of a session in the output of real tools: tests pass, a commit was made."""

from __future__ import annotations

import re
from itertools import islice

from recollect.capture.commands import only_looks, parts_of, words_of
from recollect.capture.error_lines import clean_lines, one_line
from recollect.core.patterns import pattern
from recollect.hosts.protocol import WRITES
from recollect.state.session_marks import COMMIT_MADE, TESTS_PASS

_MOST_COMMAND = 8_000

_MADE = pattern(r"\[(?P<on>[^\]]{1,200}?) (?P<commit>[0-9a-f]{7,40})\] (?P<subject>.+)$")
_MESSAGE = pattern(
    r"\s(?:-[a-z]*m|--message)[= ]*(?P<quote>['\"])(?P<text>(?:\\.|(?!(?P=quote))[^\\]){1,4000})"
)
_FED = pattern(r"<<-?\s{0,9}['\"]?(\w{1,60}+)['\"]?[^\n]{0,400}\n")
_MOST_FED = 4  # heredocs in one command that are searched
_TRAILER = pattern(r"^(?:[A-Z][\w-]+: .+|🤖.*)$", re.MULTILINE)
# How a line begins if git, or a hook of its user, made no commit.
_REFUSED = ("error:", "fatal:", "On branch ", "nothing to commit", "Author identity", "husky")
_QUIET = pattern(r"\s(?:-q|--quiet|-[a-z]*q[a-z]*m)\b")

# The result is at the end of a report.
_MOST_REPORT = 16_000
_MOST_LINE = 300
_PASSED = pattern(
    r"(?:=+ )?[1-9]\d* passed\b.* in [\d.]+"  # pytest
    r"|test result: ok\. [1-9]"  # cargo
    r"|ok\s+\S+\s+(?:[\d.]+s|\(cached\))"  # go
    r"|Tests?:? +(?:\d+ skipped, )?[1-9]\d* passed"  # jest, vitest
    r"|[1-9]\d* passing\b"  # mocha
    r"|(?:#|ℹ) pass [1-9]"  # node --test
    r"|(?:\[INFO\] )?Tests run: [1-9]\d*, Failures: 0, Errors: 0"  # maven
    r"|Ran [1-9]\d* tests? in "  # unittest
    r"|[1-9]\d* examples?, 0 failures"  # rspec
    r"|OK \([1-9]\d* tests?"  # phpunit
    r"|Passed! +- Failed: +0"  # dotnet
)
_NOT_PASSED = pattern(
    r"(?>(?:=+ )?(?:.*?\b)?[1-9]\d*+ (?:failed|errors?)\b).* in [\d.]+|test result: FAILED"
    r"|FAIL\b|--- FAIL|Tests?:? .*[1-9]\d{0,9} failed|[1-9]\d* failing\b|(?:#|ℹ) fail [1-9]"
    r"|.*BUILD FAIL|.*Failures: [1-9]|.*Errors: [1-9]|FAILED \(|.*, [1-9]\d* failures?\b|FAILURES!"
    r"|error(?:\[\w+\])?:|npm (?:ERR!|error)|Failed! "
)
_GRADLE_TESTS = pattern(r"gradlew?\b.{0,500}\b(?:test|check|build)\b")


def commit_of(command: str, output: str) -> tuple[str, str, str] | None:
    """Return the subject, body and place of the commit that a command made."""
    parts = parts_of(command)
    commits = [at for at, one in enumerate(parts) if words_of(one.text)[:2] == ["git", "commit"]]
    if not commits:
        return None
    command = command[:_MOST_COMMAND]
    given = _heredoc(command)
    if given is None and (found := _MESSAGE.search(command)):
        given = found["text"]
    message = (given or "").strip()
    # Take the last of several: an amended commit is the one that stays.
    lines = reversed(clean_lines(output))
    made = next((m for line in lines if line.startswith("[") and (m := _MADE.match(line))), None)
    if made is None:
        # A quiet commit that prints has failed, unless what follows `&&` ran and printed.
        then = [one.then for one in parts[commits[-1] :]]
        goes_on = len(then) > 1 and set(then[:-1]) == {"&&"} and not then[-1]
        printed = output.strip()
        has_failed = any(line.startswith(_REFUSED) for line in printed.splitlines())
        if not message or not _QUIET.search(command) or (printed and (has_failed or not goes_on)):
            return None
        return one_line(message.split("\n", 1)[0])[:200], _body(message), "a commit"
    branch = made["on"].removesuffix(" (root-commit)")
    return (
        one_line(made["subject"])[:200],
        _body(message),
        f"commit {made['commit'][:7]} on {branch}",
    )


def _heredoc(command: str) -> str | None:
    """Return the first heredoc of a command."""
    for opened in islice(_FED.finditer(command), _MOST_FED):
        end = opened[1]
        lines = command[opened.end() :].split("\n")
        for at, line in enumerate(lines):
            rest = line.lstrip()
            after = rest[len(end) : len(end) + 1]
            if at and rest.startswith(end) and not (after.isalnum() or after == "_"):
                return "\n".join(lines[:at])
    return None


def _body(message: str) -> str:
    """Return a commit message without its subject and trailers."""
    return _TRAILER.sub("", message.partition("\n")[2]).strip()[:2_000]


def checkpoint(action: str, command: str, output: str) -> str | None:
    """Return the milestone that a tool event reached: tests pass, or a commit was made."""
    if not command or action in WRITES:
        return None
    commit = commit_of(command, output)
    if commit is not None:
        return COMMIT_MADE + commit[0]
    if only_looks(command):
        return None
    lines = [line.strip() for line in clean_lines(output[-_MOST_REPORT:])]
    if any(_NOT_PASSED.match(line[:_MOST_LINE]) for line in lines):
        return None
    passed = any(_PASSED.match(line[:_MOST_LINE]) for line in lines)
    built = "BUILD SUCCESSFUL in " in output and _GRADLE_TESTS.search(command[:500])
    return TESTS_PASS if passed or built else None


def tests_failed(action: str, command: str, output: str) -> bool:
    """Whether a command ran tests and some of them failed."""
    if not command or action in WRITES or only_looks(command):
        return False
    lines = [line.strip() for line in clean_lines(output[-_MOST_REPORT:])]
    return any(_NOT_PASSED.match(line[:_MOST_LINE]) for line in lines)
