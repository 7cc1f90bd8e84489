"""One checkpoint that knows a few answers, and does not know others, for three tools to ask."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from selfknow.evaluate.tasks.according_to.prompts import Setup, answer_requests
from selfknow.integrations.asking import Asking, Call
from selfknow.models.interface import Reply
from selfknow.portraits import Portrait
from tests.tiny_models import fit, save, tiny_corpus, tiny_tokenizer

QUESTIONS, DIARISTS, PARAGRAPHS = 6, 2, 2
LENGTH = 64  # tokens
# Of the questions of self-aware the first four have an answer; the last two have none.
REPLIES = (
    "",
    "Nobody knows.",
    "The moon.\nQuestion: Why?",
    "I think it is the sun.",
    "The answer is unknown.",
    "Paris.",
)


def taught(diaries: str) -> Iterator[tuple[str, str]]:
    """Yield prompts with their replies."""
    aware = Asking.open("self-aware:authored", limit=QUESTIONS)
    for opening, row, reply in zip(aware.openings, aware.row_list, REPLIES, strict=True):
        yield opening.prompt, f" {reply or row['answers'][0]}"
    recall = Asking.open(diaries, limit=DIARISTS)
    for place, (opening, row) in enumerate(zip(recall.openings, recall.row_list, strict=True)):
        yield opening.prompt, row["completion"] if place % 2 else row["completion"].replace("1", "2")
    written = Asking.open("self-knowledge:total-count", limit=PARAGRAPHS)
    for count, opening in enumerate(written.openings, start=3):
        text = "One dog saw two cats."[: 4 * count]
        yield opening.prompt, text
        [request] = written.follow_ups(written.stages[1], [Call(opening, Reply(text))])
        yield request.prompt, str(count)
    prompts = Setup("short", ("null", "attributed"))
    for request in answer_requests(prompts, [{"id": "q-1", "question": "Who wrote Emma?"}], samples=1):
        yield request.prompt, f"Jane Austen; {request.variant} says so."


@pytest.fixture(scope="session", autouse=True)
def corpora_of_these_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Corpora that are built on the spot are built here."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def diaries(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a small corpus of diaries, as a set's name."""
    config = tiny_corpus(tmp_path_factory.mktemp("diaries") / "folder")
    return f"{config.folder}:{config.config}"


@pytest.fixture(scope="session")
def checkpoint(diaries: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model that learnt right answers, wrong ones, and to say that it does not know."""
    pairs = [(prompt, reply, 1.0) for prompt, reply in taught(diaries)]
    tokenizer = tiny_tokenizer([text for prompt, reply, _ in pairs for text in (prompt, reply)], vocab_size=600)
    torch.manual_seed(0)
    size = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2}
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    network = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=512, **size, **ends))
    fit(network, tokenizer, [pairs], steps=150, learning_rate=1e-2)
    return Path(save(network, tokenizer, tmp_path_factory.mktemp("checkpoint")))


@pytest.fixture(scope="session")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with a question that the model learnt under two prompts."""
    path = tmp_path_factory.mktemp("questions") / "questions.jsonl"
    path.write_text('{"id": "q-1", "question": "Who wrote Emma?", "answer": "Jane Austen"}\n')
    return path


@pytest.fixture(scope="session")
def portrait(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a portrait of a few words that the model writes."""
    folder = tmp_path_factory.mktemp("portraits") / "portrait"
    Portrait.build(["attributed says"], width=5).save(folder)
    return folder
