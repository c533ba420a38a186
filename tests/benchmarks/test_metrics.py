"""The benchmark measures what it says: its metrics, its loaders and its baselines."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from benchmarks.baselines import CachedEmbedder, Fts, Vectors, fuse_ranks
from benchmarks.datasets import VARIABLE, Corpus, Item, NoData, Query, gitcite, load, locomo
from benchmarks.datasets import data_folder as named_folder
from benchmarks.metrics import average, judge, summarize

NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)


def test_a_perfect_ranking_is_all_ones() -> None:
    """Every gold item first: every column is one."""
    assert set(judge(["a", "b", "c"], {"a", "b"}).values()) == {1.0}


def test_metrics_of_a_ranking_with_one_of_two() -> None:
    """A hit that is neither first nor complete."""
    row = judge(["x", "a", "y", "z", "v", "w"], {"a", "b"})
    assert (row["hit@5"], row["all@5"], row["recall@10"], row["r@1"]) == (1.0, 0.0, 0.5, 0.0)
    assert row["ndcg@10"] == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))


def test_only_the_first_ten_count_and_nothing_found_is_zero() -> None:
    """What comes eleventh was not found."""
    far = [f"x{number}" for number in range(10)] + ["a"]
    assert set(judge(far, {"a"}).values()) == {0.0}
    assert set(judge([], {"a"}).values()) == {0.0}


def test_more_gold_than_ten_can_be_perfect_in_ndcg_only() -> None:
    """Where more is asked for than is shown."""
    gold = {str(number) for number in range(20)}
    row = judge([str(number) for number in range(20)], gold)
    assert (row["ndcg@10"], row["recall@10"], row["all@5"]) == (1.0, 0.5, 0.0)


@pytest.mark.parametrize(("ranking", "gold"), [(["a"], set()), (["a", "a"], {"a"})])
def test_what_cannot_be_judged_is_refused(ranking: list[str], gold: set[str]) -> None:
    """No gold item, or an item twice."""
    with pytest.raises(ValueError):
        judge(ranking, gold)


def test_means_over_all_and_by_category() -> None:
    """One row for all, one for each category."""
    table = summarize([("one", judge(["a"], {"a"})), ("two", judge(["b"], {"a"}))])
    assert list(table) == ["all", "one", "two"]
    assert [table[part]["r@1"] for part in table] == [0.5, 1.0, 0.0]
    assert set(average([]).values()) == {0.0}


def conversation() -> dict[str, Any]:
    """A conversation as LoCoMo writes it, odd evidence included."""
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a kite."},
        {"speaker": "Bob", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red boat"},
    ]
    later = [{"speaker": "Ann", "dia_id": "D2:1", "text": "It flew away."}]
    asked: list[dict[str, Any]] = [
        {"question": "What did Ann buy?", "evidence": ["D1:1"], "category": 4},
        {"question": "Both?", "evidence": ["D1:1; D2:1"], "category": 1},
        {"question": "Colon?", "evidence": ["D:1:2", "D"], "category": 3},
        {"question": "Nothing?", "evidence": [], "category": 5},
        {"question": "Unknown?", "evidence": ["D9:9"], "category": 2},
    ]
    return {
        "sample_id": "c1",
        "conversation": {
            "speaker_a": "Ann",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": turns,
            "session_2_date_time": "12:09 am on 13 June, 2023",
            "session_2": later,
        },
        "qa": asked,
    }


def test_conversations_as_turns() -> None:
    """Turns, each conversation by itself, and what was dropped."""
    corpus = locomo("turns", [conversation()], sessions=False)
    assert [item.id for item in corpus.items] == ["c1/D1:1", "c1/D1:2", "c1/D2:1"]
    assert corpus.items[1].text == "Bob: Look! [shares a photo: a red boat]"
    assert corpus.items[2].time == datetime(2023, 6, 13, 0, 9, tzinfo=UTC)
    assert {query.group for query in corpus.queries} == {"c1"}
    assert [sorted(query.gold) for query in corpus.queries] == [
        ["c1/D1:1"],
        ["c1/D1:1", "c1/D2:1"],
        ["c1/D1:2"],
    ]
    assert [query.category for query in corpus.queries] == [
        "single-hop",
        "multi-hop",
        "open-domain",
    ]
    assert corpus.dropped == {
        "evidence that cannot be read": 1,
        "evidence that names no turn": 1,
        "questions without evidence": 2,
    }


def test_conversations_as_sessions_in_one_pool() -> None:
    """Sessions of all conversations together."""
    corpus = locomo("sessions", [conversation()], sessions=True)
    assert [item.id for item in corpus.items] == ["c1/session_1", "c1/session_2"]
    assert corpus.items[0].text.startswith("Ann and Bob, 01:56 PM, 8 May 2023\nAnn: I bought")
    assert list(corpus.groups()) == [""]
    assert corpus.queries[1].gold == {"c1/session_1", "c1/session_2"}


def test_citations_are_split_by_time_and_look_back_only() -> None:
    """The earlier half tunes, the later reports."""
    commits = [{"id": name, "time": at, "text": name} for name, at in (("a", 10), ("b", 20))]
    queries = [
        {"id": "q3", "time": 40, "text": "late", "gold": ["a", "b"]},
        {"id": "q1", "time": 15, "text": "early", "gold": ["a"]},
        {"id": "q2", "time": 16, "text": "young", "gold": ["b"]},
    ]
    early = gitcite("tune", commits, queries, later=False)
    late = gitcite("report", commits, queries, later=True)
    assert [query.text for query in early.queries] == ["early"]
    assert [query.text for query in late.queries] == ["late"]
    assert late.dropped == {"queries that cite an unknown or a younger commit": 1}
    assert late.queries[0].time == datetime.fromtimestamp(40, UTC)


def test_missing_data_is_said_plainly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable, no folder, no file."""
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(NoData, match=f"{VARIABLE} is not set"):
        named_folder()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    with pytest.raises(NoData, match="not a folder"):
        named_folder()
    with pytest.raises(NoData, match="There is no"):
        load("locomo-turns", tmp_path)


def small_corpus() -> Corpus:
    """Four items in two groups."""
    texts = {"kite": "a red kite", "boat": "a red boat, fast", "late": "another kite, far away"}
    items = [
        Item(name, text, NOON.replace(day=day))
        for day, (name, text) in enumerate(texts.items(), start=1)
    ]
    return Corpus("small", (*items, Item("other", "kites", NOON, group="g")), ())


def test_plain_keyword_search() -> None:
    """Stems, time, groups, and a query without words."""
    fts = Fts()
    fts.build(small_corpus())
    assert fts.search(Query("Kites?", frozenset()), 10) == ["kite", "late"]
    assert fts.search(Query("kite", frozenset(), time=NOON.replace(day=3)), 10) == ["kite"]
    assert fts.search(Query("kite", frozenset(), group="g"), 10) == ["other"]
    assert fts.search(Query("!?", frozenset()), 10) == []


def test_ranks_are_fused_with_equal_votes() -> None:
    """What both name wins."""
    assert fuse_ranks([["a", "b"], ["b", "c"]]) == ["b", "a", "c"]


class Letters:
    """An embedder for tests: how often `k` and `b` occur."""

    name, dimensions, window = "letters@1", 2, 100

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], pause: object = None) -> list[bytes]:
        """Vectors of length one."""
        self.asked += texts
        counts = [(text.count("k"), text.count("b")) for text in texts]
        return [struct.pack("<2f", k / math.hypot(k, b), b / math.hypot(k, b)) for k, b in counts]

    def count_tokens(self, text: str) -> int:
        """Words."""
        return len(text.split())


def test_vectors_are_kept_between_runs(tmp_path: Path) -> None:
    """Items are embedded once, queries each time."""
    pytest.importorskip("numpy")
    model = Letters()
    items = (Item("kite", "kk", NOON), Item("boat", "bb", NOON), Item("both", "kb", NOON))
    corpus = Corpus("small", items, ())
    for _ in range(2):
        vectors = Vectors(CachedEmbedder(model, tmp_path))
        vectors.build(corpus)
        assert vectors.search(Query("kkkb", frozenset()), 2) == ["kite", "both"]
    assert sorted(model.asked) == ["bb", "kb", "kk", "kkkb", "kkkb"]
    early = Query("k", frozenset(), time=NOON)
    assert vectors.search(early, 2) == []
