"""The refs of a ledger: what each is for, and swapping several at once.

refs/notes/mem/<kind>             the truth, shared with the team
refs/notes/mem-local/<kind>       private and secret memories, never pushed
refs/notes/cs/<kind>              notes of an older system: read, never written
refs/mem/seen/<kind>              the tip we wrote or joined last; seen-local likewise
refs/mem/remotes/<remote>/<kind>  what a remote had when we last asked
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from recollect.core.places import FOREIGN, LOCAL, SHARED
from recollect.errors import GitFailed, StorageError
from recollect.ledger.git import Git

PREFIXES = {
    SHARED: "refs/notes/mem/",
    LOCAL: "refs/notes/mem-local/",
    FOREIGN: "refs/notes/cs/",
}
SEEN_PREFIXES = {SHARED: "refs/mem/seen/", LOCAL: "refs/mem/seen-local/"}
REMOTES = "refs/mem/remotes/"


class Key(NamedTuple):
    """A namespace of the ledger: a space and a kind."""

    space: str
    kind: str

    @property
    def notes_ref(self) -> str:
        """The notes ref, readable with plain git."""
        return PREFIXES[self.space] + self.kind

    @property
    def seen_ref(self) -> str:
        """Our own memory of where the notes ref was."""
        return SEEN_PREFIXES[self.space] + self.kind


class Tip(NamedTuple):
    """Where a ref points: its commit and that commit's tree."""

    commit: str
    tree: str


class Swap(NamedTuple):
    """A ref to be moved from an old value to a new one; None stands for no ref."""

    ref: str
    new: str | None
    old: str | None


def list_tips(git: Git, *patterns: str) -> dict[str, Tip]:
    """The refs under some prefixes, in one call."""
    out = git.run(
        "for-each-ref",
        "--format=%(refname) %(objectname) %(tree)",
        *(p.rstrip("/") for p in patterns),
    )
    tips = {}
    for line in out.decode().splitlines():
        name, _, rest = line.partition(" ")
        commit, _, tree = rest.partition(" ")
        if tree:
            tips[name] = Tip(commit, tree)
    return tips


def refs_state(common_dir: Path) -> object | None:
    """All that decides what `list_tips` gives, without asking git; None where only git can say.

    Git replaces a loose ref by renaming, so that its contents are read whole. Packed refs change
    when git packs, which takes the loose ones away.
    """
    if (common_dir / "reftable").exists():
        return None
    try:
        packed = (common_dir / "packed-refs").stat()
        state: list[object] = [(packed.st_mtime_ns, packed.st_ino, packed.st_size)]
    except FileNotFoundError:
        state = [None]
    except OSError:
        return None
    for prefix in (*PREFIXES.values(), *SEEN_PREFIXES.values()):
        try:
            _read_loose(os.path.join(common_dir, prefix), state)  # noqa: PTH118
        except OSError:
            return None  # it is being moved
    return state


def _read_loose(folder: str, state: list[object]) -> None:
    """Every ref in a folder; with plain names, since it is read before every search."""
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            _read_loose(entry.path, state)
        else:
            with open(entry.path, "rb") as file:  # noqa: PTH123
                state.append((entry.path, file.read()))


def swap_refs(git: Git, swaps: Iterable[Swap], reason: str) -> bool:
    """Move all the refs or none; False if one of them was not where we thought."""
    lines = ["start"]
    for swap in swaps:
        if swap.new is not None and swap.new == swap.old:
            lines.append(f"verify {swap.ref} {swap.old}")
        elif swap.new is not None:
            lines.append(f"update {swap.ref} {swap.new} {swap.old or _nothing(swap.new)}")
        elif swap.old is not None:
            lines.append(f"delete {swap.ref} {swap.old}")
    lines += ["prepare", "commit", ""]
    try:
        git.run(
            "update-ref",
            "-m",
            f"recollect: {reason}",
            "--no-deref",
            "--stdin",
            stdin="\n".join(lines).encode(),
            detached=True,
        )
    except GitFailed as error:
        if "exists; cannot create" in error.message:
            raise StorageError(
                "A ref stands where the ledger's refs have to be: " + error.message,
                "Rename it, for example: git update-ref refs/notes/old-mem refs/notes/mem"
                " && git update-ref -d refs/notes/mem",
            ) from None
        if "cannot lock ref" in error.message:
            return False
        raise
    return True


def _nothing(like: str) -> str:
    """The id that stands for no object, as long as a real one."""
    return "0" * len(like)
