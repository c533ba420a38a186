"""Sync, case by case: each test is named after the case of `recollect.ledger.sync` it shows."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

import pytest

import recollect.errors as errors
from recollect.api.recollect import Recollect
from tests.sandbox import Sandbox, install_hook, interpose, interposed

NOTES = "refs/notes/mem/decisions"


@pytest.fixture
def pair(sandbox: Sandbox, hub: Path) -> tuple[Recollect, Recollect]:
    """Two clones of one hub."""
    return sandbox.open(sandbox.clone("ada")), sandbox.open(sandbox.clone("bob"))


def cases(store: Recollect, remote: str | None = None) -> dict[str, str]:
    """Sync; the case of each kind."""
    return store.sync(remote).report.cases


def summaries(store: Recollect) -> list[str]:
    """What a clone remembers, in alphabetical order."""
    return sorted(memory.summary for memory in store.memories(status="all"))


def directory(store: Recollect) -> Path:
    """The working directory of a clone."""
    return store.ledger.repository.git.directory


def assert_in_step(sandbox: Sandbox, *stores: Recollect) -> None:
    """All clones and the hub have equal trees."""
    trees = sandbox.trees(sandbox.hub)
    assert trees
    for store in stores:
        assert sandbox.trees(directory(store)) == trees


def test_nothing_anywhere(pair: tuple[Recollect, Recollect]) -> None:
    """With no memory here nor there, a sync succeeds and has no case to tell of."""
    assert cases(pair[0]) == {}


def test_s0_both_are_the_same(sandbox: Sandbox, pair: tuple[Recollect, Recollect]) -> None:
    """S0: a second sync does nothing and leaves every ref where it is."""
    ada, _ = pair
    ada.capture("decisions", "one")
    ada.sync()
    before = sandbox.refs(directory(ada)), sandbox.refs(sandbox.hub)

    assert cases(ada) == {"decisions": "S0"}
    assert (sandbox.refs(directory(ada)), sandbox.refs(sandbox.hub)) == before


def test_s1_the_remote_has_nothing(sandbox: Sandbox, pair: tuple[Recollect, Recollect]) -> None:
    """S1: a kind that the remote does not have is pushed as it is."""
    ada, _ = pair
    ada.capture("decisions", "one")
    tip = sandbox.refs(directory(ada), NOTES)

    assert cases(ada) == {"decisions": "S1"}
    assert sandbox.refs(sandbox.hub, NOTES) == tip


def test_s1_again_after_the_remote_lost_it(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """S1: a notes ref that somebody deleted on the remote comes back."""
    ada, _ = pair
    ada.capture("decisions", "one")
    ada.sync()
    sandbox.git(sandbox.hub, "update-ref", "-d", NOTES)

    assert cases(ada) == {"decisions": "S1"}
    assert_in_step(sandbox, ada)


def test_s2_we_have_nothing(sandbox: Sandbox, pair: tuple[Recollect, Recollect]) -> None:
    """S2: a kind that only the remote has is taken as it is."""
    ada, bob = pair
    ada.capture("decisions", "one", "body\n")
    ada.sync()

    assert cases(bob) == {"decisions": "S2"}
    assert sandbox.refs(directory(bob), NOTES) == sandbox.refs(sandbox.hub, NOTES)
    assert [m.body for m in bob.memories()] == ["body\n"]


def test_s3_the_remote_has_it_all(sandbox: Sandbox, pair: tuple[Recollect, Recollect]) -> None:
    """S3: where the remote already holds everything, its commit is taken and nothing is pushed."""
    ada, bob = pair
    ada.capture("decisions", "one")
    ada.sync()
    bob.sync()
    ada.capture("decisions", "two")
    ada.sync()
    tip = sandbox.refs(sandbox.hub, NOTES)

    assert cases(bob) == {"decisions": "S3"}
    assert sandbox.refs(directory(bob), NOTES) == tip == sandbox.refs(sandbox.hub, NOTES)
    assert summaries(bob) == ["one", "two"]


def test_s4_both_have_something(sandbox: Sandbox, pair: tuple[Recollect, Recollect]) -> None:
    """S4: what both added is joined on top of the remote's commit: a fast-forward."""
    ada, bob = pair
    ada.capture("decisions", "one")
    bob.capture("decisions", "two")
    ada.sync()
    old = sandbox.git(sandbox.hub, "rev-parse", NOTES)

    assert cases(bob) == {"decisions": "S4"}
    assert sandbox.git(sandbox.hub, "rev-list", "--parents", "-1", NOTES).endswith(old)
    ada.sync()
    assert summaries(ada) == summaries(bob) == ["one", "two"]
    assert_in_step(sandbox, ada, bob)


def test_s4_when_the_remote_knows_a_purge(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """S4: a clone that learns of a purge joins onto the clean history and erases its own."""
    ada, bob = pair
    secret = ada.capture("decisions", "hush", "text-that-must-go")
    ada.sync()
    bob.sync()
    bob.capture("decisions", "mine")
    ada.purge(secret.uid)
    ada.sync()

    result = bob.sync()

    assert result.report.cases == {"decisions": "S4"}
    assert result.report.purged == {secret.uid}
    assert summaries(bob) == ["mine"]
    assert b"text-that-must-go" not in sandbox.all_bytes(directory(bob))
    assert b"text-that-must-go" not in sandbox.reachable_bytes(sandbox.hub)


def test_s5_we_know_a_purge(sandbox: Sandbox, pair: tuple[Recollect, Recollect]) -> None:
    """S5: history that still holds a purged memory is replaced on the remote, with a lease."""
    ada, bob = pair
    secret = ada.capture("decisions", "hush", "text-that-must-go")
    ada.sync()
    bob.sync()
    bob.capture("decisions", "his")
    bob.sync()
    ada.purge(secret.uid)

    assert cases(ada) == {"decisions": "S5"}
    assert b"text-that-must-go" not in sandbox.reachable_bytes(sandbox.hub)
    assert b"text-that-must-go" not in sandbox.all_bytes(directory(ada))
    assert summaries(ada) == ["his"]
    bob.sync()
    assert b"text-that-must-go" not in sandbox.all_bytes(directory(bob))
    assert_in_step(sandbox, ada, bob)


def test_s6_each_knows_another_purge(sandbox: Sandbox, pair: tuple[Recollect, Recollect]) -> None:
    """S6: two purges that do not know each other leave one history without either's past."""
    ada, bob = pair
    first = ada.capture("decisions", "hush", "first-that-must-go")
    second = ada.capture("decisions", "shush", "second-that-must-go")
    ada.capture("decisions", "stays")
    ada.sync()
    bob.sync()
    ada.purge(first.uid)
    bob.purge(second.uid)
    ada.sync()

    assert cases(bob) == {"decisions": "S6"}
    ada.sync()
    assert summaries(ada) == summaries(bob) == ["stays"]
    assert sandbox.git(sandbox.hub, "rev-list", "--count", NOTES) == "1"
    for repo in (directory(ada), directory(bob)):
        assert b"-that-must-go" not in sandbox.all_bytes(repo)
    assert b"-that-must-go" not in sandbox.reachable_bytes(sandbox.hub)
    assert_in_step(sandbox, ada, bob)


def test_kinds_have_cases_of_their_own(sandbox: Sandbox, pair: tuple[Recollect, Recollect]) -> None:
    """One sync may take another case for every kind."""
    ada, bob = pair
    ada.capture("decisions", "same")
    ada.sync()
    bob.sync()
    ada.capture("learnings", "hers")
    ada.capture("patterns", "hers")
    ada.sync()
    bob.capture("patterns", "his")
    bob.capture("solutions", "his")

    assert cases(bob) == {
        "decisions": "S0",
        "learnings": "S2",
        "patterns": "S4",
        "solutions": "S1",
    }
    ada.sync()
    assert_in_step(sandbox, ada, bob)


def test_what_plain_git_pushed_is_joined(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """Notes that somebody wrote and pushed with plain git arrive like any other memory."""
    ada, bob = pair
    ada.capture("decisions", "ours")
    ada.sync()
    repo = directory(bob)
    sandbox.git(repo, "fetch", "--quiet", "origin", f"{NOTES}:{NOTES}")
    sandbox.git(repo, "notes", "--ref=mem/decisions", "append", "-m", "theirs", "HEAD")
    sandbox.git(repo, "push", "--quiet", "origin", NOTES)

    ada.sync()
    bob.sync()
    ada.sync()

    assert summaries(ada) == summaries(bob) == ["ours", "theirs"]
    assert_in_step(sandbox, ada, bob)


def test_private_memories_stay(sandbox: Sandbox, pair: tuple[Recollect, Recollect]) -> None:
    """Private and secret memories never reach the hub, whatever else a sync sends."""
    ada, bob = pair
    ada.capture("decisions", "open")
    ada.capture("decisions", "hush", "private-text", sensitivity="private")
    ada.capture("decisions", "shush", "secret-text", sensitivity="secret")
    ada.sync()
    bob.sync()

    assert summaries(bob) == ["open"]
    stored = sandbox.all_bytes(sandbox.hub)
    assert b"private-text" not in stored
    assert b"secret-text" not in stored
    assert set(sandbox.refs(sandbox.hub, "refs/notes", "refs/mem")) == {NOTES}


def _python(script: str) -> str:
    """The shell command that runs some Python."""
    return f"{sys.executable} -c {shlex.quote(script)}"


def test_a_lost_push_race_starts_again(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A push that finds the hub moved since the fetch joins again; both sides keep everything."""
    ada, bob = pair
    ada.capture("decisions", "first")
    ada.sync()
    bob.sync()
    ada.capture("decisions", "hers")
    bob.capture("decisions", "his")
    other = f"import recollect; recollect.open({str(directory(bob))!r}).sync()"
    interpose(sandbox, monkeypatch, "push", _python(other))

    report = sandbox.open(directory(ada)).sync().report

    assert report.rounds == 2
    assert report.cases == {"decisions": "S4"}
    bob.sync()
    assert summaries(ada) == summaries(bob) == ["first", "hers", "his"]
    assert_in_step(sandbox, ada, bob)


def test_a_purge_that_wins_the_race_is_not_undone(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A purge pushed between our fetch and our push is obeyed, not overwritten."""
    ada, bob = pair
    secret = ada.capture("decisions", "hush", "text-that-must-go")
    ada.sync()
    bob.sync()
    ada.capture("decisions", "hers")
    other = (
        f"import recollect; bob = recollect.open({str(directory(bob))!r})\n"
        f"bob.purge({secret.uid!r}); bob.sync()"
    )
    interpose(sandbox, monkeypatch, "push", _python(other))

    report = sandbox.open(directory(ada)).sync().report

    assert report.rounds == 2
    assert report.purged == {secret.uid}
    assert summaries(ada) == ["hers"]
    assert b"text-that-must-go" not in sandbox.reachable_bytes(sandbox.hub)
    assert b"text-that-must-go" not in sandbox.all_bytes(directory(ada))


def test_a_capture_during_the_fetch_is_kept(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another process of this clone captures while a sync runs is neither lost nor undone."""
    ada, bob = pair
    bob.capture("decisions", "his")
    bob.sync()
    ada.capture("decisions", "before")
    other = (
        f"import recollect; recollect.open({str(directory(ada))!r}).capture('decisions', 'while')"
    )
    interpose(sandbox, monkeypatch, "fetch", _python(other))

    sandbox.open(directory(ada)).sync()

    bob.sync()
    assert summaries(ada) == summaries(bob) == ["before", "his", "while"]
    assert_in_step(sandbox, ada, bob)


def test_the_last_word_does_not_depend_on_clocks(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has seen a change and changes it again wins, also where their clock is years behind."""
    ada, bob = pair
    memory = ada.capture("decisions", "first")
    ada.update(memory.uid, summary="second")
    ada.sync()
    bob.sync()
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() - 10**17)
    bob.update(memory.uid, summary="third")
    monkeypatch.undo()
    bob.sync()
    ada.sync()

    assert summaries(ada) == summaries(bob) == ["third"]


# Moments in a sync at which plain git may get in between, as the git commands around them.
MOMENTS = {
    "before the fetch": (None, "fetch"),
    "before the join": ("fetch", "cat-file --batch"),
    "before the swap": ("fetch", "update-ref"),
    "before the push": ("update-ref", "for-each-ref"),
    "during the push": (None, "push"),
}
MEDDLING = {
    "delete": f"update-ref -d {NOTES}",
    "replace": "notes --ref=mem/decisions add -f -m foreign HEAD",
    "go back": f"update-ref {NOTES} refs/notes/old",
    "fetch": "fetch -q origin +refs/notes/*:refs/notes/*",
}


@pytest.mark.parametrize(
    ("moment", "meddling"),
    [
        *((moment, act) for moment in MOMENTS for act in ("delete", "go back")),
        *((moment, "fetch") for moment in ("before the fetch", "before the join")),
        *((moment, "replace") for moment in ("before the join", "before the push")),
    ],
)
def test_plain_git_gets_in_between(
    sandbox: Sandbox,
    pair: tuple[Recollect, Recollect],
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
    meddling: str,
) -> None:
    """Whatever plain git does to the notes while a sync runs, the next syncs mend everything.

    A purged memory is in the old notes that plain git brings back; it must not come back.
    """
    ada, bob = pair
    secret = ada.capture("decisions", "hush", "text-that-must-go")
    ada.capture("decisions", "shared")
    ada.sync()
    bob.sync()
    repo = directory(ada)
    sandbox.git(repo, "update-ref", "refs/notes/old", NOTES)
    bob.capture("decisions", "his")
    bob.sync()
    ada.capture("decisions", "hers")
    ada.purge(secret.uid)
    after, command = MOMENTS[moment]
    interpose(sandbox, monkeypatch, command, f"git -C {repo} {MEDDLING[meddling]}", after=after)

    sandbox.open(repo).sync()

    assert interposed(sandbox)
    monkeypatch.undo()
    for store in (ada, bob, ada, bob):
        store.sync()
    wanted = ["foreign"] * (meddling == "replace") + ["hers", "his", "shared"]
    assert summaries(ada) == summaries(bob) == wanted
    assert_in_step(sandbox, ada, bob)
    assert b"text-that-must-go" not in sandbox.reachable_bytes(sandbox.hub)
    assert b"text-that-must-go" not in sandbox.all_bytes(directory(bob))
    sandbox.git(repo, "update-ref", "-d", "refs/notes/old")
    sandbox.collect_garbage(repo)
    assert b"text-that-must-go" not in sandbox.all_bytes(repo)


@pytest.mark.parametrize("as_uri", [False, True], ids=["path", "url"])
def test_a_remote_given_as_an_address(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect], as_uri: bool
) -> None:
    """A path or URL works like a named remote, and adds no remote to the configuration."""
    ada, bob = pair
    other = sandbox.init("other hub.git", "--bare")
    address = other.as_uri() if as_uri else str(other)
    config = (directory(ada) / ".git" / "config").read_bytes()
    ada.capture("decisions", "hers")
    bob.capture("decisions", "his")

    assert cases(ada, address) == {"decisions": "S1"}
    assert cases(bob, address) == {"decisions": "S4"}
    assert cases(ada, address) == {"decisions": "S3"}
    assert summaries(ada) == summaries(bob) == ["hers", "his"]
    assert sandbox.trees(other) == sandbox.trees(directory(ada))
    assert not sandbox.trees(sandbox.hub)
    assert (directory(ada) / ".git" / "config").read_bytes() == config


def test_a_relative_path_as_the_remote(sandbox: Sandbox, pair: tuple[Recollect, Recollect]) -> None:
    """A path is relative to the directory that was opened, as for git itself."""
    ada, _ = pair
    sandbox.init("other.git", "--bare")
    ada.capture("decisions", "hers")

    assert cases(ada, "../other.git") == {"decisions": "S1"}
    assert sandbox.trees(sandbox.root / "other.git") == sandbox.trees(directory(ada))


def test_two_remotes_pass_on_what_they_get(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """A clone that syncs with two remotes carries memories and purges from one to the other."""
    ada, bob = pair
    second = str(sandbox.init("second.git", "--bare"))
    secret = ada.capture("decisions", "hush", "text-that-must-go")
    ada.capture("decisions", "stays")
    ada.sync()
    bob.sync()
    bob.sync(second)
    ada.purge(secret.uid)
    ada.sync()

    bob.sync()
    assert cases(bob, second) == {"decisions": "S5"}
    assert b"text-that-must-go" not in sandbox.reachable_bytes(Path(second))
    assert b"text-that-must-go" not in sandbox.all_bytes(directory(bob))


def test_no_remote_is_an_error(sandbox: Sandbox) -> None:
    """Without any remote a sync says so, and how to add one."""
    store = sandbox.open(sandbox.init("alone"))
    with pytest.raises(errors.NoRemote, match="no remote"):
        store.sync()


def test_an_unknown_remote_is_an_error(pair: tuple[Recollect, Recollect]) -> None:
    """A name that is no remote is refused, naming those there are."""
    with pytest.raises(errors.NoRemote) as caught:
        pair[0].sync("upstream")
    assert "origin" in caught.value.hint


@pytest.mark.parametrize("name", ["--upload-pack=touch pwned", "-x", "a\nb"])
def test_a_remote_that_could_be_an_option_is_refused(
    pair: tuple[Recollect, Recollect], name: str
) -> None:
    """Nothing that git could take for an option is ever handed to it as a remote."""
    with pytest.raises(errors.UnsafeName):
        pair[0].sync(name)


def test_an_unreachable_remote_loses_nothing(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """A remote that is not there fails the sync, leaves every memory, and the next sync works."""
    ada, bob = pair
    memory = ada.capture("decisions", "hers")
    away = sandbox.hub.rename(sandbox.root / "away.git")

    with pytest.raises(errors.SyncError, match="origin"):
        ada.sync()

    assert ada.get(memory.id).summary == "hers"
    away.rename(sandbox.hub)
    ada.sync()
    bob.sync()
    assert summaries(bob) == ["hers"]


@pytest.mark.parametrize("hook", ["pre-receive", "update"])
def test_a_remote_that_declines_notes(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect], hook: str
) -> None:
    """A hub whose hook declines refs/notes gives PushRejected at once, and nothing is lost."""
    ada, bob = pair
    bob.capture("decisions", "his")
    bob.sync()
    script = install_hook(sandbox.hub, hook, "echo 'no notes here' >&2; exit 1")
    memory = ada.capture("decisions", "hers")
    before = sandbox.refs(sandbox.hub)

    with pytest.raises(errors.PushRejected) as caught:
        ada.sync()

    assert "declined" in caught.value.message
    assert sandbox.refs(sandbox.hub) == before
    assert ada.get(memory.uid).summary == "hers"
    assert summaries(ada) == ["hers", "his"]
    script.unlink()
    ada.sync()
    bob.sync()
    assert summaries(bob) == ["hers", "his"]
    assert_in_step(sandbox, ada, bob)


def test_a_remote_that_forbids_rewriting(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """A hub that lets no ref go back takes no purge: the error says so, and nothing is lost."""
    ada, bob = pair
    secret = ada.capture("decisions", "hush")
    ada.capture("decisions", "stays")
    ada.sync()
    bob.sync()
    hook = install_hook(sandbox.hub, "update", 'git merge-base --is-ancestor "$2" "$3"')
    ada.purge(secret.uid)
    before = sandbox.refs(sandbox.hub)

    with pytest.raises(errors.PushRejected, match="declined"):
        ada.sync()

    assert sandbox.refs(sandbox.hub) == before
    assert summaries(ada) == ["stays"]
    hook.unlink()
    assert cases(ada) == {"decisions": "S5"}
    bob.sync()
    assert summaries(bob) == ["stays"]


def test_one_declined_kind_does_not_hold_up_the_others(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """Where the hub declines one ref, the others arrive all the same."""
    ada, bob = pair
    install_hook(sandbox.hub, "update", f'test "$1" != {NOTES}')
    ada.capture("decisions", "declined")
    ada.capture("learnings", "taken")

    with pytest.raises(errors.PushRejected):
        ada.sync()

    bob.sync()
    assert summaries(bob) == ["taken"]
    assert summaries(ada) == ["declined", "taken"]


def test_a_purge_learnt_from_a_forced_fetch_leaves_no_history(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """Absorbing a purge that plain git fetched drops the history that holds the purged text."""
    ada, bob = pair
    secret = ada.capture("decisions", "hush", "text-that-must-go")
    ada.sync()
    bob.sync()
    ada.purge(secret.uid)
    ada.sync()
    bob.capture("decisions", "mine")
    repo = directory(bob)
    sandbox.git(repo, "fetch", "--quiet", "origin", "+refs/notes/*:refs/notes/*")

    second = sandbox.init("second.git", "--bare")
    bob.sync(str(second))

    assert summaries(bob) == ["mine"]
    assert b"text-that-must-go" not in sandbox.reachable_bytes(repo)
    assert b"text-that-must-go" not in sandbox.all_bytes(second)


def test_a_purge_learnt_from_a_forced_fetch_is_erased(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """A purge erases at the next sync also where plain git fetched it first; no gc is needed."""
    ada, bob = pair
    secret = ada.capture("decisions", "hush", "text-that-must-go")
    ada.sync()
    bob.sync()
    ada.purge(secret.uid)
    ada.sync()
    bob.capture("decisions", "mine")
    repo = directory(bob)
    sandbox.git(repo, "fetch", "--quiet", "origin", "+refs/notes/*:refs/notes/*")

    bob.sync()

    assert summaries(bob) == ["mine"]
    assert b"text-that-must-go" not in sandbox.all_bytes(repo)
