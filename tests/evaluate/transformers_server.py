"""``transformers serve`` as a process of its own: a server that is not ours."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.warm_python import WarmProcess, WarmPython

SECONDS_TO_START = 600


@contextmanager
def serve(model: Path | str, python: WarmPython | None = None) -> Iterator[str]:
    """Serve a checkpoint from its folder; yield the address.

    Args:
        model: The folder.
        python: The server of warm processes, which have imported PyTorch already; null: start a cold process.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = "from transformers.cli.transformers import main; main()"
    arguments = ["serve", str(model), "--port", str(port), "--host", "127.0.0.1"]
    words = ["-c", program, *arguments, "--device", "cpu"]
    environment = os.environ | {"HF_HUB_OFFLINE": "1"}
    process: WarmProcess | subprocess.Popen[bytes]
    if python is None:
        nothing = subprocess.DEVNULL
        process = subprocess.Popen([sys.executable, *words], env=environment, stdout=nothing, stderr=nothing)
    else:
        process = python.start(*words, env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(SECONDS_TO_START * 10):
            assert process.poll() is None, "the server ended"
            try:
                urllib.request.urlopen(f"{address}/health", timeout=1).close()
                break
            except urllib.error.HTTPError:
                break  # it answers
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.kill()
        process.wait()
