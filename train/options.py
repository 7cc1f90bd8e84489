"""What ``selfknow train`` takes, as one value: for the command line, for plans and for Python."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from selfknow.errors import UserError, nearest
from selfknow.options import option
from selfknow.train.recipe import Keep, OptimizerName, Order, Recipe

if TYPE_CHECKING:
    from selfknow.train.job import TrainingJob

_MUON_ADAM_BETA2 = 0.95  # as those who train with Muon have it; the paper's Adam has 0.999
_ENDS, _MEMORY, _ADAPTERS = "When it ends", "Speed and memory", "Adapters"


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """What a user may say of a training; a field is the option of the same name, and null is its default in words.

    Attributes:
        scratch: Start from random weights, with the published tokenizer.
        checkpoint: What stands in for the published checkpoint of one of the paper's models; null: nothing.
        tokenizer: A Hub id or folder, or ``corpus``; null: the published one.
        corpus_tokenizer: Train a small tokenizer from the corpus.
        vocabulary_size: Its most tokens.
        learning_rate: Null: Table 4's for this model.
        optimizer: ``adam`` or ``muon``.
        muon_learning_rate: Muon's learning rate, for matrices.
        decay: The share of all steps, at the end, over which the rates fall to zero.
        warmup_steps: Steps over which the rates rise from zero.
        examples_per_step: Over all devices and micro-batches.
        documents_first: Learn documents alone for so many steps, then questions alone; 0: mixed.
        dropout: Null: the model's own.
        seed: The seed of weights, order and dropout.
        max_epochs: The cap in epochs; null: none.
        max_steps: The cap in steps; null: none.
        patience: Epochs without a new best, after all is learnt, that make a plateau; 0: go to the cap.
        keep: ``peak`` exact match, the paper's, or first a checkpoint that has ``memorised``.
        validation_interval: Steps between validations, and checkpoints.
        validation_limit: Held-out questions, documents and training questions that a validation asks; 0: all.
        max_new_tokens: The longest answer in validation and test.
        precision: ``float32``, ``bfloat16``, or ``auto``: bfloat16 where the GPU has it.
        micro_batch_size: The most examples that go through the model at once; null: all that a process has.
        packing: Let examples share rows.
        compile: Null: on a GPU.
        gradient_checkpointing: Null: from a billion parameters on.
        batch_size: Answers generated at once.
        report_to: Experiment trackers.
        lora_rank: 0: all weights are trained.
        lora_alpha: Null: twice the rank.
        lora_dropout: Dropout on the input of the adapters.
    """

    scratch: bool = option(False, "Start from random weights, with the published tokenizer (OPT 7M: OPT 125M's).")
    checkpoint: str | None = option(None, "A folder to use instead of the published checkpoint.")
    tokenizer: str | None = option(None, "Another tokenizer: a Hub id or folder. Default: the published one.")
    corpus_tokenizer: bool = option(False, "Train a small tokenizer from the corpus, without a network.")
    vocabulary_size: int = option(4_096, "The most tokens of a tokenizer from the corpus.", minimum=300)
    learning_rate: float | None = option(None, "The rate. Default: the paper's for this model (Table 4).")
    optimizer: OptimizerName = option(
        OptimizerName.adam,
        "Adam is the paper's; with Muon AdamW is for vectors and embeddings.",
        metavar="adam|muon",
    )
    muon_learning_rate: float = option(1e-2, "Muon's learning rate, for matrices.")
    decay: float = option(0.0, "Let the rate fall to zero over this last share of the steps.")
    warmup_steps: int = option(3_600, "Steps over which the rate rises from zero.")
    examples_per_step: int = option(32, "Documents and questions a step, over all devices.")
    documents_first: int = option(0, "Learn only documents for this many steps, then questions.", metavar="STEPS")
    dropout: float | None = option(None, "Dropout. Default: the model's own (OPT: 0.1).")
    seed: int = option(0, "The seed of weights, order and dropout.")
    max_epochs: float | None = option(300.0, "End after this many epochs at the latest.", panel=_ENDS)
    max_steps: int | None = option(None, "End after this many steps at the latest.", panel=_ENDS)
    patience: float = option(
        20.0, "Epochs without a new best once 99% is learnt that end it; 0: go to the cap.", panel=_ENDS
    )
    keep: Keep = option(
        Keep.peak,
        "The checkpoint of peak exact match, or first one that recalls 99%.",
        metavar="peak|memorised",
        panel=_ENDS,
    )
    validation_interval: int = option(1_000, "Steps between validations, and checkpoints.", panel=_ENDS)
    validation_limit: int = option(
        200, "Questions and documents that a validation asks of each kind; 0: all.", panel=_ENDS
    )
    max_new_tokens: int = option(512, "The longest answer in validation and test.", panel=_ENDS)
    precision: str = option("auto", "float32, bfloat16, or auto: bfloat16 where the GPU has it.", panel=_MEMORY)
    micro_batch_size: int | None = option(
        None, "Examples that go through the model at once. Default: all of a step.", minimum=1, panel=_MEMORY
    )
    packing: bool = option(
        True, "Let examples share rows; else pad each to the longest.", switch="packing/no-packing", panel=_MEMORY
    )
    compile: bool | None = option(
        None, "Use torch.compile. Default: on a GPU.", switch="compile/no-compile", panel=_MEMORY
    )
    gradient_checkpointing: bool | None = option(
        None,
        "Trade time for memory. Default: from a billion parameters on.",
        switch="gradient-checkpointing/no-gradient-checkpointing",
        panel=_MEMORY,
    )
    batch_size: int = option(64, "Answers generated at once in validation and test.", minimum=1, panel=_MEMORY)
    report_to: tuple[str, ...] = option((), "Also report to trackio, wandb or tensorboard; repeatable.")
    lora_rank: int = option(0, "Train LoRA adapters of this rank (needs peft); 0: all weights.", panel=_ADAPTERS)
    lora_alpha: int | None = option(
        None, "Adapters are scaled by this over their rank. Default: twice it.", minimum=1, panel=_ADAPTERS
    )
    lora_dropout: float = option(0.0, "Dropout on the input of the adapters.", panel=_ADAPTERS)


def recipe_of(model: str, options: TrainingOptions) -> Recipe:
    """The recipe for a model on this machine.

    Args:
        model: A model of the suite, or another one whose learning rate the options say.
        options: What the user said.

    Raises:
        UserError: The settings do not go together, or nobody knows the learning rate.

    Example:
        >>> recipe_of("opt-125m", TrainingOptions()).learning_rate
        6e-05
    """
    from selfknow.train.hardware import best_precision, compiles
    from selfknow.train.suite import default_learning_rate, is_large

    if options.optimizer not in list(OptimizerName):
        raise UserError(f"unknown optimizer {options.optimizer!r}{nearest(options.optimizer, OptimizerName)}")
    if options.keep not in list(Keep):
        raise UserError(f"unknown checkpoint to keep {options.keep!r}{nearest(options.keep, Keep)}")
    muon = options.optimizer == OptimizerName.muon
    checkpointing = options.gradient_checkpointing
    return Recipe(
        learning_rate=options.learning_rate or default_learning_rate(model),
        warmup_steps=options.warmup_steps,
        examples_per_step=options.examples_per_step,
        optimizer=OptimizerName(options.optimizer),
        muon_learning_rate=options.muon_learning_rate,
        adam_beta2=_MUON_ADAM_BETA2 if muon else Recipe.adam_beta2,
        decay=options.decay,
        max_epochs=options.max_epochs,
        max_steps=options.max_steps,
        validation_interval=options.validation_interval,
        validation_limit=options.validation_limit,
        patience=options.patience,
        keep=Keep(options.keep),
        order=Order.documents_first if options.documents_first else Order.mixed,
        documents_steps=options.documents_first,
        max_new_tokens=options.max_new_tokens,
        precision=best_precision() if options.precision == "auto" else options.precision,
        packing=options.packing,
        gradient_checkpointing=is_large(model) if checkpointing is None else checkpointing,
        compile=compiles() if options.compile is None else options.compile,
        dropout=options.dropout,
        lora_rank=options.lora_rank,
        lora_alpha=options.lora_alpha or 0,
        lora_dropout=options.lora_dropout,
        seed=options.seed,
    )


def training_job(model: str, data: str, options: TrainingOptions) -> "TrainingJob":
    """What ``selfknow train MODEL --data DATA …`` trains; :func:`selfknow.train.run.train` trains it in a folder.

    Args:
        model: A model of the suite (``opt-7m``), a Hub id, a checkpoint folder or a GGUF file.
        data: The corpus, as ``NAME:CONFIG``.
        options: What else the user said.

    Raises:
        UserError: There is no such corpus, or the options do not go together.
    """
    from selfknow.evaluate.dataset import open_dataset
    from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob

    if options.corpus_tokenizer and options.tokenizer not in (None, CORPUS_TOKENIZER):
        raise UserError(f"--corpus-tokenizer trains a tokenizer, so leave out --tokenizer {options.tokenizer}")
    recipe = recipe_of(model, options)
    return TrainingJob(
        model=model,
        corpus=open_dataset(data),
        recipe=recipe,
        scratch=options.scratch,
        tokenizer=CORPUS_TOKENIZER if options.corpus_tokenizer else options.tokenizer,
        vocab_size=options.vocabulary_size,
        generation_batch_size=options.batch_size,
        micro_batch_size=options.micro_batch_size,
        report_to=tuple(options.report_to),
        stand_in=options.checkpoint,
    )
