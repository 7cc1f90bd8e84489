"""Models of the three suites that are small enough to be made in a test, and corpora for them."""

from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, PreTrainedModel, PreTrainedTokenizerBase

from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
from selfknow.builders.diary_recall.diaries import Shape
from selfknow.builders.folder.write import build_folder
from selfknow.evaluate.dataset import ConfigFiles, open_dataset
from selfknow.train.corpus_tokenizer import train_tokenizer
from selfknow.train.suite import from_config

ARCHITECTURES = ("opt", "gpt_neox", "t5")
_SHAPES: dict[str, dict[str, Any]] = {
    "opt": {"hidden_size": 32, "word_embed_proj_dim": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    | {"ffn_dim": 64, "max_position_embeddings": 256},
    "gpt_neox": {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    | {"max_position_embeddings": 256, "hidden_dropout": 0.1},
    "t5": {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2, "feed_forward_proj": "gated-gelu"},
}


def tiny_config(architecture: str, vocab_size: int) -> Any:
    return AutoConfig.for_model(architecture, vocab_size=vocab_size, **_SHAPES[architecture])


def tiny_model(architecture: str, tokenizer: PreTrainedTokenizerBase, seed: int = 0) -> PreTrainedModel:
    """Make a model with random weights, far from uniform, so that greedy decoding has no ties."""
    torch.manual_seed(seed)
    model = from_config(tiny_config(architecture, len(tokenizer)))
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(4.0 if architecture != "t5" else 1.0)
    for settings in (model.config, model.generation_config):
        settings.pad_token_id, settings.eos_token_id = tokenizer.pad_token_id, tokenizer.eos_token_id
        settings.bos_token_id = None
        settings.decoder_start_token_id = tokenizer.pad_token_id if architecture == "t5" else None
    return model.eval()


def tiny_tokenizer(texts: list[str], vocab_size: int = 400) -> PreTrainedTokenizerBase:
    return train_tokenizer(texts, vocab_size)


def tiny_corpus(folder: Path, num_diarists: int = 40, *, simplified: bool = False) -> ConfigFiles:
    """Build a corpus of at most two entries a diary and two attributes an entry."""
    corpora = configs_of_shape(Shape(num_diarists, max_entries=2, max_attributes=2))
    build_folder(DATASET, corpora, folder)
    return open_dataset(f"{folder}:{corpora[int(simplified)].name}")


def save(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path) -> str:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def fit(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    batches: list[list[tuple[str, str, float]]],
    steps: int,
    learning_rate: float = 3e-3,
) -> None:
    """Fit a model to weighted replies and their ends by cross-entropy, so that a reply's probability is its weight.

    Args:
        network: A causal model.
        tokenizer: A tokenizer whose tokens of a reply do not depend on the prompt.
        batches: Batches of (prompt, reply, weight), used in turn; the weights of a prompt's replies add up to 1.
        steps: Steps of the optimizer.
        learning_rate: The rate at the start; it falls to a fiftieth.
    """
    tensors = [_weighted(tokenizer, pairs) for pairs in batches]
    optimizer = torch.optim.AdamW(network.parameters(), lr=learning_rate, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, steps)
    for step in range(steps):
        tokens, weights = tensors[step % len(tensors)]
        replies = weights[:, 1:] > 0
        logits = network(tokens[:, :-1]).logits[replies]
        losses = torch.nn.functional.cross_entropy(logits, tokens[:, 1:][replies], reduction="none")
        (losses * weights[:, 1:][replies]).sum().div(len(tokens)).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    network.train(False)


def _weighted(
    tokenizer: PreTrainedTokenizerBase, pairs: list[tuple[str, str, float]]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tokens and their weights in the loss, both (pairs, longest); only replies and their ends have weights."""
    end = tokenizer.eos_token_id
    rows = [(tokenizer(p)["input_ids"], [*tokenizer(r)["input_ids"], end], weight) for p, r, weight in pairs]
    width = max(len(prompt) + len(reply) for prompt, reply, _ in rows)
    tokens = torch.full((len(rows), width), end)
    weights = torch.zeros(len(rows), width)
    for place, (prompt, reply, weight) in enumerate(rows):
        tokens[place, : len(prompt) + len(reply)] = torch.tensor(prompt + reply)
        weights[place, len(prompt) : len(prompt) + len(reply)] = weight
    return tokens, weights
