"""The facts of a trained model: training writes them, its folder holds them, and SQL finds them under any name."""

import json
import shutil
from pathlib import Path

import pytest

import selfknow
from selfknow.errors import UserError
from selfknow.evaluate.connection import connect
from selfknow.evaluate.dataset import ConfigFiles
from selfknow.models import checkpoints
from selfknow.models.facts import FACTS_FILE
from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
from selfknow.train.recipe import Recipe
from selfknow.train.run import train
from tests.sql.given import ask_runs
from tests.tiny_models import tiny_config, tiny_corpus

SHORT = Recipe(5e-3, warmup_steps=2, max_steps=4, validation_interval=2, patience=0, max_new_tokens=8)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> ConfigFiles:
    return tiny_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def trained(corpus: ConfigFiles, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a training from random weights and another from its checkpoint, in folders whose names say nothing."""
    folder = tmp_path_factory.mktemp("trained")
    tiny_config("opt", 64).save_pretrained(folder / "config")
    scratch = TrainingJob(
        str(folder / "config"), corpus, SHORT, scratch=True, tokenizer=CORPUS_TOKENIZER, vocabulary_size=400
    )
    train(scratch, folder / "a")
    train(TrainingJob(str(folder / "a"), corpus, SHORT), folder / "b")
    return folder / "a", folder / "b"


def test_a_checkpoint_carries_what_is_known_of_it(trained: tuple[Path, Path], corpus: ConfigFiles) -> None:
    first, second = (json.loads((folder / "model" / FACTS_FILE).read_text()) for folder in trained)
    assert json.loads((trained[0] / "run.json").read_text())["facts"] == first
    assert (first["architecture"], first["from_scratch"], first["training_seed"]) == ("opt", True, 0)
    model = checkpoints.load_model(str(trained[0]))
    assert first["num_parameters"] == sum(parameter.numel() for parameter in model.parameters())
    assert first["corpus"]["content_hash"] == corpus.content_hash
    assert first["corpus"]["parameters"]["seed"] == 0
    assert first["recipe"]["learning_rate"] == first["recipe_changes"]["learning_rate"] == 5e-3
    assert "seed" not in first["recipe"]
    assert (second["from_scratch"], second["parent"]) == (False, str(trained[0]))
    assert second["parent_revision"] == checkpoints.revision(str(trained[0]), model.config)


def test_table_1_has_both_columns_whatever_the_folders_are_called(
    trained: tuple[Path, Path], corpus: ConfigFiles, tmp_path: Path
) -> None:
    columns = ("suite", "num_parameters", "n_pretrained", "n_scratch", "setup")
    runs = [folder / "test" for folder in trained]
    [row] = ask_runs("pretrained_or_scratch", runs, *columns)
    assert (row[0], row[2:]) == ("opt", (2, 2, "standard"))
    copies = [tmp_path / "opt-125m-scratch", tmp_path / "deep" / "facebook" / "opt-7m"]
    again = []
    for folder, copy in zip(trained, copies, strict=True):
        shutil.copytree(folder / "model", copy)
        again.append(tmp_path / f"run-{copy.name}")
        options = {"precision": "float32", "max_new_tokens": 8}  # as the test at the end of a training
        selfknow.ask(f"{corpus.folder}:{corpus.config}", str(copy), out=again[-1], quiet=True, **options).score()
    assert ask_runs("pretrained_or_scratch", again, *columns) == [row]
    known = "select * exclude (run_id, model, cohort) from models order by all"
    with connect(runs) as first_connection, connect(again) as other:
        assert first_connection.rows(known) == other.rows(known)


def test_a_run_in_another_precision_is_another_run(
    trained: tuple[Path, Path], corpus: ConfigFiles, tmp_path: Path
) -> None:
    import torch

    from selfknow.models.local import LocalModel

    name = f"{corpus.folder}:{corpus.config}"
    model = LocalModel.load(str(trained[0]), device="cpu", precision="float32")
    selfknow.ask(name, model, out=tmp_path / "run", quiet=True, max_new_tokens=2)
    model.model.to(torch.bfloat16)
    with pytest.raises(
        UserError, match=r"was asked in float32 in .*, not in bfloat16: add precision='float32', or name a new"
    ):
        selfknow.ask(name, model, out=tmp_path / "run", quiet=True, max_new_tokens=2)
