"""The attention score against a brute-force reading of its definition, and over runs of local models."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    MambaConfig,
    MambaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from selfknow import bars
from selfknow.evaluate.score import score_run
from selfknow.evaluate.tasks.self_knowledge.attention import attention_score, occurrences_of
from selfknow.evaluate.tasks.self_knowledge.options import SelfKnowledgeScoreOptions
from selfknow.models.local import LocalModel
from selfknow.runs.schema import read_examples, read_generations
from tests.self_knowledge.conftest import Command


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


pytestmark = pytest.mark.usefixtures("one_thread")
WORDS = ["[unk]", "[eos]", "river", "mountain", "window", "garden", "the", "and", "."]
SIZE = {"hidden_size": 32, "num_hidden_layers": 2, "eos_token_id": 1, "pad_token_id": 1}
ATTENTIVE = {"intermediate_size": 32, "num_attention_heads": 4, "max_position_embeddings": 256}


def save(network: PreTrainedModel, folder: Path) -> Path:
    """Return a checkpoint whose random weights write words of a vocabulary of their own."""
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[unk]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[unk]", eos_token="[eos]", pad_token="[eos]")
    network.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=len(WORDS), **SIZE, **ATTENTIVE)
    return save(LlamaForCausalLM(config), tmp_path_factory.mktemp("llama"))


def evaluated(command: Command, folder: Path, model: Path, task: str = "designated-count", tokens: int = 8) -> Path:
    """Return a run in which a model wrote four texts, or what came of them."""
    command_line = [
        "evaluate",
        f"self-knowledge:{task}",
        "--model",
        model,
        "--temperature",
        1,
        "--seed",
        1,
        "--limit",
        4,
        "--precision",
        "float32",
    ]
    code, _, stderr = command(*command_line, "--max-new-tokens", tokens, "--out", folder)
    assert code == 0, stderr
    return folder


def test_a_run_of_a_local_model_is_scored_and_asked_from_the_command_line(
    command: Command, tmp_path: Path, llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = evaluated(command, tmp_path / "run", llama, tokens=80)
    monkeypatch.setattr(bars, "SECONDS_BETWEEN_LINES", 0.0)  # a bar of seconds writes nothing in a log
    code, printed, progress = command("score", run, "--attention", llama)
    assert code == 0
    assert "attention: 100%" in progress
    rows = {row["metric"]: row for row in json.loads(printed)}
    assert rows["attention_score"]["n"] == 4
    graded = rows["attention_score"]["n_graded"]
    assert graded
    [table] = json.loads(command("query", "self_knowledge_attention", run)[1])
    assert (table["generator"], table["n"], table["n_attention"]) == (str(llama), 4, graded)
    assert table["attention"] == pytest.approx(rows["attention_score"]["mean"])


def test_the_score_of_a_run_is_that_of_its_attention_read_by_hand(
    command: Command, tmp_path: Path, llama: Path
) -> None:
    run = evaluated(command, tmp_path / "run", llama, tokens=80)
    scored = score_run(run, SelfKnowledgeScoreOptions(attention=str(llama))).to_pylist()
    scores = {row["generation_id"]: row for row in scored if row["metric"] == "attention_score"}
    model = LocalModel.load(str(llama), precision="float32")
    model.model.set_attn_implementation("eager")
    keywords = {row["id"]: json.loads(row["params"])["word"] for row in read_examples(run).to_pylist()}
    values = []
    for row in read_generations(run).filter(pc.field("stage") == "generate").to_pylist():
        tokens = model.tokenizer(row["prompt"] + row["generation"], return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            attention = model.model(tokens, output_attentions=True).attentions[-1][0].mean(dim=0).numpy()
        written = len(model.tokenizer(row["prompt"])["input_ids"])
        keyword = model.tokenizer(keywords[row["example_id"]])["input_ids"][0]
        places = [place for place in range(written, tokens.shape[1]) if tokens[0, place] == keyword]
        if keyword == WORDS.index("[unk]") or len(places) < 2:
            continue
        recalls = []
        for number, place in enumerate(places[1:], start=1):
            top = np.argsort(attention[place - 1, :place])[::-1][: math.ceil(0.15 * place)]
            recalls.append(len(set(places[:number]) & set(top.tolist())) / number)
        assert scores[row["generation_id"]]["value"] == pytest.approx(np.mean(recalls))
        values.append(np.mean(recalls))
    assert values
    assert all(row["value"] is not None or row["reason"] for row in scores.values())


def test_who_did_not_write_it_is_told_who_did(command: Command, tmp_path: Path, llama: Path) -> None:
    run = evaluated(command, tmp_path / "run", llama)
    code, printed, stderr = command("score", run, "--attention", "http://127.0.0.1:1 tiny")
    assert (code, printed) == (2, "")
    assert f"http://127.0.0.1:1 tiny wrote nothing in {run}, but {llama} did" in stderr
    assert "an endpoint does not return its attention" in stderr
    assert not (run / "scores").exists()


def test_a_run_of_another_task_is_refused(command: Command, tmp_path: Path, llama: Path) -> None:
    code, _, stderr = command("score", evaluated(command, tmp_path / "run", llama, "total-count"), "--attention", llama)
    assert code == 2
    assert "attention is scored in a run of designated-count" in stderr
    assert "is one of total-count" in stderr


def test_a_model_whose_weights_were_changed_is_refused(command: Command, tmp_path: Path, llama: Path) -> None:
    copied = Path(shutil.copytree(llama, tmp_path / "copied"))
    run = evaluated(command, tmp_path / "run", copied)
    torch.manual_seed(1)
    LlamaForCausalLM(LlamaConfig(vocab_size=len(WORDS), **SIZE, **ATTENTIVE)).save_pretrained(copied)
    code, _, stderr = command("score", run, "--attention", copied)
    assert code == 2
    assert f"{copied} is no longer the model that wrote in {run}" in stderr


def test_a_model_without_attention_is_refused(command: Command, tmp_path: Path) -> None:
    torch.manual_seed(0)
    config = MambaConfig(vocab_size=len(WORDS), state_size=4, **SIZE)
    mamba = save(MambaForCausalLM(config), tmp_path / "mamba")
    code, _, stderr = command("score", evaluated(command, tmp_path / "run", mamba), "--attention", mamba)
    assert code == 2
    assert "has no attention to show (its kind is mamba)" in stderr
