"""Nobody crowds others out: not by dates in the future, and not by saying the same many times."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from click.testing import CliRunner

from recollect.api.recollect import Recollect
from recollect.cli import root
from recollect.core.uid import make_uid
from tests.sandbox import Sandbox
from tests.support.agent import Agent

# 2099-06-01, in milliseconds.
FUTURE = 4_084_000_000_000
FORTY = 40
PROMPT = "Why does the order import need a transaction?"
WORDS = [
    *("harbour", "lantern", "pepper", "violin", "meadow", "anchor"),
    *("copper", "saddle", "walnut", "ribbon", "quartz", "falcon"),
]


class Team:
    """Ada, who works, and Mallory, who may push to the hub they share."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        sandbox.make_hub()
        self.repo = sandbox.clone("ada")
        self.store = sandbox.open(self.repo)
        self._their_repo = sandbox.clone("mallory")
        sandbox.git(self._their_repo, "config", "user.name", "Mallory")
        sandbox.git(self._their_repo, "config", "user.email", "mallory@example.com")
        self.theirs = sandbox.open(self._their_repo)

    def receive(self, drafts: Sequence[dict[str, Any]], *, uids_of: int = 0) -> None:
        """Mallory pushes memories, with uids of a time if one is given; Ada syncs."""
        uids = [make_uid(uids_of + n, n) if uids_of else None for n in range(len(drafts))]
        self.theirs.create(
            [self.theirs.prepare(d, uid) for d, uid in zip(drafts, uids, strict=True)]
        )
        self.theirs.sync()
        result = self.store.sync()
        assert len(result.received) == len(drafts)
        self.store.close()

    def agent(self) -> Agent:
        """An agent in Ada's clone."""
        return Agent(self.repo)


@pytest.fixture
def team(sandbox: Sandbox) -> Team:
    """Ada's clone holds what is right; Mallory has sent nothing yet."""
    team = Team(sandbox)
    team.store.capture(
        "learnings", "The order import must run in one transaction", "A crash lost lines."
    )
    team.store.capture("constraints", "Never log the card number")
    team.store.capture("sessions", "Ada finished the invoice export")
    team.store.capture("notes", "The cart rounds half up", files_modified=["src/cart.py"])
    team.store.sync()
    team.theirs.sync()
    return team


def found_first(team: Team, query: str) -> str:
    """What `recollect search` finds first, as its JSON says."""
    done = CliRunner().invoke(root, ["-C", str(team.repo), "search", query, "--json"])
    assert done.exit_code == 0, done.output
    import json

    return str(json.loads(done.stdout)[0]["summary"])


def flood(kind: str, texts: Iterable[str], **fields: Any) -> list[dict[str, Any]]:
    """Drafts of one kind."""
    return [{"kind": kind, "summary": text, **fields} for text in texts]


def distinct(topic: str, count: int) -> list[str]:
    """Texts that share the words of a topic and little else."""
    dice = random.Random(7)
    return [f"{topic} {' '.join(dice.sample(WORDS, 6))}" for _ in range(count)]


@pytest.mark.parametrize("kind", ["constraints", "sessions"])
def test_dates_in_the_future_do_not_take_a_session_start(team: Team, kind: str) -> None:
    """Neither the limits that must be kept nor the last session are pushed out."""
    texts = [f"{word} {other} rules" for word in WORDS for other in WORDS[:4]][:FORTY]
    team.receive(flood(kind, texts, created="2099-06-01T00:00:00Z"), uids_of=FUTURE)

    context = team.agent().context("session-start", source="startup")

    assert "Never log the card number" in context
    assert "Ada finished the invoice export" in context


def test_dates_in_the_future_in_your_own_name_do_not_either(team: Team) -> None:
    """A name in a record is no proof, so that it gives no share."""
    team.sandbox.git(team.theirs.ledger.repository.git.directory, "config", "user.name", "Ada")
    team.sandbox.git(
        team.theirs.ledger.repository.git.directory, "config", "user.email", "ada@example.com"
    )
    team.theirs = team.sandbox.open(team.theirs.ledger.repository.git.directory)
    texts = [f"{word} {other} rules" for word in WORDS for other in WORDS[:4]][:FORTY]
    team.receive(flood("constraints", texts, created="2099-06-01T00:00:00Z"), uids_of=FUTURE)

    assert "Never log the card number" in team.agent().context("session-start", source="startup")


def test_dates_in_the_future_do_not_take_a_file(team: Team) -> None:
    """What is known of a file comes, however many others name it."""
    (team.repo / "src").mkdir()
    (team.repo / "src" / "cart.py").write_text("total = 0\n")
    texts = [f"{word} {other} things" for word in WORDS for other in WORDS[:4]][:FORTY]
    drafts = flood("notes", texts, files_modified=["src/cart.py"], created="2099-06-01T00:00:00Z")
    team.receive(drafts, uids_of=FUTURE)

    context = team.agent().context(
        "tool-post",
        tool_name="Read",
        tool_input={"file_path": str(team.repo / "src" / "cart.py")},
    )

    assert "rounds half up" in context


@pytest.mark.parametrize("count", [FORTY, 300])
@pytest.mark.parametrize("dated", ["", "2099-06-01T00:00:00Z"])
def test_a_topic_that_is_repeated_does_not_hide_the_answer(
    team: Team, dated: str, count: int
) -> None:
    """The same words again and again count once, at the prompt and in a search."""
    more = {"created": dated} if dated else {}
    texts = [f"order import transaction order import transaction {n}" for n in range(count)]
    drafts = flood("notes", texts, body="order import transaction need " * 5, **more)
    team.receive(drafts, uids_of=FUTURE if dated else 0)

    context = team.agent().context("prompt", prompt=PROMPT)

    assert "must run in one transaction" in context
    assert context.count("<memory ") <= 2


def test_a_repeated_topic_is_not_found_first(team: Team) -> None:
    """The memory that answers the question comes before its echo."""
    texts = [f"order import transaction order import transaction {n}" for n in range(FORTY)]
    team.receive(flood("notes", texts))

    assert found_first(team, "order import must run in one transaction") == (
        "The order import must run in one transaction"
    )
    hits = team.store.search("order import transaction", limit=5)
    assert "The order import must run in one transaction" in [h.memory.summary for h in hits]


def test_many_different_notes_of_one_author_leave_room(team: Team) -> None:
    """They do not repeat each other; they have half of the places, and no more."""
    team.receive(flood("notes", distinct("order import transaction need", FORTY)))

    context = team.agent().context("prompt", prompt=PROMPT)
    most = int(team.store.config.number("inject.prompt_memories"))

    assert "must run in one transaction" in context
    assert context.count("<memory ") <= (most + 1) // 2 + 1


def test_hundreds_of_different_notes_leave_room_in_a_search(team: Team) -> None:
    """Also where they fill everything that a search looks at first."""
    team.receive(flood("notes", distinct("order import transaction need", 300)))

    hits = team.store.search("order import transaction", limit=10)

    assert "The order import must run in one transaction" in [h.memory.summary for h in hits]


def test_a_flood_of_today_leaves_room_at_the_start_and_for_a_file(team: Team) -> None:
    """Also without a false date, what one author wrote last is not all that there is."""
    (team.repo / "src").mkdir()
    (team.repo / "src" / "cart.py").write_text("total = 0\n")
    texts = distinct("rule of the house", FORTY)
    team.receive(
        [
            *flood("constraints", texts),
            *flood("notes", texts, files_modified=["src/cart.py"]),
        ]
    )
    agent = team.agent()

    start = agent.context("session-start", source="startup")
    file = agent.context(
        "tool-post",
        tool_name="Read",
        tool_input={"file_path": str(team.repo / "src" / "cart.py")},
    )

    assert "Never log the card number" in start
    assert "rounds half up" in file


def test_one_long_memory_does_not_take_all_the_room(team: Team) -> None:
    """The share holds for the text as well as for the number of memories."""
    body = " ".join(f"{a}{b}" for a in WORDS for b in WORDS)
    team.receive(flood("blockers", [f"Wait for {word}" for word in WORDS[:5]], body=body))

    assert "Never log the card number" in team.agent().context("session-start", source="startup")


# Twins: what must stay as it was


def one_author(store: Recollect) -> None:
    """An ordinary store: different notes, and some that are close to each other."""
    store.capture_many(
        [
            *flood("notes", [f"The {word} service listens on port {4000 + n}" for n, word in
                             enumerate(WORDS)]),
            *flood("constraints", [f"Never restart {word} by day" for word in WORDS[:8]]),
            *flood("decisions", distinct("We decided to keep", 10)),
        ]
    )  # fmt: skip


def test_one_author_alone_keeps_all_places(sandbox: Sandbox) -> None:
    """With nobody else there is nobody to leave room for."""
    repo = sandbox.init("alone")
    sandbox.commit(repo)
    store = sandbox.open(repo)
    one_author(store)
    store.close()

    start = Agent(repo).context("session-start", source="startup")

    assert sum(f"Never restart {word} by day" in start for word in WORDS[:8]) >= 4
    hits = store.search("Which service listens on which port?", limit=10)
    assert len(hits) == 10
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_a_repeated_memory_is_still_found(sandbox: Sandbox) -> None:
    """What says the same as a better one comes later, and is not hidden where there is room."""
    repo = sandbox.init("alone")
    store = sandbox.open(repo)
    for n in range(4):
        store.capture("notes", f"The cart total rounds half up {n}")
    store.capture("notes", "The cart is emptied at midnight")

    hits = store.search("cart total rounds half up", limit=10)
    everything = store.search("cart total rounds half up", limit=10, weaker=True)

    assert len(hits) == 4
    assert len(everything) == 5


def test_two_who_write_little_get_all_of_it(team: Team) -> None:
    """The share takes nothing where there are places left for everybody."""
    team.receive(flood("learnings", ["The order import needs a transaction log table"]))

    context = team.agent().context("prompt", prompt=PROMPT)

    assert "must run in one transaction" in context
    assert "transaction log table" in context


def test_your_own_memories_take_what_nobody_else_needs(team: Team) -> None:
    """One weak memory of a colleague does not cost you places."""
    for n in range(4):
        text = " ".join(WORDS[3 * n : 3 * n + 3])
        team.store.capture("notes", f"order import transaction need {text}")
    team.receive(flood("learnings", ["An order import needs a transaction"]))

    context = team.agent().context("prompt", prompt=PROMPT)

    assert context.count("<memory ") == int(team.store.config.number("inject.prompt_memories"))


def test_a_date_in_the_future_reads_as_now(team: Team) -> None:
    """Where an age is shown, and on the timeline."""
    draft = flood("notes", ["The tram stops at noon"], created="2099-06-01T00:00:00Z")
    team.receive(draft, uids_of=FUTURE)
    run = CliRunner()

    timeline = run.invoke(root, ["-C", str(team.repo), "timeline"]).output
    (found,) = team.store.search("tram noon", limit=1)

    assert "2099" not in timeline
    assert "The tram stops at noon" in timeline
    assert found.why.recency == 1.0
