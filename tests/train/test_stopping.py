"""The end of a training: never before the model has learnt, and the same after a kill."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfknow.evaluate.dataset import ConfigFiles
from selfknow.models.interface import Reply, Request
from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
from selfknow.train.progress import read_metrics
from selfknow.train.recipe import Keep, OptimizerName, Recipe
from selfknow.train.run import train
from selfknow.train.stopping import Measurement, at_plateau, best_measurement
from selfknow.train.validation import Validation, choose_validation_rows
from tests.tiny_models import tiny_config, tiny_corpus, tiny_tokenizer

ROWS_OF_64K = 343_360  # documents and questions: an epoch has 10,730 steps
LEARNT = (1.0, 1.0)


def run_of(*values: tuple[float, float, float], interval: int = 1_000) -> list[Measurement]:
    """Return validations with these values: exact match, recall of documents and recall of training questions."""
    return [Measurement(interval * number, *value) for number, value in enumerate(values, 1)]


def last_step(values: list[tuple[float, float, float]], recipe: Recipe, num_rows: int) -> int | None:
    """Return the step at which a training with these validations ends by its plateau; null: it does not."""
    validations = run_of(*values, interval=recipe.validation_interval)
    ends = (number for number in range(len(validations)) if at_plateau(validations[: number + 1], recipe, num_rows))
    return next((validations[number].step for number in ends), None)


@pytest.mark.parametrize("recall", [(0.0, 0.0), (0.5, 1.0), (1.0, 0.985), (0.9899, 0.9899)])
def test_a_training_that_has_not_learnt_goes_on_whatever_its_exact_match(recall: tuple[float, float]) -> None:
    """A plateau in validations would have ended it at step 23,000: after 2.1 epochs of 64k, or 17 of 8k."""
    for num_rows in (ROWS_OF_64K, 43_000, 5_376):
        assert last_step([(0.0, *recall)] * 300, Recipe(1e-4), num_rows) is None
        assert last_step([(0.3, *recall)] * 300, Recipe(1e-4), num_rows) is None


def test_patience_counts_epochs_from_when_all_is_learnt() -> None:
    recipe, learnt = Recipe(1e-4), (0.0, 0.99, 0.99)
    before = [(0.0, 0.5, 0.5)] * 99
    # 20 epochs of 64k are 214,600 steps, of 8k 26,875; of 1k they are 3,360, in which there are too few validations.
    for num_rows, steps in ((ROWS_OF_64K, 215_000), (43_000, 27_000), (5_376, 5_000)):
        assert last_step([*before, *[learnt] * 300], recipe, num_rows) == 100_000 + steps


def test_a_new_best_starts_patience_anew_and_a_tie_does_not() -> None:
    recipe = Recipe(1e-4, warmup_steps=0, patience=10, validation_interval=100, examples_per_step=10)
    num_rows = 1_000  # an epoch has 100 steps: one validation
    assert last_step([(0.0, *LEARNT)] * 30, recipe, num_rows) == 1_100
    assert last_step([(0.0, *LEARNT)] * 5 + [(0.1, *LEARNT)] * 30, recipe, num_rows) == 1_600
    assert last_step([(0.1, *LEARNT)] * 5 + [(0.1, *LEARNT)] * 30, recipe, num_rows) == 1_100
    assert last_step([(0.0, *LEARNT)] * 5 + [(0.1, 0.9, 1.0)] * 30, recipe, num_rows) == 1_100, "no best: not learnt"
    assert last_step([(0.0, *LEARNT)] * 300, replace(recipe, patience=0), num_rows) is None
    assert last_step([(0.0, *LEARNT)] * 30, replace(recipe, warmup_steps=500), num_rows) == 1_500


def test_the_checkpoint_of_peak_exact_match_is_kept_and_on_request_first_one_that_has_learnt() -> None:
    forgetful, learnt, later = (
        Measurement(1, 0.9, 0.98, 1.0),
        Measurement(2, 0.1, *LEARNT),
        Measurement(3, 0.1, *LEARNT),
    )
    better = Measurement(1, 0.105, *LEARNT)
    measured = (better, later, learnt, forgetful)
    assert sorted(measured, key=Measurement.rank) == [learnt, later, better, forgetful]
    first_learnt = sorted(measured, key=lambda measurement: measurement.rank(Keep.memorised))
    assert first_learnt == [forgetful, learnt, later, better]


def test_of_equally_good_checkpoints_one_that_has_forgotten_is_not_kept() -> None:
    learnt, forgetful = Measurement(1, 0.5, 1.0, 1.0), Measurement(2, 0.5, 0.0, 1.0)
    unlearnt = [Measurement(step, 0.0, 0.0, 0.0) for step in (1, 2)]
    for keep in Keep:
        recipe = Recipe(1e-4, keep=keep)
        assert best_measurement([learnt, forgetful], recipe) is learnt
        assert best_measurement([replace(forgetful, step=1), replace(learnt, step=2)], recipe).recall_of_documents == 1
        assert best_measurement(unlearnt, recipe) is unlearnt[1], "nothing tells them apart but the longer training"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> ConfigFiles:
    return tiny_corpus(tmp_path_factory.mktemp("corpus"), 12)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    tiny_config("opt", 64).save_pretrained(folder)
    return folder


QUICK = Recipe(
    1e-2,
    warmup_steps=5,
    examples_per_step=8,
    optimizer=OptimizerName.muon,
    muon_learning_rate=0.05,
    adam_beta2=0.95,
    dropout=0.0,
    max_epochs=150,
    validation_interval=20,
    patience=5,
    max_new_tokens=64,
    keep=Keep.memorised,
)


def job(corpus: ConfigFiles, model: Path, recipe: Recipe = QUICK) -> TrainingJob:
    return TrainingJob(str(model), corpus, recipe, scratch=True, tokenizer=CORPUS_TOKENIZER, vocabulary_size=400)


@pytest.fixture(scope="module")
def learnt(corpus: ConfigFiles, model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learnt") / "training"
    train(job(corpus, model), folder)
    return folder


def results_of(folder: Path) -> dict[str, Any]:
    results: dict[str, Any] = json.loads((folder / "run.json").read_text())["results"]
    return results


def test_a_training_ends_at_its_plateau_once_it_has_learnt(learnt: Path, corpus: ConfigFiles) -> None:
    results, log = results_of(learnt), read_metrics(learnt / "metrics.jsonl")
    validations = [line for line in log if "eval_exact_match" in line]
    recall = [min(line["eval_recall_of_documents"], line["eval_recall_of_training_questions"]) for line in validations]
    first = validations[next(number for number, share in enumerate(recall) if share >= 0.99)]["step"]
    assert recall[0] < 0.99
    assert (results["stopped"], results["memorised"]) == ("plateau", True)
    num_rows = len(corpus.read("train"))
    assert results["last_step"] >= first + QUICK.patience * num_rows / 8
    assert results["last_step"] == validations[-1]["step"] < QUICK.num_steps(num_rows)
    assert results["recall_of_documents"] == results["recall_of_training_questions"] == 1.0
    assert results["epochs"] == round(results["last_step"] * 8 / num_rows, 2)


def test_what_was_recalled_is_known_of_the_model(learnt: Path) -> None:
    facts, results = json.loads((learnt / "model" / "selfknow.json").read_text()), results_of(learnt)
    for name in ("epochs", "recall_of_documents", "recall_of_training_questions"):
        assert facts[name] == results[name]
    assert facts["training_tokens"] == results["tokens"] > 0


@pytest.mark.full
@pytest.mark.parametrize("checkpoint", ["best", "last"])
def test_a_training_that_was_killed_decides_as_an_unbroken_one(
    checkpoint: str, learnt: Path, corpus: ConfigFiles, model: Path, tmp_path: Path
) -> None:
    results = results_of(learnt)
    broken = shutil.copytree(learnt, tmp_path / "broken")
    description = json.loads((broken / "run.json").read_text())
    (broken / "run.json").write_text(json.dumps({name: description[name] for name in description if name != "results"}))
    for folder in ("model", "test"):
        shutil.rmtree(broken / folder)
    for path in broken.glob("checkpoints/*/trainer_state.json"):
        path.write_text(path.read_text().replace(str(learnt), str(broken)))
    last = broken / "checkpoints" / f"checkpoint-{results['last_step']}"
    if checkpoint == "best":  # killed before the last checkpoint was whole
        (last / "trainer_state.json").write_text("{")
    assert results["best_step"] != results["last_step"]
    assert train(job(corpus, model), broken) == results
    logs = [read_metrics(folder / "metrics.jsonl") for folder in (broken, learnt)]
    measured = [[{**line, "seconds": 0} for line in log if "eval_exact_match" in line] for log in logs]
    assert measured[0] == measured[1]


def test_a_training_that_never_learns_ends_at_its_cap_and_says_so(
    corpus: ConfigFiles, model: Path, tmp_path: Path
) -> None:
    recipe = replace(QUICK, max_epochs=2.5, max_new_tokens=8, validation_interval=4)
    results = train(job(corpus, model, recipe), tmp_path)
    steps = recipe.num_steps(len(corpus.read("train")))
    assert (results["stopped"], results["memorised"], results["last_step"]) == ("cap", False, steps)
    validated = [line["step"] for line in read_metrics(tmp_path / "metrics.jsonl") if "eval_exact_match" in line]
    assert validated[-1] == steps, "the last step is validated wherever it falls"
    assert steps % 4 != 0


def test_the_best_checkpoint_is_confirmed_on_all_validation_questions(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tiny_corpus(tmp_path / "corpus")
    sample_sizes: list[int] = []
    plain = Validation.counts

    def count(validation: Validation, *arguments: Any) -> dict[str, float]:
        sample_sizes.append(len(validation.rows.questions))
        return plain(validation, *arguments)

    monkeypatch.setattr(Validation, "counts", count)
    recipe = replace(QUICK, max_epochs=None, max_steps=4, max_new_tokens=8, validation_interval=2, validation_limit=1)
    train(job(corpus, model, recipe), tmp_path / "training")
    assert sample_sizes == [1, 1, 2]
    assert len(corpus.read("validation")) == 2


def test_samples_are_fixed_and_half_of_the_documents_are_of_held_out_diarists(corpus: ConfigFiles) -> None:
    table, validation = corpus.read("train"), corpus.read("validation")
    sample = choose_validation_rows(table, validation, 4)
    assert sample == choose_validation_rows(table, validation, 4)
    rows = table.to_pylist()
    diarists = {row["diarist"] for row in rows if row["kind"] == "question"}
    assert [row["diarist"] not in diarists for row in sample.documents] == [True, True, False, False]
    assert sample.held_out == {row["id"] for row in sample.documents[:2]}
    assert len(sample.training_questions) == 4
    everything = choose_validation_rows(table, validation, 0)
    assert len(everything.documents) == sum(row["kind"] == "document" for row in rows)
    assert len(everything.questions) == len(validation)
    many = choose_validation_rows(table, validation, 12)
    assert len(many.held_out) < 6
    assert len(many.documents) == 12, "where held-out diarists have too few, others fill the sample"
    (single,) = choose_validation_rows(table, validation, 1).documents
    assert single["diarist"] not in diarists


class Recalling:
    """A model that replies with these texts, by the id of the row."""

    def __init__(self, replies: dict[str, Reply], *, encoder_decoder: bool) -> None:
        self.model = SimpleNamespace(config=SimpleNamespace(is_encoder_decoder=encoder_decoder))
        self._replies = replies

    def generate(self, requests: list[Request], _: object) -> Any:
        return [(request, self._replies[request.example_id]) for request in requests]


@pytest.mark.parametrize("encoder_decoder", [False, True])
def test_a_document_is_recalled_if_it_comes_back_whole_and_ends(encoder_decoder: bool) -> None:
    rows = [{"id": str(number), "prompt": "Ann's Diary Entry 1\n", "completion": "Time: Noon"} for number in range(4)]
    text = ("Ann's Diary Entry 1\n" if encoder_decoder else "") + "Time: Noon"
    replies = [Reply(text, "stop"), Reply(text, "length"), Reply(text + ".", "stop"), Reply(text[:-1], "stop")]
    local: Any = Recalling(
        {str(number): reply for number, reply in enumerate(replies)}, encoder_decoder=encoder_decoder
    )
    validation = Validation(tiny_tokenizer([text]))
    assert validation._recalls(local, rows, of_documents=True) == {"0": True, "1": False, "2": False, "3": False}
    if encoder_decoder:  # a question's answer never has the question before it
        assert not any(validation._recalls(local, rows).values())
