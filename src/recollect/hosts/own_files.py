"""Files that are all ours: written, replaced and removed as long as nobody else changed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from recollect.errors import InstallFailed
from recollect.hosts.file_changes import Change, all_receipts, hash_of, read, receipt_of


class OwnFile(NamedTuple):
    """A file that is all ours. `folder` is a folder above it that only we use, if there is one."""

    path: Path
    text: str
    folder: Path | None = None


def installing(file: OwnFile, environment: Mapping[str, str]) -> Change:
    """Return what must change so that the file is there. Refuse to replace somebody's work."""
    before, after = read(file.path), file.text.encode()
    if before not in (None, after):
        known = receipt_of(file.path, environment)
        if known is None and file.folder is None:
            raise InstallFailed(
                f"{file.path} exists, and Recollect did not write it.",
                "Move it away, then run the command again. Nothing was changed.",
            )
        # In a folder of ours, a file without a receipt came with a colleague's commit.
        if known is not None and not _is_as_left(before, known):
            everything = f", or all of {file.folder}," if file.folder else ""
            raise InstallFailed(
                f"{file.path} was changed after Recollect wrote it.",
                f"Keep a copy of what you need, delete the file{everything} and run the command"
                " again. Nothing was changed.",
            )
    return Change(
        file.path, before, after, {"existed": False, "splices": [], "hash": hash_of(after)}
    )


def removing(file: OwnFile, environment: Mapping[str, str]) -> Change:
    """Return what must change so that the file is gone; one that somebody changed stays."""
    before, known = read(file.path), receipt_of(file.path, environment)
    is_ours = before == file.text.encode() or _is_as_left(before, known)
    return _without(file.path, before, is_ours=is_ours)


def no_longer_shipped(files: Sequence[object], environment: Mapping[str, str]) -> Iterator[Change]:
    """Yield the removal of files that an older version wrote into our folders."""
    ours = [file for file in files if isinstance(file, OwnFile)]
    paths, folders = {file.path for file in ours}, {file.folder for file in ours if file.folder}
    for known in all_receipts(environment) if folders else ():
        path = Path(known.get("path", ""))
        if path not in paths and any(path.is_relative_to(folder) for folder in folders):
            before = read(path)
            yield _without(path, before, is_ours=_is_as_left(before, known))


def _without(path: Path, before: bytes | None, *, is_ours: bool) -> Change:
    if before is None or is_ours:
        return Change(path, before, None)
    note = f"{path} stays: it is not as Recollect wrote it. If you don't need it, delete it."
    return Change(path, before, before, note=note)


def _is_as_left(content: bytes | None, known: Mapping[str, object] | None) -> bool:
    """Whether a file is as a receipt says. An older receipt does not say it."""
    if content is None or known is None:
        return False
    return "hash" not in known or known["hash"] == hash_of(content)
