"""The base of the model servers that tests run on loopback: JSON comes in, JSON goes out."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class JsonHandler(BaseHTTPRequestHandler):
    """A handler that reads and writes JSON; the subclass's ``do_POST`` replies, from ``self.server.state``."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Any

    def body(self) -> dict[str, Any]:
        """Return the JSON of the request."""
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return body

    def reply(self, status: int, answer: object, headers: Mapping[str, str] | None = None) -> None:
        """Reply with JSON."""
        self.send(status, "application/json", json.dumps(answer).encode(), headers)

    def send(self, status: int, kind: str, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Reply with any bytes."""
        self.send_response(status)
        for name, value in ({"Content-Type": kind, "Content-Length": str(len(content))} | dict(headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Write no log."""

    def handle(self) -> None:
        with suppress(OSError):  # a client that was ended in the middle
            super().handle()


@contextmanager
def serve_json(handler: type[JsonHandler], state: object) -> Iterator[str]:
    """Run a server whose handlers share a state; yield its address."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.state, server.daemon_threads = state, True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def chat(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return a chat completion."""
    message = {"role": "assistant", "content": text}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }
