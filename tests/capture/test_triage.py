"""Triage: a text that reaches each category, one that nearly does, and what must not count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.triage import KIND_OF_CATEGORY, Finding, is_whole, triage
from recollect.core.kinds import BY_NAME, KINDS

# Thresholds that anything reaches.
EVERY = dict.fromkeys(("decision", "runbook", "constraint", "tech_debt", "preference"), 0.0)


def found(text: str, role: str = "user", **options: float) -> list[tuple[str, str]]:
    """Category and snippet of what one message holds."""
    findings = triage([(role, text)], thresholds=options or None)
    return [(finding.category, finding.snippet) for finding in findings]


def scores(text: str, role: str = "user") -> dict[str, float]:
    """How a text scores in each category in which anything counts."""
    return {one.category: one.score for one in triage([(role, text)], thresholds=EVERY)}


REACHING = {
    "DECISION": (
        "We chose PostgreSQL over MySQL because two workers write at once.\n\n"
        "We also went with uv for the environments."
    ),
    "RUNBOOK": (
        "The deploy failed with exit code 137.\nThe root cause was the memory limit of the pod.\n"
        "Later the import crashed twice on the same file.\nIt was resolved with a larger batch.\n"
    ),
    "CONSTRAINT": (
        "The free plan has a rate limit of ten calls a minute.\n"
        "Webhooks are not supported on staging.\n"
        "The worker cannot open ports below 1024."
    ),
    "TECH_DEBT": (
        "The retry loop is a hack for now, it only hides the timeout.\n"
        "The cache without a bound is technical debt because nobody owns it."
    ),
    "PREFERENCE": (
        "From now on every branch is named after its ticket, as we agreed.\n"
        "I prefer small commits, and that is the rule here."
    ),
}
NEARLY = {
    "DECISION": "We chose PostgreSQL over MySQL because two workers write at once.",
    "RUNBOOK": "The deploy failed.\nThe import crashed on Monday.\nThere was an error at noon.\n"
    "The second deploy failed as well.",
    "CONSTRAINT": "Webhooks are not supported on staging.\nThe worker cannot open low ports.",
    "TECH_DEBT": "The retry loop is a hack for now, it only hides the timeout.",
    "PREFERENCE": "From now on every branch is named after its ticket, as we agreed.",
}


def test_the_categories_are_the_kinds_that_agents_draft() -> None:
    """Triage can point to every kind that has defaults for drafts, and to no other."""
    assert sorted(KIND_OF_CATEGORY.values()) == sorted(kind.name for kind in KINDS if kind.drafting)


@pytest.mark.parametrize("category", REACHING)
def test_every_category_can_be_reached(category: str) -> None:
    """By an ordinary text, which gives whole sentences of a kind that exists."""
    findings = triage([("user", REACHING[category])])

    assert {finding.category for finding in findings} == {category}
    for finding in findings:
        assert finding.kind in BY_NAME
        assert finding.snippet[0].isupper()
        assert finding.snippet.endswith(".")


@pytest.mark.parametrize("category", NEARLY)
def test_a_near_miss(category: str) -> None:
    """It scores, but not enough."""
    assert triage([("user", NEARLY[category])]) == []
    assert 0 < scores(NEARLY[category])[category] < 0.45


@pytest.mark.parametrize(
    ("text", "category", "score"),
    [
        ("We chose uv for all of it.", "DECISION", 0.3 / 1.9),
        ("We chose uv because it is fast.", "DECISION", 0.5 / 1.9),
        ("The build failed on main.", "RUNBOOK", 0.2 / 1.8),
        ("The build failed and the fix is known.", "RUNBOOK", 0.6 / 1.8),
        ("Cookies are restricted in this mode.", "CONSTRAINT", 0.3 / 1.9),
        ("It turns out that cookies are restricted.", "CONSTRAINT", 0.5 / 1.9),
        ("This loop is a hack by me.", "TECH_DEBT", 0.3 / 1.9),
        ("This loop is a temporary hack.", "TECH_DEBT", 0.5 / 1.9),
        ("I prefer tabs in makefiles only.", "PREFERENCE", 0.35 / 2.05),
        ("As a rule I prefer tabs.", "PREFERENCE", 0.5 / 2.05),
    ],
)
def test_weights(text: str, category: str, score: float) -> None:
    """One match alone, and one that is backed up."""
    assert scores(text) == {category: pytest.approx(score, abs=1e-4)}


def test_caps() -> None:
    """Three plain matches and two backed ones are all that counts: then it is 1."""
    plain = [f"We chose the colour number {n}." for n in range(9)]
    backed = [f"We chose the shape number {n} because it fits." for n in range(9)]
    far_apart = "\n" * 6

    assert scores("\n".join(plain)) == {"DECISION": pytest.approx(0.9 / 1.9, abs=1e-4)}
    assert scores("\n".join(plain) + far_apart + "\n".join(backed)) == {"DECISION": 1.0}
    assert len(found(far_apart.join(backed[:2] + plain))) == 2


@pytest.mark.parametrize(("lines", "backed"), [(4, True), (5, False)])
def test_the_window(lines: int, backed: bool) -> None:
    """What backs a statement up stands within four lines, before or after it."""
    gap = "\n" * lines
    for text in (
        f"We chose the blue one.{gap}The rationale is in the ticket.",
        f"The rationale is in the ticket.{gap}We chose the blue one.",
    ):
        assert (scores(text)["DECISION"] > 0.2) is backed


def test_one_match_per_line_and_each_statement_once() -> None:
    """Saying it again adds nothing."""
    once = "We decided on blue and we chose red and we picked green."

    assert scores(once) == scores(f"{once}\n{once}\n{once}\n{once}")
    assert scores(once) == {"DECISION": pytest.approx(0.3 / 1.9, abs=1e-4)}


def test_the_window_spans_messages() -> None:
    """One names the failure, the other the fix: together they are worth keeping."""
    findings = triage(
        [
            ("user", "The nightly import crashed again."),
            ("assistant", "The root cause is a locked table."),
            ("user", "\n\n\n\n\nThe deploy failed with exit code 137 today"),
            ("assistant", "The fix is to raise the memory limit of the pod."),
        ]
    )

    assert [finding.snippet for finding in findings] == [
        "The nightly import crashed again. The root cause is a locked table.",
        "The deploy failed with exit code 137 today. The fix is to raise the memory limit of the"
        " pod.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        # questions
        "Have we decided because of the cost?",
        "Why did you choose this, is it not supported here?",
        # denials
        "There are no errors after the fix.",
        "The build ran without any failures today.",
        "Nothing was wrong: 0 errors in the log.",
        "We haven't decided, because it is late.",
        "We have not yet decided because it is late.",
        "It didn't crash on the second machine.",
        # words inside of other words, names and paths
        "The terrorism hackathon has an overrated workflow.",
        "See errors.py and src/error/failed for the crash-reporter.",
        "The prefer-const setting and the standard library are fine.",
        "With the exception of Mondays the todo list is short.",
        "He picked up the phone because it rang.",
        "Improve the error handling in the parser.",
        # code and what others said
        "```\nWe decided on blue because of red.\n```",
        "~~~\nWe decided on blue because of red.\n",
        "The function is called `decided because chose` there.",
        "> We decided on blue because of red.",
        "| decided | chose | because of this |",
        # not whole
        "# We decided on blue because of red",
        "Decided: blue.",
        "Here is what we decided because of red:",
        "We decided on " + "very " * 80 + "blue because of red.",
        "",
    ],
)
def test_what_does_not_count(text: str) -> None:
    """Questions, denials, names, code, quotations and fragments."""
    assert scores(text) == {}


def test_what_the_agent_is_about_to_do() -> None:
    """It is no experience. A person who says it means it."""
    plan = "Let me see why the build failed and what the fix is."

    assert scores(plan, "assistant") == {}
    assert scores(plan, "user")
    assert scores("The build failed.\nLet me find the root cause.", "assistant") == scores(
        "The build failed. "
    )


def test_a_denial_does_not_hide_what_follows() -> None:
    """Two claims can stand in one sentence."""
    assert scores("There were no errors here, but the import failed.")


def test_code_in_a_sentence_stays_in_the_snippet() -> None:
    """It is not searched, but without it the sentence would not be whole."""
    text = "We chose `uv` over `pip because. Or` **twice**, e.g. for speed. We picked tabs."

    assert found(text, decision=0.1) == [
        ("DECISION", "We chose uv over pip because. Or twice, e.g. for speed.")
    ]


def test_lines_that_were_broken_to_fit() -> None:
    """A sentence goes on in the next line, an item does not."""
    wrapped = (
        "After a long discussion with the whole team we decided to keep\n"
        "the old scheduler because it survives restarts. Nobody objected.\n"
    )
    short = "It was Ada and Bob who in the end decided\nto keep it because it works.\n"
    items = "- We decided to keep the scheduler that survives all the restarts\n- Because of tests"

    assert found(wrapped, decision=0.1) == [
        (
            "DECISION",
            "After a long discussion with the whole team we decided to keep the old scheduler"
            " because it survives restarts.",
        )
    ]
    assert found(short, decision=0.1) == [
        ("DECISION", "It was Ada and Bob who in the end decided to keep it because it works.")
    ]
    assert found(items, decision=0.1) == [
        ("DECISION", "We decided to keep the scheduler that survives all the restarts")
    ]


def test_what_backs_it_up_is_shown_where_it_belongs() -> None:
    """A reason from the same paragraph is, one from elsewhere is not."""
    near = "The reason was speed, as always. We chose the blue one for it."
    far = "We chose the blue one for it.\nThe reason was speed, as always."

    assert found(near, decision=0.1) == [("DECISION", near)]
    assert found(far, decision=0.1) == [("DECISION", "We chose the blue one for it.")]


def test_nothing_invisible_in_a_snippet() -> None:
    """Controls, zero widths and other directions go; it is one line."""
    text = "We chose\tthe \u200bblue\u202e one\x1b[31m here \U000e0041now."

    assert found(text, decision=0.1) == [("DECISION", "We chose the blue one[31m here now.")]


def test_no_statement_is_found_twice() -> None:
    """It belongs to the category in which it scores best."""
    text = "The workaround for the crash is a hack for now, because it only hides the error."

    assert [finding.category for finding in triage([("user", text)], thresholds=EVERY)] == [
        "RUNBOOK"
    ]


@pytest.mark.parametrize(
    ("tools", "distinct", "exchanges", "score"),
    [(12, 0, 0, 0.6), (4, 3, 5, 0.6), (0, 0, 30, 0.6), (100, 9, 100, 1.0)],
)
def test_a_summary_is_due(tools: int, distinct: int, exchanges: int, score: float) -> None:
    """By how much was done since the last one, whatever was said."""
    findings = triage([], tools=tools, distinct=distinct, exchanges=exchanges)

    assert findings == [Finding("SESSION_SUMMARY", "sessions", score, "")]
    assert triage([], tools=tools, thresholds={"SESSION_SUMMARY": 1.0}) == (
        findings if tools == 100 else []
    )


def test_no_summary_is_due() -> None:
    """After little, and never after nothing."""
    assert triage([], tools=11, exchanges=2) == []
    assert triage([], thresholds={"session_summary": 0.0}) == []


@pytest.mark.parametrize("asked", [float("nan"), float("inf"), True, "0.1", None])
def test_thresholds_that_are_no_numbers(asked: object) -> None:
    """The usual ones hold."""
    given: dict[str, float] = {"DECISION": asked}  # type: ignore[dict-item]

    assert triage([("user", NEARLY["DECISION"])], thresholds=given) == []
    assert triage([("user", REACHING["DECISION"])], thresholds=given)


def test_thresholds() -> None:
    """In any case of letters, and never outside of what can be reached."""
    assert found(NEARLY["DECISION"], decision=-3) == found(NEARLY["DECISION"], DECISION=0.2)
    assert found(NEARLY["DECISION"], decision=-3)
    assert found(REACHING["DECISION"], Decision=2) == []
    assert triage([], tools=100, thresholds={"SESSION_SUMMARY": 2})


@pytest.mark.parametrize(
    ("category", "snippet", "whole"),
    [
        ("DECISION", "We chose one writer because two would race.", True),
        ("CONSTRAINT", "The platform cannot send more than ten mails a minute.", True),
        ("TECH_DEBT", "The retry is a hack for now, because the queue has no deadline.", True),
        ("DECISION", "It was chosen because two would race.", False),
        ("DECISION", "", False),
        ("RUNBOOK", "The build failed. The fix is a newer linker.", False),
        ("PREFERENCE", "The convention is to always use the shared client.", False),
    ],
)
def test_what_is_whole(category: str, snippet: str, whole: bool) -> None:
    """Only what stands alone is suggested without an agent that looks at it."""
    assert is_whole(Finding(category, "notes", 0.9, snippet)) is whole


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=200)), max_size=5)
)
def test_any_text(messages: list[tuple[str, str]]) -> None:
    """Nothing raises; scores are shares, snippets one line."""
    for finding in triage(messages, thresholds=EVERY):
        assert 0 < finding.score <= 1
        assert finding.snippet == " ".join(finding.snippet.split())
        assert len(finding.snippet) <= 500


WORDS = st.sampled_from(
    (
        *("decided", "failed", "cannot", "TODO", "prefer", "because", "resolved", " the fix "),
        *("`x`", ".", "?", ":", ",", "-", ">", "#", "```", "**", "no", "1.", "e.g.", "let me"),
        *("\n", "\u200b"),
    )
)


@given(st.lists(WORDS, max_size=60))
def test_any_arrangement(words: list[str]) -> None:
    """Each snippet is made of words that stand in the text, and is given once."""
    text = " ".join(words)
    findings = triage([("user", text)], thresholds=EVERY)
    shown = [finding.snippet for finding in findings]

    assert len(set(shown)) == len(shown)
    for snippet in shown:
        assert {word.strip(".") for word in snippet.replace("*", "").split()} <= {
            part.strip(".")
            for word in words
            for part in word.replace("`", "").replace("*", "").split()
        } | {""}
