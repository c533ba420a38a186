"""Erasing: a purged memory leaves no byte in our refs, their reflogs, or the object store.

`git gc --prune=now` would do it too, and would destroy every other unreachable object with it: a
dropped stash, a commit somebody still wants back. So git only tells what is unreachable, and we
remove the objects that hold the purged memory, no others.
"""

from __future__ import annotations

import os
import re
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
# What stands in the text of a memory that we wrote, and of a change to it.
_MENTION = re.compile(rf"---\nuid: ({UID})(?=\n)|\nop: {UPDATE}\nof: ({UID})(?=\n)".encode())


def erase(
    repository: Repository, keys: Iterable[Key], uids: Iterable[str], old_tips: Iterable[str]
) -> list[str]:
    """Remove every object that holds a purged memory, once no ref of ours leads to it.

    Gives what could not be removed, in sentences.
    """
    with exclusive(repository.state_dir / "erase.lock", _REPACK_SECONDS):
        return _erase(repository, list(keys), frozenset(uids), old_tips)


def _erase(
    repository: Repository, wanted: list[Key], erased: frozenset[str], old_tips: Iterable[str]
) -> list[str]:
    git = repository.git
    objects = repository.common_dir / "objects"
    ours = {ref for key in wanted for ref in (key.notes_ref, key.seen_ref)}
    # Copies that somebody keeps below refs/notes are not ours to erase, but to report. What the
    # private space has under the uid of a shared memory is another memory.
    other = {} if any(key.space == LOCAL for key in wanted) else list_tips(git, PREFIXES[LOCAL])
    found = list_tips(git, "refs/notes").items()
    copies = [tip.commit for ref, tip in found if ref not in ours and ref not in other]
    # What a remote had is fetched again at the next sync.
    stale = {ref: tip for ref, tip in list_tips(git, REMOTES).items() if _kind(ref, wanted)}
    tips = {*old_tips, *copies, *(tip.commit for tip in stale.values()), *_reflogs(git, wanted)}
    doomed = _holding(git, tips, erased)
    if stale:
        swap_refs(git, [Swap(ref, None, tip.commit) for ref, tip in stale.items()], "purge")
    for ref in sorted(ours):
        git.run("reflog", "expire", "--expire=all", ref, ok=(0, 1, 128, 255), detached=True)
    # Nor is a private memory that is being written just now, and that no ref leads to yet.
    unreachable = _unreachable(git, doomed, erased - read_private(git).uids if other else erased)
    _unlink(objects, unreachable)
    drop_objects(repository, unreachable)
    if _existing(git, unreachable):
        # They are in packs of git's, too. Unreachable objects leave their packs and become files,
        # the user's own among them.
        git.run("repack", "-A", "-d", "-q", "-l", timeout=_REPACK_SECONDS)
        _unlink(objects, unreachable)
    return [
        f"Object {oid} still holds the memory: a ref of yours, an alternate or a kept pack has it."
        for oid in _existing(git, doomed | unreachable)
    ]


def _unreachable(git: Git, doomed: set[str], erased: frozenset[str]) -> set[str]:
    """The objects that git says nothing leads to, loose or packed, and that hold a purged memory.

    Not only those that our history knew: a writer that lost a race to the purge may have left one,
    and so may a history that a sync replaced.
    """
    listed = git.run(
        "fsck",
        "--connectivity-only",
        "--unreachable",
        "--no-dangling",
        "--no-progress",
        ok=range(256),  # what else is wrong with the repository is not our business here
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
            if os.name == "nt":  # git makes objects read-only, which forbids deletion there
                path.chmod(0o600)
            path.unlink()


def _existing(git: Git, oids: Iterable[str]) -> list[str]:
    """Those objects that are still in the object store."""
    names = "".join(f"{oid}\n" for oid in sorted(oids)).encode()
    out = git.run("cat-file", "--batch-check", stdin=names).decode() if names else ""
    return [line.split()[0] for line in out.splitlines() if not line.endswith(" missing")]


def _reflogs(git: Git, keys: Iterable[Key]) -> set[str]:
    """The commits that the reflogs of some namespaces remember."""
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
    """The notes in the history of some commits that hold a purged memory or a change to it."""
    names = "".join(f"{tip}\n" for tip in tips).encode()
    if not names:
        return set()
    out = git.run(
        "rev-list",
        "--objects",
        "--no-object-names",
        "--filter=object:type=blob",
        "--filter-provided-objects",
        "--missing=allow-any",
        "--stdin",
        stdin=names,
        timeout=600,
    )
    oids = out.decode().split()
    holding = set()
    for oid, data in zip(oids, git.read_all(oids), strict=True):
        note = parse_note((data or b"").decode("utf-8", "surrogateescape"))
        if len(scrub(note, erased)) < len(note):
            holding.add(oid)
    return holding


def _mentioned(data: bytes) -> set[str]:
    """The memories that a text of ours holds, or a change to them."""
    return {(own or other).decode() for own, other in _MENTION.findall(data)}
