"""What is new in a transcript: only what was said, each once, whatever is in the file."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.capture.drafting import Wanted, request
from recollect.core.marks import OPENING
from recollect.hosts.claude_code.transcript import read_transcript
from recollect.hosts.protocol import LAST_PART, Message, TranscriptPart
from recollect.search.rendering import render_block, render_guide

Json = dict[str, Any]

COMMON: Json = {
    "parentUuid": "7ae8cb42-4d5d-4ed0-95ba-0bdbac438047",
    "isSidechain": False,
    "uuid": "3453b5c3-a41e-4846-8547-44e82cfae518",
    "timestamp": "2026-11-15T19:17:33.233Z",
    "sessionId": "fb4d9496-cced-462c-82ae-4ab63be7f7a1",
    "cwd": "/home/ada/shop",
    "version": "2.1.325",
}


def user(content: Any, **more: Any) -> Json:
    """A line in a person's name."""
    return {**COMMON, "type": "user", "message": {"role": "user", "content": content}, **more}


def agent(*blocks: Json, model: str = "claude-opus-5-5", **more: Any) -> Json:
    """A line of the agent; the client writes one per block."""
    message = {"id": "msg_1", "role": "assistant", "model": model, "content": list(blocks)}
    return {**COMMON, "type": "assistant", "message": message, **more}


def text(words: str) -> Json:
    """A block of text."""
    return {"type": "text", "text": words}


def use(name: str) -> Json:
    """A block that uses a tool."""
    return {"type": "tool_use", "id": "toolu_1", "name": name, "input": {"command": "ls"}}


def result(content: Any) -> Json:
    """A block with what a tool gave."""
    return {"type": "tool_result", "tool_use_id": "toolu_1", "content": content}


def written(*lines: Json) -> bytes:
    """Lines as the client writes them."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def read(path: Path, offset: int = 0, **options: int) -> TranscriptPart:
    """The new part of a file that can be read."""
    part = read_transcript(path, offset, **options)
    assert part is not None
    return part


def said(part: TranscriptPart) -> list[tuple[str, str]]:
    """Who said what."""
    return [(message.role, message.text) for message in part.messages]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the transcript is."""
    return tmp_path / "fb4d9496.jsonl"


def said_by(path: Path, *lines: Json) -> list[tuple[str, str]]:
    """What some lines say."""
    path.write_bytes(written(*lines))
    return said(read(path))


def test_a_conversation(path: Path) -> None:
    """Both sides, where their lines begin, and how often a tool was used."""
    first = written(user("Please write hello.txt"))
    rest = written(
        agent({"type": "thinking", "thinking": "let me look", "signature": "c2ln"}),
        agent(text("I will write a file.")),
        agent(use("Write")),
        user([result("File created")], toolUseResult={"type": "create"}),
        agent(use("Bash")),
        agent(use("Bash")),
    )
    path.write_bytes(first + rest)

    part = read(path)

    assert part.messages[0] == Message("user", "Please write hello.txt", 0)
    assert said(part)[1:] == [("assistant", "I will write a file.")]
    assert part.end == len(first + rest)
    assert (sum(part.tools.values()), part.exchanges) == (3, 2)
    assert set(part.tools) == {"Write", "Bash"}


def test_each_message_says_where_its_line_begins(path: Path) -> None:
    """Reading from there gives the message again."""
    path.write_bytes(written(user("one"), {"type": "mode"}, agent(text("zwei ä")), user("three")))

    for number, message in enumerate(read(path).messages):
        assert said(read(path, message.at))[0] == said(read(path))[number]


@pytest.mark.parametrize(
    "line",
    [
        user("Injected", isMeta=True),
        user("Asked of a subagent", isSidechain=True, agentId="a8d8b90d81a22a105"),
        agent(text("Said by a subagent"), isSidechain=True),
        user(
            "This session is being continued from a previous conversation that ran out of context.",
            isCompactSummary=True,
            isVisibleInTranscriptOnly=True,
        ),
        user("This session is being continued from a previous conversation that ran out of …"),
        user("A summary in other words", isCompactSummary=True),
        user("Shown, but not sent", isVisibleInTranscriptOnly=True),
        user([result("decided")]),
        user([result([text("decided")]), text("beside a result")]),
        user("a plain result", toolUseResult="Error: Exit code 1"),
        agent(text("API Error: 400"), model="<synthetic>", isApiErrorMessage=True),
        agent(text("No response requested."), model="<synthetic>"),
        user("[Request interrupted by user for tool use]"),
        user([text("[Request interrupted by user]")]),
        user("Stop hook feedback:\nKeep what was decided"),
        user("<command-name>/compact</command-name>\n  <command-args>keep it</command-args>"),
        user("<command-message>recorder:note</command-message>\n<command-name>/x</command-name>"),
        user("<local-command-stdout>Connected</local-command-stdout>"),
        user("<bash-input>ls</bash-input>"),
        user("/recorder:note buy milk"),
        user("<task-notification>\n<status>completed</status>\n</task-notification>"),
        user("<system-reminder>\nToday is Monday.\n</system-reminder>"),
        user("<system-reminder>\nnever closed"),
        {"type": "queue-operation", "operation": "enqueue", "content": "Please"},
        {"type": "last-prompt", "lastPrompt": "Please"},
        {"type": "api-request-blob", "message": {"role": "user", "content": "Please"}},
        {"type": "api-request", "params": {"model": "user"}},
        {**COMMON, "type": "attachment", "attachment": {"type": "user", "content": ["Please"]}},
        {**COMMON, "type": "system", "subtype": "compact_boundary", "content": "user"},
        {**COMMON, "type": "human", "message": {"role": "user", "content": "Please"}},
        {"type": "summary", "summary": "What the user wanted"},
        user(""),
        user(None),
        user(5),
        user([5, None, "text", {"type": "text"}, {"type": "text", "text": 5}]),
        user([{"type": "image", "source": {"type": "base64", "data": "AAAA"}}]),
        {**COMMON, "type": "user", "message": "Please"},
        {**COMMON, "type": "user"},
        {**COMMON, "type": ["user"]},
    ],
)
def test_what_nobody_said(path: Path, line: Json) -> None:
    """It is skipped, and what stands around it is not."""
    assert said_by(path, user("before"), line, agent(text("after"))) == [
        ("user", "before"),
        ("assistant", "after"),
    ]


def test_why_a_tool_was_not_let_through(path: Path) -> None:
    """What a person says then is theirs, though it comes as the result of a tool."""
    frame = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it"
        " was a file edit, the new_string was NOT written to the file). "
    )
    told = frame + "To tell you how to proceed, the user said:\nlet's not do this here"
    mute = frame + "STOP what you are doing and wait for the user to tell you how to proceed."

    refused = {**result(told), "is_error": True}
    assert said_by(path, user([refused], toolUseResult="Error: " + told)) == [
        ("user", "let's not do this here")
    ]
    assert said_by(path, user([{**result(mute), "is_error": True}])) == []
    assert said_by(path, user([result(told)])) == []  # what a file says about it


def test_what_the_client_puts_into_a_prompt(path: Path) -> None:
    """Reminders and opened files go, the person's words stay."""
    lines = [
        user(
            "<system-reminder>\nRead the\nrules.\n</system-reminder>\nAlways use uv."
            "<system-reminder>Monday</system-reminder>"
        ),
        user([text("<ide_opened_file>The user opened cart.py</ide_opened_file>"), text("Fix it.")]),
        user("/etc/hosts is wrong"),
    ]

    assert [words for _, words in said_by(path, *lines)] == [
        "Always use uv.",
        "Fix it.",
        "/etc/hosts is wrong",
    ]


def test_our_own_text(path: Path) -> None:
    """Memories, the guide and what triage asks for are never read as if somebody had said them."""
    asked = request([Wanted("decisions", 0.5, [("", "We chose PostgreSQL.")], "what was chosen")])
    lines = [
        user(render_block(["We decided on MySQL."]) + "\nGo on."),
        user(render_guide("detailed")),
        user(asked),
        agent(text(f"It says: {OPENING}\nnever closed, decided")),
    ]

    assert said_by(path, *lines) == [("user", "Go on."), ("assistant", "It says:")]


def test_tools_of_subagents_do_not_count(path: Path) -> None:
    """Only what the agent itself did in this conversation is counted."""
    path.write_bytes(written(agent(use("Read"), isSidechain=True), agent(use("Agent"))))

    assert read(path).tools == {"Agent": 1}


def test_a_growing_file(path: Path) -> None:
    """Each time only what is new, and nothing where nothing is."""
    path.write_bytes(written(user("one")))
    first = read(path)
    with path.open("ab") as file:
        file.write(written(agent(text("two"))))
    second = read(path, first.end)

    assert said(first) == [("user", "one")]
    assert said(second) == [("assistant", "two")]
    assert read(path, second.end) == TranscriptPart((), second.end, {}, 0)


def test_a_line_that_is_being_written(path: Path) -> None:
    """It is left for the next time, even where it ends in the middle of a character."""
    whole = written(user("one"), user("zwei ä €"))
    for cut in range(len(written(user("one"))), len(whole)):
        path.write_bytes(whole[:cut])
        first = read(path)
        path.write_bytes(whole)

        assert said(first) == [("user", "one")]
        assert said(read(path, first.end)) == [("user", "zwei ä €")]


def test_a_file_that_shrank(path: Path) -> None:
    """It is another file: all of it is new."""
    path.write_bytes(written(user("one"), user("two")))
    end = read(path).end
    path.write_bytes(written(user("three")))

    assert said(read(path, end)) == [("user", "three")]


def test_a_file_that_was_replaced(path: Path) -> None:
    """Where no line ends at the cursor, the file is another one."""
    path.write_bytes(written(user("one")))
    end = read(path).end
    path.write_bytes(written(user("A much longer line"), user("two")))

    assert said(read(path, end)) == [("user", "A much longer line"), ("user", "two")]
    for offset in (-5, 10_000, 1 << 80):
        assert read(path, offset) == read(path, 0)


def test_much_is_read_in_parts(path: Path) -> None:
    """The oldest first, whole lines, and nothing is left out."""
    lines = [written(user(f"number {number}")) for number in range(100)]
    path.write_bytes(b"".join(lines))

    parts = [read(path, most=3 * len(lines[-1]) + 10)]
    while parts[-1].more:
        parts.append(read(path, parts[-1].end, most=3 * len(lines[-1]) + 10))

    assert [words for _, words in said(parts[0])] == ["number 0", "number 1", "number 2"]
    assert [one for part in parts for one in said(part)] == said(read(path))
    assert parts[-1].end == sum(map(len, lines))


def test_the_last_part(path: Path) -> None:
    """Of a talk that was long before we came, the end."""
    lines = [written(user(f"number {number}")) for number in range(100)]
    path.write_bytes(b"".join(lines))

    part = read(path, LAST_PART, most=3 * len(lines[-1]) + 10)

    assert [words for _, words in said(part)] == ["number 97", "number 98", "number 99"]
    assert part.end == sum(map(len, lines))
    assert not part.more
    assert part.messages[0].at == sum(map(len, lines[:97]))
    assert said(read(path, LAST_PART)) == said(read(path))


def test_a_line_longer_than_most(path: Path) -> None:
    """Half of it says nothing; when it is complete it is read, and then what follows."""
    start = written(user("one"))
    path.write_bytes(start + b'{"type":"user"' + b"x" * 500)
    unfinished = read(path, len(start), most=100)
    assert (unfinished.end, unfinished.more) == (len(start), False)

    with path.open("ab") as file:
        file.write(b"\n" + written(user("y" * 500), user("two")))
    parts = [read(path, len(start), most=100)]
    while parts[-1].more:
        parts.append(read(path, parts[-1].end, most=100))

    assert [one for part in parts for one in said(part)] == [("user", "y" * 500), ("user", "two")]
    assert parts[-1].end == path.stat().st_size


def test_a_huge_line_between_parts(path: Path) -> None:
    """A dumped file is passed over, and what follows it is read."""
    lines = written(user("one"), user("x" * (3 << 20)), user("two"))
    path.write_bytes(lines)
    parts = [read(path, most=100)]
    while parts[-1].more:
        parts.append(read(path, parts[-1].end, most=100))

    assert [one for part in parts for one in said(part)] == [("user", "one"), ("user", "two")]
    assert parts[-1].end == len(lines)


def test_a_huge_line(path: Path) -> None:
    """A dumped file is passed over."""
    assert said_by(path, user("x" * (2 << 20)), user("two")) == [("user", "two")]


@pytest.mark.parametrize(
    "junk",
    [
        b"\x00\xff\xfe\x80" * 50 + b'"user"',
        b'{"type": "user", "message"',
        b'"user"',
        b'["user"]',
        b"[" * 100_000 + b'"user"',
        b'{"type": "user", "n": ' + b"9" * 10_000 + b"}",
        b'{"type": "user", "message": {"content": "\xff\xfe"}}',
    ],
)
def test_junk(path: Path, junk: bytes) -> None:
    """A line that cannot be read is skipped."""
    path.write_bytes(written(user("one")) + junk + b"\n\n\r\n" + written(user("two")))

    assert said(read(path)) == [("user", "one"), ("user", "two")]


def test_half_a_character(path: Path) -> None:
    """JSON can say it; what we give can be stored all the same."""
    path.write_bytes(b'{"type":"user","message":{"content":"so \\ud83d it is"}}\n')

    assert said(read(path)) == [("user", "so ? it is")]


def test_no_file_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link, a pipe, a folder, nothing, and somebody else's file are not read."""
    real = tmp_path / "real.jsonl"
    real.write_bytes(written(user("one")))
    link, pipe = tmp_path / "link.jsonl", tmp_path / "pipe.jsonl"
    link.symlink_to(real)
    os.mkfifo(pipe)

    for path in (
        link,
        pipe,
        tmp_path,
        tmp_path / "none",
        real / "x",
        Path("a\0b"),
        Path("/dev/null"),
    ):
        assert read_transcript(path, 0) is None

    monkeypatch.setattr(os, "geteuid", lambda: real.stat().st_uid + 1)
    assert read_transcript(real, 0) is None


LINES = st.one_of(
    st.text(max_size=30).map(lambda words: json.dumps(user(words)).encode()),
    st.text(max_size=30).map(lambda words: json.dumps(agent(text(words), use("Bash"))).encode()),
    st.text(max_size=10).map(lambda words: json.dumps(user([result(words)])).encode()),
    st.binary(max_size=30),
)


@given(st.binary(max_size=400), st.integers(-10, 500), st.integers(1, 500))
@example(b'{"type":"user","message":{"content":[{}]}}\n', 0, 500)
def test_any_bytes(data: bytes, offset: int, most: int) -> None:
    """Nothing raises, and the end is where a line ends."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.jsonl")
        path.write_bytes(data)
        part = read(path, offset, most=most)

        assert 0 <= part.end <= len(data)
        assert part.end == 0 or data[part.end - 1 : part.end] == b"\n"


@given(st.lists(LINES, max_size=8), st.data())
def test_two_steps_are_as_good_as_one(lines: list[bytes], data: st.DataObject) -> None:
    """Wherever the file ended the first time, everything is read, and nothing twice."""
    whole = b"\n".join(lines)
    cut = data.draw(st.integers(0, len(whole)))
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.jsonl")
        path.write_bytes(whole[:cut])
        first = read(path)
        path.write_bytes(whole)
        second, at_once = read(path, first.end), read(path)

    assert first.messages + second.messages == at_once.messages
    assert second.end == at_once.end
    assert Counter(first.tools) + Counter(second.tools) == at_once.tools
    assert first.exchanges + second.exchanges == at_once.exchanges
