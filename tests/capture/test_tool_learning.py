"""What a tool event teaches, and that routine teaches nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.commands import main_part, only_looks, parts_of, shown, task_of
from recollect.capture.tool_learning import (
    CATEGORIES,
    EXCERPT_BYTES,
    LASTING,
    SEVERITIES,
    THRESHOLD,
    Learning,
    is_worth_keeping,
    learn_from,
    repairs,
    solution_of,
    solves,
)
from recollect.core.fields import check_body, check_fields, check_summary
from recollect.core.kinds import kind_named
from tests.capture.tool_outputs import ROUTINE, TAUGHT, TRACEBACK, Routine, Taught

RECORDED = Path(__file__).parents[1] / "hosts" / "claude_code" / "recorded"


def failed(command: str, error: str) -> Learning:
    """What a command that failed teaches."""
    learning = learn_from("Bash", command, (), "", "Exit code 1\n" + error)

    assert learning is not None
    return learning


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
    ("failing", "passing", "files", "ran", "expected"),
    [
        ("pytest", "pytest", ["src/cart.py"], [], True),
        ("pytest -x -q", "cd . && pytest 2>&1 | tail -3", ["src/cart.py"], [], True),
        ("pytest tests/a.py", "python -m pytest", ["src/cart.py"], [], True),
        ("pytest tests/a.py::test_x", "pytest tests/a.py", ["src/cart.py"], [], True),
        ("pytest tests/a.py", "uv run pytest tests", ["src/cart.py"], [], True),
        ("go test ./cart", "go test ./...", ["cart/cart.go"], [], True),
        ("make lint", "make lint", [], ["pip install tomli"], True),
        ("pytest tests/a.py", "pytest tests/b.py", ["src/cart.py"], [], False),
        ("pytest", "pytest", [], [], False),
        ("pytest", "pytest", [], ["git log", "ls"], False),
        ("make lint", "make test", ["src/cart.py"], [], False),
        ("npm run lint", "npm run build", ["src/cart.ts"], [], False),
        ("pytest", "cat src/cart.py", ["src/cart.py"], [], False),
        ("pytest", "", ["src/cart.py"], [], False),
    ],
)
def test_what_solves_a_failure(
    failing: str, passing: str, files: list[str], ran: list[str], expected: bool
) -> None:
    """The same thing passes after something was done about it."""
    failure = failed(failing, "ModuleNotFoundError: No module named 'tomli'")

    assert solves(failure, passing, "Bash", files, ran=ran) is expected


def test_a_pipe_does_not_make_a_failure_pass() -> None:
    """`pytest | tail` always succeeds: its output decides."""
    failure = failed("pytest", "FAILED tests/test_cart.py::test_total - assert 3 == 4")
    still = "FAILED tests/test_cart.py::test_total - assert 3 == 5\n1 failed in 0.1s"

    assert not solves(failure, "pytest | tail -3", "Bash", ["src/cart.py"], output=still)
    assert solves(failure, "pytest | tail -3", "Bash", ["src/cart.py"], output="3 passed in 0.1s")


def test_a_failure_and_its_fix_are_one_memory() -> None:
    """The draft tells the problem, what was changed and what the tool said."""
    failure = failed("make lint", TRACEBACK + "ModuleNotFoundError: No module named 'tomli'")
    draft = solution_of(
        failure, command="make lint", changed=["pyproject.toml"], ran=["ls", "uv add tomli"]
    )

    assert draft["kind"] == kind_named("solution").name
    assert draft["summary"] == (
        "`make lint` failed: ModuleNotFoundError: No module named 'tomli'; fixed in pyproject.toml"
    )
    assert draft["observation_type"] == "bugfix"
    assert draft["concepts"] == ["problem-solution"]
    assert draft["files_modified"] == ["pyproject.toml"]
    for told in ("No module named 'tomli'", "pyproject.toml", "`uv add tomli`", "Traceback"):
        assert told in draft["body"]


def test_a_fix_without_a_file_names_the_command() -> None:
    """What was run is the solution where no file was changed."""
    failure = failed("make lint", "ModuleNotFoundError: No module named 'tomli'")
    draft = solution_of(failure, command="make lint", changed=[], ran=["pip install tomli"])

    assert draft["summary"].endswith("; fixed by `pip install tomli`")


@pytest.mark.parametrize("taught", TAUGHT, ids=[taught.command for taught in TAUGHT])
def test_every_solution_is_a_memory_that_can_be_kept(taught: Taught) -> None:
    """No draft is refused, whatever failed and whatever was changed."""
    failure = learn_from("Bash", taught.command, (), taught.output, taught.error)
    assert failure is not None

    draft = solution_of(
        failure,
        command=taught.command,
        changed=["src/a.py", "/abs/b.py", "../c.py", "src/d.py", "src/e.py"],
    )

    assert draft["files_modified"] == ["src/a.py", "src/d.py", "src/e.py"]
    assert check_summary(draft.pop("summary"))
    assert check_body(draft.pop("body"))
    assert kind_named(draft.pop("kind"))
    assert check_fields(draft)


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
        ("cat a | python b.py", True),
        ("python b.py", False),
    ],
)
def test_what_only_looks(command: str, expected: bool) -> None:
    """Commands that show what is there, and those that do something."""
    assert only_looks(command) is expected


def test_what_repairs() -> None:
    """Installing does, looking does not."""
    assert repairs("cd web && npm install left-pad")
    assert repairs("chmod +x run.sh")
    assert repairs("cp .env.example .env")
    assert repairs("python -m pip install tomli")
    assert repairs("sudo systemctl restart redis")
    assert repairs("docker compose up -d db")
    assert not repairs("grep -r install .")
    assert not repairs("pytest")
    assert not repairs("git add pyproject.toml")
    assert not repairs("ssh shop 'cat /etc/config/start'")
    assert not repairs("cat src/config/start.py")
    assert not repairs("")


@pytest.mark.parametrize(
    ("error", "changed", "ran", "expected"),
    [
        ("ModuleNotFoundError: No module named 'tomli'", ["pyproject.toml"], [], True),
        ("src/cart.ts(3,1): error TS2304: Cannot find name 'x'.", ["src/cart.ts"], [], False),
        ("FAILED tests/a.py::test_x - assert 3 == 4", ["src/cart.py"], ["npm install x"], False),
        ("TypeError: fetch is not a function", [], ["npm install node-fetch"], True),
        ("TypeError: fetch is not a function", [], ["ls"], False),
        # Somebody else was faster; that it is not wanted at all is another matter.
        ("! [rejected] main -> main (fetch first)", [], ["git pull --rebase"], False),
        ("! [remote rejected] main -> main (pre-receive hook declined)", ["a.py"], [], True),
    ],
)
def test_what_is_worth_keeping(
    error: str, changed: list[str], ran: list[str], expected: bool
) -> None:
    """What is missing from a machine, or was cured outside of the code; git has the rest."""
    failure = failed("make check", error)

    assert is_worth_keeping(failure, changed=changed, ran=ran) is expected


def test_a_quote_alone_is_no_target() -> None:
    """It would stand for everything, and then any command solves any failure."""
    failure = failed("ssh shop 'service start web'", "bash: web: command not found")

    assert not solves(failure, "ssh shop 'cat '", "Bash", ["a.py"])


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
    check_body(solution_of(learning, command=command, changed=["a.py"])["body"])
    solves(learning, command, "Bash", ["a.py"], output=output)


@given(ANY_TEXT)
def test_any_command_is_fine(command: str) -> None:
    """No command line breaks the reading of it."""
    parts_of(command)
    main_part(command)
    only_looks(command)
    task_of(command)
    assert len(shown(command)) <= 40
