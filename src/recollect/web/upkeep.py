"""Sleep and sync: what the next sleep would do, what past runs did, and exchange with others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.errors import NotFound
from recollect.web.access import Access, Notice
from recollect.web.differences import Line, changed_fields, of_memories
from recollect.web.rendering import Pages, is_fragment

if TYPE_CHECKING:
    from recollect.api.sync import Conflict, PendingPurge, SyncResult
    from recollect.api.sync_preview import Exchanged, SyncPreview
    from recollect.sleep.plan import Plan
    from recollect.state.runs import Run

_MOST = 50


def routes(pages: Pages) -> list[Route]:
    """Return the routes of sleep and sync."""
    access = pages.access
    # The last sync, with its conflicts, until the server ends.
    last: list[SyncResult] = []

    async def show(request: Request) -> Response:
        def read(store: Recollect) -> tuple[Sequence[Run], Sequence[PendingPurge], float]:
            return store.runs(), store.pending_purges(), store.now()

        runs, pending, now = await access.ask(read)
        conflicts: Sequence[Conflict] = [
            one for result in last for one in result.conflicts if not access.hides(one.memory)
        ]
        return pages.page(
            request,
            "upkeep.html",
            title="Sleep and sync",
            now=now,
            runs=runs,
            pending=pending,
            synced=last[0] if last else None,
            conflicts=conflicts,
        )

    async def plan(request: Request) -> Response:
        def read(store: Recollect) -> tuple[Plan, float]:
            return store.sleep(dry_run=True), store.now()

        found, now = await access.ask_slowly(read)
        return pages.page(request, "plan.html", title="Plan", now=now, plan=found)

    async def preview(request: Request) -> Response:
        await pages.form(request)  # it fetches into this clone, so read-only pages refuse it

        def read(store: Recollect) -> tuple[SyncPreview, float]:
            return store.preview_sync(), store.now()

        found, now = await access.ask_slowly(read)
        return pages.page(
            request,
            "sync_parts.html" if is_fragment(request) else "sync.html",
            title="What a sync would do",
            now=now,
            found=found,
            sends=[_traded(access, one) for one in found.sends[:_MOST]],
            brings=[_traded(access, one) for one in found.brings[:_MOST]],
            conflicts=[one for one in found.conflicts if not access.hides(one.memory)],
        )

    async def act(request: Request) -> Response:
        given = await pages.form(request)
        verb = request.path_params["verb"]

        def work(store: Recollect) -> Notice:
            if verb == "sleep":
                before = {run.name for run in store.runs()}
                done = store.sleep()
                made = [run.name for run in store.runs() if run.name not in before]
                text = f"Merged {len(done.merges)}, changed {len(done.steps)}, checked"
                return Notice(f"{text} {done.looked_at} memories.", run="".join(made[:1]))
            if verb == "undo":
                undone = store.undo(given.get("run", ""))
                kept = f" {len(undone.kept)} were changed since and stay." if undone.kept else ""
                return Notice(f"Undid {undone.target}: {len(undone.reversals)} changes.{kept}")
            if verb == "sync":
                result = store.sync()
                last[:] = [result]
                received, gone = len(result.received), len(result.purged)
                text = f"Exchanged with {result.report.remote}: received {received}, {gone} purged."
                return Notice(" ".join([text, *result.report.warnings]))
            if verb == "accept-purges":
                left = store.accept_purges()
                return Notice(" ".join(["Erased your copies.", *left]), is_error=bool(left))
            raise NotFound(f"There is no action {verb[:40]}.", "Go back, and use a button.")

        return pages.leave("/upkeep", await access.ask_slowly(work))

    return [
        Route("/upkeep", show),
        Route("/upkeep/plan", plan),
        Route("/upkeep/preview", preview, methods=["POST"]),
        Route("/upkeep/{verb}", act, methods=["POST"]),
    ]


class Traded(NamedTuple):
    """A memory that a sync would send or bring, for the page."""

    what: str
    memory: Memory | None
    uid: str
    by: str
    lines: Sequence[Line]
    # The fields besides the text that change.
    fields: Sequence[tuple[str, str]]
    # Whether this clone has it already, so that there is a page about it.
    is_here: bool


def _traded(access: Access, one: Exchanged) -> Traded:
    hides = access.hides_any(*filter(None, (one.memory, one.before)))
    lines: Sequence[Line] = ()
    fields: Sequence[tuple[str, str]] = ()
    if one.memory is not None and one.before is not None and not hides:
        lines = of_memories(one.before, one.memory)
        fields = changed_fields(one.before, one.memory)
    by = ", ".join(name.partition("<")[0].strip() or name for name in one.by)
    return Traded(one.what, one.memory, one.uid, by, lines, fields, one.is_here)
