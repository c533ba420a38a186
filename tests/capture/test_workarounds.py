"""The way round: what the command that passes has, and the one that failed had not."""

from __future__ import annotations

import pytest

from recollect.capture.workarounds import difference, way_round


@pytest.mark.parametrize(
    ("failed", "passed", "way"),
    [
        ("npm install", "npm install --legacy-peer-deps", "--legacy-peer-deps"),
        ("npm ci", "cd web && npm ci --force 2>&1 | tail -3", "--force"),
        ("git commit -m x", "git commit -m x --no-verify", "--no-verify"),
        (
            "npm run build",
            "NODE_OPTIONS=--openssl-legacy-provider npm run build",
            "NODE_OPTIONS=--openssl-legacy-provider",
        ),
        ("npm run build", "export NODE_OPTIONS=--max-old-space-size=4096 && npm run build",
         "NODE_OPTIONS=--max-old-space-size=4096"),
        ("pip install httpx", "pip install 'httpx<0.28'", "httpx<0.28"),
        ("npm install react", "npm install react@18.2.0", "react@18.2.0"),
        ("npm audit", "npm audit || true", "|| true"),
        # Nobody gets round a failing test like this; somebody looks at it.
        ("pytest", "pytest || true", ""),
        ("pytest", "pytest --no-header -q", ""),
        ("pytest", "CI=1 pytest", ""),
        ("git push", "git push --force-with-lease", ""),
        ("npm install --force", "npm install --force", ""),
        ("npm install a", "npm install b@2", ""),
        ("", "", ""),
    ],
)  # fmt: skip
def test_ways_round(failed: str, passed: str, way: str) -> None:
    """Options, variables, pins and ignored failures; not what only changes the display."""
    assert way_round(failed, passed) == way


@pytest.mark.parametrize(
    ("failed", "passed", "cures", "way"),
    [
        (
            "sh tools/export.sh",
            "sh tools/fetch.sh && sh tools/export.sh",
            ["sh tools/fetch.sh"],
            "",
        ),
        ("sh tests/run.sh", "ulimit -n 512 && sh tests/run.sh", ["ulimit -n 512"], ""),
        ("python3 tools/pump.py", "python3 tools/pump.py --valve-first", [], "--valve-first"),
        ("make test", "cd api && git status && make test", [], ""),
        ("pytest", "pytest -x --tb=short", [], ""),
        ("pytest", "pytest --verbose", [], ""),
        ("make a", "make b --quickly", [], ""),
        ("pytest", "pip install tomli && pytest", ["pip install tomli"], ""),
        ("make run", "make run", [], ""),
        ("", "", [], ""),
    ],
)
def test_whatever_differs_helped_if_nothing_else_happened(
    failed: str, passed: str, cures: list[str], way: str
) -> None:
    """Commands that run first, or another option; not what only looks or shows more."""
    assert difference(failed, passed, is_all=True) == (cures, way)


def test_what_differs_may_not_have_helped_if_something_else_happened() -> None:
    """A file was edited in between: that is more likely."""
    assert difference("sh run.sh", "ulimit -n 512 && sh run.sh", is_all=False) == ([], "")
    assert difference("sh run.sh", "sh run.sh --fast", is_all=False) == ([], "")
