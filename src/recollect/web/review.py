"""Review: what waits for a decision, one after the other, with keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import short
from recollect.errors import NotFound
from recollect.web.access import Access, Notice, UndoStep
from recollect.web.differences import Line, difference, of_memories
from recollect.web.rendering import Pages
from recollect.web.words import origin as origin_of
from recollect.web.words import stamp

if TYPE_CHECKING:
    from recollect.capture.suggestions import Suggestion
    from recollect.core.authority import SuggestedChange

_MOST = 50


class Card(NamedTuple):
    """One decision: the text, where it comes from, and what accepting it would change."""

    # What the API calls it.
    name: str
    title: str
    kind: str
    text: str
    origin: Sequence[tuple[str, str]]
    memory: Memory | None = None
    # The memory that it changes or replaces, and how.
    other: Memory | None = None
    effect: str = ""
    lines: Sequence[Line] = ()
    is_hidden: bool = False


def routes(pages: Pages) -> list[Route]:
    """Return the routes of the queue."""
    access = pages.access

    async def queue(request: Request) -> Response:
        def read(store: Recollect) -> tuple[list[Card], int, float]:
            if not access.read_only:
                store.flush_spool()
            waiting = store.review()
            cards = [_of_memory(store, access, one) for one in waiting.unconfirmed[:_MOST]]
            cards += [_of_suggestion(store, access, one) for one in waiting.suggestions[:_MOST]]
            cards += [_of_change(store, access, one) for one in waiting.changes[:_MOST]]
            return cards[:_MOST], waiting.total, store.now()

        cards, total, now = await access.ask(read)
        return pages.page(request, "review.html", title="Review", now=now, cards=cards, total=total)

    async def decide(request: Request) -> Response:
        await pages.form(request)
        name, verb = request.path_params["name"], request.path_params["verb"]

        def work(store: Recollect) -> Notice:
            if verb in ("accept", "keep-both"):
                return _accept(store, name, keep_both=verb == "keep-both")
            if verb == "reject":
                return _reject(store, name)
            raise NotFound(f"There is no action {verb[:40]}.", "Go back, and use a button.")

        return pages.leave("/review", await access.ask(work))

    return [Route("/review", queue), Route("/review/{name}/{verb}", decide, methods=["POST"])]


def _of_memory(store: Recollect, access: Access, memory: Memory) -> Card:
    old = store.would_supersede(memory)
    origin = [
        ("Noticed", stamp(memory.created)),
        *origin_of(memory.provenance),
        ("Branch", memory.branch or ""),
        ("Session", memory.session or ""),
        ("Files", ", ".join(dict.fromkeys((*memory.files_modified, *memory.files_read)))),
        ("Confidence", f"{memory.confidence:.2f}"),
    ]
    return Card(
        memory.uid,
        access.shown(memory),
        memory.kind,
        memory.text,
        [row for row in origin if row[1]],
        memory,
        old,
        "Accepting it archives" if old is not None else "",
        of_memories(old, memory) if old is not None and not access.hides_any(memory, old) else (),
        access.hides(memory),
    )


def _of_suggestion(store: Recollect, access: Access, suggestion: Suggestion) -> Card:
    draft = suggestion.draft
    sensitivity = str(draft.get("sensitivity") or "public")
    sources = store.get_many(list(suggestion.sources))
    known = store.get_many([suggestion.updates]) if suggestion.updates else sources[:1]
    text = f"{draft.get('summary', '')}\n{draft.get('body') or ''}".rstrip()
    other = known[0] if known else None
    before = f"{other.summary}\n{other.text}".rstrip() if other is not None else ""
    # What is drafted about a private memory may repeat its text.
    about = [*sources, *known]
    is_hidden = not access.reveals and (sensitivity != "public" or access.hides_any(*about))
    origin = [("Why", suggestion.why), ("Confidence", f"{suggestion.confidence:.2f}")]
    origin += [("Merges", access.shown(source)) for source in sources]
    if suggestion.document:
        origin.append(("File", str(suggestion.document.get("path") or "")))
    return Card(
        suggestion.uid,
        "(private)" if is_hidden else str(draft.get("summary") or ""),
        str(draft.get("kind") or ""),
        str(draft.get("body") or ""),
        origin,
        other=other,
        effect="It changes" if suggestion.updates else "It merges" if sources else "",
        lines=difference(before, text) if other is not None and not is_hidden else (),
        is_hidden=is_hidden,
    )


def _of_change(store: Recollect, access: Access, change: SuggestedChange) -> Card:
    memory = store.get(change.memory)
    is_hidden = access.hides(memory)
    known = memory.as_json()
    before = "\n".join(f"{name}: {known.get(name)}" for name in sorted(change.fields))
    after = "\n".join(f"{name}: {value}" for name, value in sorted(change.fields.items()))
    return Card(
        change.record,
        access.shown(memory),
        memory.kind,
        "",
        [("Suggested by", change.by or "somebody"), ("When", stamp(change.timestamp))],
        other=memory,
        effect="It changes",
        lines=() if is_hidden else difference(before, after),
        is_hidden=is_hidden,
    )


def _accept(store: Recollect, name: str, *, keep_both: bool) -> Notice:
    waiting = store.review([name])
    replaced = [store.would_supersede(memory) for memory in waiting.unconfirmed]
    made = store.accept([name], keep_both=keep_both)
    said = ", ".join(short(memory.id) for memory in made)
    changed = [memory.uid for memory in waiting.unconfirmed]
    if not keep_both:
        changed += [memory.uid for memory in replaced if memory is not None]
    # The memories that accepting has made, not those that a change by others is about.
    is_new = not waiting.changes and not any(one.document for one in waiting.suggestions)
    steps = [UndoStep(memory.uid, memory.version, is_new) for memory in made]
    steps += [UndoStep(memory.uid, memory.version) for memory in store.get_many(changed)]
    return Notice(f"Remembered as {said}.", tuple(steps))


def _reject(store: Recollect, name: str) -> Notice:
    waiting = store.review([name])
    gone = store.reject([name])
    changed = [memory.uid for memory in gone.unconfirmed]
    changed += [change.memory for change in waiting.changes]
    steps = [UndoStep(memory.uid, memory.version) for memory in store.get_many(changed)]
    said = "Rejected. Neither it nor its like comes again."
    return Notice(said, tuple(steps), rejected=tuple(gone.suggestions))
