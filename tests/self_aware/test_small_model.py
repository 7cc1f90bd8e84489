"""A small local model, trained here to abstain with a set probability: from the command line to SQL, in every form."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import torch
from scipy.stats import binomtest
from transformers import LlamaConfig, LlamaForCausalLM

from selfknow.builders.self_aware.questions import SPLITS, question_table
from selfknow.evaluate.dataset import MANIFEST
from selfknow.evaluate.tasks.self_aware.prompts import FORMS, requests
from selfknow.files import write_json
from selfknow.runs.schema import read_generations
from tests.conftest import Run
from tests.tiny_models import fit, save, tiny_tokenizer

pytestmark = pytest.mark.full
PROBABILITY = 0.3
OTHER_PROBABILITY = 0.6
REPLIES = {"The answer is unknown.": PROBABILITY, "Bluebells.": 1 - PROBABILITY}
ASKED_OF_EACH = 100
TRAINED_ON_OF_EACH = 4


def batches() -> list[list[tuple[str, str, float]]]:
    """One batch a form: questions that are not asked later, each with both replies and their weights."""
    tables = [question_table(split, 0).slice(ASKED_OF_EACH, TRAINED_ON_OF_EACH) for split in SPLITS]
    rows = [row for table in tables for row in table.to_pylist()]
    return [
        [(request.prompt, reply, weight) for request in requests(rows, form) for reply, weight in REPLIES.items()]
        for form in FORMS
    ]


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dataset folder with the first questions of both splits."""
    folder = tmp_path_factory.mktemp("questions") / "small"
    (folder / "authored").mkdir(parents=True)
    for split in SPLITS:
        table = question_table(split, 0).slice(0, ASKED_OF_EACH)
        pq.write_table(table, folder / "authored" / f"{split}-00000-of-00001.parquet")
    write_json(folder / MANIFEST, {"dataset": "self-aware"})
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    learned = batches()
    texts = [text for batch in learned for prompt, reply, _ in batch for text in (prompt, reply)]
    tokenizer = tiny_tokenizer(texts, vocab_size=700)
    torch.manual_seed(0)
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    network = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=512, **size, **ends))
    fit(network, tokenizer, learned, steps=120, learning_rate=1e-2)
    return save(network, tokenizer, tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize("form", FORMS)
def test_the_probability_of_abstaining_is_recovered(
    selfknow: Run, tmp_path: Path, questions: Path, model: str, form: str
) -> None:
    drawn = ("--temperature", 1, "--seed", 1, "--max-new-tokens", 12)
    for arguments in (
        ("evaluate", questions, "--form", form, "--model", model, "--precision", "float32", *drawn, "--out", "run"),
        ("score", "run"),
    ):
        result = selfknow(*arguments)
        assert result.returncode == 0, result.stderr
    text = read_generations(tmp_path / "run")["generation"].to_pylist()
    assert sum(reply in REPLIES for reply in text) > 0.97 * len(text), "it says one of its two replies"

    result = selfknow("query", "self_aware_f1", "run", "--format", "json")
    assert result.returncode == 0, result.stderr
    assert "known error of sentences_abstained: " in result.stderr
    [row] = json.loads(result.stdout)
    assert (row["form"], row["scorer"], row["n"]) == (form, "sentences", len(text))
    assert 0.97 * len(text) < row["n_graded"] <= len(text)
    falsely = round(row["false_abstention"] * row["n_answerable"])
    rightly = round(row["recall"] * row["n_unanswerable"])
    for abstained, n in ((falsely, ASKED_OF_EACH), (rightly, ASKED_OF_EACH), (falsely + rightly, 2 * ASKED_OF_EACH)):
        interval = binomtest(abstained, n).proportion_ci(0.999, method="wilson")
        assert interval.low <= PROBABILITY <= interval.high, (abstained, n)
        assert not interval.low <= OTHER_PROBABILITY <= interval.high, (abstained, n)
