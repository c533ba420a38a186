"""The detection model: its file, its scores, and what it names."""

from __future__ import annotations

import json
import math

import pytest

from recollect.capture.detect import THRESHOLD
from recollect.capture.features import AGENT, NAMED, USER, Said, bucket, vector
from recollect.capture.kind_of import kind_of
from recollect.capture.model import FILE, MAGIC, MAX_SIZE, BadModel, Model, model, score
from recollect.core.kinds import BY_NAME

HOSTILE = [
    "",
    " ",
    "\x00\x01\x02" * 50,
    "\ud800 lone surrogate",
    "a" * 100_000,
    "`" * 5_000,
    "“" * 5_000,
    "🙂" * 1_000,
    "مرحبا بالعالم",
    "_a" * 5_000,
    "../" * 5_000,
    "so, and but " * 1_000,
]


def test_the_file_is_small_and_says_how_it_was_made() -> None:
    """At most 300 KB, with the command and the hashes of the rows."""
    assert FILE.stat().st_size <= MAX_SIZE
    header = model().header
    assert header["made by"] == "python -m benchmarks.capture.train"
    assert {"labelled.jsonl", "fresh.jsonl", "written.jsonl"} <= set(header["made from"])
    assert "unseen.jsonl" not in header["made from"]
    assert header["features"] == list(NAMED)


def test_it_knows_the_kinds_that_talk_holds() -> None:
    """One score for each, all of them kinds that exist."""
    wanted = {
        "blockers",
        "constraints",
        "decisions",
        "learnings",
        "patterns",
        "preferences",
        "progress",
        "runbooks",
        "solutions",
        "tech-debt",
    }
    assert wanted <= set(model().kinds) <= set(BY_NAME)


@pytest.mark.parametrize(
    "data",
    [b"", b"x" * 100, MAGIC, MAGIC + b"\x00\x00\x00\x02{}", MAGIC + b"\xff" * 4],
)
def test_another_file_is_refused(data: bytes) -> None:
    """A file that is cut off or something else raises an error."""
    with pytest.raises((BadModel, ValueError, KeyError)):
        Model(data)


def test_other_features_are_refused() -> None:
    """Weights of other features would mean something else."""
    text = json.dumps({"features": ["other"]}).encode()
    with pytest.raises(BadModel):
        Model(MAGIC + len(text).to_bytes(4) + text)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("speaker", [USER, AGENT, ""])
def test_any_text_has_a_score(text: str, speaker: str) -> None:
    """A probability, never an error."""
    found = score(Said(text, speaker))
    assert 0.0 <= found.score <= 1.0
    assert math.isfinite(found.score)
    assert all(value <= found.score + 1e-9 for value in found.by_kind.values())
    assert kind_of(text) in BY_NAME


def test_the_same_text_has_the_same_score() -> None:
    """Hashing does not depend on the process: known values stay."""
    said = Said("We decided to keep SQLite because nobody runs a server.", USER)
    assert score(said) == score(said)
    assert bucket("we decided", 1 << 15) == 19_070
    assert bucket(b"deci", 1 << 15) == bucket(b"deci", 1 << 15)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We decided to use uv instead of pip because the lock file is reproducible.", "decisions"),
        ("Never push directly to main, always open a pull request.", "preferences"),
        ("I prefer small commits with an imperative subject.", "preferences"),
        ("The release is blocked until legal signs off the new license.", "blockers"),
    ],
)
def test_it_finds_what_is_worth_keeping(text: str, kind: str) -> None:
    """Plain cases, and their kind."""
    found = score(Said(text, USER))
    assert found.score > THRESHOLD
    assert found.kind == kind
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("I'll now run the tests.", AGENT),
        ("Let me look at the configuration first.", AGENT),
        ("All tests pass.", AGENT),
        ("can you check why the build fails?", USER),
        ("thanks, looks good", USER),
    ],
)
def test_talk_is_not_worth_keeping(text: str, speaker: str) -> None:
    """Plans, questions and politeness."""
    assert score(Said(text, speaker)).score < 0.3


def test_only_words_of_the_file_are_named() -> None:
    """The features that decided go to the trace, which must not hold what people say."""
    said = Said("We decided that zyxxqv hunter2 stays because frobnication broke.", USER)
    features = vector(said)
    named = " ".join(model().deciding(features))
    assert named
    assert "zyxxqv" not in named
    assert "hunter" not in named


def test_an_unclear_text_is_a_note() -> None:
    """No kind is likely."""
    assert kind_of("xyzzy plugh frotz") in BY_NAME
    assert kind_of("The API key is in 1Password under ops") == "notes"
