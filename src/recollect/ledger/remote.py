"""Remotes: find one, fetch its notes into our own refs, and push ours with a lease."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from recollect.core.places import SHARED
from recollect.errors import GitFailed, NoRemote, SyncError, UnsafeName
from recollect.ledger.border import read_private, reveals_nothing_private
from recollect.ledger.git import Git
from recollect.ledger.ledger import Ledger
from recollect.ledger.merge import diff_trees
from recollect.ledger.packs import registering
from recollect.ledger.refs import (
    PREFIXES,
    REMOTES,
    SEEN_PREFIXES,
    Key,
    Swap,
    Tip,
    is_kind,
    list_refs,
    list_tips,
    swap_refs,
)


class RefLocked(Exception):
    """A ref that a fetch wants to move is locked; retrying may work."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class Remote:
    """A remote by name or address, and the ref prefix where we keep what it had."""

    address: str
    folder: str


def find_remote(git: Git, name: str | None) -> Remote:
    """Return the remote to use: the named one, else `origin`, else the only one."""
    known = git.run("remote").decode("utf-8", "surrogateescape").split()
    if name is None:
        if not known:
            raise NoRemote("This repository has no remote.")
        if "origin" not in known and len(known) > 1:
            raise NoRemote("There are several remotes.", "Name one of: " + ", ".join(known))
        name = "origin" if "origin" in known else known[0]
    if not name or name.startswith("-") or "\0" in name or "\n" in name:
        raise UnsafeName(f"{name!r} is not the name or address of a remote.")
    if name in known:
        return Remote(name, f"{REMOTES}{name}/")
    if "/" not in name and ":" not in name and name != ".":
        choices = "Name one of: " + ", ".join(known) if known else None
        raise NoRemote(f"There is no remote {name!r}.", choices)
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return Remote(name, f"{REMOTES}at-{digest}/")


def fetch(
    ledger: Ledger, remote: Remote, warn: Callable[[str], None], timeout: float
) -> tuple[dict[str, Tip], set[str]]:
    """Return what the remote has now, by kind, and the kinds that are blocked there."""
    git = ledger.repository.git
    try:
        with registering(ledger.repository):
            git.run(
                # Fetch into a pack from the start: `git gc` could remove loose objects in the
                # meantime.
                *("-c", "fetch.unpackLimit=1"),
                "fetch",
                "--quiet",
                "--no-filter",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-recurse-submodules",
                "--no-auto-maintenance",
                "--prune",
                "--refmap=",
                remote.address,
                f"+{PREFIXES[SHARED]}*:{remote.folder}*",
                network=True,
                timeout=timeout,
            )
    except GitFailed as error:
        if "cannot lock ref" in error.message:
            raise RefLocked(error.message) from None
        raise SyncError(f"The remote {remote.address} cannot be read: {error.message}") from None
    refs = list_refs(git, remote.folder)
    tips = {ref.removeprefix(remote.folder): tip for ref, tip in refs.tips.items()}
    bad = {ref.removeprefix(remote.folder): problem for ref, problem in refs.bad.items()}
    bad |= {name: "has a name that is not a valid kind" for name in tips if not is_kind(name)}
    for name, problem in sorted(bad.items()):
        warn(
            f"{PREFIXES[SHARED]}{name} of {remote.address} {problem}. It is skipped."
            f" Remove it with: git push {remote.address} :{PREFIXES[SHARED]}{name}"
        )
    theirs = {kind: tip for kind, tip in tips.items() if kind not in bad}
    return theirs, {name.partition("/")[0] for name in bad}


def kinds_at(git: Git, remote: Remote, timeout: float) -> int:
    """Return how many kinds of notes a remote has. Nothing is fetched."""
    try:
        listed = git.run(
            *("ls-remote", "--quiet", "--refs", remote.address, f"{PREFIXES[SHARED]}*"),
            network=True,
            timeout=timeout,
        )
    except GitFailed as error:
        raise SyncError(f"The remote {remote.address} cannot be read: {error.message}") from None
    return len(listed.splitlines())


def push(
    ledger: Ledger,
    remote: Remote,
    keys: Iterable[Key],
    theirs: Mapping[str, Tip],
    timeout: float,
) -> str:
    """Push these namespaces; return why a ref was rejected, or empty if none was."""
    git = ledger.repository.git
    # Push what we swapped in, not what another program may have put into the notes ref since.
    tips = list_tips(git, SEEN_PREFIXES[SHARED])
    wanted = {key: tips[key.seen_ref].commit for key in keys}
    if not wanted:
        return ""
    known = [tip.commit for tip in theirs.values()]
    if not reveals_nothing_private(git, wanted.values(), known, read_private(git)):
        return "private data reached the shared notes in the meantime"
    leases, specs = [], []
    for key, commit in wanted.items():
        expected = theirs[key.kind].commit if key.kind in theirs else ""
        leases.append(f"--force-with-lease={key.notes_ref}:{expected}")
        specs.append(f"{commit}:{key.notes_ref}")
    # A mirror remote does not accept single refs; for this push, treat it as an ordinary one.
    named = remote.folder == f"{REMOTES}{remote.address}/"
    result = git.result(
        *(("-c", f"remote.{remote.address}.mirror=false") if named else ()),
        "push",
        "--porcelain",
        "--no-verify",
        "--no-signed",
        "--no-follow-tags",
        "--no-recurse-submodules",
        *leases,
        remote.address,
        *specs,
        ok=(0, 1),
        network=True,
        timeout=timeout,
    )
    lines = result.stdout.decode("utf-8", "replace").splitlines()
    rows = [line.split("\t") for line in lines if "\t" in line]
    if result.returncode != 0 and not any(row[0] == "!" for row in rows):
        said = result.stderr.decode("utf-8", "replace").strip()
        raise SyncError(f"The remote {remote.address} cannot be written: {said}")
    accepted = {row[1].partition(":")[2] for row in rows if row[0] != "!"}
    pushed = {key: commit for key, commit in wanted.items() if key.notes_ref in accepted}
    _remember(git, remote, pushed)
    return "; ".join(row[2] for row in rows if row[0] == "!")


def unsent_notes(ledger: Ledger, remote: Remote) -> int:
    """Return how many shared notes differ from what the remote had after the last sync."""
    git = ledger.repository.git
    ours = list_tips(git, SEEN_PREFIXES[SHARED])
    theirs = list_tips(git, remote.folder)
    pairs = []
    for ref, tip in ours.items():
        known = theirs.get(remote.folder + ref.removeprefix(SEEN_PREFIXES[SHARED]))
        pairs.append((known.tree if known else ledger.repository.project_anchor, tip.tree))
    return sum(map(len, diff_trees(git, pairs)))


def _remember(git: Git, remote: Remote, pushed: Mapping[Key, str]) -> None:
    """Record what the remote has now."""
    known = list_tips(git, remote.folder)
    swaps = []
    for key, commit in pushed.items():
        ref = remote.folder + key.kind
        old = known.get(ref)
        swaps.append(Swap(ref, commit, old.commit if old else None))
    if swaps:
        swap_refs(git, swaps, "sync")
