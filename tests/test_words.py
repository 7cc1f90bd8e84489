"""The first words of docstrings, and the names of variables and arguments."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

ROOMS = ("src/selfknow", "builders", "portraits", "train", "evaluate", "validation", "benchmarks")
FRAGMENTS = {"What", "Whether", "Where", "Which", "Who", "Whose", "Of", "For", "As", "How", "Why"}
VAGUE_NAMES = {"one", "its", "said", "found", "told", "asked", "given", "kept", "done"}
Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module


def sources(room: str) -> list[Path]:
    return sorted(path for path in (REPOSITORY / room).rglob("*.py") if "__pycache__" not in path.parts)


def fragments(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the docstrings that begin as no sentence and no noun phrase does, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, Documented) and (docstring := ast.get_docstring(node)):
            first = re.match(r"\W*(\w+)", docstring)
            if first and first[1] in FRAGMENTS:
                yield getattr(node, "lineno", 1), docstring.splitlines()[0]


def vague_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the variables and arguments whose names say nothing, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE_NAMES:
            yield node.lineno, node.id
        elif isinstance(node, ast.arg) and node.arg in VAGUE_NAMES:
            yield node.lineno, node.arg


def lines_of(room: str, find: Callable[[ast.Module], Iterable[tuple[int, str]]]) -> list[str]:
    return [
        f"{path.relative_to(REPOSITORY)}:{line}: {text}"
        for path in sources(room)
        for line, text in find(ast.parse(path.read_text(encoding="utf-8")))
    ]


@pytest.mark.parametrize("room", [*ROOMS, "tests"])
def test_docstrings_begin_with_a_verb_or_a_noun(room: str) -> None:
    assert lines_of(room, fragments) == []


@pytest.mark.parametrize("room", [*ROOMS, "tests"])
def test_names_are_nouns_of_the_field(room: str) -> None:
    assert lines_of(room, vague_names) == []


def test_fragments_and_vague_names_are_found() -> None:
    tree = ast.parse(
        'def f(kept):\n    """Whether it rains."""\n    for one in kept:\n        found = one\n\n\n'
        'class Rain:\n    """Water that falls."""\n'
    )
    assert list(fragments(tree)) == [(1, "Whether it rains.")]
    assert [name for _, name in vague_names(tree)] == ["kept", "one", "found"]
