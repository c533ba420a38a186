"""Console transcripts in Markdown that are documentation and tests at once.

Every fenced block that is marked `console` is run, top to bottom, in one directory:

    $ recollect capture decisions "Use PostgreSQL"
    decisions:5b1e7c2:0
    Remembered: Use PostgreSQL

A line that starts with `$ ` is a command; the lines below it are what it prints, standard output
and standard error together. A command that has an open quote goes on in lines that start with `> `.

In what is expected, `[..]` stands for any text within a line, `[NAME..]` does so and remembers the
text as `$NAME` (where the name is known already, the text must be the same), `...` alone on a line
stands for any lines, and a last line `? 61` says that the command ends with that exit code instead
of 0. Blanks at the end of a line and blank lines at the end of the output do not count. Where the
list of memories should say `now`, a few minutes do as well: not every machine is fast.

There is no shell, so that the transcripts run wherever Python and git do. A command may be
`cd DIR`, `mkdir DIR`, `git …` or `recollect …`; before it `NAME=value` sets a variable for that
command and `echo TEXT |` gives it something to read, and after it `< FILE` and `> FILE` redirect.
`NAME=$(command)` keeps what the command prints, and `$NAME` in a later word stands for it.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
TIMEOUT = 60.0

_EXIT_CODE = re.compile(r"\? ([0-9]+)")
_CAPTURE = re.compile(r"([A-Z][A-Z0-9_]*)=\$\((.*)\)", re.DOTALL)
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_WILDCARD = re.compile(r"\[([A-Z0-9_]*)\.\.\]")
_NAME = re.compile(r"\$([A-Z][A-Z0-9_]*)")
_ANY_LINES = "..."
_NOW = re.escape(" now  ")
# What a child needs from our own surroundings to start at all.
_INHERITED = ("PATH", "PATHEXT", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "PYTHONPATH")


class TranscriptError(AssertionError):
    """A transcript says something that is not so, or that cannot be run."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a transcript, what it should print, and how it should end."""

    line: int
    text: str
    expected: tuple[str, ...]
    exit_code: int = 0


def read_commands(markdown: str) -> list[Command]:
    """The commands of all console blocks, in order."""
    commands: list[Command] = []
    for fence in FENCE.finditer(markdown):
        if fence.group(1) == "console":
            first = markdown.count("\n", 0, fence.start(2)) + 1
            commands += _read_block(fence.group(2).splitlines(), first)
    return commands


def _read_block(lines: list[str], first: int) -> Iterator[Command]:
    position = 0
    while position < len(lines):
        start = position
        if not lines[start].startswith("$ "):
            raise TranscriptError(f"line {first + start}: output without a command: {lines[start]}")
        text = lines[start][2:]
        position += 1
        while _is_open(text):
            if position == len(lines) or not lines[position].startswith(">"):
                raise TranscriptError(f"line {first + start}: a quote is not closed: {text}")
            text += "\n" + lines[position].removeprefix(">").removeprefix(" ")
            position += 1
        expected: list[str] = []
        while position < len(lines) and not lines[position].startswith("$ "):
            expected.append(lines[position])
            position += 1
        yield _command(first + start, text, _trimmed(expected))


def _command(line: int, text: str, expected: list[str]) -> Command:
    ending = _EXIT_CODE.fullmatch(expected[-1]) if expected else None
    if ending is None:
        return Command(line, text, tuple(expected))
    return Command(line, text, tuple(_trimmed(expected[:-1])), int(ending.group(1)))


def _is_open(text: str) -> bool:
    """Whether a quote is still open at the end of a command."""
    try:
        shlex.split(text)
    except ValueError:
        return True
    return False


def _trimmed(lines: list[str]) -> list[str]:
    """The lines without blanks at their ends, and without blank lines at the end of them all."""
    trimmed = [line.rstrip() for line in lines]
    while trimmed and not trimmed[-1]:
        trimmed.pop()
    return trimmed


@dataclass
class Transcript:
    """Runs commands in a directory of their own, far from the user's home and configuration."""

    root: Path
    names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.directory = self.root / "work"
        self.environment = _environment(self.root)
        self.directory.mkdir()

    def run(self, markdown: str) -> int:
        """Run every command of a page; how many there were. The first that differs is an error."""
        __tracebackhide__ = True
        commands = read_commands(markdown)
        for command in commands:
            self._check(command)
        return len(commands)

    def _check(self, command: Command) -> None:
        __tracebackhide__ = True
        output, code = self._execute(command.text)
        actual = _trimmed(output.splitlines())
        expected = list(command.expected)
        bound = match_lines(expected, actual, self.names)
        if bound is None or code != command.exit_code:
            wanted = [*explained(expected, actual, self.names), f"? {command.exit_code}"]
            diff = difflib.unified_diff(
                wanted, [*actual, f"? {code}"], "in the transcript", "what came", lineterm=""
            )
            raise TranscriptError(
                f"line {command.line}: $ {command.text}\n" + "\n".join(diff)
            ) from None
        self.names.update(bound)

    def _execute(self, text: str) -> tuple[str, int]:
        """Run one command line; what it printed and how it ended."""
        capture = _CAPTURE.fullmatch(text)
        if capture is None:
            result = self._spawn(text)
            return result.stdout, result.returncode
        result = self._spawn(capture.group(2), split=True)
        self.names[capture.group(1)] = result.stdout.strip()
        return result.stderr, result.returncode

    def _spawn(self, text: str, *, split: bool = False) -> subprocess.CompletedProcess[str]:
        words = [self._expanded(word) for word in shlex.split(text)]
        variables: dict[str, str] = {}
        while words and (match := _VARIABLE.fullmatch(words[0])):
            variables[match.group(1)] = match.group(2)
            del words[0]
        said = _echoed(words)
        source, target = _redirection(words, "<"), _redirection(words, ">")
        if words[0] in ("cd", "mkdir"):
            return self._builtin(words)
        read = (self.directory / source).read_bytes() if source else said
        done = subprocess.run(
            [*_program(words[0]), *words[1:]],
            cwd=self.directory,
            env={**self.environment, **variables},
            input=read,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if split or target else subprocess.STDOUT,
            timeout=TIMEOUT,
        )
        out, err = done.stdout, done.stderr or b""
        if target:
            (self.directory / target).write_bytes(out)
            out, err = err, b""
        return subprocess.CompletedProcess(words, done.returncode, _text(out), _text(err))

    def _builtin(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        name, path = words
        target = (self.directory / path).resolve()
        if not target.is_relative_to(self.root.resolve()):
            raise TranscriptError(f"{name} {path} leaves the directory of the test")
        if name == "mkdir":
            target.mkdir()
        elif target.is_dir():
            self.directory = target
        else:
            raise TranscriptError(f"cd {path}: there is no such directory")
        return subprocess.CompletedProcess(words, 0, "", "")

    def _expanded(self, word: str) -> str:
        return _NAME.sub(lambda match: self.names.get(match.group(1), match.group()), word)


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace").replace("\r\n", "\n")


def _echoed(words: list[str]) -> bytes:
    """Take `echo TEXT |` from the start of a command; what the command gets to read."""
    if words[0] != "echo" or words[2:3] != ["|"]:
        return b""
    text = words[1]
    del words[:3]
    return f"{text}\n".encode()


def _redirection(words: list[str], sign: str) -> str | None:
    """Take a redirection from the end of a command; the file it names."""
    if sign not in words:
        return None
    at = words.index(sign)
    name = words[at + 1]
    del words[at : at + 2]
    return name


def _program(name: str) -> list[str]:
    if name == "git":
        return ["git"]
    if name != "recollect":
        raise TranscriptError(f"{name} is not one of: cd, echo, git, mkdir, recollect")
    script = shutil.which(name, path=str(Path(sys.executable).parent))
    return [script] if script else [sys.executable, "-m", name]


def _environment(root: Path) -> dict[str, str]:
    """Surroundings that are the same on every machine and every day."""
    home = root / "home"
    home.mkdir()
    configuration = root / "gitconfig"
    configuration.touch()
    when = "2026-01-02T03:04:05Z"
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "GIT_CONFIG_GLOBAL": str(configuration),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(root),
        "GIT_TERMINAL_PROMPT": "0",
        # Machines are slow at times, and no test asserts on speed.
        "RECOLLECT_HOOK_DEADLINE": "30000",
        "RECOLLECT_HOOK_SESSION_DEADLINE": "30000",
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.com",
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.com",
        "GIT_COMMITTER_DATE": when,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }


def match_lines(
    expected: list[str], actual: list[str], names: Mapping[str, str]
) -> dict[str, str] | None:
    """The names that the wildcards gave, if the actual lines are what was expected; else None."""
    if not expected:
        return None if actual else {}
    if expected[0] == _ANY_LINES:
        for skipped in range(len(actual) + 1):
            bound = match_lines(expected[1:], actual[skipped:], names)
            if bound is not None:
                return bound
        return None
    if not actual:
        return None
    found = match_line(expected[0], actual[0], names)
    if found is None:
        return None
    rest = match_lines(expected[1:], actual[1:], {**names, **found})
    return None if rest is None else {**found, **rest}


def match_line(expected: str, actual: str, names: Mapping[str, str]) -> dict[str, str] | None:
    """The names that the wildcards of one line gave, if it is what was expected; else None."""
    pattern, position = "", 0
    for wildcard in _WILDCARD.finditer(expected):
        pattern += re.escape(expected[position : wildcard.start()])
        position = wildcard.end()
        name = wildcard.group(1)
        if name in names:
            pattern += re.escape(names[name])
        elif f"(?P<{name}>" in pattern:
            pattern += f"(?P={name})"
        else:
            pattern += f"(?P<{name}>.*?)" if name else ".*?"
    pattern += re.escape(expected[position:])
    match = re.fullmatch(pattern.replace(_NOW, "(?: now|  [0-9]m)  "), actual)
    return match.groupdict() if match else None


def explained(expected: list[str], actual: list[str], names: Mapping[str, str]) -> list[str]:
    """The expected lines, those that came replaced by what came: only differences stay."""
    shown, position = [], 0
    for line in expected:
        for at in range(position, len(actual)):
            if line != _ANY_LINES and match_line(line, actual[at], names) is not None:
                shown.append(actual[at])
                position = at + 1
                break
        else:
            shown.append(line)
    return shown
