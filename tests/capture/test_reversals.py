"""What goes back to an earlier choice takes back what came between; a correction, the value."""

from __future__ import annotations

import pytest

from recollect.capture.leads import chosen_again, corrected_in
from recollect.capture.novelty import SUPERSEDES, Known, judge
from recollect.capture.reversals import corrects

SQLITE = "RabbitMQ is overkill for two printers, let's use a SQLite table as the queue."
JSON = "Let's ship JSON and a small template in the browser instead of static HTML."
HTML = "We should render the harbour pages once a night and serve static HTML."


@pytest.mark.parametrize(
    ("said", "between"),
    [
        ("Let's go back to RabbitMQ. SQLite locks up when both printers poll.", SQLITE),
        ("Revert to RabbitMQ, please.", SQLITE),
        ("Back to RabbitMQ then.", SQLITE),
        ("Let's stay with RabbitMQ after all.", SQLITE),
        ("Let's go back to static HTML. The template stays blank on old phones.", JSON),
    ],
)
def test_going_back_takes_back_what_came_between(said: str, between: str) -> None:
    """Beyond doubt, whoever said the old one."""
    like = judge(said, [Known("between", between)])
    assert (like.verdict, like.is_sure) == (SUPERSEDES, True)


def test_going_back_keeps_what_it_goes_back_to() -> None:
    """And what is about something else."""
    said = "Let's go back to static HTML. The template stays blank on old phones."
    for other in (HTML, SQLITE, "Harbour codes are upper-case, not lower-case."):
        assert judge(said, [Known("other", other)]).verdict != SUPERSEDES
    assert not chosen_again("Go back and read the file.")
    assert not chosen_again("We stay with the tests for now.")


def test_a_correction_names_the_wrong_value() -> None:
    """Before or after the right one."""
    assert corrected_in("Not once a night: every six hours") == "once a night"
    assert corrected_in("It's 2 retries, not 3, the printer jams otherwise.") == "3"
    assert corrected_in("It is not a bug") == ""
    said = "Not once a night: every six hours, since the surge forecast comes in four times a day."
    assert corrects(said, HTML)
    assert corrects(said, "I set EVERY_HOURS to 24, so the pages are rendered once a night.")
    assert not corrects(said, "The staging box is called puffin.")
    assert not corrects(said, "Every six hours, not once a night.")
