"""Makes a repository with a history: some twenty commits of three people, from templates.

The files that a day works with are part of it. The rest is filler that looks like work: every
module is added, then changed and corrected a few times over the weeks before the day.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PEOPLE = ("Ada <ada@example.com>", "Grace <grace@example.com>", "Jun <jun@example.com>")
_FIRST = 1_790_000_000  # a few weeks before the day
_STEP = 31_000  # seconds between two commits
_CHANGES = (
    ("{module}: cover the empty case", "Nobody called it with an empty list until last week."),
    ("{module}: smaller functions", ""),
    ("{module}: clearer name for the second argument", ""),
    ("{module}: stop at the first match", "It walked through everything, for nothing."),
    ("Tidy up {module}", ""),
    ("{module}: say what is wrong in the error", "Support asked for it."),
    ("Typo in {module}", ""),
    ("{module}: leave out what nobody uses", ""),
)
_EXTRAS = (
    ("Explain how to start", "README.md", "\nRun `make` to see what there is.\n"),
    ("Ignore caches", ".gitignore", "__pycache__/\n*.pyc\n"),
    ("Who to ask", "CONTACTS", "Ask in the team's channel.\n"),
)


class Commit(NamedTuple):
    """One commit: who, the message, and the files that it writes."""

    author: str
    message: str
    files: Mapping[str, str]


def make_history(repo: Path, project: Mapping[str, Any], environment: Mapping[str, str]) -> int:
    """Fill an empty folder with a repository; return the number of commits."""
    commits = list(_commits(project, random.Random(str(project["name"]))))
    _git(repo, environment, "init", "--quiet", "--initial-branch=main")
    stream = b"".join(_as_import(number, commit) for number, commit in enumerate(commits))
    _git(repo, environment, "fast-import", "--quiet", given=stream)
    _git(repo, environment, "reset", "--quiet", "--hard", "main")
    return len(commits)


def _commits(project: Mapping[str, Any], chance: random.Random) -> Iterator[Commit]:
    name, about = str(project["name"]), str(project["about"])
    files: dict[str, str] = {path: str(text) for path, text in project.get("files", {}).items()}
    readme = files.pop("README.md", f"# {name}\n\n{about}\n")
    yield Commit(PEOPLE[0], f"Start {name}\n\n{about}", {"README.md": readme})
    texts = {"README.md": readme}
    for path, text in files.items():
        yield Commit(chance.choice(PEOPLE), f"Add {Path(path).name}", {path: text})
    modules: Sequence[str] = project.get("modules", ())
    for module in modules:
        texts[module] = f"# {Path(module).stem} of {name}\n"
        yield Commit(chance.choice(PEOPLE), f"Add {Path(module).stem}", {module: texts[module]})
    for subject, path, addition in _EXTRAS:
        texts[path] = texts.get(path, "") + addition
        yield Commit(chance.choice(PEOPLE), subject, {path: texts[path]})
    for number in range(max(0, chance.randint(16, 28) - 4 - len(files) - len(modules))):
        module = chance.choice(modules) if modules else "NOTES"
        subject, why = chance.choice(_CHANGES)
        texts[module] = texts.get(module, "") + f"# change {number}\n"
        message = subject.format(module=Path(module).stem) + (f"\n\n{why}" if why else "")
        yield Commit(chance.choice(PEOPLE), message, {module: texts[module]})


def _as_import(number: int, commit: Commit) -> bytes:
    when = f"{_FIRST + number * _STEP} +0000"
    parts = [
        b"commit refs/heads/main\n",
        f"mark :{number + 1}\n".encode(),
        f"author {commit.author} {when}\ncommitter {commit.author} {when}\n".encode(),
        _data(commit.message),
        f"from :{number}\n".encode() if number else b"",
    ]
    for path, text in commit.files.items():
        mode = "100755" if text.startswith("#!") else "100644"
        parts += [f"M {mode} inline {path}\n".encode(), _data(text)]
    return b"".join((*parts, b"\n"))


def _data(text: str) -> bytes:
    raw = text.encode()
    return b"data %d\n%s\n" % (len(raw), raw)


def _git(repo: Path, environment: Mapping[str, str], *args: str, given: bytes = b"") -> None:
    subprocess.run(
        ["git", *args],
        cwd=repo,
        env=dict(environment),
        input=given,
        check=True,
        capture_output=True,
    )
