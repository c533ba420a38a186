"""Random days of a team: whatever anybody does in whatever order, the ledger's promises hold.

A hub and three clones, one of them shallow. Memories are captured, changed and purged; commits are
made, rewritten and collected; plain git does to the notes what it can; writers crash. The model is
what was acknowledged. In the end everybody syncs, and then:

- every clone and the hub have equal trees;
- every acknowledged memory is there, with what was last said about it;
- no byte of a purged memory is left in any object store after a gc, and none in the clone that
  purged it even without one;
- every name that was ever shown means its memory, or an ambiguity that contains it;
- nothing private has left its clone.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.core.status import TRANSITIONS
from recollect.core.uid import uid_milliseconds
from recollect.ledger.git import Git
from recollect.ledger.health import PROBLEM
from recollect.ledger.refs import Swap, swap_refs
from tests.core.strategies import NASTY_LINES
from tests.sandbox import Sandbox

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
KINDS = ("decisions", "tech-debt")
NAMES = ("ada", "bob", "shallow")
# By how many seconds the clock of each is wrong.
CLOCKS = (0, -86_400, 3_600)
_now = time.time_ns

clones = st.integers(0, len(NAMES) - 1)
kinds = st.sampled_from(KINDS)
# The first and the newest more often than others, so that several people touch the same one.
picks = st.one_of(st.just(0), st.just(-1), st.integers(0, 999))
bodies: st.SearchStrategy[list[str]] = st.one_of(
    st.just([]),
    st.lists(NASTY_LINES, min_size=1, max_size=6),
)
anchors = st.sampled_from(["HEAD", "HEAD", "HEAD~1", None])

# What somebody's editor leaves of a note. Git itself drops the lines that start with `#`.
EDITORS: Mapping[str, str] = {
    "nothing": "true",
    "blank lines": "sed -i '/^$/d'",
    "bodies": "sed -i '/^[^-.uoisrtb]/d'",
    "rules": "sed -i '/^---$/d'",
    "terminators": "sed -i '/^[.][.][.]$/d'",
    "the end": "sed -i '9,$d'",
}
# Without its frame a record is text like any other, and other text may run into it.
FRAME_BREAKERS = ("rules", "terminators", "the end")


_ACTS: list[st.SearchStrategy[tuple[str, dict[str, Any]]]] = []
Act = TypeVar("Act", bound=Callable[..., None])


def act(weight: int = 1, **given: st.SearchStrategy[Any]) -> Callable[[Act], Act]:
    """Something that may happen, as often as its weight says.

    All acts are one rule to hypothesis: it leaves out rules at random, and few days are worth
    looking at in which, say, nobody remembers anything.
    """

    def register(method: Act) -> Act:
        chosen = st.tuples(st.just(method.__name__), st.fixed_dictionaries(given))
        _ACTS.extend([chosen] * weight)
        return method

    return register


class Crash(BaseException):
    """The process is gone."""


@dataclass
class Known:
    """What was acknowledged about one memory: for each field the values that may have won."""

    uid: str
    token: str
    home: int
    private: bool
    records: set[str]
    values: dict[str, set[str]]
    purged: bool = False
    blurred: bool = field(default=False)

    def may_be_in(self, clone: int) -> bool:
        """Whether a clone may hold it."""
        return not self.private or clone == self.home


@contextmanager
def dying(swapped: bool) -> Iterator[None]:
    """The process dies when it comes to swapping refs, just before that or just after."""

    def die(git: Git, swaps: Iterable[Swap], reason: str) -> bool:
        if swapped:
            swap_refs(git, swaps, reason)
        raise Crash

    with mock.patch("recollect.ledger.ledger.swap_refs", die):
        yield


class LedgerMachine(RuleBasedStateMachine):
    """Everything that may happen, and what has to be true afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="machine-"))
        self.sandbox = Sandbox(self.root)
        self.sandbox.make_hub()
        self.repos = [self.sandbox.clone(name) for name in NAMES[:2]]
        self.repos.append(self.sandbox.clone(NAMES[2], "--depth=1"))
        self.stores = [self.sandbox.open(repo) for repo in self.repos]
        self.known: dict[str, Known] = {}
        # What each clone has shown: the uids, and the names with whom they meant.
        self.shown: list[set[str]] = [set() for _ in self.repos]
        self.born: list[dict[str, str]] = [{} for _ in self.repos]
        self.names: dict[str, set[str]] = defaultdict(set)
        # Tokens that a foreign command has torn out of their records, by clone.
        self.torn: list[set[str]] = [set() for _ in self.repos]
        self.touched: set[int] = set()
        self.count = 0

    # Helpers

    def git(self, clone: int, *args: str, env: Mapping[str, str] | None = None) -> bool:
        """Git as the user of a clone runs it; it may refuse."""
        self.touched.add(clone)
        return self.sandbox.run(self.repos[clone], *args, env=env).returncode == 0

    def text(self, token: str, lines: Sequence[str]) -> str:
        """A body that carries a token; none where there are no lines."""
        self.count += 1
        return "\n".join([*lines, f"{token} b{self.count}", *lines[:2]]) if lines else ""

    def live(self, clone: int) -> list[Known]:
        """The acknowledged memories that a clone holds, oldest first."""
        self.touched.add(clone)
        here = {memory.uid for memory in self.stores[clone].memories(status="all")}
        return [known for known in self.known.values() if known.uid in here]

    def pick(self, clone: int, number: int) -> Known | None:
        """One of the memories that a clone holds."""
        found = self.live(clone)
        return found[number % len(found)] if found else None

    def draft(
        self, kind: str, at: str | None, lines: Sequence[str], private: bool
    ) -> dict[str, Any]:
        """What to capture, with a token that nothing else has."""
        self.count += 1
        token = f"token{self.count:04}"
        return {
            "kind": kind,
            "summary": f"{token} s",
            "body": self.text(token, lines),
            "at": at,
            "sensitivity": "private" if private else None,
        }

    def acknowledge(
        self, clone: int, drafts: Iterable[dict[str, Any]], found: list[Memory]
    ) -> None:
        """Believe that memories were captured."""
        for draft, memory in zip(drafts, found, strict=True):
            name = memory.id
            assert name not in self.born[clone], f"{name} was given twice"
            self.names[name].add(memory.uid)
            self.names[short(name)].add(memory.uid)
            self.known[memory.uid] = Known(
                uid=memory.uid,
                token=draft["summary"].split()[0],
                home=clone,
                private=draft["sensitivity"] is not None,
                records={memory.uid},
                values={
                    "summary": {draft["summary"]},
                    "body": {draft["body"]},
                    "status": {"active"},
                },
            )

    def change(
        self, clone: int, known: Known, values: dict[str, str], act: Callable[[], Any]
    ) -> None:
        """Change a memory, and believe it if a record of it is in the ledger afterwards."""
        before = {record.uid for record in self.stores[clone].history(known.uid)}
        with suppress(Crash):
            act()
        after = {record.uid for record in self.sandbox.open(self.repos[clone]).history(known.uid)}
        assert before <= after
        if after == before:
            return
        for name, value in values.items():
            # A writer that knew all that was said before has the last word.
            known.values[name] = {value} | (
                set() if known.records <= before else known.values[name]
            )
        known.records |= after

    def tokens_in(self, clone: int, ref: str) -> set[str]:
        """The tokens that the notes of a ref hold."""
        repo = self.repos[clone]
        found = self.sandbox.run(repo, "grep", "-h", "-a", "-o", "token[0-9]*", ref).stdout
        return set(found.decode().split())

    def noted(self, clone: int, kind: str, number: int) -> str | None:
        """An anchor that has a note."""
        listed = self.sandbox.run(self.repos[clone], "notes", f"--ref=mem/{kind}", "list").stdout
        found = sorted(line.split()[1] for line in listed.decode().splitlines())
        return found[number % len(found)] if found else None

    @rule(what=st.deferred(lambda: st.one_of(_ACTS)))
    def step(self, what: tuple[str, dict[str, Any]]) -> None:
        """Something happens."""
        name, given = what
        skew = CLOCKS[given["clone"]] * 1_000_000_000

        def wrong_time() -> int:
            return _now() + skew

        with mock.patch("time.time_ns", wrong_time):
            getattr(self, name)(**given)

    # What people do with Recollect

    @initialize(which=st.lists(clones, min_size=1, max_size=4))
    def begin(self, which: list[int]) -> None:
        """Some memories at the commit that all have, under names that collide."""
        for clone in which:
            self.capture(clone, KINDS[0], "HEAD", ["first"], False)
        self.sync(which[0])

    @act(
        weight=4,
        clone=clones,
        kind=kinds,
        at=anchors,
        lines=bodies,
        private=st.sampled_from([0, 0, 0, 1]),
    )
    def capture(
        self, clone: int, kind: str, at: str | None, lines: Sequence[str], private: int
    ) -> None:
        """Remember something."""
        self.capture_many(clone, [(kind, at, lines, bool(private))])

    @act(
        clone=clones,
        wanted=st.lists(st.tuples(kinds, anchors, bodies, st.just(False)), min_size=2, max_size=4),
    )
    def capture_many(
        self, clone: int, wanted: list[tuple[str, str | None, Sequence[str], bool]]
    ) -> None:
        """Remember several things at once."""
        self.touched.add(clone)
        if self.sandbox.run(self.repos[clone], "rev-parse", "-q", "--verify", "HEAD~1").returncode:
            wanted = [(k, "HEAD" if at else at, lines, p) for k, at, lines, p in wanted]
        drafts = [self.draft(*one) for one in wanted]
        self.acknowledge(clone, drafts, self.stores[clone].capture_many(drafts))

    @act(
        weight=3,
        clone=clones,
        number=picks,
        lines=bodies,
        what=st.sampled_from(["summary", "body", "both"]),
    )
    def update(self, clone: int, number: int, lines: Sequence[str], what: str) -> None:
        """Change what a memory says."""
        known = self.pick(clone, number)
        if known is not None:
            values = self.new_values(known, lines, what)
            store = self.stores[clone]
            self.change(clone, known, values, lambda: store.update(known.uid, **values))

    def new_values(self, known: Known, lines: Sequence[str], what: str) -> dict[str, str]:
        """A summary or a body that nobody has written before; an empty body once in a while."""
        self.count += 1
        values = {}
        if what != "body":
            values["summary"] = f"{known.token} s{self.count}"
        if what != "summary":
            values["body"] = self.text(known.token, lines)
        return values

    @act(weight=2, clone=clones, number=picks, way=picks)
    def set_status(self, clone: int, number: int, way: int) -> None:
        """Resolve, archive, retire or restore a memory."""
        known = self.pick(clone, number)
        if known is not None:
            store = self.stores[clone]
            legal = TRANSITIONS[store.get(known.uid).status]
            status = legal[way % len(legal)]
            self.change(
                clone, known, {"status": status}, lambda: store.set_status(known.uid, status)
            )

    @act(weight=3, clone=clones, number=picks, again=st.booleans())
    def purge(self, clone: int, number: int, again: bool) -> None:
        """Erase a memory: its text is gone from this clone at once, and its name for ever."""
        known = self.pick(clone, number)
        if known is None:
            return
        left = self.stores[clone].purge(known.uid)
        known.purged = True
        stale = self.sandbox.refs(self.repos[clone], "refs/notes/stale")
        assert not left or stale, left
        if not left:
            excused = self.torn[clone] | self.adopted_tokens(self.stores[clone])
            repo = self.repos[clone]
            stored = self.sandbox.all_bytes(repo) + self.sandbox.state_bytes(repo)
            assert known.token in excused or known.token.encode() not in stored, known.token
        if again:
            for kind in KINDS:
                self.capture(clone, kind, "HEAD", [], 0)

    def adopted_tokens(self, store: Recollect) -> set[str]:
        """Tokens in memories that are somebody else's text: a foreign command copied them there."""
        texts = [
            f"{memory.summary}\n{memory.body}"
            for memory in store.memories(status="all")
            if uid_milliseconds(memory.uid) == 0
        ]
        return {
            known.token for known in self.known.values() if any(known.token in t for t in texts)
        }

    @act(weight=4, clone=clones)
    def sync(self, clone: int) -> None:
        """Exchange memories with the hub."""
        self.touched.add(clone)
        self.stores[clone].sync()

    @act(clone=clones)
    def reopen(self, clone: int) -> None:
        """A new process."""
        self.stores[clone].close()
        self.stores[clone] = self.sandbox.open(self.repos[clone])

    @act(
        weight=2,
        clone=clones,
        number=picks,
        lines=bodies,
        job=st.sampled_from(["capture", "update", "purge", "sync"]),
        swapped=st.booleans(),
    )
    def crash(self, clone: int, number: int, lines: Sequence[str], job: str, swapped: bool) -> None:
        """A process dies after it stored its objects, before or after it swapped the refs."""
        known = self.pick(clone, number)
        store = self.stores[clone]
        if job == "capture":
            draft = self.draft(KINDS[0], "HEAD", lines, False)
            with suppress(Crash), dying(swapped):
                store.capture_many([draft])
        elif job == "sync":
            with suppress(Crash), dying(swapped):
                store.sync()
        elif job == "update" and known is not None:
            values = self.new_values(known, lines, "both")

            def update() -> None:
                with dying(swapped):
                    store.update(known.uid, **values)

            self.change(clone, known, values, update)
        elif job == "purge" and known is not None:
            with suppress(Crash), dying(swapped):
                store.purge(known.uid)
        self.reopen(clone)
        if job == "purge" and known is not None:
            known.purged = known.purged or not self.stores[clone].candidates(known.uid)

    # What people do with git

    @act(clone=clones)
    def commit(self, clone: int) -> None:
        """A new commit."""
        self.sandbox.commit(self.repos[clone])

    @act(clone=clones, rewrite=st.booleans())
    def amend(self, clone: int, rewrite: bool) -> None:
        """A new message for the last commit; its notes are copied if the user wants that."""
        self.count += 1
        self.git(clone, *_copying(rewrite), "commit", "-q", "--amend", "-m", f"Anew {self.count}")

    @act(clone=clones, rewrite=st.booleans(), kind=kinds)
    def rebase(self, clone: int, rewrite: bool, kind: str) -> None:
        """Three commits with a memory each become one."""
        repo = self.repos[clone]
        base = self.sandbox.git(repo, "rev-parse", "HEAD")
        for message in ("Work", "fixup! Work", "fixup! Work"):
            self.sandbox.commit(repo, message)
            self.capture(clone, kind, "HEAD", ["rebased"], 0)
        options = ("-q", "-i", "--autosquash", base)
        assert self.git(
            clone, *_copying(rewrite), "rebase", *options, env={"GIT_SEQUENCE_EDITOR": "true"}
        )

    @act(clone=clones, kind=kinds)
    def squash_merge(self, clone: int, kind: str) -> None:
        """A branch is squashed and deleted, and its commits are collected."""
        repo = self.repos[clone]
        self.sandbox.git(repo, "switch", "-q", "-c", "topic")
        self.sandbox.commit(repo)
        self.capture(clone, kind, "HEAD", ["squashed"], 0)
        self.sandbox.git(repo, "switch", "-q", "main")
        self.sandbox.git(repo, "merge", "-q", "--squash", "topic")
        self.sandbox.git(repo, "commit", "-q", "-m", "Squashed")
        self.sandbox.git(repo, "branch", "-q", "-D", "topic")
        self.gc(clone, "--prune=now", True)

    @act(
        clone=clones,
        how=st.sampled_from(["--auto", "--prune=now", "--cruft", "--no-prune"]),
        reflogs=st.booleans(),
    )
    def gc(self, clone: int, how: str, reflogs: bool) -> None:
        """Housekeeping."""
        if reflogs:
            self.git(clone, "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
        assert self.git(clone, "gc", "-q", how)

    # What plain git does to the notes

    @act(clone=clones, kind=kinds, number=picks, here=st.booleans())
    def foreign_append(self, clone: int, kind: str, number: int, here: bool) -> None:
        """Somebody adds plain text."""
        self.count += 1
        anchor = "HEAD" if here else self.noted(clone, kind, number) or "HEAD"
        text = f"By hand {self.count}"
        self.git(clone, "notes", f"--ref=mem/{kind}", "append", "-m", text, anchor)

    @act(weight=3, clone=clones, kind=kinds, number=picks, how=st.sampled_from(sorted(EDITORS)))
    def foreign_edit(self, clone: int, kind: str, number: int, how: str) -> None:
        """Somebody's editor removes lines."""
        anchor = self.noted(clone, kind, number)
        if anchor is None:
            return
        ref = f"refs/notes/mem/{kind}"
        if how in FRAME_BREAKERS:
            self.tear(clone, self.tokens_in(clone, ref))
        self.git(clone, "notes", "--ref", ref, "edit", anchor, env={"GIT_EDITOR": EDITORS[how]})

    def tear(self, clone: int, tokens: set[str]) -> None:
        """Some memories' texts may now stand outside their records, or others' inside them."""
        self.torn[clone] |= tokens
        for known in self.known.values():
            known.blurred |= known.token in tokens

    @act(clone=clones, kind=kinds, number=picks)
    def foreign_remove(self, clone: int, kind: str, number: int) -> None:
        """Somebody removes a note."""
        anchor = self.noted(clone, kind, number)
        if anchor is not None:
            self.git(clone, "notes", f"--ref=mem/{kind}", "remove", anchor)

    @act(clone=clones, kind=kinds, number=picks)
    def foreign_replace(self, clone: int, kind: str, number: int) -> None:
        """Somebody overwrites a note."""
        self.count += 1
        anchor = self.noted(clone, kind, number) or "HEAD"
        text = f"Instead {self.count}"
        self.git(clone, "notes", f"--ref=mem/{kind}", "add", "-f", "-m", text, anchor)

    @act(clone=clones, kind=kinds)
    def foreign_delete(self, clone: int, kind: str) -> None:
        """Somebody deletes a notes ref."""
        self.git(clone, "update-ref", "-d", f"refs/notes/mem/{kind}")

    @act(clone=clones, kind=kinds)
    def keep_for_later(self, clone: int, kind: str) -> None:
        """Somebody keeps a copy of a notes ref as it is now."""
        self.git(clone, "update-ref", f"refs/notes/stale/{kind}", f"refs/notes/mem/{kind}")

    @act(
        clone=clones,
        kind=kinds,
        strategy=st.sampled_from(["union", "ours", "theirs", "cat_sort_uniq"]),
    )
    def foreign_merge(self, clone: int, kind: str, strategy: str) -> None:
        """Somebody merges an old copy of a notes ref into it."""
        stale, ref = f"refs/notes/stale/{kind}", f"refs/notes/mem/{kind}"
        if strategy == "cat_sort_uniq":
            self.tear(clone, self.tokens_in(clone, stale) | self.tokens_in(clone, ref))
        self.git(clone, "notes", "--ref", ref, "merge", "-q", "-s", strategy, stale)

    @act(clone=clones, prune=st.booleans())
    def forced_fetch(self, clone: int, prune: bool) -> None:
        """Somebody overwrites all notes with those of the hub."""
        option = "--prune" if prune else "--no-prune"
        self.git(clone, "fetch", "-q", option, "origin", "+refs/notes/*:refs/notes/*")

    @act(clone=clones)
    def forced_push(self, clone: int) -> None:
        """Somebody overwrites the notes of the hub."""
        self.git(clone, "push", "-q", "-f", "origin", "refs/notes/mem/*:refs/notes/mem/*")

    @act(clone=clones, kind=kinds)
    def notes_prune(self, clone: int, kind: str) -> None:
        """Somebody drops the notes of commits that are not there."""
        self.git(clone, "notes", f"--ref=mem/{kind}", "prune")

    # What must be true

    @invariant()
    def nothing_shown_is_lost(self) -> None:
        """What a clone has once shown it goes on to show, unless it was purged."""
        purged = {known.uid for known in self.known.values() if known.purged}
        for clone in sorted(self.touched):
            store = self.stores[clone]
            memories = store.memories(status="all")
            uids = {memory.uid for memory in memories}
            assert self.shown[clone] - purged <= uids
            self.shown[clone] |= uids
            for memory in memories:
                name = memory.id.partition("~")[0]
                self.born[clone][name] = memory.uid
                for shown in (memory.id, name, short(memory.id), short(name)):
                    self.names[shown].add(memory.uid)
                known = self.known.get(memory.uid)
                assert known is None or known.may_be_in(clone)
                assert known is None or known.token in memory.summary
        self.touched.clear()

    def teardown(self) -> None:
        """Everybody syncs; then look at everything."""
        try:
            self.touched = set(range(len(self.repos)))
            self.nothing_shown_is_lost()
            self.bring_together()
            self.check_memories()
            self.check_names()
            self.check_bytes()
        finally:
            self.sandbox.close()
            shutil.rmtree(self.root, ignore_errors=True)

    def bring_together(self) -> None:
        """Sync until everything is the same everywhere; two rounds must do."""
        for clone, repo in enumerate(self.repos):
            for ref in self.sandbox.refs(repo, "refs/notes/stale"):
                self.sandbox.git(repo, "update-ref", "-d", ref)
            self.sync(clone)
        for clone in range(len(self.repos)):
            self.sync(clone)
        trees = self.sandbox.trees(self.sandbox.hub)
        for repo in self.repos:
            assert self.sandbox.trees(repo) == trees
        for store in self.stores:
            assert set(store.sync().report.cases.values()) <= {"S0"}

    def check_memories(self) -> None:
        """Each clone holds what was acknowledged, read anew as well as bit by bit."""
        for clone, repo in enumerate(self.repos):
            shown = self.stores[clone].memories(status="all")
            self.stores[clone].close()
            self.sandbox.drop_derived_files(repo)
            fresh = self.stores[clone] = self.sandbox.open(repo)
            assert fresh.memories(status="all") == shown
            found = {memory.uid: memory for memory in shown}
            for known in self.known.values():
                if known.purged or not known.may_be_in(clone):
                    assert known.uid not in found
                    continue
                memory = found[known.uid]
                assert memory.summary in known.values["summary"]
                assert memory.status in known.values["status"]
                assert known.blurred or memory.body in known.values["body"]
                assert known.records <= {record.uid for record in fresh.history(known.uid)}
            assert [f for f in fresh.verify() if f.level == PROBLEM] == []

    def check_names(self) -> None:
        """Every name means its memory or an ambiguity; that of a purged one never another."""
        for clone, store in enumerate(self.stores):
            self.touched.add(clone)
            self.nothing_shown_is_lost()
            here = {memory.uid for memory in store.memories(status="all")}
            for name, owners in self.names.items():
                meant = {memory.uid for memory in store.candidates(name)}
                lost, others = owners & here - meant, meant - owners
                assert not lost, f"{name} does not mean {lost} any more"
                assert not others, f"{name} has come to mean {others}"

    def check_bytes(self) -> None:
        """Nothing purged is left anywhere, and nothing private is anywhere else."""
        excused = self.adopted_tokens(self.stores[0])
        places = [*enumerate(self.repos), (-1, self.sandbox.hub)]
        for clone, repo in places:
            self.sandbox.collect_garbage(repo)
            stored = self.sandbox.all_bytes(repo) + self.sandbox.state_bytes(repo)
            for known in self.known.values():
                gone = known.purged and known.token not in excused
                if gone or not known.may_be_in(clone):
                    assert known.token.encode() not in stored, (repo.name, known.token)
            assert self.sandbox.run(repo, "fsck", "--strict").returncode == 0
            ours = set(self.sandbox.refs(repo, "refs/notes/mem-local", "refs/mem"))
            assert clone >= 0 or not ours
        for clone, store in enumerate(self.stores):
            here = {memory.uid for memory in store.memories(status="all")}
            wanted = {k.uid for k in self.known.values() if not k.purged and k.may_be_in(clone)}
            assert wanted <= here


def _copying(rewrite: bool) -> tuple[str, ...]:
    """The setting that makes git copy notes when it rewrites commits."""
    return ("-c", "notes.rewriteRef=refs/notes/mem/*") if rewrite else ()


# Few long days, or many with HYPOTHESIS_PROFILE=thorough.
DAYS = settings(
    max_examples=100 if THOROUGH else 4,
    stateful_step_count=60 if THOROUGH else 40,
    deadline=None,
    # To shrink a failure takes long: only where somebody waits for it.
    phases=tuple(Phase) if THOROUGH else (Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


@pytest.mark.parametrize("half", ["one half", "the other half"])
def test_random_days_of_a_team(half: str) -> None:
    """Whatever a team does in whatever order, the promises above hold; two processes can look."""
    run_state_machine_as_test(LedgerMachine, settings=DAYS)
