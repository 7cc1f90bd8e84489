"""The functions of a connection against other libraries, and against the Python that scores."""

from collections.abc import Iterator
from importlib.resources import files

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, t

from selfknow.evaluate.tasks.diary_recall.documents import cut, title
from tests.sql.given import diary, text


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        for name in (
            "sql/functions/wilson",
            "sql/functions/share",
            "sql/functions/bootstrap",
            "sql/functions/student",
            "sql/functions/normal",
            "sql/functions/paired",
            "sql/views/bootstrap_draws",
            "evaluate/tasks/diary_recall/views/diary_functions",
        ):
            made.execute((files("selfknow") / f"{name}.sql").read_text())
        made.execute("create temp table bootstrap_draws as from main.bootstrap_draws")  # drawn once, not once a query
        yield made


def value(connection: duckdb.DuckDBPyConnection, expression: str, *parameters: object) -> object:
    return connection.execute(f"select {expression}", parameters).fetchall()[0][0]


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (0, 50), (50, 50), (7, 50), (1, 3), (31_999, 64_000)])
def test_wilson_is_scipys(connection: duckdb.DuckDBPyConnection, successes: int, n: int) -> None:
    reference = binomtest(successes, n).proportion_ci(0.95, "wilson")
    ends = [value(connection, f"wilson_{end}(?, ?)", successes, n) for end in ("low", "high")]
    assert ends == pytest.approx([reference.low, reference.high], abs=1e-6)


def test_wilson_without_a_trial_is_null(connection: duckdb.DuckDBPyConnection) -> None:
    for expression in ("wilson_low(0, 0)", "wilson_high(0, 0)", "wilson_low(null, 3)", "wilson_high(1, null)"):
        assert value(connection, expression) is None or "null" in expression
    assert value(connection, "wilson_high(null, 0)") is None


@pytest.mark.parametrize("p", [1e-12, 1e-4, 0.07, 0.08, 0.25, 0.5, 0.85, 0.93, 0.9999])
def test_probit_is_scipys(connection: duckdb.DuckDBPyConnection, p: float) -> None:
    assert value(connection, "probit(?)", p) == pytest.approx(norm.ppf(p), abs=2e-6)
    assert value(connection, "normal_density(probit(?))", p) == pytest.approx(norm.pdf(norm.ppf(p)), rel=1e-5)


def test_no_quantile_lies_at_0_or_1_and_no_detection_without_both_kinds(connection: duckdb.DuckDBPyConnection) -> None:
    for expression in ("probit(0)", "probit(1)", "detection(3, 4, 0, 0, 4)", "auroc(3, 2, 0)"):
        assert value(connection, expression) is None


def test_a_mean_of_differences_has_students_interval(connection: duckdb.DuckDBPyConnection) -> None:
    sample = [0.5, -1.0, 2.0, 3.5]
    differences = connection.execute("select mean_interval(unnest) from unnest($1)", [[*sample, None]]).fetchall()[0][0]
    low, high = t.interval(0.95, 3, loc=np.mean(sample), scale=np.std(sample, ddof=1) / 2)
    assert (differences["n"], differences["mean"]) == (4, 1.25)
    assert (differences["low"], differences["high"]) == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))


def interval(connection: duckdb.DuckDBPyConnection, sums: np.ndarray) -> tuple[float | None, float | None]:
    """Return the bootstrap interval as the queries ask for it; ``sums`` is (clusters, numerator and denominator)."""
    kinds, counts = np.unique(sums, axis=0, return_counts=True)
    lists = [kinds[:, 0].tolist(), kinds[:, 1].tolist(), counts.tolist()]
    query = """
        with shares as (
            select resampling($1::bigint[], $2::bigint[], $3::bigint[]) as resampling, list_sum($3::bigint[]) as n
        ),
        quantiles as (
            select quantile_cont(resampled_ratio(resampling, replicate, draws), [0.025, 0.975]) as ends
            from shares cross join bootstrap_draws
        )
        select
            bootstrap_low(ends[1], resampling.numerator / resampling.denominator, n),
            bootstrap_high(ends[2], resampling.numerator / resampling.denominator, n)
        from shares cross join quantiles"""
    low, high = connection.execute(query, lists).fetchall()[0]
    return low, high


@pytest.mark.parametrize(
    ("clusters", "largest"),  # 300 and 40: more kinds of clusters than there are prepared draws
    [(30, 3), (300, 3), (3_000, 3), (30, 40), (300, 40), pytest.param(3_000, 40, marks=pytest.mark.full)],
)
def test_the_bootstrap_is_that_of_drawing_clusters(
    connection: duckdb.DuckDBPyConnection, clusters: int, largest: int
) -> None:
    random = np.random.default_rng([clusters, largest])
    sizes = random.integers(1, largest + 1, clusters)
    right = random.binomial(sizes, random.beta(2, 1, clusters))  # documents of a diarist go wrong together
    drawn = random.integers(clusters, size=(3_000, clusters))
    reference = np.quantile(right[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [0.025, 0.975])
    low, high = interval(connection, np.stack([right, sizes], axis=1))
    width = reference[1] - reference[0]
    assert [low, high] == pytest.approx(reference.tolist(), abs=0.1 * width)
    naive = binomtest(int(right.sum()), int(sizes.sum())).proportion_ci(0.95, "wilson")
    assert largest == 3 or high - low > 2 * (naive.high - naive.low), "rows would seem far surer than diarists are"


def test_the_bootstrap_is_the_same_every_time(connection: duckdb.DuckDBPyConnection) -> None:
    sums = np.array([[1, 2], [2, 2], [0, 1], [3, 4], [1, 1]] * 4)
    assert interval(connection, sums) == pytest.approx((0.577856, 0.800412), abs=1e-6)


def test_a_bootstrap_that_has_no_spread_is_wilsons_over_clusters(connection: duckdb.DuckDBPyConnection) -> None:
    none, every = np.array([[0, 2]] * 10), np.array([[2, 2]] * 10)
    assert interval(connection, none) == (0.0, pytest.approx(value(connection, "wilson_high(0, 10)")))
    assert interval(connection, every) == (pytest.approx(value(connection, "wilson_low(10, 10)")), 1.0)
    assert interval(connection, np.array([[1, 2]])) == (None, None)


def test_few_draws_are_the_first_of_many(connection: duckdb.DuckDBPyConnection) -> None:
    [[count]] = connection.execute(
        "select count(*) from bootstrap_draws where draws.few = draws.many[1:16] || draws.many[65:80]"
    ).fetchall()
    assert count == 1_000


def test_the_draws_are_standard_normal(connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.execute("select draws.many[1:64] from bootstrap_draws order by replicate").fetchall()
    draws = np.array([row[0] for row in rows])
    assert draws.shape == (1_000, 64)
    assert abs(draws.mean()) < 0.02
    assert abs(draws.std() - 1) < 0.02
    correlations = np.corrcoef(draws.T) - np.eye(64)
    assert np.abs(correlations).max() < 0.2


# Lines that are nearly titles, lines that are, and anything else.
LINES = st.one_of(
    st.sampled_from(["Tom's Diary Entry 1", "Ann O'Neill's Diary Entry 12", "Mood: Sad", "", " ", "\r", "\0"]),
    st.sampled_from(
        ["Tom's Diary Entry 01", "'s Diary Entry 1", "a's Diary Entry 1's Diary Entry 2", "x's Diary Entry "]
    ),
    st.sampled_from(
        [
            "Tom's Diary Entry 1 ",
            "Tom's Diary Entry ²",
            "Tom's Diary Entry 9999999999",
            "'s Diary Entry 1's Diary Entry 2",
        ]
    ),
    st.sampled_from(
        ["Gravity: Document 2", ": Document 2", "a: Document 02", "a: Document 1: Document 2", "x: Document"]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20),
)


# To plan these functions takes far longer than to run them: a few answers are parsed at once.
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(st.lists(LINES, max_size=8).map("\n".join), min_size=6, max_size=6))
def test_the_parsers_cut_as_scoring_does(connection: duckdb.DuckDBPyConnection, answers: list[str]) -> None:
    parsed = [cut(answer) for answer in answers]
    query = """
        with answers as (select unnest($1) as answer, unnest($2) as n)
        select
            diary_documents(answer),
            diary_preamble(answer),
            list_transform(range(1, n + 1), lambda place: diary_body(answer, place, n))
        from answers"""
    matches = connection.execute(query, [answers, [len(documents) for _, documents in parsed]]).fetchall()
    assert matches == [
        (
            [
                {
                    "place": place,
                    "diarist": document.diarist,
                    "number": document.number,
                    "sentences": list(document.sentences),
                }
                for place, document in enumerate(documents, start=1)
            ],
            list(before),
            ["\n".join(document.sentences) for document in documents],
        )
        for before, documents in parsed
    ]


def test_the_parsers_take_ordinary_answers_and_null(connection: duckdb.DuckDBPyConnection) -> None:
    answer = text(*diary("Tom", 1, 3))
    assert value(connection, "diary_body(?, 2, 2)", answer) == "Location: City\nTime: Evening\nWeather: Rain"
    assert value(connection, "diary_title('Tom', 2)") == title("Tom", 2)
    assert value(connection, "diary_documents(null)") is None
    assert value(connection, "diary_preamble(null)") is None
