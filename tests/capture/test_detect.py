"""What a conversation says that is worth keeping, as sentences that stand alone."""

from __future__ import annotations

import pytest

from recollect.capture.conversation import MAX_TYPED, Turn, heard, own_words, turns
from recollect.capture.detect import (
    BELOW,
    ECHO,
    NOT_ALONE,
    Skipped,
    detect,
    stands_alone,
)
from recollect.capture.features import AGENT, USER
from recollect.capture.hearsay import is_task
from recollect.capture.noticed_fields import fields_of
from recollect.core.marks import CLOSING, OPENING
from recollect.core.note import SUMMARY_LENGTH

DECISION = "We decided to use uv instead of pip because the lock file is reproducible."
RULE = "Never push directly to main, always open a pull request."


def found(*said: tuple[str, str]) -> list[str]:
    """The sentences that are found in some messages."""
    return [one.sentence for one in detect([Turn(*one) for one in said])]


@pytest.mark.parametrize("text", [DECISION, RULE])
def test_a_plain_statement_is_found(text: str) -> None:
    """As it was said, with its speaker and the features that decided."""
    (one,) = detect([Turn(USER, f"Thanks! {text} Can you run the tests?")])
    assert one.sentence == text
    assert one.speaker == USER
    assert one.why
    assert one.score == pytest.approx(sum(one.by_kind.values()))


@pytest.mark.parametrize(
    "lead",
    ["No, that's wrong: ", "no that’s not right, ", "Wrong: ", "Not quite, ", "You're mistaken: "],
)
def test_a_correction_is_kept_without_the_words_that_correct(lead: str) -> None:
    """What is right stands alone, and what was wrong is not part of it."""
    said = "timestamps in timed.py are UTC seconds, not milliseconds."
    wrong = (AGENT, "I assumed that timestamps are in milliseconds.")

    assert found(wrong, (USER, lead + said)) == [
        "Timestamps in timed.py are UTC seconds, not milliseconds."
    ]


def test_what_the_agent_repeats_is_found_once() -> None:
    """In the words of the person who decided; a reason that the agent adds counts."""
    decided = (
        "Let's go with SHA-512 as the default digest for new tokens, because the audit demands it."
    )
    echo = "OK: we keep SHA-512 as the default digest for new tokens, since SHA-1 stays readable."
    missed: list[Skipped] = []

    both = detect([Turn(USER, decided), Turn(AGENT, echo)], skipped=missed)

    assert [one.sentence for one in both] == [decided]
    assert ECHO in [one.reason for one in missed]
    without_reason = decided.split(", because")[0] + "."
    assert len(found((USER, without_reason), (AGENT, echo))) == 2


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{DECISION}\n```",
        f"> {DECISION}",
        f"{OPENING}\n{DECISION}\n{CLOSING}",
        f"[remember] {DECISION}",
        f"Here is the issue:\n\nTitle\n{DECISION}\nMore text.",
    ],
)
def test_what_nobody_said_is_left_out(text: str) -> None:
    """Code, quotations, injected context, markers and pasted text."""
    assert found((USER, text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "I'll use uv instead of pip because the lock file is reproducible.",
        "Let me decide to use uv instead of pip.",
        "Should we use uv instead of pip because the lock file is reproducible?",
        "I'd use uv instead of pip because the lock file is reproducible.",
        "We could use uv instead of pip because the lock file is reproducible.",
        "I recommend uv instead of pip because the lock file is reproducible.",
    ],
)
def test_plans_and_questions_of_the_agent_are_no_memories(text: str) -> None:
    """What it does next is over soon."""
    assert found((AGENT, text)) == []


@pytest.mark.parametrize(
    "text", ["Always run make lint before committing.", "Never commit to main."]
)
def test_a_short_standing_order_of_a_person_is_found(text: str) -> None:
    """It needs less than other sentences, and less than from an agent."""
    assert found((USER, text)) == [text]
    assert found((AGENT, text)) == []


FAILURE = (
    "The tests failed with ModuleNotFoundError: No module named 'freezegun', because the plain venv"
    " lacks the test dependencies."
)


@pytest.mark.parametrize(
    "cure",
    [
        "Running `uv run --group tests pytest` fixed it: 341 passed.",
        "Running them with `uv run --group tests pytest` fixed it.",
        "With `uv sync --group tests` it works now.",
    ],
)
def test_a_failure_is_kept_with_its_cure(cure: str) -> None:
    """Whether or not the sentence with the cure is worth keeping alone."""
    (one,) = detect([Turn(AGENT, f"{FAILURE} {cure}")])

    assert one.sentence == f"{FAILURE} {cure}"
    assert one.kind == "solutions"


@pytest.mark.parametrize(
    "after", ["I'll fix it next.", "Shall I see what fixed it?", "The port is 80."]
)
def test_what_cures_nothing_is_not_added_to_a_failure(after: str) -> None:
    """A plan, a question, and another subject."""
    assert FAILURE in found((AGENT, f"{FAILURE} {after}"))


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Write the docs paragraph for the limit in docs/url_safe.rst", True),
        ("please add a test for the empty cart", True),
        ("could you rename src/cart.py", True),
        ("Phew, then add the humidity to the message please", True),
        ("Write the tests first, always.", False),
        ("write the commit messages without the jira number", False),
        ("Write tests before code", False),
        ("Use pnpm, not npm", False),
        ("The paragraph is about limits", False),
    ],
)
def test_a_task_for_now(text: str, is_one: bool) -> None:
    """One certain thing to do, and nothing that lasts."""
    assert is_task(text) is is_one


def test_a_correction_says_what_it_is_about() -> None:
    """The agent's last statement is part of it."""
    talk = [
        Turn(AGENT, "I'll install the dependencies with pip."),
        Turn(USER, "No, always use uv instead."),
    ]
    (one,) = detect(talk, threshold=0.05)
    assert one.sentence.startswith("Always use uv instead.")
    assert "pip" in one.sentence


def test_a_correction_is_kept_with_its_right_half() -> None:
    """What only says what is wrong needs the sentence that says what is right."""
    said = (
        Turn(AGENT, "I put the fixtures into the tests folder."),
        Turn(USER, "Not in the tests folder! They belong next to the code, in fixtures.py."),
    )

    kept = [one.sentence for one in detect(said, threshold=0.02) if one.speaker == USER]

    assert kept == ["Not in the tests folder! They belong next to the code, in fixtures.py."]


def test_a_correction_of_nothing_is_skipped() -> None:
    """Nobody knows what it replaces, and the trace says so."""
    skipped: list[Skipped] = []
    assert detect([Turn(USER, "No, always use uv instead.")], threshold=0.05, skipped=skipped) == []
    assert [one.reason for one in skipped] == [NOT_ALONE]


def test_a_sentence_that_points_back_is_joined() -> None:
    """It brings the sentence it points at."""
    text = (
        "The nightly export writes to the shared volume. "
        "That is why we never mount it read-only in staging, because the job fails silently."
    )
    sentences = [one.sentence for one in detect([Turn(USER, text)], threshold=0.1)]
    assert any(one.startswith("The nightly export") and "read-only" in one for one in sentences)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Two sessions write to the same branch.", "Two sessions write to the same branch."),
        ("The cache needs the same.", ""),
        ("The parser has the same problem.", ""),
        ("Issue #4 (Info): The lock is taken twice.", "The lock is taken twice."),
        ("Option 2 needs no lock.", ""),
        (
            "This breaks `load()` if `HOME` is not set.",
            "This breaks `load()` if `HOME` is not set.",
        ),
        ("This breaks the loader if there is no home.", ""),
        (
            "Both Linux and macOS have a limit of files.",
            "Both Linux and macOS have a limit of files.",
        ),
        ("Both have a limit of files.", ""),
    ],
)
def test_what_stands_alone(text: str, expected: str) -> None:
    """What is named is there; what is only pointed at is not."""
    (one,) = heard([Turn(AGENT, text)])
    assert stands_alone(one) == expected


def test_what_we_chose_and_why_needs_less() -> None:
    """Whoever says it."""
    assert found((AGENT, "We decided to deploy on Tuesdays because somebody is around."))
    assert not found((AGENT, "We decided to deploy on Tuesdays."))


@pytest.mark.parametrize(
    "text",
    [
        "can u always use tabs because we decided that",
        "HR asks from which hour we decided to pay overtime",
        "Leiden wants to know how many reads we decided to need at a position",
        "whats the price that we decided on, we always have to say it",
        "Polling every minute always kills the battery, what are the options",
        "imagine we decided to put a code on every bee and always track all of them",
        "If this ever makes a million we rewrite it in Haskell and never look back.",
    ],
)
def test_what_is_asked_is_no_memory(text: str) -> None:
    """Also without a question mark, and in the name of somebody else."""
    assert detect([Turn(USER, text)], threshold=0.01) == []


@pytest.mark.parametrize(
    ("between", "joined"),
    [
        ("\n\n", True),
        (" ", True),
        ("\n\n```\nsome = code\n```\n\n", False),
        ("\n\n| a | b |\n\n", False),
    ],
)
def test_a_paragraph_may_point_to_the_one_before(between: str, joined: bool) -> None:
    """Unless something was left out: then it may mean that."""
    first, second = "The export writes to a shared volume.", "That is why staging needs it too."
    said = list(heard([Turn(AGENT, f"{first}{between}{second}")]))
    assert stands_alone(said[-1]) == (f"{first} {second}" if joined else "")


def test_a_near_miss_leaves_its_score_and_features() -> None:
    """Nothing is hidden by the threshold."""
    skipped: list[Skipped] = []
    talk = [Turn(USER, "The export fails at night because the backup holds a lock on the table.")]
    (one,) = detect(talk, threshold=0.2)
    assert detect(talk, threshold=one.score + 0.01, skipped=skipped) == []
    assert [(s.reason, s.kind, bool(s.why)) for s in skipped] == [(BELOW, one.kind, True)]


def test_the_middle_of_a_long_text_was_pasted() -> None:
    """The first and the last paragraph were typed."""
    pasted = "\n\n".join(["Some words of a document that is long."] * 100)
    text = f"Look at this.\n\n{pasted}\n\n{DECISION}"
    assert len(text) > MAX_TYPED
    assert own_words(Turn(USER, text)).split("\n\n")[0] == "Look at this."
    assert "document" not in own_words(Turn(USER, text))
    assert own_words(Turn(USER, text)).endswith(DECISION)


def test_where_a_sentence_was_said() -> None:
    """Its place, whether it answers, and whether the agent gave in."""
    talk = turns(
        [
            ("assistant", "Which package manager do you use?"),
            ("user", "uv in every project. Not pip."),
            ("assistant", "You're right, I'll use uv."),
        ],
        failed=True,
        passed=False,
    )
    said = [one.said for one in heard(talk)]
    assert [(one.place, one.total) for one in said] == [(0, 1), (0, 2), (1, 2), (0, 1)]
    assert [one.conceded for one in said] == [False, True, True, False]
    assert [one.answers for one in said] == [False, True, True, False]
    (_, answer) = heard(
        turns([("user", "Why is that so?"), ("assistant", "It is uv.")], failed=False, passed=False)
    )
    assert answer.said.answers
    assert all(one.failed for one in said)


def test_a_record_has_a_whole_title_and_what_search_needs() -> None:
    """The main clause is the title of a long sentence; the body is all of it."""
    text = (
        "We decided to keep the session store in Postgres, because Redis lost sessions on every"
        " failover and nobody wants to run a second database for three megabytes of data."
    )
    (one,) = detect([Turn(USER, text)])
    record = fields_of(one.sentence, one.kind, one.score)
    assert record["summary"] == "We decided to keep the session store in Postgres."
    assert len(record["summary"]) <= SUMMARY_LENGTH
    assert record["body"] == text
    assert record["observation_type"] == "decision"
    assert "why-it-exists" in record["concepts"]
    assert record["importance"] > 0.5
    assert "database" in record["tags"]


def test_a_short_sentence_has_no_body() -> None:
    """The title is everything."""
    (one,) = detect([Turn(USER, RULE)])
    assert (
        fields_of(one.sentence, one.kind, one.score)["summary"],
        fields_of(one.sentence, one.kind, one.score)["body"],
    ) == (RULE, "")
