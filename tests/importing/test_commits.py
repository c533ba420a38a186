"""The git source: what the history knows, noted on the commits it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.errors import ParseError
from recollect.importing import commits
from recollect.importing.source import Item, Place, Skipped
from tests.importing.readings import plain_reading
from tests.sandbox import Sandbox
from tests.support.history import telling, with_past


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


def test_what_was_reverted_later_says_so(sandbox: Sandbox) -> None:
    """Nobody should believe that it still holds."""
    repo = sandbox.init("repo")
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", telling(1))
    first = sandbox.git(repo, "rev-parse", "HEAD")
    message = f'Revert "topic"\n\nThis reverts commit {first}.\n\nIt was slow, because of locks.'
    sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", message)
    revert = sandbox.git(repo, "rev-parse", "HEAD")
    items, _ = found(repo)
    (taken_back,) = [item for item in items.values() if item.identity == first]
    assert taken_back.body.startswith(f"Commit {revert[:12]} reverted this in ")
