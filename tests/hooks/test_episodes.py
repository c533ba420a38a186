"""What a session is at, what helped in it, and what sleep does between two of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.strength import Uses
from recollect.hooks import stages
from recollect.hooks.pipeline import Work, run
from recollect.hooks.pipelines import LATE, PIPELINES
from recollect.hooks.session import HookSession
from recollect.hosts.protocol import Event
from recollect.search.selection import (
    Candidate,
    Episode,
    belongs_to,
    pick_by_age,
    scale_of,
)
from recollect.sleep.run import sleep, sleep_lock
from tests.sandbox import Sandbox
from tests.support.dated import capture

NOW = datetime(2026, 8, 1, 12, 0, tzinfo=UTC)
MINUTE = 60.0


class Desk:
    """An agent at work, with a clock that can be set."""

    def __init__(self, store: Recollect, repo: Path) -> None:
        self.store = store
        self.repo = repo
        self.now = NOW
        store.ledger.clock = lambda: self.now

    def event(self, name: str, session: str = "s1", **fields: Any) -> Work:
        """What happens at an event."""
        event = Event(name, session=session, directory=str(self.repo), **fields)
        work = Work(event, HookSession(self.store, None, event))
        run(PIPELINES[name], work)
        run(LATE.get(name, ()), work)
        assert work.failures == []
        return work

    def read(self, *paths: str) -> list[Work]:
        """Read files, one after the other, a minute apart."""
        done = []
        for path in paths:
            self.now += timedelta(minutes=1)
            done.append(self.event("tool-post", tool="Read", files=(str(self.repo / path),)))
        return done

    def given(self, work: Work) -> str:
        """What the agent gets to read."""
        return "\n".join(work.reply.context)


@pytest.fixture
def desk(sandbox: Sandbox) -> Desk:
    """A desk in a repository."""
    sandbox.make_hub()
    repo = sandbox.clone("ada")
    return Desk(sandbox.open(repo), repo)


CART = [f"src/shop/cart/{name}.py" for name in ("sum", "tax", "row", "sum")]
LOGIN = [f"src/auth/login/{name}.py" for name in ("view", "form", "mail", "view")]


def test_turning_to_something_else_is_a_boundary(desk: Desk) -> None:
    """It is kept as a local fact, with its time and what the new episode is about."""
    desk.event("session-start", source="startup")
    done = desk.read(*CART, *LOGIN)

    assert [line["what"] for work in done for line in work.trace if "episode" in line["what"]] == [
        "a new episode begins"
    ]
    ((fact, _),) = desk.store.query_facts("session:s1")
    assert (fact.subject, fact.predicate) == ("session:s1", "boundary_at")
    assert fact.object == f"{desk.now:%Y-%m-%dT%H:%M:%SZ} auth login view"
    assert desk.store.query_facts(predicate="boundary at") == [(fact, 1)]
    assert desk.store.query_facts("session:s2") == []
    assert desk.store.query_facts() == []  # only if somebody asks for them
    assert desk.store.local.episodes.began("s1") == desk.now.timestamp()
    # The same again is no other boundary.
    desk.read(*LOGIN, *LOGIN)
    assert len(desk.store.local.episodes.boundaries("s1")) == 1


def test_sessions_do_not_mix(desk: Desk) -> None:
    """Two agents at once each have their own course."""
    desk.event("session-start", source="startup")
    for cart, login in zip(CART, LOGIN, strict=True):
        desk.read(cart)
        desk.event("tool-post", session="s2", tool="Read", files=(str(desk.repo / login),))

    assert desk.store.local.episodes.boundaries("s1") == []
    assert desk.store.local.episodes.boundaries("s2") == []


def _memory(age: float, session: str = "s1") -> Memory:
    born = datetime.fromtimestamp(NOW.timestamp() - age, tz=UTC)
    stamp = born.strftime("%Y-%m-%dT%H:%M:%SZ")
    return Memory(f"u{age}", "notes:abc:0", "notes", f"n{age}", session=session, created=stamp)


def test_an_earlier_episode_is_not_what_is_being_done_now() -> None:
    """Two minutes old, but before the boundary: it counts with what the session did."""
    now = NOW.timestamp()
    episode = Episode("s1", began=now - MINUTE)
    young = _memory(2 * MINUTE)

    assert scale_of(young, now, Episode("s1"), {}) == 0
    assert scale_of(young, now, episode, {}) == 2
    assert scale_of(_memory(2 * MINUTE, "s2"), now, episode, {}) == 0
    assert belongs_to(_memory(30.0), episode)
    assert not belongs_to(young, episode)


def test_each_use_takes_a_memory_one_scale_further() -> None:
    """What proves durable becomes knowledge of the project."""
    memory = _memory(60.0)
    scales = [
        scale_of(memory, NOW.timestamp(), Episode("s1"), {memory.uid: Uses(times, 0.0)})
        for times in range(5)
    ]

    assert scales == [0, 1, 2, 3, 3]


def test_durable_memories_share_the_project_s_place() -> None:
    """Five of the last minutes: one stays, the durable one comes too."""
    young = [_memory(60.0 + n) for n in range(5)]
    old = [_memory(1e7 + n) for n in range(5)]
    candidates = [Candidate(m, 1.0 - n / 100, "") for n, m in enumerate((*old, *young))]
    uses = {young[4].uid: Uses(3, 0.0)}

    chosen, _ = pick_by_age(candidates, 3, NOW.timestamp(), Episode("s1"), uses)

    assert [c.memory.uid for c in chosen] == [old[0].uid, old[1].uid, young[0].uid]


def test_a_resumed_session_continues_where_it_was(desk: Desk) -> None:
    """A night in between does not make an hour-old memory a day old, for its session."""
    desk.event("session-start", source="startup")
    desk.read(*CART)
    (memory,) = desk.store.capture_many(
        [{"kind": "notes", "summary": "The row is the culprit", "session": "s1",
          "created": desk.now.strftime("%Y-%m-%dT%H:%M:%SZ")}]
    )  # fmt: skip
    desk.now += timedelta(minutes=1)
    desk.event("session-end", source="other")
    desk.now += timedelta(hours=15)

    def scale(session: str) -> int:
        event = Event("prompt", session=session, directory=str(desk.repo))
        opened = HookSession(desk.store, None, event)
        return scale_of(memory, desk.now.timestamp(), opened.current_episode(), {})

    assert scale("s1") == 3
    desk.event("session-start", source="resume")
    assert scale("s1") == 0
    assert scale("s2") == 3
    # And the windows of what was touched are still there.
    desk.read(*LOGIN)
    assert len(desk.store.local.episodes.boundaries("s1")) == 1


def test_what_comes_back_in_an_answer_helped(desk: Desk) -> None:
    """Once for a context, and not for what the agent was never given."""
    (rounding, _) = desk.store.capture_many(
        [
            {"kind": "learnings", "summary": "The cart rounds half up in every currency"},
            {"kind": "learnings", "summary": "Deploys happen on Tuesdays after lunch"},
        ]
    )
    desk.event("prompt", text="How does the cart round half amounts of a currency?")
    said = "The cart rounds half up, in every currency. Deploys happen on Tuesdays after lunch."
    first = desk.event("stop", text=said)
    desk.event("stop", text=said)

    assert {"what": "cited", "uids": [rounding.uid]} in first.trace
    uses = desk.store.local.usage.uses()
    assert {uid: used.times for uid, used in uses.items()} == {rounding.uid: 1}


def test_two_words_are_enough_in_one_sentence(desk: Desk) -> None:
    """A summary may have no more; far apart they are nobody's words."""
    (orchid,) = desk.store.capture_many(
        [
            {
                "kind": "learnings",
                "summary": "Deploy with orchid",
                "body": "The blue script forgets the assets.",
            }
        ]
    )
    desk.event("prompt", text="How do we deploy: by the blue script, or with orchid?")

    desk.event("stop", text="I deploy it now. The flower in the hall is an orchid.")
    assert desk.store.local.usage.uses() == {}
    desk.event("stop", text="Done. To deploy it I used orchid.")

    assert desk.store.local.usage.uses().keys() == {orchid.uid}


def test_what_the_agent_keeps_itself_it_does_not_cite(desk: Desk) -> None:
    """To say something for the first time is not to make use of it."""
    text = "[remember:notes] The cart rounds half up in every currency"
    desk.event("stop", text=text)

    assert desk.store.local.usage.uses() == {}


def test_a_question_for_what_is_remembered_looks_into_the_archive(desk: Desk) -> None:
    """Only if nothing else answers; and what helped from there comes back."""
    old = (NOW - timedelta(days=120)).strftime("%Y-%m-%dT%H:%M:%SZ")
    (memory,) = capture(
        desk.store,
        [{"kind": "learnings", "summary": "Barnax drops updates within a second", "created": old}],
    )
    sleep(desk.store)
    assert desk.store.get(memory.uid).status == "archived"

    plain = desk.event("prompt", text="Barnax updates within a second of each other are slow")
    asked = desk.event("prompt", text="What did we learn about Barnax updates within a second?")

    assert desk.given(plain) == ""
    assert 'status="archived"' in desk.given(asked)
    desk.now += timedelta(minutes=1)
    desk.event("stop", text="As noted, Barnax drops updates that come within a second.")
    sleep(desk.store)
    assert desk.store.get(memory.uid).status == "active"


def test_the_next_session_sleeps(desk: Desk) -> None:
    """After an end mark, at the start; then not again."""
    old = (NOW - timedelta(days=120)).strftime("%Y-%m-%dT%H:%M:%SZ")
    capture(desk.store, [{"kind": "notes", "summary": "Long ago", "created": old}])
    first = desk.event("session-start", session="s2", source="startup")
    again = desk.event("session-start", session="s3", source="startup")
    desk.now += timedelta(minutes=1)
    desk.event("session-end", session="s3", source="other")
    desk.now += timedelta(minutes=1)
    after = desk.event("session-start", session="s4", source="startup")

    def slept(work: Work) -> list[dict[str, Any]]:
        return [line for line in work.trace if line["what"] == "slept"]

    assert slept(first) == [{"what": "slept", "merged": 0, "steps": 1}]
    assert slept(again) == []
    assert slept(after) == [{"what": "slept", "merged": 0, "steps": 0}]


def test_sleep_can_be_switched_off(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is done by itself."""
    monkeypatch.setenv("RECOLLECT_SLEEP_ENABLED", "false")
    off = Desk(type(desk.store)(desk.store.ledger, _config(desk.repo)), desk.repo)

    assert not [
        line
        for line in off.event("session-start", source="startup").trace
        if line["what"] == "slept"
    ]


def _config(repo: Path) -> Any:
    from recollect.config.config import load_config

    return load_config(repo)


def test_no_secret_of_a_tool_call_is_in_the_state(desk: Desk, sandbox: Sandbox) -> None:
    """Neither of a path, which is redacted before it is taken apart, nor of a command."""
    desk.event("session-start", source="startup")
    desk.read(*CART)
    for number in range(4):
        desk.event("tool-post", tool="Bash", command="mysql -p <<EOF\nhunter2hunter2\nEOF")
        desk.read(f"keys{number}/AKIAIOSFODNN7EXAMPLQ.json")

    ((_, context),) = desk.store.local.episodes.boundaries("s1")
    assert "keys1" in context.split()
    state = sandbox.state_bytes(desk.repo).lower()
    assert b"hunter2" not in state
    assert b"akiaio" not in state


def test_hashes_of_words_differ_from_repository_to_repository(sandbox: Sandbox) -> None:
    """Who guesses a word cannot check it against a table."""
    sandbox.make_hub()
    found = []
    for name in ("ada", "bob"):
        repo = sandbox.clone(name)
        desk = Desk(sandbox.open(repo), repo)
        desk.read("cart/sum.py")
        (words,) = desk.store.local.episodes.recent("s1")
        found.append(words)

    assert len(found[0]) == len(found[1]) > 0
    assert not found[0] & found[1]


def test_a_sleep_that_could_not_finish_is_put_off(desk: Desk) -> None:
    """Not every start pays for it again; after an hour it is tried once more."""
    capture(desk.store, [{"kind": "notes", "summary": "Anything"}])
    with sleep_lock(desk.store):  # somebody else looks after them
        desk.event("session-start", session="s1", source="startup")
    desk.now += timedelta(minutes=5)
    soon = desk.event("session-start", session="s2", source="startup")
    desk.now += timedelta(hours=1)
    later = desk.event("session-start", session="s3", source="startup")

    assert "sleep postponed" in {line["what"] for line in soon.trace}
    assert "slept" in {line["what"] for line in later.trace}


def test_nobody_waits_for_sleep_or_the_mirror() -> None:
    """They come when the reply has been given."""
    before = {stage for parts in PIPELINES.values() for part in parts for stage in part}
    after = {stage for parts in LATE.values() for part in parts for stage in part}

    assert {stages.sleep, stages.update_mirror} <= after
    assert not before & {stages.sleep, stages.update_mirror}
