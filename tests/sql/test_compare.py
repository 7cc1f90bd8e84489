"""``selfknow query compare``: two sides, paired by example, against formulas of other libraries."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import Result
from scipy import stats
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.errors import UserError
from selfknow.evaluate.connection import compare_runs, connect
from selfknow.evaluate.outcome import Outcome, scores_table
from selfknow.evaluate.run import Run as RunFolder
from selfknow.models.interface import GREEDY, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import write_scores
from selfknow.runs.writer import RunWriter

Values = Mapping[str, float | Sequence[float | None] | None]
"""For each example its value, or those of its samples."""


@dataclass
class Graded:
    """A model's calls of one variant, each with its value in a metric."""

    values: Values
    model: str = "ann"
    variant: str = "plain"
    metric: str = "right"
    reply: str = "said"


def graded_run(folder: Path, *calls: Graded, pairs: Mapping[str, str] | None = None, question: str = "Is it ") -> Path:
    """Write a run with these scores; ``pairs`` are the examples' pair ids."""
    ids = sorted({example for call in calls for example in call.values})
    rows = [{"id": id_, "question": f"{question}{id_}?", **({"pair_id": pairs[id_]} if pairs else {})} for id_ in ids]
    scores = []
    description = RunDescription("self-aware", DatasetReference("given", "given", "test"), GREEDY)
    with RunWriter.open(folder, description, pa.Table.from_pylist(rows)) as run:
        for call in calls:
            for id_, values in call.values.items():
                for sample, value in enumerate(values if isinstance(values, Sequence) else [values]):
                    request = Request(id_, f"{question}{id_}?", "answer", call.variant, sample)
                    generation = run.append(
                        call.model, "0" * 40, request, Reply(f"{call.reply} {id_} {sample}", "stop")
                    )
                    scores.append(
                        (generation, call.metric, Outcome(value, None if value is not None else "unreadable"))
                    )
    write_scores(folder, "given", scores_table(scores))
    return folder


def compared(run_a: Path, run_b: Path | None = None, **options: Any) -> dict[str, Any]:
    [row] = compare_runs(run_a, run_b, "right", **options).to_pylist()
    return row


def draw(seed: int, n: int = 40) -> tuple[dict[str, float], dict[str, float]]:
    values = np.random.default_rng(seed).normal([[0.3], [0.5]], 0.2, (2, n))
    return tuple({f"{place:02}": float(value) for place, value in enumerate(side)} for side in values)  # type: ignore


def test_means_have_the_paired_t_interval(tmp_path: Path) -> None:
    a, b = draw(0)
    row = compared(graded_run(tmp_path / "a", Graded(a)), graded_run(tmp_path / "b", Graded(b)))
    expected = stats.ttest_rel(list(b.values()), list(a.values())).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx(expected, rel=1e-3)
    assert (row["mean_a"], row["mean_b"]) == pytest.approx((np.mean([*a.values()]), np.mean([*b.values()])))
    assert (row["n"], row["n_graded"], row["n_clusters"], row["n_same_replies"]) == (40, 40, 40, 40)
    assert row["n_higher_a"] + row["n_higher_b"] == len(row["examples"]) == 40
    sizes = [abs(example["difference"]) for example in row["examples"]]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_examples_have_the_wide_interval_of_so_few(n: int, tmp_path: Path) -> None:
    a, b = draw(1, n)
    row = compared(graded_run(tmp_path / "a", Graded(a)), graded_run(tmp_path / "b", Graded(b)))
    expected = stats.ttest_rel(list(b.values()), list(a.values())).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx(expected, rel=2e-3)


def test_questions_of_one_pair_are_one_cluster(tmp_path: Path) -> None:
    a, b = draw(2)
    pairs = {id_: f"pair {int(id_) // 3}" for id_ in a}  # the last one alone
    row = compared(
        graded_run(tmp_path / "a", Graded(a), pairs=pairs), graded_run(tmp_path / "b", Graded(b), pairs=pairs)
    )
    differences = np.array([b[id_] - a[id_] for id_ in a])
    # The variance of a mean under clusters, as statsmodels' `cov_type="cluster"` has it for a constant alone.
    sums = np.zeros(14)
    np.add.at(sums, [int(id_) // 3 for id_ in a], differences - differences.mean())
    error = np.sqrt((sums**2).sum() * 14 / 13) / 40
    margin = stats.t.ppf(0.975, 13) * error
    assert row["n_clusters"] == 14
    assert (row["low"], row["high"]) == pytest.approx(
        (differences.mean() - margin, differences.mean() + margin), rel=1e-3
    )


def test_right_and_wrong_have_the_interval_of_matched_shares(tmp_path: Path) -> None:
    # The table of Agresti and Min (2005): 59 both, 6 a alone, 16 b alone, 80 neither.
    cells = [(1.0, 1.0)] * 59 + [(1.0, 0.0)] * 6 + [(0.0, 1.0)] * 16 + [(0.0, 0.0)] * 80
    a, b = ({f"{place:03}": pair[side] for place, pair in enumerate(cells)} for side in (0, 1))
    row = compared(graded_run(tmp_path / "a", Graded(a)), graded_run(tmp_path / "b", Graded(b)))
    n, alone_a, alone_b = 161 + 2, 6.5, 16.5
    center, error = (alone_b - alone_a) / n, np.sqrt(alone_a + alone_b - (alone_b - alone_a) ** 2 / n) / n
    assert (row["low"], row["high"]) == pytest.approx((center - 1.959964 * error, center + 1.959964 * error))
    assert (row["n_higher_a"], row["n_higher_b"], row["n_equal"]) == (6, 16, 139)
    assert row["difference"] == pytest.approx(10 / 161)


def test_samples_are_averaged_first_and_what_is_not_graded_on_both_sides_is_left_out(tmp_path: Path) -> None:
    run = graded_run(tmp_path / "a", Graded({"x": [1.0, 0.0], "y": 1.0, "z": [None, 1.0], "only": 1.0}))
    other = graded_run(tmp_path / "b", Graded({"x": 1.0, "y": None, "z": 0.5}, reply="told"))
    row = compared(run, other)
    assert (row["n"], row["n_graded"], row["mean_a"], row["mean_b"], row["n_same_replies"]) == (3, 2, 0.75, 0.75, 0)
    examples = [(each["example_id"], each["value_a"], each["value_b"], each["difference"]) for each in row["examples"]]
    assert examples == [("x", 0.5, 1.0, 0.5), ("z", 1.0, 0.5, -0.5)]
    assert (row["examples"][0]["asked"], row["examples"][0]["reply_b"]) == ("Is it x?", "told x 0")


def test_variants_are_paired_with_their_like_and_then_averaged(tmp_path: Path) -> None:
    run = graded_run(tmp_path / "a", Graded({"x": 1.0}), Graded({"x": 0.0, "y": 0.25}, variant="cot"))
    other = graded_run(tmp_path / "b", Graded({"x": 1.0, "y": 1.0}), Graded({"x": 1.0, "y": 0.75}, variant="cot"))
    values = {each["example_id"]: (each["value_a"], each["value_b"]) for each in compared(run, other)["examples"]}
    assert values == {"x": (0.5, 1.0), "y": (0.25, 0.75)}
    assert compared(run, other, variants=["plain"])["n_equal"] == 1


def test_two_models_and_two_variants_of_one_run_are_compared(tmp_path: Path) -> None:
    run = graded_run(tmp_path / "a", Graded({"x": 0.0, "y": 1.0}), Graded({"x": 1.0, "y": 1.0}, model="ben"))
    row = compared(run)
    assert (row["a"], row["b"], row["difference"]) == ("ann", "ben", 0.5)
    assert compared(run, run, models=["ben", "ann"])["difference"] == -0.5
    forms = graded_run(tmp_path / "b", Graded({"x": 0.0}), Graded({"x": 1.0}, variant="cot"))
    row = compared(forms, variants=["plain", "cot"])
    assert (row["a"], row["b"], row["difference"]) == ("plain", "cot", 1.0)


def test_runs_of_one_variant_each_are_compared_whatever_it_is_called(tmp_path: Path) -> None:
    run = graded_run(tmp_path / "a", Graded({"x": 0.0}, variant="direct"))
    other = graded_run(tmp_path / "b", Graded({"x": 1.0}, variant="icl"))
    row = compared(run, other)
    assert (row["a"], row["b"], row["n"], row["difference"]) == ("direct", "icl", 1, 1.0)


def test_no_difference_at_all_has_an_interval_only_where_something_is_counted(tmp_path: Path) -> None:
    shares = {"x": 1.0, "y": 0.0, "z": 1.0}
    row = compared(graded_run(tmp_path / "a", Graded(shares)), graded_run(tmp_path / "b", Graded(shares)))
    assert row["low"] == -row["high"] != 0
    means = {"x": 0.5, "y": 0.0, "z": 1.0}
    row = compared(graded_run(tmp_path / "c", Graded(means)), graded_run(tmp_path / "d", Graded(means)))
    assert (row["difference"], row["low"], row["high"], row["examples"]) == (0.0, None, None, [])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    values = {f"{place:02}": float(place % 2) for place in range(14)}
    graded_run(folder / "a", Graded(values), Graded({"00": 1.0}, variant="short", metric="f1"))
    graded_run(folder / "b", Graded({id_: 1 - value for id_, value in values.items()}, reply="told"))
    graded_run(folder / "two", Graded(values, "ben"), Graded(values, "cat"), Graded(values, "dan"))
    graded_run(folder / "forms", Graded(values, variant="x"), Graded(values, variant="y"))
    graded_run(folder / "elsewhere", Graded({"else": 1.0}))
    graded_run(folder / "others", Graded(values), question="Was it ")
    (graded_run(folder / "unscored", Graded(values)) / "scores" / "given.parquet").unlink()
    return folder


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["a", "b"], "name the metric to compare: --metric NAME"),
        (["--metric", "right"], "name the two runs to compare, or one that holds both sides"),
        (["a", "b", "two", "--metric", "right"], "name the two runs to compare, or one that holds both sides"),
        (["a", "b", "--metric", "rigth"], "neither run has a metric 'rigth': did you mean 'right'?"),
        (["a", "b", "--metric", "accuracy"], "neither run has a metric 'accuracy': choose from right"),
        (["a", "b", "--metric", "f1"], "/a has scores of 'f1': choose from right"),
        (["a", "two", "--metric", "right"], "/two has several models: name one with --model; there are ben@00000000, "),
        (["two", "--metric", "right"], "has several models: name one with --model"),
        (["a", "b", "--metric", "right", "--model", "eve"], "'eve' was not asked, or not scored, in "),
        (["a", "b", "--metric", "right", "--variant", "cot"], "right has no variant 'cot' in "),
        (
            ["a", "forms", "--metric", "right"],
            "name a --variant of each side: right has plain on one, x, y on the oth",
        ),
        (["a", "--metric", "right"], "right of ann would be compared with itself"),
        (["a", "elsewhere", "--metric", "right"], "have no example in common: nothing can be paired"),
        (["a", "others", "--metric", "right"], "were asked different questions under 14 of their 14 common ids"),
        (["a", "unscored", "--metric", "right"], "has no scores: run `selfknow score"),
        (["a", "gone", "--metric", "right"], "gone is not a run folder: there is no run.json in it"),
        (["a", "b", "--metric", "right", "--format", "parquet"], "use --format json"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(
    runs: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], line: str
) -> None:
    monkeypatch.chdir(runs)
    result = CliRunner().invoke(app, ["query", "compare", *arguments])
    assert isinstance(result.exception, UserError)
    assert line in str(result.exception)
    assert "\n" not in str(result.exception)
    assert result.stdout == ""


def test_the_comparison_is_printed_with_some_of_the_examples(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def printed(*options: str) -> Result:
        return CliRunner().invoke(app, ["query", "compare", "a", "b", "--metric", "right", *options])

    monkeypatch.chdir(runs)
    lines = printed().stdout.splitlines()
    assert lines[0].split() == ["side", "is", "mean", "n_higher"]
    assert lines[5].split()[:5] == ["metric", "n", "n_graded", "n_clusters", "difference"]
    assert len(lines[lines.index("", 5) + 3 :]) == 10
    assert printed().stderr == "4 more examples differ: show them with --limit, --format json or --format csv\n"
    assert len(printed("--limit", "2").stdout.splitlines()) == len(lines) - 8
    [row] = json.loads(printed("--format", "json").stdout)
    assert (row["n"], row["difference"], len(row["examples"])) == (14, 0.0, 14)
    table = printed("--format", "csv")
    assert [each["reply_b"] for each in csv.DictReader(io.StringIO(table.stdout))][:2] == ["told 00 0", "told 01 0"]
    assert "n_graded=14" in table.stderr


def test_options_of_compare_are_for_compare_alone(runs: Path) -> None:
    result = CliRunner().invoke(app, ["query", "overview", str(runs / "a"), "--metric", "right"])
    assert str(result.exception) == "--metric is for `selfknow query compare RUN_A RUN_B`"
    assert CliRunner().invoke(app, ["query", "compare", "--show"]).stdout.startswith("-- Which of two sides")


def test_a_run_compares_itself_with_another(runs: Path) -> None:
    run, other = RunFolder(runs / "a"), RunFolder(runs / "b")
    assert run.compare(other, "right")["n_graded"].to_pylist() == [14]


def test_the_quantile_of_students_t_is_that_of_another_library(runs: Path) -> None:
    degrees = [2, 3, 4, 5, 7, 10, 30, 100, 10_000]
    with connect(runs / "a") as connection:
        [row] = connection.rows(f"select list_transform({degrees}, lambda df: t_quantile(df)) as quantiles")
    assert row["quantiles"] == pytest.approx(list(stats.t.ppf(0.975, degrees)), abs=2e-3)
