"""What prompts ask for by their meaning: to keep something, or not to, in unknown words."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.capture.requests import load
from recollect.capture.learned_content import kept_words
from recollect.capture.learned_unkept import part_prompt
from recollect.capture.requests import find_requests
from recollect.capture.wish_meaning import FILE, Read, Word, reader_with, soft_maximum, windows
from recollect.embedding import Embedder, open_embedder

DIMENSIONS = 384


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """The model that is installed by default."""
    found = open_embedder("default", threads=1)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def read(embedder: Embedder) -> Read:
    """How its first layers read a prompt."""
    found = reader_with(embedder)
    assert found is not None
    return found


class OtherModel:
    """An embedder that our weights are not for."""

    name = "another@123"
    dimensions = DIMENSIONS
    window = 256

    def embed(self, texts: Sequence[str], pause: Callable[[], None] | None = None) -> list[bytes]:
        """The same vector for each text."""
        return [struct.pack(f"<{DIMENSIONS}f", *map(float, range(DIMENSIONS))) for _ in texts]

    def count_tokens(self, text: str) -> int:
        """About a token for each word."""
        return len(text.split())


def test_weights_are_for_one_embedder(embedder: Embedder) -> None:
    """What another one makes of words would be rated at random."""
    assert reader_with(embedder) is not None
    assert reader_with(OtherModel()) is None
    assert reader_with(None) is None
    assert FILE.stat().st_size < 700_000


@given(st.lists(st.text(max_size=300), max_size=8))
@settings(max_examples=25, deadline=None)
def test_any_sentences_are_read(said: list[str]) -> None:
    """Each gets a rating, and its words stand in it."""
    read = reader_with(open_embedder("default", threads=1))
    assert read is not None
    found = read(said)

    assert len(found) == len(said)
    for text, meant in zip(said, found, strict=True):
        assert math.isfinite(meant.asks)
        assert math.isfinite(meant.unkept)
        assert all(0 <= word.start <= word.end <= len(text) for word in meant.words)


@pytest.mark.parametrize(
    ("prompt", "content"),
    [
        (
            "The name is logsift, lower case, also at the start. Let that be settled.",
            "The name is logsift, lower case, also at the start",
        ),
        ("We don't do squash merges here. Treat that as given.", "We don't do squash merges"),
        (
            "Would be lovely if you still knew in March that the kiosk runs Chrome 88.",
            "The kiosk runs Chrome 88",
        ),
    ],
)
def test_the_meaning_tells_a_wish(prompt: str, content: str, read: Read) -> None:
    """Whatever its words are; `why` shows those that decided."""
    found = find_requests(prompt, read=read)

    assert content in [one.content[: len(content)] for one in found]
    assert not find_requests(prompt, learned=False)


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
def test_the_meaning_keeps_no_talk(prompt: str, read: Read) -> None:
    """Reactions, closings, small talk, orders for now, secrets."""
    assert find_requests(prompt, read=read) == []


def test_what_rules_find_stays(read: Read) -> None:
    """The same wishes, word for word, so that a later look loses none and keeps none twice."""
    for text in (prompt.text for prompt in load()[:60]):
        plain = find_requests(text, learned=False)
        assert plain == find_requests(text, read=read)[: len(plain)]


@pytest.mark.parametrize(
    "prompt",
    [
        "can you explain: Session state persists until explicit cleanup",
        "Persist the transcript path in the metadata so that restore finds it later.",
        "let's write this plan down, then continue discussion :)",
    ],
)
def test_what_only_words_suggest_is_not_kept(prompt: str, read: Read) -> None:
    """Work on a memory, a session or a log has the words of a wish, and is none."""
    assert not any(one.is_sure for one in find_requests(prompt, read=read))


def test_the_meaning_corrects_the_content(read: Read) -> None:
    """The words of the request are no content; what it is about is."""
    prompt = (
        "We are following the Google Java style but with 120 columns. Kindly treat as default for"
        " all the upcoming work na."
    )
    kept = [one.content for one in find_requests(prompt, read=read) if one.is_sure]

    assert any("120 columns" in content for content in kept)
    assert "Kindly treat as default for all the upcoming work na" not in kept


def test_the_likeliest_sentence_takes_its_content_first(read: Read) -> None:
    """A remark before the wish doesn't take it away."""
    prompt = (
        "Whoever wrote this used GOTO. Whatever. The PL/I sources are authoritative, the Java port"
        " is only a demo — that needs to be engraved."
    )
    found = find_requests(prompt, read=read)

    assert [one.is_sure for one in found if "authoritative" in one.content] == [True]


def test_what_a_request_is_about_is_kept_too(read: Read) -> None:
    """A rule finds the request, and takes the first sentence; what matters stands in the next."""
    asked = "note that buoy 7 still has the old board. pressure comes in mmHg there, not hPa"
    found = find_requests(asked, read=read)

    assert found[0].rule == "note"
    assert "mmHg" in " ".join(one.content for one in found)


@pytest.mark.parametrize(
    "prompt",
    [
        "This one doesn't need to stick: the rehearsal box listens on port 7777.",
        "License for the trial is TRIAL-0, this should evaporate with the session.",
    ],
)
def test_who_asks_not_to_keep_in_other_words(prompt: str, read: Read) -> None:
    """Nothing of it is kept: neither as a wish nor as something noticed."""
    parted = part_prompt(prompt, read)

    assert (parted.kept, parted.unkept) == ("", prompt)
    assert parted.why
    assert find_requests(prompt, read=read) == []


def test_only_the_paragraph_that_asks_not_to_is_left_out(read: Read) -> None:
    """What stands before it is kept."""
    prompt = "This one doesn't need to stick: the rehearsal box listens on port 7777."

    assert part_prompt(f"We use tabs.\n\n{prompt}", read).kept == "We use tabs."


@pytest.mark.parametrize(
    "asked",
    ["Remember that prod listens on 5000.", "From now on use uv.", "Please note: tags are signed."],
)
def test_an_explicit_request_beside_it_is_kept(asked: str, read: Read) -> None:
    """Whoever says it in so many words gets it, in the same paragraph too."""
    for before in ("Drop that again afterwards: port 4000.", "Just for today use port 4000."):
        assert find_requests(f"{before} {asked}", read=read)[0] == find_requests(asked)[0]


def test_a_long_prompt_is_read_in_part() -> None:
    """Somebody waits: its beginning and its end, however long it is."""
    said = [
        f"The {number} team owns its queue and nobody else writes to it." for number in "a" * 99
    ]
    read = [at for numbers in windows(said) for at in numbers]

    assert len(read) < 50
    assert (read[0], read[-1]) == (0, 98)
    assert [list(one) for one in windows(said[:3])] == [[0, 1, 2]]
    assert list(windows([])) == []


def test_words_in_a_row_are_kept() -> None:
    """A weak word in the middle does no harm, and the rest of a clause belongs to it."""
    text = "pin this: the api is rate limited, ok"
    sure = {"api": 3.0, "rate": 2.0, "limited": 2.0, "is": -0.5}
    never = {"pin": -9.0, "this:": -9.0, "ok": -9.0}
    found = [
        Word(start, start + len(word), {**sure, **never}.get(word.strip(","), -1.0))
        for word in text.split()
        for start in [text.index(word)]
    ]

    assert kept_words([(7, text, found)]) == ("the api is rate limited,", (7,))
    assert kept_words([(7, text, [one._replace(kept=-5.0) for one in found])]) == ("", ())
    assert kept_words([]) == ("", ())


def test_the_soft_maximum_of_one_value_is_the_value() -> None:
    """And of many, a little more than the largest."""
    assert soft_maximum([3.0]) == 3.0
    assert 3.0 < soft_maximum([3.0, 0.0, -900.0]) < 3.1


@pytest.mark.parametrize(
    "beside",
    [
        "How are refunds with Stripe handled?",
        "Then fix the login page.",
        "Add a test for the cart.",
    ],
)
def test_what_a_rule_found_is_kept_once(beside: str, read: Read) -> None:
    """The task or the question beside a wish is no part of it."""
    found = find_requests(f"Remember that releases are on Tuesdays. {beside}", read=read)

    assert [request.content for request in found] == ["Releases are on Tuesdays"]


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [
        (  # "the clinic says" reports, and still binds
            "now something i don't want to explain a third time: the clinic says 'clients'"
            " everywhere on screen, not users. dr peeters gets hives from it",
            "says 'clients' everywhere on screen",
        ),
        (  # "give me" is no task if it is asked for later
            "like give me a hint first, code only if i ask twice. i need to learn this, so do it"
            " like that from now on",
            "hint first, code only if i ask twice",
        ),
        (  # what the first sentence says is too short to stand alone
            "General remark, valid for the life of this firmware: no malloc. No heap at all.",
            "o malloc. No heap at all",
        ),
        (  # the words that ask end in the middle of nothing, and are not kept
            "hostnames are trees. jupyter is 'larch'. you'll get every future host wrong unless"
            " that sinks in",
            "ostnames are trees. jupyter is 'larch",
        ),
        (  # a rule sees "from this day on" and nothing to keep; the meaning does
            "The 40 uA are obsolete, budget is 85 uA from this day on. Replace it wherever you"
            " hold it.",
            "budget is 85 uA",
        ),
    ],
)
def test_what_is_asked_for_is_kept_whole(prompt: str, kept: str, read: Read) -> None:
    """And no piece of it beside it."""
    assert any(kept in one.content and one.is_sure for one in find_requests(prompt, read=read))


def test_the_items_of_a_list_are_kept_one_by_one(read: Read) -> None:
    """With what belongs to each, and without the item that nobody wants kept."""
    prompt = (
        "nice. two for your notebook:\n"
        "a) prices in the db include vat. 21 percent, except pet food, that's 6\n"
        "b) dr peeters signs off every text that goes to an owner before it's live. i got into"
        " trouble over that last year"
    )

    assert [one.content for one in find_requests(prompt, read=read)] == [
        "Prices in the db include vat. 21 percent, except pet food, that's 6",
        "Dr peeters signs off every text that goes to an owner before it's live",
    ]
