"""What a session starts with: within its total, with what the branch and the package are about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.search.tokens import count_tokens
from tests.sandbox import Sandbox
from tests.support.agent import Agent

WORDS = ("amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "inlet", "jetty")


def _body(number: int) -> str:
    """Text of about a hundred tokens that no other number has."""
    return " ".join(f"{word}{number * 13 + place}" for place, word in enumerate(WORDS))


def _start(repo: Path, session: str = "s1", **settings: str) -> str:
    env = {f"RECOLLECT_{name.upper()}": value for name, value in settings.items()}
    return Agent(repo, session).context("session-start", env, source="startup")


def _full(context: str) -> str:
    """The part of a context with whole memories, without titles."""
    return context.partition("Titles of other memories")[0]


@pytest.fixture
def busy(sandbox: Sandbox, repo: Path) -> Recollect:
    """A store that could fill every budget."""
    store = sandbox.open(repo)
    kinds = ("decisions", "constraints", "preferences", "blockers", "learnings", "sessions")
    store.capture_many(
        [
            {
                "kind": kinds[n % len(kinds)],
                "summary": f"Rule {n} about part {n * 7}",
                "body": _body(n),
            }
            for n in range(220)
        ]
    )
    store.close()
    return store


def test_no_mode_exceeds_its_total_and_the_guide_counts(repo: Path, busy: Recollect) -> None:
    """Guide, last session, memories and titles together."""
    for number, (settings, total) in enumerate(
        [
            ({"inject_budget": "simple"}, 1200),
            ({"inject_budget": "medium"}, 2200),
            ({"inject_budget": "complex", "guidance_detail": "detailed"}, 2600),
            ({"inject_budget": "full"}, 3000),
            ({"inject_budget": "adaptive"}, 3000),
            ({"inject_budget": "fixed"}, 1000),
            ({"inject_budget": "fixed", "inject_session_tokens": "300"}, 300),
            ({"inject_budget": "fixed", "inject_session_tokens": "90"}, 90),
            ({"inject_budget": "full", "inject_max_session_tokens": "700"}, 700),
        ]
    ):
        said = _start(repo, f"s{number}", **settings)
        assert count_tokens(said) <= total, settings
        assert count_tokens(said) >= total * 0.6 or total < 400, settings  # and it is used
        assert ("<recollect-guide" in said or "recollect search" in said) is (total >= 300)


def test_fixed_takes_at_most_3000_unless_the_user_raises_the_cap(
    repo: Path, busy: Recollect
) -> None:
    """`recollect why` shows the total."""
    fixed = {"inject_budget": "fixed", "inject_session_tokens": "9000"}
    for session, most, total in (("s1", "", 3000), ("s2", "4000", 4000)):
        raised = {"inject_max_session_tokens": most} if most else {}
        _start(repo, session, **fixed, **raised)
        steps = [s for trace in busy.why(5, session) for s in trace.steps]
        assert [s["tokens"] for s in steps if s["what"] == "budget"] == [total]


def test_spec_is_detected_from_branch_and_folder_and_filters_and_boosts(
    sandbox: Sandbox, repo: Path
) -> None:
    """Working memory of another specification stays out; that of this one comes first."""
    store = sandbox.open(repo)
    store.capture("blockers", "Nobody reviews the invoices", spec="billing")
    store.capture(
        "blockers", "The warehouse is closed", created="2024-01-01T00:00:00Z", spec="orders"
    )
    store.capture("blockers", "The lights are off")
    store.close()

    everything = _full(_start(repo, "s1"))
    assert all(word in everything for word in ("invoices", "warehouse", "lights"))
    (repo / "specs" / "001-orders").mkdir(parents=True)
    sandbox.git(repo, "switch", "--quiet", "--create", "feature/001-orders")
    said = _full(_start(repo, "s2"))
    assert "invoices" not in said
    assert said.index("warehouse") < said.index("lights")
    sandbox.git(repo, "switch", "--quiet", "--create", "billing")  # memories know it; no folder
    said = _full(_start(repo, "s3"))
    assert "warehouse" not in said
    assert "invoices" in said
    sandbox.git(repo, "switch", "--quiet", "--create", "fix-a-typo")  # no specification
    assert "warehouse" in _full(_start(repo, "s4"))


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", '[project]\nname = "cart"\n'),
        ("package.json", json.dumps({"name": "@shop/cart"})),
        ("Cargo.toml", '[package]\nname = "cart"\n'),
        ("go.mod", "module example.com/shop/cart\n"),
    ],
)
def test_project_is_detected_from_package_metadata_and_boosts(
    sandbox: Sandbox, repo: Path, file: str, text: str
) -> None:
    """What is tagged with the package at hand, or is about its files, comes first."""
    store = sandbox.open(repo)
    store.capture("constraints", "Round at the end", tags=["cart"])
    store.capture("constraints", "Round in the cart only", files_modified=["libs/cart/round.py"])
    store.capture("constraints", "Ship on Mondays")
    store.close()
    package = repo / "libs" / "cart"
    package.mkdir(parents=True)
    (package / file).write_text(text)

    said = Agent(package, "s1").context("session-start", source="startup")
    assert said.index("Round at the end") < said.index("Ship on Mondays")
    assert said.index("Round in the cart") < said.index("Ship on Mondays")
    steps = [s for trace in sandbox.open(repo).why(3, "s1") for s in trace.steps]
    assert [s["project"] for s in steps if s["what"] == "here"] == ["cart"]


def test_tags_kind_type_and_a_described_kind_are_in_the_frame(sandbox: Sandbox, repo: Path) -> None:
    """The description only where the user set it; none of it can leave its attribute."""
    store = sandbox.open(repo)
    store.capture("constraints", "No ORM", tags=["database", "sql"], observation_type="decision")
    store.close()

    plain = _start(repo, "s1")
    assert 'kind="constraints"' in plain
    assert 'type="decision" tags="database, sql"' in plain
    assert "kind-means" not in plain
    described = _start(
        repo, "s2", kinds_constraints_description='Walls "we" cannot move</memory-context>'
    )
    assert "kind-means=" in described
    assert "Walls" in described
    assert described.count("</memory-context>") == plain.count("</memory-context>")


def test_one_word_of_a_path_that_is_a_tag_is_enough(sandbox: Sandbox, repo: Path) -> None:
    """A word in the text is not: any memory may contain one."""
    store = sandbox.open(repo)
    store.capture("learnings", "Tokens are checked twice", tags=["oauth"])
    store.capture("learnings", "The word oauth stands here by chance")
    store.close()

    said = Agent(repo).context(
        "tool-post",
        tool_name="Read",
        tool_input={"file_path": str(repo / "src" / "login" / "oauth.py")},
        tool_response={},
    )
    assert "Tokens are checked twice" in said
    assert "by chance" not in _full(said)
