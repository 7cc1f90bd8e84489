"""The command line in this process, which has imported torch and the rest already; torch in one thread; CPython."""

import os
import sys
from collections.abc import Callable, Iterator

import pytest

from selfknow.cli import main
from selfknow.downloads import DownloadError
from selfknow.evaluate.tasks.self_knowledge.sandbox import compiled_cpython

Command = Callable[..., tuple[object, str, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run ``selfknow`` with arguments and ``--format json``; its exit code, stdout and stderr."""

    def run(*arguments: object) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["selfknow", *map(str, arguments), "--format", "json"])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Models this small are faster in one thread than in several that wait for each other."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def cpython() -> None:
    """CPython for programs, compiled once for all tests; where no packages can be had, tests that run one are left out.

    In CI that is a failure.
    """
    try:
        compiled_cpython()
    except DownloadError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"programs cannot be run: {error}")
