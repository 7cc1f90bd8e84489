"""Replies of any length: an arXiv identifier is found in steps in proportion to it, and every reader is measured."""

import importlib
import re._parser
import sys

import pytest

from selfknow.evaluate.readers.sentences import without_quotations
from selfknow.evaluate.readers.words import _ARXIV_ID, read_arxiv_id
from selfknow.evaluate.tasks.self_aware.paper_scorer import sentences
from selfknow.evaluate.tasks.self_knowledge.inequalities import runs
from tests.conftest import REPOSITORY


def test_a_search_for_an_arxiv_identifier_looks_at_few_characters_from_each_place() -> None:
    """So its steps are at most this number times the text's length; a run of dashes took the square of it."""
    shortest, longest = re._parser.parse(_ARXIV_ID.pattern).getwidth()  # type: ignore[attr-defined]
    assert (shortest, longest) == (9, 35)


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("-" * 100_000, None),
        ("a-" * 50_000, None),
        (f"{'-' * 20_000} 2406.06140 {'-' * 20_000}", "2406.06140"),
        ("- astro-ph/0001001", "astro-ph/0001001"),
        ("math.GT/0309136v2", "math.GT/0309136"),
        ("cs/0112017.pdf", "cs/0112017"),
        ("cond-mat/9907001", "cond-mat/9907001"),
        ("https://arxiv.org/abs/hep-th/9901001v3", "hep-th/9901001"),
        ("https://example.org/hep-th/9901001", None),
        ("hep-th/99010011", None),
        ("arXiv-2406.06140", "2406.06140"),
        ("2413.06140", None),
    ],
)
def test_arxiv_identifiers_of_both_kinds_are_found(text: str, identifier: str | None) -> None:
    assert read_arxiv_id(text).value == identifier


def test_pieces_are_cut_where_they_were() -> None:
    assert sentences("Well... I don't know!? It is 3.5.") == ["Well", "I don't know", "It is 3.5"]
    assert without_quotations('He said “no” and "yes" to ‘it’.').split() == ["He", "said", "and", "to", "."]
    assert runs("max(x,1) > 0,x < 2; y > 1") == ["(x,1) > 0", "x < 2", "y > 1"]


def test_the_benchmark_of_readers_reads_every_input_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(REPOSITORY)])
    growth = importlib.import_module("benchmarks.growth.readers")
    pieces = growth.inputs(5)
    assert pieces == growth.inputs(5) != growth.inputs(5, seed=1)
    for name, reader in growth.readers().items():
        for piece in pieces[::20]:
            reader(f"x{piece * 3}y")
        assert name
