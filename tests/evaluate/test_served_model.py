"""A trained model answers the same through a real server as it does here."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.evaluate.dataset import ConfigFiles
from selfknow.runs.schema import read_generations
from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
from selfknow.train.recipe import Recipe
from selfknow.train.run import train
from tests.evaluate.transformers_server import serve
from tests.tiny_models import tiny_config, tiny_corpus
from tests.warm_python import WarmPython

pytest.importorskip("fastapi", reason="transformers serve needs transformers[serving]")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> ConfigFiles:
    return tiny_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, corpus: ConfigFiles) -> Path:
    """Return a model that has learnt what a diary looks like and where it ends."""
    folder = tmp_path_factory.mktemp("models")
    tiny_config("opt", 64).save_pretrained(folder / "opt")
    recipe = Recipe(1e-2, warmup_steps=10, max_steps=120, validation_interval=120, patience=0, max_new_tokens=48)
    job = TrainingJob(str(folder / "opt"), corpus, recipe, scratch=True, tokenizer=CORPUS_TOKENIZER)
    train(job, folder / "trained")
    return folder / "trained"


@pytest.fixture(scope="module")
def server(trained: Path, python: WarmPython) -> Iterator[str]:
    with serve(trained / "model", python) as address:
        yield address


def evaluate(corpus: ConfigFiles, out: Path, *arguments: object) -> dict[str, tuple[str, str]]:
    command = ["evaluate", f"{corpus.folder}:{corpus.config}", "--out", out, "--max-new-tokens", 48, "--split", "train"]
    result = CliRunner().invoke(app, [str(word) for word in (*command, "--limit", 6, *arguments)])
    assert result.exit_code == 0, result.output
    rows = read_generations(out).to_pylist()
    return {row["example_id"]: (row["generation"], row["finish_reason"]) for row in rows}


def test_greedy_answers_are_the_same_locally_and_through_a_server(
    corpus: ConfigFiles, trained: Path, server: str, tmp_path: Path
) -> None:
    local = evaluate(corpus, tmp_path / "local", "--model", trained, "--precision", "float32")
    served = evaluate(corpus, tmp_path / "served", "--endpoint", server, "--model", trained / "model")
    assert local == served
    texts = [text for text, _ in local.values()]
    assert len(set(texts)) > 1
    assert all(text.partition("\n")[0].endswith(("Entry 1", "Entry 2")) for text in texts), "it writes diaries"
    assert {reason for _, reason in local.values()} == {"stop"}, "it knows where they end"
