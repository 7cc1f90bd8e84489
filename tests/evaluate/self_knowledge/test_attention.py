"""The attention score against a brute-force reading of its definition, and over a run of a local model."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from selfknow.builders.self_knowledge import task_table
from selfknow.errors import UserError
from selfknow.evaluate.local import LocalModel
from selfknow.evaluate.models import Decoding
from selfknow.evaluate.run import DatasetReference
from selfknow.evaluate.self_knowledge.attention import attention_score, occurrences_of, score_attention
from selfknow.evaluate.self_knowledge.evaluating import evaluate_self_knowledge
from selfknow.evaluate.self_knowledge.protocols import Setup


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 3), min_size=2, max_size=5))
def test_the_score_is_the_mean_recall_of_earlier_occurrences(seed: int, lengths: list[int]) -> None:
    starts = np.cumsum([2, *[length + 2 for length in lengths]])
    spans = [range(int(start), int(start) + length) for start, length in zip(starts, lengths, strict=False)]
    attention = np.random.default_rng(seed).permutation(int(starts[-1]) ** 2).reshape(int(starts[-1]), -1).astype(float)
    recalls = []
    for number in range(1, len(spans)):
        seen = attention[spans[number][0] - 1][: spans[number][0]]
        threshold = sorted(seen, reverse=True)[math.ceil(0.15 * len(seen)) - 1]
        hits = [any(seen[token] >= threshold for token in span) for span in spans[:number]]
        recalls.append(np.mean(hits))
    assert attention_score(attention, spans) == pytest.approx(np.mean(recalls))


def test_a_keyword_that_does_not_occur_twice_has_no_score() -> None:
    assert attention_score(np.eye(4), [range(1, 2)]) is None
    assert attention_score(np.eye(4), []) is None


def test_occurrences_of_several_tokens_are_found_in_what_was_written_alone() -> None:
    text = "river: the River, rivers, river"
    offsets = [(0, 3), (3, 6), (7, 10), (11, 13), (13, 16), (16, 17), (18, 24), (24, 25), (26, 31)]
    assert occurrences_of("river", text, offsets, start=6) == [range(3, 5), range(8, 9)]


@pytest.fixture
def model() -> LocalModel:
    """Random weights that write words of a vocabulary of their own."""
    words = ["[unk]", "[eos]", "river", "mountain", "window", "garden", "the", "and", "."]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[unk]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[unk]", eos_token="[eos]", pad_token="[eos]")
    torch.manual_seed(0)
    size = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlamaConfig(vocab_size=len(words), max_position_embeddings=256, eos_token_id=1, pad_token_id=1, **size)
    return LocalModel(LlamaForCausalLM(config), fast, "random", "1")


def test_a_run_of_a_local_model_is_scored(tmp_path: Path, model: LocalModel) -> None:
    reference = DatasetReference("self-knowledge", "designated-count", "test")
    setup, decoding = Setup("designated-count"), Decoding(max_new_tokens=80, temperature=1.0)
    rows = task_table("designated-count", 0)
    evaluate_self_knowledge(rows, reference, setup, decoding, tmp_path / "run", [model], limit=4, quiet=True)
    scores = score_attention(tmp_path / "run", model).to_pylist()
    assert len(scores) == 4
    graded = [row["value"] for row in scores if row["value"] is not None]
    assert graded
    assert all(0 <= value <= 1 for value in graded)
    assert all(row["value"] is not None or row["reason"] for row in scores)
    assert (tmp_path / "run" / "scores" / "self-knowledge-attention.parquet").is_file()
    model.name = "another"
    with pytest.raises(UserError, match="in which another wrote anything"):
        score_attention(tmp_path / "run", model)
