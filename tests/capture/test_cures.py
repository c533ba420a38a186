"""What cured a failure: what happened between the last failure and the first success."""

from __future__ import annotations

import pytest

from recollect.capture.commands import repairing_parts, repairs
from recollect.capture.cures import (
    covers,
    cures_of,
    is_worth_keeping,
    passes_again,
    severity_order,
    solution_of,
    unsolved_of,
)
from recollect.capture.tool_learning import Learning, learn_from
from recollect.core.fields import check_body, check_fields, check_summary
from recollect.core.kinds import kind_named
from tests.capture.tool_outputs import TAUGHT, TRACEBACK, Taught, failed

MISSING = "ModuleNotFoundError: No module named 'tomli'"
RED = "FAILED tests/test_cart.py::test_total - assert 3 == 4"


@pytest.mark.parametrize(
    ("failing", "passing", "expected"),
    [
        ("pytest", "pytest", True),
        ("pytest tests/x", "pytest tests/x -q", True),
        ("pytest -x -q", "cd . && pytest 2>&1 | tail -3", True),
        ("pytest tests/a.py", "python -m pytest", True),
        ("pytest tests/a.py::test_x", "pytest tests/a.py", True),
        ("pytest tests/a.py", "uv run pytest tests", True),
        ("go test ./cart", "go test ./...", True),
        ("pip install httpx", "pip install httpx==0.27.2", True),
        ("pip install httpx", "pip install requests", False),
        ("pytest", "pytest --deselect=tests/a.py::test_x", False),
        ("pytest", "pytest --collect-only", False),
        ("npm run build", "npm run build --help", False),
        ("pytest tests/a.py", "pytest tests/b.py", False),
        ("make lint", "make test", False),
        ("npm run lint", "npm run build", False),
        ("pytest", "cat src/cart.py", False),
        ("pytest", "", False),
    ],
)
def test_what_is_the_same_command(failing: str, passing: str, expected: bool) -> None:
    """The same program and subcommand, for at least what failed."""
    assert passes_again(failed(failing, MISSING), passing, "Bash") is expected


def test_a_pipe_does_not_make_a_failure_pass() -> None:
    """`pytest | tail` always succeeds: its output decides."""
    failure = failed("pytest", RED)
    still = "FAILED tests/test_cart.py::test_total - assert 3 == 5\n1 failed in 0.1s"

    assert not passes_again(failure, "pytest | tail -3", "Bash", still)
    assert passes_again(failure, "pytest | tail -3", "Bash", "3 passed in 0.1s")


def test_a_quote_alone_is_no_target() -> None:
    """It would stand for everything, and then any command solves any failure."""
    assert not covers("ssh shop 'cat '", failed("ssh shop 'service start web'", MISSING))


@pytest.mark.parametrize(
    ("changes", "cures"),
    [
        (["a.py", "b.py"], ["b.py", "a.py"]),
        (["a.py", "b.py", "a.py"], ["a.py", "b.py"]),
        (["a.py", "README.md"], ["a.py"]),
        (["README.md"], ["README.md"]),
        (["a.py", "requirements.txt"], ["requirements.txt", "a.py"]),
        # It names what was missing.
        (["a.py", "$ pip install tomli", "b.py"], ["$ pip install tomli"]),
        (["a.py", "$ uv sync"], ["$ uv sync", "a.py"]),
        (["/etc/hosts", "../x.py"], []),
        ([], []),
    ],
)
def test_the_cures_come_last_first(changes: list[str], cures: list[str]) -> None:
    """A document cures nothing if anything else was done."""
    assert cures_of(failed("make lint", MISSING), changes) == cures


@pytest.mark.parametrize(
    ("cures", "tail"),
    [
        (["pyproject.toml"], "; fixed in pyproject.toml"),
        (["src/a.py", "b.py"], "; fixed in a.py and b.py"),
        (["$ pip install tomli"], "; fixed by `pip install tomli`"),
        (["$ uv sync", "a.py"], "; fixed by `uv sync` and a change in a.py"),
        (["a.py", "$ uv sync"], "; fixed by a change in a.py and `uv sync`"),
    ],
)
def test_the_summary_names_the_cure(cures: list[str], tail: str) -> None:
    """Files, commands, or both, the last first."""
    draft = solution_of(failed("make lint", "error: no x"), command="make lint", cures=cures)

    assert draft["summary"].endswith(tail)


def test_a_failure_and_its_cure_are_one_memory() -> None:
    """The draft tells the problem, at most three steps, and what the tool said."""
    failure = failed("make lint", TRACEBACK + MISSING)
    cures = ["pyproject.toml", "$ uv lock", "a.py", "b.py"]
    draft = solution_of(failure, command="make lint", cures=cures)

    assert draft["kind"] == kind_named("solution").name
    assert draft["observation_type"] == "bugfix"
    assert draft["concepts"] == ["problem-solution"]
    assert draft["files_modified"] == ["pyproject.toml", "a.py", "b.py"]
    steps = "- changed pyproject.toml\n- ran `uv lock`\n- changed a.py\n- and 1 before"
    for told in (MISSING, steps, "Traceback"):
        assert told in draft["body"]


def test_a_way_round_is_named_as_such() -> None:
    """The problem is still there; the option gets round it."""
    failure = failed("npm install", "npm error ERESOLVE unable to resolve dependency tree")
    draft = solution_of(
        failure, command="npm install --legacy-peer-deps", cures=[], way="--legacy-peer-deps"
    )

    assert draft["summary"].endswith("; `--legacy-peer-deps` gets round it")
    assert draft["tags"] == ["workaround"]


@pytest.mark.parametrize("taught", TAUGHT, ids=[taught.command for taught in TAUGHT])
def test_every_draft_is_a_memory_that_can_be_kept(taught: Taught) -> None:
    """No draft is refused, whatever failed and whatever was changed."""
    failure = learn_from("Bash", taught.command, (), taught.output, taught.error)
    assert failure is not None

    solution = solution_of(failure, command=taught.command, cures=["src/a.py", "$ make clean"])
    for draft in (solution, unsolved_of(failure, 3)):
        if draft is not None:
            assert check_summary(draft.pop("summary"))
            assert check_body(draft.pop("body"))
            assert kind_named(draft.pop("kind"))
            assert check_fields(draft)


def test_what_repairs() -> None:
    """Installing does, looking does not."""
    assert repairs("cd web && npm install left-pad")
    assert repairs("chmod +x run.sh")
    assert repairs("cp .env.example .env")
    assert repairs("python -m pip install tomli")
    assert repairs("sudo systemctl restart redis")
    assert repairs("docker compose up -d db")
    assert repairs("rm -rf node_modules")
    assert repairs("git config --global --add safe.directory /srv/shop")
    assert not repairs("git config --get user.name")
    assert not repairs("rm -rf /tmp/scratch")
    assert not repairs("git checkout -b fix/cart")
    assert not repairs("gh pr create --title x")
    assert not repairs("pip install --dry-run tomli")
    assert not repairs("grep -r install .")
    assert not repairs("pytest")
    assert not repairs("git add pyproject.toml")
    assert not repairs("git commit -m 'Add the start of the config'")
    assert not repairs("ssh shop 'cat /etc/config/start'")
    assert not repairs("cat src/config/start.py")
    assert not repairs("")


def test_a_line_may_hold_its_own_cure() -> None:
    """`pip install tomli && make lint`: the first part is the cure of the second."""
    line = "cd web && pip install tomli && make lint"

    assert repairing_parts(line, but="make lint") == ["pip install tomli"]


@pytest.mark.parametrize(
    ("error", "cures", "expected"),
    [
        (MISSING, ["pyproject.toml"], True),
        ("src/cart.ts(3,1): error TS2304: Cannot find name 'x'.", ["src/cart.ts"], False),
        (RED, ["src/cart.py", "$ npm install x"], False),
        ("TypeError: fetch is not a function", ["$ npm install node-fetch"], True),
        ("TypeError: fetch is not a function", [], False),
        ("! [remote rejected] main -> main (pre-receive hook declined)", ["a.py"], True),
    ],
)
def test_what_is_worth_keeping(error: str, cures: list[str], expected: bool) -> None:
    """What is missing from a machine, or was cured outside of the code; git has the rest."""
    assert is_worth_keeping(failed("make check", error), cures) is expected


@pytest.mark.parametrize(
    ("command", "error", "times", "kind"),
    [
        ("pytest", RED, 2, "blockers"),
        ("pytest", RED, 1, None),
        ("pytest", MISSING, 1, "learnings"),
        ("npm install", "npm error ERESOLVE unable to resolve dependency tree", 3, "learnings"),
        ("python run.py", "TypeError: fetch is not a function", 3, None),
    ],
)
def test_what_is_kept_without_a_cure(
    command: str, error: str, times: int, kind: str | None
) -> None:
    """A check that failed repeatedly blocks; a single red test comes and goes."""
    draft = unsolved_of(failed(command, error), times)

    assert (draft and draft["kind"]) == kind
    if draft is not None:
        assert "Not solved yet" in draft["body"]


def test_the_most_severe_comes_first() -> None:
    """A hidden failure before a plain one, a frequent one before a rare one."""
    plain = failed("make", MISSING)
    hidden: Learning = plain._replace(severity="sev-0")

    assert severity_order(hidden, 1) < severity_order(plain, 5) < severity_order(plain, 1)


def test_an_unset_variable_is_kept_with_the_edit_that_cured_it() -> None:
    """It fails again on the next machine; another missing key is about the code."""
    line = "zone = os.environ['TZ']"
    error = f"Exit code 1\nTraceback (most recent call last):\n  {line}\nKeyError: 'TZ'"
    unset = learn_from("Bash", "python3 check.py", (), "", error)
    assert unset is not None
    assert is_worth_keeping(unset, ["tides/render.py"])
    code = learn_from("Bash", "python3 check.py", (), "", "Exit code 1\nKeyError: 'harbour'")
    assert code is None or not is_worth_keeping(code, ["tides/render.py"])
