"""The recipe: every setting of a training that affects the result, declared once. The defaults are the paper's.

Prato et al., Do Large Language Models Know How Much They Know?, sections 3.1 and 3.2 and Appendix C. The paper names
neither clipping nor decay, so there is none. It trains 'until the validation performance plateaus' and defines no
plateau, so the rule here is ours (:mod:`selfknow.train.stopping`) and stands in every ``run.json``.
"""

import math
from dataclasses import KW_ONLY, asdict, dataclass, field
from enum import StrEnum
from functools import partial

from selfknow.errors import UserError
from selfknow.options import check_options, option

MEMORISED = 0.99
"""The recall of documents and of training questions from which on the corpus counts as learnt."""

FEWEST_VALIDATIONS = 5
"""The least number of validations without improvement that make a plateau, in addition to the recipe's patience."""

# Panels of `--help`; the options that most people need are in none.
_recipe = partial(option, panel="Recipe")
_machine = partial(option, panel="Tokenizer, speed and memory")


class OptimizerName(StrEnum):
    """The optimizer."""

    adam = "adam"  # the paper's
    muon = "muon"  # Muon for the matrices, AdamW for embeddings and vectors


class Keep(StrEnum):
    """The checkpoint to keep."""

    peak = "peak"  # the paper's: the highest exact match in validation
    memorised = "memorised"  # checkpoints that recall 99% of the corpus come first


@dataclass(frozen=True, kw_only=True)
class RecipeOptions:
    """The settings of a recipe as a user gives them. Each field is an option; null means the default in its help."""

    learning_rate: float | None = option(
        None, "The learning rate after warm-up. Default: the paper's for this model (Table 4).", above=0
    )
    warmup_steps: int = _recipe(3_600, "Raise the learning rate from zero over this many steps.", minimum=0)
    decay: float = _recipe(
        0.0, "Lower the learning rate to zero over this last share of the steps.", minimum=0, below=1
    )
    optimizer: OptimizerName = _recipe(  # noqa: RUF009 (a field)
        OptimizerName.adam, "Adam, as in the paper; or Muon for matrices, with AdamW for the rest.", metavar="adam|muon"
    )
    muon_learning_rate: float = _recipe(1e-2, "The learning rate of Muon.", above=0)
    examples_per_step: int = _recipe(32, "Documents and questions in each step, over all devices.", minimum=1)
    documents_first: int = _recipe(
        0, "Learn only documents for this many steps, then only questions.", metavar="STEPS", minimum=0
    )
    dropout: float | None = _recipe(None, "The dropout rate. Default: the model's own (OPT: 0.1).", minimum=0, below=1)
    seed: int = option(0, "The seed of weights, order and dropout.", minimum=0)
    max_epochs: float | None = option(300.0, "Stop after this many epochs at the latest.", above=0)
    max_steps: int | None = option(None, "Stop after this many steps at the latest.", minimum=1)
    patience: float = _recipe(
        20.0, "After 99% is learnt, stop after this many epochs without improvement. 0: never stop early.", minimum=0
    )
    keep: Keep = _recipe(  # noqa: RUF009 (a field)
        Keep.peak,
        "Keep the checkpoint of the highest exact match (peak), or prefer those that recall 99% (memorised).",
        metavar="peak|memorised",
    )
    validation_interval: int = _recipe(1_000, "Validate and save a checkpoint once in this many steps.", minimum=1)
    validation_limit: int = _recipe(
        200, "Validate on this many held-out questions, documents and training questions each. 0: all.", minimum=0
    )
    max_new_tokens: int = _recipe(512, "The longest answer in validation and test.", minimum=1)
    precision: str = _machine(
        "auto",
        "Compute in float32 or bfloat16; auto: bfloat16 if the GPU supports it.",
        metavar="auto|float32|bfloat16",
    )
    packing: bool = _machine(
        True, "Pack several examples into a row instead of padding each.", switch="packing/no-packing"
    )
    compile: bool | None = _machine(None, "Use torch.compile. Default: on a GPU.", switch="compile/no-compile")
    gradient_checkpointing: bool | None = _machine(
        None,
        "Save memory at the cost of time. Default: from a billion parameters on.",
        switch="gradient-checkpointing/no-gradient-checkpointing",
    )
    lora_rank: int = option(0, "Train LoRA adapters of this rank (needs peft). 0: train all weights.", minimum=0)
    lora_alpha: int | None = _recipe(
        None, "Scale the adapters by this number divided by their rank. Default: twice the rank.", minimum=1
    )
    lora_dropout: float = _recipe(0.0, "The dropout rate of the adapters' input.", minimum=0, below=1)


@dataclass(frozen=True)
class Recipe(RecipeOptions):
    """A recipe for one model on one machine: the options with all defaults filled in, and settings that are fixed.

    Raises:
        UserError: A setting is out of its range, or two settings contradict each other.

    Example:
        >>> Recipe(6e-5, max_steps=1_000).examples_per_step
        32
    """

    learning_rate: float = field()  # with Muon, the rate of embeddings and vectors only
    _: KW_ONLY
    precision: str = "float32"  # weights stay float32
    compile: bool = False
    gradient_checkpointing: bool = False
    muon_momentum: float = 0.95
    adam_beta1: float = 0.9
    adam_beta2: float = 0.999
    adam_epsilon: float = 1e-8
    weight_decay: float = 0.0
    max_grad_norm: float = 0.0  # no clipping

    def __post_init__(self) -> None:
        check_options(self, RecipeOptions)
        if self.precision not in ("float32", "bfloat16"):
            raise UserError(f"the precision is float32 or bfloat16, not {self.precision!r}")
        if self.max_steps is None and self.max_epochs is None:
            raise UserError("training needs an end: give max_epochs or max_steps")
        if self.decay and self.patience:
            raise UserError(
                "with a decay the learning rate reaches zero at the last step, so training must not stop early: add "
                "--patience 0"
            )
        if not self.lora_rank and (self.lora_alpha or self.lora_dropout):
            raise UserError("lora_alpha and lora_dropout belong to adapters: give a lora_rank too")
        if self.max_steps is not None and self.documents_first >= self.max_steps:
            raise UserError(
                f"documents_first leaves no step for questions: it must be below max_steps, {self.max_steps}"
            )

    def num_steps(self, num_rows: int) -> int:
        """Return the number of steps of the training if no plateau ends it: the lower of its two caps.

        Args:
            num_rows: Rows of the training split; an epoch sees each once.

        Example:
            >>> Recipe(1e-3, max_epochs=2).num_steps(num_rows=100)  # 200 examples, 32 a step
            7
        """
        caps = [] if self.max_steps is None else [self.max_steps]
        if self.max_epochs is not None:
            caps.append(max(1, math.ceil(self.max_epochs * num_rows / self.examples_per_step)))
        return min(caps)

    def as_json(self) -> dict[str, object]:
        """Return the settings for JSON, with the rule of the plateau in words."""
        settings = {name: str(value) if isinstance(value, StrEnum) else value for name, value in asdict(self).items()}
        return {**settings, "plateau": self._rule()}

    def _rule(self) -> str:
        caps = {"epochs": self.max_epochs, "steps": self.max_steps}
        cap = " or ".join(f"{value:g} {name}" for name, value in caps.items() if value is not None)
        best = (
            "the checkpoint of the highest exact match is kept; among equally good ones the one that recalls most, and "
            "among those the latest"
        )
        if self.keep == Keep.memorised:
            best += "; a checkpoint that recalls both goes before one that does not"
        if not self.patience:
            return f"none: the training ends after {cap}; {best}"
        return (
            f"every {self.validation_interval} steps the model answers held-out questions and recalls documents and "
            f"training questions, each a fixed sample; once the warm-up is over and the model recalls {MEMORISED:.0%} "
            f"of both, the training stops after {self.patience:g} epochs and {FEWEST_VALIDATIONS} validations without "
            f"a new best exact match; a tie is no new best; until then, only its cap of {cap} ends it; {best}"
        )
