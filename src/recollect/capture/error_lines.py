"""Finds the line in which a tool says what is wrong, by its form, and rates it by its content.

`ModuleNotFoundError: No module named 'tomli'` has the form of an exception and says that something
is missing. That is a fact about a machine or a project, worth more than a failed assertion. A
typing mistake, such as a wrong option, is worth nothing. The time is linear in the length of the
text, and no text makes it fail.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

MISSING, REQUIRED, FORMED, SAID, SLIPPED = 0.45, 0.45, 0.25, 0.2, 0.0
MOST_TEXT = 200_000
MOST_LINE = 400
_MOST_CANDIDATES = 120
_TAIL = 20_000
_ANYBODY = 0.1
# A message that names the test is preferred.
_NAMED = 0.01

_ESCAPE = pattern(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[()][A-Z0-9])")
_CONTROL = pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
# Prefixes that runners add to the lines of other programs.
_LEAD = pattern(r"^\s*(?:#\d+ [\d.]+ |\[[a-z][\w:.-]*\] |remote: )")
_SPACE = pattern(r"\s+")
_WORD = pattern(r"[A-Za-z]{2,}")
_NOISE = pattern(
    r"0x[0-9a-f]+|\b[0-9a-f]{7,64}\b|(?:[\w.~-]{0,255}+/)+|\b\d[\d.,:]*(?:ms|s|m|h|kb|mb|gb|%)?\b",
    re.IGNORECASE,
)

# A line without any of these is skipped.
_NEEDLES = (
    *("error", "fail", "exception", "fatal", "panic", "denied", "not found", "cannot", "can't"),
    *("conflict", "refused", "rejected", "no such", "unsupported", "deprecat", "in use", "killed"),
    *("no rule", "requires", "will be removed", "moved", "renamed", "err!", "fault", "no longer"),
    *("does not match", "✗", "✘", "●", ".go:", "warning", "no space", "out of memory", "expired"),
    *("no module", "undefined reference", "couldn't", "vulnerabilit"),
)

_PATH = r"(?P<where>[\w./@~+-]+\.\w{1,5})"
# The position of exceptions among the forms.
_EXCEPTION = 2
# The forms of error messages; the first that matches a line counts.
_FORMS: Sequence[tuple[re.Pattern[str], float]] = (
    (pattern(r"(?:FAILED|ERROR) [\w./-]+::(?P<test>\S+)(?: - (?P<said>.+))?$"), FORMED),
    (pattern(r"ERROR [\w./-]+\.py(?: - (?P<said>.+))?$"), SAID),
    (
        pattern(
            r"(?:E\s+|Uncaught |Unhandled |Caused by: |Exception in thread \"[^\"]*\" |error: )?"
            r"(?P<said>(?:[\w$]+(?:\.|::))*[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?(?:: .+)?)$"
        ),
        FORMED,
    ),
    (pattern(r"(?:E\s+|Uncaught )?Error(?: \[\w+\])?: (?P<said>.+)"), FORMED),
    (
        pattern(
            _PATH + r"(?::\d+(?::\d+)?|\(\d+,\d+\)):?(?: -)? (?:fatal )?error"
            r"(?::| [A-Z]+\d+:|\[[\w-]+\]:) (?P<said>.+)"
        ),
        FORMED,
    ),
    (pattern(_PATH + r":\d+:\d+: [A-Z]{1,4}\d{2,5} (?:\[\*\] )?(?P<said>.+)"), SAID),
    (pattern(r"(?:vet: )?(?P<where>[\w./-]+\.go):\d+(?::\d+)?: (?P<said>.+)"), FORMED),
    (pattern(r"error(?:\[\w+\])?: (?P<said>.+)"), FORMED),
    (pattern(r"(?:thread '[^']*' )?(?P<said>panicked at .+|panic: .+)"), FORMED),
    (pattern(r"--- FAIL: (?P<test>\S+)"), FORMED),
    (pattern(r"test (?P<test>\S+) \.\.\. FAILED$"), SAID),
    (pattern(r"● (?P<test>.+ › .+)$"), FORMED),
    (pattern(r"(?:✗|✘|×) ++(?P<test>[\w./@ ›>-]+)$"), SAID),
    (pattern(r"(?:npm (?:ERR!|error) )?gyp ERR! stack Error: (?P<said>.+)"), FORMED),
    (pattern(r"npm (?:ERR!|error) (?P<said>[A-Z].+)"), FORMED),
    (
        pattern(
            r"(?:[\w./()-]{1,40}: )?(?:line \d+: |\d+: )*"
            r"(?P<said>(?:\S+: )?command not found(?:: \S+)?|\S+: not found)$"
        ),
        FORMED,
    ),
    (
        pattern(
            r"(?:[\w./ -]{1,30}: (?:\*\*\* )?)?\[?(?:ERROR|FATAL|Error|fatal|error|Fatal)\]?:? "
            r"(?P<said>.+)"
        ),
        FORMED,
    ),
    (pattern(r"(?P<said>CONFLICT \(.+|! \[(?:remote )?rejected\].+)"), FORMED),
    (pattern(r"g?make(?:\[\d+\])?: \*\*\* (?P<said>No rule .+)"), FORMED),
    (
        pattern(
            r"(?:\S+: line \d+: +\d+ )?(?P<said>(?:Segmentation fault|Killed|Bus error)\b).{0,60}$"
        ),
        FORMED,
    ),
    (pattern(r".*: (?P<said>undefined reference to .+)"), FORMED),
    # Any program about itself: counts only if it says that something is missing or required.
    (pattern(r"[\w./-]{1,80}: (?:\(\d+\) )?(?P<said>[A-Z].{8,})"), _ANYBODY),
    (pattern(r"Found (?P<said>\d+ errors? in \d+ files?)"), SAID),
)


class Phrases:
    """Phrases to find in lower case; much faster than a regular expression."""

    def __init__(self, words: str, shapes: str) -> None:
        self._words = tuple(words.split("|"))
        self._shapes = pattern(shapes)

    def are_in(self, low: str) -> bool:
        """Return whether a text in lower case contains one of them."""
        return any(word in low for word in self._words) or bool(self._shapes.search(low))


_EMPTY = Phrases(
    "aborting due to|could not compile|a complete log|lifecycle script|command failed|exit code"
    "|exit status|exiting now|exited with|*** [|errored out|[help 1]|full stack trace"
    "|test failed, to rerun",
    r"^(?:code \S+$|for more information|\d+ errors?\b|no errors?\b|there (?:are|were) test"
    r"|process completed|re-run maven|failed to execute goal|to see |-+$|\(|in \S+$|compilation err"
    r"|tests? run|test(?:s| suites?):|path |exit$)",
)
# Something that is missing is a fact about a machine or a project, and will be missing again.
_NOT_THERE = Phrases(
    "no module named|command not found|eresolve|needed by|connection refused|econnrefused"
    "|could not connect|failed to connect|couldn't connect|permission denied|eacces"
    "|address already in use|eaddrinuse|no space left|out of memory|heap out|enospc|certificate"
    "|not installed|could not find a version|could not find any|could not resolve dependenc"
    "|could not resolve host|unable to resolve dependency|cannot connect to|unable to find image"
    "|failed to solve|not logged in|not authenticated|authentication failed"
    "|authentication required|unauthorized|environment variable|shared object file|shared librar"
    "|modulenotfounderror|cannot find -l|externally-managed|dubious ownership|no required module"
    "|unresolved import|no such table|remote rejected]|protected branch|.h: no such file"
    "|.hpp: no such file",
    r": not found$|cannot find (?:module|package) ['\"]?[\w@]"
    r"|port \d+ is (?:already )?(?:in use|allocated)|linker \S+ not found"
    r"|no such file or directory: '?[\w./-]{0,100}\.(?:so|toml|env|json|ya?ml)"
    r"|package \S+ is not in|(?:relation|schema|role) \S+ does not exist",
)
_DEMANDS = Phrases(
    "requires-python|unsupported engine|ebadengine|incompatible with|is not supported"
    "|no longer supported|has been renamed|has been removed|has been moved|has been replaced"
    "|repository moved|minimum supported|was removed in|does not match the detected"
    "|does not match the project|is in use, trying|unsupported class file|unsupported version",
    r"requires?(?: a)?(?: different| newer| at least| version)?\s(?:python|node|npm|java|go|rust"
    r"|rustc|ruby|php|git|docker|macos|linux|>=|\d)|not supported (?:on|by|in)\b"
    r"|must be run (?:from|with|as|in)\b|only (?:supported|available|works) (?:on|with|in)\b"
    r"|release version \d+ not supported",
)
# Mistakes of whoever typed the command.
_SLIP = Phrases(
    "unrecognized arg|unrecognized option|unrecognized sub|unrecognised|unknown option"
    "|unknown flag|unknown argument|unknown command|unknown switch|unknown shorthand"
    "|invalid option|invalid choice|no such option|no such command|no such sub|unexpected argument"
    "|usage:|did not match any file|pathspec|file or directory not found|nothing to commit"
    "|ambiguous argument|cannot access|cannot stat|cannot open|can't open|can't cd to"
    "|unexpected eof|syntax error near|unmatched|bad substitution|no matches found"
    "|required arguments|missing operand|syntaxerror: invalid|syntaxerror: unterminated"
    "|syntaxerror: unexpected|event not found|is a directory|does not exist in|bad revision"
    "|not a git repos|cannot find or open|could not find 'cargo.toml'",
    r"no such file or directory$|cannot find module '/|not found: \S+\.py",
)
_PASSES = Phrases(
    "timed out|connection refused|econnrefused|econnreset|rate limit|temporar|unable to access"
    "|could not resolve host|etimedout|in use|try again|locked",
    r"\b50[234]\b|\b429\b|\block\b",
)
# Output that shows a failure although the command line hides the exit code.
_VERDICT = pattern(
    r"(?>(?:=+ .*?\b)?\d++ (?:failed|errors?)\b).* in [\d.]+|(?:FAILED|ERROR) \S+::"
    r"|test result: FAILED|--- FAIL|FAIL\b|Tests?: .*\d failed|Tests +\d+ failed|npm (?:ERR!|error)"
    r"|g?make(?:\[\d+\])?: \*\*\*|.*BUILD FAIL|Found \d+ errors?|fatal: |.*: error TS\d+"
    r"|error(?:\[\w+\])?: |.*: error: |Segmentation fault|.*command not found"
    r"|[1-9]\d* problems? \([1-9]|ERROR: |Error: |\d+ failing$|[\w.]*(?:Error|Exception): "
)


class ErrorLine(NamedTuple):
    """What a tool said, in which line, and how much it is worth."""

    at: int
    said: str
    weight: float
    # It says what is required, renamed or not supported.
    demands: bool = False
    # It may be gone next time.
    passes: bool = False


class Report(NamedTuple):
    """The lines of a tool's output, and which of them may say something."""

    lines: list[str]
    telling: list[int]


def read_report(text: str) -> Report:
    """Split a tool's output, ready to be searched."""
    lines = clean_lines(text)
    return Report(lines, _candidates(lines))


def clean_lines(text: str) -> list[str]:
    """Return the lines of a text as a screen shows them: no colours, no overwritten progress."""
    if len(text) > MOST_TEXT:
        text = text[: MOST_TEXT // 4] + "\n" + text[-MOST_TEXT * 3 // 4 :]
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    lines = text.replace("\r\n", "\n").split("\n")
    if "\r" in text:
        lines = [line.rstrip("\r").rsplit("\r", 1)[-1] for line in lines]
    return lines


def one_line(text: str) -> str:
    """Return a text on one line: no control characters, single spaces."""
    return _SPACE.sub(" ", _CONTROL.sub(" ", text)).strip()


def plain(text: str) -> str:
    """Return a text on one line that can stand beside a command in backticks."""
    return one_line(text.replace("`", "'"))


def find_error_line(report: Report) -> ErrorLine | None:
    """Return the line that best says what is wrong."""
    best: ErrorLine | None = None
    lines = report.lines
    for at in report.telling:
        line = _LEAD.sub("", lines[at][:MOST_LINE]).strip()
        for number, (form, weight) in enumerate(_FORMS):
            match = form.match(line)
            if match is None:
                continue
            found = _weigh(lines, at, match, weight)
            # Of several exceptions, the last is the one that nobody caught.
            if found is not None and (
                best is None
                or found.weight > best.weight
                or (found.weight == best.weight and number == _EXCEPTION)
            ):
                best = found
            break
    return best


def _candidates(lines: Sequence[str]) -> list[int]:
    """Yield the lines that may say something, each once: the first and the last of them."""
    low = "\n".join(lines).lower()
    # Lowercasing may lengthen a letter, but does not add or remove lines.
    starts = [0, *accumulate(len(line) + 1 for line in low.split("\n"))]
    found: set[int] = set()
    for needle in _NEEDLES:
        _collect(low, needle, starts, found, 0)
        if len(low) > _TAIL:
            _collect(low, needle, starts, found, len(low) - _TAIL)
    seen: set[str] = set()
    ordered = []
    for at in sorted(found):
        line = lines[at][:MOST_LINE]
        if line not in seen:
            seen.add(line)
            ordered.append(at)
    half = _MOST_CANDIDATES // 2
    return ordered if len(ordered) <= 2 * half else ordered[:half] + ordered[-half:]


def _collect(low: str, needle: str, starts: list[int], found: set[int], start: int) -> None:
    at = low.find(needle, start)
    for _ in range(_MOST_CANDIDATES):
        if at < 0:
            return
        line = bisect_right(starts, at) - 1
        found.add(line)
        at = low.find(needle, starts[line + 1])


def _weigh(lines: Sequence[str], at: int, match: re.Match[str], weight: float) -> ErrorLine | None:
    groups = match.groupdict()
    test, said = plain(groups.get("test") or ""), plain(groups.get("said") or "")
    if not said or said.endswith(":"):
        said = (said + " " + _next(lines, at)).strip()
    if _EMPTY.are_in(said.lower()) or (not test and len(said) < 4):
        return None
    message = f"{test}: {said}" if test and said else test or said
    return _valued(at, message, weight + (_NAMED if test else 0))


def _valued(at: int, said: str, weight: float) -> ErrorLine:
    low = said.lower()
    demands = _DEMANDS.are_in(low)
    if _NOT_THERE.are_in(low):
        weight = MISSING
    elif demands:
        weight = REQUIRED
    elif _SLIP.are_in(low):
        weight = SLIPPED
    return ErrorLine(at, said, weight, demands, _PASSES.are_in(low))


def find_message(report: Report) -> ErrorLine | None:
    """Return the last of at most three lines if it reads like a sentence: it is the message."""
    lines = report.lines
    if len(lines) > 20:
        return None
    said = [(at, plain(line[:MOST_LINE])) for at, line in enumerate(lines) if line.strip()]
    if not 0 < len(said) <= 3 or len(_WORD.findall(said[-1][1])) < 3:
        return None
    if _EMPTY.are_in(said[-1][1].lower()):
        return None
    return _valued(*said[-1], SAID)


def _next(lines: Sequence[str], at: int) -> str:
    """Return the next line that says something."""
    for line in lines[at + 1 : at + 4]:
        if line.strip():
            return plain(line[:MOST_LINE])
    return ""


def is_demand(low: str) -> bool:
    """Return whether a line in lower case says what is required, renamed or not supported."""
    return _DEMANDS.are_in(low)


def tells_of_failure(report: Report) -> bool:
    """Return whether a text says that something failed, whatever the exit code."""
    told = (report.lines[at][:MOST_LINE].strip() for at in report.telling)
    return any(_VERDICT.match(line) for line in told)


def fingerprint(said: str, *context: str) -> str:
    """Return a name for a message that ignores numbers, paths, hashes and times."""
    words = _SPACE.sub(" ", _NOISE.sub("#", said.lower())).strip()
    text = "\0".join((words, *context) if len(words) < 20 else (words,))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def excerpt_of(report: Report, at: int, limit: int) -> str:
    """Return the text around a line, at most this many bytes."""
    lines = report.lines
    kept = [_cut(lines[at], limit)] if lines else []
    size = _size(kept[0]) if kept else 0
    before, after = at - 1, at + 1
    while before >= max(0, at - 8) or after < min(len(lines), at + 8):
        if after < min(len(lines), at + 8):
            if size + _size(lines[after]) + 1 > limit:
                break
            kept.append(lines[after])
            size += _size(lines[after]) + 1
            after += 1
        if before >= max(0, at - 8):
            if size + _size(lines[before]) + 1 > limit:
                break
            kept.insert(0, lines[before])
            size += _size(lines[before]) + 1
            before -= 1
    return _CONTROL.sub(" ", "\n".join(line.rstrip() for line in kept)).strip("\n")


def _size(line: str) -> int:
    return len(line.encode("utf-8", "surrogatepass"))


def _cut(line: str, limit: int) -> str:
    return line.encode("utf-8", "surrogatepass")[:limit].decode("utf-8", "ignore")
