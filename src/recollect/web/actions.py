"""What people change on the pages, and how they take it back.

Each action leads to a page with a notice that says what was done and offers to undo it. An undo
leaves alone what somebody has changed since.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.core.status import RETIRED
from recollect.errors import NotFound, RecollectError, ValidationError, VersionConflict
from recollect.web import settings
from recollect.web.access import Notice, UndoStep
from recollect.web.memory import read
from recollect.web.rendering import Pages, memory_path

# The status that an action leads to, and how the notice says it.
_STEPS = {
    "resolve": ("resolved", "Resolved"),
    "archive": ("archived", "Archived"),
    "retire": ("retired", "Retired"),
    "restore": ("restored", "Restored"),
}
_HOME = "/search"


def routes(pages: Pages) -> list[Route]:
    """Return the routes that change something."""
    access = pages.access

    async def reveal(request: Request) -> Response:
        given = await pages.form(request, changes=False)
        access.reveals = given.get("reveal") == "yes"
        return pages.leave_back(given)

    async def step(request: Request) -> Response:
        given = await pages.form(request)
        name, verb = request.path_params["name"], request.path_params["verb"]
        if verb not in _STEPS:
            raise NotFound(f"There is no action {verb[:40]}.", "Go back, and use a button.")
        status, said = _STEPS[verb]

        def work(store: Recollect) -> Memory:
            return store.owner_of(name).set_status(name, status, given.get("reason", "").strip())

        memory = await access.ask(work)
        notice = Notice(f"{said} {short(memory.id)}.", (_undoing(memory),))
        return pages.leave(memory_path(memory), notice)

    async def edit(request: Request) -> Response:
        given = await pages.form(request)
        name = request.path_params["name"]

        def work(store: Recollect) -> Memory:
            tags = [tag.strip() for tag in given.get("tags", "").split(",") if tag.strip()]
            return store.owner_of(name).update(
                name,
                summary=given.get("summary", ""),
                body=given.get("body", "").replace("\r\n", "\n"),
                if_version=given.get("version", ""),
                tags=tags,
            )

        try:
            memory = await access.ask(work)
        except (ValidationError, VersionConflict) as error:
            found = await access.ask(lambda store: read(store, name))
            if access.hides(found.memory):
                raise
            return pages.page(
                request,
                "edit.html",
                title="Edit",
                now=found.now,
                status=400,
                found=found,
                summary=given.get("summary", ""),
                body=given.get("body", ""),
                tags=given.get("tags", ""),
                error=f"{error.message} {error.hint}",
            )
        if memory.version == given.get("version"):
            return pages.leave(memory_path(memory), Notice("Nothing was different."))
        notice = Notice(f"Changed {short(memory.id)}.", (_undoing(memory),))
        return pages.leave(memory_path(memory), notice)

    async def undo_last(request: Request) -> Response:
        await pages.form(request)
        name = request.path_params["name"]

        def work(store: Recollect) -> tuple[Memory, str]:
            owner = store.owner_of(name)
            done = owner.undo(name)
            kept = " ".join(one.why for one in done.kept)
            return owner.get(name), kept and f"Nothing was undone: {kept}."

        memory, kept = await access.ask(work)
        said = kept or f"Undid the last change of {short(memory.id)}."
        return pages.leave(memory_path(memory), Notice(said, is_error=bool(kept)))

    async def undo(request: Request) -> Response:
        given = await pages.form(request)
        notice = access.take(request.path_params["key"])
        if notice is None:
            raise NotFound(
                "This was undone already, or it is too long ago.",
                "Open the memory: its page can undo the last change.",
            )
        said = await access.ask(lambda store: take_back(store, notice))
        return pages.leave_back(given, said)

    async def merge(request: Request) -> Response:
        given = await pages.form(request)
        name, into = request.path_params["name"], given.get("id", "").strip() or given.get("into")

        def work(store: Recollect) -> tuple[str, Notice]:
            owner = store.owner_of(name)
            return merged_into(owner, name, into or "")

        into_path, notice = await access.ask(work)
        return pages.leave("/review" if given.get("from") == "review" else into_path, notice)

    async def purge(request: Request) -> Response:
        given = await pages.form(request)
        name = request.path_params["name"]

        def work(store: Recollect) -> tuple[str, list[str]]:
            owner = store.owner_of(name)
            memory = owner.get(name)
            typed = given.get("typed", "").strip()
            if typed not in (memory.id, owner.short_name(memory)):
                raise ValidationError(
                    "Nothing was erased: what you typed is not the id of this memory.",
                    f"To erase it for good, type: {owner.short_name(memory)}",
                )
            return short(memory.id), owner.purge(memory.uid)

        gone, left = await access.ask(work)
        said = f"Erased {gone} for good. " + " ".join(left)
        return pages.leave(_HOME, Notice(said.strip(), is_error=bool(left)))

    return [
        Route("/reveal", reveal, methods=["POST"]),
        Route("/undo/{key}", undo, methods=["POST"]),
        Route("/memory/{name}/edit", edit, methods=["POST"]),
        Route("/memory/{name}/undo", undo_last, methods=["POST"]),
        Route("/memory/{name}/purge", purge, methods=["POST"]),
        Route("/memory/{name}/merge", merge, methods=["POST"]),
        Route("/memory/{name}/{verb}", step, methods=["POST"]),
    ]


def _undoing(memory: Memory) -> UndoStep:
    return UndoStep(memory.uid, memory.version)


def merged_into(store: Recollect, name: str, into: str) -> tuple[str, Notice]:
    """Merge a memory into another one; return the path of that one, and how to take it back."""
    if not into:
        raise ValidationError(
            "Nothing was merged: no memory was chosen.", "Choose one, or type an id."
        )
    merged = store.merge_into(name, into)
    gone = store.get(name)
    said = f"Merged {short(gone.id)} into {short(merged.id)}. It is {gone.status} now."
    return memory_path(merged), Notice(said, (_undoing(merged), _undoing(gone)))


def take_back(store: Recollect, notice: Notice) -> Notice:
    """Undo an action, memory by memory; say what had to stay."""
    left = []
    store.put_back(notice.rejected)
    if notice.setting is not None and not settings.take_back(notice.setting):
        left.append(f"{notice.setting.place.key} has changed since.")
    if notice.run:
        left += [f"{kept.memory.id}: {kept.why}." for kept in store.undo(notice.run).kept]
    for step in notice.steps:
        try:
            owner = store.owner_of(step.uid)
            memory = owner.get(step.uid)
            if memory.version != step.version:
                left.append(f"{owner.short_name(memory)} has changed since.")
            elif step.retires:
                owner.set_status(memory.uid, RETIRED, "undone")
            else:
                left += [kept.why for kept in owner.undo(memory.uid).kept]
        except RecollectError as error:
            left.append(f"{error.message} {error.hint}")
    if left:
        return Notice("Not everything was undone. " + " ".join(left), is_error=True)
    return Notice("Undone.")
