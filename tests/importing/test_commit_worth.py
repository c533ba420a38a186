"""What a commit is worth as a memory: what people notice before what they do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.importing.commit_body import is_of_many, shortened
from recollect.importing.commit_message import parse_message
from recollect.importing.commit_ranking import rank
from recollect.importing.commit_worth import WEIGHTS, features, is_aside, worth_of

_WHY = (
    "It is on by default, and users lose their sessions when they log out, because the manager"
    " stops what they started. We decided to let an administrator choose."
)


def worth(subject: str, text: str, files: list[str], *, years: float = 1.0) -> float:
    """Return the worth of a commit in a tree with one source file."""
    message = parse_message(f"{subject}\n\n{text}")
    tree = {"src/login.c", "docs/login.md"}
    return worth_of(features(message, rank(message, "Ada").points, years, files, tree))


def test_what_comes_with_documents_is_worth_more_than_a_change_of_the_build() -> None:
    """And so is a change that users notice."""
    told = worth("login: keep what users started", _WHY, ["src/login.c", "docs/login.md"])
    assert told > worth("login: keep what users started", _WHY, ["src/login.c"])
    assert worth("login: keep what users started", _WHY, ["src/login.c"]) > worth(
        "login: keep what users started", _WHY, ["meson.toml"]
    )
    assert told > worth("login: rework the list of sessions", "A list is easier to read.", [])


def test_an_area_before_a_sentence_leaves_it_a_sentence() -> None:
    """So that the commits of projects that name areas do not rank lower."""
    named = features(parse_message(f"login: stop all sessions\n\n{_WHY}"), 1.0, 1.0, [], ())
    assert named["no sentence"] == 0
    assert features(parse_message(f"login: sessions\n\n{_WHY}"), 1.0, 1.0, [], ())["no sentence"]


@pytest.mark.parametrize(
    ("files", "is_left_out"),
    [
        (["pkg/testutil/leak.go"], True),
        (["docs/a.md", "tests/a.c"], True),
        (["Makefile", "go.mod"], True),
        (["src/a.c", "tests/a.c"], False),
        ([], False),
    ],
)
def test_tests_documents_and_the_build_are_aside(files: list[str], is_left_out: bool) -> None:
    """A commit whose files are not known is not."""
    assert is_aside(parse_message("Use a newer tool\n\nIt is faster."), files) is is_left_out


def test_every_weight_has_its_feature() -> None:
    """What is fitted is what is measured."""
    known = features(parse_message("Drop it\n\nwhy"), 1.0, 1.0, ["a.c"], {"a.c"})
    assert set(WEIGHTS) - {""} == set(known)


def test_the_judged_commits_are_whole() -> None:
    """Each names a commit once, and says what it is worth."""
    path = Path(__file__).parents[2] / "benchmarks" / "learning" / "judged.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len({row["commit"] for row in rows}) == len(rows) > 700
    assert {row["worth"] for row in rows} == {0, 1, 2, 3}
    assert all(len(row["commit"]) == 40 for row in rows)


def test_a_text_ends_with_a_whole_sentence() -> None:
    """Where an address was dropped, or where it is too long."""
    assert shortened("It broke the build. Refer to") == "It broke the build."
    assert (
        shortened("It is slow. It waits for the lock", 400) == "It is slow. It waits for the lock"
    )
    assert shortened("One is told here. " * 20, 100).endswith("told here.")


def test_what_a_sanitizer_prints_goes() -> None:
    """The cause stays."""
    trace = "\n".join(f"==1==    by 0x23E44C: remove_link (install.c:{n})" for n in range(40))
    assert shortened(f"The list was never freed.\n\n{trace}\n\nFree it.") == (
        "The list was never freed.\n\n…\n\nFree it."
    ).replace("\n\n…", "")


def test_a_list_of_orders_is_many_commits() -> None:
    """As a squash leaves it, without marks."""
    assert is_of_many("add a role to the client\nadd role commands\nfix the tests\nrename users\n")
    assert not is_of_many("Add a role, because a user cannot see it.\nThe client asks the server.")
