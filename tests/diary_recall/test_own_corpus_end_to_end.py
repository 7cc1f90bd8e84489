"""Your own corpus from the table to the figure: training, evaluation, probes, scores, queries, report."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import selfknow
from selfknow.cli.app import app
from selfknow.evaluate.connection import connect
from tests.diary_recall.own_tables import build_own, things, write_table
from tests.sql.given import rows_of
from tests.tiny_models import tiny_config


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    build_own(write_table(folder / "things.csv", things(60)), folder / "corpus", held_out_percent=20)
    return folder / "corpus"


def answers(corpus: Path) -> dict[str, str]:
    import pyarrow.parquet as pq

    table = pq.read_table(corpus / "things" / "test-00000-of-00001.parquet")
    return {row["prompt"]: row["completion"] for row in table.to_pylist()}


def test_a_model_that_knows_everything_but_one_name_is_scored_so(corpus: Path, tmp_path: Path) -> None:
    known = answers(corpus)
    several = next(prompt for prompt, text in known.items() if ": Document 3\n" in text)
    forgets = {
        **known,
        several: known[several].partition(f"\n{several.split('about ')[1].split(',')[0]}: Document 3")[0],
    }

    def knows(prompt: str) -> str:
        """Reply as a model that leaves out one document about one name."""
        return forgets[prompt]

    for config in ("things", "things-simplified"):
        run = selfknow.ask(f"{corpus}:{config}", knows, out=tmp_path / config, quiet=True)
        run.score()
    with connect([tmp_path / "things", tmp_path / "things-simplified"]) as connection:
        rows = rows_of(connection, "accuracy_by_size", "dataset_size", "num_diarists", "setup", "n", "accuracy")
        assert rows == [
            ("things", 60, "standard", 12, round(11 / 12, 4)),
            ("things", 60, "simplified", 12, round(11 / 12, 4)),
        ]
        recalled = rows_of(
            connection, "recalled_documents", "setup", "num_documents", "documents_recalled", "n_answers"
        )
        assert ("standard", 3, 2, 1) in recalled
        assert all(target == num_recalled for setup, target, num_recalled, _ in recalled if target != 3)
        assert rows_of(connection, "setup_gap", "gap") == [(0.0,)]
        assert {chance for (chance,) in rows_of(connection, "document_accuracy", "chance")} == {None}
        assert rows_of(connection, "wrong_documents", "chance") == []
        documents = connection.sql("select diarist, count(*) from corpus group by diarist").fetchall()
        assert (len(documents), sum(count for _, count in documents)) == (60, len(things(60)))


def test_a_tiny_model_goes_from_the_table_to_the_figure(corpus: Path, tmp_path: Path) -> None:
    tiny_config("opt", 64).save_pretrained(tmp_path / "opt")
    data, trained, run = f"{corpus}:things", tmp_path / "trained", tmp_path / "run"
    training = [
        "train",
        tmp_path / "opt",
        "--scratch",
        "--corpus-tokenizer",
        "--data",
        data,
        "--out",
        trained,
        "--learning-rate",
        5e-3,
    ]
    training += ["--warmup-steps", 2, "--max-steps", 4, "--validation-interval", 4, "--max-new-tokens", 24]
    commands: list[list[object]] = [
        training,
        ["evaluate", data, "--model", trained, "--out", run, "--max-new-tokens", 24, "--probes", "--stop"],
        ["score", run],
        ["report", run, "--only", "figure-5", "--out", tmp_path / "figure-5.svg"],
        ["query", "stop_curve", run, "--format", "json"],
    ]
    for command in commands:
        result = CliRunner().invoke(app, [str(part) for part in command])
        assert result.exit_code == 0, (command[0], result.stderr, result.exception)
    facts = json.loads((trained / "model" / "selfknow.json").read_text())
    assert facts["corpus"]["parameters"]["corpus"] == "things"
    curve = json.loads(result.stdout)
    assert {row["dataset_size"] for row in curve} == {"things"}
    assert {row["num_documents"] for row in curve} == {1, 2, 3}
    assert (tmp_path / "figure-5.svg").read_text().startswith("<svg")
    with connect(run) as connection:
        prompts = connection.sql("select distinct prompt from generations where stage = 'probe' and variant = 'A'")
        assert all(": Document 2\n" in prompt for (prompt,) in prompts.fetchall())
