"""Suggestions wait for a word; a secret that is there already is found."""

from __future__ import annotations

from hashlib import sha256

import pytest

from recollect.api.recollect import Recollect
from recollect.api.review import accept
from recollect.api.scan import scan
from recollect.capture import suggestions
from recollect.capture.rejections import is_rejected
from recollect.capture.suggestions import MOST, named, reject, suggest
from recollect.errors import Ambiguous, NotFound, SecretFound
from tests.sandbox import Sandbox


@pytest.fixture
def store(sandbox: Sandbox) -> Recollect:
    """A repository's memory."""
    return sandbox.open(sandbox.init("repo"))


def propose(store: Recollect, summary: str, confidence: float = 0.8, **more: str) -> None:
    """Suggest something."""
    draft = {"kind": "decisions", "summary": summary, "body": ""}
    suggest(store, draft, confidence=confidence, why="test", updates=more.get("updates"))


def test_an_accepted_suggestion_is_a_memory(store: Recollect) -> None:
    """And it waits no more."""
    propose(store, "Use uv")
    (waiting,) = suggestions.suggestions(store)

    (memory,) = accept(store, named(store, [waiting.name]))

    assert store.get(memory.id).summary == "Use uv"
    assert suggestions.suggestions(store) == []


def test_a_near_duplicate_supersedes_the_known_one(store: Recollect) -> None:
    """Its text stays: nothing that is accepted overwrites another decision."""
    known = store.capture("decisions", "Use pip", "Everybody has it.")
    propose(store, "Use uv instead of pip", updates=known.uid)

    (memory,) = accept(store, suggestions.suggestions(store))

    assert [m.summary for m in store.memories()] == ["Use uv instead of pip"]
    old = store.get(known.uid)
    assert (old.summary, old.body, old.status) == ("Use pip", "Everybody has it.", "archived")
    assert old.status_reason == f"superseded by {store.short_name(memory)}"


def test_a_rejected_one_is_remembered_as_rejected(store: Recollect) -> None:
    """By its words, whatever their case."""
    propose(store, "Use tabs everywhere")
    (waiting,) = suggestions.suggestions(store)

    reject(store, [waiting])

    assert suggestions.suggestions(store) == []
    assert is_rejected(store, "use TABS everywhere!")


def test_the_weakest_goes_when_there_are_too_many(store: Recollect) -> None:
    """Bounded, lowest first."""
    for number in range(MOST):
        propose(store, f"Number {number}", 0.8)
    propose(store, "Weak", 0.1)
    propose(store, "Strong", 0.9)

    summaries = [s.draft["summary"] for s in suggestions.suggestions(store)]
    assert len(summaries) == MOST
    assert "Weak" not in summaries
    assert "Strong" in summaries


def test_names_that_mean_nothing_or_several(store: Recollect) -> None:
    """Both say what to do, and change nothing."""
    propose(store, "One")
    propose(store, "Two")
    last = {s.uid[-1] for s in suggestions.suggestions(store)}

    with pytest.raises(NotFound):
        named(store, ["nosuch"])
    with pytest.raises(NotFound):
        named(store, [""])
    if len(last) == 1:
        with pytest.raises(Ambiguous):
            named(store, [last.pop()])


def test_a_secret_that_is_there_already_is_found(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where an edit took it away: the history keeps it until a purge."""
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", "warn")  # so it came in
    store = sandbox.open(sandbox.init("repo"))
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    shown = store.capture("notes", "The deploy token", f"It is {token}")
    hidden = store.capture("notes", "Another token", f"It was {token}")
    store.capture("notes", "Harmless")
    store.update(hidden.id, body="It is in the vault")

    leaks = {leak.memory.uid: leak for leak in scan(store)}

    assert set(leaks) == {shown.uid, hidden.uid}
    assert not leaks[shown.uid].only_in_history
    assert leaks[hidden.uid].only_in_history
    store.purge(shown.id)
    store.purge(hidden.id)
    assert list(scan(store)) == []


@pytest.mark.parametrize(
    ("strategy", "left"), [("redact", "[REDACTED:"), ("mask", "[MASKED:"), ("warn", "ghp_a1B2")]
)
def test_what_happens_to_a_secret_is_a_choice(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, strategy: str, left: str
) -> None:
    """In a capture and in an edit; whoever looks is told that there was one."""
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", strategy)
    store = sandbox.open(sandbox.init("repo"))
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    memory = store.capture("notes", "The deploy token", f"It is {token}")
    other = store.capture("notes", "Another one")
    store.update(other.id, body=f"It is {token}")

    store.set_status(other.id, "retired", f"It was {token}")

    assert left in (store.get(other.id).status_reason or "")
    assert left in store.get(memory.id).body
    assert left in store.get(other.id).body
    assert any("github" in warning for warning in store.warnings)


def test_a_secret_can_be_refused_and_allowed(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`block` stores nothing; a value that is none may pass by its digest."""
    repo = sandbox.init("repo")
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", "block")
    with pytest.raises(SecretFound):
        sandbox.open(repo).capture("notes", "The deploy token", f"It is {token}")
    monkeypatch.setenv("RECOLLECT_REDACT_ALLOWED", sha256(token.encode()).hexdigest())
    store = sandbox.open(repo)

    store.capture("notes", "The deploy token", f"It is {token}")

    assert [token in memory.body for memory in store.memories()] == [True]
    assert list(scan(store)) == []


def test_a_project_cannot_switch_redaction_off(sandbox: Sandbox) -> None:
    """Its file comes with the repository; it must not make people leak."""
    repo = sandbox.init("repo")
    (repo / ".recollect.toml").write_text('[redact]\nstrategy = "warn"\n')
    store = sandbox.open(repo)

    memory = store.capture("notes", "Mine", "password = 'correct-horse-7-battery'")

    assert "REDACTED" in memory.body
    assert any("only you can set" in warning for warning in store.warnings)


def test_a_secret_memory_may_hold_one(sandbox: Sandbox) -> None:
    """It never leaves the machine, and somebody said so."""
    store = sandbox.open(sandbox.init("repo"))

    memory = store.capture(
        "notes", "Mine", "password = 'correct-horse-7-battery'", sensitivity="secret"
    )

    assert "correct-horse" in memory.body
