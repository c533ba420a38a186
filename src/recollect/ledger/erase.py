"""Erasing: remove every byte of a purged memory from our refs, reflogs and objects.

`git gc --prune=now` would also do it, but would destroy every other unreachable object: a dropped
stash, a commit that someone still wants back. So we ask git only what is unreachable, and remove
just the objects that contain the purged memory.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from recollect.core.note import parse_note, scrub
from recollect.core.places import LOCAL, SHARED
from recollect.core.record import UPDATE
from recollect.core.uid import PATTERN as UID
from recollect.ledger.border import read_private
from recollect.ledger.git import Git
from recollect.ledger.lock import exclusive
from recollect.ledger.packs import drop_objects
from recollect.ledger.refs import PREFIXES, REMOTES, Key, Swap, list_tips, swap_refs
from recollect.ledger.repository import Repository

_REPACK_SECONDS = 3600.0
# Occurs in the text of a memory that we wrote, and of a change to it.
_MENTION = re.compile(rf"---\nuid: ({UID})(?=\n)|\nop: {UPDATE}\nof: ({UID})(?=\n)".encode())


def erase(
    repository: Repository, keys: Iterable[Key], uids: Iterable[str], old_tips: Iterable[str]
) -> list[str]:
    """Remove every object that contains a purged memory, once none of our refs leads to it.

    Returns sentences about what could not be removed.
    """
    with exclusive(repository.state_dir / "erase.lock", _REPACK_SECONDS):
        return _erase(repository, list(keys), frozenset(uids), old_tips)


def _erase(
    repository: Repository, wanted: list[Key], erased: frozenset[str], old_tips: Iterable[str]
) -> list[str]:
    git = repository.git
    objects = repository.common_dir / "objects"
    ours = {ref for key in wanted for ref in (key.notes_ref, key.seen_ref)}
    # Copies that someone keeps under refs/notes are reported, not erased. A private memory with the
    # uid of a shared one is a different memory.
    other = {} if any(key.space == LOCAL for key in wanted) else list_tips(git, PREFIXES[LOCAL])
    found = list_tips(git, "refs/notes").items()
    copies = [tip.commit for ref, tip in found if ref not in ours and ref not in other]
    # The next sync fetches the remote's refs again.
    stale = {ref: tip for ref, tip in list_tips(git, REMOTES).items() if _kind(ref, wanted)}
    tips = {*old_tips, *copies, *(tip.commit for tip in stale.values()), *_reflogs(git, wanted)}
    doomed = _holding(git, tips, erased)
    if stale:
        swap_refs(git, [Swap(ref, None, tip.commit) for ref, tip in stale.items()], "purge")
    for ref in sorted(ours):
        git.run("reflog", "expire", "--expire=all", ref, ok=(0, 1, 128, 255), detached=True)
    # Nor is a private memory that is being written right now and has no ref yet.
    unreachable = _unreachable(git, doomed, erased - read_private(git).uids if other else erased)
    _unlink(objects, unreachable)
    drop_objects(repository, unreachable)
    if _existing(git, unreachable):
        # Git's own packs contain them too. Unreachable objects leave their packs and become loose
        # files, including the user's own.
        git.run("repack", "-A", "-d", "-q", "-l", timeout=_REPACK_SECONDS)
        _unlink(objects, unreachable)
    return [
        f"Object {oid} still contains the memory: one of your refs, an alternate or a kept pack"
        " holds it."
        for oid in _existing(git, doomed | unreachable)
    ]


def _unreachable(git: Git, doomed: set[str], erased: frozenset[str]) -> set[str]:
    """Return the unreachable objects, loose or packed, that contain a purged memory.

    Not only those that our history knew: a writer that lost a race to the purge may have left one,
    and so may a history that a sync replaced.
    """
    listed = git.run(
        "fsck",
        "--connectivity-only",
        "--unreachable",
        "--no-dangling",
        "--no-progress",
        ok=range(256),  # other damage in the repository is not our concern here
        timeout=_REPACK_SECONDS,
    ).decode("utf-8", "replace")
    words = (line.split() for line in listed.splitlines())
    oids = [row[2] for row in words if row[:2] == ["unreachable", "blob"]]
    return {
        oid
        for oid, data in zip(oids, git.read_all(oids), strict=True)
        if oid in doomed or not erased.isdisjoint(_mentioned(data or b""))
    }


def _unlink(objects: Path, oids: Iterable[str]) -> None:
    """Remove the files of loose objects."""
    for oid in oids:
        path = objects / oid[:2] / oid[2:]
        with suppress(FileNotFoundError):
            if sys.platform == "win32":  # there, what git made read-only cannot be deleted
                path.chmod(0o600)
            path.unlink()


def _existing(git: Git, oids: Iterable[str]) -> list[str]:
    """Return the objects that are still in the object store."""
    names = "".join(f"{oid}\n" for oid in sorted(oids)).encode()
    out = git.run("cat-file", "--batch-check", stdin=names).decode() if names else ""
    return [line.split()[0] for line in out.splitlines() if not line.endswith(" missing")]


def _reflogs(git: Git, keys: Iterable[Key]) -> set[str]:
    """Return the commits in the reflogs of some namespaces."""
    tips: set[str] = set()
    for key in keys:
        for ref in (key.notes_ref, key.seen_ref):
            tips.update(
                git.run("log", "-g", "--format=%H", ref, "--", ok=(0, 128)).decode().split()
            )
    return tips


def _kind(ref: str, keys: Iterable[Key]) -> bool:
    return any(key.space == SHARED and ref.endswith("/" + key.kind) for key in keys)


def _holding(git: Git, tips: Iterable[str], erased: frozenset[str]) -> set[str]:
    """Return the notes in the history of commits that contain or change a purged memory."""
    oids = git.history_blobs(list(tips))
    holding = set()
    for oid, data in zip(oids, git.read_all(oids), strict=True):
        note = parse_note((data or b"").decode("utf-8", "surrogateescape"))
        if len(scrub(note, erased)) < len(note):
            holding.add(oid)
    return holding


def _mentioned(data: bytes) -> set[str]:
    """Return the memories that one of our texts contains or changes."""
    return {(own or other).decode() for own, other in _MENTION.findall(data)}
