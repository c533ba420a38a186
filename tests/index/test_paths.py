"""Paths in a text: what counts as one, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index import paths
from recollect.index.paths import named_paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("fixed in src/db.py:42, then in ./lib/a.ts.", ["src/db.py", "lib/a.ts"]),
        ("(see `tests/x_test.go`) and src/core/", ["tests/x_test.go", "src/core"]),
        ("conf.yaml, twice: conf.yaml, and a Makefile.", ["conf.yaml", "Makefile"]),
        ("the folder src/recollect/index is full", ["src/recollect/index"]),
        ("and/or, read/write, TCP/IP, 24/7, 1/2/3", []),
        ("https://example.com/a/b.html and /etc/passwd and ~/x.py", []),
        ("C:\\src\\x.py, a/../b.py, user@host.com, v2.0, e.g. this", []),
        ("", []),
        ("x.py " * 3 + "/" * 5, ["x.py"]),
        ("/".join("a" * 300), []),
    ],
)
def test_what_a_text_names(text: str, paths: list[str]) -> None:
    """Relative paths with an ending or three parts, and names with a known ending."""
    assert named_paths(text) == paths


def test_a_text_names_a_limited_number() -> None:
    """A listing is not a memory about each of its files."""
    assert len(named_paths(" ".join(f"src/{n}.py" for n in range(500)))) == 50


PIECES = [
    "src/a.py",
    "Makefile",
    "x.md",
    ".",
    "/",
    " ",
    "\n",
    "a",
    "é",
    "日",
    "@",
    "-",
    "_",
    "+",
    ":",
]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_no_text_with_a_path_is_passed_over(text: str) -> None:
    """What is sorted out beforehand is what the expression would not find."""
    found = [match[0].removeprefix("./").rstrip(".,-+@") for match in paths._RUN.finditer(text)]

    assert named_paths(text) == list(
        dict.fromkeys(path.rstrip("/") for path in found if paths._is_path(path))
    )
