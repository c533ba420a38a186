"""`recollect learn` and `recollect search` on the command line, as a first session uses them."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from recollect.cli import root
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
