"""What a page shows of a file: all of a short one, and of a long one what is known."""

from __future__ import annotations

from recollect.api.blame import BlamedLines
from recollect.core.memory import Memory
from recollect.web.files import parts_of

KNOWN = Memory("u", "notes:abc:0", "notes", "Known")


def block(first: int, count: int, *, told: bool = False) -> BlamedLines:
    """Lines of a commit."""
    lines = [f"line {first + number}" for number in range(count)]
    return BlamedLines(first, first + count - 1, "c" * 40, lines, [KNOWN] if told else [], [])


def test_a_short_file_is_shown_whole() -> None:
    """Whether anything is known about its lines or not."""
    parts = parts_of([block(1, 10), block(11, 5, told=True)])

    assert [(len(part.lines), part.first, part.last) for part in parts] == [
        (10, 1, 10),
        (5, 11, 15),
    ]


def test_of_a_long_file_only_what_is_known_is_shown() -> None:
    """The rest is named in one line for each gap, and no line is named twice or left out."""
    blocks = [
        block(1, 200),
        block(201, 200),
        block(401, 3, told=True),
        block(404, 100, told=True),
        block(504, 9),
    ]

    parts = parts_of(blocks)

    assert [(part.block is None, part.first, part.last) for part in parts] == [
        (True, 1, 400),
        (False, 401, 403),
        (False, 404, 433),
        (True, 434, 512),
    ]


def test_a_file_about_which_everything_is_known_stays_a_light_page() -> None:
    """However many commits and lines it has."""
    parts = parts_of([block(1 + 50 * number, 50, told=True) for number in range(400)])

    assert sum(len(part.lines) for part in parts) < 400
    assert (parts[0].first, parts[-1].last) == (1, 20_000)


def test_an_empty_file_has_no_parts() -> None:
    """Nothing to show, nothing to break."""
    assert parts_of([]) == []
