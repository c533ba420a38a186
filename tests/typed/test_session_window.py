"""The newest sessions stay; what only an old one says is named before it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.memory import Memory
from recollect.typed import session_window
from recollect.typed.session_window import Leaving


def overflow(sessions: Sequence[Memory], others: Sequence[Memory], keep: int) -> list[Leaving]:
    """The sessions that leave a window, with what nothing else says."""
    leaving = session_window.overflow(sessions, keep)
    return session_window.name_unique(sessions, leaving, others)


def session(number: int, **content: Any) -> Memory:
    """The session of a day."""
    uid = f"01S{number:02}"
    return Memory(
        uid,
        f"sessions:{'abc1234' * 5}abcde:{number}",
        "sessions",
        f"Session {number}",
        content={"goal": "Work", "outcome": "partial", "completed": [], **content},
        created=f"2026-01-{number:02}T10:00:00Z",
        slugs=(f"session-{number}",),
    )


def note(summary: str, body: str = "", **fields: Any) -> Memory:
    """Another memory."""
    return Memory("01N", "notes:abc1234:0", "notes", summary, body, **fields)


def test_the_newest_stay() -> None:
    """By the time they were written, whatever the order they come in; the oldest leaves first."""
    sessions = [session(number) for number in (3, 1, 5, 2, 4)]

    assert [one.memory.uid for one in overflow(sessions, [], 3)] == ["01S01", "01S02"]
    assert overflow(sessions, [], 5) == []
    assert overflow(sessions, [], 6) == []
    assert len(overflow(sessions, [], 0)) == 5


def test_sessions_of_one_second_go_by_uid() -> None:
    """And one without a time is the oldest."""
    sessions = [session(number)._replace(created="2026-01-01T00:00:00Z") for number in (2, 1, 3)]
    timeless = session(9)._replace(created=None)

    assert [one.memory.uid for one in overflow(sessions, [], 2)] == ["01S01"]
    assert [one.memory.uid for one in overflow([*sessions, timeless], [], 3)] == ["01S09"]


def test_what_nothing_else_says_is_unique() -> None:
    """Of what was done, what stood in the way and what was left to do."""
    old = session(
        1,
        goal="Not looked at",
        completed=["Moved the login to OAuth", "Rewrote the tile cache"],
        blockers=["The staging certificate is expired"],
        next_actions=["Rotate the signing key", "Delete the old branches"],
        in_progress=["Not looked at either"],
    )
    new = session(2, completed=["Deleted the old branches"], in_progress=["Rotate signing key"])
    others = [
        note("Login moved", "Yesterday we moved the login to OAuth. It works."),
        note("The tile cache"),
    ]

    (leaving,) = overflow([old, new], others, 1)

    assert leaving == Leaving(old, ("Rewrote the tile cache", "The staging certificate is expired"))


def test_typed_memories_are_looked_into() -> None:
    """What a debt or a decision says in its content counts as said."""
    old = session(1, next_actions=["Replace wkhtmltopdf by WeasyPrint", "Ask legal about cookies"])
    debt = note("PDF generator", content={"suggested_fix": ["Replace wkhtmltopdf by WeasyPrint"]})

    (leaving,) = overflow([old, session(2)], [debt._replace(kind="tech-debt")], 1)

    assert leaving.unique == ("Ask legal about cookies",)


@pytest.mark.parametrize(
    ("item", "other", "unique"),
    [
        ("Fixed the login bug by rotating the vault key", "Fixed the login bug", True),
        ("Fixed the login bug", "Fixed the login bug by rotating the vault key", False),
        ("Deploy the shop on Friday", "Never deploy the shop on Friday", True),
        ("Rotate the key", "rotate the KEY!", False),
        ("Do it again", "Nothing of the kind", True),
        ("Run `make check`", "Run `make check`", False),
        ("The key. The cache. The login.", "The login broke. A cache, the key", True),
        ("署名鍵を交換する", "来週までに署名鍵を交換する", False),
        ("署名鍵を交換する", "証明書を更新した", True),
    ],
)
def test_what_counts_as_said(item: str, other: str, unique: bool) -> None:
    """All of it, in its order, and not the opposite."""
    (leaving,) = overflow([session(1, next_actions=[item]), session(2)], [note(other)], 1)

    assert (leaving.unique == (item,)) == unique


def test_an_item_of_several_sentences_is_compared_whole() -> None:
    """As one thing, with the same thing in another session."""
    item = "Rotate the key. Tell the team.\nThen close the ticket."
    sessions = [session(1, next_actions=[item]), session(2, next_actions=[item])]

    assert [one.unique for one in overflow(sessions, [], 1)] == [()]


def test_what_two_leaving_sessions_say_is_named_once() -> None:
    """At the one that leaves last; until then it is said."""
    sessions = [
        session(1, blockers=["The disk of the runner is full"]),
        session(2, blockers=["The disk of the runner is full"]),
        session(3),
    ]

    assert [one.unique for one in overflow(sessions, [], 1)] == [
        (),
        ("The disk of the runner is full",),
    ]


def test_a_session_without_content_is_read_line_by_line() -> None:
    """Marks of lists and headings say nothing."""
    body = "# Done\n\n- Moved the login to OAuth\n- Rewrote the tile cache. Tests pass.\n---\n"
    plain = session(1)._replace(content=None, body=body)

    (leaving,) = overflow([plain, session(2)], [note("We moved the login to OAuth")], 1)

    assert leaving.unique == ("Done", "Rewrote the tile cache.", "Tests pass.")


def test_content_of_another_shape_is_no_obstacle() -> None:
    """A newer version may write what it likes."""
    odd = session(1, completed="text", blockers={"a": 1}, next_actions=[{"do": "that"}, "…"])

    (leaving,) = overflow([odd, session(2)], [], 1)

    assert leaving.unique == ("{'do': 'that'}",)


def test_the_warning_names_what_would_be_lost_and_how_to_keep_it() -> None:
    """With the name of the session; many items are counted."""
    items = [f"Step {word}" for word in ("one", "two", "three", "four", "five", "six", "seven")]

    warning = Leaving(session(1), tuple(items)).warning()

    assert warning == (
        "The session session-1 leaves the window, and no other memory says:"
        ' "Step one"; "Step two"; "Step three"; "Step four"; "Step five" and 2 more. To keep'
        ' what still matters, run `recollect capture KIND "…"`; to read all of it,'
        " run `recollect show session-1`."
    )
    assert Leaving(session(1), ()).warning() == ""
    nameless = Leaving(session(1)._replace(slugs=()), ("Step " + "long " * 40,)).warning()
    assert "sessions:abc1234:1" in nameless
    assert "…" in nameless
    assert len(nameless) < 400


ITEMS = st.lists(st.sampled_from(["Rotate the key", "Fix the cache", "Ask Ada", "Buy a disk"]))


@given(st.lists(ITEMS, max_size=6), ITEMS, st.integers(0, 7))
def test_nothing_leaves_unnamed(said: list[list[str]], others: list[str], keep: int) -> None:
    """Every item of a leaving session is said by something that stays, or is named."""
    sessions = [session(number, completed=items) for number, items in enumerate(said, 1)]

    leaving = overflow(sessions, [note(text) for text in others], keep)

    staying = {item for items in said[len(leaving) :] for item in items} | set(others)
    left = {item for items in said[: len(leaving)] for item in items}
    named = [item for one in leaving for item in one.unique]
    assert len(leaving) == max(0, len(said) - keep)
    assert sorted(named) == sorted(left - staying)
