"""Every block of the README, the guides and the cards is run by a test, or a comment below it says why not."""

import re
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import datasets
import duckdb
import pytest

from tests import guides, test_documents
from tests.conftest import REPOSITORY
from tests.shell_blocks import SHELL, Block, blocks, commands, pages, parse, run
from tests.shell_folders import FOLDERS, fill_sheets, write_tiny_model

PAGES = pages()
SHOWN_OUTPUT = {"console", "python", "text"}
RUN_BY: Mapping[str, tuple[str, set[str]]] = {
    **{f"docs/{page}": ("tests/test_guides.py", SHOWN_OUTPUT) for page in guides.PAGES},
    **{
        path.relative_to(REPOSITORY).as_posix(): ("tests/test_documents.py", SHOWN_OUTPUT)
        for path in test_documents.DOCUMENTS
    },
    "README.md": ("tests/test_core_only.py", SHOWN_OUTPUT),
    "docs/own-corpus.md": ("tests/diary_recall/test_own_corpus_page.py", {"csv", "console", "text"}),
    "docs/publishing.md": ("tests/hub/test_docs.py", {"bash", "console", "python", "text", ""}),
    "docs/tuning.md": ("tests/train/test_tuning.py", {"console"}),
    "CONTRIBUTING.md": ("tests/test_contributing.py", {"python", "sql"}),
}
"""The blocks of a page that another test runs, by their languages."""
RUN_WITH_ITS_OWN_MODEL = "shell-session"  # results.md: tests/according_to/test_copying_model.py trains the model
BUILT_ONCE = "selfknow data build model-replies --out replies"  # the folder is there: it is built once for all tests
# Pages take long to draw: every kind of `selfknow report` that the guides show is run in tests/report.
LIFECYCLE = ("make", "pip", "export", ".venv/bin/pytest")
NOT_COMMANDS = ("bibtex",)
CARDS = {
    f"datasets_src/{name.replace('-', '_')}/card.md": f"org/{name}"
    for name in ("according-to", "diary-recall", "model-replies", "self-aware", "self-knowledge")
}
"""The cards of the datasets that need no download, and the paths in their programs."""

FULL = {f"docs/{name}.md" for name in ("according-to", "models", "self-aware", "sql", "training")}
"""Pages whose commands run in other tests, too; the full suite runs their blocks, and `make test` reads them."""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny") / "tiny"
    write_tiny_model(folder)
    return folder


def is_run_elsewhere(page: str, block: Block) -> bool:
    return block.language == RUN_WITH_ITS_OWN_MODEL or (page in RUN_BY and block.language in RUN_BY[page][1])


def is_run_here(page: str, block: Block) -> bool:
    of_tools = all(words[0] in LIFECYCLE for words in commands(block) if words)
    languages = ("bash", "csv", "sh", "sql", "yaml") if page in FOLDERS else ("bash",) if of_tools else ()
    return block.language in languages


def is_of_a_card(page: str, block: Block) -> bool:
    return page.endswith("card.md") and block.language in ("bash", "python", "text")


@pytest.mark.parametrize("page", PAGES)
def test_a_block_is_run_or_says_why_not(page: str) -> None:
    for block in blocks(PAGES[page]):
        classes = [is_run_elsewhere(page, block), is_run_here(page, block), is_of_a_card(page, block)]
        is_known = any(classes) or block.reason or block.language in NOT_COMMANDS
        assert is_known, f"this block of {page} is run by no test, and does not say why:\n{block.text}"
    if page in RUN_BY and not page.startswith(("README", "CONTRIBUTING")):
        assert Path(page).name in (REPOSITORY / RUN_BY[page][0]).read_text() + "".join(guides.PAGES)


@pytest.mark.models
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.full if page in FULL else []) for page in FOLDERS]
)
def test_the_blocks_of_a_page_run(page: str, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny").symlink_to(tiny)
    runnable = [block for block in blocks(PAGES[page]) if is_run_here(page, block) and not block.reason]
    assert runnable
    with chdir(tmp_path):
        FOLDERS[page](tmp_path)
        for block in runnable:
            if block.language == "sql":
                assert duckdb.connect().execute(block.text).fetchall()
            elif block.language == "csv":
                Path("questions.csv").write_text(block.text, encoding="utf-8")
            elif block.language == "yaml":
                Path("plan.yaml").write_text(block.text, encoding="utf-8")
                run(["selfknow", "reproduce", "plan.yaml", "--out", "plan", "--dry-run"])
            else:
                run_shell(block)


def run_shell(block: Block) -> None:
    for words in commands(block):
        if not words or words[0] in LIFECYCLE or " ".join(words) == BUILT_ONCE:
            continue
        assert words[0] == "selfknow"
        if words[1] == "report":
            parse(words)
        else:
            run(words)
            fill_sheets(Path())


@pytest.mark.parametrize("page", PAGES)
def test_the_command_line_knows_the_commands_that_are_not_run(page: str) -> None:
    is_run = page in FOLDERS and page not in FULL
    for block in blocks(PAGES[page]):
        if block.language in SHELL and (block.reason or not is_run):
            text = re.sub(r"\$(seed|held_out_percent)", "5", block.text)
            for words in commands(Block(block.language, text, "")):
                if words and words[0] == "selfknow":
                    try:
                        parse(words)
                    except Exception as error:  # Typer's own copy of click has errors of its own
                        assert "does not exist" in str(error), words


def test_make_and_pip_find_what_the_pages_name() -> None:
    makefile = (REPOSITORY / "Makefile").read_text()
    extras = (REPOSITORY / "pyproject.toml").read_text()
    for path in PAGES.values():
        for block in blocks(path):
            for words in commands(block) if block.language in SHELL else ():
                if words[:1] == ["make"]:
                    assert f"\n{words[1]}:" in makefile
                if words[:2] == ["pip", "install"]:
                    assert all(f"\n{extra} = [" in extras for extra in re.findall(r"\[(\w+)\]", words[2]))


@pytest.mark.parametrize("card", CARDS)
def test_python_on_a_card_loads_a_built_dataset(
    card: str, replies: Path, small_corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    (tmp_path / "org").mkdir()
    for name, folder in {"model-replies": replies, "diary-recall": small_corpora}.items():
        (tmp_path / "org" / name).symlink_to(folder)
    with chdir(tmp_path):
        if not Path(CARDS[card]).exists():
            run(["selfknow", "data", "build", Path(CARDS[card]).name, "--out", CARDS[card]])
        built = Path(CARDS[card]) / "README.md"  # a card loads the configs that its folder holds
        [block] = [block for block in blocks(built) if block.language == "python"]
        names: dict[str, Any] = {}
        exec(block.text.replace("32k", "1k"), names)
    assert all(len(rows) for name, rows in names.items() if isinstance(rows, datasets.Dataset | datasets.DatasetDict))
