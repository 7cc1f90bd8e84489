"""docs/quickstart.ipynb: its first cell installs, and the others print the output in the notebook."""

import json
import os
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
    assert "".join(first["source"]) == "%pip install --quiet 'selfknow[report]'"
    (tmp_path / "cells.json").write_text(json.dumps(["".join(cell["source"]) for cell in cells]))
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HF_HOME": str(tmp_path / "home")}
    process = python.run("-c", KERNEL, "cells.json", cwd=tmp_path, env=environment)
    assert process.returncode == 0, process.stderr
    result = json.loads((tmp_path / "printed.json").read_text())
    shown = ["".join(text for output in cell["outputs"] for text in output.get("text", [])) for cell in cells]
    assert result["printed"] == shown
    assert result["rows"] == 4
    assert "image/png" in cells[-1]["outputs"][0]["data"], "the figure is in the notebook, for who only reads it"
