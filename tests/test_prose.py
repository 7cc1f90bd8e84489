"""Texts for people are plain English, by proselint and our own list: pages, help, cards, heads of SQL files."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from proselint.checks import __register__
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

from tests.cli.test_help import COMMANDS
from tests.conftest import REPOSITORY

PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
CARDS = sorted((REPOSITORY / "datasets_src").glob("*/card*.md"))
QUERIES = sorted(
    path for room in ("evaluate", "validation", "src/selfknow/sql") for path in (REPOSITORY / room).rglob("*.sql")
)
# Straight quotes are what people type; the others find words that are right here, such as "race" in a question.
UNUSED = ("typography", "social_awareness", "spelling", "restricted")


def phrases(lines: Sequence[str]) -> list[tuple[re.Pattern[str], str]]:
    """Read the phrases that nobody should write, and their replacements."""
    pairs = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return [(re.compile(phrase, re.IGNORECASE), instead) for phrase, instead in pairs]


PHRASES = phrases((REPOSITORY / "tests" / "phrases_not_to_write.tsv").read_text(encoding="utf-8").splitlines())


def dots(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "·", match[0])


def prose(text: str) -> str:
    """Return the text without code, tables and links' targets, of which only the line breaks stay."""
    for pattern in (r"^```.*?^```", r"^[|#].*?$", r"`[^`\n]*`", r"\]\([^)\n]*\)", r"<[^>\n]*>", r"^---\n.*?^---$"):
        text = re.sub(pattern, dots, text, flags=re.DOTALL | re.MULTILINE)
    return text


def found(name: str, text: str) -> Iterator[str]:
    """Yield a line for each phrase that nobody would say."""
    checks = DEFAULT["checks"] | dict.fromkeys(UNUSED, False)
    registry = CheckRegistry()
    if not registry.checks:
        registry.register_many(__register__)
    for result in LintFile(name, text).lint({"max_errors": 100, "checks": checks}):
        yield f"{name}:{result.pos[0]}: {result.check_result.message}"
    for phrase, instead in PHRASES:
        for match in phrase.finditer(text):
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}: write {instead}"


@pytest.mark.parametrize("page", [*PAGES, *CARDS], ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_pages_are_plain_english(page: Path) -> None:
    assert list(found(str(page.relative_to(REPOSITORY)), prose(page.read_text(encoding="utf-8")))) == []


def test_help_is_plain_english() -> None:
    texts = {
        f"{name} {part}".rstrip(): text
        for name, command in COMMANDS.items()
        for part, text in [("", command.help), *((each.name, each.help) for each in command.params)]
    }
    assert [line for name, text in texts.items() for line in found(name, prose(text or ""))] == []


def test_heads_of_queries_are_plain_english() -> None:
    heads = {
        str(path.relative_to(REPOSITORY)): re.match(r"(--[^\n]*\n)*", path.read_text(encoding="utf-8"))[0]  # type: ignore[index]
        for path in QUERIES
    }
    assert len(heads) > 100
    assert [line for name, head in heads.items() for line in found(name, prose(head))] == []


def test_what_nobody_would_say_is_found_and_code_is_not_read() -> None:
    text = "Stop it whenever you like.\n\n```\nThis is very very unique.\n```\nIt is very unique, in my opinion.\n"
    lines = list(found("page", prose(text)))
    assert lines[-1] == "page:1: 'whenever you like': write at any time"
    assert {line.split(":")[1] for line in lines[:-1]} == {"6"}
