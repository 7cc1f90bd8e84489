"""The recipe: every setting of a training that affects the result. The defaults are the paper's.

Prato et al., Do Large Language Models Know How Much They Know?, sections 3.1 and 3.2 and Appendix C. The paper names
neither clipping nor decay, so there is none; it trains 'until the validation performance plateaus' without saying when
that is, so the rule here is ours (:mod:`selfknow.train.stopping`) and stands in every ``run.json``.
"""

import math
from dataclasses import asdict, dataclass
from enum import StrEnum

from selfknow.errors import UserError

MEMORISED = 0.99
"""The recall of documents and of training questions from which on they count as learnt."""

FEWEST_VALIDATIONS = 5
"""A plateau is seen by at least so many validations, however few steps an epoch has."""


class Order(StrEnum):
    """In which order documents and questions are learnt."""

    mixed = "mixed"
    documents_first = "documents-first"  # the paper's ablation: it forgets the documents


class OptimizerName(StrEnum):
    """What turns gradients into steps."""

    adam = "adam"  # the paper's
    muon = "muon"  # Muon for the matrices, AdamW for embeddings and vectors


class Keep(StrEnum):
    """Which checkpoint is kept."""

    peak = "peak"  # the paper's: the one of peak validation exact match
    memorised = "memorised"  # one that recalls 99% of the corpus goes before one that does not


@dataclass(frozen=True)
class Recipe:
    """How a model is trained.

    Attributes:
        learning_rate: After warm-up; constant from then on, but for a decay. With Muon that of embeddings and vectors.
        warmup_steps: Steps over which the rate rises from zero, linearly.
        examples_per_step: Documents and questions a step, over all devices and micro-batches.
        optimizer: Adam, the paper's, or Muon.
        muon_learning_rate: Muon's learning rate, for matrices.
        muon_momentum: Decay of Muon's moment.
        decay: The share of all steps, at the end, over which the rate falls to zero, linearly; 0: it is constant.
        adam_beta1: Decay of Adam's first moment.
        adam_beta2: Decay of its second.
        adam_epsilon: Its epsilon.
        weight_decay: None in the paper.
        max_grad_norm: Gradients are clipped at this norm; 0 is no clipping.
        max_epochs: Training ends here at the latest; null: only ``max_steps`` ends it.
        max_steps: Training ends here at the latest; null: only ``max_epochs`` ends it.
        validation_interval: Steps between two validations; each also saves a checkpoint to resume from.
        validation_limit: How many held-out questions a validation asks, and how many documents and how many training
            questions it has recalled: samples that stay the same; 0: all.
        patience: Epochs without a new best exact match that make a plateau. They count from when the model recalls 99%
            of documents and of training questions, and the warm-up is over. 0 trains to the cap.
        keep: The checkpoint of peak exact match, the paper's, or first of all one that has memorised.
        order: Documents and questions mixed, or the documents first.
        documents_steps: With documents first: the steps that see documents alone; the rest see questions alone.
        max_new_tokens: The longest answer in validation.
        precision: ``float32`` or ``bfloat16`` (weights stay float32).
        packing: Whether several examples share a row (never each other's attention), instead of padding each.
        gradient_checkpointing: Trade time for memory.
        compile: Whether ``torch.compile`` is used.
        dropout: In place of the model's own rate (OPT's is 0.1); null leaves it.
        lora_rank: Train adapters of this rank instead of all weights; 0 trains all.
        lora_alpha: What the adapters are scaled by, divided by their rank; 0 is twice the rank.
        lora_dropout: Dropout on the input of the adapters.
        seed: The seed of weights, order and dropout.
    """

    learning_rate: float
    warmup_steps: int = 3_600
    examples_per_step: int = 32
    optimizer: OptimizerName = OptimizerName.adam
    muon_learning_rate: float = 1e-2
    muon_momentum: float = 0.95
    decay: float = 0.0
    adam_beta1: float = 0.9
    adam_beta2: float = 0.999
    adam_epsilon: float = 1e-8
    weight_decay: float = 0.0
    max_grad_norm: float = 0.0
    max_epochs: float | None = 300.0
    max_steps: int | None = None
    validation_interval: int = 1_000
    validation_limit: int = 200
    patience: float = 20.0
    keep: Keep = Keep.peak
    order: Order = Order.mixed
    documents_steps: int = 0
    max_new_tokens: int = 512
    precision: str = "float32"
    packing: bool = True
    gradient_checkpointing: bool = False
    compile: bool = False
    dropout: float | None = None
    lora_rank: int = 0
    lora_alpha: int = 0
    lora_dropout: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        self._check_ranges()
        self._check_end()
        if not self.lora_rank and (self.lora_alpha or self.lora_dropout):
            raise UserError("lora_alpha and lora_dropout belong to adapters: give a lora_rank too")
        if self.precision not in ("float32", "bfloat16"):
            raise UserError(f"the precision is float32 or bfloat16, not {self.precision!r}")
        last = math.inf if self.max_steps is None else self.max_steps
        if (self.order is Order.documents_first) != (0 < self.documents_steps < last):
            raise UserError("documents-first needs documents_steps between 1 and max_steps - 1, and only it has them")

    def _check_ranges(self) -> None:
        for name in ("examples_per_step", "validation_interval", "max_new_tokens"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} must be at least 1, not {getattr(self, name)}")
        not_negative = ("warmup_steps", "patience", "documents_steps", "lora_rank", "lora_alpha", "seed")
        for name in (*not_negative, "max_grad_norm", "validation_limit"):
            if getattr(self, name) < 0:
                raise UserError(f"{name} cannot be negative: {getattr(self, name)}")
        for name in ("learning_rate", "muon_learning_rate"):
            if not getattr(self, name) > 0:
                raise UserError(f"the {name.replace('_', ' ')} must be above 0, not {getattr(self, name)}")
        for name in ("dropout", "lora_dropout", "decay"):
            if not 0 <= (getattr(self, name) or 0) < 1:
                raise UserError(f"{name} must be at least 0 and below 1, not {getattr(self, name)}")

    def _check_end(self) -> None:
        if self.max_steps is None and self.max_epochs is None:
            raise UserError("training needs an end: give max_epochs or max_steps")
        if self.max_steps is not None and self.max_steps < 1:
            raise UserError(f"max_steps must be at least 1, not {self.max_steps}")
        if self.max_epochs is not None and not self.max_epochs > 0:
            raise UserError(f"max_epochs must be above 0, not {self.max_epochs}")
        if self.decay and self.patience:
            raise UserError(
                "a decay reaches zero at the last step, so it must not stop early at a plateau: add --patience 0"
            )

    def num_steps(self, num_rows: int) -> int:
        """The steps of the whole training if no plateau ends it: to the nearer one of its two caps.

        Args:
            num_rows: Rows of the training split, which an epoch sees once.

        Example:
            >>> Recipe(1e-3, max_epochs=2).num_steps(num_rows=100)  # 200 examples, 32 a step
            7
        """
        caps = [] if self.max_steps is None else [self.max_steps]
        if self.max_epochs is not None:
            caps.append(max(1, math.ceil(self.max_epochs * num_rows / self.examples_per_step)))
        return min(caps)

    def as_json(self) -> dict[str, object]:
        """The fields as JSON has them, with the plateau's rule in words."""
        settings = {**asdict(self), "order": self.order.value, "optimizer": self.optimizer.value}
        settings["keep"] = self.keep.value
        return {**settings, "plateau": self._rule()}

    def _rule(self) -> str:
        caps = {"epochs": self.max_epochs, "steps": self.max_steps}
        cap = " or ".join(f"{value:g} {name}" for name, value in caps.items() if value is not None)
        first = ", and one that recalls both goes before one that does not" if self.keep is Keep.memorised else ""
        kept = f"the checkpoint of the highest exact match is kept, of equally good ones the latest{first}"
        if not self.patience:
            return f"none: the training ends after {cap}; {kept}"
        return (
            f"every {self.validation_interval} steps the model answers held-out questions and recalls documents and "
            f"training questions, each a fixed sample; from when it recalls {MEMORISED:.0%} of both and the warm-up is "
            f"over, stop after {self.patience:g} epochs and {FEWEST_VALIDATIONS} validations without a new best exact "
            f"match; a tie is no new best; nothing ends the training before but its cap of {cap}; {kept}"
        )
