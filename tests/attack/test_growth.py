"""Texts that once took long: reading eight times as much takes about eight times as long.

`test_texts` tries every function with everything; here are the texts that each one is weak on.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recollect.capture.checkpoints import checkpoint
from recollect.capture.conversation import Turn
from recollect.capture.detect import detect
from recollect.capture.markers import find_marked
from recollect.capture.observations import memorability, observe
from recollect.capture.open_items import open_items
from recollect.capture.outcomes import goal_of, outcome_of
from recollect.capture.retractions import takes_back
from recollect.capture.sentences import sentences
from recollect.capture.session_summary import Story, summary_of
from recollect.capture.tool_learning import learn_from
from recollect.redact.redactor import Redactor
from tests.attack.growth import FACTOR, growth, pumped
from tests.redact.labelled import negatives, secrets


def is_linear(job: Callable[[str], object], piece: str, size: int) -> None:
    """Fail where a text of a size takes much longer for each character than an eighth of it."""
    grown = growth(job, pumped("", piece, ""), size // FACTOR)
    assert not grown, f"{piece[:40]!r}…: {grown}"


@pytest.mark.parametrize("piece", ["Done. ", "I've ", "now ", "`a` - ", "can you ", "a:\n"])
def test_outcomes(piece: str) -> None:
    """What came of a session."""
    is_linear(lambda text: (outcome_of(text), goal_of(text)), piece, 100_000)


@pytest.mark.parametrize(
    "piece",
    [
        "remember this: ",
        "please ok so ",
        "remember when you ",
        "don't forget to ",
        "from now on we ",
        "keep the x from now on ",
        "Remember this:\n",
        "Remember this.\n",
        "We decided to ",
        "not, we decided to\n",
        "I solved the ",
        "can't a ",
        "after considering ",
        "That fixed it. ",
        "“",
        '"',
        "we use a ",
        "n't ",
    ],
)
def test_detection(piece: str) -> None:
    """What is worth keeping, however little it takes to be noticed."""
    is_linear(lambda text: detect([Turn("user", text)], threshold=0.01), piece, 100_000)
    is_linear(lambda text: detect([Turn("agent", text)], threshold=0.01), piece, 100_000)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a ",
        "a. ",
        "a... ",
        "`",
        "```\n",
        "*a* ",
        "** ",
        "_a",
        "__a __",
        "<a-b>",
        "<a-b></a-b>",
        "<",
        "[a](",
        "[",
        "\n",
        "a\n",
        "- a\n",
        "> a\n",
        '"',
        "http://a,",
        "e.g. ",
        "\t",
    ],
)
def test_sentences(piece: str) -> None:
    """Sentences of a text."""
    is_linear(sentences, piece, 100_000)


@pytest.mark.parametrize(
    "piece", ["a", "a_", "a/", "because it fails. ", "[main ", "12 passed ", "\n"]
)
def test_observations(piece: str) -> None:
    """What a tool printed."""

    def job(text: str) -> None:
        for tool in ("Bash", "Agent", "Write"):
            observe(tool, "git commit -m 'x'", (), ("a.md",), text)
            observe(tool, text, (), (), text)
        checkpoint("Bash", "make test", text)
        memorability(text, known=[text[:2_000]])
        entries = [(1.0, mark + text) for mark in ("changed ", "done: ", "open: ", "")]
        summary_of(Story([text], entries, decided=[text]))
        open_items(text)
        takes_back(text)

    is_linear(job, piece, 200_000)


LONG = {
    "words": "the error is that nothing failed here\n",
    "one line": "error",
    "exceptions": "ValueError: no such thing as a free lunch\n",
    "paths": "/a/b/c.py:1:1: error: x.y.z\n",
    "spaces": " ",
    "quotes": "'\"`",
    "colours": "\x1b[31merror: red\x1b[0m\n",
    "progress": "warning: 10%\r",
}


@pytest.mark.parametrize("piece", LONG.values(), ids=LONG)
def test_tool_learning(piece: str) -> None:
    """What a command teaches."""

    def job(text: str) -> None:
        learn_from("Bash", "make | tail", (), "", text)
        learn_from("Bash", "make | tail", (), text, "")
        learn_from("Bash", text, (), "Error: x", "")

    is_linear(job, piece, 200_000)


@pytest.mark.parametrize(
    ("before", "piece", "end", "size"),
    [
        ("[remember] x", " ", "x", 200_000),
        ("[remember", " ", "x", 200_000),
        ("", "[remember] ", "", 220_000),
        ("", "[remember]\n", "[/remember", 55_000),
    ],
)
def test_markers(before: str, piece: str, end: str, size: int) -> None:
    """It runs where a person waits, and a regular expression cannot be interrupted."""
    assert not growth(find_marked, pumped(before, piece, end), size // FACTOR)


HOSTILE = [
    "a", "A1b2", "eyJ", "eyJaaaaaaaaa.", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-",
    "-----BEGIN PRIVATE KEY-----\nAAAABBBBCCCCDDDD1234\n", "-----BEGIN CERTIFICATE-----",
    "password=", 'password: "', "password ", "token=token=", "password is ", "password\n", "://a:",
    "a://b:c@d ", "@", "a@", "a.", "a@a.", "ghp_", "glpat-", "sk-", "SK", "4111 ", "1-", "/home/",
    "/home/a", "C:\\Users\\a ",
    "<private>", "<private></private>", "[REDACTED:email]", "[MASKED:jwt:",
    "mysql -", "curl -u ", "docker login ", "bearer ", "authorization: bearer ", "--", "--a-",
    "--password ", "q~", "-us", ":aa", ".atlasv1.", "M", "Maaaaaaaaaaaaaaaaaaaaaaaa.", "/", "_",
    "\\", '"', "\\\"password\\\": \\\"", " ", "\n", "İ", "🧠", "\ud800", "heroku ", "sig=", "MIIE",
    "a1B2c3D4e5F6g7H8i9J0k", "aB3aB3aB3aB3aB3aB3aB3 ", "ada@x.io ", "<password>", "http://",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_redaction(piece: str) -> None:
    """What looks like the beginning of a secret."""
    is_linear(Redactor(home="/home/ada").redact, piece, 80_000)


@pytest.mark.parametrize(
    "piece",
    ["\n".join(negatives()), "\ud800🧠İß\u202e\x00 ", "x", "\n".join(s.text for s in secrets())],
    ids=["ordinary", "unicode", "one word", "secrets"],
)
def test_redaction_of_a_megabyte(piece: str) -> None:
    """Ordinary text, odd characters, one word, and nothing but secrets."""
    is_linear(Redactor().redact, piece, 1_000_000)
