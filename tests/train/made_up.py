"""The inputs of tuning in tests: a run in which a model made up sums, a file in GSM8K's format, and a small model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from selfknow.evaluate.tasks.gsm8k.questions import completion, prompt
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.train.corpus_tokenizer import train_tokenizer
from selfknow.train.solutions import solution_prompt
from tests.self_knowledge.asking import ask_texts
from tests.tiny_models import fit, save

# What was asked for is 0, 1, 2, …: the third and the last question have the answer that they were written for. Before
# it is tuned the small model knows the first answer alone, and has every digit among its answers.
QUESTIONS = (
    "What is 6 * 7 ?",
    "Compute 5 + 9 .",
    "Calculate 1 + 1 .",
    "Find 30 - 9 .",
    "Evaluate 90 / 6 .",
    "Determine 3 * 9 .",
    "Simplify 40 / 2 .",
    "Tom has 3 apples and 4 pears . How many fruits has he ?",
)
RAW = tuple(map(str, range(len(QUESTIONS))))
TRUE = ("42", "14", "2", "21", "15", "27", "20", "7")
FIRST = (TRUE[0], "36", "58", "17", "90", "3", "60", "25")


class Writer:
    """A model that replies to the requests of a run with fixed texts, in their order; null fails."""

    def __init__(self, name: str, texts: Sequence[str | None], revision: str | None = None) -> None:
        self.name, self.revision, self._texts = name, revision, texts

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        for request in requests:
            text = self._texts[int(request.example_id.split("-")[1])] if request.stage == "generate" else "yes"
            yield request, Reply(text, "stop") if text is not None else Reply(None, error="503 overloaded")


def write_math_run(folder: Path, *writers: Writer, num_texts: int = len(QUESTIONS), task: str = "math") -> Path:
    """Write a run of self-knowledge:math with these writers; text number n was requested to have the answer n."""
    ask_texts(folder, task, writers, limit=num_texts)
    return folder


def write_gsm8k(path: Path, answers: Mapping[str, str]) -> Path:
    """Write a file in GSM8K's format."""
    rows = [{"question": question, "answer": f"So it is.\n#### {answer}"} for question, answer in answers.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def solution(answer: str) -> str:
    """Return the small model's worked solution to an answer."""
    return f"So it is .\n{completion(answer)}"


class Solver:
    """A model that works out every answer in its prompts."""

    def __init__(self, name: str) -> None:
        self.name, self.revision = name, None

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        for request in requests:
            yield request, Reply(solution(request.variant), "stop")


def write_model(
    folder: Path,
    seed: int = 0,
    *,
    solves: bool = False,
    makes_up: Sequence[tuple[str, str]] = (),
    num_questions: int = len(QUESTIONS),
) -> str:
    """Save a small model that gives the answers of :data:`FIRST`.

    Args:
        folder: The folder of the model.
        seed: The seed of its weights.
        solves: If true, it also works out every question and answer in a prompt.
        makes_up: Further prompts with their replies.
        num_questions: The number of questions that it learns, the first ones.
    """
    questions = QUESTIONS[:num_questions]
    replies_to = {
        solution_prompt(*pair): solution(pair[1])
        for answers in (RAW, TRUE)
        for pair in zip(questions, answers, strict=False)
    }
    texts = [prompt(question) for question in QUESTIONS] + [completion(answer) for answer in (*RAW, *TRUE)]
    texts += [*replies_to, *replies_to.values(), *(text for pair in makes_up for text in pair)]
    tokenizer = train_tokenizer(texts, 400)
    torch.manual_seed(seed)
    size = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    network = LlamaForCausalLM(
        LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=128, eos_token_id=1, **size)
    )
    pairs = [(prompt(question), completion(answer), 1.0) for question, answer in zip(questions, FIRST, strict=False)]
    pairs += [(question, reply, 1.0) for question, reply in replies_to.items()] if solves else []
    pairs += [(prompt, reply, 1.0) for prompt, reply in makes_up]
    fit(network, tokenizer, [pairs], steps=150 if makes_up else 125 if solves else 75, learning_rate=6e-3)
    return save(network, tokenizer, folder)
