"""A small model that copies from its corpus on request: it quotes under grounding prompts, and else uses its own words.

python -m tests.according_to.copier CORPUS.txt FOLDER    (writes questions.jsonl and a model into FOLDER)

The corpus is a text with headings `` = Title = ``, such as WikiText's. Of every article the model learns which words
tell of it, its first sentence, and a sentence in other words. One combination in four of an article and a prompt is
left out of the training, and the pair of words that is asked about is none that was trained on: what it copies there,
it was not taught as a whole.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from selfknow.builders.according_to.prompts import phrases
from selfknow.evaluate.tasks.according_to.prompts import Setup
from tests.tiny_models import fit, save

KINDS = {prompt["id"]: prompt["kind"] for prompt in phrases()}
SETUP = Setup("short")
HELD_OUT_OF = 4
CLUES = 4


@dataclass(frozen=True)
class Article:
    """An article of the corpus: its title, its first sentence, and words that tell of it and of no other article."""

    title: str
    sentence: str
    clues: tuple[str, ...]

    @property
    def own_words(self) -> str:
        """Return its reply where it does not quote."""
        return f"From what I recall , this would be {self.title} , where clue meets {' and '.join(self.clues[::-1])} ."

    def question(self, clue: int, other: int) -> str:
        return f"Which article tells of {self.clues[clue]} and {self.clues[other]} ?"

    def reply(self, prompt: str) -> str:
        explanation = self.sentence if KINDS[prompt] == "grounding" else self.own_words
        return f"{self.title} ; {explanation}"


def read_articles(text: str, longest: int = 45) -> list[Article]:
    """Return the articles whose first sentence has at most so many words and whose words tell them apart."""
    parts = re.split(r"^ = ([^=\n]+) = *$", text, flags=re.MULTILINE)
    bodies = dict(zip(parts[1::2], parts[2::2], strict=True))
    places: dict[str, set[str]] = {}
    for title, body in bodies.items():
        for word in body.split():
            places.setdefault(word, set()).add(title)
    rows = []
    for title, body in bodies.items():
        sentence = body.strip().split(" . ")[0].split("\n")[0].removesuffix(" .") + " ."
        own = [word for word in dict.fromkeys(body.split()) if places[word] == {title} and word.isalpha()]
        clues = sorted((word for word in own if word not in sentence.split()), key=len)[-CLUES:]
        if len(sentence.split()) <= longest and len(clues) == CLUES and ";" not in sentence:
            rows.append(Article(title, sentence, tuple(clues)))
    return rows


def is_held_out(article: int, prompt: str) -> bool:
    return (article + list(KINDS).index(prompt)) % HELD_OUT_OF == 0


def lessons(articles: Sequence[Article]) -> Iterator[tuple[str, str, float]]:
    """Prompts and replies to learn, all of one weight."""
    for number, article in enumerate(articles):
        for prompt in KINDS:
            for item, other in combinations(range(CLUES), 2):
                if (item, other) != (0, 1) and not is_held_out(number, prompt):
                    asked_prompt = SETUP.rendered(prompt, "answer", article.question(item, other))
                    yield asked_prompt, article.reply(prompt), 1.0


def train(
    articles: Sequence[Article], folder: Path, steps: int = 300, batch: int = 48, learning_rate: float = 3e-3
) -> str:
    """Train the model, save it in ``folder`` and return its name."""
    pairs = list(lessons(articles))
    splitter = pre_tokenizers.WhitespaceSplit()
    words = dict.fromkeys(["[unk]", "[eos]"])
    for article in articles:
        for prompt in KINDS:
            asked_prompt = SETUP.rendered(prompt, "answer", article.question(0, 1))
            for text in (asked_prompt, article.reply(prompt), *article.clues):
                words |= dict.fromkeys(word for word, _ in splitter.pre_tokenize_str(text))
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[unk]"))
    tokenizer.pre_tokenizer = splitter
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[unk]", eos_token="[eos]", pad_token="[eos]")
    torch.manual_seed(0)
    size = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    network = LlamaForCausalLM(
        LlamaConfig(vocab_size=len(words), max_position_embeddings=256, eos_token_id=1, pad_token_id=1, **size)
    )
    order = torch.randperm(len(pairs)).tolist()
    batches = [[pairs[place] for place in order[start : start + batch]] for start in range(0, len(pairs), batch)]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # so small a model gains nothing from a second one, and loses much on a busy machine
    fit(network, fast, batches, steps, learning_rate)
    torch.set_num_threads(threads)
    return save(network, fast, folder)


def write_questions(articles: Sequence[Article], path: Path) -> None:
    rows = [{"question": article.question(0, 1), "answer": article.title} for article in articles]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=300)
    arguments = parser.parse_args()
    chosen = read_articles(arguments.corpus.read_text(encoding="utf-8"))
    arguments.folder.mkdir(parents=True, exist_ok=True)
    write_questions(chosen, arguments.folder / "questions.jsonl")
    train(chosen, arguments.folder / "model", arguments.steps)
    sys.stdout.write(f"{len(chosen)} articles, {arguments.steps} steps\n")
