"""Search: as you type, with facets, the parts of each score, and the memory as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.recollect import Recollect
from recollect.api.results import Answer
from recollect.core.authority import person_of
from recollect.core.kinds import KINDS
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.status import STATUSES
from recollect.web.access import Access
from recollect.web.rendering import Pages, is_fragment

# As many as answer while somebody types, and as many as somebody can ask for.
_FIRST = 20
_MOST = 100
# Of more than that, those of one person are looked for.
_MOST_OF_ONE = 300
_MOST_VALUES = 6
# What the filters of the API take; `person` is looked up in what was found.
_FILTERS = ("kind", "status", "tag", "file", "session", "since")
_FIELDS = (*_FILTERS, "person")
_AGES: Final = (("1d", "today"), ("7d", "a week"), ("30d", "a month"), ("365d", "a year"))
# The steps of the time slider: its value, and how it reads.
TIMES: Final = (
    *(("2y", "two years ago"), ("1y", "a year ago"), ("180d", "half a year ago")),
    *(("90d", "three months ago"), ("30d", "a month ago"), ("14d", "two weeks ago")),
    *(("7d", "a week ago"), ("3d", "three days ago"), ("1d", "a day ago"), ("", "now")),
)
_PARTS = ("match", "recency", "importance", "trust", "strength")


class Row(NamedTuple):
    """A memory in a list of results."""

    memory: Memory
    mine: bool = False
    score: float | None = None
    parts: Mapping[str, float] = {}


class Results(NamedTuple):
    """What a search found: answers, weaker matches, and values to narrow it down."""

    rows: Sequence[Row]
    weaker: Sequence[Row]
    facets: Mapping[str, Sequence[tuple[str, str, int]]]
    names: Mapping[str, str]
    now: float
    total: int


def routes(pages: Pages) -> list[Route]:
    """Return the routes of search."""

    async def search(request: Request) -> Response:
        given = {name: request.query_params.get(name, "").strip()[:500] for name in _FIELDS}
        query = request.query_params.get("q", "").strip()[:2000]
        as_of = _moment(request.query_params)
        asked = request.query_params.get("n", "")
        most = max(1, min(_MOST, int(asked[:4]))) if asked.isdecimal() else _FIRST
        is_part = is_fragment(request)

        def work(store: Recollect) -> Results:
            if not is_part and not pages.access.read_only:
                store.flush_spool()
            return find(store, pages.access, query, as_of, given, most)

        found = await pages.access.ask(work)
        return pages.page(
            request,
            "results.html" if is_part else "search.html",
            title="Search",
            now=found.now,
            query=query,
            given=given,
            as_of=as_of,
            step=next((n for n, (age, _) in enumerate(TIMES) if age == as_of), len(TIMES) - 1),
            times=TIMES,
            ages=_AGES,
            kinds=[kind.name for kind in KINDS],
            statuses=STATUSES,
            found=found,
            more=_MOST if found.total >= most and most < _MOST else 0,
        )

    return [Route("/search", search)]


def _moment(given: Mapping[str, str]) -> str:
    """Return the time that is asked for: what was typed, or the step of the slider."""
    typed = given.get("as_of", "").strip()[:100]
    step = given.get("step", "")
    if typed or not step.isdecimal():
        return typed
    return TIMES[min(int(step[:3]), len(TIMES) - 1)][0]


def find(
    store: Recollect,
    access: Access,
    query: str,
    as_of: str,
    given: Mapping[str, str],
    limit: int,
) -> Results:
    """Search or, without a query, list the newest memories."""
    filters: dict[str, Any] = {name: given[name] for name in _FILTERS if given[name]}
    filters["sensitivity"] = access.sensitivities
    if filters.get("status") == "all":
        filters["status"] = ("all",)
    most = _MOST_OF_ONE if given["person"] else limit
    if query:
        answers = store.search(
            query,
            most,
            mode=access.mode,
            as_of=as_of or None,
            counting=False,
            weaker=True,
            **filters,
        )
        rows = [_row(answer) for answer in answers]
        strong = answers.strong
    else:
        rows = [Row(memory) for memory in store.newest(most, as_of=as_of or None, **filters)]
        strong = len(rows)
    best = _of_person(rows[:strong], given["person"], limit)
    rest = _of_person(rows[strong:], given["person"], limit)
    everything = [row.memory for row in (*best, *rest)]
    names = _names(store, everything)
    return Results(best, rest, _facets(everything), names, store.now(), len(everything))


def _names(store: Recollect, memories: Sequence[Memory]) -> dict[str, str]:
    """Return the shortest names of memories, looked up at once."""
    index = store.indexing.fresh()
    return {memory.uid: index.short_name(memory) for memory in memories}


def _row(answer: Answer) -> Row:
    parts = {name: float(getattr(answer.why, name)) for name in _PARTS}
    return Row(answer.memory, answer.mine, answer.score, parts)


def _of_person(rows: Sequence[Row], person: str, limit: int) -> Sequence[Row]:
    if not person:
        return rows
    return [row for row in rows if person_of(row.memory.author) == person][:limit]


def _facets(memories: Iterable[Memory]) -> dict[str, Sequence[tuple[str, str, int]]]:
    """Return the most frequent values of what was found: the value, how it reads, how often."""
    kinds: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    paths: Counter[str] = Counter()
    people: Counter[str] = Counter()
    sessions: Counter[str] = Counter()
    names: dict[str, str] = {}
    for memory in memories:
        kinds[memory.kind] += 1
        tags.update([*dict.fromkeys(memory.tags)])
        paths.update([*dict.fromkeys((*memory.files_modified, *memory.files_read))])
        if memory.author:
            person = person_of(memory.author)
            people[person] += 1
            names[person] = memory.author.partition("<")[0].strip() or person
        if memory.session:
            sessions[memory.session] += 1
    counted = {"kind": kinds, "tag": tags, "file": paths, "person": people, "session": sessions}
    return {
        field: [
            (value, names.get(value, value[:8] if field == "session" else value), times)
            for value, times in counter.most_common(_MOST_VALUES)
        ]
        for field, counter in counted.items()
    }
