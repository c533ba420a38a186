"""Lives through a year of events with the real hooks' pipelines, with sleep or without."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import recollect
from benchmarks.sleep.year import Event, Planted, Year, sessions_of
from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.hooks.pipeline import Work, run
from recollect.hooks.pipelines import PIPELINES
from recollect.hooks.session import HookSession
from recollect.hosts import protocol as events
from recollect.hosts.protocol import Event as HookEvent
from recollect.index.protocol import ALL, Filters
from recollect.ledger.ledger import Changes, Cursor, Ledger
from recollect.ledger.transaction import Transaction
from recollect.sleep.run import sleep_if_due

T = TypeVar("T")
PROBE = "probe"


class Month(NamedTuple):
    """One month of one arm."""

    month: str
    sessions: int
    visible: int
    visible_junk: float
    tokens_per_session: float
    # Of these, at the start of a session, for prompts, and for files.
    tokens_by_event: Mapping[str, float]
    injected: int
    injected_junk: float
    recall_by_prompt: float
    recall_by_search: float
    # With the archive, as `recollect search --status all` does.
    recall_by_search_of_all: float


class Outcome(NamedTuple):
    """What became of a year."""

    months: list[Month]
    memories: int
    visible: int
    merged: int
    archived: int
    retired: int
    planted: int
    lost: list[str]
    sleeps: int


class QuietLedger(Ledger):
    """A ledger that nobody else writes: it need not ask git each time whether something moved."""

    _seen: Cursor | None = None

    def transact(self, edit: Callable[[Transaction], T], reason: str) -> T:
        """Write, and look again afterwards."""
        self._seen = None
        return super().transact(edit, reason)

    def changes(self, cursor: Cursor) -> Changes:
        """What is new; nothing, where nothing was written."""
        if self._seen is not None and self._seen == cursor:
            return Changes((), cursor)
        changes = super().changes(cursor)
        self._seen = changes.cursor
        return changes


class Life:
    """One arm of the experiment: a repository that lives through the events."""

    def __init__(self, folder: Path, *, sleeping: bool) -> None:
        folder.mkdir(parents=True)
        _git(folder, "init", "--quiet", "--initial-branch=main")
        (folder / ".recollect.toml").write_text(f"[sleep]\nenabled = {str(sleeping).lower()}\n")
        self.folder = folder
        self.sleeping = sleeping
        store = recollect.open(folder)
        self.now = datetime.fromtimestamp(0)
        quiet = QuietLedger(
            store.ledger.repository, lambda: self.now, 30.0, "Sim <sim@example.com>"
        )
        self.store = Recollect(quiet, store.config)
        self.labels: dict[str, str] = {}
        self.originals: dict[str, Memory] = {}
        self.uids: dict[str, str] = {}
        self.sleeps = 0

    def live(self, year: Year, progress: Callable[[str], None]) -> Outcome:
        """All the events of the year, and what they led to."""
        months: list[Month] = []
        tally = _Tally()
        for session in sessions_of(year.events):
            month = f"{session[0].at:%Y-%m}"
            if tally.month and month != tally.month:
                months.append(self._close_month(tally, year.planted))
                progress(f"{months[-1]}")
                tally = _Tally()
            tally.month = month
            self._session(session, tally, {p.key: p for p in year.planted})
        months.append(self._close_month(tally, year.planted))
        return self._outcome(months, year)

    def _session(
        self, session: Sequence[Event], tally: _Tally, planted: Mapping[str, Planted]
    ) -> None:
        tally.sessions += 1
        drafts: list[tuple[dict[str, Any], str]] = []
        for event in session:
            self.now = event.at
            if event.what == "start" and self.sleeping:
                # As the MCP process does when it is idle; a hook would do it for few memories only.
                self.now = event.at - timedelta(minutes=5)
                self.sleeps += sleep_if_due(self.store) is not None
                self.now = event.at
            if event.what == "capture" and event.draft is not None:
                stamp = event.at.strftime("%Y-%m-%dT%H:%M:%SZ")
                drafts.append(({**event.draft, "created": stamp, "at": None}, event.label))
            elif event.what == "answer":
                self._answer(planted[event.label], event)
            else:
                self._hook(event, tally)
        for memory, (_, label) in zip(
            self.store.capture_many([draft for draft, _ in drafts]), drafts, strict=True
        ):
            self.labels[memory.uid] = label
            if label.startswith("planted"):
                self.uids[label] = memory.uid
                self.originals[memory.uid] = self.store.get(memory.uid)

    def _hook(self, event: Event, tally: _Tally) -> None:
        name = {
            "start": events.SESSION_START,
            "prompt": events.PROMPT,
            "file": events.TOOL_POST,
            "end": events.SESSION_END,
        }[event.what]
        work = self._run(
            HookEvent(
                name,
                session=event.session,
                directory=str(self.folder),
                source="startup" if event.what == "start" else "",
                text=event.text,
                tool="Read" if event.path else "",
                files=(str(self.folder / event.path),) if event.path else (),
            )
        )
        for line in work.trace:
            if line["what"] == "injected":
                tally.tokens[event.what] += line["tokens"]
                for given in line["memories"]:
                    tally.injected += 1
                    tally.junk += self._is_junk(given["uid"])

    def _run(self, event: HookEvent) -> Work:
        work = Work(event, HookSession(self.store, None, event))
        run([part for part in PIPELINES[event.name] if part], work)
        if work.failures:
            raise work.failures[0]
        return work

    def _answer(self, planted: Planted, event: Event) -> None:
        """The agent answers: with what it was given, else with what it looks up."""
        uid = self.uids.get(planted.key)
        if uid is None:
            return
        given = self.store.local.sessions.given(event.session)
        known = self._standing_for(uid) & given.keys()
        if known:
            (memory,) = self.store.indexing.fresh().get_many([sorted(known)[0]])
            text = f"As it is remembered: {memory.summary}."
            self._run(
                HookEvent(events.STOP, session=event.session, directory=str(self.folder), text=text)
            )
            return
        hits = self.store.search(planted.question, 5, mode="text")
        found = [hit.memory for hit in hits if hit.memory.uid in self._standing_for(uid)]
        self.store.used(found[:1])

    def _standing_for(self, uid: str) -> set[str]:
        """The memory itself, and what it was merged into."""
        return {uid} | {memory.uid for memory in self.store.indexing.fresh().relating([uid])}

    def _is_junk(self, uid: str) -> bool:
        label = self.labels.get(uid)
        if label is None:
            found = self.store.indexing.fresh().get_many([uid])
            sources = found[0].relates_to if found else ()
            label = "junk" if all(self.labels.get(s) == "junk" for s in sources) else "merged"
            self.labels[uid] = label
        return label == "junk"

    def _close_month(self, tally: _Tally, planted: Sequence[Planted]) -> Month:
        visible = self.store.indexing.fresh().select(Filters())
        by_prompt, by_search, of_all = self.probe([p for p in planted if p.key in self.uids])
        return Month(
            month=tally.month,
            sessions=tally.sessions,
            visible=len(visible),
            visible_junk=_share(sum(self._is_junk(m.uid) for m in visible), len(visible)),
            tokens_per_session=_share(sum(tally.tokens.values()), tally.sessions),
            tokens_by_event={w: _share(n, tally.sessions) for w, n in tally.tokens.items()},
            injected=tally.injected,
            injected_junk=_share(tally.junk, tally.injected),
            recall_by_prompt=by_prompt,
            recall_by_search=by_search,
            recall_by_search_of_all=of_all,
        )

    def probe(self, planted: Sequence[Planted]) -> tuple[float, float, float]:
        """How many planted facts a question brings: in a new session, by search, by all of it.

        Whatever asking leaves behind is taken back, so that it does not change the experiment.
        """
        by_prompt = by_search = of_all = 0
        for fact in planted:
            wanted = self._standing_for(self.uids[fact.key])
            with self._unnoticed():
                work = self._run(
                    HookEvent(
                        events.PROMPT,
                        session=PROBE,
                        directory=str(self.folder),
                        text=fact.question,
                    )
                )
                given = {
                    m["uid"]
                    for li in work.trace
                    if li["what"] == "injected"
                    for m in li["memories"]
                }
                by_prompt += bool(given & wanted)
                hits = self.store.search(fact.question, 5, mode="text")
                by_search += any(hit.memory.uid in wanted for hit in hits)
                hits = self.store.search(fact.question, 5, mode="text", status="all")
                of_all += any(hit.memory.uid in wanted for hit in hits)
        count = len(planted)
        return _share(by_prompt, count), _share(by_search, count), _share(of_all, count)

    @contextmanager
    def _unnoticed(self) -> Iterator[None]:
        db = self.store.local._opened()
        db.execute("SAVEPOINT unnoticed")
        try:
            yield
        finally:
            db.execute("ROLLBACK TO unnoticed; RELEASE unnoticed")

    def _outcome(self, months: list[Month], year: Year) -> Outcome:
        everything = {m.uid: m for m in self.store.indexing.fresh().select(Filters(statuses=ALL))}
        statuses = Counter(m.status for m in everything.values())
        lost = [
            key
            for key, uid in self.uids.items()
            if uid not in everything
            or everything[uid].body != self.originals[uid].body
            or everything[uid].summary != self.originals[uid].summary
        ]
        return Outcome(
            months=months,
            memories=len(everything),
            visible=statuses["active"] + statuses["resolved"],
            merged=sum(m.provenance.get("via") == "sleep" for m in everything.values()),
            archived=statuses["archived"],
            retired=statuses["retired"],
            planted=len(year.planted),
            lost=lost,
            sleeps=self.sleeps,
        )


class _Tally:
    """What is counted in a month."""

    def __init__(self) -> None:
        self.month = ""
        self.sessions = self.injected = self.junk = 0
        self.tokens: Counter[str] = Counter()


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _git(folder: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True)
