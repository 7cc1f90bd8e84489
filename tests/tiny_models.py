"""Models of the three suites, small enough to be made in a test, and corpora to go with them."""

from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, PreTrainedModel, PreTrainedTokenizerBase

from selfknow.builders.diaries import Shape
from selfknow.builders.diary_recall import DATASET, corpora_of_shape
from selfknow.builders.folder import build_folder
from selfknow.evaluate.corpora import Corpus, open_corpus
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
    """A model with random weights, far from uniform, so that greedy decoding has no ties."""
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


def tiny_corpus(folder: Path, num_diarists: int = 40, *, simplified: bool = False) -> Corpus:
    """Diaries of at most two entries of at most two attributes."""
    corpora = corpora_of_shape(Shape(num_diarists, max_entries=2, max_attributes=2))
    build_folder(DATASET, corpora, folder)
    return open_corpus(f"{folder}:{corpora[int(simplified)].config}")


def save(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path) -> str:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
