"""CONTRIBUTING.md shows real code: every line of an excerpt is in the file that it names, in order."""

import re

import pytest

from tests.conftest import REPOSITORY

TEXT = (REPOSITORY / "CONTRIBUTING.md").read_text()
EXCERPTS = re.findall(r"```(?:python|sql)\n(?:#|--) (\S+\.(?:py|sql))\n(.*?)```", TEXT, flags=re.DOTALL)


@pytest.mark.parametrize(("path", "excerpt"), EXCERPTS, ids=[path for path, _ in EXCERPTS])
def test_an_excerpt_is_what_its_file_says(path: str, excerpt: str) -> None:
    rest = (REPOSITORY / path).read_text()
    for part in excerpt.split("…\n"):
        assert part in rest, part
        rest = rest.partition(part)[2]


def test_every_file_with_tests_of_the_full_suite_stands_in_the_table_of_them() -> None:
    table = TEXT.partition("| only in `make test-full` |")[2].partition("\n\n")[0]
    marked = {
        str(path.relative_to(REPOSITORY))
        for path in (REPOSITORY / "tests").rglob("test_*.py")
        if re.search(r"pytest\.mark\.full\b", path.read_text())
    }
    assert set(re.findall(r"\]\((tests/[^)]+)\)", table)) == marked


def test_links_lead_to_files_that_are_there() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", TEXT)
    assert len(links) > 5
    assert [link for link in links if not (REPOSITORY / link).exists()] == []
