"""Fixtures for the tests of all rooms: corpora that are built once, and the command line."""

import csv
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import certifi
import pytest
import typer.testing
from filelock import FileLock
from hypothesis import HealthCheck, settings

from selfknow.builders.catalogue import find_configs, find_dataset
from selfknow.builders.folder.write import build_folder
from tests import in_process
from tests.warm_python import WarmPython

REPOSITORY = Path(__file__).resolve().parent.parent

# On a busy machine any example may take any time.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

Run = Callable[..., subprocess.CompletedProcess[str]]


# CPU seconds of the files that take more than 1.5, as `python -m benchmarks.suite_times` records them.
SLOW_FILES = {
    REPOSITORY / path: float(seconds)
    for path, seconds in csv.reader((REPOSITORY / "tests" / "slow_files.tsv").open(encoding="utf-8"), delimiter="\t")
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out the files of tests/slow_files.tsv")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.getoption("--quick") and collection_path in SLOW_FILES else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the slowest files first: at the end a worker would be alone with one of them."""
    items.sort(key=lambda item: -SLOW_FILES.get(item.path, 0.0))


@pytest.fixture(scope="session")
def full_suite(request: pytest.FixtureRequest) -> bool:
    """Return true if tests of the full suite run, so that only then their fixtures are made."""
    return any(item.get_closest_marker("full") for item in request.session.items)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all workers of this run share, so that only one of them makes each fixture."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True, scope="session")
def fresh_hugging_face_home(shared_folder: Path) -> None:
    """Hide the caches of this machine: a warm cache hides failures."""
    os.environ["HF_HOME"] = str(shared_folder / "hugging_face_home")
    os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
    os.environ["XDG_CACHE_HOME"] = str(shared_folder / "cache")


@pytest.fixture(autouse=True, scope="session")
def one_certificate(shared_folder: Path) -> None:
    """Load one certificate instead of all: every HTTP client loads them, which takes longer than a reply."""
    path = shared_folder / "certificate.pem"
    with FileLock(f"{path}.lock"):
        if not path.exists():
            first = Path(certifi.where()).read_text(encoding="utf-8").partition("END CERTIFICATE-----")
            path.write_text("".join([*first[:2], "\n"]), encoding="utf-8")
    os.environ["SSL_CERT_FILE"] = str(path)


@pytest.fixture(autouse=True, scope="session")
def commands_are_made_once() -> Iterator[None]:
    """Cache the commands that Typer makes anew for each call, which takes longer than most calls."""
    get_command = cache(typer.main.get_command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", get_command)
        patch.setattr(typer.main, "get_command", get_command)
        yield


@pytest.fixture(scope="session")
def shared_decider() -> Iterator[None]:
    """Share the process that decides mathematics, which takes seconds to start."""
    from selfknow.evaluate.tasks.self_knowledge import collecting, score
    from selfknow.evaluate.tasks.self_knowledge.deciding import Decider

    with Decider() as shared, pytest.MonkeyPatch.context() as patch:
        for module in (collecting, score):
            patch.setattr(module, "Decider", lambda: nullcontext(shared))
        yield


@pytest.fixture(scope="session")
def python(fresh_hugging_face_home: None, one_certificate: None, shared_folder: Path) -> WarmPython:
    """Run ``python ARGUMENTS`` as a process that has imported the heavy libraries already."""
    return WarmPython(shared_folder, os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid())


@pytest.fixture
def selfknow(tmp_path: Path) -> Run:
    """Run ``selfknow`` with arguments, in this process and an empty folder; return its output and exit code."""
    return lambda *arguments, **options: in_process.run(*arguments, **{"cwd": tmp_path, **options})


@pytest.fixture
def selfknow_process(python: WarmPython, tmp_path: Path) -> Run:
    """Run ``selfknow`` as the fixture above does, but in a process of its own, for tests of the process itself."""

    def run(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        return python.run("-m", "selfknow", *arguments, **{"cwd": tmp_path, **options})

    return run


@pytest.fixture(scope="session")
def small_corpora(shared_folder: Path) -> Path:
    """Build a dataset folder with ``1k`` and ``1k-simplified``; copy it before changing it."""
    return _built(shared_folder / "small" / "diary-recall", ["1k", "1k-simplified"])


@pytest.fixture(scope="session")
def all_corpora(shared_folder: Path) -> Path:
    """Build a dataset folder with all 14 configs of diary recall."""
    return _built(shared_folder / "all" / "diary-recall", [])


@pytest.fixture(scope="session")
def replies(shared_folder: Path) -> Path:
    """Build the dataset folder ``model-replies`` of real models' replies, with its run folders in ``runs``."""
    return _built(shared_folder / "all" / "model-replies", [])


def _built(folder: Path, configs: list[str]) -> Path:
    folder.parent.mkdir(exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            dataset = find_dataset(folder.name)
            build_folder(dataset, find_configs(dataset, configs, seed=0), folder, jobs=2)
    return folder
