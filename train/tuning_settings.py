"""The settings of a tuning on creations, declared once. The defaults are the paper's.

Tan et al., Can I understand what I create?, section 6.3: LoRA of rank 64, alpha 16 and dropout 0.1, AdamW at 1e-4,
three epochs, 16 examples a step. The paper names no schedule, weight decay or adapted layers: the rate is constant, the
decay is PyTorch's 0.01, gradients are not clipped, and all linear layers have adapters.
"""

from dataclasses import asdict, dataclass

from selfknow.options import check_options, option
from selfknow.train.recipe import Recipe

_MOST_CHECKPOINTS = 10  # in one tuning


@dataclass(frozen=True)
class TuningSettings:
    """The settings of a tuning. Each field is an option of ``selfknow advanced creations tune``."""

    learning_rate: float = option(1e-4, "The learning rate, which stays constant.", above=0)
    epochs: int = option(3, "Learn each question this many times.", minimum=1)
    examples_per_step: int = option(16, "Questions in each step.", minimum=1)
    lora_rank: int = option(64, "The rank of the adapters. 0: train all weights.", minimum=0)
    lora_alpha: int = option(16, "Scale the adapters by this number divided by their rank.", minimum=1)
    lora_dropout: float = option(0.1, "The dropout rate of the adapters' input.", minimum=0, below=1)
    weight_decay: float = option(0.01, "The weight decay of AdamW.", minimum=0)
    precision: str = option(
        "auto",
        "Compute in float32 or bfloat16; auto: bfloat16 if the GPU supports it.",
        metavar="auto|float32|bfloat16",
    )
    gradient_checkpointing: bool = option(False, "Save memory at the cost of time.")
    seed: int = option(0, "The seed of adapters, order and dropout.", minimum=0)

    def __post_init__(self) -> None:
        if self.precision == "auto":
            from selfknow.train.hardware import best_precision

            object.__setattr__(self, "precision", best_precision())
        check_options(self, TuningSettings)
        self.recipe(1)  # raises if settings contradict each other

    def recipe(self, num_questions: int) -> Recipe:
        """Return the recipe for this number of questions: a checkpoint per epoch, but at most ten."""
        settings = asdict(self)
        num_steps = -(-settings.pop("epochs") * num_questions // self.examples_per_step)
        interval = -(-num_steps // min(self.epochs, _MOST_CHECKPOINTS))
        settings |= {"max_epochs": None, "max_steps": num_steps, "validation_interval": interval, "patience": 0}
        if not self.lora_rank:
            settings |= {"lora_alpha": None, "lora_dropout": 0.0}
        return Recipe(**settings, warmup_steps=0)
