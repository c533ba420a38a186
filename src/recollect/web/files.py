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
    from recollect.api.blame import Blame

_MOST = 500


class Entry(NamedTuple):
    """A folder or a file, and how many memories name it or something in it."""

    name: str
    path: str
    known: int
    is_folder: bool


class Folder(NamedTuple):
    """What a path has: entries of a folder, or the lines and memories of a file."""

    entries: Sequence[Entry]
    blame: Blame | None
    memories: Sequence[Memory]
    states: Mapping[str, Mapping[str, str]]
    now: float


def routes(pages: Pages) -> list[Route]:
    """Return the routes of files."""
    access = pages.access

    async def show(request: Request) -> Response:
        path = request.query_params.get("path", "").strip().strip("/")[:1000]

        def read(store: Recollect) -> Folder:
            counts = store.known_files(sensitivity=access.sensitivities)
            entries = entries_of(counts, path)
            if entries or not path:
                return Folder(entries, None, (), {}, store.now())
            blame = store.blame(path, sensitivity=access.sensitivities)
            memories = blame.memories
            states = {memory.uid: store.file_states(memory) for memory in memories}
            return Folder((), blame, memories, states, store.now())

        found = await access.ask(read)
        return pages.page(
            request,
            "files.html",
            title=path or "Files",
            now=found.now,
            path=path,
            parents=_parents(path),
            found=found,
        )

    return [Route("/files", show)]


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
