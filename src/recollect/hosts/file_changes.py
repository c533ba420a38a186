"""What happens to a file of an agent, and writing it: the file, and a receipt of what was done."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from recollect.config.config import data_dir
from recollect.config.locate import make_private
from recollect.config.replacing import replace_file
from recollect.errors import InstallFailed, NotWritable

_RECEIPTS = "installed"


class Change(NamedTuple):
    """What happens to a file; None if it does not exist before, or after."""

    path: Path
    before: bytes | None
    after: bytes | None
    receipt: Mapping[str, Any] | None = None
    # What the user should know, such as why a file stays.
    note: str = ""

    @property
    def difference(self) -> str:
        """The change as `diff -U0` shows it; empty if there is none.

        The lines around it are left out: they are the user's, and may be secret. So is a last line
        that only gets a line end.
        """
        old, new = (_lines(content) for content in (self.before, self.after))
        names = (
            ("/dev/null" if self.before is None else str(self.path)),
            ("/dev/null" if self.after is None else str(self.path)),
        )
        lines = difflib.unified_diff(old, new, *names, n=0, lineterm="")
        return "".join(f"{line}\n" for line in lines)


def apply(changes: Sequence[Change], environment: Mapping[str, str]) -> None:
    """Write what changed."""
    left: set[str] = set()  # folders that were made for files that are gone
    for change in changes:
        receipt_path = _receipt_path(change.path, environment)
        made = [*(_known(receipt_path) or {}).get("folders", ())]
        # Folders that were made for a file that is gone go with the last file in them.
        made += [folder for folder in sorted(left) if change.path.is_relative_to(folder)]
        made = [*dict.fromkeys(made)]
        if change.after is None:
            _delete(change.path)
            left.update(made)
        elif change.after != change.before:
            made += _make_folders(change.path.parent)
            replace_file(change.path, change.after)
        if change.receipt is None:
            receipt_path.unlink(missing_ok=True)
        elif change.after != change.before or change.receipt != _known(receipt_path):
            make_private(receipt_path.parent)
            said = {**change.receipt, "path": str(change.path), "folders": made}
            replace_file(receipt_path, json.dumps(said).encode())
    for folder in sorted(left, key=len, reverse=True):
        with suppress(OSError):  # somebody put something there
            Path(folder).rmdir()


def all_receipts(environment: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the receipts of all files."""
    for path in sorted((data_dir(environment) / _RECEIPTS).glob("*.json")):
        if (known := _known(path)) is not None:
            yield known


def receipt_of(path: Path, environment: Mapping[str, str]) -> dict[str, Any] | None:
    """Return what was done to a file; None if nothing was."""
    return _known(_receipt_path(path, environment))


def read(path: Path) -> bytes | None:
    """Return the content of a file; None if there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InstallFailed(f"Cannot read {path}: {error}", "Nothing was changed.") from None


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines()


def hash_of(content: bytes) -> str:
    """Return what a receipt keeps of a file's content."""
    return hashlib.sha256(content).hexdigest()


def _receipt_path(path: Path, environment: Mapping[str, str]) -> Path:
    key = hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:24]
    return data_dir(environment) / _RECEIPTS / f"{key}.json"


def _known(receipt: Path) -> dict[str, Any] | None:
    try:
        said = json.loads(receipt.read_bytes())
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) else None


def _make_folders(folder: Path) -> list[str]:
    """Create a folder and its missing parents; return those that were missing."""
    missing = [path for path in (folder, *folder.parents) if not path.is_dir()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotWritable(f"Cannot create {folder}: {error}") from None
    return [str(path) for path in missing]


def _delete(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise NotWritable(f"Cannot remove {path}: {error}") from None
