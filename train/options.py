"""The options of ``selfknow train``, for the command line, for plans and for Python."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.options import option
from selfknow.train.recipe import OptimizerName, Recipe, RecipeOptions

if TYPE_CHECKING:
    from selfknow.train.job import TrainingJob

_MUON_ADAM_BETA2 = 0.95  # usual with Muon; the paper's Adam has 0.999
_machine = partial(option, panel="Tokenizer, speed and memory")


@dataclass(frozen=True, kw_only=True)
class JobOptions:
    """The settings of a training besides its recipe. Each field is an option; null means the default in its help."""

    scratch: bool = option(
        False, "Start from random weights, with the published tokenizer (OPT 7M has that of OPT 125M)."
    )
    checkpoint: str | None = option(None, "Start from this folder or Hub id instead of the published checkpoint.")
    tokenizer: str | None = _machine(None, "Use the tokenizer of this folder or Hub id. Default: the published one.")
    vocabulary_size: int = _machine(
        4_096, "The largest number of tokens of a tokenizer trained on the corpus.", minimum=300
    )
    micro_batch_size: int | None = _machine(
        None,
        "Send this many examples through the model at once; the result stays the same. Default: all of a step.",
        minimum=1,
    )
    batch_size: int = _machine(64, "Generate this many answers at once in validation and test.", minimum=1)
    report_to: tuple[str, ...] = _machine((), "Also report to trackio, wandb or tensorboard; repeatable.")


@dataclass(frozen=True, kw_only=True)
class TrainingOptions(JobOptions, RecipeOptions):
    """Every option of ``selfknow train``: those of the job and those of its recipe."""

    corpus_tokenizer: bool = _machine(False, "Train a small tokenizer on the corpus, without a network.")


def resolve_recipe(model: str, options: RecipeOptions) -> Recipe:
    """Return the recipe for a model on this machine, with every default filled in.

    Args:
        model: A model of the suite, or another model if the options have a learning rate.
        options: The user's settings.

    Raises:
        UserError: The settings contradict each other, or there is no default learning rate for this model.

    Example:
        >>> resolve_recipe("opt-125m", TrainingOptions()).learning_rate
        6e-05
    """
    from selfknow.train.hardware import best_precision, compiles
    from selfknow.train.suite import default_learning_rate, is_large

    settings = {field.name: getattr(options, field.name) for field in fields(RecipeOptions)}
    defaults: dict[str, Callable[[], float]] = {
        "learning_rate": lambda: default_learning_rate(model),
        "compile": compiles,
        "gradient_checkpointing": lambda: is_large(model),
    }
    resolved: dict[str, Any] = {name: default() for name, default in defaults.items() if settings[name] is None}
    if options.precision == "auto":
        resolved["precision"] = best_precision()
    if options.optimizer == OptimizerName.muon:
        resolved["adam_beta2"] = _MUON_ADAM_BETA2
    return Recipe(**{**settings, **resolved})


def training_job(model: str, data: str, options: TrainingOptions) -> "TrainingJob":
    """Return the job of ``selfknow train MODEL --data DATA …``, for :func:`selfknow.train.run.train`.

    Args:
        model: A model of the suite (``opt-7m``), a Hub id, a checkpoint folder or a GGUF file.
        data: The corpus, as ``NAME:CONFIG``.
        options: The user's settings.

    Raises:
        UserError: There is no such model or corpus, or the options contradict each other.
    """
    from selfknow.evaluate.dataset import open_dataset
    from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
    from selfknow.train.suite import check_model

    check_model(model)
    if options.corpus_tokenizer and options.tokenizer not in (None, CORPUS_TOKENIZER):
        raise UserError(f"--corpus-tokenizer trains a tokenizer, so leave out --tokenizer {options.tokenizer}")
    recipe = resolve_recipe(model, options)
    settings = {field.name: getattr(options, field.name) for field in fields(JobOptions)}
    if options.corpus_tokenizer:
        settings["tokenizer"] = CORPUS_TOKENIZER
    return TrainingJob(model, open_dataset(data), recipe, **settings)
