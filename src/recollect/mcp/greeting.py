"""Answers what every client asks first, before the SDK is imported, which takes most of a second.

`greeting.json` has the answers, as the SDK gave them; `python -m scripts.record_greeting` records
them again, and a test compares them with the SDK's. At the first message that is none of these, the
SDK takes over: it gets every message from the first one on, and its replies to those that are
answered already are dropped.
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

from recollect.version import __version__

# Stands for the version of this program.
VERSION = "@VERSION@"
_FILE = Path(__file__).with_name("greeting.json")
_META = "_meta"
_MODERN = "io.modelcontextprotocol/protocolVersion"
_CLIENT = "io.modelcontextprotocol/clientInfo"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_OPENING, _DISCOVERY = "initialize", "server/discover"
_INITIALIZED = "notifications/initialized"
_LISTS = ("tools/list", "prompts/list")


class Greeting:
    """The client's messages, until the SDK takes over."""

    def __init__(self, *, has_all_tools: bool = True) -> None:
        """Take standard input and output, so that nothing else reads or writes them.

        The recorded list of tools is for a client that has all of them.
        """
        self._lists = _LISTS if has_all_tools else ()
        self._input = os.fdopen(os.dup(0), "rb")
        self._output = os.fdopen(os.dup(1), "wb")
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # nobody wants to read errors
            os.dup2(null, 1)
        os.close(null)
        self._answers: dict[str, dict[str, Any]] = {}
        # The version of the protocol that the client and we agreed on; empty before that.
        self._version = ""
        self.client = ""  # the name that the client gives itself
        # Every message so far, and the ids that are answered.
        self._messages: list[str] = []
        self._answered: list[Any] = []
        self.is_over = threading.Event()  # the SDK must take over, or the input has ended
        self.has_ended = False
        self.has_listed = threading.Event()  # the client knows the tools, or the SDK takes over

    def start(self) -> None:
        """Start to answer, in a thread."""
        threading.Thread(target=self._run, name="recollect-greeting", daemon=True).start()

    def _run(self) -> None:
        try:
            self._answers = answers()
            while (line := self._input.readline()) and self._is_answered(line):
                pass
            self.has_ended = not line
        finally:
            self.has_listed.set()
            self.is_over.set()

    def _is_answered(self, line: bytes) -> bool:
        """Answer a message, and return whether that was possible."""
        self._messages.append(line.decode("utf-8", "replace"))
        try:
            message = json.loads(line)
        except ValueError:
            return False
        self.client = self.client or _client_of(message)
        if isinstance(message, dict) and message.get("method") == _INITIALIZED:
            return bool(self._version) and "id" not in message
        result = self._result(message)
        if result is None:
            return False
        said = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        self._answered.append(message["id"])
        self._output.write(json.dumps(said, separators=(",", ":")).encode() + b"\n")
        self._output.flush()
        if message["method"] == _LISTS[0]:
            self.has_listed.set()
        return True

    def _result(self, message: Any) -> dict[str, Any] | None:
        match message:
            case {"jsonrpc": "2.0", "id": str() | int(), "method": str(method)}:
                params = message.get("params", {})
            case _:
                return None
        if not isinstance(params, dict) or len(message) > 3 + ("params" in message):
            return None
        if not self._version:
            return self._open(method, params)
        is_known = method in self._lists and params.keys() <= {_META}
        if not is_known or _asked_version(params) != _modern(self._version):
            return None
        return self._answers[method].get(self._version)

    def _open(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer to the first request, which decides the version."""
        match params:
            case {
                "protocolVersion": str(version),
                "capabilities": dict(),
                "clientInfo": {"name": str(), "version": str()},
            } if method == _OPENING and _META not in params:
                pass
            case {"_meta": {**meta}} if method == _DISCOVERY and len(params) == 1:
                version = str(_asked_version({_META: meta}) or "")
            case _:
                return None
        result: dict[str, Any] | None = self._answers[method].get(version)
        self._version = version if result is not None else ""
        return result

    # For the SDK, which calls these as those of two text files, in threads.

    def readline(self) -> str:
        """Return the next message, those that are answered already first."""
        if self._messages:
            return self._messages.pop(0)
        return self._input.readline().decode("utf-8", "replace")

    def write(self, text: str) -> None:
        """Write a message, unless it answers what is answered already."""
        if self._answered:
            message = json.loads(text)
            if "method" not in message and message.get("id") in self._answered:
                self._answered.remove(message["id"])
                return
        self._output.write(text.encode())

    def flush(self) -> None:
        """Send what was written."""
        self._output.flush()


def answers() -> dict[str, dict[str, Any]]:
    """Return the recorded results by method and version of the protocol."""
    text = _FILE.read_text("utf-8").replace(VERSION, __version__)
    return {
        method: {version: one["result"] for one in recorded for version in one["versions"]}
        for method, recorded in json.loads(text).items()
    }


def _asked_version(params: dict[str, Any]) -> str | None:
    """Return the version that a request names by itself, as it does since 2026."""
    match params.get(_META):
        case {**meta} if _MODERN in meta:
            is_valid = isinstance(meta.get(_CAPABILITIES), dict)
            return str(meta[_MODERN]) if is_valid else ""
    return None


def _client_of(message: Any) -> str:
    """Return the name of the client in a request; empty if it is not there."""
    match message:
        case {"params": {"clientInfo": {"name": str(name)}}}:
            return name
        case {"params": {"_meta": {**meta}}}:
            info = meta.get(_CLIENT)
            return str(info.get("name", "")) if isinstance(info, dict) else ""
    return ""


def _modern(version: str) -> str | None:
    """Return the version that requests must name, for a version of the protocol."""
    return version if version >= "2026" else None
