"""A year of work on a made-up shop: sessions, what is noticed in them, and facts that matter.

Everything derives from one seed. The words are English, the areas have vocabularies of their own,
and what is noticed is mostly junk, as it is in life: what a tool said, what was looked at. Some
bugs come back again and again and are noted each time. A few facts per month matter, and somebody
asks for them later, some often, some only once, months after.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

START = datetime(2025, 1, 6, 9, 0, tzinfo=UTC)
DAYS = 365

AREAS: dict[str, tuple[str, ...]] = {
    "cart": ("basket", "rounding", "totals", "discount", "voucher", "quantity", "checkout"),
    "auth": ("login", "token", "cookie", "password", "session", "refresh", "oauth"),
    "billing": ("invoice", "refund", "ledger", "currency", "tax", "payment", "dunning"),
    "search": ("ranking", "facet", "synonym", "stemming", "suggest", "typo", "relevance"),
    "catalog": ("product", "variant", "price", "stock", "category", "import", "feed"),
    "shipping": ("parcel", "carrier", "label", "address", "pickup", "tracking", "customs"),
    "mail": ("template", "bounce", "newsletter", "queue", "smtp", "unsubscribe", "digest"),
    "admin": ("role", "permission", "audit", "dashboard", "export", "report", "filter"),
    "deploy": ("container", "rollout", "migration", "replica", "probe", "secret", "pipeline"),
    "storage": ("bucket", "thumbnail", "upload", "cdn", "expiry", "checksum", "quota"),
    "mobile": ("gesture", "offline", "push", "deeplink", "layout", "keyboard", "cache"),
    "metrics": ("latency", "histogram", "alert", "sampling", "trace", "counter", "dashboard"),
}
MODULES = ("service", "model", "views", "tasks", "client", "store", "rules", "helpers")
_PARTS = ("parser", "worker", "handler", "adapter", "mapper", "builder", "guard", "loader")
_CAUSES = (
    "a missing index", "a stale cache entry", "a wrong timezone", "an unclosed connection",
    "a float comparison", "a race between two workers", "an empty header", "a retry without limit",
    "a swallowed exception", "an off by one", "a locked row", "a mixed encoding",
)  # fmt: skip
_WHYS = (
    "two workers write at once", "the auditors ask for it", "the old one lost lines in March",
    "support could not explain it to customers", "the vendor bills every call",
    "the tests took forty minutes", "a restart dropped the queue", "nobody could reproduce it",
)  # fmt: skip
_TOOLS = ("Kafka", "Redis", "Celery", "Postgres", "Nginx", "Vault", "Terraform", "Grafana")


class Event(NamedTuple):
    """Something that happens in a session."""

    what: str  # start, prompt, file, capture, fetch, answer, end
    at: datetime
    session: str
    text: str = ""
    path: str = ""
    draft: dict[str, Any] | None = None
    label: str = ""


class Planted(NamedTuple):
    """A fact that matters, and how somebody asks for it."""

    key: str
    question: str
    born: datetime


class Year(NamedTuple):
    """All events in order, and the facts that were planted among them."""

    events: list[Event]
    planted: list[Planted]


def make_year(seed: int = 11, events: int = 20_000, days: int = DAYS) -> Year:
    """The events of one year."""
    maker = _Maker(random.Random(seed))
    per_day = events / days
    day = 0
    while len(maker.events) < events:
        date = START + timedelta(days=day)
        weekend = date.weekday() >= 5
        wanted = per_day * (7 / 5) * (0.0 if weekend else maker.rng.uniform(0.7, 1.3))
        count = max(0, round(wanted / 34.5))
        for number in range(count):
            maker.session(date + timedelta(hours=2.5 * number, minutes=maker.rng.randint(0, 40)))
        day += 1
        if day > days * 2:
            break
    return Year(maker.events, maker.planted)


class _Maker:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.events: list[Event] = []
        self.planted: list[Planted] = []
        self._sessions = 0
        self._serial = 0
        self._bugs: list[tuple[str, str, str, str]] = []
        self._used_names: set[str] = set()

    def session(self, at: datetime) -> None:
        """One session of one area, with an excursion into another."""
        rng = self.rng
        self._sessions += 1
        session = f"s{self._sessions:04}"
        area, other = rng.sample(sorted(AREAS), 2)
        moment = at

        def add(what: str, **more: Any) -> None:
            nonlocal moment
            moment += timedelta(seconds=rng.randint(20, 150))
            self.events.append(Event(what, moment, session, **more))

        add("start")
        for turn in range(rng.randint(5, 7)):
            here = other if turn == 3 else area
            add("prompt", text=self._request(here))
            for _ in range(rng.randint(2, 4)):
                add("file", path=self._path(here))
            for _ in range(rng.randint(0, 2)):
                add("capture", draft=self._junk(here, session), label="junk")
            if rng.random() < 0.18:
                add("capture", draft=self._bug(here, session), label="bug")
            if rng.random() < 0.02:
                draft, planted = self._fact(here, session, moment)
                add("capture", draft=draft, label=planted.key)
                self.planted.append(planted)
            if self.planted and rng.random() < 0.12:
                # Somebody needs what was planted, mostly one of a few that are asked for often.
                asked = rng.choice(self.planted[:: rng.choice((1, 4))] or self.planted)
                add("prompt", text=asked.question, label=asked.key)
                add("answer", label=asked.key)
        add("end")

    def _path(self, area: str) -> str:
        rng = self.rng
        if rng.random() < 0.5:
            return f"src/{area}/{rng.choice(MODULES)}.py"
        return f"src/{area}/{rng.choice(AREAS[area])}_{rng.choice(_PARTS)}.py"

    def _request(self, area: str) -> str:
        rng = self.rng
        word, part = rng.choice(AREAS[area]), rng.choice(_PARTS)
        return rng.choice(
            (
                f"Add a test for the {word} {part} in {area}",
                f"Please clean up the {word} {part}, it is too long",
                f"The {area} page shows a wrong {word}, have a look at the {part}",
                f"Rename the {word} field of the {area} {part}",
                f"Write the {part} for {word} as in the ticket",
            )
        )

    def _junk(self, area: str, session: str) -> dict[str, Any]:
        """What a heuristic keeps although nobody will ever want it."""
        rng = self.rng
        self._serial += 1
        word, part = rng.choice(AREAS[area]), rng.choice(_PARTS)
        path = self._path(area)
        summary, body = rng.choice(
            (
                (
                    f"Ran {area} tests: {rng.randint(20, 400)} passed in {rng.randint(2, 90)} s",
                    f"The {word} {part} was touched before.",
                ),
                (
                    f"Looked at {path} for the {word} {part}",
                    f"It has {rng.randint(40, 900)} lines and imports the {rng.choice(_PARTS)}.",
                ),
                (
                    f"The {word} {part} of {area} logs {rng.randint(2, 90)} warnings on start",
                    f"Seen while the {rng.choice(AREAS[area])} was changed; harmless.",
                ),
                (
                    f"Renamed a variable in the {area} {part} near {word}",
                    f"Line {rng.randint(10, 700)} of {path}.",
                ),
                (
                    f"Installed version {rng.randint(1, 9)}.{rng.randint(0, 30)} for {area} {word}",
                    "The lock file changed.",
                ),
            )
        )
        return {
            "kind": rng.choice(("learnings", "notes", "progress", "learnings")),
            "summary": summary,
            "body": body,
            "files_read": [path],
            "session": session,
            "importance": rng.choice((0.3, 0.3, 0.5)),
            "provenance": {"said_by": "tool", "via": "observation", "hook": "tool-post"},
        }

    def _bug(self, area: str, session: str) -> dict[str, Any]:
        """A bug that comes back: the same again in other words."""
        rng = self.rng
        known = [bug for bug in self._bugs if bug[0] == area]
        if known and rng.random() < 0.75:
            _, word, part, cause = rng.choice(known[-3:])
        else:
            word, part, cause = rng.choice(AREAS[area]), rng.choice(_PARTS), rng.choice(_CAUSES)
            self._bugs.append((area, word, part, cause))
        summary = rng.choice(
            (
                f"The {area} {word} {part} fails because of {cause}",
                f"{cause.capitalize()} makes the {area} {word} {part} fail",
                f"The {word} {part} of {area} fails again: {cause}",
            )
        )
        body = (
            f"The {part} of {word} in {area} breaks because of {cause}. "
            + rng.choice(("Seen in the nightly run.", "Seen by a customer.", "Seen in staging."))
            + f" Restarting the {part} helps for a while."
        )
        return {
            "kind": "solutions",
            "summary": summary,
            "body": body,
            "files_modified": [f"src/{area}/{word}_{part}.py"],
            "session": session,
            "importance": 0.5,
            "observation_type": "bugfix",
            "provenance": {"said_by": "agent", "via": "signal", "hook": "stop"},
        }

    def _name(self) -> str:
        """A word that nothing else has, as real names of things are."""
        rng = self.rng
        syllables = ("bar", "del", "fin", "gor", "kel", "lum", "mor", "nax", "pol", "rin", "sol")
        while True:
            name = "".join(rng.choices(syllables, k=3)).capitalize()
            if name not in self._used_names:
                self._used_names.add(name)
                return name

    def _fact(self, area: str, session: str, at: datetime) -> tuple[dict[str, Any], Planted]:
        """Something that matters: of a permanent kind or not, said by a person or noticed."""
        rng = self.rng
        word, tool, why, name = (
            rng.choice(AREAS[area]), rng.choice(_TOOLS), rng.choice(_WHYS), self._name(),
        )  # fmt: skip
        kind, summary, question = rng.choice(
            (
                (
                    "decisions",
                    f"{name}: the {area} {word} goes through {tool}, not through the database",
                    f"Why did we put the {area} {word} behind {tool}, what was {name}?",
                ),
                (
                    "constraints",
                    f"The {area} {word} must not leave {name} before it is signed",
                    f"What was the rule about {name} and the {area} {word}?",
                ),
                (
                    "runbooks",
                    f"When {name} stalls, drain {tool} and replay the {area} {word}",
                    f"What do we know about {name} when the {area} {word} stalls?",
                ),
                (
                    "learnings",
                    f"{name} drops {area} {word} updates that arrive twice within a second",
                    f"What did we learn about {name} and {area} {word} updates?",
                ),
                (
                    "solutions",
                    f"{name} lost {area} {word} rows until {tool} got one writer per shard",
                    f"How did we fix the lost {area} {word} rows with {name}?",
                ),
            )
        )
        by_person = rng.random() < 0.5
        draft: dict[str, Any] = {
            "kind": kind,
            "summary": summary[:100],
            "body": f"Why: {why}. It concerns {name}, {tool} and the {word} of {area}.",
            "session": session,
            "importance": 0.8,
            "files_modified": [f"src/{area}/{word}_{rng.choice(_PARTS)}.py"],
            "provenance": {
                "said_by": "user" if by_person else "agent",
                "via": "marker" if by_person else "signal",
                "hook": "prompt",
            },
        }
        key = f"planted-{len(self.planted):03}"
        return draft, Planted(key, question, at)


def sessions_of(events: list[Event]) -> Iterator[list[Event]]:
    """The events, session by session."""
    current: list[Event] = []
    for event in events:
        if event.what == "start" and current:
            yield current
            current = []
        current.append(event)
    if current:
        yield current
