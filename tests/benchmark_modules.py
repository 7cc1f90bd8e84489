"""The benchmarks' modules, which are in the repository and not in the package."""

import importlib
import sys
from types import ModuleType

import pytest

from tests.conftest import REPOSITORY


def import_benchmark(name: str) -> ModuleType:
    """Import ``benchmarks.NAME``, and remove the repository from Python's path, where it would hide the wheel."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(REPOSITORY)])
        return importlib.import_module(f"benchmarks.{name}")
