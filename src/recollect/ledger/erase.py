"""Erasing: a purged memory leaves no byte in our refs, their reflogs, or the object store.

`git gc --prune=now` would do it too, and would destroy every other unreachable object with it: a
dropped stash, a commit somebody still wants back. So git only tells what is unreachable, and we
remove the objects that hold the purged memory, no others.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from recollect.core.catalog import SHARED, Place
from recollect.core.note import parse_note, scrub
from recollect.core.record import PURGE, UPDATE, Record, render_record
from recollect.errors import ValidationError
from recollect.ledger.git import Git
from recollect.ledger.ledger import Ledger
from recollect.ledger.refs import REMOTES, SEEN_PREFIXES, Key, Swap, list_tips, swap_refs
from recollect.ledger.session import Session
from recollect.ledger.tree import anchor_of

_REPACK_SECONDS = 3600.0


def purge(
    ledger: Ledger, *, record_uid: str, of: str, name: str, places: Iterable[Place]
) -> list[str]:
    """Erase a memory here, and say so in the ledger, so that other clones erase it too.

    Gives what could not be erased, in sentences.
    """
    known = list(places)
    wanted = sorted({Key(place.space, place.kind) for place in known})
    if any(key.space not in SEEN_PREFIXES for key in wanted):
        raise ValidationError(
            "The memory is in notes of another tool, which Recollect only reads.",
            "Remove it there, for example with `git notes --ref=cs/KIND remove COMMIT`",
        )
    repository = ledger.repository
    before = [
        tip.commit
        for tip in list_tips(
            repository.git, *(ref for key in wanted for ref in (key.notes_ref, key.seen_ref))
        ).values()
    ]
    stamp = ledger.stamp()

    def edit(session: Session) -> None:
        for key in wanted:
            namespace = session[key]
            anchors = {place.anchor for place in known if place.kind == key.kind}
            for anchor in anchors | _anchors_naming(session, key, of):
                namespace.replace(anchor, scrub(namespace.note(anchor), {of}))
            record = Record(
                uid=record_uid,
                op=PURGE,
                id=name,
                of=of,
                timestamp=stamp.time,
                by=stamp.author,
                fields={"type": key.kind},
            )
            namespace.add(repository.project_anchor, record.uid, render_record(record))
            namespace.parents = ()  # no history: it holds what is to be erased

    ledger.transact(edit, "purge")
    return erase(ledger, wanted, {of}, before)


def _anchors_naming(session: Session, key: Key, uid: str) -> set[str]:
    """The anchors whose notes name a memory, found by looking into all of them."""
    tree = session[key].write()
    if tree is None:
        return set()
    session.objects.store()  # absorbing may have made it just now
    repository = session.repository
    out = repository.git.run(
        "grep", "-l", "-a", "-F", "--full-name", "-e", uid, tree, ok=(0, 1), timeout=300
    )
    length = len(repository.project_anchor)
    paths = (line.partition(":")[2] for line in out.decode("utf-8", "replace").splitlines())
    return {anchor for anchor in (anchor_of(path, length) for path in paths) if anchor}


def erase(
    ledger: Ledger, keys: Iterable[Key], uids: Iterable[str], old_tips: Iterable[str]
) -> list[str]:
    """Remove every object that holds a purged memory, once no ref of ours leads to it."""
    wanted = list(keys)
    erased = frozenset(uids)
    git = ledger.repository.git
    objects = ledger.repository.common_dir / "objects"
    doomed = _holding(git, {*old_tips, *_reflogs(git, wanted)}, erased)
    # What a remote had is fetched again at the next sync.
    stale = {ref: tip for ref, tip in list_tips(git, REMOTES).items() if _kind(ref, wanted)}
    doomed |= _holding(git, (tip.commit for tip in stale.values()), erased)
    if stale:
        swap_refs(git, [Swap(ref, None, tip.commit) for ref, tip in stale.items()], "purge")
    for key in wanted:
        for ref in (key.notes_ref, key.seen_ref):
            git.run("reflog", "expire", "--expire=all", ref, ok=(0, 1, 128, 255))
    if any(not _loose(objects, oid).exists() for oid in doomed):
        # Unreachable objects leave their packs and become files, the user's own among them.
        git.run("repack", "-A", "-d", "-q", "-l", timeout=_REPACK_SECONDS)
    listed = git.run("prune", "-n", "--expire=now", timeout=_REPACK_SECONDS).decode()
    unreachable = [line.split()[0] for line in listed.splitlines() if line.endswith(" blob")]
    for oid, data in zip(unreachable, git.read_all(unreachable), strict=True):
        # A writer that lost a race to the purge may have left such an object, too.
        if oid in doomed or any(mark in data for mark in _marks(erased)):
            path = _loose(objects, oid)
            path.chmod(0o600)
            path.unlink(missing_ok=True)
    return _left_over(git, doomed)


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
        "--stdin",
        stdin=names,
        timeout=600,
    )
    oids = out.decode().split()
    holding = set()
    for oid, data in zip(oids, git.read_all(oids), strict=True):
        note = parse_note(data.decode("utf-8", "surrogateescape"))
        if len(scrub(note, erased)) < len(note):
            holding.add(oid)
    return holding


def _marks(erased: frozenset[str]) -> list[bytes]:
    """What stands in the text of a memory that we wrote, and of a change to it."""
    return [
        mark.encode()
        for uid in erased
        for mark in (f"---\nuid: {uid}\n", f"\nop: {UPDATE}\nof: {uid}\n")
    ]


def _loose(objects: Path, oid: str) -> Path:
    return objects / oid[:2] / oid[2:]


def _left_over(git: Git, doomed: Iterable[str]) -> list[str]:
    """What could not be erased, and why that may be."""
    names = "".join(f"{oid}\n" for oid in sorted(doomed)).encode()
    out = git.run("cat-file", "--batch-check", stdin=names).decode() if names else ""
    left = [line.split()[0] for line in out.splitlines() if not line.endswith(" missing")]
    return [
        f"Object {oid} still holds the memory: a ref of yours, an alternate or a kept pack has it."
        for oid in left
    ]
