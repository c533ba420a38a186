"""Repair: rebuild a kind whose objects are damaged or missing from whatever is left.

Sources: the notes ref, what we last saw, what remotes had, the commits in the reflogs, and the
index. Everything readable is joined; what was purged stays purged. The result gets a new history,
because the old one cannot be walked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from recollect.core.limits import NOTE_BYTES
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import Note, join, parse_note, purged_uids, scrub
from recollect.core.patterns import pattern
from recollect.core.places import SHARED, Place
from recollect.errors import GitFailed
from recollect.ledger.git import Git
from recollect.ledger.git_objects import OVERSIZE
from recollect.ledger.ledger import Ledger
from recollect.ledger.objects import TREE_MODE, Objects, decode_tree
from recollect.ledger.refs import (
    MISSING,
    PREFIXES,
    REMOTES,
    SEEN_PREFIXES,
    Key,
    Swap,
    list_refs,
    read_tip,
    swap_refs,
    without_bad_names,
)
from recollect.ledger.tree import FILE_MODES, NotesTree, anchor_of

_DEEPEST = 24
_LOGGED = pattern(r"[0-9a-f]{40,64} ([0-9a-f]{40,64}) ")

Notes = dict[str, Note]  # anchor → records


class Rebuilt(NamedTuple):
    """A rebuilt kind: where it is, and how many records it has now."""

    key: Key
    records: int


class _Salvage(NamedTuple):
    """The readable part of a tree: notes by anchor, other files by path; and if that is all."""

    notes: Notes
    files: dict[str, str]
    is_whole: bool


def repair(ledger: Ledger, known: Mapping[Place, Note]) -> list[Rebuilt]:
    """Rebuild every kind that is not fully readable; `known` is what the index knows."""
    broken = _drop_broken_refs(ledger)
    wanted = sorted({*broken, *damaged(ledger)})
    return [Rebuilt(key, _rebuild(ledger, key, known)) for key in wanted if _ours(ledger, key)]


def damaged(ledger: Ledger) -> list[Key]:
    """Return the kinds with a missing or unreadable commit, tree or note."""
    git = ledger.repository.git
    refs = without_bad_names(list_refs(git, *PREFIXES.values(), *SEEN_PREFIXES.values()))
    found = {_key(ref) for ref, problem in refs.bad.items() if problem == MISSING}
    whole: dict[str, bool] = {}
    for ref, tip in refs.tips.items():
        if tip.tree not in whole:
            whole[tip.tree] = _is_whole(git, tip.tree)
        if not whole[tip.tree]:
            found.add(_key(ref))
    return sorted(key for key in found if key is not None)


def _is_whole(git: Git, tree: str) -> bool:
    """Whether git can read a tree and has all its notes; a partial clone may lack them."""
    try:
        out = git.run("ls-tree", "-r", "-z", "--", tree, timeout=300).decode("utf-8", "replace")
    except GitFailed:
        return False
    oids = {
        row.split("\t")[0].split(" ")[2] for row in out.split("\0") if row.startswith(FILE_MODES)
    }
    return None not in git.read_all(sorted(oids), most=NOTE_BYTES)


def _key(ref: str) -> Key | None:
    for space, seen in SEEN_PREFIXES.items():
        for prefix in (PREFIXES[space], seen):
            if ref.startswith(prefix):
                return Key(space, ref.removeprefix(prefix))
    return None


def _ours(ledger: Ledger, key: Key) -> bool:
    """Whether the damage is ours to repair: a partial clone fetches what it lacks."""
    out = ledger.repository.git.run("config", "--get-regexp", r"remote\..*\.promisor", ok=(0, 1))
    if b"true" not in out:
        return True
    ledger.warnings.append(
        f"Notes of {key.kind} have no contents in this partial clone; `recollect sync` brings them."
    )
    return False


def _drop_broken_refs(ledger: Ledger) -> set[Key]:
    """Remove the files of our refs that contain no object id; a machine crash leaves such files."""
    common = ledger.repository.common_dir
    refs = list_refs(ledger.repository.git, *PREFIXES.values(), *SEEN_PREFIXES.values(), REMOTES)
    dropped = set()
    for ref, problem in refs.bad.items():
        if problem == "is broken" and ref.startswith((*PREFIXES.values(), "refs/mem/")):
            with suppress(OSError):
                (common / ref).unlink()
                ledger.warnings.append(f"Removed the broken ref {ref}.")
                dropped.add(_key(ref))
    return {key for key in dropped if key is not None}


def _rebuild(ledger: Ledger, key: Key, known: Mapping[Place, Note]) -> int:
    """Join what is left of one kind and put it in place; return how many records it has."""
    git, repository = ledger.repository.git, ledger.repository
    out = git.run("for-each-ref", "--format=%(refname) %(objectname)", "refs/notes", "refs/mem")
    refs = dict(line.rsplit(" ", 1) for line in out.decode("utf-8", "surrogateescape").splitlines())
    sides: list[Notes] = [
        {place.anchor: note}
        for place, note in known.items()
        if (place.space, place.kind) == (key.space, key.kind)
    ]
    files: dict[str, str] = {}
    for commit in _commits(ledger, key, refs):
        tip, _ = read_tip(git, commit)
        if tip is None:
            continue
        found = _salvage(git, tip.tree, len(repository.project_anchor))
        sides.append(found.notes)
        files = {**found.files, **files}
        if found.is_whole:
            break  # it includes everything older
    anchors = {anchor for side in sides for anchor in side}
    notes = {anchor: join(*(side.get(anchor, {}) for side in sides)) for anchor in anchors}
    purged = purged_uids(join(*notes.values()))
    clean = {anchor: scrub(note, purged) for anchor, note in notes.items()}
    _swap_in(ledger, key, clean, files, refs)
    return sum(map(len, clean.values()))


def _commits(ledger: Ledger, key: Key, refs: Mapping[str, str]) -> Iterator[str]:
    """Return every commit that may hold notes of a kind, newest first, without duplicates."""
    found = [refs[ref] for ref in (key.notes_ref, key.seen_ref) if ref in refs]
    if key.space == SHARED:
        found += [
            oid
            for ref, oid in refs.items()
            if ref.startswith(REMOTES) and ref.endswith("/" + key.kind)
        ]
    for ref in (key.notes_ref, key.seen_ref):
        log = ledger.repository.common_dir / "logs" / ref
        with suppress(OSError):
            lines = log.read_text("utf-8", "replace").splitlines()
            found += [m.group(1) for m in map(_LOGGED.match, reversed(lines)) if m]
    yield from dict.fromkeys(found)


def _salvage(git: Git, tree: str, length: int) -> _Salvage:
    """Read what is readable of a notes tree."""
    blobs, is_whole = _walk(git, tree, length // 2)
    notes: Notes = {}
    files: dict[str, str] = {}
    for (path, oid), data in zip(
        blobs, git.read_all([o for _, o in blobs], NOTE_BYTES), strict=True
    ):
        anchor = anchor_of(path, length)
        if data is None or data is OVERSIZE:
            is_whole = False
        elif anchor is None:
            files[path] = oid
        else:
            text = data.decode("utf-8", "surrogateescape")
            notes[anchor] = join(notes.get(anchor, {}), parse_note(text))
    return _Salvage(notes, files, is_whole)


def _walk(git: Git, root: str, oid_size: int) -> tuple[list[tuple[str, str]], bool]:
    """Return the files of a tree, skipping unreadable directories; and whether none was skipped."""
    files: list[tuple[str, str]] = []
    is_whole = True
    level = [("", root)]
    for _ in range(_DEEPEST):
        below = []
        for (path, _oid), data in zip(level, git.read_all([oid for _, oid in level]), strict=True):
            try:
                entries = decode_tree(data or b"", oid_size)
            except ValueError:
                entries, data = {}, None
            is_whole &= data is not None
            for name, (mode, oid) in entries.items():
                if mode == TREE_MODE:
                    below.append((f"{path}{name}/", oid))
                elif mode.startswith(FILE_MODES):
                    files.append((path + name, oid))
        level = below
        if not level:
            break
    return files, is_whole


def _swap_in(
    ledger: Ledger,
    key: Key,
    notes: Mapping[str, Note],
    files: Mapping[str, str],
    refs: Mapping[str, str],
) -> None:
    from recollect.core.note import render_note
    from recollect.ledger.lock import exclusive

    repository = ledger.repository
    who = f"{ledger.author} {int(ledger.clock().timestamp())} +0000"
    lock = repository.state_dir / "ledger.lock"
    with exclusive(lock, ledger.lock_timeout), repository.git.objects() as reader:
        objects = Objects(repository, reader)
        tree = NotesTree(objects, None, oid_length=len(repository.project_anchor))
        for path, oid in files.items():
            tree.put_file(path, oid)
        for anchor, note in notes.items():
            if note:
                data = render_note(note).encode("utf-8", "surrogateescape")
                tree.put_note(anchor, objects.add_blob(data))
        commit = objects.add_commit(
            tree.write() or objects.add_tree({}), (), who, "recollect: repair"
        )
        try:
            objects.drop_damaged()
            objects.store()
            swaps = [Swap(ref, commit, refs.get(ref)) for ref in (key.notes_ref, key.seen_ref)]
            swap_refs(repository.git, [*swaps, *_stale(key, refs)], "repair")
        finally:
            objects.release()


def _stale(key: Key, refs: Mapping[str, str]) -> Iterable[Swap]:
    """Drop what remotes had: it may be damaged too, and the next sync fetches it."""
    if key.space != SHARED:
        return ()
    return [
        Swap(ref, None, oid)
        for ref, oid in refs.items()
        if ref.startswith(REMOTES) and ref.endswith("/" + key.kind)
    ]
