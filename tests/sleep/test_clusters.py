"""Clusters are what comparing all pairs would find, without comparing all pairs."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from recollect.sleep.clusters import MOST_MEMBERS, find_clusters, jaccard

_sets = st.frozensets(st.sampled_from("abcdefghijkl"), max_size=8)


def by_all_pairs(
    words: dict[str, frozenset[str]], similarity: float, least: int
) -> set[frozenset[str]]:
    """Single linkage, the slow way."""
    groups = {key: {key} for key in words if words[key]}
    for one in groups:
        for other in groups:
            if jaccard(words[one], words[other]) >= similarity and groups[one] is not groups[other]:
                groups[one] |= groups[other]
                for key in groups[other]:
                    groups[key] = groups[one]
    return {frozenset(group) for group in groups.values() if len(group) >= least}


@given(
    st.dictionaries(st.text("xyz", min_size=1, max_size=4), _sets, max_size=20),
    st.sampled_from((0.3, 0.5, 0.8)),
)
def test_it_finds_what_all_pairs_find(words: dict[str, frozenset[str]], similarity: float) -> None:
    """On few sets nothing is left out."""
    assert {frozenset(c) for c in find_clusters(words, similarity, 3)} == by_all_pairs(
        words, similarity, 3
    )


@given(st.dictionaries(st.text("xyz", min_size=1, max_size=4), _sets, max_size=20), st.randoms())
def test_the_order_does_not_matter(words: dict[str, frozenset[str]], rng: random.Random) -> None:
    """Two clones find the same."""
    items = list(words.items())
    rng.shuffle(items)

    assert find_clusters(dict(items), 0.4, 3) == find_clusters(words, 0.4, 3)


def test_large_groups_are_cut_into_parts_that_can_be_read() -> None:
    """None is too large, and none too small to be a cluster."""
    words = {f"{n:04}": frozenset("abcd") for n in range(MOST_MEMBERS * 2 + 1)}

    clusters = find_clusters(words, 0.5, 3)

    assert sorted(key for cluster in clusters for key in cluster) == sorted(words)
    assert all(3 <= len(cluster) <= MOST_MEMBERS + 2 for cluster in clusters)


def test_nothing_without_words_is_alike() -> None:
    """Two memories that say nothing have nothing in common."""
    assert find_clusters({"a": frozenset(), "b": frozenset(), "c": frozenset()}, 0.5, 3) == []


def test_the_same_a_thousand_times_is_the_same() -> None:
    """Words that many hold do not count, unless a set has no others."""
    equal = {f"a{n:04}": frozenset("abcd") for n in range(300)}
    others = {f"b{n:04}": frozenset({f"x{n}", f"y{n}", "a", "b"}) for n in range(300)}

    clusters = find_clusters(equal | others, 0.4, 3)

    assert sorted(key for cluster in clusters for key in cluster) == sorted(equal)


def test_any_word_may_count() -> None:
    """Among memories of one headline its words are what they are about."""
    words = {f"{n:04}": frozenset({"a", "b", f"x{n}"}) for n in range(300)}

    assert find_clusters(words, 0.4, 3) == []
    assert sum(map(len, find_clusters(words, 0.4, 3, any_word=True))) == 300
