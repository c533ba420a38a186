"""A store of the claude-memory plugin comes in whole, once, and loses nothing on the way."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.api.recollect import Recollect
from recollect.cli import root
from recollect.core.claude_memory import read_document, to_document
from recollect.errors import GitFailed, ValidationError
from recollect.importing.claude_memory import import_folder
from recollect.mirror.mirror import Mirror
from tests.sandbox import Sandbox
from tests.support.claude_memory import DECISION_CONTENT, document

PREFERENCE = {"topic": "Indent", "value": "Tabs", "reason": "Taste", "strength": "strong"}


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository whose agent used the plugin."""
    path = sandbox.init("repo")
    write(path, "decisions/use-postgres.json", document())
    write(
        path,
        "decisions/use-mysql.json",
        document(
            id="use-mysql",
            title="Use MySQL",
            record_status="retired",
            retired_at="2026-02-03T10:00:00Z",
            retired_reason="Postgres it is",
        ),
    )
    write(
        path,
        "preferences/tabs.json",
        document(
            category="preference",
            id="tabs",
            title="Tabs",
            content=PREFERENCE,
            record_status="archived",
            archived_at="2026-02-02T10:00:00Z",
            archived_reason="Not now",
            times_updated=4,
        ),
    )
    (path / ".claude/memory/index.md").write_text("# Memory Index\n")
    (path / ".claude/memory/memory-config.json").write_text("{}")
    sandbox.commit(path)
    return path


def write(repo: Path, path: str, text: str) -> None:
    """Put a file into the store."""
    place = repo / ".claude/memory" / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def import_store(store: Recollect, repo: Path, **options: bool) -> dict[str, str]:
    """Import the store; what became of each file."""
    outcomes = import_folder(store, repo / ".claude/memory", **options)
    return {outcome.file: outcome.result for outcome in outcomes}


def test_everything_comes_with_its_dates_and_reasons(sandbox: Sandbox, repo: Path) -> None:
    """Active, retired, archived; what changed, how often, when, why."""
    store = sandbox.open(repo)

    assert set(import_store(store, repo).values()) == {"created"}

    active, retired, archived = (
        store.get(name) for name in ("use-postgres", "use-mysql", "preferences/tabs")
    )
    assert active.content == DECISION_CONTENT
    assert (active.tags, active.files_modified) == (("db", "storage"), ("src/db.py",))
    assert (active.confidence, active.times_updated) == (0.9, 1)
    assert (active.created, active.updated) == ("2026-02-01T10:00:00Z", "2026-02-03T10:00:00Z")
    assert active.changes == ({"date": "2026-02-03T10:00:00Z", "summary": "Reason added"},)
    assert active.sensitivity == "public"
    assert (retired.status, retired.status_reason) == ("retired", "Postgres it is")
    assert (retired.status_changed, retired.updated) == ("2026-02-03T10:00:00Z",) * 2
    assert retired.times_updated == 1
    assert (archived.status, archived.status_changed) == ("archived", "2026-02-02T10:00:00Z")
    assert (archived.updated, archived.times_updated) == ("2026-02-03T10:00:00Z", 4)
    assert archived.kind == "preferences"


def test_importing_twice_adds_nothing(sandbox: Sandbox, repo: Path) -> None:
    """Not a record."""
    store = sandbox.open(repo)
    import_store(store, repo)
    before = sandbox.refs(repo, "refs/notes")

    assert set(import_store(store, repo).values()) == {"known"}
    assert sandbox.refs(repo, "refs/notes") == before


def test_two_clones_import_the_same_memories(sandbox: Sandbox, repo: Path) -> None:
    """Whatever else they hold, on whatever branch: after a sync there is one of each."""
    sandbox.git(sandbox.root, "clone", "--quiet", "--bare", str(repo), sandbox.hub.name)
    ada, bob = sandbox.clone("ada"), sandbox.clone("bob")
    sandbox.git(bob, "checkout", "--quiet", "-b", "elsewhere")
    for path in (bob / ".claude/memory").rglob("*.json"):  # a clone with other line ends
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    adas, bobs = sandbox.open(ada), sandbox.open(bob)
    bobs.capture("decisions", "Something of Bob", at=None)
    import_store(adas, ada)
    import_store(bobs, bob)

    for person in (adas, bobs, adas):
        person.sync()

    def titles(store: Recollect) -> list[str]:
        return sorted(memory.summary for memory in store.memories(status="all"))

    assert titles(adas) == ["Something of Bob", "Tabs", "Use MySQL", "Use Postgres"]
    assert titles(bobs) == titles(adas)
    assert sandbox.trees(ada) == sandbox.trees(bob)
    assert adas.get("use-mysql") == bobs.get("use-mysql")
    assert (
        set(import_store(adas, ada).values()) == set(import_store(bobs, bob).values()) == {"known"}
    )


def test_an_import_is_the_same_in_every_clone(sandbox: Sandbox, repo: Path) -> None:
    """Byte for byte, on whatever branch and commit, so that a sync has nothing to sort out."""
    sandbox.git(sandbox.root, "clone", "--quiet", "--bare", str(repo), sandbox.hub.name)
    ada, bob = sandbox.clone("ada"), sandbox.clone("bob")
    sandbox.git(bob, "checkout", "--quiet", "-b", "elsewhere")
    sandbox.commit(bob)

    for clone in (ada, bob):
        import_store(sandbox.open(clone), clone)

    assert sandbox.trees(ada) == sandbox.trees(bob) != {}


def test_what_the_plugin_changed_since_is_brought_up_to_date(sandbox: Sandbox, repo: Path) -> None:
    """It is the same memory, in a newer state; an older one changes nothing."""
    store = sandbox.open(repo)
    import_store(store, repo)
    old = store.get("use-postgres")
    newer = {**DECISION_CONTENT, "consequences": ["A server to run"]}
    write(
        repo,
        "decisions/use-postgres.json",
        document(updated_at="2026-03-01T10:00:00Z", times_updated=2, content=newer),
    )

    assert import_store(store, repo)["decisions/use-postgres.json"] == "updated"
    found = store.get("use-postgres")
    assert (found.uid, found.content) == (old.uid, newer)
    assert (found.updated, found.times_updated) == ("2026-03-01T10:00:00Z", 2)

    write(repo, "decisions/use-postgres.json", document(title="Use Postgres 9"))
    assert import_store(store, repo)["decisions/use-postgres.json"] == "known"
    assert store.get("use-postgres").version == found.version


def test_what_was_purged_stays_purged(sandbox: Sandbox, repo: Path) -> None:
    """The file is still there, but somebody wanted it gone."""
    content = {**DECISION_CONTENT, "context": "a word to forget"}
    write(repo, "decisions/gone.json", document(id="gone", content=content))
    store = sandbox.open(repo)
    import_store(store, repo)
    assert b"a word to forget" in sandbox.all_bytes(repo)
    store.purge("gone")

    assert import_store(store, repo)["decisions/gone.json"] == "purged"
    assert len(store.memories(status="all")) == 3
    assert b"a word to forget" not in sandbox.all_bytes(repo)


def test_invalid_files_are_listed_and_left_alone(sandbox: Sandbox, repo: Path) -> None:
    """The others come in all the same."""
    broken = {
        "decisions/broken.json": "{",
        "decisions/wrong.json": document(content={}),
        "runbooks/misplaced.json": document(),
    }
    for path, text in broken.items():
        write(repo, path, text)
    (repo / ".claude/memory/decisions/link.json").symlink_to(repo / "missing")
    store = sandbox.open(repo)

    found = import_store(store, repo)

    invalid = {path for path, result in found.items() if result == "invalid"}
    assert invalid == {*broken, "decisions/link.json"}
    assert len(store.memories(status="all")) == 3
    for path, text in broken.items():
        assert (repo / ".claude/memory" / path).read_text() == text


def test_nothing_is_half_imported(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the ledger cannot be written, none of it is there."""
    store = sandbox.open(repo)
    store.capture("notes", "Before")
    folder = sandbox.root / "bin"
    folder.mkdir()
    script = folder / "git"
    real = os.environ["PATH"]
    script.write_text(
        f'#!/bin/sh\nPATH={real}; export PATH\ncase " $* " in *" update-ref "*) exit 1;; esac\n'
        'exec git "$@"\n'
    )
    script.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{folder}{os.pathsep}{real}")
        with pytest.raises(GitFailed):
            import_store(sandbox.open(repo), repo)

    assert [memory.summary for memory in store.memories(status="all")] == ["Before"]
    assert set(import_store(store, repo).values()) == {"created"}


def test_a_dry_run_writes_nothing(sandbox: Sandbox, repo: Path) -> None:
    """And tells the same."""
    store = sandbox.open(repo)

    assert set(import_store(store, repo, dry_run=True).values()) == {"created"}
    assert sandbox.refs(repo, "refs/notes") == {}


def test_secrets_stay_out(sandbox: Sandbox, repo: Path) -> None:
    """Of the content, of what changed, of the reasons, of what has no place in a memory."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said = f"with {token}"
    sandbox.git(repo, "rm", "--quiet", "-r", "--cached", ".claude")
    write(
        repo,
        "decisions/leaky.json",
        document(
            id="leaky",
            content={**DECISION_CONTENT, "context": said},
            changes=[{"date": "2026-02-03T10:00:00Z", "summary": said}],
            record_status="retired",
            retired_reason=said,
            owner=said,
        ),
    )
    store = sandbox.open(repo)

    import_store(store, repo)

    assert token.encode() not in sandbox.all_bytes(repo)
    memory = store.get("leaky")
    kept = (memory.content, memory.changes[0], memory.status_reason, memory.extra)
    assert all("[REDACTED:" in str(part) for part in kept)


def test_nothing_that_is_unknown_is_dropped(sandbox: Sandbox, repo: Path) -> None:
    """It is with the memory, and names it too."""
    write(repo, "decisions/named.json", document(id="other-name", owner="Ada", score=[1, {"a": 2}]))
    store = sandbox.open(repo)

    import_store(store, repo)

    memory = store.get("named")
    assert store.get("other-name") == memory
    left = memory.extra["claude_memory"]
    assert left == {"id": "other-name", "owner": "Ada", "score": [1, {"a": 2}]}


STATUSES = st.sampled_from(
    [
        {"record_status": "active"},
        {"record_status": "retired", "retired_at": "2026-02-02T10:00:00Z"},
        {
            "record_status": "archived",
            "archived_at": "2026-02-03T10:00:00Z",
            "archived_reason": "Not now",
        },
    ]
)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(
    status=STATUSES,
    count=st.integers(0, 3),
    entries=st.integers(0, 60),
    updated=st.sampled_from(["2026-02-01T10:00:00Z", "2026-02-03T10:00:00Z"]),
)
def test_a_document_that_came_in_is_mirrored_as_it_was(
    status: dict[str, Any],
    count: int,
    entries: int,
    updated: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Out of the plugin and back again, the last 50 changes included."""
    place = Sandbox(tmp_path_factory.mktemp("there-and-back"))
    repo = place.init("repo")
    since = next((value for key, value in status.items() if key.endswith("_at")), "")
    if since and not count:
        updated = since  # the plugin counts every later update
    changes = [{"date": "2026-02-01T10:00:00Z", "summary": f"No. {n}"} for n in range(entries)]
    text = document(updated_at=max(updated, since), times_updated=count, changes=changes, **status)
    write(repo, "decisions/use-postgres.json", text)
    store = place.open(repo)
    import_store(store, repo)

    (memory,) = store.memories(status="all")

    before = read_document(text, "decisions", "use-postgres")
    after = read_document(
        json.dumps(to_document(memory, "use-postgres")), "decisions", "use-postgres"
    )
    told = [entry for entry in after.changes if entry.get("field") != "status"]
    assert told == list(before.changes)[-len(told) :] if told else not before.changes
    assert len(after.changes) == min(50, len(before.changes) + len(after.changes) - len(told))
    assert after._replace(changes=()) == before._replace(changes=())
    place.close()


# The command line


def run(repo: Path, *args: str) -> Result:
    """An import."""
    return CliRunner().invoke(root, ["-C", str(repo), "import", "claude-memory", *args])


def test_the_command(sandbox: Sandbox, repo: Path) -> None:
    """Says what came, what did not, and ends with 1 where something could not."""
    assert run(repo, "--dry-run").stderr == ("3 would be imported\nNothing was written.\n")
    asked = run(repo)
    assert asked.stderr == "3 would be imported\nNothing was written. To import, add --yes\n"
    assert [row["result"] for row in json.loads(run(repo, "--json").stdout)] == ["created"] * 3
    assert sandbox.open(repo).memories() == []
    done = run(repo, "--yes")
    assert done.exit_code == 0
    assert done.stderr == "3 imported\nTo undo it, run: recollect import --undo import-1\n"
    assert {m.provenance["via"] for m in sandbox.open(repo).memories()} == {"import:claude-memory"}
    again = run(repo / ".claude", "memory", "--json")
    assert [row["result"] for row in json.loads(again.stdout)] == ["known"] * 3

    write(repo, "decisions/broken.json", "{")
    told = run(repo)
    assert told.exit_code == 1
    skipped = "decisions/broken.json  skipped: not valid: The file is not valid JSON"
    assert told.stdout.startswith(skipped)

    with pytest.raises(ValidationError):
        raise run(repo, "nowhere").exception or AssertionError


def test_a_mirror_is_not_imported_into_itself(sandbox: Sandbox, repo: Path) -> None:
    """Its files are copies of what is known, also where that comes with the next sync."""
    store = sandbox.open(repo)
    import_store(store, repo)
    Mirror(store).update()
    assert set(import_store(store, repo).values()) == {"known"}

    other = sandbox.open(sandbox.init("other"))
    outcomes = import_folder(other, repo / ".claude/memory")

    assert {outcome.result for outcome in outcomes} == {"foreign"}
    assert other.memories() == []


def test_questions_come_in_and_stay(sandbox: Sandbox, repo: Path) -> None:
    """Somebody may add them to a file; the plugin does not know them, so no mirror writes them."""
    write(repo, "decisions/asked.json", document(id="asked", asked_as=["Which database?"]))
    write(repo, "decisions/odd.json", document(id="odd", asked_as=[7]))
    store = sandbox.open(repo)
    import_store(store, repo)
    newer = document(id="asked", updated_at="2026-03-01T10:00:00Z", asked_as=["Where is the data?"])
    write(repo, "decisions/asked.json", newer)

    assert import_store(store, repo)["decisions/asked.json"] == "updated"
    memory = store.get("asked")
    assert memory.asked_as == ("Which database?", "Where is the data?")
    assert "asked_as" not in to_document(memory, "asked")
    assert store.get("odd").extra["claude_memory"] == {"asked_as": [7]}
