"""Keeps what matters most in a block of a file that agents read at every start.

This is for agents without hooks. The user asks for it, once for each file; the state of the clone
lists these files, so that a block that somebody else committed is never touched. The two lines
around the block belong to it, and the first one says how many line ends were added before it, so
that removing the block restores the file byte for byte. Only confirmed public memories of the
repository get in, as text that cannot pose as an instruction.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from recollect.config.locate import common_dir
from recollect.config.replacing import replace_file
from recollect.core.authority import is_same_person
from recollect.core.memory import READ_IN, Memory
from recollect.core.status import ACTIVE
from recollect.errors import InstallFailed, NotWritable, RecollectError
from recollect.hosts.file_changes import Change
from recollect.hosts.instruction_files import BLOCK_BEGINS
from recollect.index.protocol import Filters
from recollect.ledger.worktree import find_root
from recollect.search.rendering import render_block, render_guide, render_memory
from recollect.search.tokens import count_tokens
from recollect.state.instruction_blocks import files_with_block, save_files
from recollect.store.store import Store

MOST_TOKENS: Final = 1_000
_KINDS: Final = ("constraints", "preferences", "decisions")
_MOST_OF_A_KIND = 20
_END = b"<!-- recollect:end -->"
_ABOUT = "Recollect updates this block; what you change in it is lost."


def switch_on(store: Store, path: Path, *, dry_run: bool = False) -> Change:
    """Write the block into a file of the working tree, and keep it up to date from now on."""
    _check(store, path)
    change = Change(path, before := _read(path), with_block(before, block_of(store)))
    if not dry_run:
        _apply(change)
        folder = store.ledger.repository.state_dir
        save_files(folder, [*files_with_block(folder), str(path)])
    return change


def switch_off(store: Store, path: Path, *, dry_run: bool = False) -> Change:
    """Take the block out of a file; the rest of it stays byte for byte."""
    _check(store, path)
    change = Change(path, before := _read(path), without_block(before))
    if not dry_run:
        _apply(change)
        folder = store.ledger.repository.state_dir
        save_files(folder, {*files_with_block(folder)} - {str(path)})
    return change


def refresh(store: Store) -> None:
    """Update the block in every file in which the user wants it; problems become warnings."""
    for name in files_with_block(store.ledger.repository.state_dir):
        path = Path(name)
        try:
            before = _read(path)
            if before is None or BLOCK_BEGINS not in before:
                continue  # another branch, or somebody removed it
            _check(store, path)
            _apply(Change(path, before, with_block(before, block_of(store))))
        except RecollectError as error:
            store.ledger.warnings.append(f"{path} was not updated: {error.message}")


def block_of(store: Store) -> str:
    """Return what an agent should know: how to use the memory, and the most important of it."""
    guide, elements = render_guide("standard"), []
    spare = MOST_TOKENS - count_tokens(f"{_ABOUT}{guide}{render_block(['.'])}") - 40
    for memory in _memories(store):
        element = render_memory(memory, "", is_own=lambda m: _is_own(store, m))
        tokens = count_tokens(element) + 1
        if tokens <= spare:
            elements.append(element)
            spare -= tokens
    return "\n".join(filter(None, (guide, render_block(elements))))


def with_block(content: bytes | None, block: str) -> bytes:
    """Return a file with the block: in its place, or at the end."""
    place = _place(content or b"")
    if content is not None and place is not None:
        start, end, first = place
        newline = b"\r\n" if first.endswith(b"\r\n") else b"\n"
        return content[:start] + first + _lines(block, newline) + content[end:]
    before = content or b""
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    # A blank line before the block, whether or not the file ends with a line end.
    added = 0 if not before else 1 if before.endswith(b"\n") else 2
    head = f"{added} {'made' if content is None else 'kept'}: {_ABOUT} -->".encode()
    return before + newline * added + BLOCK_BEGINS + head + newline + _lines(block, newline)


def without_block(content: bytes | None) -> bytes | None:
    """Return a file as it was before the block; None if it did not exist then."""
    place = _place(content or b"")
    if content is None or place is None:
        return content
    start, end, first = place
    newline = b"\r\n" if first.endswith(b"\r\n") else b"\n"
    before = content[:start]
    added, made = _said_in(first) or (0, False)
    for _ in range(added):
        before = before.removesuffix(newline)
    left = before + content[end:]
    return None if made and not left.strip() else left


def _place(content: bytes) -> tuple[int, int, bytes] | None:
    """Return where the block starts and ends, and its first line."""
    start = content.find(BLOCK_BEGINS)
    if start < 0:
        return None
    first = content[start : content.find(b"\n", start) + 1]
    end = content.find(_END, start)
    if _said_in(first) is None or end < 0 or content.find(BLOCK_BEGINS, start + 1) >= 0:
        raise InstallFailed(
            "The lines around the block of Recollect were changed.",
            "Remove the block, from recollect:begin to recollect:end, and run the command again.",
        )
    end += len(_END)
    for newline in (b"\r\n", b"\n"):
        if content.startswith(newline, end):
            return start, end + len(newline), first
    return start, end, first


def _said_in(first: bytes) -> tuple[int, bool] | None:
    """Return how many line ends were added, and whether we made the file; None if unreadable."""
    added, state = (
        first[len(BLOCK_BEGINS) :].split(b" ", 2)[:2] if first.count(b" ") > 3 else (b"", b"")
    )
    if added not in (b"0", b"1", b"2") or state not in (b"kept:", b"made:"):
        return None
    return int(added), state == b"made:"


def _lines(block: str, newline: bytes) -> bytes:
    return block.encode().replace(b"\n", newline) + newline + _END + newline


def _memories(store: Store) -> Iterator[Memory]:
    """Yield confirmed public memories: the newest of each kind in turn."""
    index, now = store.indexing.fresh(), store.now()
    columns = []
    for kind in _KINDS:
        wanted = Filters(
            kind=kind,
            statuses=frozenset((ACTIVE,)),
            sensitivities=frozenset(("public",)),
            alive_at=now,
        )
        found = index.newest(wanted, _MOST_OF_A_KIND, now)
        # What was read in such a file is there already.
        columns.append([memory for memory in found if READ_IN not in memory.provenance])
    for row in range(_MOST_OF_A_KIND):
        yield from (column[row] for column in columns if row < len(column))


def _is_own(store: Store, memory: Memory) -> bool:
    return not memory.author or is_same_person(memory.author, store.ledger.author)


def _check(store: Store, path: Path) -> None:
    """Refuse what is no file of its working tree: a link in a clone may point anywhere."""
    repository = store.ledger.repository
    tree = find_root(path.absolute().parent)
    # Worktrees share the list of files, so the file may be in another one than the current one.
    if tree is None or Path(common_dir(str(tree))).resolve() != repository.common_dir.resolve():
        tree = store.work_tree
    if tree is None or repository.is_user_ledger:
        raise InstallFailed(
            "There is no working tree here.", "Run the command in a clone with files."
        )
    root, target = tree.resolve(), path.resolve()
    if not target.is_relative_to(root):
        raise InstallFailed(f"{path} is not inside {tree}.", "Nothing was changed.")
    # Only what is below the root counts: a worktree may itself be inside of a bare repository.
    own = [folder.resolve() for folder in (repository.git_dir, repository.common_dir)]
    is_git = any(folder.is_relative_to(root) and target.is_relative_to(folder) for folder in own)
    if is_git or any(part.casefold() == ".git" for part in target.relative_to(root).parts):
        raise InstallFailed(f"{path} leads into a git directory.", "Nothing was changed.")


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotWritable(f"Cannot read {path}: {error}") from None


def _apply(change: Change) -> None:
    if change.after is None:
        change.path.unlink(missing_ok=True)
    elif change.after != change.before:
        replace_file(change.path, change.after)
