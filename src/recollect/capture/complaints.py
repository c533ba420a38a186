"""The line in which a tool says what is wrong, found by its form and weighed by its content.

`ModuleNotFoundError: No module named 'tomli'` has the form of an exception, and says that something
is missing: that is a fact about a machine or a project, worth more than a failed assertion. A slip
of whoever typed the command, such as a wrong option, is worth nothing. Time is in proportion to the
text, and no text makes it fail.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from recollect.core.patterns import pattern

MISSING, REQUIRED, FORMED, SAID, SLIPPED = 0.45, 0.45, 0.25, 0.2, 0.0
MOST_TEXT = 200_000
_MOST_LINE = 400
_MOST_CANDIDATES = 300
# A message that names the test is preferred to one that does not.
_NAMED = 0.01

_ESCAPE = pattern(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[()][A-Z0-9])")
_CONTROL = pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
# What a runner puts in front of the lines of others.
_LEAD = pattern(r"^\s*(?:#\d+ [\d.]+ |\[[a-z][\w:.-]*\] |remote: )")
_SPACE = pattern(r"\s+")
_WORD = pattern(r"[A-Za-z]{2,}")
_NOISE = pattern(
    r"0x[0-9a-f]+|\b[0-9a-f]{7,64}\b|(?:[\w.~-]*/)+|\b\d[\d.,:]*(?:ms|s|m|h|kb|mb|gb|%)?\b",
    re.IGNORECASE,
)

# A line without any of these says nothing that is looked for.
_NEEDLES = (
    *("error", "fail", "exception", "fatal", "panic", "denied", "not found", "cannot", "can't"),
    *("conflict", "refused", "rejected", "no such", "unsupported", "deprecat", "in use", "killed"),
    *("no rule", "requires", "will be removed", "moved", "renamed", "err!", "fault", "no longer"),
    *("does not match", "✗", "✘", "●", ".go:", "warning", "no space", "out of memory", "expired"),
)

_PATH = r"(?P<where>[\w./@~+-]+\.\w{1,5})"
# The place of exceptions among the forms.
_EXCEPTION = 2
# How tools say that something is wrong; the first that fits a line counts.
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
    (pattern(r"(?:✗|✘|×) +(?P<test>[\w./@ ›>-]+)$"), SAID),
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
    (pattern(r"Found (?P<said>\d+ errors? in \d+ files?)"), SAID),
)
_EMPTY_WORDS = pattern(
    r"aborting due to|could not compile|A complete log|^code \S+$|Lifecycle script|Command failed"
    r"|exited? with (?:exit )?(?:code|status)|exit (?:code|status)|errored out|\[Help 1\]"
    r"|full stack trace|^For more information|^\d+ errors?\b|^no errors?\b|test failed, to rerun"
    r"|^There (?:are|were) test failures|^Process completed|^Re-run Maven|^Failed to execute goal"
    r"|^To see |^-+$|^\(|^in \S+$|^COMPILATION ERROR|^Tests? run|^Test(?:s| suites?):|^path "
    r"|^Exit$",
    re.IGNORECASE,
)
# What is missing is a fact about a machine or a project; it will be missing again.
_NOT_THERE = pattern(
    r"No module named|Cannot find (?:module|package)|command not found|: not found$|ERESOLVE"
    r"|connection refused|ECONNREFUSED|could not connect|failed to connect|permission denied"
    r"|EACCES|address already in use|EADDRINUSE|port \d+ is (?:already )?(?:in use|allocated)"
    r"|no space left|out of memory|heap out|ENOSPC|certificate|is not installed|not installed\b"
    r"|could not (?:find|resolve)(?: a version| dependenc| host)|unable to resolve dependency"
    r"|cannot connect to|unable to find image|failed to solve|Missing script|No rule to make"
    r"|linker \S+ not found|could not find any"
    r"|not (?:logged in|authenticated)|authentication (?:failed|required)|denied: |Unauthorized"
    r"|environment variable|shared object file|shared librar|ModuleNotFoundError"
    r"|\.h(?:pp)?: No such file|cannot find -l"
    r"|No such file or directory: '?[\w./-]*\.(?:so|toml|env|json|ya?ml)"
    r"|externally.managed|dubious ownership|cannot find package|no required module|package \S+ is "
    r"not in|unresolved import|relation \"?\w+\"? does not exist|no such table|\brejected\]"
    r"|protected branch|schema \S+ does not exist|role \"?\w+\"? does not exist|not a git repos",
    re.IGNORECASE,
)
_DEMANDS = pattern(
    r"requires?(?: a)?(?: different| newer| at least| version)?\s(?:Python|Node|npm|Java|Go|Rust"
    r"|rustc|Ruby|PHP|git|Docker|macOS|Linux|>=|\d)|requires-python|Unsupported engine"
    r"|EBADENGINE|incompatible with|is not supported|no longer supported|not supported (?:on|by|in)"
    r"|must be run (?:from|with|as|in)|has been (?:renamed|removed|moved|replaced)|repository moved"
    r"|only (?:supported|available|works) (?:on|with|in)|minimum supported|was removed in"
    r"|does not match the (?:detected|project)|is in use, trying|unsupported (?:class file|version)"
    r"|release version \d+ not supported",
    re.IGNORECASE,
)
_SLIP = pattern(
    r"unrecogni[sz]ed (?:arg|option|sub)|unknown (?:option|flag|argument|command|switch|shorthand)"
    r"|invalid (?:option|choice)|no such (?:option|command|sub)|unexpected argument"
    r"|\busage:|did not match any file"
    r"|pathspec|file or directory not found|not found: \S+\.py|nothing to commit|ambiguous argument"
    r"|(?:cannot|can't) (?:access|stat|open|cd to|find file)|unexpected EOF|syntax error near"
    r"|unmatched|bad substitution|no matches found|required arguments|missing operand"
    r"|No such file or directory$|SyntaxError: (?:invalid|unterminated|unexpected)"
    r"|event not found|is a directory|does not exist in (?:the )?index|bad revision",
    re.IGNORECASE,
)
_PASSES = pattern(
    r"timed out|connection refused|ECONNREFUSED|ECONNRESET|rate limit|temporar|unable to access"
    r"|could not resolve host|ETIMEDOUT|in use|lock|\b50[234]\b|\b429\b|try again",
    re.IGNORECASE,
)
# A command line that hides its exit code failed when its output says one of these.
_VERDICT = pattern(
    r"^(?:=+ .*\b)?\d+ (?:failed|errors?)\b.* in [\d.]+|^(?:FAILED|ERROR) \S+::"
    r"|^test result: FAILED|^error: could"
    r"|^--- FAIL|^FAIL\b|^Tests?: .*\d+ failed|^ *Tests +\d+ failed|^npm (?:ERR!|error)"
    r"|^g?make(?:\[\d+\])?: \*\*\*|BUILD FAIL|^Found \d+ errors?|^Traceback \(most recent|^fatal: "
    r"|: error TS\d+|^error(?:\[\w+\])?: |: error: |^Segmentation fault|command not found"
    r"|^[1-9]\d* problems? \([1-9]|^ERROR: |^Error: |failing$",
    re.MULTILINE,
)
_NOTICE = pattern(
    r"(?:[\w./-]+(?::\d+)*:? )?(?:remote: )?(?P<label>\w*Warning|warning|WARN(?:ING)?|warn)\b:? "
    r"(?P<said>.+)",
    re.IGNORECASE,
)
_AGEING = pattern(
    r"will be (?:removed|an error|required)|is deprecated|are deprecated|has been deprecated"
    r"|deprecated (?:and|since|in)|Deprecat\w*Warning",
    re.IGNORECASE,
)
# Somebody else's packages age all the time.
_NOT_OURS = pattern(r"^npm warn|^npm WARN|node_modules|site-packages|\(node:\d+\)")
# Without a label, a line must begin like this to be taken for a report.
_REPORTS = ("remote: This repository moved", "Port ", "npm warn EBADENGINE", "npm WARN EBADENGINE")


class Complaint(NamedTuple):
    """What a tool said, in which line, and how much it is worth."""

    at: int
    said: str
    weight: float
    # It tells what is demanded, renamed or not supported.
    demands: bool = False
    # It may be gone the next time.
    passes: bool = False


def clean_lines(text: str) -> list[str]:
    """The lines of a text as they stood on the screen: no colours, no overwritten progress."""
    if len(text) > MOST_TEXT:
        text = text[: MOST_TEXT // 4] + "\n" + text[-MOST_TEXT * 3 // 4 :]
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    lines = text.replace("\r\n", "\n").split("\n")
    if "\r" in text:
        lines = [line.rstrip("\r").rsplit("\r", 1)[-1] for line in lines]
    return lines


def plain(text: str) -> str:
    """A piece of a line, fit for a summary: no control characters, single spaces."""
    return _SPACE.sub(" ", _CONTROL.sub(" ", text.replace("`", "'"))).strip()


def find_complaint(lines: Sequence[str]) -> Complaint | None:
    """The line that best says what is wrong."""
    best: Complaint | None = None
    for at in _candidates(lines):
        line = _LEAD.sub("", lines[at][:_MOST_LINE]).strip()
        for number, (form, weight) in enumerate(_FORMS):
            match = form.match(line)
            if match is None:
                continue
            found = _weigh(lines, at, match, weight)
            # Of several exceptions the last is the one that nobody caught.
            if found is not None and (
                best is None
                or found.weight > best.weight
                or (found.weight == best.weight and number == _EXCEPTION)
            ):
                best = found
            break
    return best


def _candidates(lines: Sequence[str]) -> list[int]:
    found = []
    for at, line in enumerate(lines):
        low = line[:_MOST_LINE].lower()
        if any(needle in low for needle in _NEEDLES):
            found.append(at)
    if len(found) > _MOST_CANDIDATES:
        found = found[: _MOST_CANDIDATES // 2] + found[-_MOST_CANDIDATES // 2 :]
    return found


def _weigh(lines: Sequence[str], at: int, match: re.Match[str], weight: float) -> Complaint | None:
    groups = match.groupdict()
    test, said = plain(groups.get("test") or ""), plain(groups.get("said") or "")
    if not said or said.endswith(":"):
        said = (said + " " + _next(lines, at)).strip()
    if _EMPTY_WORDS.search(said) or (not test and len(said) < 4):
        return None
    message = f"{test}: {said}" if test and said else test or said
    return _valued(at, message, weight + (_NAMED if test else 0))


def _valued(at: int, said: str, weight: float) -> Complaint:
    demands = bool(_DEMANDS.search(said))
    if _NOT_THERE.search(said):
        weight = MISSING
    elif demands:
        weight = REQUIRED
    elif _SLIP.search(said):
        weight = SLIPPED
    return Complaint(at, said, weight, demands, bool(_PASSES.search(said)))


def find_message(lines: Sequence[str]) -> Complaint | None:
    """The last of at most three lines, where it reads like a sentence: it is the message."""
    said = [(at, plain(line[:_MOST_LINE])) for at, line in enumerate(lines) if line.strip()]
    if not 0 < len(said) <= 3 or len(_WORD.findall(said[-1][1])) < 3:
        return None
    return _valued(*said[-1], SAID)


def _next(lines: Sequence[str], at: int) -> str:
    """The next line that says something."""
    for line in lines[at + 1 : at + 4]:
        if line.strip():
            return plain(line[:_MOST_LINE])
    return ""


def tells_of_failure(lines: Sequence[str]) -> bool:
    """Whether a text says that something failed, whatever the exit code."""
    return bool(_VERDICT.search("\n".join(lines[-_MOST_CANDIDATES:])))


def find_notice(lines: Sequence[str]) -> Complaint | None:
    """What a tool that went well says about later: what ages, what it demands."""
    for at in _candidates(lines):
        line = lines[at][:_MOST_LINE].strip()
        notice = _NOTICE.match(line)
        said = plain(notice["said"]) if notice else plain(line.removeprefix("remote: "))
        if len(said) < 15 or _NOT_OURS.search(line):
            continue
        if _DEMANDS.search(said) and (notice or line.startswith(_REPORTS)):
            return Complaint(at, said, REQUIRED, demands=True)
        if notice and (_AGEING.search(said) or "eprecat" in notice["label"]):
            label = notice["label"]
            said = f"{label}: {said}" if label[:1].isupper() and len(label) > 7 else said
            return Complaint(at, said, MISSING)
    return None


def fingerprint(said: str, *context: str) -> str:
    """A name for what was said that numbers, paths, hashes and times do not change."""
    words = _SPACE.sub(" ", _NOISE.sub("#", said.lower())).strip()
    text = "\0".join((words, *context) if len(words) < 20 else (words,))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def excerpt_of(lines: Sequence[str], at: int, limit: int) -> str:
    """What stands around a line, at most so many bytes of it."""
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
