"""The guides show real commands with their real output: every console block and every program is run again."""

from collections.abc import Iterator

import pytest

from tests.guides import DOCS, PAGES, Addresses, outputs, prepared
from tests.shell_blocks import blocks
from tests.test_documents import printing_blocks

FULL = {"results.md", "self-knowledge.md"}
"""Their queries run in other tests, too; the full suite runs the pages."""


@pytest.fixture(
    scope="module", params=[pytest.param(page, marks=pytest.mark.full if page in FULL else []) for page in PAGES]
)
def page(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def addresses(page: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Addresses]:
    with prepared(page, tmp_path_factory.mktemp("guide")) as addresses:
        yield addresses


def test_commands_print_what_a_guide_shows(page: str, addresses: Addresses) -> None:
    commands = list(outputs(page, addresses))
    assert commands
    for output in commands:
        assert output.printed == output.shown, f"{output.command}\npython -m tests.guides writes the page again"


def test_python_in_a_guide_prints_what_it_shows(
    page: str, addresses: Addresses, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    not_run = {block.text for block in blocks(DOCS / page) if block.reason}
    for block, expected in printing_blocks(text):
        if block in not_run:
            continue
        exec(compile(block, page, "exec"), {})
        printed = capsys.readouterr().out
        assert not expected or printed == expected, block


def test_real_models_were_asked_in_every_guide(page: str) -> None:
    assert "replies/runs/" in (DOCS / page).read_text(encoding="utf-8")
