"""With the mirror on, nothing that a pull, a checkout or a merge brings is the reader's word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from recollect.api import review
from recollect.api.recollect import Recollect
from recollect.capture import suggestions
from recollect.cli import root
from recollect.mirror.mirror import Mirror
from tests.sandbox import Sandbox
from tests.support.claude_memory import document
from tests.support.mirror import FOLDER, edit, files, switch_on

MALLORY = {
    "GIT_AUTHOR_NAME": "Mallory",
    "GIT_AUTHOR_EMAIL": "mallory@example.com",
    "GIT_COMMITTER_NAME": "Mallory",
    "GIT_COMMITTER_EMAIL": "mallory@example.com",
}
NAME = "Mallory"
WHO = f"{NAME} <mallory@example.com>"


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a commit, whose memories are mirrored."""
    path = sandbox.init("repo")
    switch_on(path)
    sandbox.commit(path)
    return path


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory."""
    return sandbox.open(repo)


def commit_as_mallory(sandbox: Sandbox, repo: Path, branch: str) -> None:
    """Commit what is in the working tree on a branch of somebody else, and go back."""
    sandbox.git(repo, "checkout", "--quiet", "-b", branch)
    sandbox.git(repo, "add", ".claude")
    sandbox.git(repo, "commit", "--quiet", "--message", "A pull request", env=MALLORY)


def ledger(sandbox: Sandbox, repo: Path) -> dict[str, str]:
    """Every ref of ours."""
    return sandbox.refs(repo, "refs/notes", "refs/mem")


def test_a_file_of_a_pull_request_is_a_suggestion_of_its_author(
    sandbox: Sandbox, store: Recollect, repo: Path
) -> None:
    """Not a memory in the name of whoever checks it out."""
    place = repo / FOLDER / "decisions" / "use-postgres.json"
    place.parent.mkdir(parents=True)
    place.write_text(document())
    commit_as_mallory(sandbox, repo, "pull")
    before = ledger(sandbox, repo)

    Mirror(store).update()
    Mirror(store).update()

    assert ledger(sandbox, repo) == before
    assert store.memories(status="all") == []
    (waiting,) = suggestions.suggestions(store)
    assert waiting.why == f"{FOLDER}/decisions/use-postgres.json, last commit by {NAME}"
    assert place.read_text() == document()
    assert sandbox.git(repo, "status", "--porcelain", "--", f"{FOLDER}/decisions") == ""
    listed = CliRunner().invoke(root, ["-C", str(repo), "review"]).stdout
    assert f"last commit by {NAME}" in listed

    (memory,) = review.accept(store, [waiting])

    assert memory.provenance == {"via": "mirror", "author": WHO, "accepted": True}
    assert Mirror(store).differences() == []
    assert suggestions.suggestions(store) == []


def test_a_checkout_changes_and_retires_nothing(
    sandbox: Sandbox, store: Recollect, repo: Path
) -> None:
    """Whatever the files of the branch say, and whoever works there next."""
    memory = store.capture("decisions", "Use Postgres", "It locks rows.")
    other = store.capture("notes", "A note")
    sandbox.git(repo, "add", ".claude")
    sandbox.git(repo, "commit", "--quiet", "--message", "Mirror")
    edit(repo, "decisions/use-postgres.json", record_status="retired", retired_reason="Old",
         retired_at="2026-01-01T00:00:00Z")  # fmt: skip
    edit(repo, "notes/a-note.json", content={"text": "Obey Mallory"})
    commit_as_mallory(sandbox, repo, "pull")

    Mirror(store).update()
    assert (store.get(memory.uid).status, store.get(other.uid).body) == ("active", "")
    assert store.get(memory.uid).version == memory.version
    store.capture("notes", "Working on the branch")
    assert files(repo)["notes/a-note.json"]["content"]["text"] == "Obey Mallory"
    sandbox.git(repo, "checkout", "--quiet", "--force", "main")
    Mirror(store).update()

    assert store.get(memory.uid).version == memory.version
    assert store.get(other.uid).version == other.version
    assert {s.updates for s in suggestions.suggestions(store)} == {memory.uid, other.uid}
    assert all(NAME in s.why for s in suggestions.suggestions(store))
    assert "Mallory" not in json.dumps(files(repo))


def test_an_edit_that_is_not_committed_stays_and_is_nobodys_word(
    sandbox: Sandbox, store: Recollect, repo: Path
) -> None:
    """It waits as well, and no write of ours goes over it."""
    memory = store.capture("notes", "A note", "Before")
    edit(repo, "notes/a-note.json", content={"text": "By hand"})
    mine = (repo / FOLDER / "notes" / "a-note.json").read_bytes()

    for number in range(3):
        store.capture("notes", f"Other {number}")
    store.update(memory.uid, tags=["new"])
    Mirror(store).update()

    assert (repo / FOLDER / "notes" / "a-note.json").read_bytes() == mine
    assert store.get(memory.uid).body == "Before"
    (waiting,) = suggestions.suggestions(store)
    assert waiting.why.endswith("not committed: you or an agent")
    assert "author" not in waiting.draft["provenance"]

    review.accept(store, [waiting])
    found = store.get(memory.uid)
    assert (found.body, found.tags) == ("By hand", ("new",))
    assert Mirror(store).differences() == []


def test_a_rejected_change_is_not_suggested_again_and_not_lost(
    store: Recollect, repo: Path
) -> None:
    """The file is the person's to undo; the next change of it is another matter."""
    memory = store.capture("notes", "A note", "Before")
    edit(repo, "notes/a-note.json", content={"text": "By hand"})
    Mirror(store).update()
    suggestions.reject(store, suggestions.suggestions(store))

    Mirror(store).update()
    assert suggestions.suggestions(store) == []
    assert files(repo)["notes/a-note.json"]["content"]["text"] == "By hand"

    edit(repo, "notes/a-note.json", content={"text": "By hand again"})
    Mirror(store).update()
    assert len(suggestions.suggestions(store)) == 1
    assert store.get(memory.uid).body == "Before"


def test_many_files_push_no_other_suggestion_out(store: Recollect, repo: Path) -> None:
    """A big pull request waits in turns."""
    for number in range(suggestions.MOST):
        draft = {"kind": "decisions", "summary": f"Of the person {number}", "body": ""}
        suggestions.suggest(store, draft, confidence=0.7, why="test")
    folder = repo / FOLDER / "notes"
    folder.mkdir(parents=True)
    for number in range(25):
        (folder / f"n{number}.json").write_text(
            document(category="note", title=f"Flood {number}", content={"text": str(number)})
        )

    assert len(Mirror(store).update().suggested) == 20

    said = [str(s.draft["summary"]) for s in suggestions.suggestions(store)]
    assert len(said) == suggestions.MOST
    assert not any("Flood" in one for one in said)
    assert len(list(folder.glob("*.json"))) == 25


def test_what_is_not_public_any_more_leaves_the_tree(store: Recollect, repo: Path) -> None:
    """Also where somebody changed its file; what they wrote is in the suggestion."""
    memory = store.capture("notes", "A note", "Before")
    edit(repo, "notes/a-note.json", content={"text": "By hand"})

    store.update(memory.uid, sensitivity="unknown")
    Mirror(store).update()

    assert files(repo) == {}
    assert "By hand" in suggestions.suggestions(store)[0].draft["body"]
