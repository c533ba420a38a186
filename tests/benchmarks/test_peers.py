"""The comparison with peers: what they are asked, how it is scored, and what the table says."""

from __future__ import annotations

import base64
import json
import struct
import urllib.request
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.peers.driver import Request, first_distinct, title_of
from benchmarks.peers.endpoint import embeddings, serve
from benchmarks.peers.environments import PEERS
from benchmarks.peers.questions import as_corpus, as_text, score, table, why
from benchmarks.prompts import QUESTIONS, Project, Prompt, read_projects

RECORD = {
    "summary": "We keep sessions in Redis",
    "body": "The database was too slow.",
    "tags": ["cache", "login"],
    "files_modified": ["src/session.py"],
    "created": "2026-05-01T12:00:00Z",
}
PROJECT = Project(
    "shop",
    {"shop/m1": RECORD, "shop/m2": {**RECORD, "summary": "No tabs", "tags": []}},
    [
        Prompt("why Redis?", frozenset({"shop/m1"}), "words"),
        Prompt("where do logins live?", frozenset({"shop/m1"}), "indirect"),
        Prompt("rename this function"),
    ],
)


class Lengths:
    """An embedder whose vector of a text is its length."""

    name, dimensions, window = "lengths", 1, 512

    def count_tokens(self, text: str) -> int:
        """One for each word."""
        return len(text.split())

    def embed(self, texts: Sequence[str], pause: object = None) -> list[bytes]:
        """The lengths."""
        return [struct.pack("<f", len(text)) for text in texts]


def test_a_text_holds_all_that_our_search_sees() -> None:
    """Peers get tags, files and asked_as too, or the comparison would not be fair."""
    text = as_text({**RECORD, "asked_as": ["where is the session?"]})

    assert title_of(text) == "We keep sessions in Redis"
    assert text.splitlines()[2:] == [
        "The database was too slow.",
        "",
        "Tags: cache, login",
        "Files: src/session.py",
        "where is the session?",
    ]


def test_only_questions_with_an_answer_are_asked() -> None:
    """A prompt that must bring nothing has no ranking to score."""
    corpus = as_corpus([PROJECT])

    assert [item.id for item in corpus.items] == ["shop/m1", "shop/m2"]
    assert {item.group for item in corpus.items} == {"shop"}
    assert corpus.items[0].time == datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert [query.category for query in corpus.queries] == ["words", "indirect"]


def test_the_tuning_half_is_three_stores_of_60() -> None:
    """And three questions about each memory, each with one right answer."""
    corpus = as_corpus(read_projects(QUESTIONS / "tuning"))

    assert [len(items) for items in corpus.groups().values()] == [60, 60, 60]
    assert len(corpus.queries) == 3 * 180
    assert {len(query.gold) for query in corpus.queries} == {1}


def test_scores_by_sort_of_question() -> None:
    """First for one sort and second for the other."""
    rankings = [["shop/m1", "shop/m2"], ["shop/m2", "shop/m1"]]
    result = score(rankings, as_corpus([PROJECT]).queries)

    assert result["words"]["r@1"] == 1
    assert result["indirect"]["r@1"] == 0
    assert result["all"]["r@1"] == 0.5
    assert result["indirect"]["hit@5"] == 1


def test_a_missing_ranking_is_an_error() -> None:
    """A peer that answers fewer questions than it was asked must not get a score."""
    with pytest.raises(ValueError):
        score([["shop/m1"]], as_corpus([PROJECT]).queries)


def test_the_table_has_scores_and_reasons() -> None:
    """A peer that does not run has its reason in the table."""
    queries = [
        query._replace(sort=sort)
        for query in PROJECT.prompts[:1]
        for sort in ("words", "paraphrase", "indirect")
    ]
    corpus = as_corpus([PROJECT._replace(prompts=queries)])
    result = score([["shop/m1"], ["shop/m2"], []], corpus.queries)
    lines = list(table({"ours": result, "theirs": why("a\nno network\n\n")}))

    assert lines[2] == "| ours | 100 / 100 / 100 | 0 / 0 / 0 | 0 / 0 / 0 | 33 / 33 / 33 |"
    assert lines[3].startswith("| theirs | does not run offline: no network |")
    assert {line.count("|") for line in lines} == {6}


def test_a_memory_that_is_found_twice_counts_once() -> None:
    """Peers that split a text return its parts."""
    assert first_distinct(["a", "b", "a", "c", "d"], 3) == ["a", "b", "c"]


def test_a_request_survives_the_way_to_the_subprocess() -> None:
    """It goes there as JSON."""
    request = Request("/store", {"m1": "text"}, ["why?"], 10)

    assert Request(**json.loads(json.dumps(vars(request)))) == request
    assert request.ids_by_text() == {"text": "m1"}


def test_the_server_answers_as_openai_does() -> None:
    """One text or several, as numbers or as base64."""
    one = embeddings(Lengths(), {"input": "four", "encoding_format": "base64"})
    assert base64.b64decode(one["data"][0]["embedding"]) == struct.pack("<f", 4)

    with serve(Lengths()) as address:
        body = json.dumps({"input": ["a", "bcd"], "model": "lengths"}).encode()
        asked = urllib.request.Request(f"{address}/embeddings", body)
        with urllib.request.urlopen(asked, timeout=10) as response:
            answer = json.load(response)
    assert [row["embedding"] for row in answer["data"]] == [[1.0], [3.0]]


def test_every_peer_has_an_adapter() -> None:
    """A row of the table without its module would fail only after a long installation."""
    adapters = Path(__file__).parents[2] / "benchmarks" / "peers" / "adapters"

    assert {peer.name for peer in PEERS} == {
        path.stem for path in adapters.glob("*.py") if path.stem != "__init__"
    }
