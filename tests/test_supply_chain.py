"""The package's dependencies are listed and pinned, and none of its code unpickles files."""

import ast
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from selfknow.errors import UserError
from tests.benchmark_modules import import_benchmark
from tests.conftest import REPOSITORY

ROOMS = ("builders", "datasets_src", "evaluate", "portraits", "train", "validation", "src/selfknow/cli", "src/selfknow")
PICKLES = {"pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}
WORDS = re.compile(rf"{'|'.join(sorted(PICKLES))}|load")
"""A word in all code that unpickles; code without it is not parsed, which would take long."""
PYPROJECT = (REPOSITORY / "pyproject.toml").read_text()


@pytest.fixture(scope="module")
def dependencies() -> ModuleType:
    """Import the benchmark that compares the page with the packages; it is not in the package."""
    return import_benchmark("dependencies")


def modules() -> Iterator[tuple[str, str]]:
    paths = {path.resolve() for room in ROOMS for path in (REPOSITORY / room).rglob("*.py")}
    for path in sorted(paths):
        yield str(path.relative_to(REPOSITORY.resolve())), path.read_text()


def has_unpickling(source: str) -> bool:
    """Check for code that unpickles."""
    return bool(WORDS.search(source)) and any(unpickles(node) for node in ast.walk(ast.parse(source)))


def unpickles(node: ast.AST) -> bool:
    """Check for an import of a module that unpickles, or a call of a loader that may."""
    match node:
        case ast.Import(names=names):
            return any(name.name.partition(".")[0] in PICKLES for name in names)
        case ast.ImportFrom(module=str(module)):
            return module.partition(".")[0] in PICKLES
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="load")):
            return not any(
                key.arg == "weights_only" and getattr(key.value, "value", None) is True for key in node.keywords
            )
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="load")):
            return not any(
                key.arg == "allow_pickle" and getattr(key.value, "value", None) is False for key in node.keywords
            )
    return False


def test_nothing_is_unpickled() -> None:
    checked = list(modules())
    assert len(checked) > 200
    assert [path for path, source in checked if has_unpickling(source)] == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "torch.load(path)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
    ],
)
def test_what_unpickles_is_seen(source: str) -> None:
    assert has_unpickling(source)


class Runs:
    """The content of a hostile file of weights: unpickled, it makes a folder."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.place),)


@pytest.mark.models
def test_weights_that_are_a_program_are_refused_and_not_run(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="the extra [models] is not installed")
    from selfknow.models.checkpoints import load_model
    from tests.tiny_models import tiny_config

    tiny_config("opt", 64).save_pretrained(tmp_path / "model")
    torch.save({"weight": Runs(tmp_path / "owned")}, tmp_path / "model" / "pytorch_model.bin")
    with pytest.raises(UserError, match="weights that are a program"):
        load_model(str(tmp_path / "model"))
    assert not (tmp_path / "owned").exists()
    torch.load(tmp_path / "model" / "pytorch_model.bin", weights_only=False)
    assert (tmp_path / "owned").exists(), "whoever unpickled it would have run it"


def test_every_dependency_is_on_the_page_with_its_reason(dependencies: ModuleType) -> None:
    page = (REPOSITORY / "docs/dependencies.md").read_text()
    assert set(dependencies.listed_packages(page)) == set(dependencies.declared_packages(PYPROJECT))
    assert all(len(row.strip("| ").split(" | ")) >= 3 for row in re.findall(r"^\| \w.*$", page, flags=re.MULTILINE))


def test_what_the_demo_installs_can_score_what_it_asks() -> None:
    extras = tomllib.loads(PYPROJECT)["project"]["optional-dependencies"]
    match = re.search(
        r'ci/environment \$\(PYTHON\) \.venv --editable "\.\[([a-z,]+)\]"\n', (REPOSITORY / "Makefile").read_text()
    )
    assert match
    needed = [requirement for extra in match[1].split(",") for requirement in extras[extra]]
    assert "selfknow[rouge]" in needed  # the King James Bible's questions have long answers
    assert {"torch", "altair", "great-expectations"} <= {requirement.partition(">=")[0] for requirement in needed}


def test_every_dependency_is_pinned(dependencies: ModuleType) -> None:
    pins = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in (REPOSITORY / "constraints.txt").read_text().splitlines()
    }
    assert [name for name in dependencies.declared_packages(PYPROJECT) if name.lower() not in pins] == []


def test_a_pinned_package_without_a_licence_fails_the_audit_and_one_that_is_not_pinned_does_not(
    dependencies: ModuleType,
) -> None:
    rows = [("Pin_ned", "1", "unknown"), ("licensed", "1", "MIT"), ("cuda-toolkit", "13", "unknown")]
    constraints = "# a comment\npin-ned==1\nlicensed==1\n"
    assert dependencies.unlicensed_pins(rows, constraints) == ["Pin_ned"]
