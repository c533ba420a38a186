"""The output of a command among the lines that the client adds to it."""

from __future__ import annotations

import pytest

from recollect.hosts.shell_results import read_shell_result, text_of_content


@pytest.mark.parametrize(
    ("text", "output", "code"),
    [
        ("Output: a\nb\nExit Code: 2\nProcess Group PGID: 7", "a\nb", 2),
        (
            "<untrusted_context>\nOutput: (empty)\nProcess Group PGID: 7\n</untrusted_context>",
            "",
            0,
        ),
        (
            "Command: echo 'a\nb'\nDirectory: (root)\nOutput: x\nError: (none)\nExit Code: -9\n"
            "Signal: (none)",
            "x",
            -9,
        ),
        (
            "Output: Exit Code: 1 is what it printed\nExit Code: 0",
            "Exit Code: 1 is what it printed",
            0,
        ),
        ("plain text", "plain text", 0),
        ("", "", 0),
    ],
)
def test_the_output_and_the_exit_code(text: str, output: str, code: int) -> None:
    """Only the lines after the output are the client's."""
    assert read_shell_result(text) == (output, code)


def test_hostile_texts() -> None:
    """Many lines of the client's own, and no text at all."""
    output, _ = read_shell_result("Output: x\n" + "Signal: y\n" * 100_000)
    assert output.startswith("x\n")
    assert text_of_content([{"text": "a"}, {"no": 1}, 3]) == "a"
    assert text_of_content(None) == ""
