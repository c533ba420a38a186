"""One gate: a secret is written nowhere, whatever door it comes through and wherever it stands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from recollect.api.review import accept
from recollect.capture.suggestions import suggest, suggestions
from recollect.config.config import data_dir
from recollect.engine.server import Engine
from recollect.errors import RecollectError
from recollect.importing.claude_memory import import_folder
from recollect.mcp.tools import call
from recollect.mirror.mirror import Mirror
from recollect.redact.redactor import Redactor
from recollect.typed import drafts
from recollect.typed import write as typed
from tests.redact.labelled import Draw, tokens
from tests.sandbox import Sandbox
from tests.support.claude_memory import DECISION_CONTENT, document

TOKENS = sorted(tokens(Draw(14)))
# The whole matrix goes with tokens of three shapes: lower case survives as a tag, upper case and
# dots do not.
SECRET = "gh" + "p_" + Draw(1)(36)
CASED = "AK" + "IA" + Draw(2)(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
DOTTED = "hv" + "s." + Draw(3)(40)
SHAPES = (SECRET, CASED, DOTTED)


@pytest.fixture(autouse=True)
def redacting(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is installed: secrets are taken out."""
    monkeypatch.delenv("RECOLLECT_REDACT_STRATEGY", raising=False)


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a commit."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    return path


def traces(sandbox: Sandbox, repo: Path, secret: str) -> list[str]:
    """Where a secret, or a large part of it, is on the disk: in any object, file, or file name."""
    found = []
    needle = secret[: max(16, len(secret) // 2)].lower().encode()
    ours = sandbox.git(repo, "for-each-ref", "--format=%(refname)", "refs/notes", "refs/mem")
    for ref in ours.split():
        names = sandbox.git(repo, "rev-list", "--objects", "--no-object-names", ref)
        held = sandbox.run(repo, "cat-file", "--buffer", "--batch", stdin=names.encode()).stdout
        if needle in held.lower():
            found.append(ref)
    for folder in (repo / ".git" / "recollect", data_dir(os.environ)):
        for path in folder.rglob("*"):
            if needle in str(path.relative_to(folder)).lower().encode():
                found.append(f"the name {path}")
            if path.is_file() and needle in path.read_bytes().lower():
                found.append(str(path))
    return found


def cli(repo: Path, *arguments: str, stdin: str = "", **env: str) -> str:
    """Run the command line; all that it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "recollect", *arguments],
        cwd=repo,
        input=stdin.encode(),
        capture_output=True,
        env={**os.environ, **env},
        timeout=60,
    )
    return (done.stdout + done.stderr).decode()


def hook(repo: Path, event: str, **fields: Any) -> str:
    """Call a hook as an agent does."""
    payload = {"hook_event_name": event, "cwd": str(repo), "session_id": "s1", **fields}
    env = {"RECOLLECT_HOOK_DEADLINE": "30000", "RECOLLECT_HOOK_SESSION_DEADLINE": "30000"}
    return cli(repo, "hook", event, stdin=json.dumps(payload), **env)


# Every position of a memory, through the Python object

POSITIONS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "summary": lambda s: {"summary": f"Deploys use {s} at night"},
    "body": lambda s: {"body": f"The job runs with {s}."},
    "tags": lambda s: {"tags": ["deploy", s]},
    "spec": lambda s: {"spec": s},
    "phase": lambda s: {"phase": s},
    "files_modified": lambda s: {"files_modified": [f"deploy/{s}.txt"]},
    "files_read": lambda s: {"files_read": [f"{s}/a.txt"]},
    "session": lambda s: {"session": s},
    "branch": lambda s: {"branch": f"feat/{s}"},
    "provenance value": lambda s: {"provenance": {"said_by": "user", "via": s}},
    "provenance key": lambda s: {"provenance": {"said_by": "user", s: 1}},
    "deep key": lambda s: {"provenance": {"a": [{"b": {s: {s: s}}}]}},
}


@pytest.mark.parametrize("secret", SHAPES)
@pytest.mark.parametrize("position", POSITIONS)
def test_no_position_of_a_memory_keeps_a_secret(
    sandbox: Sandbox, repo: Path, position: str, secret: str
) -> None:
    """Captured and changed; the index and the record of the search are files, too."""
    store = sandbox.open(repo)
    given = {"kind": "notes", "summary": "Deploys run at night", **POSITIONS[position](secret)}
    (memory,) = store.capture_many([given])
    plain = store.capture("notes", "Another one that is changed")
    changes = POSITIONS[position](secret)
    store.update(plain.uid, **changes)
    store.search("deploys at night")
    store.close()

    assert traces(sandbox, repo, secret) == []
    assert secret.lower() not in json.dumps(memory.as_json()).lower()


def test_a_key_names_what_its_value_is(sandbox: Sandbox, repo: Path) -> None:
    """A password that only the name of its field gives away is found, too."""
    store = sandbox.open(repo)
    word = "hunter2-" + "Blue!"
    given = {"said_by": "user", "db_password": word, "token_count": "12", "token": "of trust"}
    memory = store.capture("notes", "Something", provenance=given)
    store.close()

    assert traces(sandbox, repo, word) == []
    assert memory.provenance["token_count"] == "12"
    assert memory.provenance["token"] == "of trust"


def test_two_secret_keys_stay_two(sandbox: Sandbox, repo: Path) -> None:
    """Nothing beside the secrets is lost."""
    other = "gh" + "p_" + Draw(9)(36)
    memory = sandbox.open(repo).capture("notes", "One", provenance={SECRET: "a", other: "b"})
    assert sorted(memory.provenance.values()) == ["a", "b"]


@pytest.mark.parametrize("secret", SHAPES)
def test_reasons(sandbox: Sandbox, repo: Path, secret: str) -> None:
    """Why a memory was resolved is text as well."""
    store = sandbox.open(repo)
    memory = store.capture("notes", "To be resolved")
    store.set_status(memory.uid, "resolved", f"rotated {secret} since")
    store.close()
    assert traces(sandbox, repo, secret) == []


@pytest.mark.parametrize("name", [name for name, _ in TOKENS])
def test_no_branch_gives_its_secret_to_a_memory(name: str) -> None:
    """The name of every token, in the name of a branch."""
    for kind, value in TOKENS:
        if kind == name:
            assert value not in Redactor().redact(f"fix/{value}").text
            assert value not in Redactor().redact(f"fix-{value}/more").text


@pytest.mark.parametrize("way", ["capture", "prompt", "suggestion"])
def test_a_branch_with_a_secret(sandbox: Sandbox, repo: Path, way: str) -> None:
    """A branch is named by anybody; what is written on it does not hold its secret."""
    sandbox.git(repo, "checkout", "--quiet", "-b", f"fix/{SECRET}")
    store = sandbox.open(repo)
    if way == "capture":
        store.capture("notes", "On a branch")
    elif way == "prompt":
        hook(repo, "prompt", prompt="[remember] The staging database is reset every night.")
    else:
        suggest(store, {"kind": "notes", "summary": "On it"}, confidence=0.9, why="test")
        accept(store, suggestions(store))
    memories = store.memories()
    store.close()
    assert [m.branch and "REDACTED" in m.branch for m in memories] == [True]
    assert traces(sandbox, repo, SECRET) == []


# The doors


@pytest.mark.parametrize("secret", SHAPES)
def test_the_command_line(sandbox: Sandbox, repo: Path, secret: str) -> None:
    """Captures, edits, reasons, typed writes and drafts, taken and refused."""
    said = cli(repo, "capture", "notes", f"Uses {secret}", "-m", secret, "--tag", secret)
    said += cli(repo, "capture", "notes", "Plain words here")
    said += cli(repo, "edit", "notes", "--summary", secret)
    typed_one = {"title": "Use it", "content": {**DECISION_CONTENT, secret: 1}, "tags": [secret]}
    said += cli(
        repo, "write", "create", "--kind", "decision", "--input", "-", stdin=json.dumps(typed_one)
    )
    wanted = [
        {"action": "create", "kind": secret, "title": "A"},
        {"action": secret, "kind": "decision"},
        {"action": "update", "id": secret, "if_version": secret},
        {"action": "create", "kind": "decision", "title": "T", "content": {secret: secret}},
        {"action": "create", "kind": "decision", "title": secret, secret: secret},
    ]
    said += cli(repo, "write", "drafts", "--input", "-", stdin=json.dumps(wanted))
    said += cli(repo, "write", "drafts", "--json", "--input", "-", stdin=json.dumps(wanted))
    said += cli(repo, "show", secret) + cli(repo, "list", "--kind", secret)
    said += cli(repo, "list") + cli(repo, "log") + cli(repo, "list", "--json")

    assert secret not in said
    assert traces(sandbox, repo, secret) == []


def calls_with(secret: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of the tools that write, with a secret in each place."""
    yield "store_memory", {"kind": "notes", "summary": f"It uses {secret}", "body": secret}
    yield "store_memory", {"kind": "notes", "summary": "Tagged", "tags": [secret]}
    yield "store_memory", {"kind": "notes", "summary": "Filed", "files_modified": [f"a/{secret}"]}
    yield "store_memory", {"kind": secret, "summary": "Refused"}
    yield "store_fact", {"subject": secret, "predicate": "is", "object": "a token"}
    yield "store_fact", {"subject": "the token", "predicate": secret, "object": secret}
    yield "write_memory", {"document": {"title": "T", secret: 1}, "kind": "decision"}
    yield (
        "write_memory",
        {
            "kind": "decision",
            "document": {"title": "T", "content": {**DECISION_CONTENT, secret: 1}},
        },
    )
    yield (
        "write_memory",
        {
            "kind": "decision",
            "document": {
                "title": "Typed",
                "tags": [secret],
                "content": {**DECISION_CONTENT, "context": f"with {secret}"},
                "related_files": [f"x/{secret}"],
            },
        },
    )
    yield "delete_memory", {"id": secret, "reason": secret}
    yield "update_memory", {"id": secret, "if_version": secret, "summary": secret}
    yield secret, {}


@pytest.mark.parametrize("secret", SHAPES)
def test_the_tools(sandbox: Sandbox, repo: Path, secret: str) -> None:
    """What an agent sends through MCP is neither stored nor sent back."""
    engine = Engine(repo, dict(os.environ))
    said = [call(engine, tool, arguments).text for tool, arguments in calls_with(secret)]
    found = json.loads(call(engine, "list_memories", {}).text)["memories"]
    for one in found:
        given = {"id": one["id"], "if_version": one["version"], "tags": [secret]}
        said.append(call(engine, "update_memory", given).text)
        said.append(call(engine, "set_status", {**given, "status": "resolved"}).text)
    engine.stop()

    assert len(found) >= 3
    assert not [text for text in said if secret in text]
    assert traces(sandbox, repo, secret) == []


@pytest.mark.parametrize("secret", SHAPES)
def test_the_hooks(sandbox: Sandbox, repo: Path, secret: str) -> None:
    """Prompts, tools, failures, stops; as a session, an agent, a path, a command, an output."""
    told: dict[str, Any] = {"session_id": secret, "agent_id": secret}
    said = hook(repo, "session-start", source="startup", **told)
    said += hook(repo, "prompt", prompt=f"[remember] The deploy key is {secret}.", **told)
    said += hook(repo, "prompt", prompt=f"[remember:{secret}] Kept as a note.", **told)
    said += hook(repo, "prompt", prompt=f"We decided to use {secret} because it works.", **told)
    for event, more in (
        ("tool-post", {"tool_response": {"stdout": f"error: {secret} failed", "stderr": secret}}),
        ("tool-failure", {"error": f"Exit code 1\nFAILED {secret}: no such token"}),
    ):
        tool = {"tool_name": "Bash", "tool_input": {"command": f"deploy {secret}"}}
        said += hook(repo, event, **told, **tool, **more)
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(repo / f"{secret}.py")}}
    said += hook(repo, "tool-post", **told, **edit, tool_response={})
    said += hook(repo, "stop", last_assistant_message=f"I decided on {secret}.", **told)
    said += hook(repo, "session-end", reason=secret, **told)
    said += hook(repo, "session-start", source="startup", session_id="s2")

    assert secret not in said
    assert traces(sandbox, repo, secret) == []


def with_secret(secret: str) -> Iterator[str]:
    """Documents of the plugin with a secret in each place."""
    yield document(tags=["a", secret])
    yield document(tags=[secret] * 3 + [f"{secret}-{n}" for n in range(30)])
    yield document(**{secret: "top"})
    yield document(extra={secret: {secret: [secret]}})
    yield document(content={**DECISION_CONTENT, secret: "x"})
    yield document(content={**DECISION_CONTENT, "context": secret})
    yield document(title=f"Use {secret}")
    yield document(related_files=[f"src/{secret}.py", f"/etc/{secret}"])
    yield document(changes=[{secret: "a", "summary": secret}])
    yield document(
        record_status="retired", retired_at="2026-02-03T10:00:00Z", retired_reason=f"{secret} went"
    )
    yield document(id=secret.lower().replace("_", "-").replace(".", "-"))


@pytest.mark.parametrize("secret", SHAPES)
def test_the_import(sandbox: Sandbox, repo: Path, secret: str) -> None:
    """Names of files and fields, tags, keys of JSON, log entries, reasons."""
    store = sandbox.open(repo)
    folder = sandbox.root / "store"
    (folder / "decisions").mkdir(parents=True)
    for number, text in enumerate(with_secret(secret)):
        (folder / "decisions" / f"one-{number}.json").write_text(text)
    (folder / "decisions" / f"{secret}.json").write_text(document(id=secret))
    outcomes = import_folder(store, folder)
    store.close()

    assert {outcome.result for outcome in outcomes} == {"created"}
    assert traces(sandbox, repo, secret) == []


@pytest.mark.parametrize(("kind", "value"), TOKENS, ids=[name for name, _ in TOKENS])
def test_tags_and_keys_of_every_token(sandbox: Sandbox, repo: Path, kind: str, value: str) -> None:
    """Each token as a tag and as a key, in an import: 92 of 92 came through."""
    store = sandbox.open(repo)
    folder = sandbox.root / "store"
    (folder / "decisions").mkdir(parents=True)
    (folder / "decisions" / "one.json").write_text(document(tags=["a", value], **{value: value}))
    outcomes = import_folder(store, folder)
    store.close()

    assert [outcome.result for outcome in outcomes] == ["created"], kind
    assert traces(sandbox, repo, value) == []


@pytest.mark.parametrize("secret", SHAPES)
def test_the_mirror(
    sandbox: Sandbox, repo: Path, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody writes into a file of the mirror, new or known."""
    monkeypatch.setenv("RECOLLECT_MIRROR_ENABLED", "true")
    store = sandbox.open(repo)
    typed.create(store, "decision", {"title": "Known", "tags": ["a"], "content": DECISION_CONTENT})
    Mirror(store).update(check_files=True)
    folder = repo / ".claude" / "memory"
    (known,) = (folder / "decisions").glob("*.json")
    changed = json.loads(known.read_text())
    changed["tags"] = ["a", secret]
    changed[secret] = {"deep": {secret: secret}}
    known.write_text(json.dumps(changed))
    for number, text in enumerate(with_secret(secret)):
        (folder / "decisions" / f"new-{number}.json").write_text(text)
    Mirror(store).update(check_files=True)
    store.close()

    assert traces(sandbox, repo, secret) == []


@pytest.mark.parametrize("secret", SHAPES)
def test_suggestions(sandbox: Sandbox, repo: Path, secret: str) -> None:
    """What waits for review waits without secrets, whoever put it there."""
    store = sandbox.open(repo)
    draft = {"kind": "notes", "summary": f"Use {secret}", "tags": [secret], "session": secret}
    suggest(store, {**draft, "provenance": {secret: secret}}, confidence=0.9, why=f"saw {secret}")
    assert traces(sandbox, repo, secret) == []
    accept(store, suggestions(store))
    store.close()
    assert traces(sandbox, repo, secret) == []


def test_outside_of_a_repository(sandbox: Sandbox) -> None:
    """The path that a memory belongs to is written as well, and finds it again."""
    place = sandbox.root / SECRET / "work"
    other = sandbox.root / ("gh" + "p_" + Draw(8)(36)) / "work"
    (place / "deeper").mkdir(parents=True)
    other.mkdir(parents=True)
    cli(place, "capture", "notes", "Outside of any repository")

    assert "Outside of any" in cli(place, "list")
    assert "Outside of any" in cli(place / "deeper", "list")
    assert "Outside of any" not in cli(other, "list")
    home = data_dir(os.environ) / "ledger.git"
    held = sandbox.all_bytes(home)
    assert b"Outside of any" in held
    assert SECRET.encode() not in held


def test_what_is_marked_secret_stays_as_it_is(sandbox: Sandbox, repo: Path) -> None:
    """A person who says so keeps a secret on this machine, also through a change."""
    store = sandbox.open(repo)
    memory = store.capture("notes", f"The key is {SECRET}", sensitivity="secret")
    changed = store.update(memory.uid, body=f"And again {SECRET}")
    assert SECRET in memory.summary
    assert SECRET in changed.body


def test_a_refused_secret_writes_nothing(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the strategy `block`, nothing is written at all; a branch does not block the rest."""
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", "block")
    sandbox.git(repo, "checkout", "--quiet", "-b", f"fix/{SECRET}")
    store = sandbox.open(repo)
    with pytest.raises(RecollectError):
        store.capture("notes", f"With {SECRET}")
    (answer,) = drafts.write_drafts(store, [{"kind": "decision", "title": SECRET}])
    assert answer["status"] == "refused"
    assert SECRET not in json.dumps(answer)
    store.capture("notes", "Without any")
    store.close()
    assert traces(sandbox, repo, SECRET) == []
