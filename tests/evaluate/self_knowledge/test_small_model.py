"""A small local model, trained here to write what it is asked for and to count rightly with a set probability."""

from pathlib import Path

import pytest
import torch
from scipy.stats import binomtest
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from selfknow.builders.self_knowledge import task_table
from selfknow.evaluate.local import LocalModel
from selfknow.evaluate.models import Decoding
from selfknow.evaluate.run import DatasetReference
from selfknow.evaluate.score import score_run, summarize
from selfknow.evaluate.self_knowledge.evaluating import evaluate_self_knowledge
from selfknow.evaluate.self_knowledge.protocols import Setup
from tests.tiny_models import fit

PROBABILITY = 0.7
INSTANCES = 10
SAMPLES = 20


def pairs() -> list[tuple[str, str, float]]:
    """Prompts and replies with their weights: a text with as many words as asked for, and its count, right or not."""
    found = []
    for row in [row for row in task_table("total-count", 0).to_pylist() if row["style"] == "plain"][:INSTANCES]:
        text = " ".join(f"w{place}" for place in range(int(row["answer"])))
        found.append((row["generate_prompt"], text, 1.0))
        question = row["verify_prompt"].replace("{generation}", text)
        found.append((question, row["answer"], PROBABILITY))
        found.append((question, str(int(row["answer"]) + 1), 1 - PROBABILITY))
    return found


@pytest.fixture(scope="module")
def model() -> LocalModel:
    words = dict.fromkeys(["[unk]", "[eos]"])
    splitter = pre_tokenizers.WhitespaceSplit()
    for prompt, reply, _ in pairs():
        words |= dict.fromkeys(word for text in (prompt, reply) for word, _ in splitter.pre_tokenize_str(text))
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[unk]"))
    tokenizer.pre_tokenizer = splitter
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[unk]", eos_token="[eos]", pad_token="[eos]")
    torch.manual_seed(0)
    size = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    network = LlamaForCausalLM(
        LlamaConfig(vocab_size=len(words), max_position_embeddings=160, eos_token_id=1, pad_token_id=1, **size)
    )
    fit(network, fast, [pairs()], steps=180)
    return LocalModel(network, fast, "small", "1")


def test_the_probability_of_counting_rightly_is_recovered(tmp_path: Path, model: LocalModel) -> None:
    reference = DatasetReference("self-knowledge", "total-count", "test")
    decoding = Decoding(max_new_tokens=60, temperature=1.0, seed=3)
    rows, setup = task_table("total-count", 0), Setup("total-count")
    evaluate_self_knowledge(
        rows, reference, setup, decoding, tmp_path / "run", [model], samples=SAMPLES, limit=INSTANCES, quiet=True
    )
    found = {row["metric"]: row for row in summarize(tmp_path / "run", score_run(tmp_path / "run"))}
    texts = INSTANCES * SAMPLES
    assert found["generation_correct"]["mean"] > 0.95, "it writes as many words as it is asked for"
    for metric in ("verification_correct", "self_consistent"):
        assert found[metric]["n"] == texts
        assert found[metric]["n_graded"] > 0.95 * texts
        right = round(found[metric]["mean"] * found[metric]["n_graded"])
        interval = binomtest(right, found[metric]["n_graded"]).proportion_ci(method="wilson")
        assert interval.low <= PROBABILITY <= interval.high, (metric, right, found[metric]["n_graded"])
