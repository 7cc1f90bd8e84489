"""The guides' console blocks: run in a folder that is prepared for their page, compared, or written again.

    python -m tests.guides                       # write the output of every page's commands again
    python -m tests.guides self-aware.md         # of one page
    python -m tests.guides --replies FOLDER      # with the replies of real models in FOLDER/MODEL/RUN

The tables of queries in ``sql-reference.md`` are written from the heads of the SQL files.
"""

import argparse
import json
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.evaluate.catalogue import TASKS
from selfknow.evaluate.connection import queries
from tests.according_to.quoting_server import ASKED, CORPUS
from tests.conftest import REPOSITORY
from tests.model_replies.linked import RUNS, link_replies
from tests.sql.example_runs import write_examples

DOCS = REPOSITORY / "docs"
REFERENCE = DOCS / "sql-reference.md"
CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
QUERY_TABLES = re.compile(r"(?<=^## Queries\n\n).*?(?=^## )", re.MULTILINE | re.DOTALL)
PAINTER = "http://127.0.0.1:50001"
"""The address that a page shows; a server listens at another one of the same width."""
Addresses = Mapping[str, str]


@contextmanager
def _only_replies(folder: Path) -> Iterator[Addresses]:
    yield {}


@contextmanager
def _scripted_diary_runs(folder: Path) -> Iterator[Addresses]:
    write_examples(folder)
    yield {}


@contextmanager
def _drawn_pictures(folder: Path) -> Iterator[Addresses]:
    from tests.images import picture_server  # needs Pillow, which the core does without

    with picture_server.serve() as address:
        models = f"--image-endpoint {address} --image-model painter --endpoint {address} --model viewer"
        printed(f"selfknow evaluate self-knowledge:image-color {models} --verifier denier --limit 10 --out runs/color")
        printed("selfknow score runs/color")
        yield {PAINTER: address}


@contextmanager
def _small_corpus(folder: Path) -> Iterator[Addresses]:
    (folder / "corpus.txt").write_text("".join(f"{sentence}\n" for sentence in CORPUS.values()))
    (folder / "asked.jsonl").write_text("".join(json.dumps(request) + "\n" for request in ASKED))
    yield {}


PAGES: Mapping[str, Callable[[Path], AbstractContextManager[Addresses]]] = {
    "sql.md": _scripted_diary_runs,
    "self-aware.md": _only_replies,
    "self-knowledge.md": _drawn_pictures,
    "according-to.md": _small_corpus,
    "results.md": _only_replies,
    "integrations.md": _only_replies,
}
"""What each page's folder holds beside the replies of real models."""


@dataclass(frozen=True)
class Output:
    """A command of a page, its output on the page, and its output here."""

    command: str
    shown: str
    printed: str


def printed(command: str) -> str:
    """Return a command's stdout in the current folder; patterns of file names are expanded, in order."""
    program, *words = shlex.split(command)
    assert program == "selfknow"
    arguments = [path for word in words for path in _expanded(word)]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, f"{command}\n{result.stderr}"
    return result.stdout


def _expanded(word: str) -> list[str]:
    is_pattern = "*" in word and " " not in word
    return sorted(map(str, Path().glob(word))) if is_pattern else [word]


@contextmanager
def prepared(page: str, folder: Path, runs: Path = RUNS) -> Iterator[Addresses]:
    """Make the folder of a page's commands the current one, and fill it."""
    link_replies(folder, runs)
    with chdir(folder), PAGES[page](folder) as addresses:
        yield addresses


def outputs(page: str, addresses: Addresses) -> Iterator[Output]:
    """Yield every command of a page, one after the other, with its output here."""
    for block in CONSOLE.findall((DOCS / page).read_text(encoding="utf-8")):
        for command, shown in COMMAND.findall(block):
            text = printed(command)
            for address, listening in addresses.items():
                assert len(address) == len(listening), "or the columns would be wider"
                text = text.replace(listening, address)
            yield Output(command, shown, text)


def query_tables() -> str:
    """Return tables of all queries in Markdown, by task."""
    parts = []
    for name, heading in [*((task.name, f"{task.name}: {task.question}") for task in TASKS), (None, "Any run")]:
        rows = [query for query in queries().values() if query.task == name]
        lines = [f"| `{query.name}` | {query.title} | {query.source} |" for query in rows]
        parts.append("\n".join([f"### {heading}\n", "| query | asks | source |", "| --- | --- | --- |", *lines]))
    return "\n\n".join(parts) + "\n\n"


def write_page(page: str, runs: Path) -> None:
    """Write a page again with its commands' output."""
    with tempfile.TemporaryDirectory() as folder, prepared(page, Path(folder), runs) as addresses:
        new = iter(list(outputs(page, addresses)))

    def block(match: re.Match[str]) -> str:
        return COMMAND.sub(lambda command: f"$ {command[1]}\n{next(new).printed}", match[0])

    path = DOCS / page
    path.write_text(CONSOLE.sub(block, path.read_text(encoding="utf-8")), encoding="utf-8")


def main() -> None:
    """Write the named pages again, or all pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", metavar="PAGE", choices=[*PAGES, REFERENCE.name, []])
    parser.add_argument("--replies", type=Path, default=RUNS, metavar="FOLDER", help="MODEL/RUN below it")
    arguments = parser.parse_args()
    for page in arguments.pages or [*PAGES, REFERENCE.name]:
        if page == REFERENCE.name:
            text = REFERENCE.read_text(encoding="utf-8")
            REFERENCE.write_text(QUERY_TABLES.sub(lambda _: query_tables(), text), encoding="utf-8")
        else:
            write_page(page, arguments.replies)


if __name__ == "__main__":
    main()
