"""The mirror says what the ledger says, and nothing that people write into it is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.api import review
from recollect.api.recollect import Recollect
from recollect.capture import suggestions
from recollect.core.status import TRANSITIONS
from recollect.core.uid import make_uid
from recollect.errors import NotWritable
from recollect.ledger.writes import Creation
from recollect.mirror.mirror import Mirror
from tests.sandbox import Sandbox
from tests.support.claude_memory import DECISION_CONTENT, document
from tests.support.mirror import FOLDER, asides, check, edit, files, switch_on, take

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def state(repo: Path) -> dict[str, tuple[int, int]]:
    """When each file of the mirror was written, and which one it is."""
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_ino)
        for path in (repo / FOLDER).rglob("*")
        if path.is_file()
    }


# Following


def test_it_follows_every_change(store: Recollect, repo: Path) -> None:
    """Capture, edit, status, purge: nobody has to ask for it."""
    memory = store.capture("decisions", "Use Postgres", "It is known.", tags=["db"])
    assert files(repo)["decisions/use-postgres.json"]["tags"] == ["db"]

    store.update(memory.id, summary="Use Postgres", body="Everybody knows it.")
    said = files(repo)["decisions/use-postgres.json"]
    assert (said["times_updated"], said["content"]["rationale"]) == (1, ["Everybody knows it."])

    store.set_status(memory.id, "retired", "It is gone")
    said = files(repo)["decisions/use-postgres.json"]
    assert (said["record_status"], said["retired_reason"]) == ("retired", "It is gone")
    assert said["retired_at"] == store.get(memory.id).status_changed
    assert "use-postgres" not in (repo / FOLDER / "index.md").read_text()
    check(store, repo)

    store.purge(memory.id)
    assert files(repo) == {}
    check(store, repo)
    assert store.warnings == []


def test_a_typed_memory_is_mirrored_as_it_is(store: Recollect, repo: Path) -> None:
    """Its content is the document's."""
    store.capture("decisions", "Use Postgres", content=DECISION_CONTENT)

    assert files(repo)["decisions/use-postgres.json"]["content"] == DECISION_CONTENT
    check(store, repo)


def test_what_is_not_public_is_never_written(store: Recollect, repo: Path) -> None:
    """Private, secret and unclassified memories are not for the working tree."""
    for sensitivity in ("private", "secret", "unknown"):
        store.capture("notes", f"Very {sensitivity}", "hush", sensitivity=sensitivity)
    shown = store.capture("notes", "For all")
    check(store, repo)
    assert list(files(repo)) == ["notes/for-all.json"]

    store.update(shown.id, sensitivity="unknown")

    assert files(repo) == {}
    assert "hush" not in "".join(p.read_text() for p in (repo / FOLDER).rglob("*") if p.is_file())


def test_a_second_look_writes_nothing(store: Recollect, repo: Path) -> None:
    """Nor does anybody who has nothing to add."""
    for number in range(3):
        store.capture("notes", f"Number {number}")
    before = state(repo)

    report = Mirror(store).update()
    store.mirror()

    assert not report.has_changed
    assert state(repo) == before


def test_only_what_changed_is_written(store: Recollect, repo: Path) -> None:
    """The other files stay the very same."""
    store.capture("notes", "First")
    other = store.capture("notes", "Second")
    before = state(repo)

    store.update(other.id, body="More")

    after = state(repo)
    changed = {Path(path).name for path in after if after[path] != before[path]}
    assert changed == {"second.json", ".recollect.json"}


def test_nothing_is_read_when_nothing_moved(store: Recollect, repo: Path) -> None:
    """A write that changes no memory must not pay for the mirror: a broken file stays unseen."""
    store.capture("notes", "First")
    (repo / FOLDER / "notes" / "first.json").write_text("broken")

    store.mirror()
    assert asides(repo) == []

    Mirror(store).update()
    assert len(asides(repo)) == 1


def test_equal_names_get_a_tail(store: Recollect, repo: Path) -> None:
    """The younger one, and only as long as there is an older one."""
    old = store.capture("notes", "Same")
    young = store.capture("notes", "Same", "but not the same")
    tail = young.uid[-4:].lower()
    assert set(files(repo)) == {"notes/same.json", f"notes/same-{tail}.json"}
    assert files(repo)[f"notes/same-{tail}.json"]["content"]["text"] == "but not the same"
    check(store, repo)

    store.purge(old.uid)

    assert files(repo)["notes/same.json"]["content"]["text"] == "but not the same"
    check(store, repo)


def test_a_new_name_moves_the_file(store: Recollect, repo: Path) -> None:
    """No copy stays under the old one."""
    memory = store.capture("notes", "Before")

    store.update(memory.id, summary="After")

    assert set(files(repo)) == {"notes/after.json"}
    check(store, repo)


WORDS = st.sampled_from(["Use Postgres", "Use Redis", "Ä ö", "-> x #tags:y", "日本語"])
STEPS = st.one_of(
    st.tuples(st.just("create"), st.sampled_from(["decisions", "notes", "facts"]), WORDS),
    st.tuples(st.just("edit"), st.integers(0, 9), WORDS),
    st.tuples(st.just("tag"), st.integers(0, 9), st.sampled_from([[], ["a"], ["b", "c"]])),
    st.tuples(st.just("status"), st.integers(0, 9), st.integers(0, 2)),
    st.tuples(st.just("hide"), st.integers(0, 9), st.sampled_from(["unknown", "public"])),
    st.tuples(st.just("purge"), st.integers(0, 9)),
    st.tuples(st.just("by hand"), st.integers(0, 9), WORDS),
    st.tuples(st.just("delete"), st.integers(0, 9)),
    st.tuples(st.just("forget"), st.sampled_from([".recollect.json", "index.md"])),
)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(STEPS, min_size=1, max_size=12))
def test_whatever_happens_the_mirror_says_what_the_ledger_says(
    steps: list[tuple[Any, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Any days of people and files, in any order; and a second look finds nothing to do."""
    place = Sandbox(tmp_path_factory.mktemp("days"))
    repo = place.init("repo")
    switch_on(repo)
    store = place.open(repo)
    for action, *values in steps:
        known = store.memories(status="all")
        memory = known[int(values[0]) % len(known)] if known and values[0] in range(10) else None
        _step(store, repo, action, memory, values)
    take(store)

    check(store, repo)
    assert not Mirror(store).update().has_changed
    assert asides(repo) == []
    place.close()


def _step(store: Recollect, repo: Path, action: str, memory: Any, values: list[Any]) -> None:
    paths = sorted(files(repo)) if (repo / FOLDER).exists() else []
    match action:
        case "create":
            store.capture(values[0], values[1], at=None)
        case "edit" if memory:
            store.update(memory.uid, summary=values[1])
        case "tag" if memory:
            store.update(memory.uid, tags=values[1])
        case "status" if memory:
            legal = TRANSITIONS[memory.status]
            store.set_status(memory.uid, legal[values[1] % len(legal)])
        case "hide" if memory:
            store.update(memory.uid, sensitivity=values[1])
        case "purge" if memory:
            store.purge(memory.uid)
        case "by hand" if paths:
            edit(repo, paths[values[0] % len(paths)], title=values[1])
        case "delete" if paths:
            (repo / FOLDER / paths[values[0] % len(paths)]).unlink()
        case "forget":
            (repo / FOLDER / values[0]).unlink(missing_ok=True)


def test_a_kind_of_a_newer_version_is_mirrored_too(store: Recollect, repo: Path) -> None:
    """Nobody here can change it, and it is never dropped."""
    fields = {"summary": "Whatever", "content": {"speed": 3}}
    store.write([Creation(store.new_nonce(), "new-gadgets", fields, "A body")], "test")
    path = "new-gadgets/whatever.json"
    assert files(repo)[path]["content"] == {"speed": 3, "text": "A body"}
    check(store, repo)

    edit(repo, path, title="Mine")
    Mirror(store).update()

    assert len(asides(repo)) == 1
    check(store, repo)


# What people write


def test_a_change_by_hand_is_taken_over(store: Recollect, repo: Path) -> None:
    """As an update of that memory; what they did not touch stays."""
    memory = store.capture(
        "decisions", "Use Postgres", content=DECISION_CONTENT, tags=["db"], importance=0.9
    )
    path = "decisions/use-postgres.json"
    content = {**DECISION_CONTENT, "consequences": ["A server to run"]}
    edit(repo, path, content=content, tags=["db", "sql"], related_files=["src/db.py"])

    report = take(store)

    found = store.get(memory.uid)
    assert report.suggested == [path]
    assert found.content == content
    assert (found.tags, found.files_modified) == (("db", "sql"), ("src/db.py",))
    assert (found.summary, found.importance) == ("Use Postgres", 0.9)
    # Nobody knows who wrote what is not committed.
    assert found.changes[-1]["summary"] == "Changed in its file: tags, files_modified, content"
    assert found.times_updated == 1
    assert len(store.memories()) == 1
    check(store, repo)


def test_a_plain_memory_can_be_changed_by_hand_too(store: Recollect, repo: Path) -> None:
    """The text of its document is its body."""
    memory = store.capture("notes", "A note", "Before")

    edit(repo, "notes/a-note.json", content={"text": "After\n"}, title="Another note")
    take(store)

    found = store.get(memory.uid)
    assert (found.summary, found.body) == ("Another note", "After\n")
    check(store, repo)


def test_the_next_change_of_the_ledger_suggests_it_as_well(store: Recollect, repo: Path) -> None:
    """Nobody has to ask; and it is told."""
    memory = store.capture("notes", "A note", "Before")
    edit(repo, "notes/a-note.json", content={"text": "After"})

    store.capture("notes", "Something else")

    assert store.get(memory.uid).body == "Before"
    assert any("recollect review" in warning for warning in store.warnings)
    (waiting,) = suggestions.suggestions(store)
    assert waiting.updates == memory.uid
    review.accept(store, [waiting])
    assert store.get(memory.uid).body == "After"
    check(store, repo)


def test_both_changes_count_when_ledger_and_file_moved(store: Recollect, repo: Path) -> None:
    """The file was written from an older state: only what differs from that is a change."""
    memory = store.capture("decisions", "Use Postgres", content=DECISION_CONTENT)
    content = {**DECISION_CONTENT, "context": "By hand"}
    edit(repo, "decisions/use-postgres.json", content=content)
    # Another working tree of the same ledger, where nobody looks at these files.
    other = Recollect(store.ledger, store.config._replace(settings=_off(store)))
    newer = {**DECISION_CONTENT, "rationale": ["It is known", "It is free"]}
    other.write([_content_change(other, memory.uid, newer)], "test")
    other.update(memory.uid, tags=["db"], summary="Use PostgreSQL")

    take(store)

    found = store.get(memory.uid)
    assert found.content == {**newer, "context": "By hand"}
    assert (found.summary, found.tags) == ("Use PostgreSQL", ("db",))
    check(store, repo)


def _off(store: Recollect) -> dict[str, Any]:
    settings = dict(store.config.settings)
    settings["mirror.enabled"] = settings["mirror.enabled"]._replace(value=False)
    return settings


def _content_change(store: Recollect, uid: str, content: dict[str, Any]) -> Any:
    from recollect.store.prepare import change_of

    return change_of(store, store.get(uid), {"content": content}, None)


def test_a_status_set_by_hand_counts(store: Recollect, repo: Path) -> None:
    """With its reason."""
    memory = store.capture("notes", "A note")

    edit(repo, "notes/a-note.json", record_status="archived", archived_reason="Not now")
    take(store)

    found = store.get(memory.uid)
    assert (found.status, found.status_reason) == ("archived", "Not now")
    check(store, repo)


def test_unknown_fields_are_kept_beside_the_memory(store: Recollect, repo: Path) -> None:
    """The document has no place for them, the ledger does."""
    memory = store.capture("notes", "A note")
    for name in ("owner", "team"):
        edit(repo, "notes/a-note.json", **{name: "Ada"})
        take(store)

    found = store.get(memory.uid)
    assert found.extra["claude_memory"] == {"owner": "Ada", "team": "Ada"}
    check(store, repo)


def test_what_cannot_be_changed_is_written_again(store: Recollect, repo: Path) -> None:
    """A birthday, a name, a count: they are the ledger's."""
    memory = store.capture("notes", "A note")

    edit(repo, "notes/a-note.json", created_at="2001-01-01T00:00:00Z", times_updated=7)
    Mirror(store).update()

    assert store.get(memory.uid).version == memory.version
    check(store, repo)


def test_another_layout_of_the_same_is_no_change(store: Recollect, repo: Path) -> None:
    """Somebody's formatter is not somebody's opinion."""
    memory = store.capture("notes", "A note")
    edit(repo, "notes/a-note.json")

    report = Mirror(store).update()

    assert report.suggested == []
    assert store.get(memory.uid).version == memory.version
    check(store, repo)


def test_line_ends_are_no_change(store: Recollect, repo: Path) -> None:
    """A checkout may turn them."""
    store.capture("notes", "A note")
    for path in (repo / FOLDER).rglob("*.*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert Mirror(store).differences() == []
    assert not Mirror(store).update().has_changed


def test_a_secret_written_by_hand_does_not_reach_the_ledger(
    sandbox: Sandbox, store: Recollect, repo: Path
) -> None:
    """And leaves the file."""
    memory = store.capture("notes", "A note")
    edit(repo, "notes/a-note.json", content={"text": f"The token is {TOKEN}"})

    take(store)

    assert "[REDACTED:" in store.get(memory.uid).body
    assert TOKEN not in (repo / FOLDER / "notes" / "a-note.json").read_text()
    assert TOKEN.encode() not in sandbox.all_bytes(repo)
    check(store, repo)


def test_a_new_file_becomes_a_memory(store: Recollect, repo: Path) -> None:
    """With its dates, under its name."""
    (repo / FOLDER / "decisions").mkdir(parents=True)
    (repo / FOLDER / "decisions" / "use-postgres.json").write_text(document())

    take(store)

    memory = store.get("use-postgres")
    assert (memory.created, memory.updated) == ("2026-02-01T10:00:00Z", "2026-02-03T10:00:00Z")
    assert memory.provenance == {
        "via": "mirror",
        "accepted": True,
    }
    assert set(files(repo)) == {"decisions/use-postgres.json"}
    check(store, repo)


def test_a_new_file_with_an_odd_name(store: Recollect, repo: Path) -> None:
    """It is renamed to what the mirror would call it."""
    (repo / FOLDER / "decisions").mkdir(parents=True)
    (repo / FOLDER / "decisions" / "Use Postgres!.json").write_text(document())

    take(store)

    assert set(files(repo)) == {"decisions/use-postgres.json"}
    check(store, repo)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n",
        document(category="preference").encode(),
        document(content={}).encode(),
        document(record_status="retired", retired_at="soon").encode(),
        b'{"title": "' + b"x" * 600_000 + b'"}',
    ],
)
def test_what_is_not_valid_is_put_aside_and_written_again(
    store: Recollect, repo: Path, text: bytes
) -> None:
    """Not a byte of it is lost, and the ledger is as it was."""
    memory = store.capture("decisions", "Use Postgres")
    place = repo / FOLDER / "decisions" / "use-postgres.json"
    good = place.read_bytes()
    place.write_bytes(text)
    (place.parent / "new.json").write_bytes(text)

    report = Mirror(store).update()

    assert place.read_bytes() == good
    assert [path.read_bytes() for path in asides(repo)] == [text, text]
    assert len(report.renamed) == len(report.notes) == 2
    assert store.get(memory.uid).version == memory.version
    check(store, repo)


def test_nothing_that_was_put_aside_is_ever_written_over(store: Recollect, repo: Path) -> None:
    """Two in the same second get two names."""
    store.capture("notes", "A note")
    place = repo / FOLDER / "notes" / "a-note.json"
    for text in ("first", "second", "third"):
        place.write_text(text)
        Mirror(store).update()

    assert sorted(path.read_text() for path in asides(repo)) == ["first", "second", "third"]


def test_a_deleted_file_is_written_again(store: Recollect, repo: Path) -> None:
    """Whoever wants a memory gone retires it."""
    store.capture("notes", "A note")
    (repo / FOLDER / "notes" / "a-note.json").unlink()
    assert [d.state for d in Mirror(store).differences()] == ["missing"]

    Mirror(store).update()

    check(store, repo)


def test_a_purge_takes_what_was_put_aside_too(store: Recollect, repo: Path) -> None:
    """And a change by hand cannot bring it back."""
    memory = store.capture("notes", "A note", "the hidden word")
    place = repo / FOLDER / "notes" / "a-note.json"
    place.write_text(place.read_text().replace("{", "{ the hidden word", 1))
    Mirror(store).update()
    edit(repo, "notes/a-note.json", title="the hidden word again")

    store.purge(memory.uid)

    left = [path.read_text() for path in (repo / FOLDER).rglob("*") if path.is_file()]
    assert not any("hidden" in text for text in left)
    assert store.memories() == []


def test_a_file_of_a_purged_memory_does_not_bring_it_back(
    sandbox: Sandbox, store: Recollect, repo: Path
) -> None:
    """Neither with the manifest's line nor without it, nor as the file it was imported from."""
    (repo / FOLDER / "decisions").mkdir(parents=True)
    original = repo / FOLDER / "decisions" / "use-postgres.json"
    original.write_text(document())
    take(store)
    sandbox.git(repo, "add", ".claude")
    sandbox.git(repo, "commit", "--quiet", "--message", "Mirror")

    store.purge("use-postgres")
    assert "the history of the branch still contains it" in store.warnings[-1]
    before = sandbox.trees(repo)
    sandbox.git(repo, "checkout", "--quiet", "HEAD", "--", ".claude")
    Mirror(store).update()
    original.parent.mkdir(exist_ok=True)
    original.write_text(document())
    Mirror(store).update()

    assert store.memories(status="all") == []
    assert files(repo) == {}
    assert sandbox.trees(repo) == before


# What git does


def test_a_lost_manifest_changes_nothing(store: Recollect, repo: Path) -> None:
    """The files are known by their kind, name and birth, and by what they ever said."""
    memory = store.capture("notes", "A note", "Before")
    old = (repo / FOLDER / "notes" / "a-note.json").read_bytes()
    store.update(memory.uid, body="After")
    (repo / FOLDER / ".recollect.json").unlink()
    (repo / FOLDER / "notes" / "a-note.json").write_bytes(old)

    Mirror(store).update()

    assert [m.body for m in store.memories()] == ["After"]
    check(store, repo)


def test_another_branch_brings_no_old_words_back(
    sandbox: Sandbox, store: Recollect, repo: Path
) -> None:
    """A checkout is nobody's opinion: the ledger is not the branch's."""
    memory = store.capture("notes", "A note", "Before")
    sandbox.git(repo, "add", ".claude")
    sandbox.git(repo, "commit", "--quiet", "--message", "Mirror")
    sandbox.git(repo, "branch", "old")
    store.update(memory.uid, body="After")
    sandbox.git(repo, "commit", "--quiet", "--all", "--message", "Mirror again")
    sandbox.git(repo, "checkout", "--quiet", "old")

    store.mirror()  # the ledger has not moved, but the manifest has

    assert store.get(memory.uid).body == "After"
    check(store, repo)
    # One file only, so that it and the manifest do not agree.
    sandbox.git(repo, "checkout", "--quiet", "old", "--", f"{FOLDER}/notes/a-note.json")
    Mirror(store).update()
    assert store.get(memory.uid).body == "After"
    check(store, repo)


def _share(sandbox: Sandbox) -> tuple[Path, Path]:
    """Two clones of a project that has the mirror on."""
    sandbox.make_hub()
    ada, bob = sandbox.clone("ada"), sandbox.clone("bob")
    for clone in (ada, bob):
        switch_on(clone)
        (clone / ".git" / "info" / "exclude").write_text(".recollect.toml\n")
    return ada, bob


def _push(sandbox: Sandbox, clone: Path) -> None:
    sandbox.git(clone, "add", ".claude")
    sandbox.git(clone, "commit", "--quiet", "--message", "Mirror")
    sandbox.git(clone, "push", "--quiet", "origin", "main")


def test_the_files_of_a_team_mate_wait_for_the_sync(sandbox: Sandbox) -> None:
    """They came with a pull; the memories come with a sync. Until then nobody touches them."""
    ada, bob = _share(sandbox)
    adas = sandbox.open(ada)
    memory = adas.capture("notes", "Of Ada", "one")
    _push(sandbox, ada)
    sandbox.git(bob, "pull", "--quiet", "origin", "main")
    bobs = sandbox.open(bob)

    bobs.capture("notes", "Of Bob")
    bobs.capture("notes", "Of Ada", "another one of that name")

    assert files(bob)["notes/of-ada.json"]["content"]["text"] == "one"
    assert sorted(m.summary for m in bobs.memories()) == ["Of Ada", "Of Bob"]
    page = (bob / FOLDER / "index.md").read_text()
    assert page.count("- [NOTE]") == 3
    assert {d.state for d in Mirror(bobs).differences()} == {"foreign"}

    adas.sync()
    bobs.sync()

    assert memory.uid in {m.uid for m in bobs.memories()}
    check(bobs, bob)


def test_a_newer_state_of_a_team_mate_waits_too(sandbox: Sandbox) -> None:
    """An older ledger must not write an older state over it."""
    ada, bob = _share(sandbox)
    adas, bobs = sandbox.open(ada), sandbox.open(bob)
    memory = adas.capture("notes", "Shared", "one")
    adas.sync()
    bobs.sync()
    adas.update(memory.uid, body="two")
    _push(sandbox, ada)
    (bob / FOLDER).rename(bob / "away")
    sandbox.git(bob, "pull", "--quiet", "origin", "main")

    bobs.capture("notes", "Of Bob")

    assert files(bob)["notes/shared.json"]["content"]["text"] == "two"
    adas.sync()
    bobs.sync()
    assert bobs.get(memory.uid).body == "two"
    check(bobs, bob)


def test_merged_branches_are_sorted_out(sandbox: Sandbox) -> None:
    """Git merges the manifest line by line; where it cannot, both sides are read."""
    ada, bob = _share(sandbox)
    adas, bobs = sandbox.open(ada), sandbox.open(bob)
    shared = adas.capture("notes", "Shared", "one")
    adas.sync()
    bobs.sync()
    adas.update(shared.uid, body="two")
    for name in ("Middle", "Zero"):
        adas.capture("notes", f"{name} of Ada")
    _push(sandbox, ada)
    bobs.update(shared.uid, tags=["by-bob"])
    for name in ("Middle", "Alpha"):
        bobs.capture("notes", f"{name} of Bob")
    sandbox.git(bob, "add", ".claude")
    sandbox.git(bob, "commit", "--quiet", "--message", "Mirror")
    sandbox.run(bob, "pull", "--quiet", "--no-rebase", "origin", "main")  # conflicts, or not
    for person in (adas, bobs, adas):
        person.sync()
    Mirror(bobs).update()
    Mirror(adas).update()

    check(bobs, bob)
    check(adas, ada)
    assert files(ada) == files(bob)
    assert bobs.get(shared.uid).body == "two"
    assert len(bobs.memories()) == 5


def test_a_long_manifest_is_read_whole(store: Recollect, repo: Path) -> None:
    """The lines of a big team stay, also where their files have not come yet."""
    store.capture("notes", "A note")
    place = repo / FOLDER / ".recollect.json"
    lines = [
        f',"notes/of-others-{n}.json": {{"uid": "{make_uid(n, n)}", "version": "{n:012}",'
        f' "record": "{make_uid(n, n)}", "sha256": "{n:064}"}}'
        for n in range(4000)
    ]
    first, *rest = place.read_text().splitlines()
    place.write_text("\n".join([first, *lines, *rest, ""]))

    Mirror(store).update()

    assert len(json.loads(place.read_text())) == 4002
    assert len(store.memories()) == 1


def test_working_trees_have_a_mirror_each(sandbox: Sandbox, store: Recollect, repo: Path) -> None:
    """Of the one ledger that they share."""
    other = sandbox.root / "other"
    sandbox.git(repo, "worktree", "add", "--quiet", str(other))
    switch_on(other)
    elsewhere = sandbox.open(other)
    store.capture("notes", "Here")
    assert not (other / FOLDER).exists()

    elsewhere.capture("notes", "There")

    check(elsewhere, other)
    assert set(files(other)) == {"notes/here.json", "notes/there.json"}
    store.mirror()
    check(store, repo)
    assert not Mirror(elsewhere).update().has_changed


# Mishaps


@pytest.mark.parametrize("failing", range(1, 7))
def test_a_crash_at_any_write_is_repaired(
    store: Recollect, repo: Path, failing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fills up half way; later there is room again."""
    memory = store.capture("notes", "First", "one")
    other = Recollect(store.ledger, store.config._replace(settings=_off(store)))
    other.capture("notes", "Same", "two")
    other.update(memory.uid, summary="Moved")
    edit(repo, "notes/first.json", content={"text": "by hand"})
    (repo / FOLDER / "notes" / "new.json").write_text(
        document(category="note", content={"text": "new"})
    )
    real, count = Path.replace, 0

    def replace(self: Path, target: Path) -> Path:
        nonlocal count
        if self.name.startswith(".recollect-"):
            count += 1
            if count == failing:
                raise OSError(28, "No space left on device")
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replace)
        with suppress(NotWritable):
            Mirror(store).update()
    take(store)

    check(store, repo)
    assert sorted(m.body for m in store.memories()) == ["by hand", "new", "two"]
    assert len(store.history(memory.uid)) == 3
    assert asides(repo) == []


def test_writers_at_once_leave_a_true_mirror(
    sandbox: Sandbox, store: Recollect, repo: Path
) -> None:
    """Each in a process of its own."""
    code = (
        "import recollect, sys\n"
        "store = recollect.open(sys.argv[1])\n"
        "for number in range(3): store.capture('notes', f'{sys.argv[2]} {number}')\n"
    )
    command = [sys.executable, "-c", code, str(repo)]
    running = [subprocess.Popen([*command, name]) for name in ("ada", "bob", "eve")]
    assert [process.wait() for process in running] == [0, 0, 0]

    store.mirror()

    check(store, repo)
    assert len(files(repo)) == 9
