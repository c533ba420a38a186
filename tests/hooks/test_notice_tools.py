"""What tools teach: the real cure, unsolved failures, ways round, warnings, pages, documents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from recollect.api.recollect import Recollect
from recollect.capture import suggestions
from recollect.index.protocol import Filters
from tests.sandbox import Sandbox
from tests.support.agent import Agent

MISSING = "ModuleNotFoundError: No module named 'tomli'\n1 error in 0.10s"
NO_GCC = "error: command 'gcc' failed: No such file or directory"
REFUSED = "error: connection refused by the registry at port 5000"
RED = "FAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed in 0.1s"


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


class Tools:
    """Uses tools in one session."""

    def __init__(self, repo: Path, session: str = "s1") -> None:
        self.repo = repo
        self.agent = Agent(repo, session)

    def fail(self, command: str, error: str) -> None:
        """A command fails."""
        tool_input = {"command": command}
        self.agent.hook(
            "tool-failure", tool_name="Bash", tool_input=tool_input, error=f"Exit code 2\n{error}"
        )

    def run(self, command: str, output: str = "", env: dict[str, str] | None = None) -> None:
        """A command passes."""
        response = {"stdout": output, "stderr": ""}
        tool_input = {"command": command}
        self.agent.hook(
            "tool-post", env, tool_name="Bash", tool_input=tool_input, tool_response=response
        )

    def edit(self, path: str) -> None:
        """A file is changed."""
        tool_input = {"file_path": str(self.repo / path), "old_string": "a", "new_string": "b"}
        self.agent.hook("tool-post", tool_name="Edit", tool_input=tool_input)


@pytest.fixture
def tools(repo: Path) -> Tools:
    """The tools of a session."""
    return Tools(repo)


class Found(NamedTuple):
    """Something that was noticed and nobody has confirmed."""

    draft: Mapping[str, Any]
    confidence: float

    @property
    def text(self) -> str:
        """Its complete text."""
        return f"{self.draft['summary']}\n{self.draft['body']}"


Noticed = Callable[[], list[Found]]


@pytest.fixture
def noticed(store: Recollect) -> Noticed:
    """What was noticed, in the queue or as an unconfirmed memory."""

    def find() -> list[Found]:
        store.refresh()
        waiting = [Found(one.draft, one.confidence) for one in suggestions.suggestions(store)]
        wanted = Filters(statuses=frozenset({"unconfirmed"}))
        found = [memory.as_json() for memory in store.indexing.fresh().select(wanted)]
        return waiting + [Found(fields, float(fields["confidence"])) for fields in found]

    return find


def steps(store: Recollect) -> list[dict[str, Any]]:
    """What `why` shows."""
    return [dict(step) for trace in store.why(50) for step in trace.steps]


def test_an_edit_before_the_last_failure_is_not_the_cure(tools: Tools, noticed: Noticed) -> None:
    """It was tried, and the command failed again."""
    tools.fail("make lint", MISSING)
    tools.edit("src/wrong.py")
    tools.fail("make lint", MISSING)
    tools.edit("pyproject.toml")
    tools.run("make lint", "ok")

    (solution,) = noticed()
    assert "fixed in pyproject.toml" in solution.draft["summary"]
    assert "wrong.py" not in solution.text
    assert solution.draft["files_modified"] == ["pyproject.toml"]


def test_several_changes_are_listed_last_first(tools: Tools, noticed: Noticed) -> None:
    """At most three."""
    tools.fail("make lint", REFUSED)
    for path in ("a.py", "b.py", "c.py", "README.md"):
        tools.edit(path)
    tools.run("docker compose up -d registry")
    tools.run("make lint -j4", "ok")

    (solution,) = noticed()
    assert (
        "- ran `docker compose up -d registry`\n- changed c.py\n- changed b.py\n- and 1 before"
        in solution.text
    )


def test_what_passes_by_itself_has_no_solution(
    tools: Tools, noticed: Noticed, store: Recollect
) -> None:
    """A flaky command teaches no cure, whatever was edited before it failed."""
    tools.edit("a.py")
    tools.fail("make lint", MISSING)
    tools.run("make lint", "ok")

    assert noticed() == []
    assert any("no solution to name" in str(step.get("reason")) for step in steps(store))
    assert store.local.tools.failures(time.time()) == []


def test_failures_of_several_commands_have_their_own_cures(tools: Tools, noticed: Noticed) -> None:
    """Also if they say the same, and if one is solved between two failures of the other."""
    tools.fail("make lint", MISSING)
    tools.fail("npm run deploy", REFUSED)
    tools.edit("pyproject.toml")
    tools.run("make lint", "ok")
    tools.fail("npm run deploy", REFUSED)
    tools.run("sudo systemctl restart registry")
    tools.run("npm run deploy", "ok")

    found = {one.draft["summary"].partition("`")[2].partition("`")[0]: one for one in noticed()}
    assert "fixed in pyproject.toml" in found["make lint"].text
    assert "`sudo systemctl restart registry`" in found["npm run deploy"].text
    assert "pyproject" not in found["npm run deploy"].text


def test_each_message_has_its_own_cure(tools: Tools, noticed: Noticed) -> None:
    """The module was installed before the registry was missed."""
    tools.fail("make lint", "ModuleNotFoundError: No module named 'yaml'")
    tools.run("pip install pyyaml")
    tools.fail("make lint", REFUSED)
    tools.run("docker compose up -d")
    tools.run("make lint", "ok")

    texts = sorted(one.draft["summary"] for one in noticed())
    assert "'yaml'; fixed by `pip install pyyaml`" in texts[0]
    assert "fixed by `docker compose up -d`" in texts[1]


def test_the_cure_may_be_in_the_same_line(tools: Tools, noticed: Noticed) -> None:
    """`pip install tomli && make lint`."""
    tools.edit("a.py")
    tools.fail("make lint", MISSING)
    tools.run("pip install tomli && make lint", "ok")

    (solution,) = noticed()
    assert "fixed by `pip install tomli`" in solution.draft["summary"]


def test_a_file_that_the_shell_wrote_is_a_change(tools: Tools, noticed: Noticed) -> None:
    """Agents edit with the shell, too."""
    tools.fail("make lint", REFUSED)
    tools.run("echo REGISTRY=localhost >> deploy.env")
    tools.run("make lint", "ok")

    (solution,) = noticed()
    assert "fixed in deploy.env" in solution.draft["summary"]


def test_a_failure_behind_a_pipe_waits_for_its_cure(tools: Tools, noticed: Noticed) -> None:
    """`make lint | tail` succeeds; what it prints says that it failed."""
    tools.run("make lint 2>&1 | tail -5", MISSING + "\nmake: *** [lint] Error 1")
    tools.edit("pyproject.toml")
    tools.run("make lint 2>&1 | tail -5", "ok")

    (solution,) = noticed()
    assert "fixed in pyproject.toml" in solution.draft["summary"]
    assert solution.draft["provenance"]["severity"] == "sev-0"


def test_a_later_session_solves_it(repo: Path, noticed: Noticed, store: Recollect) -> None:
    """The first one ended without a cure; what it kept is replaced by the solution."""
    first, second = Tools(repo, "s1"), Tools(repo, "s2")
    first.fail("make lint", MISSING)
    first.fail("make lint", MISSING)
    first.agent.hook("session-end", reason="other")

    (unsolved,) = noticed()
    assert unsolved.draft["kind"] == "blockers"
    assert "Not solved yet; seen 2 times" in unsolved.text

    second.agent.hook("session-start", source="startup")
    second.edit("pyproject.toml")
    second.run("make lint", "ok")

    (solution,) = noticed()
    assert solution.draft["kind"] == "solutions"
    assert "fixed in pyproject.toml" in solution.draft["summary"]
    assert any(step["what"] == "closed" for step in steps(store))


def test_after_a_week_nobody_knows_what_cured_it(repo: Path, store: Recollect) -> None:
    """Too much happened in between."""
    log, now = store.local.tools, time.time()
    store.local.make_folder()
    log.record_failure("s1", "make lint", "f", "{}", now - 8 * 86_400)

    assert log.failures(now) == []


def test_an_unsolved_failure_of_a_killed_session_is_kept_at_the_next_start(
    repo: Path, noticed: Noticed, store: Recollect
) -> None:
    """The killed one had no end; it is silent for long enough."""
    Tools(repo, "s1").fail("make lint", MISSING)
    Agent(repo, "s2").hook("session-start", source="startup")
    assert noticed() == []  # it may still be running

    db = store.local._opened()
    db.execute("UPDATE failure SET at = at - 3600")
    Agent(repo, "s3").hook("session-start", source="startup")

    (unsolved,) = noticed()
    assert unsolved.draft["kind"] == "learnings"
    assert unsolved.draft["session"] == "s1"


def test_few_unsolved_failures_of_a_session_are_kept(
    tools: Tools, noticed: Noticed, store: Recollect
) -> None:
    """The most severe ones; a red test that failed once is none."""
    tools.fail("bin/import orders", "error: certificate of the bank has expired")
    tools.fail("psql shop", "psql: FATAL: role ada does not exist")
    tools.fail("redis-cli ping", "Could not connect to Redis at 127.0.0.1:6379")
    tools.fail("terraform init", "Error: environment variable AWS_PROFILE is empty")
    tools.fail("cmake .", "CMake Error: linker lld not found")
    tools.fail("pytest", RED)
    tools.agent.hook("session-end", reason="other")

    assert len(noticed()) == 3
    reasons = [str(step.get("reason")) for step in steps(store)]
    assert reasons.count("more than 3 failures in one session") == 2
    assert "it was about the code being changed" in reasons


def test_severity_category_and_exit_code_are_kept(tools: Tools, noticed: Noticed) -> None:
    """In the provenance, where `show --json` shows them."""
    tools.fail("make lint", MISSING)
    tools.run("pip install tomli")
    tools.run("make lint", "ok")

    said = noticed()[0].draft["provenance"]
    assert (said["severity"], said["category"], said["exit_code"]) == ("sev-1", "error", 2)


def test_a_way_round_is_kept_if_the_plain_command_failed(
    tools: Tools, noticed: Noticed, store: Recollect
) -> None:
    """An option that nobody needed is none."""
    tools.run("npm ci --legacy-peer-deps", "added 3 packages")
    assert noticed() == []
    assert any(step.get("reason") == "nothing failed before it" for step in steps(store))

    tools.fail("npm install", "npm error ERESOLVE unable to resolve dependency tree")
    tools.run("npm install --legacy-peer-deps", "added 3 packages")

    (found,) = noticed()
    assert "`--legacy-peer-deps` gets round it" in found.draft["summary"]
    assert found.draft["provenance"]["category"] == "workaround"


@pytest.mark.parametrize(
    ("failed", "error", "passed", "told"),
    [
        ("sh nightly.sh", "no grid at cdn", "PROJ_NETWORK=OFF sh nightly.sh", "PROJ_NETWORK=OFF"),
        ("python3 sim.py", "cannot open c.csv", "python3 curve.py && python3 sim.py", "curve.py"),
        ("python3 report.py", "usage: report.py MONTH", "python3 report.py 2026-10", "2026-10"),
    ],
)
def test_what_plainly_helped_is_noticed_although_the_failure_says_little(
    tools: Tools, noticed: Noticed, failed: str, error: str, passed: str, told: str
) -> None:
    """A variable, a command that ran first, an argument that was asked for."""
    tools.fail(failed, error)
    assert noticed() == []

    tools.run(passed, "ok")

    (found,) = noticed()
    assert told in found.draft["summary"]


@pytest.mark.parametrize("passed", ["python3 sim.py", "python3 sim.py --verbose"])
def test_a_failure_that_says_little_and_passes_by_itself_is_nothing(
    tools: Tools, noticed: Noticed, passed: str
) -> None:
    """Nor is one that an edit made pass: git has that. It is no open problem, either."""
    tools.fail("python3 sim.py", "cannot open c.csv")
    tools.run(passed, "ok")
    assert noticed() == []


def test_a_warning_is_noticed_once(tools: Tools, noticed: Noticed, store: Recollect) -> None:
    """Whatever its numbers are the next time."""
    said = "src/a.py:{}: DeprecationWarning: datetime.utcnow() is deprecated and will be removed"
    tools.run("make check", said.format(3))
    tools.run("make check", said.format(9))

    (found,) = noticed()
    assert "utcnow" in found.draft["summary"]
    assert any("noticed before" in str(step.get("reason")) for step in steps(store))


def test_the_threshold_is_a_setting(tools: Tools, noticed: Noticed, store: Recollect) -> None:
    """What is below it leaves a line with its score."""
    said = "src/a.py:3: DeprecationWarning: datetime.utcnow() is deprecated and will be removed"
    tools.run("make check", said, env={"RECOLLECT_CAPTURE_THRESHOLD": "0.8"})

    assert noticed() == []
    assert any(
        step.get("reason") == "below capture.threshold" and "score 0.70" in step["why"]
        for step in steps(store)
    )


@pytest.mark.parametrize(
    ("tool", "asked", "error", "reason", "score"),
    [
        ("Bash", {"command": "pip install x"}, f"Exit code 1\n{NO_GCC}", "below", "0.40"),
        ("Bash", {"command": "cat a"}, "Exit code 1\nError: file not found", "below", "0.00"),
        ("Bash", {"command": "false"}, "Exit code 1", "names no error", "0.00"),
        ("Bash", {"command": "make"}, "Exit code 130\nerror: 2", "stopped it", None),
        ("Read", {"file_path": "a"}, "File does not exist.", "tool of the client", None),
        ("Edit", {"file_path": "a"}, "String to replace not found", "tool of the client", None),
        ("WebFetch", {"url": "https://a.example"}, "403 Forbidden", "tool of the client", None),
    ],
)
def test_a_failure_that_is_not_stored_leaves_its_reason(
    tools: Tools, store: Recollect, tool: str, asked: Any, error: str, reason: str, score: str
) -> None:
    """One line in `why`, with the score if there is one, whatever failed."""
    tools.agent.hook("tool-failure", tool_name=tool, tool_input=asked, error=error)

    what = ("skipped", "stored a failure until it is solved")
    (step,) = [step for step in steps(store) if step["what"] in what]
    assert reason in step["reason"]
    assert score is None or f"score {score}" in step["why"]


def test_the_observed_tools_are_a_setting(tools: Tools, noticed: Noticed, store: Recollect) -> None:
    """A tool that is not named teaches nothing, and `why` says so."""
    said = "src/a.py:3: DeprecationWarning: datetime.utcnow() is deprecated and will be removed"
    tools.run("make check", said, env={"RECOLLECT_CAPTURE_TOOLS": "Edit, WebFetch"})
    assert noticed() == []
    assert any("capture.tools" in str(step.get("reason")) for step in steps(store))

    tools.run("make check", said, env={"RECOLLECT_CAPTURE_TOOLS": "edit, bash"})
    assert len(noticed()) == 1


def test_a_page_is_research(tools: Tools, noticed: Noticed) -> None:
    """The address, the question and the first finding, with low confidence."""
    tools.agent.hook(
        "tool-post",
        tool_name="WebFetch",
        tool_input={"url": "https://docs.example/pool?token=x", "prompt": "How large is the pool?"},
        tool_response={
            "result": "Based on the page:\n\nThe pool has at most ten connections, because "
            "`max_connections` of the server defaults to 100 and is shared."
        },
    )

    (found,) = noticed()
    assert found.draft["kind"] == "research"
    assert found.draft["summary"].startswith("The pool has at most ten connections")
    assert "Asked: How large is the pool?" in found.text
    assert "Source: https://docs.example/pool" in found.text
    assert "token" not in found.text
    assert found.confidence <= 0.5


def test_a_written_decision_is_noticed(
    tools: Tools, noticed: Noticed, repo: Path, store: Recollect
) -> None:
    """A new decision record: its title, its decision and its file."""
    text = (
        "# 7. Keep prices in integer cents\n\nStatus: accepted\n\n## Decision\n\n"
        "Prices are integers in cents, because floats lost a cent in March.\n"
    )
    path = repo / "docs" / "adr" / "0007-cents.md"
    tools.agent.hook(
        "tool-post",
        tool_name="Write",
        tool_input={"file_path": str(path), "content": text},
        tool_response={"type": "create", "filePath": str(path), "originalFile": None},
    )

    (found,) = noticed()
    assert found.draft["kind"] == "decisions"
    assert found.draft["summary"] == "Keep prices in integer cents"
    assert "floats lost a cent" in found.text
    assert found.draft["files_modified"] == ["docs/adr/0007-cents.md"]


def test_the_report_of_a_subagent_is_searched_once(
    tools: Tools, noticed: Noticed, store: Recollect
) -> None:
    """Its end and the result of its tool hold the same text."""
    said = "We decided to use PostgreSQL instead of SQLite because two workers write at once."
    tools.agent.hook(
        "subagent-stop", agent_id="a1", agent_type="Explore", last_assistant_message=said
    )
    tools.agent.hook(
        "tool-post",
        tool_name="Agent",
        tool_input={"description": "Look", "prompt": "Look"},
        tool_response={"status": "completed", "content": [{"type": "text", "text": said}]},
    )

    (found,) = noticed()
    assert "PostgreSQL" in found.text
    assert any("noticed before" in str(step.get("reason")) for step in steps(store))


def test_the_reason_in_a_commit_is_noticed(tools: Tools, noticed: Noticed) -> None:
    """With the files that were changed since the last commit."""
    tools.edit("a.py")
    message = (
        "feat: export invoices\n\n"
        "We chose WeasyPrint rather than a browser, because a browser drops the footer."
    )
    for path, said in (("b.py", "wip"), ("c.py", message)):
        made = f"[main 1a2b3c4] {said.partition(chr(10))[0]}\n 1 file changed"
        tools.edit(path)
        tools.run(f"git commit -m '{said}'", made)

    (found,) = noticed()
    assert found.draft["kind"] == "decisions"
    assert found.draft["files_modified"] == ["c.py"]


def test_no_secret_of_a_tool_reaches_a_file(
    tools: Tools, repo: Path, store: Recollect, sandbox: Sandbox
) -> None:
    """In commands, changes, pages, documents and unsolved failures."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    tools.fail(f"TOKEN={secret} make deploy", f"error: certificate of {secret} is not trusted")
    tools.run(f"export TOKEN={secret}")
    tools.run(f"TOKEN={secret} make deploy", "ok")
    tools.fail(f"deploy {secret}", f"error: certificate of {secret} is not trusted")
    tools.agent.hook(
        "tool-post",
        tool_name="WebFetch",
        tool_input={"url": f"https://x.example/{secret}", "prompt": f"What is {secret}?"},
        tool_response={"result": f"The token {secret} is used because nobody revoked it in time."},
    )
    tools.agent.hook(
        "tool-post",
        tool_name="Write",
        tool_input={
            "file_path": str(repo / "docs/adr/1-x.md"),
            "content": f"# Use the token\n\nWe use {secret} because it is there.",
        },
    )
    tools.agent.hook("session-end", reason="other")

    store.close()
    everything = b"".join(p.read_bytes() for p in repo.rglob("*") if p.is_file())
    assert secret.encode() not in everything + sandbox.all_bytes(repo)


def test_show_prints_severity_category_and_exit_code(
    tools: Tools, noticed: Noticed, store: Recollect
) -> None:
    """After a person accepted it."""
    tools.fail("make lint", MISSING)
    tools.run("pip install tomli")
    tools.run("make lint", "ok")
    waiting = noticed()[0]

    memory = store.capture(
        "solutions", waiting.draft["summary"], provenance=waiting.draft["provenance"]
    )
    said = json.loads(json.dumps(memory.as_json()))["provenance"]
    assert said["exit_code"] == 2


@pytest.mark.parametrize(
    ("tool", "given", "unneeded"),
    [
        ("Read", {"file_path": "a.py"}, ("capture.tool_learning", "state.tool_log")),
        ("Edit", {"file_path": "a.py"}, ("capture.tool_learning", "capture.observations")),
        ("Bash", {"command": "make"}, ("capture.cures", "capture.observations")),
    ],
)
def test_what_teaches_nothing_loads_little(
    repo: Path, store: Recollect, tool: str, given: dict[str, str], unneeded: tuple[str, ...]
) -> None:
    """Tools are used often, and most events teach nothing."""
    Agent(repo).hook("session-start", source="startup")
    event = {"session_id": "s1", "cwd": str(repo), "tool_name": tool, "tool_input": given}
    said = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "recollect", "hook", "tool-post"],
        input=json.dumps({**event, "tool_response": {"stdout": "ok"}}),
        cwd=repo,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "RECOLLECT_HOOK_DEADLINE": "30000"},
    ).stderr

    assert "recollect.hooks.notice_tools" in said
    for name in unneeded:
        assert f" recollect.{name}\n" not in said
