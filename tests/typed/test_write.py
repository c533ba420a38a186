"""Typed memories: agents draft, code decides."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.api.recollect import Recollect
from recollect.core.names import short
from recollect.errors import (
    BadContent,
    IllegalTransition,
    KindDisabled,
    MergeRefused,
    RecentlyRetired,
    RecollectError,
    TooMany,
    UnknownKind,
    ValidationError,
    VersionConflict,
)
from recollect.store.prepare import change_of
from recollect.typed import write as typed
from recollect.typed.drafts import write_drafts
from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a commit."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    return path


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory."""
    return sandbox.open(repo)


def decision(title: str = "Use PostgreSQL for the cart", **content: Any) -> dict[str, Any]:
    """A document that an agent may have drafted."""
    return {
        "title": title,
        "tags": ["cart", "postgresql"],
        "content": {
            "status": "accepted",
            "context": "Two workers write at once.",
            "decision": "PostgreSQL",
            "rationale": ["It locks rows."],
            **content,
        },
        "related_files": ["src/cart.py"],
        "confidence": 0.8,
    }


def session(number: int, **content: Any) -> dict[str, Any]:
    """A summary of a session."""
    return {
        "title": f"Session {number}",
        "content": {
            "goal": f"goal {number}",
            "outcome": "success",
            "completed": [f"moved module {number} to the new layout"],
            "next_actions": [],
            **content,
        },
    }


# Creating


def test_a_typed_memory_is_kept_found_and_shown(store: Recollect) -> None:
    """By its id, its slug, and the words of its content."""
    done = typed.create(store, "decision", decision())

    memory = store.get(done["id"])
    assert done["status"] == "created"
    assert memory == store.get("use-postgresql-for-the-cart")
    assert memory.content == decision()["content"]
    assert (memory.confidence, memory.files_modified) == (0.8, ("src/cart.py",))
    assert memory.provenance["said_by"] == "agent"
    assert [hit.memory.uid for hit in store.search("which one locks rows", mode="text")] == [
        memory.uid
    ]
    assert done["version"] == memory.version


def test_the_same_again_is_known(store: Recollect) -> None:
    """Also in other letters; nothing is written."""
    first = typed.create(store, "decisions", decision())
    again = typed.create(store, "decisions", decision("use POSTGRESQL for the Cart"))

    assert (again["status"], again["uid"]) == ("exists", first["uid"])
    assert len(store.journal()) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use semicolons", "Do not use semicolons"),
        ("Tests run before the build", "Tests run after the build"),
        ("Write it in C", "Write it in C++"),
        ("Tabs, not spaces", "Spaces, not tabs"),
    ],
)
def test_what_says_something_else_is_not_known(store: Recollect, one: str, other: str) -> None:
    """A word of no meaning for a search may turn the meaning around."""
    first = typed.create(store, "decisions", decision(one, decision=one))
    typed.change_status(store, first["id"], "retire")

    done = typed.create(store, "decisions", decision(other, decision=other))

    assert done["status"] == "created"
    assert store.get(done["id"]).relates_to == ()


def test_a_private_memory_is_not_told_of(store: Recollect) -> None:
    """That somebody has one which says the same is nobody's business."""
    content = decision()["content"]
    store.capture(
        "decisions", decision()["title"], content=content, tags=["cart"], sensitivity="private"
    )

    assert typed.create(store, "decisions", decision())["status"] == "created"


def test_bad_content_changes_nothing(store: Recollect) -> None:
    """And every problem is told at once."""
    with pytest.raises(BadContent) as refused:
        typed.create(store, "decisions", decision(status="maybe", colour="red"))

    assert [problem.field for problem in refused.value.problems] == [
        "content.status",
        "content.colour",
    ]
    assert store.journal() == []


@pytest.mark.parametrize("kind", ["learnings", "facts", "nonsense"])
def test_kinds_without_a_document_are_refused(store: Recollect, kind: str) -> None:
    """With the way to keep it, or the kinds there are."""
    with pytest.raises(UnknownKind):
        typed.create(store, kind, decision())


def test_a_slug_is_never_given_twice(store: Recollect) -> None:
    """The second one gets a number."""
    typed.create(store, "decisions", decision())
    other = typed.create(store, "decisions", decision(decision="MySQL", rationale=["Habit."]))

    assert other["slug"] == "use-postgresql-for-the-cart-2"


def test_secrets_are_taken_out_everywhere(store: Recollect, sandbox: Sandbox, repo: Path) -> None:
    """In the title, which makes the slug, and deep in the content."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    done = typed.create(
        store,
        "decisions",
        decision(
            f"Log in with {secret}", alternatives=[{"option": secret, "rejected_reason": "x"}]
        ),
    )
    typed.update(
        store,
        done["id"],
        {"content": {"context": f"It was {secret}"}, "changes": [f"was {secret}"]},
        if_version=done["version"],
    )

    hidden = secret[:9] + "\u200b" + secret[9:]
    typed.create(store, "decisions", decision("Hidden", context=f"It is {hidden}"))
    version = store.get(done["id"]).version
    document = {"title": f"A title of {hidden}", "content": {"context": hidden}}
    typed.update(store, done["id"], document, if_version=version)

    store.close()
    assert secret.lower().encode() not in sandbox.all_bytes(repo).lower()


def test_what_was_just_retired_does_not_come_back(store: Recollect) -> None:
    """An agent is told; a person may have it, and the new one names the old."""
    first = typed.create(store, "decisions", decision())
    typed.change_status(store, first["id"], "retire", "nobody wants it")

    with pytest.raises(RecentlyRetired, match="nobody wants it"):
        typed.create(store, "decisions", decision())
    with pytest.raises(RecentlyRetired):
        typed.create(store, "decisions", decision(decision="something else"))
    done = typed.create(store, "decisions", decision(), by_user=True)

    memory = store.get(done["id"])
    assert memory.relates_to == (first["uid"],)
    assert memory.provenance["said_by"] == "user"
    assert "retired" in done["warnings"][0]


def test_configuration_binds_agents_and_not_people(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kind that is off, and one that is full."""
    monkeypatch.setenv("RECOLLECT_KINDS_RUNBOOKS_ENABLED", "false")
    monkeypatch.setenv("RECOLLECT_KINDS_DECISIONS_MAX_MEMORIES", "1")
    store = sandbox.open(repo)
    runbook = {"title": "r", "content": {"trigger": "t", "steps": ["s"], "verification": "v"}}

    with pytest.raises(KindDisabled):
        typed.create(store, "runbooks", runbook)
    with pytest.raises(KindDisabled):
        typed.find_candidate(store, "runbooks", "anything")
    done = typed.create(store, "runbooks", runbook, by_user=True)
    assert done["status"] == "created"
    with pytest.raises(KindDisabled):
        typed.update(store, done["id"], {"title": "other"}, if_version=done["version"])
    typed.create(store, "decisions", decision())
    with pytest.raises(TooMany, match="allows 1"):
        typed.create(store, "decisions", decision("Another", decision="other"))
    done = typed.create(store, "decisions", decision("A", decision="other"), by_user=True)
    assert done["status"] == "created"


# Updating


def test_an_update_replaces_what_it_names(store: Recollect) -> None:
    """The rest stays; the change is told; an old slug still leads to it."""
    first = typed.create(store, "decisions", decision())
    done = typed.update(
        store,
        first["slug"],
        {"title": "Keep every basket in SQLite", "content": {"decision": "SQLite"}},
        if_version=first["version"],
    )

    memory = store.get(first["slug"])
    assert done["renamed_from"] == first["slug"]
    assert memory.slugs == ("keep-every-basket-in-sqlite", first["slug"])
    assert memory.content == {**decision()["content"], "decision": "SQLite"}
    assert [entry["field"] for entry in memory.changes] == ["title", "content.decision"]
    assert memory.times_updated == 1
    assert memory.version == done["version"] != first["version"]


def test_a_stale_version_is_a_conflict(store: Recollect) -> None:
    """It says which one to read, and nothing is written."""
    first = typed.create(store, "decisions", decision())
    typed.update(
        store, first["id"], {"content": {"decision": "SQLite"}}, if_version=first["version"]
    )
    before = len(store.journal())

    with pytest.raises(VersionConflict) as conflict:
        typed.update(
            store, first["id"], {"content": {"decision": "MySQL"}}, if_version=first["version"]
        )
    with pytest.raises(ValidationError, match="version that you read"):
        typed.update(store, first["id"], {"content": {"decision": "MySQL"}}, if_version="")

    assert store.get(first["id"]).version in conflict.value.hint
    assert len(store.journal()) == before


def test_of_two_agents_at_once_one_wins(repo: Path, store: Recollect) -> None:
    """Both read the same version; the other one is told, nothing is half written."""
    first = typed.create(store, "decisions", decision())
    ready = threading.Barrier(2)
    told: list[str] = []

    def work(name: str) -> None:
        with recollect.open(repo) as mine:
            mine.get(first["id"])
            ready.wait()
            try:
                document = {"content": {"decision": name, "context": name}}
                typed.update(mine, first["id"], document, if_version=first["version"])
                told.append(name)
            except VersionConflict:
                told.append("conflict")

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    memory = store.get(first["id"])
    assert memory.content is not None
    (winner,) = [name for name in told if name != "conflict"]
    assert told.count("conflict") == 1
    assert memory.content["decision"] == memory.content["context"] == winner
    assert memory.times_updated == 1


def test_the_ledger_itself_checks_the_version(store: Recollect) -> None:
    """Not only what the writer had read: a change in between refuses the swap."""
    memory = store.capture("notes", "one")
    change = change_of(store, memory, {"summary": "two"}, None, expected=memory.version)
    store.update(memory.id, summary="between")

    with pytest.raises(VersionConflict):
        store.write([change], "edit")

    assert store.get(memory.id).summary == "between"
    with pytest.raises(VersionConflict):
        store.update(memory.id, summary="three", if_version=memory.version)


def test_an_agent_takes_nothing_away(store: Recollect, repo: Path) -> None:
    """Neither tags nor files that exist; nor does it change without a word."""
    (repo / "src").mkdir()
    (repo / "src" / "cart.py").touch()
    first = typed.create(store, "decisions", decision())

    for document in (
        {"tags": ["cart"], "changes": ["fewer tags"]},
        {"related_files": ["other.py"], "changes": ["another file"]},
        {"content": {"consequences": ["one"]}},
    ):
        with pytest.raises(MergeRefused):
            typed.update(store, first["id"], document, if_version=first["version"])

    assert store.get(first["id"]).version == first["version"]


def test_a_whole_document_sent_back_adds_its_last_change_only(store: Recollect) -> None:
    """As an agent does that reads a file of the mirror and edits it."""
    first = typed.create(store, "decisions", decision())
    version = first["version"]
    for number in range(60):
        document = {**decision(), "category": "decision", "record_status": "active"}
        document["changes"] = [*store.get(first["id"]).changes, {"summary": f"{number}"}]
        version = typed.update(store, first["id"], document, if_version=version)["version"]

    said = [entry["summary"] for entry in store.get(first["id"]).changes]
    assert said == [f"{number}" for number in range(10, 60)]


def test_the_same_words_may_be_said_of_two_changes(store: Recollect) -> None:
    """They are new each time."""
    first = typed.create(store, "decisions", decision())
    version = first["version"]
    for item in ("one", "two"):
        document = {"content": {"consequences": [item]}, "changes": ["It went on."]}
        version = typed.update(store, first["id"], document, if_version=version)["version"]

    assert [e["summary"] for e in store.get(first["id"]).changes] == ["It went on."] * 2


def test_what_no_update_may_change(store: Recollect) -> None:
    """Kind, birth and status are refused where a document says them otherwise."""
    first = typed.create(store, "decisions", decision())
    for field, value in (
        ("record_status", "retired"),
        ("category", "runbook"),
        ("created_at", "2020-01-01T00:00:00Z"),
        ("schema_version", "2.0"),
        ("id", "another-memory"),
    ):
        document = {field: value, "changes": ["why"]}
        with pytest.raises(MergeRefused, match=field):
            typed.update(store, first["id"], document, if_version=first["version"])


def test_a_document_may_name_what_it_is(store: Recollect) -> None:
    """Agents send back what they read: the id in any of its forms, the version of the schema."""
    first = typed.create(store, "decisions", decision())
    version = first["version"]
    for number, name in enumerate((first["id"], first["uid"], first["slug"])):
        document = {"id": name, "schema_version": "1.0", "changes": [f"Change {number}."]}
        version = typed.update(store, first["id"], document, if_version=version)["version"]


def test_tags_cut_at_twelve_are_said(store: Recollect) -> None:
    """When a memory is created, and when it is updated."""
    many = [f"tag{number:02}" for number in range(14)]
    first = typed.create(store, "decisions", {**decision(), "tags": many})
    assert store.get(first["id"]).tags == tuple(many[:12])
    (warning,) = first["warnings"]
    assert "tag12, tag13" in warning

    document = {"tags": many, "changes": ["Once more."]}
    again = typed.update(store, first["id"], document, if_version=first["version"])
    assert "tag12, tag13" in again["warnings"][-1]


@pytest.mark.parametrize("title", ["Use uv", "Redis", "No ORM"])
def test_a_short_title_finds_its_memory(store: Recollect, title: str) -> None:
    """So that the news become an update; a second one of that title comes with a warning."""
    first = typed.create(store, "decisions", {**decision(title), "tags": []})

    found = typed.find_candidate(store, "decisions", title)["candidate"]
    assert found is not None
    assert found["id"] == first["id"]

    second = typed.create(store, "decisions", {**decision(title, decision="Other"), "tags": []})
    assert second["status"] == "created"
    assert f"{short(first['id'])} has the same title" in second["warnings"][0]


def test_parts_of_a_field_stay(store: Recollect) -> None:
    """What is preferred does not take away what is avoided."""
    document = _preference()
    document["content"]["examples"] = {"prefer": ["a"], "avoid": ["b"]}
    first = typed.create(store, "preferences", document)
    typed.update(
        store,
        first["id"],
        {"content": {"examples": {"prefer": ["c"]}}, "changes": ["better"]},
        if_version=first["version"],
    )

    content = store.get(first["id"]).content
    assert content is not None
    assert content["examples"] == {"prefer": ["c"], "avoid": ["b"]}


def test_two_clones_that_change_different_fields_both_have_their_way(sandbox: Sandbox) -> None:
    """The content is merged field by field."""
    sandbox.make_hub()
    one, two = (sandbox.open(sandbox.clone(name)) for name in ("one", "two"))
    first = typed.create(one, "decisions", decision())
    one.sync()
    two.sync()
    typed.update(one, first["uid"], {"content": {"context": "mine"}}, if_version=first["version"])
    typed.update(
        two,
        first["uid"],
        {"content": {"decision": "theirs", "consequences": ["x"]}},
        if_version=first["version"],
    )
    one.sync()
    two.sync()
    one.sync()

    contents = [store.get(first["uid"]).content for store in (one, two)]
    assert (
        contents[0]
        == contents[1]
        == {
            **decision()["content"],
            "context": "mine",
            "decision": "theirs",
            "consequences": ["x"],
        }
    )


def test_a_plain_memory_becomes_typed(store: Recollect) -> None:
    """What was captured with a sentence can be updated with a document."""
    memory = store.capture("decisions", "Use uv", "It is fast.")

    typed.update(
        store, memory.id, {"content": {"context": "CI took long."}}, if_version=memory.version
    )

    content = store.get(memory.id).content
    assert content is not None
    assert (content["decision"], content["context"]) == ("Use uv", "CI took long.")


def test_an_answer_has_the_reason_and_the_count(store: Recollect) -> None:
    """The reason is as it was stored: null without one, and redacted."""
    first = typed.create(store, "decisions", decision())
    assert (first["status_reason"], first["times_updated"]) == (None, 0)
    change = {"confidence": 0.5, "changes": [{"summary": "It is less certain."}]}
    done = typed.update(store, first["id"], change, if_version=first["version"])
    assert done["times_updated"] == 1
    token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"

    said = typed.change_status(store, first["id"], "retire", f"leaks {token}")
    assert said["status_reason"].startswith("leaks ")
    assert token not in said["status_reason"]
    typed.change_status(store, first["id"], "restore")
    assert typed.change_status(store, first["id"], "retire")["status_reason"] is None


def test_a_retired_memory_is_not_updated(store: Recollect) -> None:
    """It is restored first."""
    first = typed.create(store, "decisions", decision())
    done = typed.change_status(store, first["id"], "retire")

    with pytest.raises(IllegalTransition, match="retired"):
        typed.update(store, first["id"], {"title": "x"}, if_version=done["version"])


# The life of one


def test_steps_are_idempotent_where_they_can_be(store: Recollect) -> None:
    """What is retired or archived stays so; every other wrong step is refused with the way."""
    one = typed.create(store, "decisions", decision())["id"]

    assert typed.change_status(store, one, "archive", "old")["status"] == "archived"
    assert typed.change_status(store, one, "archive", "old")["status"] == "already_archived"
    with pytest.raises(IllegalTransition) as refused:
        typed.change_status(store, one, "retire")
    assert "unarchive" in refused.value.hint
    with pytest.raises(IllegalTransition):
        typed.change_status(store, one, "restore")
    assert typed.change_status(store, one, "unarchive")["status"] == "unarchived"
    with pytest.raises(IllegalTransition):
        typed.change_status(store, one, "unarchive")
    assert typed.change_status(store, one, "retire", "wrong")["status"] == "retired"
    before = len(store.journal())
    assert typed.change_status(store, one, "retire", "wrong")["status"] == "already_retired"
    assert len(store.journal()) == before
    assert typed.change_status(store, one, "restore")["status"] == "restored"
    with pytest.raises(ValidationError):
        typed.change_status(store, one, "explode")


# Sessions


def test_sessions_roll(store: Recollect) -> None:
    """Five stay; what only the oldest said is named; it can be restored."""
    done = [typed.create(store, "sessions", session(number)) for number in range(6)]

    active = [memory.summary for memory in store.memories(kind="sessions")]
    assert active == [f"Session {number}" for number in range(1, 6)]
    (warning,) = done[-1]["warnings"]
    assert "moved module 0 to the new layout" in warning
    assert all(answer["warnings"] == [] for answer in done[:-1])
    assert store.get(done[0]["id"]).status == "retired"
    assert store.get(done[0]["id"]).content == session(0)["content"]


def test_the_window_is_configured_and_binds_captures_too(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However a summary came."""
    monkeypatch.setenv("RECOLLECT_SESSIONS_MAX_RETAINED", "2")
    store = sandbox.open(repo)
    for number in range(4):
        store.capture("sessions", f"Session {number} did things")

    assert [memory.summary[:9] for memory in store.memories(kind="sessions")] == [
        "Session 2",
        "Session 3",
    ]


def test_a_capture_names_what_only_the_oldest_session_said(store: Recollect) -> None:
    """Wherever a session is rolled out, the guard warns."""
    for number in range(5):
        store.capture("sessions", f"Session {number}", f"Moved module {number} to the new layout.")
    assert store.warnings == []

    store.capture("sessions", "Session 5", "Looked around.")

    (warning,) = store.warnings
    assert "Moved module 0 to the new layout" in warning


def test_the_window_holds_after_an_import(
    sandbox: Sandbox, store: Recollect, tmp_path: Path
) -> None:
    """The newest by their own dates stay, and the guard names what only the others said."""
    other = sandbox.open(sandbox.init("other"))
    for number in range(4):
        moment = f"2026-01-0{number + 1}T00:00:00Z"
        other.capture("sessions", f"Old {number}", f"Moved part {number} away.", created=moment)
    other.export(tmp_path / "all.json")
    for number in range(3):
        store.capture("sessions", f"New {number}", f"Moved module {number}.")

    store.import_export(tmp_path / "all.json")

    kept = {memory.summary for memory in store.memories(kind="sessions")}
    assert kept == {"New 0", "New 1", "New 2", "Old 2", "Old 3"}
    assert any("Moved part 0 away" in warning for warning in store.warnings)


def test_the_window_never_takes_what_just_came(
    store: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the others say they are from tomorrow; and what was restored is new again."""
    for number in range(5):
        store.capture("sessions", f"Session {number}", created="2099-01-01T00:00:00Z")

    done = typed.create(store, "sessions", session(7))
    assert store.get(done["id"]).status == "active"
    assert len(store.memories(kind="sessions")) == 5


def test_a_session_may_be_titled_like_one_that_left(store: Recollect) -> None:
    """Nobody retired that: it rolled out."""
    for number in range(6):
        typed.create(store, "sessions", session(number))

    done = typed.create(store, "sessions", session(0, goal="another"))

    assert done["status"] == "created"


def test_everybody_has_a_window(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A colleague's sessions do not push out yours."""
    sandbox.make_hub()
    one = sandbox.open(sandbox.clone("one"))
    for number in range(5):
        typed.create(one, "sessions", session(number))
    one.sync()
    monkeypatch.setenv("RECOLLECT_AUTHOR", "Bob <bob@example.com>")
    two = sandbox.open(sandbox.clone("two"))
    two.sync()

    typed.create(two, "sessions", session(9))

    assert len(two.memories(kind="sessions")) == 6


# Drafts


def test_drafts_are_written_at_once(store: Recollect, sandbox: Sandbox, repo: Path) -> None:
    """A new one, a change and a retirement; the second of a kind sees the first."""
    known = typed.create(store, "decisions", decision())
    debt = {
        "title": "The cart has no tests",
        "content": {
            "status": "open",
            "priority": "high",
            "description": "None.",
            "reason_deferred": "time",
        },
    }
    old = typed.create(store, "tech-debt", debt)
    commits = sandbox.git(repo, "rev-list", "--count", "refs/notes/mem/decisions")

    answers = write_drafts(
        store,
        [
            {
                "action": "create",
                "kind": "decision",
                **decision("Deploy on Fridays", decision="yes"),
            },
            {
                "action": "update",
                "id": known["slug"],
                "if_version": known["version"],
                "content": {"decision": "SQLite"},
                "changes": [{"summary": "One process writes now."}],
            },
            {
                "action": "retire",
                "id": old["id"],
                "lifecycle_event": "resolved",
                "reason": "It has tests.",
            },
        ],
    )

    assert [answer["status"] for answer in answers] == ["created", "updated", "retired"]
    assert sandbox.git(repo, "rev-list", "--count", "refs/notes/mem/decisions") == str(
        int(commits) + 2
    )
    assert store.get(known["id"]).changes[0]["summary"] == "One process writes now."


def test_a_refused_draft_stops_no_other(store: Recollect) -> None:
    """Each is told for itself."""
    known = typed.create(store, "decisions", decision())
    answers = write_drafts(
        store,
        [
            {"action": "create", "kind": "decisions", "title": "no content"},
            {"action": "create", "kind": "preferences", **_preference()},
            {"action": "update", "id": known["id"], "if_version": "old", "title": "x"},
            {"action": "explode", "kind": "decisions"},
            {"action": "retire", "id": known["id"]},
            {"action": "retire", "kind": "decisions", "title": "nothing like it"},
            {"action": "noop", "kind": "decisions", "title": "whatever"},
            {"action": "update", "id": "nothing-of-that-name"},
        ],
    )

    assert [answer["status"] for answer in answers] == [
        "refused",
        "created",
        "refused",
        "refused",
        "refused",
        "skipped",
        "skipped",
        "refused",
    ]
    assert answers[4]["error"]["message"].startswith("DELETE is not allowed")
    assert store.get(known["id"]).version == known["version"]


def test_a_deletion_that_is_not_allowed_becomes_an_update(store: Recollect) -> None:
    """The memory stays, and says why it should go."""
    known = typed.create(store, "decisions", decision())

    (answer,) = write_drafts(
        store, [{"action": "retire", "id": known["id"], "reason": "We went back to SQLite."}]
    )

    assert (answer["action"], answer["status"]) == ("update", "updated")
    memory = store.get(known["id"])
    assert memory.status == "active"
    assert memory.content == known_content(store, known)
    assert memory.changes[-1]["summary"] == "We went back to SQLite."


def test_a_deletion_with_content_becomes_that_update(store: Recollect) -> None:
    """What overwrites something needs the version, as any update does."""
    known = typed.create(store, "decisions", decision())
    draft = {
        "action": "retire",
        "id": known["id"],
        "reason": "SQLite it is.",
        "content": {"status": "superseded"},
    }

    (refused,) = write_drafts(store, [draft])
    assert refused["status"] == "refused"
    (answer,) = write_drafts(store, [{**draft, "if_version": known["version"]}])
    assert answer["status"] == "updated"
    content = store.get(known["id"]).content
    assert content is not None
    assert content["status"] == "superseded"


def known_content(store: Recollect, known: dict[str, Any]) -> Any:
    """What a memory said when it was created."""
    return store.indexing.fresh().history(known["uid"])[0].fields["content"]


def test_drafts_see_each_other(store: Recollect) -> None:
    """The same twice is one; what was retired a moment ago is not created again."""
    new = {"action": "create", "kind": "decisions", **decision()}
    debt = {
        "title": "No tests",
        "content": {
            "status": "open",
            "priority": "low",
            "description": "x",
            "reason_deferred": "time",
        },
    }
    old = typed.create(store, "tech-debt", debt)

    answers = write_drafts(
        store,
        [
            new,
            new,
            {"action": "retire", "id": old["id"]},
            {"action": "create", "kind": "tech-debt", **debt},
        ],
    )

    assert [answer["status"] for answer in answers] == ["created", "exists", "retired", "refused"]


def test_what_is_nested_too_deep_is_refused(store: Recollect) -> None:
    """And takes no other draft with it."""
    deep: Any = "x"
    for _ in range(600):
        deep = [deep]
    bad = {"action": "create", "kind": "decisions", **decision("Deep", rationale=deep)}

    answers = write_drafts(store, [bad, {"kind": "preferences", **_preference()}])

    assert [answer["status"] for answer in answers] == ["refused", "created"]
    with pytest.raises(BadContent):
        typed.create(store, "decisions", decision("Deep", rationale=deep))


def _preference() -> dict[str, Any]:
    content = {"topic": "quotes", "value": "double", "reason": "taste", "strength": "soft"}
    return {"title": "Use double quotes", "content": content}


def test_an_update_without_a_known_memory_is_a_new_one(store: Recollect) -> None:
    """As the table says: code knows that there is no candidate."""
    (answer,) = write_drafts(store, {"action": "update", "kind": "decisions", **decision()})

    assert (answer["action"], answer["status"]) == ("create", "created")


@pytest.mark.parametrize(
    "drafts", [None, 3, "text", [1], [[]], [{}], [{"kind": "decisions"}] * 21, {"kind": None}]
)
def test_nonsense_is_refused(store: Recollect, drafts: Any) -> None:
    """Whatever it is."""
    try:
        answers = write_drafts(store, drafts)
    except RecollectError:
        answers = []

    assert all(answer["status"] == "refused" for answer in answers)
    assert store.journal() == []


def test_questions_of_documents_and_drafts_are_kept(store: Recollect) -> None:
    """Typed, updated and plain; a bad one is refused with its field."""
    made = typed.create(store, "decisions", {**decision(), "asked_as": ["Which database?"]})
    typed.update(
        store, made["uid"], {"asked_as": ["Where is the cart?"]}, if_version=made["version"]
    )
    (plain,) = write_drafts(
        store, [{"kind": "learnings", "title": "Rows lock", "asked_as": ["what waits?"]}]
    )

    assert store.get(made["uid"]).asked_as == ("Which database?", "Where is the cart?")
    assert store.get(plain["uid"]).asked_as == ("what waits?",)
    for bad in (["?"] * 3 + [7], ["x" * 151], [" "], [str(n) for n in range(6)], 7):
        with pytest.raises(BadContent) as refused:
            typed.create(store, "decisions", {**decision("Another"), "asked_as": bad})
        assert refused.value.field.startswith("asked_as")
