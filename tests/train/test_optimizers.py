"""Muon and AdamW as one optimizer, and a rate that decays."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import TrainerCallback

from selfknow.models.checkpoints import load_model
from selfknow.train.data import Stream, training_rows
from selfknow.train.muon import muon_optimizer
from selfknow.train.packing import Collator
from selfknow.train.recipe import OptimizerName, Recipe
from selfknow.train.trainer import DiaryTrainer, latest_checkpoint
from selfknow.train.validation import Validation
from tests.tiny_models import ARCHITECTURES, tiny_corpus, tiny_model, tiny_tokenizer

RECIPE = Recipe(
    2e-3,
    warmup_steps=2,
    optimizer=OptimizerName.muon,
    adam_beta2=0.95,
    decay=0.4,
    patience=0,
    max_steps=10,
    validation_interval=5,
)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_corpus(tmp_path_factory.mktemp("corpus")).read("train")


@pytest.fixture(scope="module")
def tokenizer(table: Any) -> Any:
    return tiny_tokenizer([row["prompt"] + row["completion"] for row in table.to_pylist()])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_muon_takes_the_matrices_between_embeddings_and_output(architecture: str, tokenizer: Any) -> None:
    model = tiny_model(architecture, tokenizer)
    matrices, others = (group["params"] for group in muon_optimizer(model, RECIPE).param_groups)
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    assert {parameter.dim() for parameter in matrices} == {2}
    of_others = {names[id(parameter)] for parameter in others if parameter.dim() == 2}
    assert (
        of_others
        == {
            "opt": {"model.decoder.embed_tokens.weight", "model.decoder.embed_positions.weight"},
            "gpt_neox": {"gpt_neox.embed_in.weight", "lm_head.weight"},
            "t5": {"shared.weight", "lm_head.weight"}
            | {
                f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
                for side in ("encoder", "decoder")
            },
        }[architecture]
    )
    assert len(matrices) + len(others) == len(list(model.parameters()))


def step(model: Any, *optimizers: torch.optim.Optimizer) -> None:
    """Take a step on tokens that are the same for every optimizer."""
    torch.manual_seed(1)
    model.zero_grad()
    model(input_ids=torch.randint(3, 50, (2, 8)), labels=torch.randint(3, 50, (2, 8))).loss.backward()
    for optimizer in optimizers:
        optimizer.step()


def assert_equal(first: Any, second: Any) -> None:
    for mine, theirs in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_it_steps_as_the_two_do_apart_and_goes_on_from_a_checkpoint(tokenizer: Any) -> None:
    model = tiny_model("opt", tokenizer)
    apart = deepcopy(model)
    optimizer = muon_optimizer(model, RECIPE)
    matrices, others = (group["params"] for group in muon_optimizer(apart, RECIPE).param_groups)
    muon = torch.optim.Muon(matrices, lr=1e-2, momentum=0.95, weight_decay=0.0)
    adam = torch.optim.AdamW(others, lr=2e-3, betas=(0.9, 0.95), weight_decay=0.0, fused=True)
    both = [torch.optim.lr_scheduler.LinearLR(each, 1.0, 0.1, 5) for each in (optimizer, muon, adam)]
    for _ in range(3):
        step(model, optimizer)
        step(apart, muon, adam)
        for schedule in both:
            schedule.step()
    assert_equal(model, apart)
    copy = deepcopy(model)
    resumed = muon_optimizer(copy, RECIPE)
    resumed.load_state_dict(deepcopy(optimizer.state_dict()))
    step(model, optimizer)
    step(copy, resumed)
    step(apart, muon, adam)
    assert_equal(model, copy)
    assert_equal(model, apart)


def trainer_of(table: Any, tokenizer: Any, folder: Path, resumed: Path | None = None) -> DiaryTrainer:
    rows = training_rows(table, tokenizer, encoder_decoder=False)
    model = tiny_model("gpt_neox", tokenizer) if resumed is None else load_model(str(resumed))
    return DiaryTrainer(
        model, RECIPE, Stream(rows, RECIPE), Validation(tokenizer), Collator(tokenizer.pad_token_id), folder
    )


@pytest.mark.full
def test_a_training_with_muon_and_decay_that_was_killed_has_the_same_weights(
    table: Any, tokenizer: Any, tmp_path: Path
) -> None:
    whole = trainer_of(table, tokenizer, tmp_path)
    rates: list[list[float]] = []
    whole.add_callback(Rates(rates))
    whole.train_to_the_end()
    # Up over two steps, constant over four, down over four; the rate that a step is taken with.
    shares = [0, 1 / 2, 1, 1, 1, 1, 1, 3 / 4, 1 / 2, 1 / 4]
    assert rates == [pytest.approx([share * 1e-2, share * 2e-3]) for share in shares]
    (tmp_path / "checkpoint-10" / "trainer_state.json").write_text("{")
    checkpoint = latest_checkpoint(tmp_path)
    assert checkpoint == tmp_path / "checkpoint-5"
    resumed = trainer_of(table, tokenizer, tmp_path, checkpoint)
    resumed.train_to_the_end(checkpoint)
    assert resumed.state.global_step == 10
    assert_equal(whole.model, resumed.model)


class Rates(TrainerCallback):
    """A callback that records the rates of Muon and AdamW before every step."""

    def __init__(self, rates: list[list[float]]) -> None:
        self._rates = rates

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._rates.append([group["lr"] for group in kwargs["optimizer"].param_groups])
