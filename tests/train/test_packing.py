"""Packed rows: the same loss and the same gradients as one example a row, with hardly any padding."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from selfknow.train.data import Stream, TrainingRows, training_rows
from selfknow.train.packing import IGNORED, Collator
from selfknow.train.recipe import Recipe
from selfknow.train.trainer import DiaryTrainer
from selfknow.train.validation import Validation
from tests.tiny_models import ARCHITECTURES, tiny_corpus, tiny_model, tiny_tokenizer


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_corpus(tmp_path_factory.mktemp("corpus")).read("train")


@pytest.fixture(scope="module")
def tokenizer(table: Any) -> Any:
    return tiny_tokenizer([prompt + completion for prompt, completion in texts(table)])


def texts(table: Any) -> Iterator[tuple[str, str]]:
    return zip(table["prompt"].to_pylist(), table["completion"].to_pylist(), strict=True)


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_packed_loss_and_gradients_are_those_of_separate_examples(
    architecture: str, attention: str, table: Any, tokenizer: Any, tmp_path: Path
) -> None:
    model = tiny_model(architecture, tokenizer)
    model.set_attn_implementation(attention)
    start = tokenizer.pad_token_id if architecture == "t5" else None
    rows = training_rows(table, tokenizer, encoder_decoder=architecture == "t5")
    examples = [rows[number] for number in range(12)]
    recipe = Recipe(1e-3, max_steps=1)
    packing = Collator(tokenizer.pad_token_id, start)
    trainer = DiaryTrainer(
        model,
        recipe,
        Stream(rows, recipe),
        Validation(tokenizer),
        packing,
        tmp_path,
    )
    model.eval()  # no dropout: the two must agree
    packed = packing(examples)
    loss = trainer.compute_loss(model, dict(packed))
    loss.backward()
    gradients = [parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None]
    assert len(packed["labels"]) < 12, "nothing was packed"

    model.zero_grad()
    total, count = plain_loss(model, examples, start)
    (total / count).backward()
    assert float(loss.detach()) == pytest.approx(float((total / count).detach()), rel=1e-4)
    others = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    for gradient, other in zip(gradients, others, strict=True):
        torch.testing.assert_close(gradient, other, rtol=1e-3, atol=1e-5)


def plain_loss(model: Any, examples: list[Any], start: int | None) -> tuple[torch.Tensor, int]:
    """Return the model's own loss, one example at a time, without any mask."""
    total, count = torch.zeros(()), 0
    for example in examples:
        labels = torch.from_numpy(example["labels"].astype(np.int64))[None]
        if start is None:
            number = labels.shape[1] - 1
            total = total + model(input_ids=labels, labels=labels).loss * number
        else:
            number = labels.shape[1]
            inputs = torch.from_numpy(example["input_ids"].astype(np.int64))[None]
            total = total + model(input_ids=inputs, labels=labels).loss * number
        count += number
    return total, count


def test_every_token_is_laid_out_once_and_padding_is_rare(table: Any, tokenizer: Any) -> None:
    rows = training_rows(table, tokenizer, encoder_decoder=False)
    examples = [rows[number] for number in range(12)]
    batch = Collator(tokenizer.pad_token_id)(examples)
    for number, example in enumerate(examples):
        place = batch["segments"] == number
        assert batch["input_ids"][place].tolist() == example["labels"].tolist()
        assert batch["position_ids"][place].tolist() == list(range(len(example["labels"])))
        assert batch["labels"][place].tolist() == [IGNORED, *example["labels"][1:].tolist()]
    padding = batch["segments"] == -1
    assert set(batch["labels"][padding].tolist()) <= {IGNORED}
    assert float(padding.float().mean()) < 0.1


def test_the_end_of_sequence_is_always_a_label(table: Any, tokenizer: Any) -> None:
    rows: TrainingRows = training_rows(table, tokenizer, encoder_decoder=False)
    batch = Collator(tokenizer.pad_token_id)([rows[number] for number in range(32)])
    assert int((batch["labels"] == tokenizer.eos_token_id).sum()) == 32


def test_without_packing_every_example_has_a_row_of_its_own(table: Any, tokenizer: Any) -> None:
    rows = training_rows(table, tokenizer, encoder_decoder=True)
    batch = Collator(tokenizer.pad_token_id, tokenizer.pad_token_id, packing=False)(
        [rows[number] for number in range(5)]
    )
    assert len(batch["input_ids"]) == len(batch["labels"]) == 5
    assert batch["decoder_input_ids"][:, 0].tolist() == [tokenizer.pad_token_id] * 5
