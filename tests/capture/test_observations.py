"""What is an observation, what is memorable, which milestones are reached."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.checkpoints import checkpoint
from recollect.capture.observations import (
    GATE,
    Observation,
    classify,
    facets,
    first_finding,
    memorability,
    observe,
)
from recollect.core.fields import (
    CONCEPTS,
    OBSERVATION_TYPES,
    TYPE_WEIGHTS,
    check_summary,
)
from recollect.hosts.claude_code import HOST
from recollect.hosts.protocol import AGENT, COMMAND, CREATE, EDIT, FETCH
from tests.capture.tool_outputs import (
    CARGO_TEST_FAILED,
    GO_TEST_FAILED,
    JEST_FAILED,
    MVN_FAILED,
    PYTEST_FAILED,
    PYTEST_PASSED,
    ROUTINE,
    Routine,
)

MADE = "[main 1a2b3c4] {}\n 2 files changed, 12 insertions(+), 3 deletions(-)\n"


def committed(subject: str, body: str = "") -> Observation:
    """What is observed of a commit."""
    message = f"{subject}\n\n{body}\n\nCo-Authored-By: Ada <ada@example.com>"
    command = f"git add -A && git commit -m \"$(cat <<'EOF'\n{message}\nEOF\n)\""
    observation = observe(COMMAND, command, (), ("src/cart.py",), MADE.format(subject))

    assert observation is not None
    return observation


COMMITS = [
    ("fix(cart): read long lines with a buffer, because the scanner stops at 64 KB", "bugfix"),
    ("feat: export invoices as PDF, so that accounting needs no screenshots", "feature"),
    ("refactor: extract the tax table from the cart, which only the cart used", "refactor"),
    ("build: pin node to 20, since 22 breaks the native modules", "change"),
    ("Use SQLite rather than PostgreSQL for the local cache", "decision"),
    ("The cache must be cleared first, because the driver keeps old rows", "discovery"),
    ("Fix crash when the cart is empty and the coupon is old", "bugfix"),
    ("Rename the money type and split it into amount and currency", "refactor"),
]
WITHOUT_REASON = (COMMITS[-2][0], COMMITS[-1][0])


@pytest.mark.parametrize(("subject", "kind"), COMMITS)
def test_a_commit_is_an_observation(subject: str, kind: str) -> None:
    """Its type follows from its words, its title is its subject."""
    observation = committed(subject)

    assert observation.type == kind
    assert observation.title == subject
    assert observation.subtitle == "commit 1a2b3c4 on main"
    assert observation.files_modified == ("src/cart.py",)
    # Whoever reads the log knows what was done; why it was done is worth keeping.
    assert (memorability(observation) >= GATE) is (subject not in WITHOUT_REASON)


def test_a_commit_that_explains_is_more_memorable() -> None:
    """The body of the message counts, its trailers do not."""
    plain = committed("Fix the total of the cart")
    why = committed(
        "Fix the total of the cart",
        "`sum()` starts at 0, an int; adding Decimal to it loses the quantum. Start at Decimal(0)\n"
        "instead, otherwise the tax is rounded twice.",
    )

    assert "Co-Authored-By" not in why.detail
    assert memorability(why) > memorability(plain)
    assert why.importance > plain.importance


def test_the_body_of_a_commit_may_say_why() -> None:
    """What was done is in git; why it was done makes it a discovery or a decision."""
    why = committed(
        "feat: export invoices as PDF",
        "The browser cannot print them because it drops\nthe footer on every second page.",
    )
    chosen = committed("feat: export invoices", "We chose WeasyPrint rather than a browser.")

    assert (why.type, chosen.type) == ("discovery", "decision")
    assert committed("feat: export invoices", "Adds a route and a button.").type == "feature"


@pytest.mark.parametrize(
    ("text", "kind", "concept"),
    [
        ("We decided to use SQLite rather than PostgreSQL.", "decision", "trade-off"),
        ("It turns out that the driver does not support batches.", "discovery", "gotcha"),
        ("Fixed the crash of the empty cart.", "bugfix", "problem-solution"),
    ],
)
def test_said_and_observed_share_one_classifier(text: str, kind: str, concept: str) -> None:
    """Type, concepts and importance of any text."""
    found, concepts, importance = facets(text)

    assert found == kind
    assert concept in concepts
    assert 0 < importance <= 1


def test_the_first_finding_gives_a_reason_if_one_does() -> None:
    """Otherwise it is the first whole sentence about the subject."""
    page = "Here is the answer. The pool has ten connections by default. It is small because of X."

    assert first_finding(page) == "The pool has ten connections by default."
    longer = page + " The limit exists because the server forks one process for each connection."
    assert first_finding(longer).startswith("The limit exists because")
    assert first_finding("Sure!") == ""


NOT_MEMORABLE = [
    (EDIT, "", ("src/cart.py",), "The file src/cart.py has been updated."),
    (CREATE, "", ("src/tax.py",), "File created successfully at: src/tax.py"),
    (EDIT, "", ("pyproject.toml",), "The file pyproject.toml has been updated."),
    (COMMAND, "npm install left-pad", (), "added 1 package in 1s"),
    (COMMAND, "uv add httpx", (), "Resolved 12 packages"),
    (COMMAND, "git mv src/a.py src/b.py", (), ""),
    (COMMAND, "git commit -m 'wip'", (), MADE.format("wip")),
    (COMMAND, "git commit -m 'chore: bump version'", (), MADE.format("chore: bump version")),
    (COMMAND, "git commit -m 'fix typo'", (), MADE.format("fix typo")),
    (COMMAND, "git commit -m 'update readme'", (), MADE.format("update readme")),
    (COMMAND, "git commit -qm 'docs: formatting'", (), ""),
]


@pytest.mark.parametrize(("tool", "command", "modified", "output"), NOT_MEMORABLE)
def test_everyday_work_is_observed_but_not_memorable(
    tool: str, command: str, modified: tuple[str, ...], output: str
) -> None:
    """Git knows it already."""
    observation = observe(tool, command, (), modified, output)

    assert observation is not None
    assert memorability(observation) < GATE


@pytest.mark.parametrize("routine", ROUTINE, ids=[r.command or r.tool for r in ROUTINE])
def test_routine_is_not_memorable(routine: Routine) -> None:
    """Listings, searches and passing tests are no observations worth keeping."""
    observation = observe(HOST.action_of(routine.tool), routine.command, (), (), routine.output)

    assert observation is None or memorability(observation) < GATE


REPORTS = [
    (
        "I looked at the cart.\n\n## Findings\n\nThe total is wrong because `round()` is applied "
        "before the tax is added. Lines 10-20 show it.",
        "discovery",
        "The total is wrong because `round()` is applied before the tax is added.",
    ),
    (
        "Here is what I found:\n- It turns out that the driver does not support batches.\n",
        "discovery",
        "It turns out that the driver does not support batches.",
    ),
    (
        "We decided to keep one table rather than one for each country.",
        "decision",
        "We decided to keep one table rather than one for each country.",
    ),
]


@pytest.mark.parametrize(("report", "kind", "title"), REPORTS)
def test_what_a_subagent_found(report: str, kind: str, title: str) -> None:
    """The first sentence that states something, not the talk around it."""
    observation = observe(AGENT, "", (), (), report)

    assert observation is not None
    assert (observation.type, observation.title) == (kind, title)
    assert memorability(observation) >= GATE


@pytest.mark.parametrize(
    "report",
    [
        "",
        "I have completed the review. Here is a summary of my findings:",
        "Launching skill: reviewer",
        "- Local part must not be empty\n- Domain must not be empty",
        "Is it slow because of the index?",
        "The file has 12 functions and 3 classes.",
    ],
)
def test_talk_is_no_discovery(report: str) -> None:
    """A report that states nothing gives nothing."""
    assert observe(AGENT, "", (), (), report) is None


def test_type_weights_are_those_of_the_types() -> None:
    """Each type has its weight; decisions weigh most."""
    assert set(TYPE_WEIGHTS) == set(OBSERVATION_TYPES)
    assert max(TYPE_WEIGHTS, key=lambda kind: TYPE_WEIGHTS[kind]) == "decision"


TELLING = {
    "how-it-works": "fix: the cart reads its prices from the table that handles coupons",
    "why-it-exists": "feat: lock the cart so that two tabs see one total",
    "what-changed": "feat: export invoices as PDF files",
    "problem-solution": "fix: the total of an empty cart",
    "gotcha": "fix: the driver silently drops rows that are too long",
    "pattern": "refactor: always pass the clock as an argument",
    "trade-off": "Keep one table rather than one for each country, at the cost of an index",
}


@pytest.mark.parametrize("concept", CONCEPTS)
def test_every_concept_is_reached(concept: str) -> None:
    """Each of the seven, and none that is not among them."""
    observation = committed(TELLING[concept])

    assert concept in observation.concepts
    assert set(observation.concepts) <= set(CONCEPTS)


def test_every_type_is_reached() -> None:
    """Each of the six, and none that is not among them."""
    assert {kind for _, kind in COMMITS} == set(OBSERVATION_TYPES)
    assert classify("") in OBSERVATION_TYPES


def test_what_is_known_is_not_memorable() -> None:
    """Word for word known is worth nothing, half known is worth less."""
    text = "The total is wrong because `round()` is applied before the tax is added."
    half = "The total is wrong because `round()` is applied to every line of it."

    assert memorability(text) >= GATE
    assert memorability(text, known=["Something else", text]) == 0
    assert 0 < memorability(text, known=[half]) < memorability(text)


@pytest.mark.parametrize(
    "text", ["", "ok", "total 8\ndrwxr-xr-x 2 ada", "Changed cart.py", "  \n "]
)
def test_texts_without_substance(text: str) -> None:
    """Whatever says nothing stays below the gate."""
    assert memorability(text) < GATE


PASSED = [
    ("pytest -q", PYTEST_PASSED),
    ("pytest 2>&1 | tail -1", "===== 12 passed, 2 skipped, 1 warning in 3.41s ====="),
    ("make test", "uv run pytest\n\x1b[32m12 passed\x1b[0m in 0.12s"),
    ("python -m unittest", "....\n------\nRan 4 tests in 0.001s\n\nOK"),
    ("cargo test", "test a ... ok\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; finished"),
    ("go test ./...", "?   \texample.com/shop\t[no test files]\nok  "
    "\texample.com/shop/cart\t0.003s"),
    ("go test ./cart", "ok  \texample.com/shop/cart\t(cached)"),
    ("npx jest", "PASS src/cart.test.ts\n\nTests:       42 passed, 42 total\nTime: 1.2 s"),
    ("npx vitest run", " ✓ src/cart.test.ts (4)\n\n Test Files  1 passed (1)\n      Tests  "
    "4 passed (4)"),
    ("npm test", "> shop@1.0.0 test\n> mocha\n\n  12 passing (34ms)\n"),
    ("node --test", "# tests 4\n# pass 4\n# fail 0"),
    ("mvn test", "[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS"),
    ("./gradlew test", "> Task :test\n\nBUILD SUCCESSFUL in 3s\n4 actionable tasks"),
    ("bundle exec rspec", "12 examples, 0 failures"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "output"), PASSED)
def test_tests_pass(command: str, output: str) -> None:
    """In the words of each runner."""
    assert checkpoint("Bash", command, output) == "tests pass"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("pytest", PYTEST_FAILED),
        ("pytest", "===== 1 failed, 11 passed in 0.12s ====="),
        ("pytest", "===== 11 passed, 2 errors in 0.12s ====="),
        ("pytest", "no tests ran in 0.01s"),
        ("cargo test", CARGO_TEST_FAILED),
        ("cargo test", "test result: ok. 0 passed; 0 failed; 0 ignored"),
        ("go test ./... | tail", GO_TEST_FAILED),
        ("npx jest", JEST_FAILED),
        ("npx vitest run", "      Tests  1 failed | 3 passed (4)"),
        ("npm test", "  12 passing (34ms)\n  1 failing\n"),
        ("mvn test", MVN_FAILED),
        ("mvn test", "Tests run: 12, Failures: 1, Errors: 0, Skipped: 0"),
        ("./gradlew assemble", "BUILD SUCCESSFUL in 3s"),
        ("cat test.log", "12 passed in 0.12s"),
        ("grep -r passed .", "12 passed in 0.12s"),
        ("git status", "nothing to commit, working tree clean"),
        ("git commit -m x", "On branch main\nnothing to commit, working tree clean"),
        ("git commit -qm x", "nothing to commit, working tree clean"),
        ("git commit -qm x; git log --oneline -1", "1a2b3c4 another one"),
        ("git commit -qm x && git log -1", "On branch main\nnothing to commit, working tree clean"),
        ("git commit -qm x && git log -1", "husky - pre-commit hook exited with code 1"),
        ("git log -1", "[main 1a2b3c4] fix: it"),
        ("", "12 passed in 0.12s"),
    ],
)
def test_no_milestone(command: str, output: str) -> None:
    """Failures, empty runs and somebody else's text are none."""
    assert checkpoint("Bash", command, output) is None


@pytest.mark.parametrize(
    ("command", "output", "subject"),
    [
        ("git commit -m 'fix: it'", MADE.format("fix: it"), "fix: it"),
        ("git commit -am x", "[main (root-commit) 1a2b3c4] x: y", "x: y"),
        ("git commit", "[detached HEAD 1a2b3c4] Add [brackets] to it", "Add [brackets] to it"),
        ("git add . && git commit -F msg && git push", "hook: ok\n" + MADE.format("a"), "a"),
        ("git commit -q -m 'Be quiet'", "", "Be quiet"),
        ("git commit -qm 'Go on' && git log --oneline -1", "1a2b3c4 Go on", "Go on"),
        ('git commit -qm "Say it\'s so"', "", "Say it's so"),
    ],
)
def test_a_commit_was_made(command: str, output: str, subject: str) -> None:
    """Its subject is named."""
    assert checkpoint("Bash", command, output) == f"commit made: {subject}"


ANY_TEXT = st.text() | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape"))
TOOLS = st.sampled_from([COMMAND, AGENT, CREATE, EDIT, FETCH, "Read", ""])
COMMANDS = ANY_TEXT | st.sampled_from(["git commit -m x", "pytest", "npm i x", "git mv a b"])
OUTPUTS = ANY_TEXT | st.builds(lambda text: f"[main 1a2b3c4] {text}", ANY_TEXT)


@given(TOOLS, COMMANDS, OUTPUTS, st.lists(ANY_TEXT, max_size=3))
def test_any_text_is_fine(tool: str, command: str, output: str, files: list[str]) -> None:
    """Nothing raises, and what is observed keeps within its bounds."""
    observation = observe(tool, command, files, files, output)
    checkpoint(tool, command, output)

    assert 0 <= memorability(output, known=[command]) <= 1
    if observation is not None:
        assert check_summary(observation.title) == observation.title
        assert observation.type in OBSERVATION_TYPES
        assert set(observation.concepts) <= set(CONCEPTS)
        assert 0 <= observation.importance <= 1
        assert 0 <= memorability(observation) <= 1
