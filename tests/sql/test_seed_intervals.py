"""Intervals over seeds and questions: against scipy by hand, and against trainings whose truth is known."""

import math

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy import stats

from tests.conftest import REPOSITORY

SQL = REPOSITORY / "src" / "selfknow" / "sql"
FILES = ("functions/wilson", "functions/student", "functions/crossed", "views/seed_scores", "views/seed_intervals")


def intervals(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends that SQL gives for values of (cohorts, seeds, questions)."""
    cohorts, seeds, questions = (axis.ravel() for axis in np.indices(values.shape))
    ids = pa.array(np.arange(values.size).astype(str))
    calls = {"generation_id": ids, "cohort": cohorts, "training_seed": seeds}
    calls |= {
        "example_id": questions.astype(str),
        "stage": ["answer"] * values.size,
        "variant": ["plain"] * values.size,
    }
    tables = {
        "calls": pa.table(calls),
        "scores": pa.table({"generation_id": ids, "metric": ["exact_match"] * values.size, "value": values.ravel()}),
        "seed_cohorts": pa.table({"cohort": np.arange(len(values)), "n_seeds": [values.shape[1]] * len(values)}),
    }
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        for name in FILES:
            connection.execute((SQL / f"{name}.sql").read_text())
        ends = connection.execute("select low, high from seed_intervals order by cohort").fetchnumpy()
    return ends["low"], ends["high"]


@pytest.mark.parametrize("degrees", [2, 2.5, 3, 4.7, 10, 38.2, 127, 1000])
def test_students_quantile_is_scipys(degrees: float) -> None:
    with duckdb.connect() as connection:
        connection.execute((SQL / "functions" / "student.sql").read_text())
        [(quantile,)] = connection.execute(f"select t_quantile({degrees})").fetchall()
    assert quantile == pytest.approx(stats.t.ppf(0.975, degrees), abs=0.002)


def test_the_interval_is_that_of_crossed_random_effects_by_hand() -> None:
    values = np.random.default_rng(3).normal(size=(4, 30)) + np.array([[-0.4], [0.1], [0.5], [0.2]])
    num_seeds, num_questions = values.shape
    mean, seeds, questions = values.mean(), values.mean(1), values.mean(0)
    rest = values - seeds[:, None] - questions + mean
    of_seeds = num_questions * ((seeds - mean) ** 2).sum() / (num_seeds - 1)
    of_questions = num_seeds * ((questions - mean) ** 2).sum() / (num_questions - 1)
    of_rest = (rest**2).sum() / ((num_seeds - 1) * (num_questions - 1))
    assert of_seeds > of_rest, "no component is below zero here"
    assert of_questions < of_rest, "and here one would be"
    of_questions = of_rest
    total = of_seeds + of_questions - of_rest
    degrees = total**2 / (
        of_seeds**2 / (num_seeds - 1)
        + of_questions**2 / (num_questions - 1)
        + of_rest**2 / ((num_seeds - 1) * (num_questions - 1))
    )
    assert degrees < num_seeds - 1, "they are never fewer than those of the seeds alone"
    margin = stats.t.ppf(0.975, num_seeds - 1) * math.sqrt(total / values.size)
    (low,), (high,) = intervals(values[None])
    assert (low, high) == pytest.approx((mean - margin, mean + margin), rel=2e-3)


def test_intervals_cover_the_truth_where_those_over_questions_alone_do_not() -> None:
    """300 experiments of three trainings and 128 questions; trainings are right with 0.5, give or take 0.1."""
    random = np.random.default_rng(0)
    of_seeds, of_questions = random.normal(0, 0.1, (300, 3, 1)), random.normal(0, 0.15, (300, 1, 128))
    values = (random.random((300, 3, 128)) < 0.5 + of_seeds + of_questions).astype(np.float64)
    low, high = intervals(values)
    assert 0.90 <= np.mean((low <= 0.5) & (high >= 0.5)) <= 0.99
    spread = values.mean(1).std(1, ddof=1) / math.sqrt(128)
    assert np.mean(np.abs(values.mean((1, 2)) - 0.5) <= 1.96 * spread) < 0.75


def test_two_seeds_or_values_that_are_all_the_same_have_no_interval() -> None:
    for values in (np.random.default_rng(0).random((1, 2, 20)), np.ones((1, 3, 20))):
        (low,), (high,) = intervals(values)
        assert (np.ma.is_masked(low) and np.ma.is_masked(high)) or (np.isnan(low) and np.isnan(high))
