"""Whether the code that a commit explains is still there."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.importing import commit_survival, commits
from recollect.importing.commit_survival import Survival, survival_of
from recollect.importing.source import Item, Place, Skipped
from recollect.ledger.commits import blobs_at
from recollect.ledger.git import Git
from tests.importing.readings import plain_reading
from tests.sandbox import Sandbox
from tests.support.history import telling

_CODE = "".join(f"int number_{n} = compute({n});\n" for n in range(10))


def _written(sandbox: Sandbox, repo: Path, path: str, text: str, message: str = "change") -> str:
    (repo / path).parent.mkdir(parents=True, exist_ok=True)
    (repo / path).write_text(text)
    sandbox.commit(repo, message)
    return sandbox.git(repo, "rev-parse", "HEAD")


def _found(repo: Path) -> tuple[str, list[Skipped], int]:
    everything = list(commits.SOURCE.read(plain_reading(repo), Place("HEAD", "")))
    titles = [one.summary for one in everything if isinstance(one, Item)]
    return " ".join(titles), [o for o in everything if isinstance(o, Skipped)], len(titles)


def _survival(repo: Path, oid: str) -> Survival:
    git = Git(repo, environment=plain_reading(repo).environ)
    return survival_of(git, [oid], dict(blobs_at(git)))[oid]


def test_lines_that_still_stand_are_counted(sandbox: Sandbox) -> None:
    """Whatever their indentation and quotes; short lines, comments and brackets say nothing."""
    repo = sandbox.init("repo")
    text = f"{_CODE}{{\n}}\n// a comment that nobody counts\ni++;\nsay('hello there');\n"
    first = _written(sandbox, repo, "a.c", text)
    later = _CODE.replace("compute(1)", "other(1)").replace("int", "    int")
    _written(sandbox, repo, "a.c", f'{later}say("hello there")\n')
    assert _survival(repo, first) == Survival(added=11, left=10)


def test_a_file_that_moved_is_found_by_its_name(sandbox: Sandbox) -> None:
    """And one whose name many have is not guessed."""
    repo = sandbox.init("repo")
    first = _written(sandbox, repo, "reader.c", _CODE)
    sandbox.git(repo, "mv", "reader.c", "parser.c")
    sandbox.commit(repo, "move")
    assert _survival(repo, first).left == 0
    (repo / "src").mkdir()
    sandbox.git(repo, "mv", "parser.c", "src/reader.cc")
    sandbox.commit(repo, "move again")
    assert _survival(repo, first).share == 1.0
    for number in range(5):
        _written(sandbox, repo, f"{number}/reader.c", "other\n")
    assert _survival(repo, first).is_gone


def test_what_was_only_removed_must_stay_away(sandbox: Sandbox) -> None:
    """A line that moved within the file was not removed."""
    repo = sandbox.init("repo")
    _written(sandbox, repo, "a.c", f"keep_this_line();\n{_CODE}")
    removed = _written(sandbox, repo, "a.c", "keep_this_line();\n")
    assert _survival(repo, removed) == Survival(removed=10)
    assert not _survival(repo, removed).is_gone
    _written(sandbox, repo, "a.c", f"keep_this_line();\n{_CODE}")
    assert _survival(repo, removed).is_gone


def test_tests_documents_and_changelogs_do_not_tell(sandbox: Sandbox) -> None:
    """Nothing is known of a commit that changes nothing else."""
    repo = sandbox.init("repo")
    for path in ("docs/guide.md", "CHANGES", "tests/test_a.py"):
        oid = _written(sandbox, repo, path, _CODE)
        assert _survival(repo, oid) == Survival()
        assert not _survival(repo, oid).is_gone


def test_a_patch_that_looks_like_a_header_is_text(sandbox: Sandbox) -> None:
    """Lines of a hunk are counted, not guessed; bytes that are no text harm nothing."""
    repo = sandbox.init("repo")
    hostile = "++ b/other.c\n-- a/other.c\n@@ -1,9 +1,9 @@ x\ndiff --git a/x b/x\n"
    first = _written(sandbox, repo, "a.c", hostile)
    assert _survival(repo, first).left == _survival(repo, first).added > 0
    (repo / "b.c").write_bytes(b"x" * 9000 + b"\n\0\x01" + b"f" * 40 + b"\0\xff\xfe\n")
    sandbox.commit(repo, "bytes")
    git = Git(repo, environment=plain_reading(repo).environ)
    oid = sandbox.git(repo, "rev-parse", "HEAD")
    assert set(survival_of(git, [first, oid], dict(blobs_at(git)))) <= {first, oid}


@pytest.mark.parametrize(
    "patch",
    [
        "",
        "@@ -1 +1 @@",
        "+++ b/a.c\n@@ -1 +1,999999999 @@\n+x",
        "diff --git \n@@ -9999999999 @@\n+",
    ],
)
def test_a_broken_patch_is_read_as_far_as_it_goes(patch: str) -> None:
    """It was cut, or somebody made it."""
    assert all(not file.added for file in commit_survival.files_of(patch))


def test_a_commit_whose_code_was_rewritten_stays_out(sandbox: Sandbox) -> None:
    """The report says so, and the newer one comes in."""
    repo = sandbox.init("repo")
    old = _written(sandbox, repo, "engine.c", _CODE, telling(1))
    _written(sandbox, repo, "engine.c", _CODE.replace("compute", "measure"), telling(2))
    titles, skipped, _ = _found(repo)
    assert "engine1" not in titles
    assert "engine2" in titles
    assert Skipped(old, "no longer in the code") in skipped


def test_the_places_of_what_is_gone_are_filled(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With commits that would not have been offered otherwise."""
    repo = sandbox.init("repo")
    for number in (1, 2):
        _written(sandbox, repo, "kept.c", _CODE * number, telling(number))
    for number in (3, 4):
        _written(sandbox, repo, "engine.c", _CODE.replace("int", f"int{number}"), telling(number))
    monkeypatch.setattr(commits, "MOST_OFFERED", 3)
    assert _found(repo)[2] == 3
