"""`recollect learn` and `recollect search` on the command line, as a first session uses them."""

from __future__ import annotations

import json
import os
from pathlib import Path

from click.testing import CliRunner, Result

from recollect.cli import root
from recollect.engine.server import Engine
from tests.mcp.calls import ask
from tests.sandbox import Sandbox
from tests.support.history import with_past


def run(repo: Path, *args: str) -> Result:
    """A command in a repository."""
    return CliRunner().invoke(root, ["-C", str(repo), *args])


def test_what_was_learned_has_vectors(sandbox: Sandbox) -> None:
    """So that the first search finds by meaning; more than a search would compute by itself."""
    repo = with_past(sandbox, fillers=70)
    assert run(repo, "learn", "--yes").exit_code == 0
    store = sandbox.open(repo)
    embedder = store.indexing.embedder
    assert embedder is not None
    assert store.indexing.fresh().count_pending(embedder.name) == 0


def test_vectors_that_a_kill_left_out_are_computed_by_the_next_run(sandbox: Sandbox) -> None:
    """Although there is nothing to keep then; a dry run computes none."""
    repo = with_past(sandbox, fillers=70)
    store = sandbox.open(repo)
    store.run_import(store.plan_import())
    before = store.pending_vectors()
    assert before > 0
    run(repo, "learn", "--dry-run")
    assert store.pending_vectors() == before
    again = run(repo, "learn", "--yes")
    assert "Nothing new" in again.stderr
    assert store.pending_vectors() == 0
    assert "Search also knows" in again.stderr
    assert "Search also knows" not in run(repo, "learn", "--yes").stderr


def test_a_dismissal_prints_json(sandbox: Sandbox) -> None:
    """If asked for it."""
    repo = with_past(sandbox)
    assert json.loads(run(repo, "learn", "--dismiss", "--json").stdout) == {"dismissed": True}
    assert sandbox.open(repo).is_learning_offered()


def test_a_question_without_a_sure_answer_gets_the_nearest(sandbox: Sandbox) -> None:
    """Marked as such; a keyword that nothing matches gets no list of guesses beside an answer."""
    repo = with_past(sandbox)
    run(repo, "learn", "--yes")
    question = "Is there anything that plants need besides sun and water to grow?"
    told = run(repo, "search", question)
    assert told.stderr.startswith("No sure answer. The nearest:\n")
    found = json.loads(run(repo, "search", question, "--json").stdout)
    assert 0 < len(found) <= 5
    assert all(one["weaker"] for one in found)
    sure = json.loads(run(repo, "search", "PostgreSQL", "--json").stdout)
    assert sure
    assert "weaker" not in sure[0]


def test_what_has_nothing_to_do_with_a_question_is_not_near_it(sandbox: Sandbox) -> None:
    """With few memories, the nearest five would be all of them, whatever somebody asks."""
    repo = sandbox.init("few")
    for kind, text in (
        ("decisions", "Use PostgreSQL for orders"),
        ("preferences", "Always use uv, never pip"),
        ("runbooks", "Before a release: run the smoke tests and freeze the schema"),
    ):
        run(repo, "capture", kind, text)

    found = run(repo, "search", "photosynthesis in plants")

    assert found.stdout == ""
    assert "3 weaker matches" in found.stderr


def test_where_no_memory_answers_the_history_does(sandbox: Sandbox) -> None:
    """In a section of its own; `--json` says what is a commit."""
    repo = with_past(sandbox)
    oid = sandbox.commit(repo, "parser: skip a byte order mark")
    learned = run(repo, "learn", "--yes")
    assert "Search also knows" in learned.stderr
    told = run(repo, "search", "byte order mark in the parser")
    assert "From the history (commits, not memories):" in told.stderr
    assert f"{oid[:12]}  " in told.stdout
    assert "git show COMMIT" in told.stderr
    found = json.loads(run(repo, "search", "byte order mark in the parser", "--json").stdout)
    commits = [one for one in found if one.get("type") == "commit"]
    assert [one["commit"] for one in commits] == [oid]
    assert all("id" in one for one in found if one not in commits)
    filtered = run(repo, "search", "byte order mark in the parser", "-k", "decisions", "--json")
    assert not any(one.get("type") == "commit" for one in json.loads(filtered.stdout))


def test_a_commit_that_is_a_memory_is_shown_once(sandbox: Sandbox) -> None:
    """As the memory."""
    repo = with_past(sandbox)
    run(repo, "learn", "--yes")
    found = json.loads(run(repo, "search", "race between two workers", "--json").stdout)
    assert found[0]["provenance"]["from"] not in [one.get("commit") for one in found]


def test_nothing_is_read_for_search_before_the_user_agrees(sandbox: Sandbox) -> None:
    """The history can be read alone, and what was read can be deleted."""
    repo = with_past(sandbox)
    file = repo / ".git" / "recollect" / "history.db"
    for options in (["--dry-run"], [], ["--json"]):
        run(repo, "learn", *options)
        assert not file.exists()
    read = json.loads(run(repo, "learn", "--history", "--json").stdout)
    assert read["commits"] > 0
    assert file.exists()
    assert "no longer knows" in run(repo, "learn", "--no-history").stderr
    assert not file.exists()
    assert json.loads(run(repo, "learn", "--no-history", "--json").stdout) == {"deleted": False}


def test_a_commit_that_answers_better_comes_before_an_unconfirmed_memory(sandbox: Sandbox) -> None:
    """One that somebody confirmed stays first."""
    repo = with_past(sandbox)
    sandbox.commit(repo, "parser: skip a byte order mark before the head of a job")
    run(repo, "learn", "--yes")
    question = "byte order mark before the head of a job"

    def kinds() -> list[str]:
        found = json.loads(run(repo, "search", question, "--json").stdout)
        return [str(one.get("type", one.get("status"))) for one in found if "weaker" not in one]

    assert kinds()[0] == "commit"
    assert "unconfirmed" in kinds()
    run(repo, "capture", "decisions", "The parser skips a byte order mark before the head")
    assert kinds()[:2] == ["active", "commit"]
    told = run(repo, "search", question)
    lines = told.output.splitlines()
    assert lines.index("From the history (commits, not memories):") == 1
    assert "Memories:" in lines


def test_without_a_terminal_each_long_phase_says_that_it_begins(sandbox: Sandbox) -> None:
    """Vectors with their number, and how to stop."""
    repo = with_past(sandbox)
    told = run(repo, "learn", "--yes").stderr
    kept = "Computing vectors of 7 memories … To stop this, press Ctrl-C or end process "
    begins = ["Reading git: ", "Writing ", "Reading commits for search …", kept]
    places = [told.index(said) for said in begins]
    assert places == sorted(places)
    assert "Computing vectors of 3 commits … " in told
    again = run(repo, "learn", "--yes").stderr
    assert "Computing vectors" not in again


def test_search_says_that_vectors_of_the_history_are_missing(sandbox: Sandbox) -> None:
    """Until they are computed."""
    repo = with_past(sandbox)
    sandbox.open(repo).index_history()
    said = "3 commits of the history can't be found by meaning yet."
    assert said in run(repo, "search", "two workers read the head").stderr
    run(repo, "learn", "--history")
    assert said not in run(repo, "search", "two workers read the head").stderr


def test_an_agent_sees_commits_first_if_one_answers_better(sandbox: Sandbox) -> None:
    """Below memories, if one of these was confirmed."""
    repo = with_past(sandbox)
    oid = sandbox.commit(repo, "parser: skip a byte order mark before the head of a job")
    run(repo, "learn", "--yes")
    question = "byte order mark before the head of a job"
    engine = Engine(repo, dict(os.environ))
    try:
        found = ask(engine, "search_memories", query=question)
        assert next(iter(found)) == "commits"
        assert found["commits"][0]["commit"] == oid[:12]
        run(repo, "capture", "decisions", "The parser skips a byte order mark before the head")
        assert next(iter(ask(engine, "search_memories", query=question))) == "memories"
    finally:
        engine.stop()
