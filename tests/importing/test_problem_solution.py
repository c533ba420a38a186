"""Messages that name a problem and its solution."""

from __future__ import annotations

import pytest

from recollect.importing.commit_message import body_of, parse_message
from recollect.importing.commit_titles import title_of


def _message(subject: str, solution: str, problem: str = "It is wrong.") -> str:
    return f"{subject}\n\nProblem:  {problem}\nSolution: {solution}\n\ncloses: #17\n"


@pytest.mark.parametrize(
    ("subject", "solution", "title"),
    [
        (
            "patch 9.1.7: no support for a stable Python ABI",
            "Support the stable ABI of Python 3 (Ada Byron).",
            "Support the stable ABI of Python 3",
        ),
        (
            "patch 9.1.8: completion: not possible to delay it",
            "add the 'autodelay' option value (Ada Byron,\n          Ben Cole)",
            "completion: add the 'autodelay' option value",
        ),
        (
            "patch 9.1.9: use-after-free in f_free()",
            "Always allocate the text",
            "Fix use-after-free in f_free(): always allocate the text",
        ),
        (
            "patch 9.1.9: [security]: heap overflow in f_free()",
            "Fix it",
            "Fix heap overflow in f_free()",
        ),
        ("patch 9.1.9: hard to use the mask", "Fix it", ""),
        ("patch 9.1.9: Crash when the menu closes", "Fix it", "Fix crash when the menu closes"),
        ("patch 9.1.9: hard to use the mask", "Adjust the code", ""),
        ("patch 9.1.9: the menu flickers", "Creating a separate entry for the_menu", ""),
        ("Reset the menu when a popup opens", "Do so.", "Reset the menu when a popup opens"),
    ],
)
def test_the_title_is_the_solution(subject: str, solution: str, title: str) -> None:
    """Not the problem, which is gone; without a whole sentence, there is none."""
    assert title_of(parse_message(_message(subject, solution))) == title


def test_a_solution_goes_on_in_indented_lines() -> None:
    """They are no code."""
    message = _message(
        "patch 9.2.7: a clash uses the same error",
        'Add an error E1406 "Public and protected\n          have one name", and keep E1369.',
    )
    body = body_of(parse_message(message))
    assert 'Solution: Add an error E1406 "Public and protected have one name", and keep' in body
    assert body.startswith("Problem: It is wrong.")


def test_a_list_of_solutions_keeps_its_lines() -> None:
    """Each item on its own line."""
    said = "- Add a scrollbar to\n            the panel.\n          - Drop the menu."
    body = body_of(parse_message(_message("patch 1.2.3: a few issues", said)))
    assert "Solution: - Add a scrollbar to the panel.\n- Drop the menu." in body
