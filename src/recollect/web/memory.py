"""A memory: its text, its history, where it comes from, what it relates to, and who used it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.activity import Injection
from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.status import TRANSITIONS, UNCONFIRMED
from recollect.web.differences import Change, changes, difference
from recollect.web.rendering import Pages

if TYPE_CHECKING:
    from recollect.ledger.files import CommitInfo
    from recollect.sleep.strength_report import Strength

# What a button says, by the status that it leads to.
_VERBS = {
    "active": ("restore", "Restore"),
    "resolved": ("resolve", "Resolve"),
    "archived": ("archive", "Archive"),
    "retired": ("retire", "Retire"),
}


class Detail(NamedTuple):
    """Everything that the page of a memory shows."""

    memory: Memory
    name: str
    mine: bool
    history: Sequence[Change]
    commit: CommitInfo | None
    files: Mapping[str, str]
    related: Sequence[Memory]
    injections: Sequence[Injection]
    strength: Strength
    # What it would archive if somebody confirms it, and what it could be merged into.
    supersedes: Memory | None
    merges: Sequence[Memory]
    steps: Sequence[tuple[str, str]]
    can_undo: bool
    now: float


def routes(pages: Pages) -> list[Route]:
    """Return the routes that show a memory."""
    access = pages.access

    async def show(request: Request) -> Response:
        name = request.path_params["name"]
        found = await access.ask(lambda store: read(store, name))
        if access.hides(found.memory):
            return _hidden(pages, request, found)
        title = found.memory.summary
        return pages.page(request, "memory.html", title=title, now=found.now, found=found)

    async def edit(request: Request) -> Response:
        name = request.path_params["name"]
        found = await access.ask(lambda store: read(store, name))
        if access.hides(found.memory):
            return _hidden(pages, request, found)
        return pages.page(
            request,
            "edit.html",
            title="Edit",
            now=found.now,
            found=found,
            summary=found.memory.summary,
            body=found.memory.body,
            tags=", ".join(found.memory.tags),
            error="",
        )

    async def change(request: Request) -> Response:
        name, path = request.path_params["name"], request.query_params.get("path", "")

        def work(store: Recollect) -> tuple[Detail, tuple[str, str] | None]:
            found = read(store, name)
            return found, store.owner_of(name).change_since(found.memory, path)

        found, texts = await access.ask(work)
        if access.hides(found.memory):
            return _hidden(pages, request, found)
        return pages.page(
            request,
            "change.html",
            title=f"What changed in {path}",
            now=found.now,
            found=found,
            path=path,
            lines=difference(*texts) if texts is not None else (),
        )

    return [
        Route("/memory/{name}", show),
        Route("/memory/{name}/edit", edit),
        Route("/memory/{name}/change", change),
    ]


def _hidden(pages: Pages, request: Request, found: Detail) -> Response:
    return pages.page(
        request, "hidden.html", title="A hidden memory", now=found.now, found=found, status=403
    )


def read(store: Recollect, name: str) -> Detail:
    """Read everything about a memory."""
    owner = store.owner_of(name)
    memory = owner.get(name)
    versions = owner.versions(memory.uid)
    is_waiting = memory.status == UNCONFIRMED
    return Detail(
        memory,
        owner.short_name(memory),
        owner is not store,
        changes(versions),
        owner.commit_info(memory),
        _files(owner, memory),
        owner.related(memory),
        owner.injections(memory.uid),
        owner.strength(memory.uid),
        owner.would_supersede(memory) if is_waiting else None,
        owner.merge_candidates(memory) if is_waiting else (),
        [_VERBS[status] for status in TRANSITIONS.get(memory.status, ()) if status in _VERBS],
        len(versions) > 1,
        store.now(),
    )


def _files(store: Recollect, memory: Memory) -> dict[str, str]:
    """Return the files that a memory names, each with its state, if that is known."""
    names = dict.fromkeys((*memory.files_modified, *memory.files_read), "")
    return {**names, **store.file_states(memory)}
