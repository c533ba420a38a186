"""Two agents write typed memories of one repository in any order: every protection holds.

Each agent works with what it read last, which the other one may have changed since. A model keeps
what must be true of each memory; the mirror follows all the while.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import recollect
from recollect.config.trust import trust_config
from recollect.core.memory import Memory
from recollect.errors import IllegalTransition, MergeRefused, RecollectError, VersionConflict
from recollect.mirror.mirror import Mirror
from recollect.typed import write as typed

TAGS = st.lists(st.sampled_from([f"tag{n}" for n in range(14)]), min_size=1, max_size=12)
FILES = st.lists(st.sampled_from(["here.py", "gone.py", "also-gone.py"]), max_size=3)
TITLES = st.sampled_from(["Use uv for everything", "Use uv for everything now", "Prefer pip tools"])
WORDS = st.sampled_from(["one", "two", "three"])
AGENTS = st.sampled_from([0, 1])


class TwoAgents(RuleBasedStateMachine):
    """The machine."""

    @initialize()
    def begin(self) -> None:
        """A repository with a mirror, opened twice."""
        self.folder = Path(tempfile.mkdtemp())
        git = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", "-C", str(self.folder)]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
        (self.folder / "here.py").touch()
        (self.folder / ".recollect.toml").write_text(
            'author = "A <a@b.c>"\n[mirror]\nenabled = true\n[embedding]\nmodel = "none"\n'
        )
        trust_config(self.folder, os.environ)
        self.agents = [recollect.open(self.folder), recollect.open(self.folder)]
        # What each agent read last: uid → memory.
        self.read: list[dict[str, Memory]] = [{}, {}]
        self.created: dict[str, Memory] = {}
        self.number = 0

    def teardown(self) -> None:
        """Leave nothing."""
        for agent in getattr(self, "agents", []):
            agent.close()
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def some(self, data: st.DataObject) -> str:
        """One of the memories."""
        return data.draw(st.sampled_from(sorted(self.created)))

    @rule(who=AGENTS, title=TITLES, tags=TAGS, files=FILES, word=WORDS)
    def create(self, who: int, title: str, tags: list[str], files: list[str], word: str) -> None:
        """An agent drafts something new."""
        document = {
            "title": title,
            "tags": tags,
            "related_files": files,
            "content": {
                "status": "accepted",
                "context": word,
                "decision": f"{word} {self.number}",
                "rationale": [word],
            },
        }
        self.number += 1
        try:
            done = typed.create(self.agents[who], "decisions", document)
        except RecollectError:
            return  # its title was retired a moment ago
        assert done["status"] == "created"
        memory = self.agents[who].get(done["uid"])
        self.created[memory.uid] = self.read[who][memory.uid] = memory

    @precondition(lambda self: self.created)
    @rule(who=AGENTS, data=st.data())
    def look(self, who: int, data: st.DataObject) -> None:
        """An agent reads a memory as it is now."""
        uid = self.some(data)
        self.read[who][uid] = self.agents[who].get(uid)

    @precondition(lambda self: self.created)
    @rule(
        who=AGENTS,
        data=st.data(),
        given=st.fixed_dictionaries(
            {}, optional={"title": TITLES, "tags": TAGS, "related_files": FILES}
        ),
        word=st.none() | WORDS,
        says=st.booleans(),
    )
    def update(
        self, who: int, data: st.DataObject, given: dict[str, Any], word: str | None, says: bool
    ) -> None:
        """An agent changes what it read; refused, or all protections hold."""
        uid = self.some(data)
        known = self.read[who].get(uid)
        version = known.version if known else "never-read"
        document = dict(given)
        if word:
            document["content"] = {"context": word, "rationale": [word]}
        if says:
            document["changes"] = [{"summary": "because"}]
        before = self.agents[who].get(uid)
        try:
            typed.update(self.agents[who], uid, document, if_version=version)
        except (VersionConflict, MergeRefused, IllegalTransition):
            assert self.agents[who].get(uid) == before  # refused means untouched
            return
        after = self.agents[who].get(uid)
        assert version == before.version != after.version
        lost = set(before.tags) - set(after.tags) - {"untagged"}
        assert not lost or len(after.tags) >= len(before.tags) == 12
        assert {path for path in before.files_modified if path == "here.py"} <= set(
            after.files_modified
        )
        assert len(after.changes) > len(before.changes) or len(before.changes) == 50
        assert after.times_updated == before.times_updated + 1
        assert after.status == before.status
        assert set(before.slugs) <= set(after.slugs)
        self.read[who][uid] = after

    @precondition(lambda self: self.created)
    @rule(
        who=AGENTS,
        data=st.data(),
        action=st.sampled_from(["retire", "archive", "unarchive", "restore"]),
    )
    def step(self, who: int, data: st.DataObject, action: str) -> None:
        """An agent retires, archives, or brings back."""
        uid = self.some(data)
        before = self.agents[who].get(uid)
        try:
            done = typed.change_status(self.agents[who], uid, action, "why")
        except IllegalTransition:
            assert self.agents[who].get(uid) == before
            return
        again = done["status"].startswith("already_")
        assert (self.agents[who].get(uid) == before) is again

    @invariant()
    def what_never_changes(self) -> None:
        """What a memory is."""
        for uid, born in getattr(self, "births", {}).items():
            for agent in self.agents:
                now = agent.get(uid)
                assert (now.kind, now.created, now.id) == (born.kind, born.created, born.id)
                assert len(now.tags) <= 12

    @invariant()
    def the_mirror_equals_the_ledger(self) -> None:
        """After every step."""
        if getattr(self, "births", None):
            assert Mirror(self.agents[0]).differences() == []


def test_two_agents(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Any sequence of what they do; nobody's own configuration counts."""
    monkeypatch.setenv("RECOLLECT_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    run_state_machine_as_test(
        TwoAgents,
        settings=settings(
            max_examples=8,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
