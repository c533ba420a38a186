"""Output of git that is read while it runs."""

from __future__ import annotations

import pytest

from recollect.errors import GitFailed
from recollect.ledger.git import Git
from tests.sandbox import Sandbox


def test_a_stream_that_fails_says_so(sandbox: Sandbox) -> None:
    """A short list must not pass for a whole one."""
    repo = sandbox.init("repo")
    sandbox.commit(repo)
    with pytest.raises(GitFailed, match="bad revision"):
        list(Git(repo).stream("log", "-z", "--format=%H", "nowhere", "--"))


def test_a_stream_may_be_left_early(sandbox: Sandbox) -> None:
    """Whoever has seen enough stops reading; git ends, and nothing failed."""
    repo = sandbox.init("repo")
    for _ in range(3):
        sandbox.commit(repo)
    stream = Git(repo).stream("log", "-z", "--format=%H")
    assert len(next(stream)) == 40
    stream.close()


def test_many_errors_do_not_stop_a_stream(sandbox: Sandbox) -> None:
    """They exceed what a pipe holds while nobody reads it."""
    repo = sandbox.init("repo")
    sandbox.commit(repo)
    for number in range(1_500):
        (repo / ".git" / "refs" / "heads" / f"{number:04d}{'x' * 80}").write_text("no id\n")
    refs = list(Git(repo).stream("for-each-ref", "--format=%(refname)%00"))
    assert b"refs/heads/main" in refs[0]
