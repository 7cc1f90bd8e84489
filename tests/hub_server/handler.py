"""Requests in, answers out: HTTP/1.1 over loopback, with the faults that a test asked for in between."""

import io
import json
import re
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from .api import Answer, Hub, Request
from .faults import Fault, Faults
from .routes import answer
from .storage import RefusalError

_BYTES_PER_PIECE = 2048


class HubServer(ThreadingHTTPServer):
    """The Hub on a loopback port; port 0 takes a free one."""

    daemon_threads = True

    def __init__(self, hub: Hub, port: int, bytes_per_second: int | None = None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.hub, self.faults, self.bytes_per_second = hub, Faults(), bytes_per_second
        self.endpoint = f"http://127.0.0.1:{self.server_port}"

    def configure(self, *, bytes_per_second: int | None, lfs_from_bytes: int | None, entries_per_page: int) -> None:
        """Replace the settings that the command line set at the start."""
        self.bytes_per_second = bytes_per_second
        self.hub.lfs_from_bytes, self.hub.entries_per_page = lfs_from_bytes, entries_per_page

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that hung up; anything else is a mistake of this server's."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    server: HubServer

    def do_GET(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        """Keep quiet: the requests are listed at `/_requests`."""

    def _serve(self) -> None:
        url = urlsplit(self.path)
        if url.path in ("/_faults", "/_settings"):
            return self._control(url.path)
        if url.path == "/_requests":
            return self._send(Answer(self.server.faults.requests))
        fault = self.server.faults.next_for(self.command, url.path)
        body = self._read_body(fault)
        if body is None:
            return self._hang_up()
        # The answer to HEAD is GET's without its body.
        method = "GET" if self.command == "HEAD" else self.command
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = dict(parse_qsl(url.query, keep_blank_values=True))
        request = Request(method, url.path, query, headers, body, self.server.endpoint)
        if fault and fault.action == "hold":
            return self._wait_for_the_client_to_leave()
        if fault and fault.action == "rival_commit":
            self._commit_as_a_rival(request)
        reply = self._answer(request, fault)
        if fault and fault.action == "lose_answer":
            return self._hang_up()
        return self._send(reply, fault)

    def _control(self, path: str) -> None:
        wanted = json.loads(self._read_body(None) or b"[]")
        if path == "/_faults":
            self.server.faults.plan(wanted)
        else:
            self.server.configure(**wanted)
        self._send(Answer())

    def _answer(self, request: Request, fault: Fault | None) -> Answer:
        try:
            if fault and fault.action == "status":
                raise RefusalError(fault.status, "Internal Error - We're working hard to fix this as soon as possible!")
            return answer(self.server.hub, request)
        except RefusalError as refusal:
            headers = {"X-Error-Message": refusal.message}
            if refusal.code:
                headers["X-Error-Code"] = refusal.code
            if "commit" in refusal.fields:
                headers["X-Repo-Commit"] = refusal.fields["commit"]
            return Answer({"error": refusal.message, **refusal.fields}, refusal.status, headers)

    def _read_body(self, fault: Fault | None) -> bytes | None:
        """Return the whole body, which must be read even when the answer is an error; None when the line was cut.

        Raises:
            ConnectionResetError: The client left before it had sent all of it.
        """
        if fault and fault.action == "cut_request":
            self._receive(min(fault.after_bytes, int(self.headers.get("Content-Length") or 0)))
            return None
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self._receive(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self._line().split(b";")[0], 16):
            body += self._receive(size)
            self._line()
        self._line()
        return body

    def _line(self) -> bytes:
        line = self.rfile.readline()
        if not line.endswith(b"\n"):
            raise ConnectionResetError
        return line

    def _send(self, reply: Answer, fault: Fault | None = None) -> None:
        body, whole = reply.content(), None
        if reply.headers.get("Accept-Ranges"):
            body, whole = _range(body, self.headers.get("Range"))
        if body is None:
            reply, body = Answer(status=416, headers={"Content-Range": f"bytes */{whole}"}), b""
        elif whole:
            reply = replace(reply, status=206, headers={**reply.headers, "Content-Range": whole})
        if fault and fault.action == "corrupt" and body:
            middle = len(body) // 2
            body = body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :]
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value.encode("ascii", "replace").decode())
        self.send_header("Content-Type", "application/json; charset=utf-8" if not whole else "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault and fault.action == "cut_response":
            self._write(body[: fault.after_bytes])
            self.wfile.flush()
            self._hang_up()
        else:
            self._write(body)

    def _receive(self, size: int) -> bytes:
        body = b"".join(self._at_its_pace(self.rfile.read, size))
        if len(body) < size:  # half a request must not be carried out as if it were whole
            raise ConnectionResetError
        return body

    def _write(self, body: bytes) -> None:
        place = io.BytesIO(body)
        for _ in self._at_its_pace(lambda size: self.wfile.write(place.read(size)), len(body)):
            self.wfile.flush()

    def _at_its_pace(self, move: Callable[[int], Any], size: int) -> Iterator[Any]:
        """Move so many bytes, on a slow link a piece at a time."""
        rate = self.server.bytes_per_second
        if rate is None:
            yield move(size)
            return
        for start in range(0, size, _BYTES_PER_PIECE):
            piece = min(_BYTES_PER_PIECE, size - start)
            time.sleep(piece / rate)
            yield move(piece)

    def _hang_up(self) -> None:
        """Reset the connection, as a cut cable would."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def _wait_for_the_client_to_leave(self) -> None:
        self.connection.recv(1)
        self.close_connection = True

    def _commit_as_a_rival(self, request: Request) -> None:
        match = re.match(r"/api/(datasets/[^/]+/[^/]+)/", request.path)
        if match:
            storage = self.server.hub.storage
            storage.commit(match[1], "main", "A rival's commit", {"rival.txt": storage.add_object(b"first\n")}, [])


def _range(body: bytes, wanted: str | None) -> tuple[bytes | None, Any]:
    """Return the bytes that a Range header asks for and their Content-Range; without a header all, and None."""
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted or "")
    if not match or match[0] == "bytes=-":
        return body, None
    first = int(match[1]) if match[1] else max(len(body) - int(match[2]), 0)
    last = min(int(match[2]), len(body) - 1) if match[1] and match[2] else len(body) - 1
    if first > last:
        return None, len(body)
    return body[first : last + 1], f"bytes {first}-{last}/{len(body)}"
