"""Few memories, different ones, new to the agent, within the budget, or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.memory import Memory
from recollect.search import selection
from recollect.search.constants import (
    MISS_COSTS,
    TITLE_COSTS,
    UNCONFIRMED_WORTH,
    full_bar,
    titles_bar,
)
from recollect.search.selection import Candidate
from recollect.search.tokens import count_tokens
from recollect.search.triggers import asks_for_memory

NOW = 1_700_000_000.0
FULL = full_bar(1.0)
TITLE = TITLE_COSTS / MISS_COSTS


def candidate(
    summary: str, *, age: float = 86_400, score: float = 0.5, probability: float = 1.0
) -> Candidate:
    """A candidate born so many seconds ago."""
    from datetime import UTC, datetime

    born = datetime.fromtimestamp(NOW - age, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    memory = Memory(
        uid=summary, id="notes:abc:0", kind="notes", summary=summary, created=born, version="1"
    )
    return Candidate(memory, score, "test", probability=probability)


def names(candidates: list[Candidate]) -> list[str]:
    """What was chosen, in order."""
    return [c.memory.summary for c in candidates]


def test_what_is_likely_comes_in_full_and_what_may_be_as_a_title() -> None:
    """What is neither costs more than it is worth."""
    good = candidate("good", probability=FULL)
    better = candidate("better", probability=0.9)
    weak = candidate("weak", probability=FULL * 0.9)
    noise = candidate("noise", probability=TITLE * 0.9)

    full, titles = selection.by_probability([weak, good, noise, better])

    assert names(full) == ["better", "good"]
    assert names(titles) == ["weak"]


def test_the_likeliest_title_pays_for_the_element() -> None:
    """Others come beside it; alone, or for a prompt about something else, they do not."""
    first, other = (
        candidate("first", probability=titles_bar(1.0)),
        candidate("m", probability=TITLE),
    )

    assert not selection.worth_naming([])
    assert not selection.worth_naming([other])
    assert selection.worth_naming([other, first])
    assert not selection.worth_naming([other, first._replace(about=0.5)])


def test_a_prompt_about_something_else_raises_the_bar() -> None:
    """A memory that leads astray costs more than its tokens, in full and as a title."""
    likely = (FULL + full_bar(0.5)) / 2
    sure, unsure, unlikely = (
        selection.by_probability([candidate("m", probability=likely)._replace(about=about)])
        for about in (1.0, 0.5, 0.0)
    )
    little = candidate("m", probability=FULL * 0.9)

    assert [names(full) for full, _ in (sure, unsure, unlikely)] == [["m"], [], []]
    assert names(unsure[1]) == ["m"]
    assert selection.worth_naming([little])
    assert not selection.worth_naming([little._replace(about=0.0)])


def test_what_a_person_said_without_asking_comes_as_a_title() -> None:
    """However likely it is; what an agent found out comes in full."""
    one, other = (candidate(name, probability=0.9) for name in ("by a person", "by an agent"))
    said = [
        one._replace(memory=one.memory._replace(status="unconfirmed", provenance=by))
        for one, by in ((one, {"said_by": "user"}), (other, {"said_by": "agent"}))
    ]

    full, titles = selection.by_probability(said)

    assert (names(full), names(titles)) == (["by an agent"], ["by a person"])


def test_an_unconfirmed_memory_must_be_likelier_and_comes_alone() -> None:
    """Of two that pass, only the better one is given."""

    def noticed(summary: str, probability: float) -> Candidate:
        found = candidate(summary, probability=probability)
        return found._replace(memory=found.memory._replace(status="unconfirmed"))

    bar = FULL / UNCONFIRMED_WORTH
    found = [
        candidate("known", probability=FULL),
        noticed("as likely", FULL),
        noticed("better", 0.99),
        noticed("worse", bar + 0.01),
        noticed("noise", TITLE),
    ]

    full, titles = selection.by_probability(found)
    given, too_many = selection.few_unconfirmed(full)

    assert names(full) == ["better", "worse", "known"]
    assert names(titles) == ["as likely"]
    assert names(given) == ["better", "known"]
    assert [one.reason for one in too_many] == ["one unconfirmed memory is enough"]
    assert names(selection.few_unconfirmed(full, already=1)[0]) == ["known"]


@pytest.mark.parametrize(
    "prompt",
    [
        "Why did we pick PostgreSQL?",
        "what was the decision on caching",
        "Remind me how deploys work",
        "continue where we stopped",
        "what happened with the import job",
        "is the blocker gone?",
        "How did we fix the lost rows?",
        "what do we know about the nightly import",
    ],
)
def test_trigger_phrases(prompt: str) -> None:
    """Seed C's phrases ask for memory."""
    assert asks_for_memory(prompt)


def test_ordinary_talk_does_not_trigger() -> None:
    """A request is not a question for memories."""
    assert not asks_for_memory("Add a test for the cart")


def test_what_the_agent_has_is_not_given_again_unless_it_changed() -> None:
    """The version decides."""
    kept, skipped = selection.without_given(
        [candidate("same"), candidate("changed"), candidate("new")], {"same": "1", "changed": "0"}
    )

    assert names(kept) == ["changed", "new"]
    assert [s.uid for s in skipped] == ["same"]


def test_of_two_that_say_the_same_the_better_one_counts() -> None:
    """Diversity: the agent reads nothing twice."""
    kept, skipped = selection.without_repeats(
        [
            candidate("The cart total includes tax", score=0.4),
            candidate("The cart total includes tax now", score=0.9),
            candidate("Deploys happen on Tuesdays", score=0.1),
        ]
    )

    assert names(kept) == ["The cart total includes tax now", "Deploys happen on Tuesdays"]
    assert len(skipped) == 1


def test_a_repetition_is_found_among_many() -> None:
    """Wherever the better one stands: texts are first compared with several together."""
    texts = [" ".join(f"{word}{chr(97 + n)}" for word in ("cart", "tax", "day")) for n in range(20)]
    better = [candidate(text, score=1 - n / 100) for n, text in enumerate(texts)]
    for text in texts:
        again = candidate(f"{text} again", score=0.1)

        kept, skipped = selection.without_repeats([*better, again])

        assert names(kept) == texts
        assert [one.uid for one in skipped] == [again.memory.uid]


def test_every_time_scale_gets_its_place() -> None:
    """One of the last minutes, two of the task, one of the session, one of the project."""
    fresh = [candidate(f"now {n}", age=60, score=0.9 - n / 100) for n in range(5)]
    task = [candidate(f"task {n}", age=1200, score=0.8 - n / 100) for n in range(5)]
    session = [candidate(f"session {n}", age=5000, score=0.7 - n / 100) for n in range(5)]
    project = [candidate(f"project {n}", age=9e6, score=0.6 - n / 100) for n in range(5)]

    kept, _ = selection.pick_by_age([*fresh, *task, *session, *project], 5, NOW)

    assert names(kept) == ["now 0", "task 0", "task 1", "session 0", "project 0"]


def test_unused_places_go_to_the_next_scale() -> None:
    """With nothing recent, old knowledge gets all five."""
    project = [candidate(f"project {n}", age=9e6, score=0.6 - n / 100) for n in range(7)]

    assert len(selection.pick_by_age(project, 5, NOW)[0]) == 5
    recent = [candidate(f"now {n}", age=60) for n in range(7)]
    assert len(selection.pick_by_age(recent, 5, NOW)[0]) == 5


@given(st.lists(st.tuples(st.text(min_size=1), st.floats(0, 1)), max_size=20), st.integers(0, 900))
def test_the_budget_holds(texts: list[tuple[str, float]], budget: int) -> None:
    """Whatever comes, the elements stay within tokens and characters."""
    candidates = [candidate(f"{n} {text}", score=score) for n, (text, score) in enumerate(texts)]

    filled = selection.fill(
        candidates, budget, lambda m, brief: m.summary[:5] if brief else m.summary, 500
    )

    assert sum(count_tokens(e) for e in filled.elements) <= max(0, budget)
    assert sum(selection.utf16_length(e) for e in filled.elements) <= 500
    assert len(filled.chosen) + len(filled.skipped) == len(candidates)


def test_one_that_does_not_fit_comes_without_its_body() -> None:
    """A summary is better than nothing."""
    filled = selection.fill(
        [candidate("short")], 60, lambda m, brief: m.summary if brief else "long " * 100
    )

    assert filled.elements == ["short"]


@given(st.text(max_size=300))
def test_tokens_are_counted_from_above_byte_by_byte(text: str) -> None:
    """Never more than one token for a byte, and at least one for every word."""
    words = len([w for w in text.split() if w.isascii() and w.isalpha()])

    assert words <= count_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))


@given(st.text())
def test_length_is_counted_as_javascript_does(text: str) -> None:
    """UTF-16 units, since the client counts those."""
    assert selection.utf16_length(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2
