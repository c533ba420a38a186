"""The refs of a ledger: what each is for, and swapping several at once.

refs/notes/mem/<kind>             the truth, shared with the team
refs/notes/mem-local/<kind>       private and secret memories, never pushed
refs/notes/cs/<kind>              notes of an older system: read, never written
refs/mem/seen/<kind>              the tip we wrote or joined last; seen-local likewise
refs/mem/held/<kind>              what somebody else purged, until this clone's owner agrees
refs/mem/remotes/<remote>/<kind>  what a remote had when we last asked
refs/mem/replaced/<oid>           what stood where a notes ref has to be, before we wrote there
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from recollect.core.patterns import pattern
from recollect.core.places import FOREIGN, HELD, LOCAL, SHARED
from recollect.errors import GitFailed, StorageError
from recollect.ledger.git import Git

PREFIXES = {
    SHARED: "refs/notes/mem/",
    LOCAL: "refs/notes/mem-local/",
    FOREIGN: "refs/notes/cs/",
    HELD: "refs/mem/held/",
}
SEEN_PREFIXES = {
    SHARED: "refs/mem/seen/",
    LOCAL: "refs/mem/seen-local/",
    HELD: "refs/mem/seen-held/",
}
REMOTES = "refs/mem/remotes/"
REPLACED = "refs/mem/replaced/"
_KIND = pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_BROKEN = pattern(r"ignoring (?:broken|dangling symbolic) ref (\S+)")
MISSING = "leads to an object that is missing or damaged"
_LONGEST_TIME = 15


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


class Refs(NamedTuple):
    """The refs under some prefixes: where they point, and what is wrong with the others."""

    tips: dict[str, Tip]
    bad: dict[str, str]


def list_tips(git: Git, *patterns: str) -> dict[str, Tip]:
    """The refs under some prefixes, in one call; those that lead to no commit are left out."""
    return list_refs(git, *patterns).tips


def list_refs(git: Git, *patterns: str) -> Refs:
    """The refs under some prefixes, in one call, and what is wrong with those that are no notes."""
    wanted = [p.rstrip("/") for p in patterns]
    format_ = "--format=%(refname) %(objectname) %(objecttype) %(tree)"
    try:
        result = git.result("for-each-ref", format_, *wanted)
    except GitFailed:
        return _list_damaged(git, wanted)
    refs = Refs({}, {})
    for ref in _BROKEN.findall(result.stderr.decode("utf-8", "surrogateescape")):
        refs.bad[ref] = "is broken"
    for line in result.stdout.decode("utf-8", "surrogateescape").splitlines():
        name, oid, kind, tree = f"{line} ".split(" ")[:4]
        if kind == "commit" and tree:
            refs.tips[name] = Tip(oid, tree)
        else:
            refs.bad[name] = f"points to a {kind}, not to a commit"
    return refs


def _list_damaged(git: Git, wanted: Sequence[str]) -> Refs:
    """The same, one by one: git lists none where one leads to an object it cannot read."""
    out = git.run("for-each-ref", "--format=%(refname) %(objectname)", *wanted)
    refs = Refs({}, {})
    for line in out.decode("utf-8", "surrogateescape").splitlines():
        name, _, oid = line.partition(" ")
        tip, problem = read_tip(git, oid)
        if tip is not None:
            refs.tips[name] = tip
        else:
            refs.bad[name] = problem
    return refs


def read_tip(git: Git, oid: str) -> tuple[Tip | None, str]:
    """A commit and its tree, read in a process of its own; what is wrong if there is none."""
    try:
        with git.objects() as reader:
            found = reader.get(oid)
    except GitFailed:
        found = None
    if found is None:
        return None, MISSING
    if found.type != "commit" or not found.data.startswith(b"tree "):
        return None, f"points to a {found.type}, not to a commit"
    return Tip(found.oid, found.data[5 : found.data.index(b"\n")].decode("ascii", "replace")), ""


def is_kind(name: str) -> bool:
    """Whether the rest of a ref's name can be a kind; a slash makes it another ref's folder."""
    return _KIND.match(name) is not None


def sort_out(refs: Refs) -> Refs:
    """The same refs, with those that are named like no kind among the bad ones."""
    tips, bad = dict(refs.tips), dict(refs.bad)
    for ref in refs.tips:
        for prefix in (*PREFIXES.values(), *SEEN_PREFIXES.values()):
            if ref.startswith(prefix) and not is_kind(ref.removeprefix(prefix)):
                del tips[ref]
                bad[ref] = "has a name that no kind of memory has"
                break
    return Refs(tips, bad)


def reflog_times(git: Git) -> list[float]:
    """When this machine moved the notes refs, by its own clock, as far as git remembers."""
    refs = [*list_tips(git, PREFIXES[SHARED], PREFIXES[LOCAL])]
    if not refs:
        return []
    out = git.run("log", "-g", "--format=%gd", "--date=unix", *refs, "--", ok=(0, 128)).decode()
    found = (line.rpartition("@{")[2].rstrip("}") for line in out.splitlines())
    return [float(text) for text in found if text.isdigit() and len(text) < _LONGEST_TIME]


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
                " && git update-ref -d refs/notes/mem. `recollect doctor` says which one it is.",
            ) from None
        if "cannot lock ref" in error.message:
            return False
        raise
    return True


def _nothing(like: str) -> str:
    """The id that stands for no object, as long as a real one."""
    return "0" * len(like)
