"""GGUF files that are small enough to be written in a test, with the model that they were written from."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType, TokenType
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

END = "<end>"
TEXTS = ["Is it known who was the first to walk on the Moon?", "The answer is unknown.", "No one can know that."] * 4
TEMPLATE = "{% for message in messages %}user: {{ message['content'] }}\n{% endfor %}assistant:"
HEADS, KEY_HEADS, WIDTH, LAYERS = 4, 2, 64, 2
FILE_TYPES = {"F32": LlamaFileType.ALL_F32, "Q8_0": LlamaFileType.MOSTLY_Q8_0}
_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    **{f"self_attn.{letter}_proj": f"attn_{letter}" for letter in "qkv"},
    "self_attn.o_proj": "attn_output",
    **{f"mlp.{name}_proj": f"ffn_{name}" for name in ("gate", "up", "down")},
}


@dataclass(frozen=True)
class Original:
    """The model that a file was written from."""

    path: Path
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase


def write_gguf(
    path: Path,
    *,
    template: str | None = None,
    storage: str = "F32",
    architecture: str = "llama",
    tokenizer: bool = True,
    without: Collection[str] = (),
    seed: int = 0,
) -> Original:
    """Write a Llama of some 70,000 weights as llama.cpp's converter does, ``without`` these of its tensors."""
    words, model = _tokenizer(), _model(seed)
    writer = GGUFWriter(str(path), architecture)
    writer.add_name("tiny")
    writer.add_file_type(FILE_TYPES[storage])
    writer.add_context_length(model.config.max_position_embeddings)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(model.config.intermediate_size)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_layer_norm_rms_eps(model.config.rms_norm_eps)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(model.config.vocab_size)
    if tokenizer:
        _add_tokenizer(writer, words)
    if template is not None:
        writer.add_chat_template(template)
        words.chat_template = template
    for name, weight in model.state_dict().items():
        if _name(name) not in without:
            _add_tensor(writer, _name(name), _as_llama_cpp(name, weight.numpy()), storage)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return Original(path, model, words)


def write_huge_gguf(path: Path, num_weights: int) -> None:
    """Write a sparse file of full length, with a single tensor of so many weights."""
    writer = GGUFWriter(str(path), "llama")
    writer.add_file_type(LlamaFileType.ALL_F32)
    _add_tokenizer(writer, _tokenizer())
    writer.add_tensor_info("token_embd.weight", [num_weights // WIDTH, WIDTH], np.dtype(np.float32), 4 * num_weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size + 4 * num_weights + gguf.GGUF_DEFAULT_ALIGNMENT)


def _tokenizer() -> PreTrainedTokenizerBase:
    """Make byte-level BPE without any rule of its own, as GPT-2's."""
    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=[END], initial_alphabet=alphabet, show_progress=False)
    words.train_from_iterator(TEXTS, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=words, eos_token=END, pad_token=END)


def _add_tokenizer(writer: GGUFWriter, words: PreTrainedTokenizerBase) -> None:
    import json

    vocabulary = sorted(words.get_vocab().items(), key=lambda item: item[1])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([token for token, _ in vocabulary])
    writer.add_token_types([TokenType.CONTROL if token == END else TokenType.NORMAL for token, _ in vocabulary])
    writer.add_token_merges(
        [" ".join(pair) for pair in json.loads(words.backend_tokenizer.to_str())["model"]["merges"]]
    )
    writer.add_eos_token_id(words.eos_token_id)
    writer.add_pad_token_id(words.pad_token_id)
    writer.add_add_bos_token(False)


def _model(seed: int) -> PreTrainedModel:
    """Make a model with random weights, far from uniform, so that greedy decoding has no ties."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=320,
        hidden_size=WIDTH,
        intermediate_size=96,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS,
        max_position_embeddings=512,
        rms_norm_eps=1e-5,
        eos_token_id=0,
        pad_token_id=0,
        bos_token_id=None,
    )
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(4.0)
    return model.eval()


def _name(name: str) -> str:
    """Return a weight's name in llama.cpp."""
    name = name.removesuffix(".weight")
    if name.startswith("model.layers."):
        _, _, number, rest = name.split(".", 3)
        return f"blk.{number}.{_NAMES[rest]}.weight"
    return f"{_NAMES[name]}.weight"


def _as_llama_cpp(name: str, weight: np.ndarray) -> np.ndarray:
    """Reorder queries and keys as in llama.cpp, which rotates neighbours where transformers rotates halves."""
    for projection, heads in (("q_proj", HEADS), ("k_proj", KEY_HEADS)):
        if projection in name:
            halves = weight.reshape(heads, 2, weight.shape[0] // heads // 2, weight.shape[1])
            return halves.swapaxes(1, 2).reshape(weight.shape)
    return weight


def _add_tensor(writer: GGUFWriter, name: str, weight: np.ndarray, storage: str) -> None:
    kind = GGMLQuantizationType[storage]
    if kind is GGMLQuantizationType.F32 or weight.ndim == 1:
        writer.add_tensor(name, np.ascontiguousarray(weight))
    else:
        writer.add_tensor(name, gguf.quants.quantize(np.ascontiguousarray(weight), kind), raw_dtype=kind)
