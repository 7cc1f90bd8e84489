"""Pages show real commands with their real output; test_guides.py runs the others, test_core_only.py the README."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.warm_python import WarmPython

PAGES = ("corpora.md", "index.md", "models.md", "portraits.md")
DOCUMENTS = [REPOSITORY / "docs" / name for name in PAGES]


def console_blocks(text: str, language: str = "console") -> list[tuple[str, str]]:
    """Return each ``console`` block's commands with the output below them."""
    blocks = re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE) if part]
    return [tuple(part.split("\n", 1)) for part in parts]


def printing_blocks(text: str) -> list[tuple[str, str]]:
    """Yield each ``python`` block with its ``text`` block of output; empty if there is none."""
    output = r"(?:\n\n^```text\n(.*?)^```$)?"
    return re.findall(r"^```python\n(.*?)^```$" + output, text, flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module", params=DOCUMENTS, ids=lambda path: path.name)
def document(request: pytest.FixtureRequest) -> str:
    text: str = request.param.read_text()
    return text


@pytest.fixture(scope="module")
def folder(document: str, tmp_path_factory: pytest.TempPathFactory, python: WarmPython) -> Path:
    """Run the document's commands in a folder; the output of each is in ``printed-NUMBER``."""
    folder = tmp_path_factory.mktemp("document")
    for number, (command, _) in enumerate(console_blocks(document)):
        arguments = [path for word in shlex.split(command) for path in expanded(word, folder)]
        assert arguments[0] == "selfknow"
        result = python.run("-m", *arguments, cwd=folder)
        assert result.returncode == 0, result.stderr
        (folder / f"printed-{number}").write_text(result.stdout)
    return folder


def expanded(word: str, folder: Path) -> list[str]:
    """Expand a word as a shell does: into the paths that match a pattern, or the word itself."""
    is_pattern = "*" in word and " " not in word
    return sorted(str(path.relative_to(folder)) for path in folder.glob(word)) if is_pattern else [word]


def test_commands_print_what_the_document_shows(document: str, folder: Path) -> None:
    blocks = console_blocks(document)
    assert blocks or printing_blocks(document)
    for number, (command, expected) in enumerate(blocks):
        assert (folder / f"printed-{number}").read_text() == expected, command


def test_python_in_the_document_prints_what_is_shown(document: str, folder: Path, python: WarmPython) -> None:
    for block, expected in printing_blocks(document):
        result = python.run("-c", block, cwd=folder)
        assert result.returncode == 0, result.stderr
        assert not expected or result.stdout == expected, block


def test_the_projects_words_name_no_machine() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    for path in tracked.stdout.split():
        content = (REPOSITORY / path).read_bytes() if (REPOSITORY / path).is_file() else b""
        assert not re.search(rb"(?<![\w.])/(?:home|root|Users)/\w", content), path
