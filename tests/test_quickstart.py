"""docs/quickstart.ipynb: its first cell installs, and the others print the output in the notebook."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.conftest import REPOSITORY
from tests.warm_python import WarmPython

NOTEBOOK = REPOSITORY / "docs" / "quickstart.ipynb"
# Runs the cells one after another, as a kernel does, and prints what each printed as JSON.
KERNEL = """
import contextlib, io, json, sys

names, printed = {"__name__": "__main__"}, []
for number, cell in enumerate(json.load(open(sys.argv[1]))):
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        exec(compile(cell, f"cell {number}", "exec"), names)
    printed.append(stdout.getvalue())
chart = names["chart"].to_dict()
json.dump({"printed": printed, "rows": len(chart["data"]["values"])}, open("printed.json", "w"))
"""


def test_the_notebook_runs_as_it_stands(python: WarmPython, tmp_path: Path) -> None:
    notebook = json.loads(NOTEBOOK.read_text())
    first, *cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in (first, *cells)]  # what is installed here is not installed again
    (tmp_path / "cells.json").write_text(json.dumps(sources))
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    process = python.run("-c", KERNEL, "cells.json", cwd=tmp_path, env=environment)
    assert process.returncode == 0, process.stderr
    result = json.loads((tmp_path / "printed.json").read_text())
    shown = ["".join(text for output in cell["outputs"] for text in output.get("text", [])) for cell in cells]
    assert result["printed"] == ["", *shown]
    assert result["rows"] == 4
    assert "image/png" in cells[-1]["outputs"][0]["data"], "the figure is in the notebook, for who only reads it"


def install(folder: Path, source: str = "") -> subprocess.CompletedProcess[str]:
    """Run the first cell where selfknow is not installed; pip installs into the folder ``site``, and no dependency."""
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    code = "".join(cells[0]["source"]).replace('SOURCE = ""', f"SOURCE = {source!r}")
    settings = {"PIP_TARGET": str(folder / "site"), "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1"}
    command = [sys.executable, "-I", "-S", "-c", code]
    return subprocess.run(command, cwd=folder, env=os.environ | settings, capture_output=True, text=True, check=False)


def test_the_first_cell_installs_a_wheel_or_says_what_it_needs(tmp_path: Path) -> None:
    needs = install(tmp_path)
    assert needs.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: selfknow is in no index yet: put its wheel beside this notebook, or fill in SOURCE"
    )
    refused = install(tmp_path, "git+file:///nowhere/selfknow")
    assert refused.returncode != 0
    assert "selfknow[report] @ git+file:///nowhere/selfknow" in refused.stderr, "pip is given the address"
    wheel = tmp_path / "selfknow-0.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("selfknow/__init__.py", "")
        about = "Metadata-Version: 2.1\nName: selfknow\nVersion: 0.0\nProvides-Extra: report\n"
        file.writestr("selfknow-0.0.dist-info/METADATA", about)
        file.writestr("selfknow-0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("selfknow-0.0.dist-info/RECORD", "")
    assert install(tmp_path).returncode == 0
    assert (tmp_path / "site" / "selfknow" / "__init__.py").is_file()
