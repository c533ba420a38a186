"""OpenTelemetry: requests become spans at a collector, and nobody's question is in them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.server.place import TeamPlace


class Collector(ThreadingHTTPServer):
    """A collector on the loopback address that keeps what it gets, as OTLP over HTTP."""

    got: bytes = b""

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"


class _Receiving(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/v1/traces":
            self.server.got += body
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector that runs."""
    with Collector(("127.0.0.1", 0), _Receiving) as found:
        thread = threading.Thread(target=found.serve_forever, args=(0.05,))
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def _variables(collector: Collector) -> dict[str, str]:
    return {
        "OTEL_SERVICE_NAME": "team-of-quorvex",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_METRICS_EXPORTER": "none",
        "OTEL_LOGS_EXPORTER": "none",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.address,
        "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        "OTEL_BSP_SCHEDULE_DELAY": "100",
    }


def test_requests_become_spans(place: TeamPlace, collector: Collector) -> None:
    """With the route and the status; without the token, the query, or a memory."""
    place.start(**_variables(collector))
    token = place.token("Ada", "web")

    assert place.ask("GET", "/search?q=PostgreSQL+zanzibar", token=token).json()["memories"]

    place.wait(lambda: b"GET /search" in collector.got)
    assert b"team-of-quorvex" in collector.got
    for secret in ("zanzibar", token, "Use PostgreSQL"):
        assert secret.encode() not in collector.got


def test_without_the_variables_nothing_is_sent(place: TeamPlace, collector: Collector) -> None:
    """Also not if the packages are installed."""
    place.start(**_variables(collector), OTEL_SDK_DISABLED="true")

    assert place.ask("GET", "/healthz").status == 200
    place.close()

    assert collector.got == b""
