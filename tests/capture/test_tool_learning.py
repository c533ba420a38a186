"""What a tool event teaches, and that routine teaches nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.commands import (
    files_written,
    is_check,
    main_part,
    only_looks,
    parts_of,
    shown,
    task_of,
)
from recollect.capture.cures import passes_again, solution_of, unsolved_of
from recollect.capture.tool_learning import (
    CATEGORIES,
    EXCERPT_BYTES,
    LASTING,
    SEVERITIES,
    THRESHOLD,
    Learning,
    learn_from,
)
from recollect.capture.workarounds import way_round
from recollect.core.fields import check_body, check_summary
from tests.capture.tool_outputs import ROUTINE, TAUGHT, TRACEBACK, Routine, Taught, failed

RECORDED = Path(__file__).parents[1] / "hosts" / "claude_code" / "recorded"


@pytest.mark.parametrize("taught", TAUGHT, ids=[taught.command for taught in TAUGHT])
def test_what_is_taught(taught: Taught) -> None:
    """Each output gives one learning of its category, in one readable sentence."""
    learning = learn_from("Bash", taught.command, (), taught.output, taught.error)

    assert learning is not None
    assert (learning.category, learning.severity) == (taught.category, taught.severity)
    assert learning.summary == taught.summary
    assert THRESHOLD <= learning.score <= 1
    assert check_summary(learning.summary) == learning.summary
    assert len(learning.excerpt.encode()) <= EXCERPT_BYTES


@pytest.mark.parametrize("routine", ROUTINE, ids=[r.command or r.tool for r in ROUTINE])
def test_routine_teaches_nothing(routine: Routine) -> None:
    """Listings, searches, passing tests, slips and what a person stopped are no learnings."""
    assert learn_from(routine.tool, routine.command, (), routine.output, routine.error) is None


def test_there_is_enough_of_both() -> None:
    """The two lists are long enough to mean something."""
    assert len(TAUGHT) >= 25
    assert len(ROUTINE) >= 25


def test_every_name_is_reached_and_known() -> None:
    """No category and no severity exists in vain."""
    assert {taught.category for taught in TAUGHT} == set(CATEGORIES)
    assert {taught.severity for taught in TAUGHT} == set(SEVERITIES)


@pytest.mark.parametrize("name", ["tool-failure-bash", "tool-failure-read", "tool-post-bash"])
def test_recorded_events_are_routine(name: str) -> None:
    """What the real client sent when it was recorded teaches nothing."""
    event = json.loads((RECORDED / f"{name}.json").read_text("utf-8"))
    response = event.get("tool_response") or {}
    output = response.get("stdout", "")
    command = event["tool_input"].get("command", "")

    assert learn_from(event["tool_name"], command, (), output, event.get("error", "")) is None


def test_the_threshold_is_an_argument() -> None:
    """What is too little by default is enough for whoever wants more."""
    error = (
        "Exit code 4\nERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --x"
    )

    assert learn_from("Bash", "pytest --x", (), "", error) is None
    assert learn_from("Bash", "pytest --x", (), "", error, threshold=0.4) is not None


def test_what_is_missing_counts_more_than_a_failed_test() -> None:
    """A fact about the machine lasts; a red test is part of the work until it is fixed."""
    missing = failed("make lint", "ModuleNotFoundError: No module named 'tomli'")
    red = failed("pytest", "FAILED tests/test_cart.py::test_total - assert 3 == 4")

    assert missing.score >= LASTING > red.score >= THRESHOLD


def test_an_mcp_tool_may_fail_too() -> None:
    """It has no command; its name stands for one."""
    learning = learn_from("mcp__db__query", "", (), "", 'relation "users" does not exist')

    assert learning is not None
    assert learning.summary == '`mcp__db__query` failed: relation "users" does not exist'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a.py:12: error: Bad type  [arg]", "lib/a.py:99: error: Bad type  [arg]"),
        ("Error: listen EADDRINUSE: address already in use :::3000", "Error: listen EADDRINUSE: "
         "address already in use :::8080"),
        ("fatal: unable to read tree 1a2b3c4d5e", "fatal: unable to read tree 99887766aa"),
        ("TimeoutError: no answer after 1.25s", "TimeoutError: no answer after 30s"),
        ("OSError: cannot write /tmp/x/1/log.txt", "OSError: cannot write /var/y/log.txt"),
    ],
)  # fmt: skip
def test_the_same_error_again_has_the_same_fingerprint(one: str, other: str) -> None:
    """Numbers, paths, hashes and times make no new error."""
    assert failed("make", one).fingerprint == failed("make -j4", other).fingerprint


def test_another_error_has_another_fingerprint() -> None:
    """What is different in words is another error."""
    errors = ["No module named 'a'", "No module named 'b'", "Connection refused"]

    assert len({failed("make", f"OSError: {e}").fingerprint for e in errors}) == 3


def test_files_are_those_of_the_project() -> None:
    """The files of the event come first; libraries and absolute paths are left out."""
    error = (
        "src/cart.py:12: error: Bad  [arg]\n.venv/lib/python3.12/site-packages/x.py:1: error: Bad\n"
        "/usr/lib/y.py:3: error: Bad"
    )
    learning = learn_from("Bash", "mypy", ("src/tax.py",), "", error)

    assert learning is not None
    assert learning.files == ("src/tax.py", "src/cart.py")


@pytest.mark.parametrize(
    ("command", "main"),
    [
        ("cd web && npm test 2>&1 | tail -20", "npm test"),
        ("FOO=1 BAR='a b' make lint || true", "make lint"),
        ("git add -A && git commit -m \"$(cat <<'EOF'\nfix: it's\nEOF\n)\"", "git commit"),
        ("# a comment; with a semicolon\ngo build ./...", "go build ./..."),
        ("set -e; pytest -q; echo done", "pytest -q"),
        ("/home/ada/shop/.venv/bin/pytest -q", "pytest -q"),
        ("cat a | grep b", "cat a"),
        ("", ""),
    ],
)
def test_the_main_part_of_a_command(command: str, main: str) -> None:
    """What a person would say was run."""
    assert shown(command).startswith(main)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls; cat a | head", True),
        ("git status && git diff", True),
        ("gh pr view 3", True),
        ("gh pr create", False),
        ("sed -n 1,3p a", True),
        ("sed -i s/a/b/ a", False),
        ("git config --get user.name", True),
        ("git config --global --add safe.directory /srv/shop", False),
        ("cat a | python b.py", True),
        ("python b.py", False),
    ],
)
def test_what_only_looks(command: str, expected: bool) -> None:
    """Commands that show what is there, and those that do something."""
    assert only_looks(command) is expected


ANY_TEXT = st.text() | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape"))
ANY_COMMAND = ANY_TEXT | st.sampled_from([taught.command for taught in TAUGHT])
MIXED = st.lists(
    st.sampled_from([*TRACEBACK.splitlines(), "Error: ", "\x1b[31mfatal: \x1b[0mx", "warning: İ"])
    | ANY_TEXT
).map("\n".join)


@given(ANY_COMMAND, MIXED, MIXED, st.sampled_from(["Bash", "Read", "mcp__x__y", ""]))
def test_any_text_is_fine(command: str, output: str, error: str, tool: str) -> None:
    """Nothing raises, and what is learnt keeps within its bounds."""
    learning = learn_from(tool, command, (), output, error, threshold=0)
    if learning is None:
        return
    encoded = learning.excerpt.encode("utf-8", "surrogatepass")

    assert len(encoded) <= EXCERPT_BYTES
    assert check_summary(learning.summary) == learning.summary
    assert learning.category in CATEGORIES
    assert learning.severity in SEVERITIES
    assert 0 <= learning.score <= 1
    assert Learning(*json.loads(json.dumps(learning))).summary == learning.summary
    draft = solution_of(learning, command=command, cures=["a.py", "$ " + command])
    check_body(draft["body"])
    assert check_summary(draft["summary"])
    unsolved = unsolved_of(learning, 2)
    assert unsolved is None or check_body(unsolved["body"])
    passes_again(learning, command, "Bash", output)
    way_round(output[:400], command)


@given(ANY_TEXT)
def test_any_command_is_fine(command: str) -> None:
    """No command line breaks the reading of it."""
    parts_of(command)
    main_part(command)
    only_looks(command)
    task_of(command)
    is_check(command)
    files_written(command)
    assert len(shown(command)) <= 40


def test_the_exit_code_is_kept() -> None:
    """It is part of what a failure tells."""
    learning = learn_from("Bash", "make", (), "", "Exit code 2\nerror: no space left on device")

    assert learning is not None
    assert learning.exit_code == 2


@pytest.mark.parametrize(
    ("command", "output", "said"),
    [
        ("npm install", "added 3 packages\n\n12 vulnerabilities (8 moderate, 4 high)\n", "4 high"),
        ("git push", "remote: GitHub found 3 vulnerabilities on ada/shop's default branch (1 high, "
         "2 low).", "1 high"),
        ("npm install request", "npm warn deprecated request@2.88.2: request has been deprecated, "
         "see https://github.com/request/request/issues/3142", "request@2.88.2"),
        ("npm install", "npm warn deprecated inflight@1.0.6: This module is not supported", ""),
        ("npm install", "found 0 vulnerabilities", ""),
        ("npm audit", "2 low severity vulnerabilities", ""),
    ],
)  # fmt: skip
def test_warnings_of_package_managers(command: str, output: str, said: str) -> None:
    """Severe vulnerabilities, and packages that were asked for and are deprecated."""
    learning = learn_from("Bash", command, (), output, "")

    assert (learning is not None) is bool(said)
    if learning is not None:
        assert learning.category == "warning"
        assert said in learning.summary


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("echo KEY=1 >> .env", (".env",)),
        ("cat > src/a.py <<'EOF'\nx > y\nEOF", ("src/a.py",)),
        ("cd web && printf x > b.txt", ("b.txt",)),
        ("sed -i 's/a/b/' src/c.py", ("src/c.py",)),
        ("pytest > out.txt 2>&1", ()),
        ("echo x > /dev/null", ()),
        ("ls", ()),
    ],
)
def test_files_that_a_command_writes(command: str, expected: tuple[str, ...]) -> None:
    """What somebody writes by hand; the output of a program is no edit."""
    assert files_written(command) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest -q", True),
        ("npm run build", True),
        ("npm run test:unit", True),
        ("cargo test", True),
        ("kubectl apply -f x.yaml", True),
        ("docker build .", True),
        ("git push", False),
        ("npm install", False),
        ("python manage.py", False),
        ("", False),
    ],
)
def test_what_is_a_check(command: str, expected: bool) -> None:
    """Commands that build, test or deploy."""
    assert is_check(command) is expected
