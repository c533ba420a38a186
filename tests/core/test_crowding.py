"""Shares and repetitions: who gets a place, and what counts once."""

from __future__ import annotations

from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.age import counted, not_after
from recollect.core.crowding import (
    SKEW,
    Traits,
    author_key_of,
    choose,
    crowd_in,
    dated,
    is_ahead,
    most_of,
    repeated,
    sketch_of,
)
from recollect.index.text import plain_words

NOW = 1_790_000_000.0


def traits(author_key: str, text: str) -> Traits:
    """What the index keeps of a text of somebody."""
    words, denies = plain_words(text)
    return Traits(author_key, sketch_of(words, denies=denies))


def test_an_author_is_an_address_whatever_the_name() -> None:
    """Another name before the same address is the same author."""
    assert author_key_of("Ada <Ada@example.com>") == author_key_of("A. Lovelace <ada@example.com>")
    assert author_key_of("Ada") == "ada"
    assert author_key_of(None) == author_key_of("  ") == ""


def test_what_says_the_same_counts_once() -> None:
    """The same words, some more or fewer; not the opposite, and not what somebody else says."""
    said = [
        traits("ada", "The order import must run in one transaction"),
        traits("ada", "The order import must always run in one transaction"),
        traits("ada", "The order import must not run in one transaction"),
        traits("bob", "The order import must run in one transaction"),
        traits("ada", "Deploys happen on Tuesdays"),
    ]

    assert repeated(range(5), said.__getitem__) == [1]


@pytest.mark.parametrize(
    ("text", "checksum"),
    [
        ("Releases are on Tuesdays, and we don't ship before a holiday", 2478906460),
        ("Étés: 日本語の HTTPServer", 2047677661),
        (" ".join(f"word{n}" for n in range(100)), 456741451),
        ("", 500037495),
    ],
)
def test_the_sketch_of_a_text_stays_the_same(text: str, checksum: int) -> None:
    """An index keeps those that earlier versions made."""
    assert crc32(traits("ada", text).sketch) == checksum


def test_long_texts_are_compared_by_a_part_of_their_words() -> None:
    """Two long texts are not the same because they are long."""
    one = traits("ada", " ".join(f"word{n}" for n in range(2000)))
    nearly = traits("ada", " ".join(f"word{n}" for n in range(1900)))
    other = traits("ada", " ".join(f"text{n}" for n in range(2000)))

    assert repeated([one, nearly], lambda t: t) == [nearly]
    assert repeated([one, other], lambda t: t) == []


def test_a_repetition_is_found_among_many() -> None:
    """Wherever the earlier one stands: texts are first compared with several together."""
    texts = [" ".join(f"word{n}x{m}" for m in range(20)) for n in range(32)]
    said = [traits("ada", text) for text in texts]

    for text in texts:
        again = traits("ada", f"{text} again")
        assert repeated([*said, again], lambda t: t) == [again]


def test_texts_without_words_are_not_the_same() -> None:
    """Nothing can be said of them."""
    assert repeated([traits("ada", ""), traits("ada", "???")], lambda t: t) == []


def test_one_author_has_half_of_the_places_where_there_are_others() -> None:
    """The others come, and what is left goes to whoever has something."""
    items = [("mallory", n) for n in range(40)] + [("ada", 0)]
    found = choose(items, 5, lambda item: traits(item[0], f"{item[0]} says number{item[1]} only"))

    assert found[most_of(5)] == ("ada", 0)
    assert len(found) == 5


@given(st.lists(st.integers(0, 200), unique=True, max_size=40), st.integers(1, 12))
def test_an_author_who_is_alone_has_all_places(numbers: list[int], places: int) -> None:
    """Nothing is moved where nobody else is there and nothing is repeated."""
    found = choose(numbers, places, lambda n: traits("ada", f"one{n} two{n} three{n}"))

    assert found == numbers[:places]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), max_size=30),
    st.integers(1, 12),
)
def test_no_place_stays_empty_while_there_is_something(
    items: list[tuple[str, int]], places: int
) -> None:
    """Repetitions come last, but they come where there is room for everything."""
    numbered = list(enumerate(items))
    found = choose(numbered, places, lambda i: traits(i[1][0], f"one{i[1][1]} two{i[1][1]}"))

    assert len(set(found)) == len(found)
    if len(items) <= places:
        assert sorted(found) == numbered


def test_a_crowd_is_somebody_who_leaves_hardly_any_room() -> None:
    """Most of what was found is not enough: prolific people are no crowd."""
    assert crowd_in(["a"] * 9 + ["b"]) == "a"
    assert crowd_in(["a"] * 8 + ["b"] * 2) is None
    assert crowd_in([]) is None


def test_a_date_in_the_future_counts_as_now() -> None:
    """A clock that is a little ahead is no forgery; one that is years ahead has no author."""
    assert not_after(NOW + 5, NOW) == NOW
    assert counted("2099-01-01T00:00:00Z", NOW).startswith("2026-")
    assert counted("2020-01-01T00:00:00Z", NOW) == "2020-01-01T00:00:00Z"
    assert counted(None, NOW) == counted("", NOW) == ""
    assert not is_ahead(NOW + SKEW / 2, NOW)
    assert not is_ahead(None, NOW)
    ahead = dated(Traits("ada"), NOW + 2 * SKEW, NOW)
    assert ahead.author_key != "ada"
    assert ahead == dated(Traits("bob"), NOW + 3 * SKEW, NOW)
