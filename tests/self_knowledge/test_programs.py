"""Programs that models write print what CPython prints, or null with the reason; and they reach nothing."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfknow.errors import MissingExtraError
from selfknow.evaluate.tasks.self_knowledge.programs import Limits, Printed, Programs

SHORT = Limits(seconds=1.0, memory_in_bytes=64 * 1024 * 1024, output_in_bytes=100_000)


@pytest.fixture(scope="module")
def programs() -> Iterator[Programs]:
    with Programs() as opened:
        yield opened


@pytest.fixture(scope="module")
def short() -> Iterator[Programs]:
    with Programs(SHORT) as opened:
        yield opened


def test_a_program_prints_and_ends(programs: Programs) -> None:
    source = "import math, collections\nprint(math.comb(10, 3))\nif __name__ == '__main__':\n    print('main')"
    assert programs.run(source) == Printed("120\nmain\n")


def test_one_program_knows_nothing_of_another(programs: Programs) -> None:
    assert programs.run("kept = 1\nround = None\nprint(kept)") == Printed("1\n")
    assert programs.run("print(kept)").output is None
    assert programs.run("print(round(2.675, 2))") == Printed("2.67\n")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("print('before')\nraise KeyError('no')", "the program ended with: KeyError"),
        ("print(1 / 0)", "the program ended with: ZeroDivisionError"),
        ("print(kept)", "the program ended with: NameError"),
        ("def", "the program ended with: SyntaxError"),
        ("'x'.nothing()", "the program ended with: AttributeError"),
    ],
)
def test_a_program_that_raises_has_no_output(programs: Programs, source: str, reason: str) -> None:
    assert programs.run(source) == Printed(None, reason)


@pytest.mark.parametrize(
    "source",
    [
        "class A: pass\nclass B(A): pass\nprint(1)",
        "def f():\n    yield 1\nprint(list(f()))",
        "import heapq\nprint(1)",
        "import string\nprint(string.digits)",
        "class A:\n    def __len__(self): return 1\nprint(len(A()))",
        "print((5).bit_length())",
        "exit()",
        "print(input())",
        "try:\n    print((5).bit_length())\nexcept AttributeError:\n    print('none')",
        "try:\n    from collections import OrderedDict\nexcept ImportError:\n    print('none')",
    ],
)
def test_what_the_interpreter_lacks_is_no_error_of_the_program(programs: Programs, source: str) -> None:
    done = programs.run(source)
    assert done.output is None
    assert "the interpreter that runs programs" in str(done.reason), done


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("print(list({3, 1, 2}))", "shows the order of a set"),
        ("print(id(1))", "prints an address or a hash, another one each time"),
        ("def f(): pass\nprint(f)", "prints an address, another one each time"),
        ("import random\nprint(random.random())", "uses random, which is another one each time or elsewhere"),
        ("import time\nprint(time.time())", "uses time, which is another one each time or elsewhere"),
        ("print(sum([0.1] * 10))", "sums floats, which differs between versions of Python"),
        ("print({1: 'a', True: 'b'})", "mixes equal keys such as 1, 1.0 and True"),
        ("x = [1]\nx.append(x)\nprint(x)", "prints a value that holds itself, or is nested too deeply"),
        ("eval('print({2, 1})')", "looks into the interpreter that runs it"),
        ("_selfknow_errors = []", "uses a name that is ours"),
        (
            "try:\n    1 // 0\nexcept ZeroDivisionError as error:\n    print(error)",
            "uses the words of a caught ZeroDivisionError, which differ between interpreters",
        ),
    ],
)
def test_what_differs_elsewhere_is_refused(programs: Programs, source: str, reason: str) -> None:
    assert programs.run(source) == Printed(None, reason)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("while True: pass", "time limit"),
        ("try:\n    while True: pass\nexcept BaseException:\n    print('held')", "time limit"),
        ("def f():\n    try:\n        while True: pass\n    finally:\n        f()\nf()", "time limit"),
        ("sum(range(10 ** 11))", "time limit"),
        ("x = 1\nwhile True: x *= x + 1", "time limit"),
        ("import itertools\nfor x in itertools.count(): pass", "time limit"),
        ("while True: print('x' * 1000)", "output limit"),
        ("print('x' * 200_000)", "output limit"),
        ("x = 'a' * 10 ** 10", "memory limit"),
        ("x = bytes(2 ** 30)", "memory limit"),
        ("x = [0] * 10 ** 9", "memory limit"),
        ("x = []\nwhile True: x.append('a' * 10 ** 6 + str(len(x)))", "memory limit"),
        ("x = 'a'\nwhile True: x += x", "memory limit"),
        ("x = 10 ** 10 ** 9", "memory limit"),
        ("'a'.ljust(10 ** 10)", "memory limit"),
        ("try:\n    x = 'a' * 10 ** 10\nexcept MemoryError:\n    print('held')", "memory limit"),
    ],
)
def test_a_program_without_end_or_measure_is_ended(short: Programs, source: str, reason: str) -> None:
    before = time.monotonic()
    done = short.run(source)
    assert done.output is None
    assert done.reason in (reason, "time limit"), done  # a busy machine reaches the time limit first
    assert time.monotonic() - before < 60, "it would never end; a busy machine takes a while"
    assert short.run("print(1)") == Printed("1\n")


@pytest.mark.parametrize(
    "source",
    [
        "def f(n): return f(n + 1)\nf(0)",
        "(lambda f: f(f))(lambda f: f(f))",
        "x = []\nfor _ in range(10 ** 5): x = [x]\nprint(x)",
        "(" * 10_000,
        "print(" + "-" * 50_000 + "1)",
        "print(" + "1+" * 30_000 + "1)",
        "print('\0')",
        "print('\ud800')",
        "x = '" + "a" * 200_000 + "'",
        "9" * 5_000,
        "import json\njson.loads('[' * 10 ** 5)",
        "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')\nraise SystemExit",
    ],
)
def test_a_deep_or_odd_program_ends_with_a_reason(short: Programs, source: str) -> None:
    assert short.run(source).reason
    assert short.run("print(1)") == Printed("1\n")


def test_a_large_last_value_is_not_handed_over(programs: Programs) -> None:
    assert programs.run("print(1)\n[0] * 10 ** 6") == Printed("1\n")


WAYS_OUT = {
    "a file": "print(open({path!r}).read())",
    "a file through a path": "from pathlib import Path\nprint(Path({path!r}).read_text())",
    "writing": "open({path!r}, 'w').write('x')",
    "a folder": "import os\nprint(os.listdir('/'))",
    "the environment": "import os\nprint(os.environ, os.getenv('SELFKNOW_TOKEN'))",
    "the system": "import os\nos.system('true')",
    "a fork": "import os\nos.fork()",
    "a process": "import subprocess\nprint(subprocess.run(['true']))",
    "another process": "import multiprocessing\nprint(multiprocessing.Process(target=print).start())",
    "a thread": "import threading\nthreading.Thread(target=print).start()",
    "a named socket": "import socket\nsocket.socket(socket.AF_UNIX).connect({socket!r})",
    "a socket": "import socket\nsocket.create_connection(('127.0.0.1', 1))",
    "an address": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:1')",
    "the C library": "import ctypes\nctypes.CDLL(None).getpid()",
    "shared memory": "from multiprocessing import shared_memory\nshared_memory.SharedMemory(create=True, size=10)",
    "shared memory of System V": "import ctypes\nctypes.CDLL(None).shmget(0, 64 * 2 ** 20, 0o1600)",
    "a map of memory": "import mmap\nmmap.mmap(-1, 4096)",
    "a signal": "import os, signal\nos.kill({pid}, signal.SIGKILL)",
    "a session of its own": "import os\nos.setsid()",
    "endless empty files": "for number in range(10 ** 5):\n    open(str(number), 'w').close()",
    "subclasses": "print(().__class__.__base__.__subclasses__())",
    "globals of a function": "def f(): pass\nprint(f.__globals__)",
    "a frame": "import sys\nprint(sys._getframe())",
    "builtins": "print(__builtins__)",
    "an import by name": "import importlib\nprint(importlib.import_module('os'))",
    "a pickle": "import pickle\npickle.loads(b'')",
    "asynchronous code": "import asyncio\nasyncio.run(asyncio.sleep(60))",
    "a long sleep": "import time\ntime.sleep(3600)",
}


@pytest.fixture
def outside() -> Iterator[dict[str, object]]:
    """A file and a named socket that everybody may read and write, and a process."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        secret, named = Path(folder) / "secret", Path(folder) / "socket"
        secret.write_text("hunter2")
        listening.bind(str(named))
        listening.listen()
        listening.settimeout(0.05)
        for path, mode in ((Path(folder), 0o777), (secret, 0o666), (named, 0o666)):
            path.chmod(mode)
        yield {"path": str(secret), "socket": str(named), "pid": os.getpid()}
        with pytest.raises(TimeoutError):
            listening.accept()
        assert secret.read_text() == "hunter2"
        assert sorted(path.name for path in Path(folder).iterdir()) == ["secret", "socket"]


# A program is stopped by its source, before, and by the interpreter: here by that alone.
ALONE = """
import json, os, sys
from pydantic_monty import CollectString, Monty, MontyError
held, (binary, user) = [], sys.argv[1:]
if user != "as it is":
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    assert os.getuid() == 65534
with Monty(binary_path=binary, min_processes=1) as pool:
    for program in json.load(sys.stdin):
        printed = CollectString()
        limits = {"max_feed_duration_secs": 1.0, "max_memory": 64 << 20}
        try:
            with pool.checkout(limits=limits, os_policy={"sleep": "zero"}) as session:
                session.feed_run(program + "\\nprint('held not')", print_callback=printed)
        except MontyError as error:
            pass
        held.append(printed.output)
json.dump(held, sys.stdout)
"""


@pytest.mark.parametrize("user", ["as it is", "a plain user"])
def test_the_interpreter_itself_has_no_way_out(user: str, outside: dict[str, object]) -> None:
    if user == "a plain user" and os.getuid() != 0:
        pytest.skip("only root can become another user")
    binary = Path(str(outside["path"])).parent.with_suffix(".monty")  # where everybody may run it
    shutil.copy(Path(sys.executable).parent / "monty", binary)
    sources = {name: source.format(**outside) for name, source in WAYS_OUT.items()}
    try:
        done = subprocess.run(
            [sys.executable, "-c", ALONE, str(binary), user],
            input=json.dumps(list(sources.values())),
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
            env={"SELFKNOW_TOKEN": "hunter2", "PATH": os.environ["PATH"]},
        )
    finally:
        binary.unlink()
    assert done.returncode == 0, done.stderr
    printed = dict(zip(sources, json.loads(done.stdout), strict=True))
    harmless = {"a long sleep", "asynchronous code"}  # they come back at once
    assert {name for name, text in printed.items() if "held not" in text} <= harmless, printed
    assert not any("hunter2" in text for text in printed.values())


@pytest.mark.parametrize("name", WAYS_OUT)
def test_no_way_out_is_a_result(name: str, short: Programs, outside: dict[str, object]) -> None:
    done = short.run(WAYS_OUT[name].format(**outside))
    assert done.output is None
    assert done.reason


def test_nothing_is_left_of_a_program_that_was_stopped() -> None:
    def children() -> set[str]:
        found = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "args="], capture_output=True, text=True)
        return {line for line in found.stdout.splitlines() if "monty" in line}

    before = children()
    with Programs(Limits(seconds=1.0)) as opened:
        assert opened.run("x = 1\nwhile True: x *= x + 1").reason in ("time limit", "memory limit")
        assert opened.run("print(1)") == Printed("1\n")
    assert children() == before


def test_nothing_is_left_behind_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with Programs(SHORT) as opened:
        opened.run("open('x', 'w').write('x')")
        opened.run("while True: pass")
    assert not list(tmp_path.iterdir())


def test_the_missing_extra_is_named_with_its_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    with Programs() as opened, pytest.raises(MissingExtraError, match=r"pip install 'selfknow\[programs\]'"):
        opened.run("print(1)")
