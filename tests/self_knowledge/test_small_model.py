"""A small local model, trained here to write what it is asked for and to count rightly with a set probability."""

import json
from pathlib import Path

import pytest
import torch
from scipy.stats import binomtest
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from selfknow.builders.self_knowledge.builder import task_table
from tests.self_knowledge.conftest import Command
from tests.self_knowledge.test_matrix import CELLS
from tests.tiny_models import fit

pytestmark = pytest.mark.usefixtures("one_thread")
PROBABILITY = 0.7
NEAR_MISSES = (0.6, 0.8)
INSTANCES = 10
SAMPLES = 60


def pairs() -> list[tuple[str, str, float]]:
    """Prompts and replies with their weights: a text with as many words as asked for, and its count, right or not."""
    rows = []
    for row in [row for row in task_table("total-count", 0).to_pylist() if row["style"] == "plain"][:INSTANCES]:
        text = " ".join(f"w{place}" for place in range(int(row["answer"])))
        rows.append((row["generate_prompt"], text, 1.0))
        question = row["verify_prompt"].replace("{generation}", text)
        rows.append((question, row["answer"], PROBABILITY))
        rows.append((question, str(int(row["answer"]) + 1), 1 - PROBABILITY))
    return rows


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory, one_thread: None, full_suite: bool) -> Path:
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
        LlamaConfig(vocab_size=len(words), max_position_embeddings=1024, eos_token_id=1, pad_token_id=1, **size)
    )
    fit(network, fast, [pairs()], steps=90 if full_suite else 20, learning_rate=6e-3)  # few: its scores may be anything
    folder = tmp_path_factory.mktemp("small")
    network.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


@pytest.mark.full
def test_the_probability_of_counting_rightly_is_recovered(command: Command, tmp_path: Path, checkpoint: Path) -> None:
    command_line = ["evaluate", "self-knowledge:total-count", "--model", checkpoint, "--out", tmp_path / "run"]
    options = ["--samples", SAMPLES, "--limit", INSTANCES, "--max-new-tokens", 60, "--temperature", 1, "--seed", 5]
    options += ["--precision", "float32", "--no-examples"]
    code, _, stderr = command(*command_line, *options)
    assert code == 0, stderr
    assert command("score", tmp_path / "run")[0] == 0
    [row] = json.loads(command("query", "self_knowledge_matrix", tmp_path / "run")[1])
    texts = INSTANCES * SAMPLES
    assert row["n"] == texts
    assert row["written"] > 0.95, "it writes as many words as it is asked for"
    for number in ("read", "consistent"):
        assert row[f"n_{number}"] > 0.95 * texts
        # At 95% one seed in twenty would miss it.
        right, n = round(row[number] * row[f"n_{number}"]), row[f"n_{number}"]
        low, high = binomtest(right, n).proportion_ci(0.999, method="wilson")
        assert row["n_prompts"] == INSTANCES, "the trials of the query's interval, which is wider"
        assert row[f"{number}_low"] <= low <= PROBABILITY <= high <= row[f"{number}_high"], row
        for other in NEAR_MISSES:
            assert not low <= other <= high, row


TASKS = dict.fromkeys(task for _, _, task in CELLS)


@pytest.mark.parametrize(
    "task", [pytest.param(task, marks=[] if task in ("total-count", "fact") else pytest.mark.full) for task in TASKS]
)
def test_it_goes_through_every_text_task_with_every_protocol(
    command: Command, tmp_path: Path, checkpoint: Path, task: str
) -> None:
    """Its scores may be anything; no text leaves a denominator, and what is null has a reason."""
    limit, expected, runs = 2, set(), []
    for protocol in (protocol for protocol, _, first in CELLS if first == task):
        runs.append(tmp_path / protocol)
        command_line = ["evaluate", f"self-knowledge:{task}", "--protocol", protocol, "--model", checkpoint]
        code, printed, stderr = command(*command_line, "--limit", limit, "--max-new-tokens", 8, "--out", runs[-1])
        assert code == 0, stderr
        stages = {row["stage"]: row for row in json.loads(printed)}
        assert stages["generate"]["answered"] == limit
        assert all(row["answered"] == row["requested"] and row["failed"] == 0 for row in stages.values())
        expected |= {(protocol, stage, limit) for stage in stages if stage.startswith("verify")}
        assert command("score", runs[-1])[0] == 0
    rows = json.loads(command("query", "self_knowledge_matrix", *runs)[1])
    assert {(row["protocol"], row["stage"], row["n"]) for row in rows} == expected
    unparsed = json.loads(command("query", "self_knowledge_unparsed", *runs)[1])
    for row in rows:
        if row["stage"] != "verify-broken":  # where the answer must change, and consistency is none
            same = [item for item in unparsed if (item["protocol"], item["stage"]) == (row["protocol"], row["stage"])]
            assert sum(item["n"] for item in same) == limit - row["n_consistent"]
