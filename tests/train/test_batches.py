"""Every step has as many examples as the recipe says, however they are divided; and every part of it is wrapped."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from selfknow.errors import UserError
from selfknow.train.batch import Batch, check_devices, share_out
from selfknow.train.data import Stream, training_rows
from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
from selfknow.train.packing import Collator
from selfknow.train.recipe import Recipe
from selfknow.train.run import train
from selfknow.train.trainer import DiaryTrainer
from selfknow.train.validation import Validation
from tests.tiny_models import tiny_config, tiny_corpus, tiny_model, tiny_tokenizer

RECIPE = Recipe(5e-3, warmup_steps=2, max_steps=3, validation_interval=1, dropout=0.0)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def tokenizer(corpus: Any) -> Any:
    table = corpus.read("train")
    return tiny_tokenizer([row["prompt"] + row["completion"] for row in table.to_pylist()])


def trainer_of(
    architecture: str, corpus: Any, tokenizer: Any, folder: Path, recipe: Recipe = RECIPE, batch: Batch | None = None
) -> DiaryTrainer:
    model = tiny_model(architecture, tokenizer)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        elif isinstance(getattr(module, "dropout", None), float):  # T5's attention
            module.dropout = 0.0
    rows = training_rows(corpus.read("train"), tokenizer, encoder_decoder=architecture == "t5")
    collator = Collator(tokenizer.pad_token_id, tokenizer.pad_token_id if architecture == "t5" else None)
    return DiaryTrainer(model, recipe, Stream(rows, recipe), Validation(tokenizer), collator, folder, batch=batch)


@pytest.mark.parametrize("architecture", [pytest.param("gpt_neox", marks=pytest.mark.full), "t5"])
def test_micro_batches_have_the_losses_of_one_batch(
    architecture: str, corpus: Any, tokenizer: Any, tmp_path: Path
) -> None:
    """Long and short examples lie in different micro-batches, so a mean of their means would be another loss."""
    losses = []
    for batch in (Batch(32, 1), Batch(4, 8)):
        trainer = trainer_of(architecture, corpus, tokenizer, tmp_path / str(batch.micro_batch_size), batch=batch)
        trainer.train_to_the_end()
        assert trainer.state.global_step == 3
        losses.append([line["loss"] for line in trainer.state.log_history if "loss" in line])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    assert len(losses[0]) == len(set(losses[0])) == 3, "the later ones hang on the weights that the first steps made"


def test_every_layer_of_an_encoder_decoder_model_computes_in_bfloat16(
    corpus: Any, tokenizer: Any, tmp_path: Path
) -> None:
    trainer = trainer_of("t5", corpus, tokenizer, tmp_path, replace(RECIPE, max_steps=1, precision="bfloat16"))
    computed: dict[str, set[torch.dtype]] = {"encoder": set(), "decoder": set()}
    for part, seen in computed.items():
        for module in getattr(trainer.model, part).modules():
            if isinstance(module, torch.nn.Linear):
                module.register_forward_hook(lambda _, __, output, seen=seen: seen.add(output.dtype))
    trainer.train_to_the_end()
    assert computed == {"encoder": {torch.bfloat16}, "decoder": {torch.bfloat16}}
    assert {parameter.dtype for parameter in trainer.model.parameters()} == {torch.float32}


@pytest.mark.parametrize(
    ("examples", "processes", "micro_batch_size", "expected"),
    [
        (32, 1, None, Batch(32, 1)),
        (32, 4, None, Batch(8, 1)),
        (32, 4, 2, Batch(2, 4)),
        (30, 3, None, Batch(10, 1)),
        (32, 8, 16, Batch(4, 1)),
    ],
)
def test_a_step_is_shared_out_evenly(
    examples: int, processes: int, micro_batch_size: int | None, expected: Batch
) -> None:
    batch = share_out(examples, processes, micro_batch_size)
    assert batch == expected
    assert batch.micro_batch_size * batch.num_micro_batches * processes == examples


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((32, 3), r"over 3 processes: start 1, 2, 4, 8, 16 or 32 processes, or pass --examples-per-step 30 or 33"),
        ((2, 4), r"over 4 processes: start 1 or 2 processes, or pass --examples-per-step 4"),
        ((32, 2, 5), r"micro-batches of 5 do not divide the 16 .*: pass --micro-batch-size 1, 2, 4, 8 or 16"),
    ],
)
def test_a_step_that_cannot_be_shared_out_evenly_is_refused_with_the_mend(
    arguments: tuple[int, ...], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        share_out(*arguments)


def test_several_cards_and_one_process_are_refused_before_anything_is_written(
    corpus: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Trainer would give each of them 32 examples, while run.json says 32."""
    check_devices(num_cards=4, num_processes=4)
    check_devices(num_cards=1, num_processes=1)
    tiny_config("opt", 64).save_pretrained(tmp_path / "opt")
    job = TrainingJob(str(tmp_path / "opt"), corpus, RECIPE, scratch=True, tokenizer=CORPUS_TOKENIZER)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 4)
    with pytest.raises(UserError, match=r"torchrun --nproc-per-node 4 -m selfknow train .* with CUDA_VIS"):
        train(job, tmp_path / "out")
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    with pytest.raises(UserError, match="FSDP shards the weights, but validation generates with the whole model"):
        train(job, tmp_path / "out")
    with pytest.raises(
        UserError, match="unknown tracker 'clipboard' in --report-to: choose from trackio, wandb, tensorboard"
    ):
        train(replace(job, report_to=("clipboard",)), tmp_path / "out")
    monkeypatch.setattr("selfknow.train.reporting.find_spec", lambda _: None)
    with pytest.raises(UserError, match="--report-to wandb needs wandb: pip install wandb"):
        train(replace(job, report_to=("wandb",)), tmp_path / "out")
    assert not (tmp_path / "out").exists()
