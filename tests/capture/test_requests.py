"""Wishes in plain words are found with what to keep; what only sounds alike is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.capture.labelled import file_of, load
from benchmarks.capture.requests import load as load_prompts
from benchmarks.capture.requests import score
from recollect.capture.requests import asks_to_forget, find_requests, is_covered
from recollect.hook_client import asks
from recollect.hosts.protocol import PROMPT, STOP

PROMPTS = load_prompts()


def contents(text: str) -> list[str]:
    """What a prompt asks to keep."""
    return [request.content for request in find_requests(text)]


def test_the_benchmark_holds() -> None:
    """Every wish is found, word for word, and hardly a trap is walked into."""
    result = score(PROMPTS)

    assert len(PROMPTS) == 200
    assert result.kept == result.exact == result.wishes
    assert result.caught <= 1


def test_wishes_of_other_sets_are_found() -> None:
    """Rows that others made; a file of instructions is not a memory."""
    rows = load() + load(file_of("fresh"), ["fresh"])
    texts = [row.text for row in rows if row.explicit and "[remember" not in row.text]
    missed = [text for text in texts if not any(contents(text))]

    assert all("CLAUDE.md" in text or text.startswith("MEMORY:") for text in missed)
    assert len(missed) <= 3


@pytest.mark.parametrize("asks", ["keep in mind", "don't forget", "remember", "please note"])
@pytest.mark.parametrize(
    "said",
    [
        "the api key rotates monthly",
        "prod reads from the replica",
        "integration tests talk to a real redis",
        "the license server times out after 30 s",
        "legal signed off on the new licence",
        "our customers in Japan see prices without decimals",
    ],
)
def test_a_statement_needs_no_that(asks: str, said: str) -> None:
    """Its verb tells it from a thing."""
    assert contents(f"{asks} {said}") == [said[0].upper() + said[1:]]


@pytest.mark.parametrize(
    "text",
    [
        "don't forget the unit tests for the new parser",
        "don't forget the end date in the form",
        "keep in mind the edge cases on windows",
        "remember the last time we changed this file",
        "please note the stack trace below",
    ],
)
def test_a_thing_is_no_statement(text: str) -> None:
    """What has no verb says nothing to keep."""
    assert contents(text) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "something else that's worth holding on to: the scanner only knows Latin-1",
            "The scanner",
        ),
        ("The scanner only knows Latin-1, that's one to hang on to", "The scanner"),
        ("memo: the scanner only knows Latin-1", "The scanner"),
        ("note to self, and to you i guess: the scanner only knows Latin-1", "The scanner"),
        ("Might I ask you to bear in mind, for all dates, that Monday is closed?", "Monday is"),
        ("make it a habit to run the linter before you push", "Run the linter"),
        ("another one to keep, product insists: we never say sorry in errors", "We never say"),
        ("standing order from our chair, she was serious: no full names", "No full names"),
        ("Rule 4, and I won't say it twice: whoever breaks the build repairs it", "Whoever breaks"),
        ("So from today you write me the commits in French please", "You write me"),
        (
            "From now on, whenever you add an entry, please do not use abbreviations",
            "Whenever you add an entry, please do not use abbreviations",
        ),
        (
            "don't ever touch the legacy/ folder, finance runs it by hand",
            "Don't ever touch the legacy/ folder, finance runs it by hand",
        ),
        ("always restore into /srv/restore, never in place", "Always restore into"),
        ("jot this down so i don't repeat it: all of 10.8. is their vpn", "All of 10.8. is their"),
        ("But do remember that the scanner only knows Latin-1", "The scanner"),
        ("note that buoy 7 has the old board. pressure is in mmHg there, not hPa", "Buoy 7 has"),
        ("jot this down so i dont explain it again: 10.8 is the vpn of the customer", "10.8 is"),
        ("When you fix it, from this day: add the line to tests/in.log", "Add the line"),
        ("a serving is on the label. so we dont mix it up, can you keep that?", "A serving is"),
        (
            "there is one that should stay with you for good, with you and with whoever comes after"
            " you, remember it please: the amounts come in the currency of the partner",
            "The amounts",
        ),
    ],
)
def test_people_ask_in_many_ways(text: str, kept: str) -> None:
    """Each of these is a wish with this content, and is put aside first."""
    assert asks(PROMPT, text.encode())
    assert [one[: len(kept)] for one in contents(text)] == [kept]


def test_the_end_of_a_talk_is_not_kept() -> None:
    """Neither after a rule nor after the model."""
    said = "the numbers stay nine digits long. That's it for today, my daughter has a recital."

    for lead in ("One for the future: ", "remember that ", "hang on to this: "):
        assert contents(lead + said) == ["The numbers stay nine digits long"]


def test_what_a_wish_points_to_can_be_a_standing_order() -> None:
    """Although an order without `before` or `always` is a task."""
    assert contents("run make lint before pushing. remember that.") == [
        "Run make lint before pushing"
    ]
    assert contents("tests must not hit the network, keep that in mind") == [
        "Tests must not hit the network"
    ]


@pytest.mark.parametrize("text", [prompt.text for prompt in PROMPTS if prompt.wishes])
def test_the_test_of_bytes_finds_every_wish(text: str) -> None:
    """A hook that does not look more closely loses nothing."""
    assert asks(PROMPT, text.encode())
    assert asks(PROMPT, text.upper().encode())


def test_the_test_of_bytes_is_for_prompts() -> None:
    """What an agent says at a stop is its own; a marker counts everywhere."""
    assert not asks(STOP, b"Remember that the port is 80.")
    assert not asks(PROMPT, b'{"session_id": "s", "cwd": "/x", "prompt": "Fix the login"}')
    assert asks(STOP, b"[remember] The port is 80.")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("remember that the port is 80", "remember"),
        ("from now on use uv", "from now on"),
        ("don't forget to lint before you push", "don't forget to"),
        ("for future sessions: the port is 80", "for later sessions"),
    ],
)
def test_a_wish_names_its_rule(text: str, rule: str) -> None:
    """So that `why` can explain it."""
    assert [request.rule for request in find_requests(text)] == [rule]


@pytest.mark.parametrize(
    "text",
    ["remember this.", "ok remember that for next time", "Save this to memory:", "note that"],
)
def test_a_wish_for_nothing_is_empty(text: str) -> None:
    """The user is asked what to remember; nobody guesses."""
    assert not any(contents(text))


def test_what_is_pasted_asks_for_nothing() -> None:
    """Nor does what is quoted, or code."""
    mail = "From: Bob <b@example.com>\nTo: me\nSubject: x\n\nRemember that the port is 80."
    assert contents(mail) == []
    assert contents("> remember that the port is 80") == []
    assert contents("```\nremember that the port is 80\n```") == []
    assert contents("<log>\nremember that the port is 80\n</log>\nwhat is this?") == []


def test_a_marker_is_no_second_wish() -> None:
    """Its text is captured by the marker."""
    assert contents("[remember] Remember that the port is 80.") == []
    assert contents("- [remember] Note that the port is 80.") == []


def test_a_sentence_of_a_wish_is_covered() -> None:
    """Then no other detector needs to look at it."""
    wishes = find_requests("Remember that we decided to use uv. The build is red.")

    assert is_covered("Remember that we decided to use uv.", wishes)
    assert not is_covered("The build is red.", wishes)


@pytest.mark.parametrize(
    "text",
    [
        "no, forget that",
        "Forget that.",
        "don't remember that",
        "scratch that, don't keep it",
        "wait, don’t save that!",
        "actually forget it, that was wrong",
    ],
)
def test_who_asks_to_forget(text: str) -> None:
    """What was kept last is meant."""
    assert asks_to_forget(text)


@pytest.mark.parametrize(
    "text",
    [
        "forget about the tests, just ship",
        "forget that we use Redis",
        "don't forget that",
        "don't remember this, it's only for the demo",
        "did you forget that?",
        "scratch that",
        "I always forget that",
    ],
)
def test_who_does_not_ask_to_forget(text: str) -> None:
    """The words alone mean something else."""
    assert not asks_to_forget(text)


@given(st.text())
def test_any_text_is_fine(text: str) -> None:
    """And nothing is made up: every word of a wish stands in the text."""
    for request in find_requests(text + " remember that x is y"):
        assert request.rule


@pytest.mark.parametrize(
    "text",
    [
        "always restore into /srv/restore. now show me the log",
        "never mind the tests for the moment",
        "always the same error in the log",
        "Never tried that with Postgres, does it work?",
    ],
)
def test_what_is_no_standing_order(text: str) -> None:
    """Beside a task it is about that task, and many sentences begin with the same words."""
    assert not [one for one in find_requests(text, learned=False) if one.content]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("ok. can you always test on the zebra, never the emulator", "Always test on the zebra"),
        ("can you always use tabs in this repo?", "Always use tabs in this repo"),
        ("would you please never push without me", "Never push without me"),
        ("can you always assume that the list is sorted?", ""),
        ("can you never mind the linter for a second", ""),
    ],
)
def test_a_standing_order_as_a_polite_question(text: str, content: str) -> None:
    """Also beside other sentences; what may be a question about the code is none."""
    found = [one.content for one in find_requests(text, learned=False)]

    assert [one.startswith(content) for one in found] == [True] * bool(content)
