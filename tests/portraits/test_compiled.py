"""Compiling where nothing can be kept."""

import os
import subprocess
import sys
from pathlib import Path

CODE = """
from numba.core.caching import CacheImpl
CacheImpl._locator_classes = []  # as where neither the package's folder nor the user's cache can be written
from selfknow.portraits import Portrait
from selfknow.portraits.filter import kernel
print(Portrait.build(["all work and no play makes Jack a dull boy"]).quip(["no play makes Jack a dull"])[0], kernel)
"""


def test_a_read_only_home_costs_only_time(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", CODE],
        env=os.environ | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("1.0 ")
