"""What a session works in: the package around its directory, the specification of its branch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

# Folders with one folder for each specification, below the root.
SPEC_FOLDERS = ("specs", "spec", "docs/specs", "docs/spec/active", ".kiro/specs", ".specify/specs")
_MOST_BYTES = 65_536
_MOST_SPECS = 500
_NUMBER = pattern(r"[0-9]{1,10}[-_]")
_NAME = pattern(r"""^name[ \t]{0,9}=[ \t]{0,9}["']([^"'\n]{1,100})["']""")
_MODULE = pattern(r"^module[ \t]{1,9}([^ \t\n]{1,200})")


class Surroundings(NamedTuple):
    """The name of the package, its folder below the root, and names of the specification."""

    project: str = ""
    # Empty for the root.
    folder: str = ""
    # Every name that memories may use for the specification that the branch is about.
    specs: frozenset[str] = frozenset()


def detect(
    root: Path, directory: Path, branch: str | None, is_used: Callable[[str], bool]
) -> Surroundings:
    """Return what a directory and a branch say; `is_used` tells whether memories have a spec.

    A branch is about a specification if it has the name of one: of a folder, or of memories.
    """
    project, folder = _package(root, directory)
    names = _names(branch or "")
    folders = {name for path in _spec_folders(root) for name in _short_and_long(path.name.lower())}
    specs = frozenset(name for name in names if name in folders or is_used(name))
    if specs:
        specs |= frozenset(names)
    return Surroundings(project, folder, specs)


def _names(branch: str) -> list[str]:
    """Return what a branch may call its specification: `feature/001-orders` means `orders`."""
    if branch in ("", "main", "master", "develop"):
        return []
    last = branch.rpartition("/")[2].lower()
    return list(dict.fromkeys((branch.lower(), *_short_and_long(last))))


def _short_and_long(name: str) -> tuple[str, str]:
    """Return a name, and the same without a number in front."""
    number = _NUMBER.match(name)
    return name, name[number.end() :] if number else name


def _spec_folders(root: Path) -> Iterator[Path]:
    for name in SPEC_FOLDERS:
        with suppress(OSError):
            found = [path for path in (root / name).iterdir() if path.is_dir()]
            yield from found[:_MOST_SPECS]


def _package(root: Path, directory: Path) -> tuple[str, str]:
    """Return the name of the nearest package, and its folder below the root."""
    inside = [f for f in (directory, *directory.parents) if f == root or root in f.parents]
    for folder in inside or [root]:
        for file, read in _METADATA.items():
            with suppress(OSError, ValueError, RecursionError):
                with (folder / file).open("rb") as opened:
                    text = opened.read(_MOST_BYTES).decode("utf-8", "replace")
                name = read(text).rpartition("/")[2].strip().lower()
                if name:
                    return name, "" if folder == root else folder.relative_to(root).as_posix()
    return root.name.lower(), ""


def _in_toml(text: str) -> str:
    """Return the name from the first lines that give one: TOML, without loading a parser."""
    found = (_NAME.match(line) for line in text.splitlines())
    return next((match.group(1) for match in found if match), "")


def _in_json(text: str) -> str:
    said = json.loads(text)
    name = said.get("name") if isinstance(said, dict) else None
    return name if isinstance(name, str) else ""


def _in_go(text: str) -> str:
    found = (_MODULE.match(line) for line in text.splitlines())
    return next((match.group(1) for match in found if match), "")


_METADATA: dict[str, Callable[[str], str]] = {
    "pyproject.toml": _in_toml,
    "package.json": _in_json,
    "Cargo.toml": _in_toml,
    "go.mod": _in_go,
}
