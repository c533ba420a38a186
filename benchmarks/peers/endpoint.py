"""A server on this machine that gives peers the vectors of our embedders, as OpenAI's API does.

Peers let you choose such a server. So each can be measured with the model that Recollect uses, and
with all-MiniLM-L6-v2, although the hubs with their own models can't be reached.
"""

from __future__ import annotations

import base64
import json
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from recollect.embedding import Embedder


def embeddings(embedder: Embedder, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request for `/v1/embeddings`: `input` is one text or several."""
    texts = [asked["input"]] if isinstance(asked["input"], str) else list(asked["input"])
    as_base64 = asked.get("encoding_format") == "base64"
    return {
        "object": "list",
        "model": asked.get("model", ""),
        "data": [
            {
                "object": "embedding",
                "index": index,
                "embedding": base64.b64encode(vector).decode()
                if as_base64
                else list(struct.unpack(f"<{len(vector) // 4}f", vector)),
            }
            for index, vector in enumerate(embedder.embed(texts))
        ],
        "usage": {"prompt_tokens": 0, "total_tokens": 0},
    }


@contextmanager
def serve(embedder: Embedder) -> Iterator[str]:
    """Serve an embedder on a free port; the value is the address that ends in `/v1`."""
    one_at_a_time = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length", 0))
            asked = json.loads(self.rfile.read(size))
            with one_at_a_time:
                body = json.dumps(embeddings(embedder, asked)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
