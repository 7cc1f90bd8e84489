"""docs/publishing.md, run as it stands: from an empty folder to releases that every client loads, and one refused."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import selfknow
from tests.conftest import REPOSITORY
from tests.warm_python import WarmPython

PAGE = REPOSITORY / "docs" / "publishing.md"
BLOCK = re.compile(r"^```(bash|console|python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
END_OF_STEP = "-- end of step --"


@pytest.mark.full
def test_the_page_does_what_it_says(tmp_path: Path, python: WarmPython) -> None:
    rehearsal = PAGE.read_text().partition("## Publish for real")[0]
    steps = list(_steps(BLOCK.findall(rehearsal)))
    script = "\n".join(f"{code}\necho '{END_OF_STEP}'" for code, _ in steps)
    result = subprocess.run(
        ["bash", "-c", f"set -euo pipefail\ntrap 'kill $(jobs -p)' EXIT\n{script}"],
        cwd=tmp_path,
        env=_environment(tmp_path, python),
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    printed = result.stdout.split(f"{END_OF_STEP}\n")
    for (code, shown), output in zip(steps, printed, strict=False):
        assert shown is None or comparable(output) == comparable(shown), f"{code}\nprinted:\n{output}"


def _steps(blocks: list[tuple[str, str]]) -> list[tuple[str, str | None]]:
    """Return each command or program of the page, as bash, and the output that the page shows for it."""
    steps: list[tuple[str, str | None]] = []
    for language, text in blocks:
        if language == "bash":
            steps.append((text, None))
        elif language == "python":
            steps.append((f"python - <<'END OF PYTHON'\n{text}END OF PYTHON", None))
        elif language == "text":
            steps[-1] = (steps[-1][0], text)
        else:
            commands = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
            steps += [tuple(command.split("\n", 1)) for command in commands]  # type: ignore[misc]
    return steps


def _environment(folder: Path, warm: WarmPython) -> dict[str, str]:
    """Offer what a clone does: `python`, `selfknow`, and the folder `tests` below the current one."""
    (folder / "tests").symlink_to(REPOSITORY / "tests")
    (folder / "bin").mkdir()
    cold = shlex.quote(sys.executable)
    selfknow_program = f'exec {warm.command("-P", "-m", "selfknow")} "$@"'
    python_program = f'test "$1" = - && exec {warm.command()} "$@"\nexec {cold} "$@"'  # a server is one to be killed
    for name, program in (("python", python_program), ("selfknow", selfknow_program)):
        path = folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{program}\n")
        path.chmod(0o755)
    return {name: value for name, value in os.environ.items() if not name.startswith("HF_")} | {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(selfknow.__file__).parents[1]),
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    }


def comparable(text: str) -> str:
    """Return the text without what pyarrow's version decides: the sizes of files, and the widths they give a table."""
    text = re.sub(r" *\b\d{1,3}(,\d{3})+$", " N", text, flags=re.MULTILINE)
    return re.sub(r"-{2,}|(?<=\S) {2,}", "  ", text)
