"""The git source: what the history knows, noted on the commits it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.errors import ParseError
from recollect.importing import commits
from recollect.importing.related_commits import Topic, relate
from recollect.importing.source import Item, Place, Skipped
from tests.importing.readings import plain_reading
from tests.sandbox import Sandbox
from tests.support.history import DROPPED, FIXED, telling, with_past


def found(repo: Path) -> tuple[dict[str, Item], list[Skipped]]:
    """Items by title, and what was left out."""
    everything = list(commits.SOURCE.read(plain_reading(repo), Place("HEAD", "")))
    items = {one.summary: one for one in everything if isinstance(one, Item)}
    return items, [one for one in everything if isinstance(one, Skipped)]


def test_what_was_decided_learned_and_cured_comes_in(sandbox: Sandbox) -> None:
    """Each with its commit, its date and its files; the chore stays out."""
    repo = with_past(sandbox)
    items, skipped = found(repo)
    dropped = items["Drop support for Python 3.8 in the scheduler"]
    assert len(items) == 3
    assert [one.reason for one in skipped] == ["a chore: nothing was decided or learned"]
    assert dropped.commit == dropped.identity
    assert sandbox.git(repo, "show", "-s", "--format=%s", dropped.commit or "") == dropped.summary
    assert f"From commit {str(dropped.commit)[:12]}" in dropped.body
    assert dropped.fields["files_modified"]
    assert not dropped.is_rule
    when = sandbox.git(repo, "show", "-s", "--format=%aI", dropped.commit or "")
    assert str(dropped.created)[:19] == when[:19]


def test_every_commit_is_accounted_for(sandbox: Sandbox) -> None:
    """What is kept and what is left out add up to the history."""
    repo = with_past(sandbox, fillers=30)
    items, skipped = found(repo)
    identities = {item.identity for item in items.values()} | {one.identity for one in skipped}
    assert len(identities) == len(items) + len(skipped) == 34


def test_the_best_are_kept_and_name_related_ones(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit leaves out what tells less; a related commit is told with another one."""
    repo = sandbox.init("repo")
    for number in range(6):
        sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", telling(number))
    sandbox.git(
        repo, "commit", "-q", "--allow-empty", "-m",
        "topic0003: remove the topic0003 fallback\n\nIt was unused, because of engine3.",
    )  # fmt: skip
    monkeypatch.setattr(commits, "MOST_OFFERED", 6)
    items, skipped = found(repo)
    assert len(items) == 6
    told = [one for one in skipped if one.reason == "told with a related commit"]
    assert len(told) == 1
    teller = next(item for item in items.values() if told[0].identity[:12] in item.body)
    assert "topic0003" in teller.summary


def test_a_repository_without_commits_has_nothing(sandbox: Sandbox) -> None:
    """It is not here, and asking for it is an error that says so."""
    repo = sandbox.init("empty")
    assert commits.SOURCE.find(plain_reading(repo)) == []
    with pytest.raises(ParseError, match="no commit"):
        list(commits.SOURCE.read(plain_reading(repo), Place("HEAD", "")))


def test_what_was_reverted_later_stays_out(sandbox: Sandbox) -> None:
    """Nobody should believe that it still holds."""
    repo = sandbox.init("repo")
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", telling(1))
    first = sandbox.git(repo, "rev-parse", "HEAD")
    message = f'Revert "topic"\n\nThis reverts commit {first}.\n\nIt was slow, because of locks.'
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", message)
    items, skipped = found(repo)
    assert [item for item in items.values() if item.identity == first] == []
    assert Skipped(first, "a later commit took it back") in skipped


@pytest.mark.parametrize(
    ("later", "is_over"),
    [
        ("Support map.field syntax in guards (#9711)", True),
        ("guards: support for map.field in guards (2nd try)", True),
        ("Remove support for map.field in guards", False),
        ("Support fields of records in guards", False),
    ],
)
def test_a_revert_is_over_if_its_subject_landed_again(
    sandbox: Sandbox, later: str, is_over: bool
) -> None:
    """And not if the thing was removed later, or another one landed."""
    repo = sandbox.init("repo")
    why = "The compiler can check it, because the type of the map is known before the guard runs."
    revert = 'Revert "Support for map.field in guards"\n\nIt was ambiguous, because of calls.'
    for message in (f"Support for map.field in guards\n\n{why}", revert):
        sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", message)
    oid = sandbox.git(repo, "rev-parse", "HEAD")
    assert oid in [item.identity for item in found(repo)[0].values()]
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", f"{later}\n\n{why}")
    items, _ = found(repo)
    assert (oid not in [item.identity for item in items.values()]) == is_over


def test_a_deprecation_that_was_undone_stays_out(sandbox: Sandbox) -> None:
    """Support for more of it does not undo it."""
    repo = sandbox.init("repo")
    why = "It was seen as an alternative to put, because both of them write, which is confusing."
    first = "Deprecate Keyword.replace/3 and Map.replace/3"
    for subject in (first, "Support limits in Keyword.replace/3 and Map.replace/3"):
        sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", f"{subject}\n\n{why}")
    assert any("Deprecate" in title for title in found(repo)[0])
    later = "Undeprecate Keyword.replace/3 and Map.replace/3"
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", f"{later}\n\n{why}")
    assert not any(title.startswith("Deprecate") for title in found(repo)[0])


def test_a_revert_tells_what_it_took_back(sandbox: Sandbox) -> None:
    """Otherwise nobody finds it by the words of what was tried."""
    repo = sandbox.init("repo")
    tried = "cache: keep entries in memory\n\nReading the disk each time was slow on old machines."
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", tried)
    first = sandbox.git(repo, "rev-parse", "HEAD")
    message = f'Revert "cache: keep entries in memory"\n\nThis reverts commit {first}.'
    sandbox.git(
        repo, "commit", "-q", "--allow-empty", "-m", f"{message}\n\nIt grew, because of a leak."
    )
    items, _ = found(repo)
    (item,) = [item for title, item in items.items() if title.startswith("Reverted “cache")]
    assert "Reading the disk each time was slow on old machines." in item.body


def test_a_commit_that_later_ones_name_ranks_higher(sandbox: Sandbox) -> None:
    """By its id or by its pull request."""
    repo = sandbox.init("repo")
    for number in (100, 200):
        subject = telling(number).replace("\n", f" (#{number})\n", 1)
        sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", subject)
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", "Bump version\n\nAfter #100.")
    items, _ = found(repo)
    (named,) = [item for title, item in items.items() if "topic0100" in title]
    (other,) = [item for title, item in items.items() if "topic0200" in title]
    assert named.score > other.score


def test_a_commit_of_tests_or_documents_stays_out(sandbox: Sandbox) -> None:
    """However well it explains."""
    repo = sandbox.init("repo")
    for name in ("tests/test_cart.py", "docs/guide.md", "cart.py"):
        path = repo / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("1\n")
        sandbox.git(repo, "add", "--all")
        sandbox.git(repo, "commit", "-q", "-m", telling(len(name)))
    items, _ = found(repo)
    assert [item.fields["files_modified"] for item in items.values()] == [["cart.py"]]


def test_a_number_relates_commits_of_one_time_or_area() -> None:
    """Repositories that were merged into one had numbers of their own."""
    words = frozenset({"one", "two"})
    few = [Topic("a" * 40, words, issues=frozenset({"123"}), area="wal", time=0)]

    def told(area: str, days: int) -> bool:
        other = Topic(
            "b" * 40, frozenset({"x"}), issues=frozenset({"123"}), area=area, time=days * 86_400
        )
        return relate(few, [other]) == {"a" * 40: ["b" * 40]}

    assert told("web", 30)
    assert told("wal", 3_000)
    assert not told("web", 3_000)


def test_where_there_is_room_an_explanation_is_enough(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short history keeps what a long one leaves out."""
    repo = sandbox.init("repo")
    plain = (
        "Compute the table of offsets at the start\n\nReading it later is slow, and every reader"
        " has to wait for the first one, which holds a lock on the file. Users see that as a hang."
    )
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", plain)
    for number in range(3):
        sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", telling(number))
    assert any("offsets" in title for title in found(repo)[0])
    monkeypatch.setattr(commits, "MOST_OFFERED", 3)
    assert not any("offsets" in title for title in found(repo)[0])


def test_what_is_about_code_that_is_gone_stays_out(sandbox: Sandbox) -> None:
    """But the decision to remove it comes in."""
    repo = sandbox.init("repo")
    for number, name in enumerate(("kept", "gone")):
        (repo / f"{name}.c").write_text(f"int {name}_{number};\n")
        sandbox.commit(repo, telling(number))
    (repo / "gone.c").unlink()
    sandbox.commit(repo, telling(2))
    titles = " ".join(found(repo)[0])
    assert "engine0" in titles
    assert "engine1" not in titles
    assert "engine2" in titles


def test_a_revert_that_was_undone_stays_out(sandbox: Sandbox) -> None:
    """Also if the text says so in the middle of a sentence."""
    repo = sandbox.init("repo")
    message = (
        'Revert "keep entries in memory"\n\nThis reverts commit 1234567890. It grew without a'
        " limit, because nothing was evicted, which caused an outage."
    )
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", message)
    first = sandbox.git(repo, "rev-parse", "HEAD")
    assert list(found(repo)[0])
    again = f"Modernize the cache\n\nThis reverts commit {first} which reverted the entries."
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", again)
    items, skipped = found(repo)
    assert not [item for item in items.values() if item.identity == first]
    assert ("a later commit took it back", first) in [(s.reason, s.identity) for s in skipped]


def test_what_was_forbidden_and_allowed_later_stays_out(sandbox: Sandbox) -> None:
    """What the later commit says is true; an earlier one says nothing about it."""
    repo = sandbox.init("repo")
    why = "The slots are shared, because reading and writing use the same cache, to avoid copies."
    first = "Implement lazy loading for static properties"
    second = "Disallow lazy loading for static properties"
    for subject in (first, second):
        sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", f"{subject}\n\n{why}")
    assert second in found(repo)[0]
    later = "Implement lazy loading for static properties again"
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", f"{later}\n\n{why}")
    assert second not in found(repo)[0]


@pytest.mark.parametrize(
    "message",
    [
        "tls: disable the old curve for the moment\n\nClients fail with it, because it is broken.",
        "proxy: do not overwrite the header\n\nIt is not defined, because there is no standard."
        " Let's try it the other way for a bit and see how it goes.",
    ],
)
def test_what_holds_for_a_while_stays_out(sandbox: Sandbox, message: str) -> None:
    """Nobody knows whether it still does."""
    repo = sandbox.init("repo")
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", message)
    assert found(repo)[0] == {}


def test_what_is_old_is_left_to_search(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it is among the newest commits: a project may have done little since."""
    repo = sandbox.init("repo")
    for year, text in ((2019, DROPPED), (2025, FIXED)):
        when = {"GIT_AUTHOR_DATE": f"{year}-03-01T12:00:00Z"}
        when["GIT_COMMITTER_DATE"] = when["GIT_AUTHOR_DATE"]
        sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", text, env=when)

    assert len(found(repo)[0]) == 2
    monkeypatch.setattr(commits, "_NEWEST", 1)
    items, skipped = found(repo)
    assert len(items) == 1
    assert [one.reason for one in skipped] == ["more than five years old, so search only"]


@pytest.mark.parametrize(
    ("first", "later", "is_over"),
    [
        ("Add the option `autostart` to the manager", "Remove the option `autostart`", True),
        ("Add the option `autostart` to the manager", "Remove `autostart` from the help", False),
        ("Add the option `autostart` to the manager", "Remove the option `restart`", False),
        ("Remove the option `autostart`", "Remove the option `autostart`, again", False),
    ],
)
def test_what_was_removed_later_stays_out(
    sandbox: Sandbox, first: str, later: str, is_over: bool
) -> None:
    """By its name in the code."""
    repo = sandbox.init("repo")
    why = "Users start it by hand, because the manager does not know which of them they need."
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", f"{first}\n\n{why}")
    oid = sandbox.git(repo, "rev-parse", "HEAD")
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", f"{later}\n\n{why}")
    _, skipped = found(repo)
    assert (Skipped(oid, "a later commit took it back") in skipped) == is_over


def test_a_message_names_the_number_that_it_comes_after(sandbox: Sandbox) -> None:
    """What it removes came with that one."""
    repo = sandbox.init("repo")
    for number, (problem, solution) in enumerate(
        (("no triggers", "Add f_match() and the 'isexpand' option"),
         ("not useful (after v9.1.1340)", "Remove function and option")), 1340
    ):  # fmt: skip
        text = f"patch 9.1.{number}: it is wrong\n\nProblem: {problem}\nSolution: {solution}\n"
        sandbox.git(
            repo, "commit", "-q", "--allow-empty", "-m",
            f"{text}\nIt was decided because users asked for it, instead of a second way.",
        )  # fmt: skip
    _, skipped = found(repo)
    assert "a later commit took it back" in [one.reason for one in skipped]
