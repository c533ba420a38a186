"""The refs of a ledger: what each is for, and swapping several at once.

refs/notes/mem/<kind>             the truth, shared with the team
refs/notes/mem-local/<kind>       private and secret memories, never pushed
refs/notes/cs/<kind>              notes of an older system: read, never written
refs/mem/seen/<kind>              the tip we wrote or joined last; seen-local likewise
refs/mem/held/<kind>              what someone else purged, until this clone's owner agrees
refs/mem/remotes/<remote>/<kind>  what a remote had when we last asked
refs/mem/replaced/<oid>           what was in the place of a notes ref before we wrote there
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from recollect.core.named_tuple import NamedTuple
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
        """The ref that remembers where we last saw the notes ref."""
        return SEEN_PREFIXES[self.space] + self.kind


class Tip(NamedTuple):
    """Where a ref points: its commit and that commit's tree."""

    commit: str
    tree: str


class Swap(NamedTuple):
    """A ref to move from an old value to a new one; None means that the ref does not exist."""

    ref: str
    new: str | None
    old: str | None


class Refs(NamedTuple):
    """The refs under some prefixes: where they point, and what is wrong with the bad ones."""

    tips: dict[str, Tip]
    bad: dict[str, str]


def list_tips(git: Git, *patterns: str) -> dict[str, Tip]:
    """List the refs under some prefixes in one call, without those that are not commits."""
    return list_refs(git, *patterns).tips


def list_refs(git: Git, *patterns: str) -> Refs:
    """List the refs under some prefixes in one call, and what is wrong with the bad ones."""
    wanted = [p.rstrip("/") for p in patterns]
    format_ = "--format=%(refname) %(objectname) %(objecttype) %(tree)"
    try:
        result = git.result("for-each-ref", format_, *wanted)
    except GitFailed:
        return _list_damaged(git, wanted)
    refs = Refs({}, {})
    if result.stderr:  # hardly ever, and the expression takes its time to compile
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
    """List refs one by one: git lists none if one of them leads to an unreadable object."""
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
    """Read a commit and its tree in a separate process; if there is none, say what is wrong."""
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
    """Whether the rest of a ref name can be a kind; with a slash it is a folder of another ref."""
    return _KIND.match(name) is not None


def without_bad_names(refs: Refs) -> Refs:
    """Move the refs whose name cannot be a kind to the bad ones."""
    tips, bad = dict(refs.tips), dict(refs.bad)
    for ref in refs.tips:
        for prefix in (*PREFIXES.values(), *SEEN_PREFIXES.values()):
            if ref.startswith(prefix) and not is_kind(ref.removeprefix(prefix)):
                del tips[ref]
                bad[ref] = "has a name that is not a valid kind"
                break
    return Refs(tips, bad)


def reflog_times(git: Git) -> list[float]:
    """Return when this machine moved the notes refs, by its own clock, from the reflogs."""
    refs = [*list_tips(git, PREFIXES[SHARED], PREFIXES[LOCAL])]
    if not refs:
        return []
    out = git.run("log", "-g", "--format=%gd", "--date=unix", *refs, "--", ok=(0, 128)).decode()
    found = (line.rpartition("@{")[2].rstrip("}") for line in out.splitlines())
    return [float(text) for text in found if text.isdigit() and len(text) < _LONGEST_TIME]


def refs_state(common_dir: Path) -> object | None:
    """Return everything that determines `list_tips`, without running git; None if only git knows.

    Git replaces a loose ref by renaming, so its contents are always read whole. Packed refs change
    when git packs, which removes the loose ones.
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
    """Read every ref in a folder, with plain `os` calls because it runs before every search."""
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
    """Move all the refs or none; False if one of them was not at its old value."""
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
                "A ref blocks the ledger's refs: " + error.message,
                "Rename it, for example: git update-ref refs/notes/old-mem refs/notes/mem"
                " && git update-ref -d refs/notes/mem. To find the ref, run `recollect doctor`.",
            ) from None
        if "cannot lock ref" in error.message:
            return False
        raise
    return True


def _nothing(like: str) -> str:
    """Return the id that means no object, in the length of a real one."""
    return "0" * len(like)
