"""What the tests of all rooms share: corpora that are built once, and the command line in a process of its own."""

import os
import subprocess
from collections.abc import Callable, Iterator
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
from tests.warm_python import WarmPython

REPOSITORY = Path(__file__).resolve().parent.parent

# On a busy machine any example may take any time.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

Run = Callable[..., subprocess.CompletedProcess[str]]


# The files that take longest begin: else a worker would be alone with one of them at the end.
LONGEST = (
    *("test_tuning.py", "test_training.py", "test_matrix.py", "test_docs.py", "test_running.py", "test_small_model.py"),
    *("test_copying_model.py", "test_bad_network.py", "test_publish.py", "test_faults.py", "test_suite.py"),
    *("test_self_knowledge.py", "test_four_tasks.py", "test_images.py", "test_continuous_batching.py"),
    *("test_portraits.py", "test_people.py", "test_quoting_model.py", "test_demo.py", "test_distributed.py"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this run have: what one has made there the others need not make again."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True, scope="session")
def fresh_hugging_face_home(shared_folder: Path) -> None:
    """Hide whatever this machine has cached: a warm cache hides failures."""
    os.environ["HF_HOME"] = str(shared_folder / "hugging_face_home")
    os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
    os.environ["XDG_CACHE_HOME"] = str(shared_folder / "cache")


@pytest.fixture(autouse=True, scope="session")
def one_certificate(shared_folder: Path) -> None:
    """Every HTTP client reads all certificates of this machine, for plain HTTP too, which takes longer than a reply."""
    path = shared_folder / "certificate.pem"
    with FileLock(f"{path}.lock"):
        if not path.exists():
            first = Path(certifi.where()).read_text(encoding="utf-8").partition("END CERTIFICATE-----")
            path.write_text("".join([*first[:2], "\n"]), encoding="utf-8")
    os.environ["SSL_CERT_FILE"] = str(path)


@pytest.fixture(autouse=True, scope="session")
def commands_are_made_once() -> Iterator[None]:
    """Typer makes all commands of a program anew for each call in this process, which takes longer than most calls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session")
def python(fresh_hugging_face_home: None, one_certificate: None, shared_folder: Path) -> WarmPython:
    """Run ``python ARGUMENTS`` as a process that has imported the heavy libraries already."""
    return WarmPython(shared_folder, os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid())


@pytest.fixture
def selfknow(python: WarmPython, tmp_path: Path) -> Run:
    """Run ``selfknow`` with arguments, in an empty folder, and return what it printed and its exit code."""

    def run(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        return python.run("-m", "selfknow", *arguments, **{"cwd": tmp_path, **options})

    return run


@pytest.fixture(scope="session")
def small_corpora(shared_folder: Path) -> Path:
    """A dataset folder with ``1k`` and ``1k-simplified``; copy it before changing it."""
    return _built(shared_folder / "small" / "diary-recall", ["1k", "1k-simplified"])


@pytest.fixture(scope="session")
def all_corpora(shared_folder: Path) -> Path:
    """A dataset folder with all 14 configs of diary recall."""
    return _built(shared_folder / "all" / "diary-recall", [])


@pytest.fixture(scope="session")
def replies(shared_folder: Path) -> Path:
    """What real models replied: the dataset folder ``model-replies``, its run folders in ``runs``."""
    return _built(shared_folder / "all" / "model-replies", [])


def _built(folder: Path, configs: list[str]) -> Path:
    folder.parent.mkdir(exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            dataset = find_dataset(folder.name)
            build_folder(dataset, find_configs(dataset, configs, seed=0), folder, jobs=2)
    return folder
