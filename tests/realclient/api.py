"""A scripted model on loopback: the client asks, the script answers, every request is kept.

It speaks the Messages API, and the Responses, the Chat Completions or the Gemini API to clients
that ask for those.

It is also the proxy that the client is told to use for every host but loopback. It forwards
nothing; it notes who was asked for, so that a test can say that nobody was.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

from tests.realclient.chat_completions import chunks, is_chat
from tests.realclient.gemini_api import content, declared, is_gemini
from tests.realclient.responses import response_events

Json = dict[str, Any]
Kind = Literal["main", "agent", "compact", "side"]

SUMMARY = "<analysis>What happened.</analysis>\n<summary>The work so far.</summary>"
_AGENT_HEADER = "x-claude-code-agent-id"
_WORKING_TOOLS = {"Bash", "Read", "Edit", "Write", "bash", "read", "edit", "write", "read_file"}


@dataclass(frozen=True, slots=True)
class Answer:
    """One message of the model: blocks of text and of tools to use."""

    blocks: tuple[Json, ...]
    input_tokens: int = 100


@dataclass(frozen=True, slots=True)
class Failure:
    """An error of the API."""

    status: int
    message: str = "scripted"


@dataclass(frozen=True, slots=True)
class Silence:
    """No answer until the server is closed."""


Turn = Answer | Failure | Silence


def say(text: str, *, input_tokens: int = 100) -> Answer:
    """The model says something and is done."""
    return Answer(({"type": "text", "text": text},), input_tokens)


def use(tool: str, *, input_tokens: int = 100, **arguments: Any) -> Answer:
    """The model uses a tool."""
    block = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:24]}", "name": tool}
    return Answer(({**block, "input": arguments},), input_tokens)


def both(first: Answer, second: Answer) -> Answer:
    """The model does both in one answer: it says something and uses a tool."""
    return Answer((*first.blocks, *second.blocks), first.input_tokens)


@dataclass(frozen=True, slots=True)
class Request:
    """A request that the client made to the model."""

    kind: Kind
    body: Json

    @property
    def text(self) -> str:
        """The whole body as the model would read it: every string in it, one per line."""
        parts = ("system", "messages", "input", "contents", "systemInstruction")
        return "\n".join(_strings([self.body.get(part) for part in parts]))

    @property
    def last_said(self) -> str:
        """The last message of the user's side: a prompt, a tool's result, a hook's feedback."""
        return _last_said(self.body)


def is_done(_: Request) -> Turn:
    """Say only that it is done."""
    return say("Done.")


@dataclass(frozen=True, slots=True)
class Script:
    """What the model says, in order; after the last turn of `main`, `rest` decides."""

    main: Sequence[Turn] = ()
    agent: Sequence[Turn] = ()
    summary: str = SUMMARY
    rest: Callable[[Request], Turn] = is_done


@dataclass(slots=True)
class MessagesApi:
    """The server. Use it as a context manager; `script` may be replaced between runs."""

    script: Script = field(default_factory=Script)
    requests: list[Request] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)  # hosts other than loopback
    _taken: dict[Kind, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closed: threading.Event = field(default_factory=threading.Event)
    _server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        exchange = type("Exchange", (_Exchange,), {"owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), exchange)
        threading.Thread(target=self._server.serve_forever, args=(0.05,)).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closed.set()
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Where the client finds us."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def play(self, script: Script) -> None:
        """Begin a new script."""
        with self._lock:
            self.script = script
            self._taken.clear()

    def of_kind(self, kind: Kind) -> list[Request]:
        """The requests of one kind, in order."""
        return [request for request in self.requests if request.kind == kind]

    def take(self, body: Json, headers: Mapping[str, str]) -> Turn:
        """Keep a request; the script's answer to it."""
        kind = _kind_of(body, headers)
        request = Request(kind, body)
        with self._lock:
            self.requests.append(request)
            position = self._taken.get(kind, 0)
            self._taken[kind] = position + 1
            if kind == "compact":
                return say(self.script.summary)
            turns = {"main": self.script.main, "agent": self.script.agent}.get(kind, ())
            if position < len(turns):
                return turns[position]
            return self.script.rest(request) if kind == "main" else is_done(request)

    def wait_until_closed(self) -> None:
        """Keep the client waiting."""
        self._closed.wait()


class _Exchange(BaseHTTPRequestHandler):
    """One request and its answer; a connection is never used again."""

    owner: MessagesApi

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the parent's name)
        """Say nothing."""

    def do_CONNECT(self) -> None:
        """Somebody asked the proxy for another host."""
        self.owner.strangers.append(self.path)
        self._send(403, {})  # 502 would be worth another try

    def do_HEAD(self) -> None:
        """A sign of life."""
        self.do_GET()

    def do_GET(self) -> None:
        """We have nothing to read, except for those who ask the proxy for another host."""
        if not self.path.startswith("/"):
            self.owner.strangers.append(self.path)
        self._send(404, _error("not_found_error", "nothing here"))

    def do_POST(self) -> None:
        """A request to the model."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        route = self.path.partition("?")[0]
        if route == "/v1/messages/count_tokens":
            self._send(200, {"input_tokens": max(1, len(raw) // 4)})
        elif route.endswith(":countTokens"):
            self._send(200, {"totalTokens": max(1, len(raw) // 4)})
        elif route in ("/v1/messages", "/v1/responses", "/v1/chat/completions") or is_gemini(route):
            self._answer(json.loads(raw))
        else:
            self.do_GET()

    def _answer(self, body: Json) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        match self.owner.take(body, headers):
            case Failure(status, reason):
                self._send(status, _error("api_error", reason))
            case Silence():
                self.owner.wait_until_closed()
            case Answer() as answer if is_gemini(self.path):
                whole = content(answer.blocks)
                if "stream" in self.path:
                    self._stream([whole])
                else:
                    self._send(200, whole)
            case Answer() as answer if is_chat(self.path):
                self._stream(chunks(answer.blocks))
            case Answer() as answer if "input" in body:
                self._stream(response_events(answer.blocks))
            case Answer() as answer:
                message = _message(answer, str(body.get("model", "")))
                if body.get("stream"):
                    self._stream(_stream_events(message))
                else:
                    self._send(200, message)

    def _send(self, status: int, value: Json) -> None:
        raw = json.dumps(value).encode()
        self._head(status, "application/json", len(raw))
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _stream(self, events: Iterable[Json]) -> None:
        self._head(200, "text/event-stream")
        try:
            for event in events:
                name = f"event: {event['type']}\n" if "type" in event else ""
                self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        except (BrokenPipeError, ConnectionResetError):
            return  # The client was stopped.

    def _head(self, status: int, content: str, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", content)
        self.send_header("request-id", f"req_{uuid.uuid4().hex[:20]}")
        self.send_header("connection", "close")
        if length is not None:
            self.send_header("content-length", str(length))
        self.end_headers()


def _kind_of(body: Json, headers: Mapping[str, str]) -> Kind:
    if "input" in body:
        return "main"
    asked = _last_said(body)
    if "<analysis>" in asked and "<summary>" in asked and "summary of" in asked:
        return "compact"
    if _AGENT_HEADER in headers:
        return "agent"
    names = declared(body) or {
        str((tool.get("function") or tool.get("custom") or tool).get("name"))
        for tool in body.get("tools", [])
    }
    return "main" if names & _WORKING_TOOLS else "side"


def _last_said(body: Json) -> str:
    said = [m.get("content") for m in body.get("messages", []) if m.get("role") == "user"]
    return "\n".join(_strings(said[-1:]))


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for part in value.values():
                yield from _strings(part)
        case list():
            for part in value:
                yield from _strings(part)


def _error(kind: str, message: str) -> Json:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _message(answer: Answer, model: str) -> Json:
    uses_tool = any(block["type"] == "tool_use" for block in answer.blocks)
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list(answer.blocks),
        "stop_reason": "tool_use" if uses_tool else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.input_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 20,
        },
    }


def _stream_events(message: Json) -> Iterator[Json]:
    opening = {**message, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": opening}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty = {**block, "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": message["usage"]["output_tokens"]}
    yield {"type": "message_delta", "delta": stop, "usage": usage}
    yield {"type": "message_stop"}
