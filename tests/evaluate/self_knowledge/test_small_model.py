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

PROBABILITY = 0.7
INSTANCES = 10
SAMPLES = 20
STEPS = 180


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
    train(network, fast)
    return LocalModel(network, fast, "small", "1")


def train(network: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast) -> None:
    """Cross-entropy of the replies and of their ends, each weighted: so a reply's probability is its weight."""
    rows = [(tokenizer(p)["input_ids"], [*tokenizer(r)["input_ids"], 1], weight) for p, r, weight in pairs()]
    width = max(len(prompt) + len(reply) for prompt, reply, _ in rows)
    tokens = torch.ones(len(rows), width, dtype=torch.long)
    weights = torch.zeros(len(rows), width)
    for place, (prompt, reply, weight) in enumerate(rows):
        tokens[place, : len(prompt) + len(reply)] = torch.tensor(prompt + reply)
        weights[place, len(prompt) : len(prompt) + len(reply)] = weight
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, STEPS)
    for _ in range(STEPS):
        logits = network(tokens[:, :-1]).logits
        losses = torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")
        (losses * weights[:, 1:]).sum().div(len(rows)).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    network.train(False)


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
