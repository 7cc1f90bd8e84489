"""The 15 models of Table 4, to the last parameter, without a byte of weights."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForSeq2SeqLM

from selfknow.errors import UserError
from selfknow.train.suite import MODELS, default_learning_rate, from_config, is_large

PAPER = Path(__file__).parents[2] / "tests" / "train" / "table_4.txt"


def table_4() -> list[tuple[str, int, float]]:
    """Return model, parameters and learning rate of each row, as the paper prints them."""
    rows = [line.split(" | ") for line in PAPER.read_text().splitlines()]
    return [(name, int(count.replace(",", "")), float(rate)) for name, count, rate in rows]


def test_the_suite_is_table_4() -> None:
    names = [name.lower().replace(" ", "-") for name, _, _ in table_4()]
    assert names == list(MODELS)
    assert [(count, rate) for _, count, rate in table_4()] == [
        (spec.num_parameters, spec.learning_rate) for spec in MODELS.values()
    ]


@pytest.mark.parametrize("name", MODELS)
def test_a_model_has_the_papers_number_of_parameters(name: str) -> None:
    with torch.device("meta"):
        model = MODELS[name].from_scratch()
    assert sum(parameter.numel() for parameter in model.parameters()) == MODELS[name].num_parameters


def test_only_opt_7m_was_never_published() -> None:
    assert [name for name, spec in MODELS.items() if spec.checkpoint is None] == ["opt-7m"]


def test_a_flan_t5_from_scratch_keeps_its_own_output_layer_when_saved(tmp_path: Path) -> None:
    config = MODELS["flan-t5-small"].config(vocab_size=64)
    config.num_layers = config.num_decoder_layers = 1
    model = from_config(config)
    model.save_pretrained(tmp_path)
    loaded = AutoModelForSeq2SeqLM.from_pretrained(tmp_path)
    tokens = torch.arange(5)[None]
    with torch.no_grad():
        logits = [network.eval()(input_ids=tokens, decoder_input_ids=tokens).logits for network in (model, loaded)]
    torch.testing.assert_close(*logits)
    assert loaded.lm_head.weight is not loaded.shared.weight
    assert float(logits[0].std()) < 5, "logits start at about unit scale"


def test_a_model_outside_the_suite_needs_a_learning_rate() -> None:
    with pytest.raises(UserError, match=r"gpt2 is not one of the paper's models .*: pass --learning-rate"):
        default_learning_rate("gpt2")
    assert (is_large("opt-1.3b"), is_large("opt-350m"), is_large("gpt2")) == (True, False, False)
