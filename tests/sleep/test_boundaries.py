"""Where an episode ends: when what tools touch becomes something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.sleep.boundaries import WINDOW, is_boundary, keywords, outline

_calls = st.lists(st.frozensets(st.integers(0, 9), max_size=4), max_size=12)


def hashed(*calls: frozenset[str]) -> list[frozenset[int]]:
    """Calls as they are kept."""
    return [frozenset(hash(word) for word in call) for call in calls]


def test_another_part_of_the_code_is_another_episode() -> None:
    """Four calls on the cart, then four on the login."""
    cart = [keywords([f"src/shop/cart/{name}.py"], "") for name in ("sum", "tax", "sum", "row")]
    login = [keywords([f"src/auth/login/{name}.py"], "") for name in ("view", "form", "view", "a")]

    assert is_boundary(hashed(*cart, *login), 0.2)
    assert not is_boundary(hashed(*cart, *cart), 0.2)
    assert not is_boundary(hashed(*cart, *login[:3]), 0.2)


def test_a_command_says_what_it_is_about_by_its_programs_and_paths_only() -> None:
    """Anything else may be a secret."""
    words = keywords([], "cd api && TOKEN=hunter2 pytest tests/cart_rounding.py -k secret | tail")

    assert {"cd", "cart", "rounding", "tail"} <= words
    assert not {"hunter2", "secret", "token"} & words


@pytest.mark.parametrize(
    "command",
    [
        "mysql -p <<EOF\nhunter2\nEOF",
        "mysql -p <<'EOF'\nhunter2 x/y.py\nEOF",
        "echo 'first\nhunter2 a/hunter2.py'",
        'printf "one; hunter2 two"',
        "ls\nhunter2",
        "echo 'never closed; hunter2 a",
        "echo $(cat; hunter2 x)",
        "mysql --password hunter2.secret",
        "echo " + "a " * 400 + "; hunter2 x",
    ],
)
def test_what_may_be_anything_is_no_keyword(command: str) -> None:
    """Documents in a command, quoted text and values of options may be secrets."""
    assert not [word for word in keywords([], command) if "hunter" in word]


@given(st.text(alphabet="ab/.'\"\\\n |;<$(#-", max_size=60))
def test_an_outline_is_one_line_without_quotes_and_its_own_outline(command: str) -> None:
    """Whatever the command."""
    found = outline(command)

    assert not set(found) & set("'\"\n")
    assert outline(found) == found


def test_what_says_nothing_changes_nothing() -> None:
    """Calls without words are no other topic."""
    assert keywords([], "") == frozenset()
    assert not is_boundary([frozenset[int]()] * (2 * WINDOW), 0.9)


@given(_calls, st.floats(0, 1), st.floats(0, 1))
def test_a_lower_threshold_sees_fewer_boundaries(
    calls: list[frozenset[int]], one: float, other: float
) -> None:
    """And with 0 there are none."""
    low, high = sorted((one, other))

    assert is_boundary(calls, high) or not is_boundary(calls, low)
    assert not is_boundary(calls, 0.0)
