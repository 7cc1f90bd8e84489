"""Synthetic models whose behaviour is known exactly: the queries must find it."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from selfknow.evaluate.connection import connect
from selfknow.evaluate.score import score_run
from selfknow.files import read_parquet
from selfknow.models.facts import ModelFacts
from selfknow.runs.description import DatasetReference
from tests.sql.given import ask_runs, rows_of
from tests.sql.synthetic_runs import OUTCOMES, SyntheticModel, write_run

SHARES = {"fewer": 0.1, "beyond": 0.2, "invented": 0.1, "another diarist": 0.2, "failed": 0.1}


@pytest.fixture(scope="module")
def corpus(small_corpora: Path) -> Path:
    return small_corpora


@pytest.fixture(scope="module")
def run(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = pq.read_table(corpus / "1k", filters=[("kind", "=", "question")], partitioning=None).slice(0, 500)
    folder = tmp_path_factory.mktemp("synthetic") / "run"
    models = [
        SyntheticModel(name, shares, orderly, facts=ModelFacts(origin=name, num_parameters=size))
        for name, shares, orderly, size in (("opt-7m", SHARES, 0.75, 1_580_032), ("opt-125m", {}, 1.0, 125_239_296))
    ]
    write_run(folder, rows, models, DatasetReference(str(corpus), "1k", "train"), probes=100, stop=100)
    return folder


def test_the_generator_scores_as_scoring_does(run: Path, tmp_path: Path) -> None:
    import shutil

    again = shutil.copytree(run, tmp_path / "run")
    shutil.rmtree(again / "scores")
    score_run(again)
    for name in ("scores/diary-recall.parquet", "parsed/diary_documents.parquet"):
        columns = read_parquet(run / name).column_names
        made, scored = (
            read_parquet(folder / name).sort_by([(c, "ascending") for c in columns]) for folder in (run, again)
        )
        made, scored = made.to_pydict(), scored.to_pydict()
        close = made.pop("value", []), scored.pop("value", [])
        assert made == scored
        assert [value is None for value in close[0]] == [value is None for value in close[1]]
        assert [value or 0 for value in close[0]] == pytest.approx([value or 0 for value in close[1]])


def test_the_shares_that_were_given_are_found(run: Path) -> None:
    with connect(run) as connection:
        rows = rows_of(connection, "accuracy_by_size", "model_label", "n", "n_graded", "accuracy")
        assert rows == [("OPT 7M", 500, 450, round(150 / 450, 4)), ("OPT 125M", 500, 500, 1.0)]
        recall = rows_of(connection, "over_and_under_recall", "model_label", "recall", "n_answers")
        assert recall[:3] == [("OPT 7M", "over", 100), ("OPT 7M", "right", 300), ("OPT 7M", "under", 50)]
        content = rows_of(connection, "count_and_content", "exact_match", "right_count", "right_content")
        assert content[0][:2] == (0.3333, round(300 / 450, 4))
        assert content[1] == (1.0, 1.0, 1.0)
        probes = rows_of(connection, "probes", "model_label", "probe", "n", "orderly")
        assert {row[1]: row[3] for row in probes if row[0] == "OPT 125M"} == dict.fromkeys("ABCDE", 1.0)
        assert all(abs(row[3] - 0.75) < 0.02 for row in probes if row[0] == "OPT 7M")  # type: ignore[operator]


def test_the_origins_that_were_given_are_found_where_chance_is_small(run: Path) -> None:
    columns = ("recalled_sentences", "origin", "n_documents", "chance")
    rows = {row[:2]: row[2:] for row in ask_runs("wrong_documents", run, *columns)}
    # 50 inventions, all of five sentences; the 100 of another diarist have the longest body that they could get
    assert rows[5, "an invention"][0] == 50
    assert sum(n for (length, origin), (n, _) in rows.items() if origin == "another diarist" and length >= 5) >= 90
    assert all(n == 0 for (length, origin), (n, _) in rows.items() if origin == "an invention" and length > 5)
    assert rows[5, "another diarist"][1] < 0.05
    assert rows[8, "another diarist"][1] <= 0.0001
    assert rows[1, "another diarist"][1] > 0.9


def test_the_stop_curve_jumps_at_the_last_entry(run: Path) -> None:
    rows = ask_runs("stop_curve", run, "is_last", "mean_stop_probability", "n")
    last = np.mean([row[1] for row in rows if row[0]])
    before = np.mean([row[1] for row in rows if not row[0]])
    assert last > 0.8
    assert before < 0.2
    with connect(run) as connection:
        (boundaries,) = connection.rows("select sum(num_documents) as n from (from diary_questions limit 100)")
    assert sum(row[2] for row in rows) == 2 * boundaries["n"]  # type: ignore[misc]


def test_the_intervals_cover_the_truth_about_as_often_as_they_say(corpus: Path, tmp_path: Path) -> None:
    """100 models that answer each question right with probability 0.7: Wilson's intervals should hold 0.7 95 times."""
    rows = pq.read_table(corpus / "1k", filters=[("kind", "=", "question")], partitioning=None).slice(0, 120)
    random = np.random.default_rng(0)
    wrong = random.binomial(120, 0.3, size=100) / 120
    models = [SyntheticModel(f"model-{number}", {"another diarist": share}) for number, share in enumerate(wrong)]
    write_run(tmp_path / "run", rows, models, DatasetReference(str(corpus), "1k", "train"))
    with connect(tmp_path / "run") as connection:
        covered = [low <= 0.7 <= high for low, high in rows_of(connection, "accuracy_by_size", "low", "high")]  # type: ignore[operator]
        assert 90 <= sum(covered) <= 99
        # one document of every wrong answer is wrong: their share follows from the answers', and so does its spread
        shares = rows_of(connection, "document_accuracy", "document_accuracy", "low", "high")
    assert all(low <= share <= high for share, low, high in shares if low is not None)  # type: ignore[operator]


def test_every_outcome_can_be_drawn_and_several_samples(corpus: Path, tmp_path: Path) -> None:
    rows = pq.read_table(corpus / "1k", filters=[("kind", "=", "question")], partitioning=None).slice(0, 110)
    model = SyntheticModel("m", dict.fromkeys([name for name in OUTCOMES if name != "exact"], 1 / 11))
    reference = DatasetReference(str(corpus), "1k", "train")
    assert write_run(tmp_path / "run", rows, [model], reference, samples=3) == 330
    reasons = ask_runs("wrong_answers", tmp_path / "run", "reason", "n_answers")
    assert sum(n for _, n in reasons) == 330  # type: ignore[misc]
    assert {reason for reason, _ in reasons} == {
        *("right", "wrong content", "wrong count", "cut off", "empty", "failed request")
    }
