"""The words of commits: what is read, what stays out, and that nothing of it is a memory."""

from __future__ import annotations

import stat
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from recollect.errors import MemoryIndexError
from recollect.importing import past_commits
from recollect.index.sqlite import commits
from recollect.ledger.commits import read_commits
from tests.sandbox import Sandbox

_TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
_WHY = "\n\nThe kernel traps unaligned loads there.\n\nSigned-off-by: Ada <ada@example.com>\n"


def _file(repo: Path) -> Path:
    return repo / ".git" / "recollect" / "history.db"


def test_a_commit_is_found_by_the_words_of_its_message(sandbox: Sandbox) -> None:
    """With its id, author and date; the trailer is no part of its text."""
    repo = sandbox.init("repo")
    oid = sandbox.commit(repo, f"bitops: avoid the fast path on ARM{_WHY}")
    sandbox.commit(repo, "docs: say what the scheduler does")
    store = sandbox.open(repo)
    assert store.search_history("unaligned loads") == []
    done = store.index_history()
    assert (done.commits, done.added) == (2, 2)
    assert done.bytes >= _file(repo).stat().st_size > 0
    (found,) = store.search_history("Why do we avoid the fast path on ARM?")
    assert (found.commit, found.subject) == (oid, "bitops: avoid the fast path on ARM")
    assert found.body == "The kernel traps unaligned loads there."
    assert found.author
    assert found.as_json()["type"] == "commit"
    assert store.search_history("astronomy lecture") == []


def test_nothing_of_it_is_in_the_ledger(sandbox: Sandbox) -> None:
    """It is a file of this clone that only its owner can read."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, f"bitops: avoid the fast path on ARM{_WHY}")
    store = sandbox.open(repo)
    before = sandbox.refs(repo)
    store.index_history()
    assert sandbox.refs(repo) == before
    assert store.memories() == []
    assert stat.S_IMODE(_file(repo).stat().st_mode) == 0o600


def test_only_what_is_new_is_read_again(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the history was rewritten; then what is gone is not found any more."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, "cache: evict the oldest entry first")
    store = sandbox.open(repo)
    store.index_history()
    sandbox.commit(repo, "queue: lock before reading the head")
    seen = []
    read = read_commits

    def noting(git: object, revision: str) -> object:
        for commit in read(git, revision):  # type: ignore[arg-type]
            seen.append(commit.message.strip())
            yield commit

    monkeypatch.setattr(past_commits, "read_commits", noting)
    assert store.index_history().added == 1
    assert seen == ["queue: lock before reading the head"]
    assert store.index_history().added == 0
    sandbox.git(repo, "commit", "-q", "--amend", "--allow-empty", "-m", "queue: wait for workers")
    assert store.index_history().commits == 2
    assert store.search_history("lock before reading the head") == []
    assert len(store.search_history("evict the oldest entry")) == 1


def test_secrets_do_not_reach_the_disk(sandbox: Sandbox) -> None:
    """Neither from the subject nor from the text."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, f"deploy: rotate {_TOKEN[:40]}\n\nIt was {_TOKEN[:40]} because of a leak.")
    store = sandbox.open(repo)
    store.index_history()
    (found,) = store.search_history("deploy rotate leak")
    assert _TOKEN[:40] not in found.subject + found.body
    store.close()
    assert _TOKEN[:40].encode() not in b"".join(
        path.read_bytes() for path in (repo / ".git" / "recollect").iterdir() if path.is_file()
    )


@pytest.mark.parametrize(
    "message",
    [
        "build(deps): bump golang.org/x/tools from 0.12.0 to 0.13.0\n\nBumps it.",
        "Bump esbuild from 0.20.0 to 0.20.1",
        "chore(deps): update dependency eslint to v9",
        "Squashed 'docs/' changes from f887bd7b..1d052b16\n\n1d052b16 Update hosting",
    ],
)
def test_newer_versions_of_others_stay_out(sandbox: Sandbox, message: str) -> None:
    """They would fill every answer about a dependency."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, message)
    store = sandbox.open(repo)
    assert store.index_history().commits == 0


def test_of_too_many_the_oldest_go(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has a limit."""
    monkeypatch.setattr(past_commits, "MOST_COMMITS", 2)
    repo = sandbox.init("repo")
    for topic in ("alpha", "bravo", "charlie"):
        sandbox.commit(repo, f"{topic}: stop guessing the encoding")
    store = sandbox.open(repo)
    assert store.index_history().commits == 2
    sandbox.commit(repo, "delta: stop guessing the encoding")
    assert store.index_history().commits == 2


def test_it_can_be_deleted_and_a_damaged_file_is_made_again(sandbox: Sandbox) -> None:
    """A search without it, or with a damaged one, finds no commits and does not fail."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, "cache: evict the oldest entry first")
    store = sandbox.open(repo)
    store.index_history()
    _file(repo).write_bytes(b"not a database" * 200)
    assert store.search_history("evict the oldest entry") == []
    assert store.index_history().commits == 1
    assert len(store.search_history("evict the oldest entry")) == 1
    assert store.forget_history()
    assert not _file(repo).exists()
    assert not store.forget_history()
    assert store.search_history("evict the oldest entry") == []


def test_a_repository_without_commits(sandbox: Sandbox) -> None:
    """Has nothing to read."""
    assert sandbox.open(sandbox.init("empty")).index_history().commits == 0


def test_any_text_is_a_query(sandbox: Sandbox) -> None:
    """Also one that the search language would read as a command."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, "cache: evict the oldest entry first")
    store = sandbox.open(repo)
    store.index_history()
    for query in ("", "  ", '"', "NEAR(a b)", "cache OR", "subject:x", "\x00", "a" * 5000, "* - ^"):
        store.search_history(query)


def test_what_was_purged_is_erased_and_stays_out(sandbox: Sandbox) -> None:
    """Purging what was learned from a commit reaches the words of that commit, in every byte."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, "cache: evict the oldest entry first")
    (repo / "backend.py").write_text("FILES = True\n")  # a change of documents alone tells nothing
    oid = sandbox.commit(
        repo,
        "Drop support for the zebrafish backend\n\nNobody could test it any more, because the"
        " zebrafish images were removed. We decided to require files instead of keeping a fork of"
        " the old image, to avoid two ways to build a release.",
    )
    store = sandbox.open(repo)
    plan = store.run_import(store.plan_import(["git"]))
    assert plan.run
    (learned,) = [one.memory for one in store.browse() if "zebrafish" in one.memory.summary]
    assert learned.provenance["from"] == oid
    store.index_history()
    assert [one.commit for one in store.search_history("zebrafish backend")] == [oid]
    store.purge(learned.id)
    assert store.search_history("zebrafish backend") == []
    assert b"zebrafish" not in _file(repo).read_bytes()
    assert store.forget_history()
    assert store.index_history().commits == 1
    assert store.search_history("zebrafish backend") == []


def test_a_clone_that_gets_deeper_is_read_again(sandbox: Sandbox) -> None:
    """The commit that is checked out stays the same, but there is more behind it."""
    origin = sandbox.init("origin")
    sandbox.commit(origin, "cache: evict the oldest entry first")
    sandbox.commit(origin, "queue: lock before reading the head")
    clone = sandbox.root / "clone"
    sandbox.git(origin, "clone", "-q", "--depth=1", f"file://{origin}", str(clone))
    store = sandbox.open(clone)
    assert store.index_history().commits == 1
    assert store.index_history(dry_run=True).added == 0
    sandbox.git(clone, "fetch", "-q", "--unshallow")
    assert store.index_history(dry_run=True).added == 2
    assert store.index_history().commits == 2
    assert len(store.search_history("evict the oldest entry")) == 1


def test_a_preview_writes_nothing(sandbox: Sandbox) -> None:
    """It counts what would be read."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, "cache: evict the oldest entry first")
    store = sandbox.open(repo)
    assert store.index_history(dry_run=True) == (0, 1, 0)
    assert not _file(repo).exists()
    store.index_history()
    assert store.index_history(dry_run=True)[:2] == (1, 0)


def test_a_commit_from_a_year_without_a_date(sandbox: Sandbox) -> None:
    """Anybody can write any time into a commit; neither search nor learning fails for it."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, "cache: evict the oldest entry first")
    tree = sandbox.git(repo, "rev-parse", "HEAD^{tree}").strip()
    for number, time in enumerate(("9999999999999", "99999999999999999999999", "0")):
        text = (
            f"tree {tree}\nauthor M <m@example.com> {time} +0000\n"
            f"committer M <m@example.com> {time} +0000\n\nRemove the walrus {number}\n\n"
            "It is removed because the walrus parser crashes on long lines of input.\n"
        )
        oid = sandbox.git(
            repo,
            *("hash-object", "-t", "commit", "-w", "--stdin", "--literally"),
            stdin=text.encode(),
        ).strip()
        sandbox.git(repo, "update-ref", "HEAD", oid)
        store = sandbox.open(repo)
        store.index_history()
        (found,) = store.search_history("walrus parser")
        assert found.created == "1970-01-01T00:00:00Z"
        store.run_import(store.plan_import(["git"]))


def test_damage_inside_the_file(sandbox: Sandbox) -> None:
    """A search finds no commits then, and does not fail."""
    repo = sandbox.init("repo")
    for number in range(40):
        sandbox.commit(repo, f"cache: evict entry {number} of the oldest first")
    store = sandbox.open(repo)
    store.index_history()
    text = _file(repo).read_bytes()
    _file(repo).write_bytes(text[:4096] + b"\xff" * (len(text) - 4096))
    assert store.search_history("evict the oldest entry") == []


def test_a_file_that_is_being_made(sandbox: Sandbox) -> None:
    """A search does not wait for it, and does not make it."""
    repo = sandbox.init("repo")
    store = sandbox.open(repo)
    store.index_history()
    _file(repo).parent.mkdir(parents=True, exist_ok=True)
    _file(repo).touch()
    assert store.search_history("evict the oldest entry") == []
    assert _file(repo).stat().st_size == 0


def test_a_blocked_secret_leaves_its_commit_out(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And if the rules for secrets change, everything is read again."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, f"deploy: rotate {_TOKEN[:40]}")
    sandbox.commit(repo, "cache: evict the oldest entry first")
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", "block")
    assert sandbox.open(repo).index_history().commits == 1
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", "redact")
    assert sandbox.open(repo).index_history().commits == 2


def test_hashes_of_64_digits(sandbox: Sandbox) -> None:
    """A repository may use SHA-256."""
    repo = sandbox.root / "long"
    sandbox.git(sandbox.root, "init", "-q", "--object-format=sha256", str(repo))
    oid = sandbox.commit(repo, "cache: evict the oldest entry first")
    store = sandbox.open(repo)
    store.index_history()
    (found,) = store.search_history("evict the oldest entry")
    assert (found.commit, len(oid)) == (oid, 64)


def test_worktrees_share_it(sandbox: Sandbox) -> None:
    """What was read in one is found in all."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, "cache: evict the oldest entry first")
    sandbox.git(repo, "worktree", "add", "-q", str(sandbox.root / "tree"), "-b", "other")
    sandbox.open(repo).index_history()
    assert len(sandbox.open(sandbox.root / "tree").search_history("evict the oldest entry")) == 1


def test_a_commit_comes_with_the_reason_that_it_gives(sandbox: Sandbox) -> None:
    """So that nobody has to read each of them; without a text there is none."""
    repo = sandbox.init("repo")
    sandbox.commit(
        repo,
        "cache: evict the oldest entry first\n\nThe cache had no limit.\nNew entries stay,"
        " because pages reload them.\n\nWe measured it.",
    )
    sandbox.commit(repo, "cache: count the entries")
    store = sandbox.open(repo)
    store.index_history()
    found = {one.subject: one.reason for one in store.search_history("entries of the cache")}
    assert found == {
        "cache: evict the oldest entry first": "New entries stay, because pages reload them.",
        "cache: count the entries": "",
    }


def test_a_first_line_that_goes_on_is_shown_whole(sandbox: Sandbox) -> None:
    """As some projects write: without an empty line, and the reason on the second line."""
    repo = sandbox.init("repo")
    sandbox.commit(
        repo,
        "Send an answer to this query of the terminal, because emacs turns\n"
        "bracketed paste off otherwise.\n\nSeen with version 29.",
    )
    store = sandbox.open(repo)
    store.index_history()

    (one,) = store.search_history("why does emacs turn paste off")
    assert one.subject.endswith("because emacs turns bracketed paste off otherwise.")
    assert one.body == "Seen with version 29."


def test_a_file_that_another_process_writes_stays(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two may learn at the same time: the second one says so, and nothing is lost."""
    monkeypatch.setattr(commits, "_BUSY_MILLISECONDS", 1)
    repo = sandbox.init("repo")
    sandbox.commit(repo, "cache: evict the oldest entry first")
    store = sandbox.open(repo)
    store.index_history()
    sandbox.commit(repo, "cache: count the entries")
    path = store.ledger.repository.history_path
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(MemoryIndexError, match="another process is writing it") as told:
            store.index_history()
    assert told.value.hint == "Try again later."
    assert store.index_history().commits == 2


def test_a_reverted_commit_says_so(sandbox: Sandbox) -> None:
    """After its revert, which names it."""
    repo = sandbox.init("repo")
    first = sandbox.commit(repo, "filetype: detect the use of bash\n\nBash is no plain shell.")
    sandbox.git(
        repo, "commit", "-q", "--allow-empty", "-m",
        f"filetype: detect the shell again\n\nThis reverts commit {first}.\n\nPlugins broke.",
    )  # fmt: skip
    store = sandbox.open(repo)
    store.index_history()
    again, reverted = store.search_history("detect the use of bash again")
    assert again.subject == "filetype: detect the shell again"
    assert reverted.commit == first
    assert reverted.reason.startswith("Taken back in ")
