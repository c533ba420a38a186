"""Which version of an agent's program is on this machine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from recollect.core.patterns import pattern

_VERSION = pattern(r"\d{1,6}\.\d{1,6}(?:\.\d{1,9})?", re.ASCII)
_SECONDS = 5.0
_MOST_FOLDERS = 4


def version_of(program: str, environment: Mapping[str, str]) -> str:
    """Return the version of a program; empty if it is not found or does not say."""
    found = shutil.which(program, path=environment.get("PATH")) if program else None
    if found is None:
        return ""
    return _of_package(Path(found)) or _said(found, environment)


def is_older(version: str, other: str) -> bool:
    """Whether a version is older than another one."""
    return _numbers(version) < _numbers(other)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _of_package(program: Path) -> str:
    """Return what the npm package of a program says, which is faster than to start it."""
    for folder in list(program.resolve().parents)[:_MOST_FOLDERS]:
        try:
            said = json.loads((folder / "package.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        version = said.get("version") if isinstance(said, dict) else None
        if isinstance(version, str) and (found := _VERSION.match(version)):
            return found[0]
    return ""


def _said(program: str, environment: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            [program, "--version"],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _VERSION.search(done.stdout[:1_000].decode("utf-8", "replace"))
    return found[0] if found else ""
