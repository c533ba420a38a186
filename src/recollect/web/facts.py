"""Facts: what is true now, or was true at a time, as a graph around one thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.recollect import Recollect
from recollect.core.facts import normal
from recollect.core.named_tuple import NamedTuple
from recollect.web.access import Access
from recollect.web.charts import Branch
from recollect.web.rendering import Pages

if TYPE_CHECKING:
    from recollect.core.facts import Fact
    from recollect.facts.facts import Found

_MOST_THINGS = 60
_MOST_EDGES = 24
_MOST_TWIGS = 6
_MOST_DAYS = 60


class Facts(NamedTuple):
    """The things that facts are about, and the facts around one of them."""

    things: Sequence[tuple[str, int]]
    # Facts of the thing itself, and of what those name.
    near: Sequence[Fact]
    far: Sequence[Fact]
    # The days on which a fact began or ended, for the slider, oldest first.
    days: Sequence[str]
    now: float


def routes(pages: Pages) -> list[Route]:
    """Return the routes of facts."""
    access = pages.access

    async def show(request: Request) -> Response:
        given = request.query_params
        thing = given.get("thing", "").strip()[:500]
        typed, step = given.get("at", "").strip()[:100], given.get("step", "")
        history = given.get("history") == "yes"

        def read(store: Recollect) -> tuple[Facts, str]:
            ever = _shown(access, store.query_facts(history=True))
            days = _days(ever)
            at = typed or (days[int(step[:4])] if _is_step(step, days) else "")
            known = ever if history else _shown(access, store.query_facts(at=at or None))
            return _around(thing, known, days, store.now()), at

        found, at = await access.ask(read)
        return pages.page(
            request,
            "facts.html",
            title=thing or "Facts",
            now=found.now,
            thing=thing,
            at=at,
            step=_step(found.days, at),
            history=history,
            found=found,
            branches=_branches(pages, found, thing, at),
            moment=_moment(found.now),
        )

    return [Route("/facts", show)]


def _shown(access: Access, found: Iterable[Found]) -> list[Fact]:
    return [one.fact for one in found if not access.hides(one.fact.memory)]


def _days(facts: Iterable[Fact]) -> list[str]:
    """Return the last days on which something became true, or stopped being true."""
    moments = {at[:10] for fact in facts for at in (fact.valid_from, fact.valid_until) if at}
    return sorted(moments)[-_MOST_DAYS:]


def _is_step(step: str, days: Sequence[str]) -> bool:
    return step.isdecimal() and int(step[:4]) < len(days)


def _step(days: Sequence[str], at: str) -> int:
    """Return where the slider stands: at a day, or at its end, which is now."""
    return days.index(at) if at in days else len(days)


def _around(thing: str, known: Sequence[Fact], days: Sequence[str], now: float) -> Facts:
    counter: Counter[str] = Counter()
    for fact in known:
        counter.update((fact.subject, fact.object))
    centre = normal(thing)
    near = [fact for fact in known if centre and centre in (fact.key[0], fact.key[2])]
    ends = {end for fact in near for end in (fact.key[0], fact.key[2])} - {centre}
    seen = {id(fact) for fact in near}
    far = [
        fact
        for fact in known
        if id(fact) not in seen and (fact.key[0] in ends or fact.key[2] in ends)
    ]
    return Facts(counter.most_common(_MOST_THINGS), near, far, days, now)


def _branches(pages: Pages, found: Facts, thing: str, at: str) -> list[Branch]:
    """Return the lines from a thing to others, and from those one step further."""
    moment = _moment(found.now)
    centre = normal(thing)

    def branch(fact: Fact, around: str, twigs: Sequence[Branch] = ()) -> Branch:
        is_subject = fact.key[0] == around
        other = fact.object if is_subject else fact.subject
        name = fact.predicate.replace("_", " ")
        years = f", {fact.valid_from[:10]} to {fact.valid_until[:10]}" if fact.valid_until else ""
        is_past = bool(fact.valid_until) and fact.valid_until <= moment
        arrow = "" if is_subject else "← "
        address = pages.to("/facts", thing=other, at=at)
        return Branch(f"{arrow}{name}{years}", other, address, twigs, is_past)

    branches: list[Branch] = []
    left = _MOST_EDGES
    drawn: set[int] = set()
    for fact in found.near[:_MOST_EDGES]:
        other = fact.key[2] if fact.key[0] == centre else fact.key[0]
        beyond = [f for f in found.far if other in (f.key[0], f.key[2]) and id(f) not in drawn]
        beyond = beyond[: max(0, min(_MOST_TWIGS, left - 1))]
        drawn |= {id(one) for one in beyond}
        left -= max(1, len(beyond))
        branches.append(branch(fact, centre, [branch(one, other) for one in beyond]))
        if left <= 0:
            break
    return branches


def _moment(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
