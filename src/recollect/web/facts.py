"""Facts: what is true now, or was true at a time, as a graph around one thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.recollect import Recollect
from recollect.core.facts import normal
from recollect.core.named_tuple import NamedTuple
from recollect.web.rendering import Pages

if TYPE_CHECKING:
    from recollect.core.facts import Fact

_MOST_THINGS = 60
_MOST_EDGES = 24


class Facts(NamedTuple):
    """The things that facts are about, and the facts around one of them."""

    things: Sequence[tuple[str, int]]
    # Facts of the thing itself, and of what those name.
    near: Sequence[Fact]
    far: Sequence[Fact]
    now: float


def routes(pages: Pages) -> list[Route]:
    """Return the routes of facts."""
    access = pages.access

    async def show(request: Request) -> Response:
        thing = request.query_params.get("thing", "").strip()[:500]
        at = request.query_params.get("at", "").strip()[:100]
        history = request.query_params.get("history") == "yes"

        def read(store: Recollect) -> Facts:
            every = [one.fact for one in store.query_facts(at=at or None, history=history)]
            known = [fact for fact in every if not access.hides(fact.memory)]
            counter: Counter[str] = Counter()
            for fact in known:
                counter.update((fact.subject, fact.object))
            centre = normal(thing)
            near = [fact for fact in known if centre and centre in (fact.key[0], fact.key[2])]
            ends = {end for fact in near for end in (fact.key[0], fact.key[2])} - {centre}
            far = [
                fact
                for fact in known
                if fact not in near and (fact.key[0] in ends or fact.key[2] in ends)
            ]
            return Facts(counter.most_common(_MOST_THINGS), near, far, store.now())

        found = await access.ask(read)
        edges = [_edge(pages, fact, thing) for fact in found.near[:_MOST_EDGES]]
        return pages.page(
            request,
            "facts.html",
            title=thing or "Facts",
            now=found.now,
            thing=thing,
            at=at,
            history=history,
            found=found,
            edges=edges,
        )

    return [Route("/facts", show)]


def _edge(pages: Pages, fact: Fact, thing: str) -> tuple[str, str, str]:
    """Return a line from the thing to another one: its name, the other thing, its address."""
    is_subject = normal(fact.subject) == normal(thing)
    other = fact.object if is_subject else fact.subject
    name = fact.predicate if is_subject else f"← {fact.predicate}"
    return name, other, pages.to("/facts", thing=other)
