"""A repository with a past: commits, documents and instructions to learn from."""

from __future__ import annotations

from pathlib import Path

from tests.sandbox import Sandbox

DROPPED = """Drop support for Python 3.8 in the scheduler

Nobody could test it any more, because the build images were removed.
We decided to require 3.9 instead of keeping a fork of the old image, to
avoid two ways to build a release.

Signed-off-by: Ada <ada@example.com>
"""
REVERTED = """Revert "cache: keep entries for ever"

This reverts commit 1234567890123456789012345678901234567890.

The cache grew without a limit and caused an outage, because nothing was
ever evicted.
"""
FIXED = """queue: fix a race between two workers (#12)

The root cause is that both workers read the head before either of them
locks it. Previously this was hidden by a global lock. We now lock first,
so that the second worker waits; otherwise a job could run twice.

Fixes #11
"""
CHORE = "Bump version to 1.2.3"
RULES = """# Guide

## Testing

- Run `make test` before you commit anything.
- Never call the network in a test.
- `src/` - the code

The build takes a minute.
"""
RECORD = """# 1. Use PostgreSQL for the cart

## Status

Accepted

## Context

Two workers write at once.

## Decision

We will use PostgreSQL, because it locks rows.
"""
CHANGES = """# Changelog

## 2.0.0 (2026-02-03)

### Breaking changes

- Removed the `--legacy` flag, which nobody used. It kept the old parser alive, because its values
  were read before the configuration.

### Added

- A new color.
"""


def with_past(sandbox: Sandbox, name: str = "shop", *, fillers: int = 0) -> Path:
    """Make a repository with three commits that tell something, a chore, and documents."""
    repo = sandbox.init(name)
    (repo / "docs" / "adr").mkdir(parents=True)
    (repo / "CLAUDE.md").write_text(RULES)
    (repo / "docs" / "adr" / "0001-use-postgresql.md").write_text(RECORD)
    (repo / "CHANGELOG.md").write_text(CHANGES)
    for number, message in enumerate((DROPPED, REVERTED, FIXED, CHORE)):
        with (repo / "shop.py").open("a") as code:
            code.write(f"PART_{number} = {message[:9]!r}\n")
        sandbox.commit(repo, message)
    for number in range(fillers):
        sandbox.git(repo, "commit", "--quiet", "--allow-empty", "-m", telling(number))
    return repo


def telling(number: int) -> str:
    """Return a message that tells something, and says something else for each number."""
    topic = f"topic{number:04d}"
    return (
        f"{topic}: remove the {topic} option from engine{number}\n\n"
        f"It was dangerous because {topic} could corrupt table{number}. We decided to use"
        f" engine{number} instead of {topic}, to avoid data loss."
    )
