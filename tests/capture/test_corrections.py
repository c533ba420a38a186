"""What a person had to tell the agent, who then said: you are right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.corrections import corrections
from recollect.capture.decide import Action, decide
from recollect.core.kinds import BY_NAME

TOLD = "the staging proxy strips every header that starts with X-Internal"


@pytest.mark.parametrize(
    "answer",
    [
        "You're right, I missed that.",
        "You are absolutely right — let me change it.",
        "Good catch! I will look again.",
        "Good point. The header never arrives.",
        "Fair point, let me revert it.",
        "Ah, good call. Then it must be the cookie.",
        "That's a crucial distinction! So the header is lost.",
        "That is the key insight: it never arrives.",
        "You’re right.",
    ],
)
def test_what_the_agent_gave_in_to(answer: str) -> None:
    """The person's statement is suggested, never kept unseen."""
    (signal,) = corrections([("user", TOLD), ("assistant", answer)])

    assert signal.sentence == TOLD
    assert decide(signal) == Action.SUGGEST


@pytest.mark.parametrize(
    "answer",
    [
        "Let me look at the proxy.",
        "Done. All tests pass.",
        "Good question. It does not.",
        "I think you're right about the first part only.",
        "Right, the next step is the deployment.",
    ],
)
def test_any_other_answer(answer: str) -> None:
    """Who only goes on with the work was not corrected."""
    assert corrections([("user", TOLD), ("assistant", answer)]) == []


@pytest.mark.parametrize(
    "said",
    [
        "doesn't the staging proxy strip every header that starts with X-Internal?",
        "can you check whether the staging proxy strips the headers",
        "add a test for the proxy that strips headers of the staging server",
        "this does not work with the staging proxy and its headers",
        "it's the staging proxy that strips the headers",
        "those tests only check the headers of the staging proxy",
        "I tried it with the staging proxy and the headers were gone",
        "I'm still seeing the old headers on the staging proxy",
        "I've only recently moved to the staging proxy with its headers",
        "we should look at the headers of the staging proxy first",
        "but the staging proxy has the issue of the stripped headers",
        "⏺ Ran the staging proxy with all of its headers",
        "Consider a test for the headers that the staging proxy strips",
        "we see the headers in the staging proxy, which means nothing",
        f"{TOLD}. why don't we see that in the log?",
        "no",
        "wrong header",
        "the staging proxy does seem to lose its headers (and who would notice?)",
        "The change of the staging proxy has been merged into the branch",
        "maybe the staging proxy strips every header of ours",
        "the staging proxy " + "and the other proxy " * 30,
    ],
)
def test_what_tells_nothing_to_others(said: str) -> None:
    """Questions, requests, stories of the moment, and what points at something unseen."""
    assert corrections([("user", said), ("assistant", "You're right.")]) == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (TOLD, "learnings"),
        (
            "I think for now we should just keep the old endpoint, for the partners who call it",
            "decisions",
        ),
        ("given who uses it, it's better not to store names in the browser", "decisions"),
        ("we never store names of customers in the browser", "preferences"),
    ],
)
def test_the_kind(said: str, kind: str) -> None:
    """What is to be so is decided, what is always so is preferred, what is so is learnt."""
    (signal,) = corrections([("user", said), ("assistant", "Good point.")])

    assert signal.kind == kind
    assert signal.kind in BY_NAME


def test_the_most_telling_sentence() -> None:
    """Of several sentences one; greetings and sighs are none."""
    said = f"Sorry to interrupt. I'll tell you what it is. {TOLD}. ok."

    (signal,) = corrections([("user", said), ("assistant", "You're right!")])

    assert signal.sentence == TOLD + "."


def test_the_answer_must_follow() -> None:
    """An agent that gives in speaks to the last person who spoke."""
    talk = [("user", TOLD), ("user", "go on"), ("assistant", "You're right.")]

    assert corrections(talk) == []
    assert corrections([("assistant", "You're right.")]) == []
    assert corrections([("user", TOLD)]) == []


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text())))
def test_any_talk_is_fine(talk: list[tuple[str, str]]) -> None:
    """No text breaks it."""
    for signal in corrections([*talk, ("assistant", "You're right.")]):
        assert signal.kind in BY_NAME
