"""Files: how much is known of each folder and file, and which lines memories speak about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.web.rendering import Pages

if TYPE_CHECKING:
    from recollect.api.blame import Blame, BlamedLines

_MOST = 500
# Of a file that many memories name, the newest are shown.
_MOST_MEMORIES = 60
# Of a longer file, only the lines that somebody speaks about; of a long block, its beginning.
_SHORT_FILE = 300
_MOST_LINES = 30


class Entry(NamedTuple):
    """A folder or a file: how many memories name it, or how often they name something in it."""

    name: str
    path: str
    known: int
    is_folder: bool


class Folder(NamedTuple):
    """What a path has: entries of a folder, or the lines and memories of a file."""

    entries: Sequence[Entry]
    blame: Blame | None
    memories: Sequence[Memory]
    # How many memories name the file; more than those that are shown, if they are many.
    total: int
    states: Mapping[str, str]
    now: float


class Part(NamedTuple):
    """Lines of a file that are shown; or, without any, lines about which nothing is known."""

    block: BlamedLines | None
    lines: Sequence[str]
    first: int
    last: int


def routes(pages: Pages) -> list[Route]:
    """Return the routes of files."""
    access = pages.access
    known = _KnownFiles()

    async def show(request: Request) -> Response:
        path = request.query_params.get("path", "").strip().strip("/")[:1000]

        def read(store: Recollect) -> Folder:
            entries = entries_of(known.counts(store, access.sensitivities), path)
            if entries or not path:
                return Folder(entries, None, (), 0, {}, store.now())
            wanted = {"sensitivity": access.sensitivities}
            blame = store.blame(path, limit=_MOST_MEMORIES, **wanted)
            memories = blame.memories
            total = len(memories)
            if total >= _MOST_MEMORIES:
                total = store.count(file=path, **wanted)
            states = store.file_since(path, memories)
            return Folder((), blame, memories, total, states, store.now())

        found = await access.ask(read)
        return pages.page(
            request,
            "files.html",
            title=path or "Files",
            now=found.now,
            path=path,
            parents=_parents(path),
            found=found,
            parts=parts_of(found.blame.blocks) if found.blame is not None else (),
        )

    return [Route("/files", show)]


class _KnownFiles:
    """How many memories name each file, counted again only after something was written."""

    def __init__(self) -> None:
        self._key: object = None
        self._counts: Mapping[str, int] = {}

    def counts(self, store: Recollect, sensitivities: tuple[str, ...]) -> Mapping[str, int]:
        key = store.ledger.tips(), sensitivities
        if key != self._key:
            self._counts = store.known_files(sensitivity=sensitivities)
            self._key = key
        return self._counts


def parts_of(blocks: Sequence[BlamedLines]) -> list[Part]:
    """Return what a page shows of a file: all of a short one, what is known of a long one."""
    is_short = sum(len(block.lines) for block in blocks) <= _SHORT_FILE
    parts: list[Part] = []
    for block in blocks:
        told = bool(block.memories or block.named)
        if is_short or (told and sum(len(part.lines) for part in parts) < _SHORT_FILE):
            shown = block.lines if is_short else block.lines[:_MOST_LINES]
            parts.append(Part(block, shown, block.first, block.first + len(shown) - 1))
            if len(shown) < len(block.lines):
                parts.append(Part(None, (), block.first + len(shown), block.last))
        elif parts and parts[-1].block is None:
            parts[-1] = parts[-1]._replace(last=block.last)
        else:
            parts.append(Part(None, (), block.first, block.last))
    return parts


def entries_of(counts: Mapping[str, int], folder: str) -> list[Entry]:
    """Return what is directly in a folder, folders first, the best known first."""
    below = folder + "/" if folder else ""
    sums: dict[tuple[str, bool], int] = {}
    for path, count in counts.items():
        if path.startswith(below):
            name, slash, _ = path[len(below) :].partition("/")
            if name:
                sums[name, bool(slash)] = sums.get((name, bool(slash)), 0) + count
    found = [Entry(name, below + name, n, is_folder) for (name, is_folder), n in sums.items()]
    return sorted(found, key=lambda one: (not one.is_folder, -one.known, one.name))[:_MOST]


def _parents(path: str) -> list[tuple[str, str]]:
    """Return the folders above a path, each with its name."""
    parts = path.split("/")[:-1] if path else []
    return [(part, "/".join(parts[: number + 1])) for number, part in enumerate(parts)]
