"""Wishes that only their meaning tells: the words of none of them are known."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.capture.requests import load
from recollect.capture.requests import find_requests
from recollect.capture.wish_meaning import FILE, Place, embed_with, rate_clauses
from recollect.embedding import Embedder, open_embedder

DIMENSIONS = 384


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """The model that is installed by default."""
    found = open_embedder("default", threads=1)
    assert found is not None
    return found


class OtherModel:
    """An embedder whose vectors cannot be compared with ours."""

    name = "another@123"
    dimensions = DIMENSIONS
    window = 256

    def embed(self, texts: Sequence[str], pause: Callable[[], None] | None = None) -> list[bytes]:
        """A vector of the characters of each text."""
        return [
            struct.pack(
                f"<{DIMENSIONS}f", *([len(text) % 7 / 7, *map(float, range(DIMENSIONS - 1))])
            )
            for text in texts
        ]

    def count_tokens(self, text: str) -> int:
        """About a token for each word."""
        return len(text.split())


def test_weights_are_for_one_embedder(embedder: Embedder) -> None:
    """Vectors of another one would be rated at random."""
    assert embed_with(embedder) is not None
    assert embed_with(OtherModel()) is None
    assert embed_with(None) is None
    assert FILE.stat().st_size < 60_000


@given(st.lists(st.text(max_size=60), max_size=20), st.text(max_size=200))
@settings(max_examples=30)
def test_any_clauses_are_rated(clauses: list[str], sentence: str) -> None:
    """Whatever a prompt is cut into, one of its clauses is the likeliest."""
    asked = rate_clauses(clauses, sentence, Place(0, 1, False), OtherModel().embed)

    assert 0 <= asked.clause < max(1, len(clauses))
    assert asked.odds == asked.odds  # a number


@pytest.mark.parametrize(
    ("prompt", "content"),
    [
        (
            "The name is logsift, lower case, also at the start. Let that be settled.",
            "The name is logsift, lower case, also at the start",
        ),
        ("We don't do squash merges here. Treat that as given.", "We don't do squash merges"),
    ],
)
def test_the_meaning_tells_a_wish(prompt: str, content: str, embedder: Embedder) -> None:
    """No rule and no known word asks here, so without an embedder there is none."""
    found = find_requests(prompt, embed=embed_with(embedder))

    assert [one.content[: len(content)] for one in found] == [content]
    assert found[0].rule.startswith("by meaning")
    assert find_requests(prompt) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "That settles it, the bug is in the parser. Fix it.",
        "ok thats all, thank you for your patience",
        "I shall wish you a pleasant evening then, my bus won't wait for me.",
        "Let that be for now, go on with the parser.",
        "Between us: the office moves to Leeds. Let that be settled.",
    ],
)
def test_the_meaning_keeps_no_talk(prompt: str, embedder: Embedder) -> None:
    """Reactions, closings, small talk, orders for now, secrets."""
    assert find_requests(prompt, embed=embed_with(embedder)) == []


def test_an_embedder_only_adds_wishes(embedder: Embedder) -> None:
    """The same wishes, word for word, so that a later look loses none and keeps none twice."""
    rule = "We freeze translations ten days before a release. That binds you as well."
    for text in (rule, *(prompt.text for prompt in load()[:60])):
        plain = find_requests(text)
        assert plain == find_requests(text, embed=embed_with(embedder))[: len(plain)]
    assert find_requests(rule)


def test_a_long_prompt_is_looked_at_in_part(embedder: Embedder) -> None:
    """Somebody waits: the likeliest sentences are rated, however many there are."""
    asked: list[str] = []
    embed = embed_with(embedder)
    assert embed is not None

    def counted(texts: Sequence[str]) -> list[bytes]:
        asked.append(texts[-1])
        return embed(texts)

    rules = [f"The {name} team owns its queue and nobody else writes to it." for name in "abcdefgh"]
    find_requests("\n".join(f"{rule} Let that be settled." for rule in rules), embed=counted)

    assert 0 < len(set(asked)) <= 3
