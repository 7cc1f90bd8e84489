"""Trainings from start to end: three architectures, kills, refusals, and no need of `datasets`."""

import json
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
import torch
from typer.testing import CliRunner

import selfknow
from selfknow.cli.app import app
from selfknow.errors import UserError
from selfknow.evaluate.dataset import ConfigFiles, open_dataset
from selfknow.models.checkpoints import load_model
from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
from selfknow.train.options import TrainingOptions, training_job
from selfknow.train.progress import read_metrics
from selfknow.train.recipe import Keep, OptimizerName, Recipe
from selfknow.train.run import _check_or_write_description as describe
from selfknow.train.run import train
from selfknow.train.stopping import RECALL_OF_DOCUMENTS, RECALL_OF_TRAINING_QUESTIONS
from selfknow.train.validation import RECALL_OF_HELD_OUT_DOCUMENTS, SCORES, Validation
from tests.conftest import REPOSITORY
from tests.tiny_models import ARCHITECTURES, tiny_config, tiny_corpus
from tests.warm_python import WarmPython

# One architecture runs each test; the others run it in the full suite.
ONE = [pytest.param(name, marks=[] if name == "t5" else pytest.mark.full) for name in ARCHITECTURES]
SCRATCH = ("--scratch", "--corpus-tokenizer")
SHORT = Recipe(5e-3, warmup_steps=5, max_steps=20, validation_interval=10, patience=0, max_new_tokens=24)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> ConfigFiles:
    return tiny_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a configuration for each architecture into a folder."""
    folder = tmp_path_factory.mktemp("models")
    for architecture in ARCHITECTURES:
        tiny_config(architecture, 64).save_pretrained(folder / architecture)
    return folder


def job(corpus: ConfigFiles, models: Path, recipe: Recipe = SHORT, model: str = "opt") -> TrainingJob:
    return TrainingJob(
        str(models / model), corpus, recipe, scratch=True, tokenizer=CORPUS_TOKENIZER, vocabulary_size=400
    )


@pytest.fixture(scope="module")
def trained(corpus: ConfigFiles, models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train the model of :func:`job`, for tests that read it and leave it as it is."""
    folder = tmp_path_factory.mktemp("trained")
    train(job(corpus, models), folder)
    return folder


def results_of(folder: Path) -> dict[str, Any]:
    results: dict[str, Any] = json.loads((folder / "run.json").read_text())["results"]
    return results


@pytest.mark.parametrize("architecture", ONE)
def test_every_architecture_goes_through_train_evaluate_and_score(
    architecture: str, corpus: ConfigFiles, models: Path, tmp_path: Path
) -> None:
    data = f"{corpus.folder}:{corpus.config}"
    trained, run = tmp_path / "trained", tmp_path / "run"
    training = ["train", models / architecture, *SCRATCH, "--data", data, "--out", trained, "--learning-rate", 5e-3]
    training += ["--warmup-steps", 5, "--max-steps", 20, "--validation-interval", 10, "--max-new-tokens", 24]
    evaluation = ["evaluate", data, "--model", trained, "--out", run, "--max-new-tokens", 24, "--probes", "--stop"]
    commands: list[list[object]] = [training, evaluation, ["score", run, "--format", "json"]]
    for command in commands:
        result = CliRunner().invoke(app, [str(word) for word in command], catch_exceptions=False)
        assert result.exit_code == 0, result.output
    description = json.loads((trained / "run.json").read_text())
    assert description["results"]["last_step"] == 20
    assert "a tie is no new best" in description["recipe"]["plateau"]
    assert (description["results"]["stopped"], description["results"]["memorised"]) == ("cap", False)
    assert description["dataset"]["content_hash"] == corpus.content_hash
    with duckdb.connect() as connection:  # a fresh reader needs nothing else
        counts = connection.execute(
            f"select stage, count(*), count(error) from '{run}/generations/*.parquet' group by all order by all"
        ).fetchall()
        graded = connection.execute(
            f"select count(*), count(value) from '{run}/scores/*.parquet' where metric = 'exact_match'"
        ).fetchone()
    entries = sum(corpus.read("test")["num_documents"].to_pylist())
    assert counts == [("answer", 2, 0), ("next-title", entries, 0), ("probe", 2, 0), ("stop", entries, 0)]
    assert graded == (2, 2)
    lines = read_metrics(trained / "metrics.jsonl")
    losses = [line["loss"] for line in lines if "loss" in line]
    assert losses[0] > losses[1]
    assert [line["step"] for line in lines if "eval_exact_match" in line] == [10, 20]


def test_a_training_that_was_killed_ends_with_the_losses_of_an_unbroken_one(
    corpus: ConfigFiles, models: Path, tmp_path: Path, python: WarmPython
) -> None:
    recipe = Recipe(5e-3, warmup_steps=5, max_steps=40, validation_interval=10, patience=0, max_new_tokens=8)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    expected = train(job(corpus, models, recipe, "gpt_neox"), whole)
    arguments = ["train", models / "gpt_neox", *SCRATCH, "--data", f"{corpus.folder}:{corpus.config}", "--out", broken]
    arguments += ["--learning-rate", 5e-3, "--warmup-steps", 5, "--max-steps", 40, "--validation-interval", 10]
    arguments += ["--patience", 0, "--max-new-tokens", 8, "--vocabulary-size", 400]
    process = python.start("-m", "selfknow", *arguments)
    while process.poll() is None and not list((broken / "checkpoints").glob("checkpoint-*/trainer_state.json")):
        time.sleep(0.01)
    process.kill()
    assert process.wait() != 0, "the training was over before it was killed"
    half_written = broken / "checkpoints" / "checkpoint-30"
    half_written.mkdir(exist_ok=True)
    (half_written / "trainer_state.json").write_text('{"global_step": 30, ')
    assert train(job(corpus, models, recipe, "gpt_neox"), broken) == expected

    def measured(folder: Path) -> list[dict[str, Any]]:
        lines = read_metrics(folder / "metrics.jsonl")
        return [{name: value for name, value in line.items() if name != "seconds"} for line in lines]

    assert [line["step"] for line in measured(broken)] == [line["step"] for line in measured(whole)]
    for resumed, other in zip(measured(broken), measured(whole), strict=True):
        assert resumed == pytest.approx(other, rel=1e-5)


@pytest.mark.parametrize(
    ("architecture", "keep", "best_step", "exact_match"),
    [
        *(
            pytest.param(name, Keep.peak, 2, 1.0, marks=[] if name == "t5" else pytest.mark.full)
            for name in ARCHITECTURES
        ),
        pytest.param(ARCHITECTURES[0], Keep.memorised, 10, 0.5, marks=pytest.mark.full),
    ],
)
def test_the_model_that_is_kept_is_the_best_checkpoint_to_the_last_weight(
    architecture: str,
    keep: Keep,
    best_step: int,
    exact_match: float,
    corpus: ConfigFiles,
    models: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {"documents": [0.5, 1, 1, 1, 1, 1, 1, 1], "questions": [1.0, 0, 0.5, 0.5, 0.5, 0, 0, 0]}
    counts = iter(zip(*rows.values(), strict=True))  # of validations at steps 2, 4, …

    def count(validation: Validation, *_: object) -> dict[str, float]:
        documents, right = next(counts)
        learnt = {RECALL_OF_DOCUMENTS: documents * len(validation.rows.documents), RECALL_OF_HELD_OUT_DOCUMENTS: 0.0}
        learnt[RECALL_OF_TRAINING_QUESTIONS] = float(len(validation.rows.training_questions))
        return {**dict.fromkeys(SCORES, right * len(validation.rows.questions)), **learnt}

    monkeypatch.setattr(Validation, "counts", count)
    ends = {"warmup_steps": 1, "max_steps": 100, "validation_interval": 2, "patience": 3}
    recipe = Recipe(5e-3, **ends, max_new_tokens=8, keep=keep)
    results = train(job(corpus, models, recipe, architecture), tmp_path)
    assert (results["best_step"], results["best_validation_exact_match"]) == (best_step, exact_match)
    assert (results["last_step"], results["stopped"]) == (16, "plateau"), "five validations after the best, at step 6"
    folders = [tmp_path / "checkpoints" / f"checkpoint-{step}" for step in (best_step, 16)] + [tmp_path / "model"]
    best, last, saved = (load_model(str(folder)).state_dict() for folder in folders)
    assert all(torch.equal(saved[name], best[name]) for name in best)
    assert not any(torch.equal(last[name], best[name]) for name in best if name.endswith("weight"))


def test_another_training_in_the_same_folder_is_refused(corpus: ConfigFiles, models: Path, trained: Path) -> None:
    assert train(job(corpus, models), trained) == results_of(trained), "the same training is complete"
    with pytest.raises(UserError, match="holds another training"):
        train(job(corpus, models, Recipe(1e-3)), trained)
    with pytest.raises(UserError, match="is another run"):
        selfknow.ask(f"{corpus.folder}:{corpus.config}", lambda prompt: "", out=trained, quiet=True)


def test_a_folder_that_holds_something_else_is_refused(corpus: ConfigFiles, models: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(UserError, match=r"is not a training folder \(it holds thesis.tex\)"):
        train(job(corpus, models), tmp_path)


def test_a_kill_while_the_description_is_written_leaves_a_folder_to_train_in(
    corpus: ConfigFiles, models: Path, tmp_path: Path
) -> None:
    for _ in range(2):
        (tmp_path / ".run.json.writing").write_text('{"model"')
        describe(job(corpus, models), tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_model_that_was_never_published_needs_scratch(corpus: ConfigFiles) -> None:
    with pytest.raises(UserError, match="opt-7m was never published: train it with --scratch, or from --check"):
        TrainingJob("opt-7m", corpus, SHORT)


def test_from_scratch_and_fine_tuned_have_the_published_tokenizer_unless_told(
    corpus: ConfigFiles, trained: Path, tmp_path: Path
) -> None:
    """A local folder stands in for the published checkpoint."""
    published = trained / "model"
    scratch, tuned = (TrainingJob(str(published), corpus, SHORT, scratch=scratch) for scratch in (True, False))
    assert scratch.facts().recipe_hash == tuned.facts().recipe_hash, "they differ in nothing but where they start"
    sizes = set()
    for number, each in enumerate((scratch, tuned)):
        tokenizer = each.make_tokenizer(tmp_path / f"tokenizer-{number}")
        sizes.add((len(tokenizer), each.make_model(tokenizer).num_parameters()))
    assert len(sizes) == 1
    stand_ins = [replace(each, model="opt-7m", checkpoint=str(published)) for each in (scratch, tuned)]
    for each in stand_ins:
        tokenizer = each.make_tokenizer(tmp_path / f"stand-in-{each.scratch}")
        sizes.add((len(tokenizer), each.make_model(tokenizer).num_parameters()))
        assert (each.facts().origin, each.facts().from_scratch) == ("opt-7m", each.scratch)
    assert len(sizes) == 1
    small = replace(scratch, tokenizer=CORPUS_TOKENIZER, vocabulary_size=300)
    assert len(small.make_tokenizer(tmp_path / "small")) == 300

    command = ["train", published, "--scratch", "--data", f"{corpus.folder}:{corpus.config}", "--learning-rate", 1e-3]
    command += ["--max-steps", 1, "--max-new-tokens", 2, "--out"]
    for more, message in (
        ((), f"the tokenizer of {published}; --corpus-tokenizer trains"),
        (SCRATCH[1:], "at most 4,096"),
    ):
        result = CliRunner().invoke(app, [str(word) for word in (*command, tmp_path / f"out{len(more)}", *more)])
        assert message in result.stderr
    with pytest.raises(UserError, match="leave out --tokenizer gpt2"):
        training_job("opt-7m", "x:y", TrainingOptions(tokenizer="gpt2", corpus_tokenizer=True))


def test_a_published_tokenizer_that_cannot_be_had_is_said_with_the_mend(
    corpus: ConfigFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match=r"'facebook/opt-125m' .*\w; pass --tokenizer .*, or --corpus-tokenizer"):
        TrainingJob("opt-7m", corpus, SHORT, scratch=True).make_tokenizer(tmp_path / "tokenizer")


def test_fine_tuning_goes_on_from_a_checkpoint_with_adapters_merged_at_the_end(
    corpus: ConfigFiles, trained: Path, tmp_path: Path
) -> None:
    pytest.importorskip("peft", reason="LoRA is optional")
    recipe = Recipe(1e-3, warmup_steps=2, max_steps=4, validation_interval=2, max_new_tokens=8, lora_rank=2)
    second = train(TrainingJob(str(trained), corpus, recipe), tmp_path / "second")
    assert second["num_parameters"] == results_of(trained)["num_parameters"], "the adapters are merged into the weights"
    assert (tmp_path / "second" / "model" / "model.safetensors").is_file()


def test_gradient_checkpointing_and_bfloat16_train_too(corpus: ConfigFiles, models: Path, tmp_path: Path) -> None:
    recipe = Recipe(
        5e-3,
        warmup_steps=2,
        max_steps=4,
        validation_interval=2,
        max_new_tokens=8,
        gradient_checkpointing=True,
        precision="bfloat16",
    )
    assert train(job(corpus, models, recipe, "t5"), tmp_path)["last_step"] == 4


@pytest.mark.full
def test_training_needs_neither_datasets_nor_our_pins(corpus: ConfigFiles, models: Path, tmp_path: Path) -> None:
    """A folder of Parquet without a manifest, and a Python that cannot import `datasets`, DuckDB or numba."""
    bare = tmp_path / "bare"
    shutil.copytree(corpus.folder / corpus.config, bare / "mine")
    arguments = ["selfknow", "train", models / "opt", *SCRATCH, "--data", f"{bare}:mine", "--out", tmp_path / "out"]
    arguments += ["--learning-rate", 5e-3, "--warmup-steps", 2, "--max-steps", 4, "--validation-interval", 2]
    arguments += ["--max-new-tokens", 8, "--format", "json"]
    code = "import sys\n"
    code += "sys.modules.update(dict.fromkeys(['datasets', 'duckdb', 'numba', 'rbloom', 'great_expectations']))\n"
    code += f"sys.argv = {[str(word) for word in arguments]!r}\nfrom selfknow.cli import main\nmain()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    [row] = json.loads(result.stdout)
    assert row["last_step"] == 4


@pytest.mark.full
def test_two_processes_share_a_step(corpus: ConfigFiles, models: Path, tmp_path: Path, python: WarmPython) -> None:
    """Started by torchrun, unchanged: a step's examples are shared out, the losses stay those of one process."""
    recipe = Recipe(
        5e-3,
        warmup_steps=2,
        optimizer=OptimizerName.muon,
        adam_beta2=0.95,
        max_steps=6,
        validation_interval=3,
        patience=0,
        max_new_tokens=8,
    )
    alone = tmp_path / "alone"
    results = train(job(corpus, models, recipe, "gpt_neox"), alone)
    shared = tmp_path / "shared"
    arguments = ["train", models / "gpt_neox", *SCRATCH, "--data", f"{corpus.folder}:{corpus.config}", "--out", shared]
    arguments += ["--learning-rate", 5e-3, "--warmup-steps", 2, "--max-steps", 6, "--optimizer", "muon"]
    arguments += ["--validation-interval", 3, "--patience", 0, "--max-new-tokens", 8, "--vocabulary-size", 400]
    arguments += ["--micro-batch-size", 8]
    command = ["torch.distributed.run", "--standalone", "--nproc-per-node", 2, "--no-python"]
    result = python.run("-m", *command, *shlex.split(python.command("-m", "selfknow")), *arguments, cwd=REPOSITORY)
    assert result.returncode == 0, result.stderr[-3000:]
    losses = [
        [line["loss"] for line in read_metrics(folder / "metrics.jsonl") if "loss" in line]
        for folder in (alone, shared)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)
    described = json.loads((shared / "run.json").read_text())["results"]
    assert (described["num_processes"], described["micro_batch_size"]) == (2, 8)
    assert (results["num_processes"], results["micro_batch_size"]) == (1, 32)
    assert described["tokens"] == results["tokens"]


def test_a_corpus_by_name_is_built_on_the_spot_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    corpus = open_dataset("diary-recall:1k")
    assert (len(corpus.read("test")), corpus.revision) == (50, None)
    assert corpus.content_hash is not None
    before = {path: path.stat().st_mtime_ns for path in corpus.folder.rglob("*.parquet")}
    assert open_dataset("diary-recall:1k") == corpus
    assert {path: path.stat().st_mtime_ns for path in corpus.folder.rglob("*.parquet")} == before


@pytest.mark.parametrize(
    ("reference", "line"),
    [
        ("diary-recall", "name a dataset as NAME:CONFIG"),
        ("diary-recall:", "name a dataset as NAME:CONFIG"),
        ("diary-recall:3k", "has no config '3k'"),
        ("diary-rekall:1k", "there is no dataset 'diary-rekall'"),
        ("./nothing:1k", "there is no folder ./nothing"),
        ("{folder}:2k", "has no config '2k'"),
        ("no/such-dataset:1k", "could not be fetched from the Hub"),
    ],
)
def test_a_corpus_that_cannot_be_had_is_one_line(
    reference: str, line: str, corpus: ConfigFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match=line) as caught:
        open_dataset(reference.format(folder=corpus.folder))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("architecture", ONE)
def test_dropout_can_be_switched_off_from_scratch_and_from_a_checkpoint(
    architecture: str, corpus: ConfigFiles, models: Path, tmp_path: Path
) -> None:
    tokenizer = job(corpus, models).make_tokenizer(tmp_path / "tokenizer")
    tokens = torch.tensor([tokenizer("Tom's Diary Entry 1")["input_ids"]])
    inputs = {"input_ids": tokens} | ({"decoder_input_ids": tokens} if architecture == "t5" else {})
    for rate, same in ((0.0, True), (0.5, False)):
        scratch = job(corpus, models, replace(SHORT, dropout=rate), architecture).make_model(tokenizer)
        scratch.save_pretrained(tmp_path / "saved")
        recipe = replace(SHORT, dropout=rate)
        loaded = TrainingJob(str(tmp_path / "saved"), corpus, recipe, tokenizer=CORPUS_TOKENIZER).make_model(tokenizer)
        for model in (scratch.train(), loaded.train()):
            assert torch.equal(model(**inputs).logits, model(**inputs).logits) == same
