"""The transcripts in this folder, and those in the documentation, are run and compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.transcript import Transcript, TranscriptError, match_lines, read_commands

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
JOURNEYS = sorted(HERE.glob("*.md"))
PAGES = [
    page for page in sorted(ROOT.glob("docs/*.md")) if "\n```console\n" in page.read_text("utf-8")
]


@pytest.mark.parametrize("page", JOURNEYS, ids=lambda page: page.stem)
def test_journey(page: Path, transcript: Transcript) -> None:
    """What the transcript shows is what the commands do."""
    assert transcript.run(page.read_text("utf-8")) > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_documentation(page: Path, transcript: Transcript) -> None:
    """What a page of the documentation shows is what the commands do."""
    assert transcript.run(page.read_text("utf-8")) > 0


def _page(*lines: str) -> str:
    return "\n".join(["Some words.", "", "```console", *lines, "```", ""])


def test_other_output_is_an_error_with_a_diff(transcript: Transcript) -> None:
    """A transcript whose output differs fails, and says where and how."""
    page = _page("$ git init -q", "$ git rev-parse --is-bare-repository", "true")

    with pytest.raises(TranscriptError) as caught:
        transcript.run(page)

    message = str(caught.value)
    assert message.startswith("line 5: $ git rev-parse --is-bare-repository\n")
    assert "\n-true\n+false\n" in message


def test_another_exit_code_is_an_error(transcript: Transcript) -> None:
    """A command that fails where the transcript says nothing of it, or succeeds, is an error."""
    with pytest.raises(TranscriptError, match=r"-\? 0"):
        transcript.run(_page("$ git rev-parse --verify -q nothing"))
    with pytest.raises(TranscriptError, match=r"-\? 1"):
        transcript.run(_page("$ git init -q", "? 1"))


def test_missing_and_extra_lines_are_errors(transcript: Transcript) -> None:
    """Both a line too few and a line too many are noticed."""
    with pytest.raises(TranscriptError, match="-something"):
        transcript.run(_page("$ git init -q", "something"))
    with pytest.raises(TranscriptError, match=r"\+\.git"):
        transcript.run(_page("$ git rev-parse --git-dir"))


def test_words_redirections_and_names(transcript: Transcript) -> None:
    """Quotes, continued lines, variables, redirections and captured output work without a shell."""
    page = _page(
        "$ git init -q -b main",
        "$ GIT_AUTHOR_NAME='Bob B' git commit -q --allow-empty -m 'First line",
        "> ",
        "> and more'",
        "$ git log -1 --format='%an: %B' > message.txt",
        "$ BLOB=$(git hash-object -w --stdin < message.txt)",
        "$ git cat-file -p $BLOB",
        "Bob B: First line",
        "",
        "and [MORE..]",
        "",
        "$ git cat-file -p $BLOB",
        "...",
        "and [MORE..]",
        "$ mkdir sub",
        "$ cd sub",
        "$ git rev-parse --show-prefix",
        "[..]/",
    )

    transcript.run(page)

    assert transcript.names["MORE"] == "more"
    assert transcript.directory.name == "sub"


def test_a_transcript_stays_in_its_directory(transcript: Transcript) -> None:
    """Only four programs can be run, and `cd` does not lead out."""
    with pytest.raises(TranscriptError, match="leaves the directory"):
        transcript.run(_page("$ cd ../../.."))
    with pytest.raises(TranscriptError, match="rm is not one of"):
        transcript.run(_page("$ rm -rf ."))


def test_wildcards() -> None:
    """`[..]` matches within a line, `...` any lines, and a name keeps what it matched."""
    assert match_lines(["a [..] c", "...", "z"], ["a b c", "d", "z", "z"], {}) == {}
    assert match_lines(["...", "[X..]-[X..]"], ["", "p-p"], {"X": "p"}) == {}
    assert match_lines(["[X..]-[X..]"], ["p-p"], {}) == {"X": "p"}
    assert match_lines(["[X..]-[X..]"], ["p-q"], {}) is None
    assert match_lines(["[X..]", "[X..]!"], ["p", "q!"], {}) is None
    assert match_lines(["a[..]"], ["ba"], {}) is None
    assert match_lines(["..."], [], {}) == {}
    assert match_lines(["x   now  y"], ["x    3m  y"], {}) == {}
    assert match_lines(["x   now  y"], ["x    3d  y"], {}) is None


def test_output_without_a_command_is_an_error() -> None:
    """A block that starts with output, or leaves a quote open, cannot be read."""
    with pytest.raises(TranscriptError, match="output without a command"):
        read_commands(_page("hello"))
    with pytest.raises(TranscriptError, match="a quote is not closed"):
        read_commands(_page("$ git 'x", "hello"))
