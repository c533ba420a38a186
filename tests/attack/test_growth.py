"""Texts that once took long: reading eight times as much takes about eight times as long.

`test_texts` tries every function with everything; here are the texts that each one is weak on.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recollect.capture.cause_and_fix import accounts
from recollect.capture.checkpoints import checkpoint, session_summary
from recollect.capture.markers import find_marked
from recollect.capture.observations import memorability, observe
from recollect.capture.outcomes import goal_of, outcome_of
from recollect.capture.sentences import paragraphs, sentences
from recollect.capture.signals import detect
from recollect.capture.tool_learning import learn_from
from recollect.capture.triage import triage
from recollect.redact import Redactor
from tests.attack.growth import FACTOR, growth, pumped
from tests.redact.labelled import negatives, secrets

WRONG = "The problem is that the watcher keeps a handle on the old inode."
CURE = "The fix is to open the file again after each rename."


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
def test_signals(piece: str) -> None:
    """Signals in a sentence."""
    is_linear(detect, piece, 100_000)


@pytest.mark.parametrize("piece", [WRONG + " ", CURE + " ", "Fixed by a. ", "problem is fix is "])
def test_accounts(piece: str) -> None:
    """What went wrong and what helped."""

    def job(text: str) -> object:
        said = [(part, one) for part, some in enumerate(paragraphs(text)) for one in some]
        return accounts(said)

    is_linear(job, piece, 100_000)


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
        session_summary([text], ["a"], [text], [text])

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


EVERY = dict.fromkeys(("decision", "runbook", "constraint", "tech_debt", "preference"), 0.0)


@pytest.mark.parametrize(
    "text",
    [
        "failed " * 150_000,
        "The build failed because of the error. " * 26_000,
        "The build failed because of the error.\n" * 26_000,
        "." * 1_000_000,
        "`" * 1_000_000,
        "`a" * 500_000,
        ("a" * 70 + " failed\n") * 13_000,
        "- " * 500_000,
        "no " * 330_000,
        '."' * 500_000,
        "\n" * 1_000_000,
        "1." * 500_000,
        ("The build failed" + "." * 3900 + "x\n") * 250,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_triage(text: str) -> None:
    """Many ways of saying nothing, a megabyte each."""

    def job(part: str) -> None:
        triage([("user", part)], thresholds=EVERY)

    grown = growth(job, lambda size: text[:size], len(text) // FACTOR)
    assert not grown


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
