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
from recollect.core.status import HIDDEN, TRANSITIONS, UNCONFIRMED
from recollect.web.charts import Branch
from recollect.web.differences import Change, changes, difference
from recollect.web.rendering import Pages, memory_path

if TYPE_CHECKING:
    from recollect.ledger.files import CommitInfo
    from recollect.sleep.strength_report import Strength

_MOST_RELATED = 12
# What a button says and means, by the status that it leads to.
_VERBS = {
    "active": ("restore", "Restore", "Make it active again"),
    "resolved": ("resolve", "Resolve", "It is done; search still finds it"),
    "archived": ("archive", "Archive", "Keep it, but hide it from search and from agents"),
    "retired": ("retire", "Retire", "Delete it; you can restore it for a while"),
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
    # What it would archive if somebody confirms it.
    supersedes: Memory | None
    steps: Sequence[tuple[str, str, str]]
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
        return pages.page(
            request,
            "memory.html",
            title=title,
            now=found.now,
            found=found,
            branches=_branches(pages, found),
        )

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

    async def merge(request: Request) -> Response:
        name = request.path_params["name"]

        def work(store: Recollect) -> tuple[Memory, list[Memory], float]:
            owner = store.owner_of(name)
            memory = owner.get(name)
            return memory, owner.merge_candidates(memory), store.now()

        memory, merges, now = await access.ask(work)
        return pages.page(
            request, "merge.html", title="Merge", now=now, memory=memory, merges=merges
        )

    return [
        Route("/memory/{name}", show),
        Route("/memory/{name}/merge", merge),
        Route("/memory/{name}/edit", edit),
        Route("/memory/{name}/change", change),
    ]


def _branches(pages: Pages, found: Detail) -> list[Branch]:
    """Return the lines from a memory to those that it is related to."""
    memory = found.memory

    def name(other: Memory) -> str:
        if other.uid in memory.sources:
            return "merged from"
        if memory.uid in other.sources:
            return "merged into"
        return "relates to" if other.uid in memory.relates_to else "← relates to this"

    return [
        Branch(
            f"{name(one)} · {one.kind}",
            pages.access.shown(one),
            pages.to(memory_path(one)),
            is_past=one.status in HIDDEN,
        )
        for one in found.related[:_MOST_RELATED]
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
        [_VERBS[status] for status in TRANSITIONS.get(memory.status, ()) if status in _VERBS],
        len(versions) > 1,
        store.now(),
    )


def _files(store: Recollect, memory: Memory) -> dict[str, str]:
    """Return the files that a memory names, each with its state, if that is known."""
    names = dict.fromkeys((*memory.files_modified, *memory.files_read), "")
    return {**names, **store.file_states(memory)}
