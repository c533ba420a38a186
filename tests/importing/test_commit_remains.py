"""What is left of the files that a commit changed: a reason for code that is gone helps nobody."""

from __future__ import annotations

import pytest

from recollect.importing.commit_remains import LEAST_LEFT, Remains
from recollect.ledger.commits import Change

_TREE = (
    "src/reader.rs", "src/screen.rs", "docs/reader.md", "Makefile",
    *(f"lib/{name}/index.ts" for name in ("cart", "order", "user", "mail")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        (["src/reader.rs"], 1.0),
        (["src/old/reader.cpp"], 1.0),  # moved, and ported
        (["src/mimedb.cpp", "src/reader.cpp"], 0.5),
        (["src/mimedb.cpp", "Makefile", "docs/reader.md"], 0.0),  # what stayed is no code
        (["Makefile"], 1.0),
        (["lib/cart/index.js"], 1.0),
        (["lib/coupon/index.js"], 0.0),  # many files have that name
        ([], 1.0),
    ],
)
def test_a_file_is_known_by_its_name(changed: list[str], left: float) -> None:
    """Wherever it is today, and whatever it is written in."""
    assert Remains(_TREE).left_of([Change(path) for path in changed]) == left


def test_what_a_commit_deleted_is_gone_on_purpose() -> None:
    """It does not count against the commit that says why."""
    gone = [Change("src/vidix.c", is_deleted=True), Change("src/vidix_io.c", is_deleted=True)]
    remains = Remains(_TREE)
    assert remains.left_of(gone) == 1.0
    assert remains.left_of([*gone, Change("src/drivers.c")]) == 1.0
    assert remains.left_of([gone[0], Change("src/mimedb.c"), Change("src/env.c")]) < LEAST_LEFT
