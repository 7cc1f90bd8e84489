"""A server that imports the heavy libraries and our modules once, and forks a process for every connection.

Run as ``python -P warm_python_server.py OWNER SOCKET SOCKET``; it ends when the process OWNER has. Behind the second
socket Hugging Face's libraries are imported, too, which read their environment variables then: HF_HOME above all.
Behind the first they are not, nor is any module of ours that needs them.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import shutil
import signal
import socket
import sys
import threading
import time
import traceback
import types
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

SECONDS_BETWEEN_LOOKS = 2.0
SHORTER_WAITS = "TESTS_SHORTER_WAITS"  # as warm_python.py names it
PRELOADED = (
    *("aiohttp", "altair", "dill", "duckdb", "fsspec", "great_expectations", "httpx2", "multiprocess", "numba"),
    *("numpy", "pandas", "pyarrow.compute", "pyarrow.dataset", "pyarrow.parquet", "requests", "scipy.stats"),
    *("sklearn.metrics", "sqlalchemy", "sympy", "torch", "torch.distributed", "torch._dynamo", "typer", "xxhash"),
    # What these and Hugging Face's libraries import when they are used.
    *("anyio._backends._asyncio", "filelock", "fsspec.implementations.dirfs", "httpcore2", "multiprocess.pool"),
    *("pyarrow.json", "pydantic.types", "trio", "truststore", "typer._adapters", "xml.dom.minidom", "yaml"),
)
HUGGING_FACE = (
    *("datasets", "huggingface_hub.hf_api", "huggingface_hub.hf_file_system", "peft", "sentence_transformers"),
    *("transformers.trainer", "transformers.models.auto.modeling_auto", "transformers.models.auto.tokenization_auto"),
    *(f"transformers.models.{name}.modeling_{name}" for name in ("gpt_neox", "gpt2", "llama", "opt", "t5")),
)
HUB_CLIENT = ("datasets", "huggingface_hub.hf_api", "huggingface_hub.hf_file_system")
OF_HUGGING_FACE = {name.partition(".")[0] for name in HUGGING_FACE} | {"accelerate", "diffusers", "tokenizers"}


class Refusal(MetaPathFinder):
    """An import hook that refuses these of Hugging Face's libraries."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname.partition(".")[0] in self._names:
            raise ImportError(f"{fullname} reads its environment variables when it is imported")


def serve(owner: int, address: str, address_with_hugging_face: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listeners = [_listen(address), _listen(address_with_hugging_face)]
    _import(PRELOADED)
    _import_ours_without(OF_HUGGING_FACE)
    _compile_patterns()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    other = os.fork()
    _serve(owner, *(listeners[0], ()) if other else (listeners[1], HUGGING_FACE))
    if other:
        os.waitpid(other, 0)
        shutil.rmtree(Path(address).parent, ignore_errors=True)
    os._exit(0)


def _serve_a_hub(owner: int, address: str) -> None:
    """Serve processes that ask the Hub of this process's environment."""
    listener = _listen(f"{address}.new")
    Path(f"{address}.new").rename(address)  # whoever sees it can connect
    _import(HUB_CLIENT)
    _import_ours_without(OF_HUGGING_FACE - {name.partition(".")[0] for name in HUB_CLIENT})
    _serve(owner, listener, ())
    os._exit(0)


def _listen(address: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    return listener


def _ours() -> Iterator[str]:
    """Yield our modules by name. None does any work when imported, so a process that has them is as good as new."""
    import selfknow

    for place in map(Path, selfknow.__path__):
        for folder, inner, files in os.walk(place, followlinks=True):
            inner[:] = sorted(set(inner) - {"__pycache__", "datasets_src"})
            parts = ("selfknow", *Path(folder).relative_to(place).parts)
            for file in sorted(files):
                name, _, kind = file.rpartition(".")
                if kind == "py" and name != "__main__":
                    yield ".".join(parts if name == "__init__" else (*parts, name))


def _import_ours_without(names: Iterable[str]) -> None:
    """Import our modules without those that need one of these libraries."""
    sys.meta_path.insert(0, refusal := Refusal(names))
    _import(_ours())
    sys.meta_path.remove(refusal)


def _compile_patterns() -> None:
    """Compile the patterns that a process compiles once, which takes half a second; forks inherit them."""
    from selfknow.evaluate.tasks.self_aware.reading import read_reply

    read_reply("I am not sure.")


def _import(names: Iterable[str]) -> None:
    """Import installed modules; a module of ours may raise that it needs an extra."""
    from selfknow.errors import MissingExtraError

    for name in names:
        with suppress(ImportError, MissingExtraError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page


def _serve(owner: int, listener: socket.socket, still_to_import: Iterable[str]) -> None:
    """Fork a process for every connection, as long as the owner lives."""
    while True:
        readable, _, _ = select.select([listener], [], [], SECONDS_BETWEEN_LOOKS)
        _reap()
        if not _lives(owner):
            return
        if not readable:
            continue
        connection, _ = listener.accept()
        if still_to_import:
            _import(still_to_import)
            still_to_import = ()
        if os.fork() == 0:
            listener.close()
            _look_after(connection)
        connection.close()


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _reap() -> None:
    """Forget the processes that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _look_after(connection: socket.socket) -> None:
    """Fork the requested process, and send its number and, when it ends, its exit status."""
    message, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    while not message.endswith(b"\n"):
        message += connection.recv(1 << 20)
    process = os.fork()
    if process == 0:
        connection.close()
        _become(json.loads(message), streams)
    with suppress(OSError):  # nobody may be waiting any more
        connection.sendall(b"%d\n" % process)
        _, status = os.waitpid(process, 0)
        connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(request: dict[str, Any], streams: list[int]) -> None:
    """Run as ``python ARGUMENTS`` from here on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    if "address" in request:
        _serve_a_hub(request["owner"], request["address"])
    _shorten_waits(float(os.environ.pop(SHORTER_WAITS, "1")))
    code = 1
    try:
        _execute(request["arguments"])
        code = 0
    except SystemExit as ended:
        code = _exit_code(ended.code)
    except BaseException:
        traceback.print_exc()
    # What Python does at its end, but for taking every module apart.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def _shorten_waits(times: float) -> None:
    """Divide what this process sleeps between two attempts."""
    sleep = time.sleep
    if times > 1:
        vars(time)["sleep"] = lambda seconds: sleep(seconds / times)


def _execute(arguments: list[str]) -> None:
    if arguments[0] == "-P":
        arguments = arguments[1:]
    else:
        sys.path.insert(0, str(Path.cwd()) if arguments[0] == "-m" else "")
    kind, what, *others = arguments
    sys.argv = [kind, *others]
    if kind == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
        return
    assert kind == "-c", "python -m MODULE or python -c CODE"
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(what, "<string>", "exec"), main.__dict__)


def _exit_code(code: object) -> int:
    if code is None or isinstance(code, int):
        return int(code or 0) & 0xFF
    print(code, file=sys.stderr)  # noqa: T201
    return 1


if __name__ == "__main__":
    serve(int(sys.argv[1]), *sys.argv[2:])
