"""The newest word of a person on a matter is what the agent gets, and what it replaces is not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.capture import unconfirmed
from recollect.capture.novelty import SUPERSEDES, Known, judge
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.embedding import Embedder, open_embedder
from recollect.engine.stores import StorePool
from tests.sandbox import Sandbox
from tests.support.serving import Talk

HOUR = 3_600_000
# Who said the old one, the old one, the new one, a question, and a word of the new one alone.
REVERSALS = {
    "format": (
        "user",
        "Let's go with YAML for the config files, because people know it.",
        "Change of plan: TOML instead of YAML for the config files, because YAML needs a"
        " dependency.",
        "Which format do config files have?",
        "TOML",
    ),
    "exception": (
        "agent",
        "I decided to raise `BadPayload` when the limit is exceeded, since callers already catch"
        " it.",
        "Morning. I slept on it: we won't raise BadPayload after all. The limit gets its own"
        " exception, PayloadTooLarge(BadData), because callers must be able to tell the two apart.",
        "Which exception is raised for a payload over the limit?",
        "PayloadTooLarge",
    ),
    "digest": (
        "agent",
        "I decided to use SHA-256 as the default digest of the signer, since it is fast"
        " everywhere.",
        "I slept on it: we won't use SHA-256 after all. The default digest becomes SHA-512, because"
        " the other services use that.",
        "Which digest does the signer use by default?",
        "SHA-512",
    ),
    "limiter": (
        "user",
        "We'll use Redis for the rate limiter, because it expires keys by itself.",
        "Forget Redis, we're using Memcached for the rate limiter, because ops already runs it.",
        "What do we use for the rate limiter?",
        "Memcached",
    ),
    "day": (
        "user",
        "Let's deploy on Fridays at noon, because traffic is low then.",
        "We changed our minds: deploy on Tuesdays, not Fridays, because nobody wants to fix things"
        " at the weekend.",
        "When do we deploy?",
        "Tuesdays",
    ),
    "asked to remember": (
        "user",
        "Let's deploy on Fridays at noon, because traffic is low then.",
        "Remember that we deploy on Tuesdays now, not on Fridays.",
        "When do we deploy?",
        "Tuesdays",
    ),
    "version": (
        "user",
        "We decided to support Python 3.9 and newer.",
        "We decided to drop Python 3.9; 3.10 is the minimum now.",
        "Which Python versions do we support?",
        "3.10",
    ),
    "jobs": (
        "user",
        "We decided to run the background jobs with Celery, because the team knows it.",
        "We decided to switch the background jobs from Celery to Dramatiq, because Celery loses"
        " tasks.",
        "What runs the background jobs?",
        "Dramatiq",
    ),
    "what comes instead is in the next sentence": (
        "user",
        "We decided to keep the signing keys in Redis.",
        "We won't keep the signing keys in Redis after all. They move to Postgres, because Redis"
        " loses them on restart.",
        "Where do we keep the signing keys?",
        "Postgres",
    ),
    "no word of denial": (
        "user",
        "We decided that orders go into Postgres, because PostGIS does the zones.",
        "Actually, Postgres is overkill for us, let's use SQLite after all. SpatiaLite can do the"
        " zones.",
        "Which database do orders go to?",
        "SQLite",
    ),
    "another number, which no sentence alone is noticed for": (
        "user",
        "We decided to keep 14 daily backups and 6 monthly backups.",
        "disk full. 14 daily backups → 10. monthly stays",
        "How many daily backups do we keep?",
        "10",
    ),
    "formatter": (
        "user",
        "We decided to format the code with black.",
        "From now on we format the code with ruff, no longer with black.",
        "What do we format the code with?",
        "ruff",
    ),
}


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """The model that is installed by default."""
    found = open_embedder("default", threads=1)
    assert found is not None
    return found


@pytest.fixture(params=["without an engine", "with an engine"])
def pool(request: pytest.FixtureRequest) -> Iterator[StorePool | None]:
    """The stores of an engine that has loaded its model, or none."""
    if request.param == "without an engine":
        yield None
        return
    pool = StorePool()
    pool.share_embedder(request.getfixturevalue("embedder"))
    yield pool
    pool.close()


class Days:
    """Sessions one after the other, an hour apart."""

    def __init__(self, repo: Path, pool: StorePool | None = None) -> None:
        self._repo, self._pool = repo, pool
        self._moment = int(time.time() * 1000) - 5 * HOUR

    def begin(self, name: str) -> tuple[Talk, str]:
        """A new session, and what it starts with."""
        self._moment += HOUR
        talk = Talk(self._repo, name, self._moment, pool=self._pool)
        return talk, talk.context("session-start", source="startup")

    def say(self, name: str, text: str, who: str = "user") -> None:
        """A session in which somebody says something."""
        talk, _ = self.begin(name)
        talk.say(text if who == "user" else "Go on.")
        talk.hook("stop", last_assistant_message=text if who == "agent" else "Done.")
        talk.hook("session-end", reason="exit")

    def ask(self, question: str) -> str:
        """All that the agent of a new session gets until it answers a question."""
        talk, start = self.begin("asking")
        return start + talk.context("prompt", prompt=question)


def found(store: Recollect, text: str) -> list[str]:
    """The summaries that a search gives, best first."""
    return [answer.memory.summary for answer in store.search(text)]


@pytest.mark.parametrize("name", REVERSALS)
def test_a_later_session_gets_the_newest_word(
    repo: Path, store: Recollect, pool: StorePool | None, name: str
) -> None:
    """In full or as a title, and nothing that it reversed."""
    who, old, new, question, word = REVERSALS[name]
    days = Days(repo, pool)
    days.say("first", old, who)
    (before,) = store.memories(status="unconfirmed")

    days.say("second", new)
    given = days.ask(question)

    assert word in given
    assert before.summary not in given
    assert any(
        word in store.get(a.memory.uid).summary + a.memory.text
        for a in store.search(question, weaker=True)
    )
    assert before.summary not in found(store, question)
    replaced = store.get(before.uid)
    assert replaced.status == "retired"
    assert str(replaced.status_reason).startswith("superseded by ")
    assert store.set_status(before.uid, "restored").status == "unconfirmed"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "We decided to use Redis for the sessions, because it is fast.",
            "We decided to use Memcached for the cache, because ops already runs it.",
        ),
        (
            "We decided to use Redis for the sessions, because it is fast.",
            "We decided to use Memcached instead of Redis for the cache, because ops runs it.",
        ),
        (
            "We decided to deploy the shop on Fridays, because traffic is low then.",
            "We decided to deploy the docs on Tuesdays, not on Fridays, because Ada is there.",
        ),
        (
            "We decided that the nightly invoice job runs at 2 am, because nobody is online then.",
            "We decided that the invoice job writes a log, because support asks for it again.",
        ),
    ],
)
def test_another_matter_reverses_nothing(repo: Path, store: Recollect, old: str, new: str) -> None:
    """Both stay, though the words are alike."""
    days = Days(repo)
    days.say("first", old)
    days.say("second", new)

    waiting = [memory.summary for memory in store.memories(status="unconfirmed")]

    assert sorted(waiting) == sorted([old, new])


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("We deploy on Fridays at noon", "We deploy on Tuesdays now", True),
        ("The minimum is Python 3.9", "The minimum is Python 3.10, not 3.9", True),
        ("We cache pages in Redis", "We no longer cache pages in Redis", True),
        ("Keep the signing keys in Redis", "We won't keep the signing keys in Redis", True),
        ("Use Redis for the user cache", "Memcached instead of Redis for the page cache", False),
        ("Use Redis for the rate limiter", "Don't use Redis in the tests", False),
        ("We deploy on Fridays at noon", "We deploy the docs now", False),
        ("Never use Redis", "We won't use Redis after all", False),
        ("Tabs, not spaces", "Use tabs, not spaces", False),
    ],
)
def test_what_reverses_what(old: str, new: str, expected: bool) -> None:
    """The old choice is denied, or its place is filled, and the matter is the same."""
    assert (judge(new, [Known("old", old)]).verdict == SUPERSEDES) is expected


CHOSEN = "Use Redis for the rate limiter"
REVERSED = "Forget Redis, we're using Memcached for the rate limiter, because ops already runs it."
ASKED = "What do we use for the rate limiter?"


def test_a_confirmed_memory_stays_and_the_newer_one_comes(repo: Path, store: Recollect) -> None:
    """The newer one was only noticed: it changes nothing, but it is the newest word."""
    old = store.capture("decisions", CHOSEN)
    days = Days(repo)
    days.say("second", REVERSED)

    given = days.ask(ASKED)

    assert store.get(old.uid).status == "active"
    assert "Memcached" in given
    assert f'instead-of="{CHOSEN}"' in given
    assert f"> {CHOSEN}" not in given
    answers = store.search(ASKED)
    assert [answer.memory.summary for answer in answers] == [REVERSED, CHOSEN]
    assert [bool(answer.replaced_by) for answer in answers] == [False, True]
    steps = [step for trace in store.local.sessions.traces(5, "asking") for step in trace.steps]
    reasons = [step["reason"] for step in steps if old.uid in step.get("uids", ())]
    assert any(reason.startswith("replaced by ") for reason in reasons)


def test_a_rejected_reversal_brings_the_old_one_back(repo: Path, store: Recollect) -> None:
    """Both are local, and nothing is lost."""
    days = Days(repo)
    days.say("first", "We'll use Redis for the rate limiter, because it expires keys by itself.")
    (old,) = store.memories(status="unconfirmed")
    days.say("second", REVERSED)
    (new,) = store.memories(status="unconfirmed")

    unconfirmed.reject(store, [new])

    assert [memory.uid for memory in store.memories(status="unconfirmed")] == [old.uid]


def test_an_agent_does_not_overrule_a_person(repo: Path, store: Recollect) -> None:
    """Only the person can change what they decided."""
    days = Days(repo)
    days.say("first", "We'll use Redis for the rate limiter, because it expires keys by itself.")
    (old,) = store.memories(status="unconfirmed")

    days.say("second", "I decided to use Memcached instead of Redis for the rate limiter.", "agent")

    assert store.get(old.uid).status == "unconfirmed"


def claim(store: Recollect, old: Memory) -> Memory:
    """A memory that says it reverses another one."""
    return store.capture(
        "decisions",
        "Memcached for the rate limiter, not Redis",
        relates_to=[old.uid],
        provenance={"said_by": "user", "reverses": [old.uid]},
    )


def test_somebody_else_cannot_hide_a_memory_by_reversing_it(sandbox: Sandbox, repo: Path) -> None:
    """Whoever can push can claim anything; only the person's own word replaces theirs."""
    ada = sandbox.open(repo)
    old = ada.capture("decisions", CHOSEN)
    ada.sync()
    elsewhere = sandbox.clone("mallory")
    sandbox.git(elsewhere, "config", "user.email", "mallory@example.com")
    peer = sandbox.open(elsewhere)
    peer.sync()
    claim(peer, old)
    peer.sync()
    ada.sync()

    given = Days(repo).ask(ASKED)

    assert CHOSEN in given
    assert all(answer.replaced_by is None for answer in ada.search(ASKED, weaker=True))


def test_going_back_retires_what_came_between(repo: Path, store: Recollect) -> None:
    """In the same session, and in a later one; what was chosen first is what is known."""
    days = Days(repo)
    days.say("first", "We decided: print jobs go through RabbitMQ, because jobs survive that.")
    talk, _ = days.begin("second")
    talk.say("On second thought RabbitMQ is overkill, let's use a SQLite table as the queue.")
    (between,) = [m for m in store.memories(status="unconfirmed") if "SQLite" in m.summary]
    talk.say("No, let's go back to RabbitMQ. SQLite locks up when both printers poll.")

    assert store.get(between.uid).status == "retired"
    assert between.summary not in days.ask("Which queue do the print jobs use?")


def test_a_correction_removes_the_old_value_and_what_the_agent_said(
    repo: Path, store: Recollect
) -> None:
    """Within one session, and the correction is kept whole and unconfirmed."""
    talk, _ = Days(repo).begin("first")
    talk.say(
        "I think we should render the harbour pages once a night and serve static HTML, the tide"
        " predictions don't change during the day anyway."
    )
    talk.say(
        "Hm wait, that's wrong. Not once a night: every six hours, since the surge forecast comes"
        " in four times a day."
    )

    (left,) = store.memories(status="unconfirmed")
    assert left.summary.startswith("Not once a night: every six hours, since the surge")
    assert store.memories(status="active") == []


def test_scratched_wishes_are_archived(repo: Path, store: Recollect) -> None:
    """What holds instead is kept without the words that lead to it."""
    talk, _ = Days(repo).begin("first")
    talk.say("Remember: label width is 62 mm.")
    (wish,) = store.memories()
    talk.say("Scratch that, the width depends on the customer.")

    assert store.get(wish.uid).status == "archived"
    assert [m.summary for m in store.memories(status="unconfirmed")] == [
        "The width depends on the customer."
    ]


@pytest.mark.parametrize(
    ("old", "new", "question", "expected"),
    [
        (
            "Use npm",
            "we're on pnpm now",
            "do we install with npm?",
            "pnpm now",
        ),
        (
            "Production has three replicas.",
            "make it 5 replicas",
            "How many replicas does production have?",
            "5 replicas",
        ),
    ],
)
def test_a_terse_change_of_mind_takes_the_place(
    repo: Path,
    store: Recollect,
    embedder: Embedder,
    old: str,
    new: str,
    question: str,
    expected: str,
) -> None:
    """It names what holds now, and not what it replaces; the next session gets it with that."""
    before = store.capture("decisions", old)
    store.capture("decisions", "Logs are kept for a month.")
    pool = StorePool()
    pool.share_embedder(embedder)
    days = Days(repo, pool)
    days.say("first", new)

    (after,) = [m for m in store.memories(status="unconfirmed") if expected in m.summary]
    given = days.ask(question)
    pool.close()

    assert list(after.provenance["reverses"]) == [before.uid]
    assert store.get(before.uid).status == "active"  # only a confirmed one replaces it for good
    assert expected in given
    assert f'id="{short(before.id)}"' not in given


@pytest.mark.parametrize(
    "prompt",
    ["does pnpm handle the postinstall scripts?", "npm audit shows 3 high, have a look"],
)
def test_talk_about_the_matter_changes_nothing(
    repo: Path, store: Recollect, embedder: Embedder, prompt: str
) -> None:
    """A question and a task name things, too."""
    store.capture("decisions", "Dependencies are installed with npm.")
    pool = StorePool()
    pool.share_embedder(embedder)
    Days(repo, pool).say("first", prompt)
    pool.close()

    assert not [m for m in store.memories(status="unconfirmed") if m.provenance.get("reverses")]
