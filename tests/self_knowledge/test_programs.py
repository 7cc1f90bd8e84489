"""Programs that models write print what CPython prints, or null with the reason; and they reach nothing."""

import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfknow.errors import MissingExtraError
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.tasks.self_knowledge.programs import Limits, Programs
from tests.warm_python import WarmPython

SHORT = Limits(seconds=1.0, memory_in_bytes=64 * 1024 * 1024, output_in_bytes=100_000)
CHANGES = "prints something else each time, on another machine or in another version of Python"


@pytest.fixture(scope="module")
def programs(cpython: None) -> Programs:
    return Programs()


@pytest.fixture(scope="module")
def short(cpython: None) -> Programs:
    return Programs(SHORT)


def test_a_program_prints_and_ends(programs: Programs) -> None:
    source = "import math, collections\nprint(math.comb(10, 3))\nif __name__ == '__main__':\n    print('main')"
    assert programs.run(source) == Outcome("120\nmain\n")


def test_one_program_knows_nothing_of_another(programs: Programs) -> None:
    assert programs.run("value = 1\nround = None\nprint(value)") == Outcome("1\n")
    assert programs.run("print(value)").value is None
    assert programs.run("print(round(2.675, 2))") == Outcome("2.67\n")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("print('before')\nraise KeyError('no')", "the program ended with: KeyError"),
        ("print(1 / 0)", "the program ended with: ZeroDivisionError"),
        ("print(value)", "the program ended with: NameError"),
        ("def", "the program ended with: SyntaxError"),
        ("  print(1)", "the program ended with: IndentationError"),
        ("import json\njson.loads('[')", "the program ended with: JSONDecodeError"),
        ("raise SystemExit(3)", "the program ended with an error"),
        ("print('\0')", "the program ended with: SyntaxError"),
        ("print('\ud800')", "the program ended with: SyntaxError"),
        ("x = '" + "a" * 200_000 + "'", "longer than 100,000 characters"),
    ],
)
def test_a_program_that_fails_has_no_output(programs: Programs, source: str, reason: str) -> None:
    assert programs.run(source) == Outcome(None, reason)


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("class A:\n    x = 1\nclass B(A):\n    def __len__(self): return self.x\nprint(len(B()))", "1\n"),
        ("def f():\n    yield 1\nprint(list(f()))", "[1]\n"),
        ("import heapq, string\nprint(heapq.nsmallest(2, [3, 1, 2]), string.digits)", "[1, 2] 0123456789\n"),
        ("print((5).bit_length())\nexit()", "3\n"),
        ("from collections import OrderedDict\nprint(OrderedDict(a=1)['a'], OrderedDict())", "1 OrderedDict()\n"),
        (
            "try:\n    1 // 0\nexcept ArithmeticError as error:\n    print(error)",
            "integer division or modulo by zero\n",
        ),
        ("print({1: 'a', True: 'b'}, [[...]])", "{1: 'b'} [[Ellipsis]]\n"),
        ("import re\nprint(re.compile('a+').findall('aab'), 2**3)", "['aa'] 8\n"),
        ("import random\nrandom.seed(42)\nprint(random.randint(1, 100))", "82\n"),
        ("import time\ntime.sleep(3600)\nprint('awake')", "awake\n"),
        ("print(sum([1, 2]), sum([[1], [2]], []), sum([0.5, 0.25]))", "3 [1, 2] 0.75\n"),
        (
            "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass P:\n    x: int\nprint({P(1): 2}[P(1)])",
            "2\n",
        ),
        ("print('é', '日本')", "é 日本\n"),
        (
            "import math\nprint(math.sqrt(2), math.log10(1000), f'{1.05 ** 10:.4f}', 2 ** 100 % 7, 0.5 ** 2)",
            "1.4142135623730951 3.0 1.6289 2 0.25\n",
        ),
        ("def f(n): return n and 1 + f(n - 1)\nprint(f(900))", "900\n"),
    ],
)
def test_what_cpython_prints_is_known(programs: Programs, source: str, output: str) -> None:
    assert programs.run(source) == Outcome(output)


@pytest.mark.parametrize(
    "source",
    [
        "print({'b', 'a'})",
        "for x in {'b', 'a'}: print(x)",
        "print(frozenset('ab'))",
        "x = {'a', 'b'}\nprint(x.pop())",
        "print([*{x for x in 'ab'}])",
        "print({'a': 1, 'b': 2}.keys() & {'a', 'b'})",
        "print(','.join({'a', 'b'} | {'c'}))",
        "a, b = {'a', 'b'}\nprint(a)",
        "print({(1, 2), (3, 4)})",  # hashes of 32 bits differ from those of 64
        "print(list({0.5, 1.5}))",
        "print({10**12, 7})",
        "print({-5, 3})",
        "print(hash('a') % 2)",
        "print(hash((1, 2)))",
        "print(hash(10**12))",
        "print(id(1) > 2**31)",
        "from collections import OrderedDict\nprint(OrderedDict(a=1))",  # 3.11 shows pairs
        "print(sum([0.1] * 10))",  # 3.12 adds up more exactly than 3.11
        "print(1.1 ** 3)",  # C libraries differ
        "x = 1.1\nx **= 3\nprint(x)",
        "import math\nprint(math.sin(1))",
        "import math\nprint(math.log(125, 5), math.cbrt(27))",  # not 3.0 everywhere
        "from math import exp\nprint(exp(1))",
        "import time\nstart = time.time()\nprint(f'{time.time() - start:.1f}')",
        "import datetime\nprint(datetime.date.today().year)",
        "import datetime\nprint('late' if datetime.datetime.now().hour > 12 else 'early')",
    ],
)
def test_what_may_be_another_elsewhere_is_null(programs: Programs, source: str) -> None:
    assert programs.run(source) == Outcome(None, CHANGES)


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("print({3, 1, 2}, list({7, 5}))", "{1, 2, 3} [5, 7]\n"),
        ("print(sorted({'b', 'a'}), len(set('abca')), 'a' in {'a', 'b'})", "['a', 'b'] 3 True\n"),
        ("print({'a'}, set(), frozenset(), {'a'} == {'a'})", "{'a'} set() frozenset() True\n"),
        ("print(type({1}), type({'a', 'b'} - {'a'}), isinstance({1}, set))", "<class 'set'> <class 'set'> True\n"),
        ("print(max({'b', 'a'}), sum({1, 2}), {'a', 'b'} <= {'a', 'b', 'c'})", "b 3 True\n"),
        ("s = {1}\ns |= {2}\ns.add(3)\ns.discard(1)\nprint(s, s.pop(), s)", "{3} 2 {3}\n"),
        ("print(hash(5), hash(True), hash('a') == hash('a'), id(int) == id(int))", "5 1 True True\n"),
    ],
)
def test_a_set_that_shows_no_order_is_no_doubt(programs: Programs, source: str, output: str) -> None:
    assert programs.run(source) == Outcome(output)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import random\nprint(random.randint(1, 1))", "draws random numbers, which differ each time"),
        ("import sys\nprint(sys.maxsize)", "uses sys.maxsize, which may differ between machines"),
        ("from sys import maxsize as m\nprint(m)", "uses sys.maxsize, which may differ between machines"),
        ("import sys\nprint(getattr(sys, 'maxsize'))", "uses maxsize, which may differ between machines"),
        ("print((1, 2).__hash__())", "uses __hash__, which may differ between machines"),
        ("import struct\nprint(struct.calcsize('l'))", "uses struct, which may differ between machines"),
        ("print(eval(\"{'a', 'b'}\"))", "uses eval, which may differ between machines"),
        ("from os import path\nprint(path.abspath('.'))", "uses os.path, which may differ between machines"),
        ("import os\nprint(os.getcwd())", "uses os.getcwd, which may differ between machines"),
        ("def f(): pass\nprint(f)", "prints an address, another one each time"),
        (
            "try:\n    print(len(range(10**12)))\nexcept OverflowError:\n    print('too long')",
            "reaches a limit of the sandbox: OverflowError",
        ),
        (
            "try:\n    x = 'a' * 10**9\nexcept MemoryError:\n    print('too long')",
            "reaches a limit of the sandbox: MemoryError",
        ),
        (
            "try:\n    open('notes.txt', 'w')\nexcept OSError:\n    print('no')",
            "reaches a limit of the sandbox: FileNotFoundError",
        ),
        (
            "try:\n    max([])\nexcept ValueError as error:\n    print(error)",
            "raises an error that other versions of Python word otherwise: ValueError",
        ),
        (
            "try:\n    import numpy\nexcept ImportError:\n    print('no')",
            "reaches a limit of the sandbox: ModuleNotFoundError",
        ),
    ],
)
def test_what_shows_the_sandbox_is_null_with_its_reason(programs: Programs, source: str, reason: str) -> None:
    assert programs.run(source) == Outcome(None, reason)


def test_deep_recursion_through_c_is_null_with_its_reason(programs: Programs) -> None:
    source = "import functools\n@functools.lru_cache(None)\ndef f(n): return n and 1 + f(n - 1)\nprint(f({}))"
    assert programs.run(source.format(20)) == Outcome("20\n")
    reason = programs.run(source.format(400)).reason
    assert reason is not None
    assert reason.startswith("the interpreter that runs programs ended: "), reason


def test_a_trap_ends_no_process_whoever_handles_its_signals(cpython: None, python: WarmPython) -> None:
    code = (
        "import signal\nfrom selfknow.evaluate.tasks.self_knowledge.programs import Programs\nprograms = Programs()\n"
    )
    code += "programs.run('print(1)')\nsignal.signal(signal.SIGSEGV, signal.SIG_DFL)\n"
    deep = "import functools\n@functools.lru_cache(None)\ndef f(n): return n and 1 + f(n - 1)\nprint(f(400))"
    process = python.run("-c", f"{code}print(programs.run({deep!r}).reason)")
    assert (process.returncode, process.stdout.partition(": ")[0]) == (0, "the interpreter that runs programs ended")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("while True: pass", "time limit"),
        ("try:\n    while True: pass\nexcept BaseException:\n    print('held')", "time limit"),
        ("x = 1\nwhile True: x *= x + 1", "time limit"),
        ("while True: print('x' * 1000)", "output limit"),
        ("print('x' * 200_000)", "output limit"),
        ("import sys\nwhile True: print('x' * 1000, file=sys.stderr)", "output limit"),
        ("x = bytes(2 ** 30)", "memory limit"),
        ("x = []\nwhile True: x.append('a' * 10 ** 6 + str(len(x)))", "memory limit"),
    ],
)
def test_a_program_without_end_or_measure_is_ended(short: Programs, source: str, reason: str) -> None:
    before = time.monotonic()
    outcome = short.run(source)
    assert outcome.value is None
    assert outcome.reason in (reason, "time limit"), outcome  # a busy machine reaches the time limit first
    assert time.monotonic() - before < 60, "it would never end; a busy machine takes a while"
    assert short.run("print(1)") == Outcome("1\n")


@pytest.mark.parametrize(
    "source",
    [
        "def f(n): return f(n + 1)\nf(0)",
        "x = []\nfor _ in range(10 ** 5): x = [x]\nprint(x)",
        "print(" + "(" * 5_000 + ")" * 5_000 + ")",
        "print(" + "-" * 50_000 + "1)",
        "print(" + "1+" * 30_000 + "1)",
        "9" * 5_000,
        "import json\njson.loads('[' * 10 ** 5)",
    ],
)
def test_a_deep_or_odd_program_ends_with_a_reason(short: Programs, source: str) -> None:
    assert short.run(source).reason
    assert short.run("print(1)") == Outcome("1\n")


WAYS_OUT = {
    "a file": "print(open({path!r}).read())",
    "a file through a path": "from pathlib import Path\nprint(Path({path!r}).read_text())",
    "a file through a descriptor": "import os\nprint([os.read(number, 9) for number in range(3, 20)])",
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
    "a map of memory": "import mmap\nmmap.mmap(-1, 4096)",
    "a signal": "import os, signal\nos.kill({pid}, signal.SIGKILL)",
    "input": "print(input())",
    "endless empty files": "for number in range(10 ** 5):\n    open(str(number), 'w').close()",
    "subclasses": "print(().__class__.__base__.__subclasses__())",
    "a frame": "import sys\nprint(sys._getframe())",
    "an import by name": "import importlib\nprint(importlib.import_module('os').getcwd(), __import__('os'))",
}


@pytest.fixture(scope="module")
def outside() -> Iterator[dict[str, object]]:
    """Yield a file and a named socket that everybody may read and write, and a process."""
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


@pytest.mark.parametrize("name", WAYS_OUT)
def test_no_way_out_is_a_result(name: str, short: Programs, outside: dict[str, object]) -> None:
    outcome = short.run(WAYS_OUT[name].format(**outside))
    assert outcome.value is None
    assert outcome.reason


def test_a_program_that_catches_everything_reads_no_file(short: Programs, outside: dict[str, object]) -> None:
    source = "try:\n    print(open({path!r}).read())\nexcept BaseException as error:\n    print(type(error))"
    lacks = "reaches a limit of the sandbox: FileNotFoundError"
    assert short.run(source.format(**outside)) == Outcome(None, lacks)


def test_nothing_is_left_behind_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short: Programs) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    short.run("open('x', 'w').write('x')")
    short.run("print('x' * 10 ** 6)")
    assert not list(tmp_path.iterdir())


def test_the_missing_extra_is_named_with_its_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'selfknow\[programs\]'"):
        Programs().run("print(1)")
