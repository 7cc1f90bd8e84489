"""The recipe: every setting of a training, with the paper's as defaults.

Prato et al., Do Large Language Models Know How Much They Know?, sections 3.1 and 3.2 and Appendix C. The paper names
neither clipping nor decay, so there is none; it trains 'until the validation performance plateaus' without saying when
that is, so the rule here is ours and stands in every ``run.json``.
"""

from dataclasses import asdict, dataclass
from enum import StrEnum

from selfknow.errors import UserError


class Order(StrEnum):
    """In which order documents and questions are learnt."""

    mixed = "mixed"
    documents_first = "documents-first"  # the paper's ablation: it forgets the documents


@dataclass(frozen=True)
class Recipe:
    """How a model is trained.

    Attributes:
        learning_rate: After warm-up; constant from then on.
        warmup_steps: Steps over which the rate rises from zero, linearly.
        examples_per_step: Documents and questions a step, over all devices.
        adam_beta1: Decay of Adam's first moment.
        adam_beta2: Decay of its second.
        adam_epsilon: Its epsilon.
        weight_decay: None in the paper.
        max_grad_norm: Gradients are clipped at this norm; 0 is no clipping.
        max_steps: Training ends here at the latest.
        validation_interval: Steps between two validations; each also saves a checkpoint to resume from.
        patience: Validations without a new best exact match, counted after warm-up, that make a plateau; 0 trains to
            ``max_steps``. A tie is no new best, but of equally good checkpoints the latest is kept.
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
        lora_dropout: Dropout of what goes into the adapters.
        seed: Of weights, order and dropout.
    """

    learning_rate: float
    warmup_steps: int = 3_600
    examples_per_step: int = 32
    adam_beta1: float = 0.9
    adam_beta2: float = 0.999
    adam_epsilon: float = 1e-8
    weight_decay: float = 0.0
    max_grad_norm: float = 0.0
    max_steps: int = 200_000
    validation_interval: int = 1_000
    patience: int = 20
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
        self._check_adapters()
        for name in ("examples_per_step", "max_steps", "validation_interval", "max_new_tokens"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("warmup_steps", "patience", "documents_steps", "lora_rank", "lora_alpha", "seed", "max_grad_norm"):
            if getattr(self, name) < 0:
                raise UserError(f"{name} cannot be negative: {getattr(self, name)}")
        if not self.learning_rate > 0:
            raise UserError(f"the learning rate must be above 0, not {self.learning_rate}")
        for name in ("dropout", "lora_dropout"):
            if not 0 <= (getattr(self, name) or 0) < 1:
                raise UserError(f"{name} must be at least 0 and below 1, not {getattr(self, name)}")
        if self.precision not in ("float32", "bfloat16"):
            raise UserError(f"the precision is float32 or bfloat16, not {self.precision!r}")
        if (self.order is Order.documents_first) != (0 < self.documents_steps < self.max_steps):
            raise UserError("documents-first needs documents_steps between 1 and max_steps - 1, and only it has them")

    def _check_adapters(self) -> None:
        if not self.lora_rank and (self.lora_alpha or self.lora_dropout):
            raise UserError("lora_alpha and lora_dropout are those of adapters: they need a lora_rank")

    def as_json(self) -> dict[str, object]:
        """The fields as JSON has them, with the plateau's rule in words."""
        rule = (
            f"stop when exact match on the validation questions, asked every {self.validation_interval} steps, has no "
            f"new best in {self.patience} validations after warm-up; a tie is no new best, but of equally good "
            f"checkpoints the latest is kept; at the latest after {self.max_steps} steps"
        )
        return {**asdict(self), "order": self.order.value, "plateau": rule}
