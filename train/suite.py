"""The paper's 15 models: Table 4 of Prato et al., Do Large Language Models Know How Much They Know?, Appendix C."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError, close_matches, nearest
from selfknow.files import user_path

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel


@dataclass(frozen=True)
class ModelSpec:
    """A row of Table 4, with the settings to make the model.

    Attributes:
        name: The name on the command line.
        checkpoint: Id of the pre-trained model on the Hub; null for OPT 7M, which was never published.
        architecture: ``opt``, ``gpt_neox`` (Pythia) or ``t5`` (Flan-T5), the names of ``transformers``.
        learning_rate: The rate after warm-up.
        num_parameters: The exact number in Table 4.
        shape: The settings of its configuration that differ within its suite, such as the number of layers.
    """

    name: str
    checkpoint: str | None
    architecture: str
    learning_rate: float
    num_parameters: int
    shape: Mapping[str, Any] = field(repr=False)

    @property
    def tokenizer(self) -> str:
        """Id of the published tokenizer. OPT 7M takes that of OPT 125M: all OPT models share a tokenizer."""
        return self.checkpoint or "facebook/opt-125m"

    def config(self, vocab_size: int | None = None) -> "PreTrainedConfig":
        """Return the configuration, with this vocabulary size or the published one."""
        from transformers import AutoConfig

        vocabulary = {} if vocab_size is None else {"vocab_size": vocab_size}
        return AutoConfig.for_model(self.architecture, **{**_SUITES[self.architecture], **self.shape, **vocabulary})

    def from_scratch(self, vocab_size: int | None = None) -> "PreTrainedModel":
        """Make the model with random weights; seed ``torch`` first."""
        return from_config(self.config(vocab_size))


def from_config(config: "PreTrainedConfig") -> "PreTrainedModel":
    """Make a language model with random weights."""
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    model_class = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    model: PreTrainedModel = model_class.from_config(config)  # type: ignore[no-untyped-call]
    if config.model_type == "t5":
        _untie(model)
    return model


def _untie(model: "PreTrainedModel") -> None:
    """Give a T5 an output layer of its own, as in Flan-T5; ``transformers`` ties it to the embeddings in every T5.

    Its rows start at 1/sqrt(d_model), so that the logits start at unit scale: Flan-T5 does not scale them down.
    """
    import torch

    vocab_size, width = model.config.vocab_size, model.config.d_model
    output = torch.nn.Linear(width, vocab_size, bias=False)
    torch.nn.init.normal_(output.weight, std=width**-0.5)
    model.set_output_embeddings(output)
    model.all_tied_weights_keys.pop("lm_head.weight", None)
    model.config.tie_word_embeddings = False


_SUITES: dict[str, dict[str, Any]] = {
    "opt": {"vocab_size": 50272, "max_position_embeddings": 2048, "dropout": 0.1},
    "gpt_neox": {
        "vocab_size": 50304,
        "max_position_embeddings": 2048,
        "rotary_pct": 0.25,
        "use_parallel_residual": True,
        "tie_word_embeddings": False,
        "bos_token_id": 0,
        "eos_token_id": 0,
    },
    "t5": {
        "vocab_size": 32128,
        "d_kv": 64,
        "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": False,
        "decoder_start_token_id": 0,
    },
}


def _opt(
    name: str, learning_rate: float, num_parameters: int, width: int, layers: int, heads: int, **overrides: Any
) -> ModelSpec:
    checkpoint = None if name == "opt-7m" else f"facebook/{name}"
    shape = {
        "hidden_size": width,
        "word_embed_proj_dim": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "ffn_dim": 4 * width,
        **overrides,
    }
    return ModelSpec(name, checkpoint, "opt", learning_rate, num_parameters, shape)


def _flan_t5(name: str, num_parameters: int, width: int, feed_forward: int, layers: int, heads: int) -> ModelSpec:
    shape = {"d_model": width, "d_ff": feed_forward, "num_layers": layers, "num_heads": heads}
    return ModelSpec(f"flan-t5-{name}", f"google/flan-t5-{name}", "t5", 1e-4, num_parameters, shape)


def _pythia(name: str, learning_rate: float, num_parameters: int, width: int, layers: int, heads: int) -> ModelSpec:
    shape = {
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": 4 * width,
    }
    return ModelSpec(f"pythia-{name}", f"EleutherAI/pythia-{name}", "gpt_neox", learning_rate, num_parameters, shape)


MODELS: dict[str, ModelSpec] = {
    spec.name: spec
    for spec in (
        _opt("opt-7m", 4e-4, 7_490_560, 128, 4, 4),
        _opt("opt-125m", 6e-5, 125_239_296, 768, 12, 12),
        _opt("opt-350m", 3e-5, 331_196_416, 1024, 24, 16, word_embed_proj_dim=512, do_layer_norm_before=False),
        _opt("opt-1.3b", 2e-5, 1_315_758_080, 2048, 24, 32),
        _opt("opt-2.7b", 1.6e-5, 2_651_596_800, 2560, 32, 32),
        _flan_t5("small", 76_961_152, 512, 1024, 8, 6),
        _flan_t5("base", 247_577_856, 768, 2048, 12, 12),
        _flan_t5("large", 783_150_080, 1024, 2816, 24, 16),
        _flan_t5("xl", 2_849_757_184, 2048, 5120, 24, 32),
        _pythia("70m", 1e-4, 70_426_624, 512, 6, 8),
        _pythia("160m", 6e-5, 162_322_944, 768, 12, 12),
        _pythia("410m", 3e-5, 405_334_016, 1024, 24, 16),
        _pythia("1b", 3e-5, 1_011_781_632, 2048, 16, 8),
        _pythia("1.4b", 2e-5, 1_414_647_808, 2048, 24, 16),
        _pythia("2.8b", 1.6e-5, 2_775_208_960, 2560, 32, 32),
    )
}
"""The rows of Table 4 by their names on the command line."""


_LARGE = 1_000_000_000  # parameters


def check_model(name: str) -> None:
    """Check that a name is not a misspelt model of the suite.

    Raises:
        UserError: The name is neither a path nor a Hub id, but is spelt like a model of the suite.
    """
    is_valid = name in MODELS or "/" in name or user_path(name).exists()
    if not is_valid and close_matches(name, MODELS):
        raise UserError(f"there is no model {name!r}{nearest(name, MODELS)}")


def default_learning_rate(name: str) -> float:
    """Return Table 4's learning rate for a model of the suite.

    Raises:
        UserError: The model is not in the suite.
    """
    if name not in MODELS:
        raise UserError(f"{name} is not one of the paper's models ({', '.join(MODELS)}): pass --learning-rate")
    return MODELS[name].learning_rate


def is_large(name: str) -> bool:
    """Return true if a model of the suite has a billion parameters or more."""
    return name in MODELS and MODELS[name].num_parameters >= _LARGE
