"""The shared part of the suites: queries, expectations, and chi-square as SciPy computes it."""

import gc
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import great_expectations as gx
import pyarrow as pa
import pytest
from great_expectations.expectations.expectation import BatchExpectation
from scipy.stats import chi2, chisquare

from selfknow import validation
from selfknow.validation.abstention import suite as abstention
from selfknow.validation.according_to import suite as according_to
from selfknow.validation.check import findings, validate
from selfknow.validation.diary_recall import suite as diary_recall
from selfknow.validation.expectations import ExpectQueryToReturnNoRows, exceptions_in_words
from selfknow.validation.model_replies import suite as model_replies
from selfknow.validation.self_aware import nearest_suite as self_aware_nearest
from selfknow.validation.self_aware import suite as self_aware
from selfknow.validation.self_knowledge import suite as self_knowledge
from selfknow.validation.suite import Batch, Query, read_sql, statement_of

ROOT = Path(validation.__file__).parent


def _batch(query: str, **parameters: object) -> Batch:
    table = pa.table({"config": ["a", "a", "b"], "number": [1, 2, 3]})
    queries = [Query("nothing", "there is nothing", query, json.dumps(parameters))]
    return Batch("numbers", "all", "numbers", queries, table=table)


def test_an_expectation_that_raises_is_an_error_and_no_finding() -> None:
    with pytest.raises(RuntimeError, match=r"nothing could not be evaluated: (.|\n)*no_such_table"):
        validate([_batch("select * from no_such_table")], lambda: None)


def test_rows_become_findings_by_config() -> None:
    batch = _batch("select config, number from batch where number >= $least order by all", least=1)
    (result,) = validate([batch], lambda: None)
    assert [
        (finding.config, finding.split, finding.message, finding.examples) for finding in findings(batch, result)
    ] == [
        ("a", None, "there is nothing: 2 exceptions", ({"number": 1}, {"number": 2})),
        ("b", None, "there is nothing: 1 exception", ({"number": 3},)),
    ]


def test_a_check_sees_nothing_of_earlier_ones_or_of_who_else_works_with_great_expectations() -> None:
    for least in (3, 1, 2):
        [result] = validate([_batch("select * from batch where number >= $least", least=least)], lambda: None)
        assert result.results[0].result["observed_value"] == exceptions_in_words(4 - least)
        gx.get_context(mode="ephemeral").data_sources.add_pandas("files")


@pytest.mark.parametrize("query", ["select * from batch where number > 3", "select * from no_such_table"])
def test_a_check_leaves_the_garbage_collection_as_it_was(query: str) -> None:
    assert gc.isenabled()
    with suppress(RuntimeError):
        validate([_batch(query)], lambda: None)
    assert gc.isenabled()
    gc.disable()
    try:
        with suppress(RuntimeError):
            validate([_batch(query)], lambda: None)
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("meta", [None, {}, {"notes": {"format": "markdown", "content": ["a"]}}])
def test_the_fields_of_an_expectation_are_those_that_pydantic_finds(meta: dict[str, object] | None) -> None:
    expectation = ExpectQueryToReturnNoRows(name="a", statement="b", query="", setup="select 1", meta=meta)
    requests: list[dict[str, Any]] = [{"exclude_defaults": True}, {}, {"exclude_defaults": True, "exclude": {"query"}}]
    for options in requests:
        fields, expected = expectation.dict(**options), BatchExpectation.dict(expectation, **options)
        assert list(fields.items()) == list(expected.items())
        assert meta is None or fields["meta"] is not expectation.meta, "what is done to a copy stays there"
    assert expectation.configuration.kwargs == {"name": "a", "statement": "b", "query": "", "setup": "select 1"}


@pytest.mark.parametrize(
    "counts", [[100, 100, 100], [100, 160, 190], [10, 60, 10], [200, 92, 103], [0, 14, 0], [0, 15, 0]]
)
def test_uniformity_is_judged_as_scipy_judges_it(counts: list[int]) -> None:
    connection = duckdb.connect()
    lengths = [length for length, count in enumerate(counts, start=1) for _ in range(count)]
    connection.execute("create table entries as select range(0, unnest($lengths)) as sentences", {"lengths": lengths})
    limits = [float(chi2.isf(1e-6, freedom)) for freedom in range(1, 4)]
    query = read_sql("diary_recall/lengths_are_uniform")
    rows = connection.execute(query, {"max_attributes": len(counts), "chi_square_limits": limits}).fetchall()
    expected = chisquare(counts)
    if expected.pvalue < 1e-6 and sum(counts) / len(counts) >= 5:
        assert rows == [(counts, pytest.approx(expected.statistic))]
    else:
        assert rows == []


def test_every_query_says_in_its_first_line_what_is_expected() -> None:
    queries = {path for path in ROOT.rglob("*.sql") if path.stem not in ("setup", "macros", "facts")}
    listed = {
        ROOT / task / f"{name}.sql"
        for task, names in {
            "diary_recall": diary_recall.QUERIES + diary_recall.QUERIES_OF_TWINS,
            "self_aware": self_aware.QUERIES + self_aware.QUERIES_OF_ORIGINAL + self_aware_nearest.QUERIES,
            "abstention": abstention.QUERIES,
            "self_knowledge": self_knowledge.QUERIES,
            "according_to": according_to.QUERIES,
            "model_replies": model_replies.QUERIES,
        }.items()
        for name in names
    }
    assert queries == listed
    for path in queries:
        statement = statement_of(path.relative_to(ROOT).with_suffix("").as_posix())
        assert statement[0].islower(), "a clause"
        assert not statement.startswith("Grain")
