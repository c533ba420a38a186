"""Parses shell commands: which part does the work, and whether it only reads.

An agent writes `cd web && npm test 2>&1 | tail -20`; a person remembers `npm test`. Parsing is best
effort, never fails, and is linear in the length of the text. No shell is run.
"""

from __future__ import annotations

import re
from functools import lru_cache

from recollect.capture.error_lines import plain
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

RUN = "$ "  # prefix of a command among the changes of a session
LONGEST_SHOWN = 40
_MOST = 4_000

_HEREDOC = pattern(
    r"<<-?[ \t]*(['\"]?)(\w++)\1([^\n]{0,500}+)\n.*?(?:^[ \t]*\2[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_TOKEN = pattern(
    r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.|&&|\|\||\|&|[|;\n]|&(?![>\d])|\#[^\n]*|[^'"\\|;\n&\#]+|.""",
    re.DOTALL,
)
# Removed before splitting: the `&` of `2>&1` does not end a command.
_JOINED = pattern(r"(?<!\s)\s*+(?:\d?>&\s*+\d|&>{1,2})")
_REDIRECT = pattern(r"(?<!\s)\s*+(?:(?:\d|&)?>{1,2}\s*+(?:&\d|[^\s<>|;]+)|<<?<?\s*+[^\s<>|;]+)")
_ASSIGNMENT = pattern(r"(?:export\s+)?[A-Za-z_]\w*=(?:'[^']*'|\"[^\"]*\"|\S*)\s+(?=\S)")
_INLINE = pattern(
    r"(?:^|[\s/])(?:python[\d.]*|node|ruby|perl|deno|bun|php|bash|sh|psql|sqlite3)\s+"
    r"(?:-\s*$|-\s|-[ceEp]\s|[^|;&\n]{0,80}<<)"
)
_PLACE = pattern(r"^(?:/|\S*\bbin/)(?:[^\s/]+/)*")
_SPACE = pattern(r"\s+")
_KEYWORD = pattern(r"^[\s({!]*(?:(?:do|then|else|if|while|until)\s+)*|^\s*(?:done|fi|esac)\b")


_SHIELD = {ord("<"): "\ue000", ord(">"): "\ue001"}
_UNSHIELD = {0xE000: "<", 0xE001: ">"}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Commands that only prepare.
_STAGE = _words(
    "cd pushd popd echo printf export set source . sleep true false : wait unset exit for case "
    "done fi } { trap read local"
)
# Commands that only read: their output is somebody else's text.
_LOOK = _words(
    "ls ll cat bat head tail less more grep egrep fgrep rg ag ack find fd tree stat file wc du df "
    "awk sed jq yq sort uniq cut tr diff cmp which type command whereis ps env printenv pwd date "
    "whoami hostname uname history strings hexdump xxd od nl column man test [ [[ basename dirname "
    "realpath readlink journalctl tee xargs lsof id"
)
# Programs of which only these subcommands read.
_LOOK_SUB = {
    "git": "status log show diff blame branch remote rev-parse ls-files ls-tree grep config reflog "
    "describe cat-file for-each-ref shortlog stash-list",
    "gh": "api search view list diff checks status",
    "docker": "ps logs images inspect",
    "kubectl": "get describe logs",
    "npm": "ls list view outdated",
    "pip": "list show freeze",
    "cargo": "tree metadata",
    "go": "doc list env version",
    "systemctl": "status",
}
_SETTING = _words("--add --unset --unset-all --replace-all --edit --remove-section")
# Wrappers before the program that does the work.
_PREFIX = _words("sudo env nohup nice exec xvfb-run command time timeout stdbuf")
# For these, the program follows `run`.
_RUNNERS = _words("uv poetry pipenv pdm hatch rye")
# For these, the first word is a target, not a subcommand.
_PLAIN = _words("pytest mypy jest vitest eslint tsc node pyright flake8 pylint black isort bash sh")
# Commands that build, test or deploy: programs, and subcommands of others.
_CHECKERS = _words(
    "pytest tox nox jest vitest mocha rspec phpunit ctest playwright cypress mypy pyright tsc "
    "eslint ruff flake8 pylint make cmake ninja gradle gradlew mvn mvnw bazel msbuild xcodebuild "
    "webpack vite rollup terraform helm ansible-playbook serverless unittest pre-commit"
)
_CHECKS = _words(
    "test tests build check lint compile deploy release publish verify typecheck vet clippy apply "
    "migrate integration e2e ci bundle package push plan"
)
_NO_CHECK = _words("git pip pip3 uv poetry")
# Commands that change the environment: programs, and subcommands of others.
_REPAIRERS = _words("chmod chown cp export kill killall ln mkdir mv patch pkill rm touch unset")
_REPAIRS = _words(
    "add apply checkout ci config create disable download enable generate init install link login"
    " migrate prune pull rebuild remove reset restart restore start stop sync tidy uninstall up"
    " update upgrade use"
)
_REMOTE = _words("ssh scp rsync")
_NO_REPAIR = (("git", "add"), ("git", "init"), ("git", "pull"), ("git", "remote"))
_NO_REPAIRERS = _words("gh glab")
_SCRATCH = ("/tmp/", "$TMP", '"$TMP', "/var/tmp/")  # noqa: S108
_REPAIRING_GIT = _words("apply checkout config lfs reset restore submodule")
# Programs whose redirected output is a file that somebody writes by hand.
_WRITERS = _words("echo cat printf tee")
_INTO = pattern(r"(?<![\d&>=-])>{1,2}\s{0,9}([\w./~-]{1,200})")
_NUMBER = pattern(r"-?\d+[smhd]?$")
_MODULE = pattern(r"python[\d.]*$")


class Part(NamedTuple):
    """One simple command of a line, and the operator after it."""

    text: str
    # `&&`, `||`, `;`, `|`, or nothing at the end.
    then: str


@lru_cache(maxsize=8)
def parts_of(command: str) -> tuple[Part, ...]:
    """Return the simple commands of a line, without comments, redirections and input."""
    text = _JOINED.sub(" ", _HEREDOC.sub(r"<<\2\3", command[:_MOST]))
    parts: list[Part] = []
    pieces: list[str] = []
    for token in _TOKEN.findall(text):
        if token in ("&&", "||", ";", "|", "|&", "&", "\n"):
            parts.append(_part(pieces, token))
            pieces = []
        elif token.startswith("#") and (not pieces or pieces[-1][-1:].isspace()):
            continue
        else:
            pieces.append(token)
    parts.append(_part(pieces, ""))
    return tuple(part for part in parts if part.text)


def _part(pieces: list[str], then: str) -> Part:
    # `'httpx<0.28'` redirects nothing.
    shielded = [piece.translate(_SHIELD) if piece[:1] in "'\"" else piece for piece in pieces]
    text = _KEYWORD.sub("", _REDIRECT.sub("", "".join(shielded))).translate(_UNSHIELD)
    return Part(
        _SPACE.sub(" ", text).strip(" ()"), ";" if then == "\n" else then.replace("|&", "|")
    )


def words_of(text: str) -> list[str]:
    """Return the words of a simple command, without wrappers before the program."""
    while assigned := _ASSIGNMENT.match(text):
        text = text[assigned.end() :]
    words = text.split()
    while len(words) > 1 and (words[0] in _PREFIX or _NUMBER.match(words[0])):
        words = words[1:]
    return words


def program_of(text: str) -> str:
    """Return the name of the program that a simple command runs."""
    words = words_of(text)
    return words[0].rsplit("/", 1)[-1] if words else ""


def main_part(command: str) -> str:
    """Return the simple command that does the work: the last of several, which failed."""
    parts = parts_of(command)
    heads = [part for before, part in zip([None, *parts], parts, strict=False) if _leads(before)]
    for wanted in (_works, _acts):
        for part in reversed(heads):
            if wanted(part.text):
                return part.text
    return heads[-1].text if heads else ""


def _leads(before: Part | None) -> bool:
    return before is None or before.then != "|"


def _acts(text: str) -> bool:
    return program_of(text) not in _STAGE


def _works(text: str) -> bool:
    return _acts(text) and not looks(text)


def looks(text: str) -> bool:
    """Return whether a simple command only reads."""
    words = words_of(text)
    if not words:
        return True
    program = words[0].rsplit("/", 1)[-1]
    if program == "sed" and "-i" in words:
        return False
    if program == "git" and words[1:2] == ["config"]:
        return not _sets_config(words[2:])
    subcommands = _LOOK_SUB.get(program, "").split()
    rest = [word for word in words[1:4] if not word.startswith("-")]
    # `gh pr view` has the subcommand in the second place.
    return program in _LOOK or any(word in subcommands for word in rest[: 1 + (program == "gh")])


def _sets_config(words: list[str]) -> bool:
    """Return whether `git config` writes: it has a value, or an option that changes something."""
    plain = [word for word in words if not word.startswith("-")]
    return len(plain) > 1 or not _SETTING.isdisjoint(words)


def only_looks(command: str) -> bool:
    """Return whether all parts of a command line only read."""
    parts = parts_of(command)
    heads = [part for before, part in zip([None, *parts], parts, strict=False) if _leads(before)]
    return not any(_works(part.text) for part in heads)


def hides_failure(command: str) -> bool:
    """Return whether a command line can succeed although its main part failed."""
    parts = parts_of(command)
    main = main_part(command)
    return any(part.then in ("|", "||", ";", "&") for part in parts if part.text == main)


def is_inline(command: str) -> bool:
    """Return whether the command contains its own program: a script that nobody runs twice."""
    return bool(_INLINE.search(main_part(command)) or _INLINE.search(command[:_MOST]))


def is_check(command: str) -> bool:
    """Return whether a command builds, tests or deploys."""
    task = task_of(command)[0]
    if not task:
        return False
    if task[0] in _CHECKERS:
        return True
    parts = {part for word in task[1:] for part in word.replace(":", "-").split("-")}
    return task[0] not in _NO_CHECK and not _CHECKS.isdisjoint(parts)


def repairs(command: str) -> bool:
    """Return whether a command changes the environment: installs, configures or starts."""
    if only_looks(command):
        return False
    named = [word for word in words_of(main_part(command)) if not word.startswith("-")]
    program, *rest = [word.rsplit("/", 1)[-1] for word in named] or [""]
    told = rest[:3] if program not in _REMOTE else []
    if any((program, word) in _NO_REPAIR for word in told[:1]):
        return False
    if program in _NO_REPAIRERS or "--dry-run" in command:
        return False
    if program == "git":
        return not _REPAIRING_GIT.isdisjoint(told[:1]) and " -b " not in command
    if program in _REPAIRERS:
        return not rest or not all(path.startswith(_SCRATCH) for path in named[1:])
    return not _REPAIRS.isdisjoint(told)


def repairing_parts(command: str, *, but: str = "") -> list[str]:
    """Return the parts of a command line that change the environment, in order."""
    parts = [part.text for part in parts_of(command)]
    return [text for text in parts if text != but and repairs(text)]


def files_written(command: str) -> tuple[str, ...]:
    """Return the files that a command line writes by hand, such as `echo x >> .env`."""
    found = []
    if ">" in command:
        text = _HEREDOC.sub(r"<<\2\3", command[:_MOST])
        for line in text.split("\n"):
            if program_of(line.rpartition("&&")[2].strip()) in _WRITERS:
                found += _INTO.findall(line)
    for part in parts_of(command):
        words = words_of(part.text)
        program = program_of(part.text)
        if program == "tee" or (program == "sed" and "-i" in words):
            found += [word for word in words[-1:] if word[:1] not in "-'\""]
    return tuple(dict.fromkeys(path for path in found if not path.startswith("/dev/")))


def shown(command: str, limit: int = LONGEST_SHOWN) -> str:
    """Return the main part as a person would write it, on one line."""
    text = main_part(command)
    while assigned := _ASSIGNMENT.match(text):
        text = text[assigned.end() :]
    # Name a tool of the project without its path, which differs between machines.
    text = _PLACE.sub("", plain(text))
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) >= limit // 3 else cut) + "…"


def task_of(command: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return program and subcommand, and the targets without options."""
    words = words_of(main_part(command))
    if not words:
        return (), frozenset()
    name = [words[0].rsplit("/", 1)[-1]]
    rest = words[1:]
    if _MODULE.match(name[0]) and rest[:1] == ["-m"] and len(rest) > 1:
        name, rest = [rest[1]], rest[2:]
    plain = [word for word in rest if not word.startswith("-") and not _NUMBER.match(word)]
    if name[0] in _RUNNERS and plain[:1] == ["run"] and len(plain) > 1:
        return task_of(" ".join(rest[rest.index(plain[1]) :]))
    while name[0] not in _PLAIN and plain and _is_subcommand(plain[0]) and len(name) < 3:
        name, plain = [*name, plain[0]], plain[1:]
        if name[-1] not in ("run", "compose"):
            break
    return tuple(name), frozenset(filter(None, (word.strip("'\"") for word in plain)))


def _is_subcommand(word: str) -> bool:
    return word.replace("-", "").replace(":", "").isalpha()
