"""Python processes that start warm: forked from a server that has imported the heavy libraries and our modules.

Most tests of the command line want a real process, with an exit code, streams, a folder and an environment of its own,
but not the two to ten seconds in which it imports Great Expectations or torch, nor the second that our own modules
take. What a process imports, and when, is tested with processes that start cold.
"""

import json
import os
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from filelock import FileLock

SERVER = Path(__file__).with_name("warm_python_server.py")
PROGRAM = Path(__file__).with_name("warm_program.py")
HUB_PROCESSES_WITHOUT_SERVER = 3
SHORTER_WAITS = "TESTS_SHORTER_WAITS"
"""The variable that divides every ``time.sleep`` of a process by a number; on Linux alone."""


class WarmPython:
    """A server of warm processes, started at its first use; processes may run side by side, from any thread.

    Args:
        shared: The folder through which all workers of a test run share the server.
        owner: The process whose end ends the server.
    """

    def __init__(self, shared: Path, owner: int) -> None:
        self._note, self._owner = shared / "warm.json", owner
        self._sockets: list[str] = []
        self._hugging_face: dict[str, str] = {}
        self._hub_servers: dict[tuple[tuple[str, str], ...], tuple[WarmProcess, str]] = {}
        self._hub_processes: Counter[tuple[tuple[str, str], ...]] = Counter()
        self._lock = threading.Lock()

    def _start(self) -> None:
        """Start the server, which takes as long as its imports, unless another worker has."""
        with FileLock(f"{self._note}.lock"):
            if not self._note.exists():
                # pytest's own folders are too deep for a socket's address
                folder = Path(tempfile.mkdtemp(prefix="warm-"))
                sockets = [str(folder / name) for name in ("bare", "with-hugging-face")]
                started = subprocess.Popen(
                    [sys.executable, "-P", SERVER, str(self._owner), *sockets],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                )
                assert started.stdout
                assert started.stdout.readline() == b"ready\n", "the server of warm processes does not start"
                self._note.write_text(json.dumps([sockets, _of_hugging_face(os.environ)]))
            self._sockets, self._hugging_face = json.loads(self._note.read_text())

    def command(self, *arguments: str) -> str:
        """Return the start of a shell command for ``python ARGUMENTS``, with Hugging Face's libraries imported anew."""
        self._start()
        return shlex.join([sys.executable, "-I", str(PROGRAM), self._sockets[0], *arguments])

    def run(
        self,
        *arguments: object,
        cwd: Path | str | None = None,
        env: Mapping[str, str] | None = None,
        input: str | None = None,  # noqa: A002
        text: bool = True,
        timeout: float = 300,
    ) -> subprocess.CompletedProcess[Any]:
        """Run ``python ARGUMENTS``, which begin with ``-m``, ``-c`` or ``-P``, to its end.

        Raises:
            subprocess.TimeoutExpired: it did not end within ``timeout`` seconds, and was killed.
        """
        words = list(map(str, arguments))
        with ExitStack() as stack:
            streams = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            streams[0].write((input or "").encode())
            streams[0].seek(0)
            process = self.start(*words, cwd=cwd, env=env, streams=streams)
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            printed = [_content(stream) for stream in streams[1:]]
        stdout, stderr = [stream.decode() if text else stream for stream in printed]
        return subprocess.CompletedProcess([sys.executable, *words], code, stdout, stderr)

    def start(
        self,
        *arguments: object,
        cwd: Path | str | None = None,
        env: Mapping[str, str] | None = None,
        streams: Sequence[IO[bytes]] = (),
    ) -> "WarmProcess | subprocess.Popen[bytes]":
        """Start ``python ARGUMENTS`` with these three streams; without them it reads and writes nothing."""
        words = list(map(str, arguments))
        environment = dict(os.environ if env is None else env)
        with Path(os.devnull).open("r+b") as nothing:
            numbers = [stream.fileno() for stream in streams or (nothing,) * 3]
            if sys.platform != "linux":  # elsewhere system libraries do not survive a fork
                three = dict(zip(("stdin", "stdout", "stderr"), numbers, strict=True))
                return subprocess.Popen([sys.executable, *words], cwd=cwd, env=environment, **three)
            self._start()
            address = self._address(environment)
            request = {"arguments": words, "cwd": os.fspath(cwd or Path.cwd()), "env": environment}
            return WarmProcess(address, request, numbers)

    def _address(self, environment: Mapping[str, str]) -> str:
        """Return the socket of the server that has imported all that a process with this environment may have."""
        variables = _of_hugging_face(environment)
        if variables == self._hugging_face:
            return self._sockets[1]
        return self._hub_server(environment) if "HF_ENDPOINT" in variables else self._sockets[0]

    def _hub_server(self, environment: Mapping[str, str]) -> str:
        """Return the socket of a server that imported the Hub's client with these variables; tokens are read later.

        For the first processes with the same variables a server would not pay.
        """
        variables = tuple(sorted((k, v) for k, v in _of_hugging_face(environment).items() if k != "HF_TOKEN"))
        with self._lock:
            self._hub_processes[variables] += 1
            if self._hub_processes[variables] <= HUB_PROCESSES_WITHOUT_SERVER:
                return self._sockets[0]
            if variables not in self._hub_servers:
                address = str(Path(self._sockets[0]).with_name(f"hub-{uuid.uuid4().hex[:8]}"))
                others = {
                    name: value for name, value in environment.items() if name not in _of_hugging_face(environment)
                }
                request = {"arguments": [], "cwd": "/", "env": others | dict(variables)}
                with Path(os.devnull).open("r+b") as nothing:
                    streams = [nothing.fileno()] * 3
                    server = WarmProcess(
                        self._sockets[0], {**request, "address": address, "owner": self._owner}, streams
                    )
                while not Path(address).exists():
                    assert server.poll() is None, "the server of processes that ask a Hub does not start"
                    time.sleep(0.005)
                self._hub_servers[variables] = server, address
            return self._hub_servers[variables][1]

    def end_hub_servers(self) -> None:
        """End the servers of processes that ask a Hub."""
        with self._lock:
            for server, _ in self._hub_servers.values():
                server.kill()
                server.wait()
            self._hub_servers.clear()


class WarmProcess:
    """A running process, with as much of :class:`subprocess.Popen` as tests need.

    Args:
        address: The socket of the server that forks it.
        request: Its arguments, folder and environment.
        streams: The descriptors of its standard input, output and errors.
    """

    def __init__(self, address: str, request: dict[str, Any], streams: Sequence[int]) -> None:
        self.args: list[str] = request["arguments"]
        self.returncode: int | None = None
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(address)
        message = json.dumps(request).encode() + b"\n"
        sent = socket.send_fds(self._connection, [message], streams)
        self._connection.sendall(message[sent:])
        self._answers = self._connection.makefile("rb")
        self.pid = int(self._answers.readline())

    def poll(self) -> int | None:
        """Return its exit code if it has ended: minus the signal if one ended it."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end.

        Raises:
            subprocess.TimeoutExpired: it did not end within ``timeout`` seconds.
        """
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self.returncode = int(self._answers.readline())
            self._answers.close()
            self._connection.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)


def _of_hugging_face(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that Hugging Face's libraries read when they are imported."""
    prefixes = ("HF_", "HUGGING", "TRANSFORMERS_")
    return {name: value for name, value in environment.items() if name.startswith(prefixes)}


def _content(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    return stream.read()
