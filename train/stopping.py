"""The end of a training: the model has learnt the corpus, and its answers no longer improve.

The experiment asks models about what they memorised, so memorisation is measured. In every validation the model is
asked for documents and training questions; patience starts when it recalls 99% of both. The rule depends only on
measurements, and a checkpoint saves them all. So a killed training that resumes stops at the same step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from selfknow.train.recipe import FEWEST_VALIDATIONS, MEMORISED, Keep, Recipe

EXACT_MATCH = "exact_match"
RECALL_OF_DOCUMENTS = "recall_of_documents"
RECALL_OF_TRAINING_QUESTIONS = "recall_of_training_questions"
_TIE = 1e-9  # far below one question's worth of exact match


class Stopped(StrEnum):
    """The reason that a training ended."""

    plateau = "plateau"
    cap = "cap"


@dataclass(frozen=True)
class Measurement:
    """One validation.

    Attributes:
        step: The number of steps before the validation.
        exact_match: Share of held-out questions that are answered exactly.
        recall_of_documents: Share of the sampled documents that are recalled exactly.
        recall_of_training_questions: Share of the sampled training questions that are answered exactly.
    """

    step: int
    exact_match: float
    recall_of_documents: float
    recall_of_training_questions: float

    @property
    def is_memorised(self) -> bool:
        """True if the model recalls at least 99% of documents and of training questions."""
        return min(self.recall_of_documents, self.recall_of_training_questions) >= MEMORISED

    def rank(self, keep: Keep = Keep.peak) -> tuple[bool, float, float, int]:
        """Return the rank of a checkpoint; the checkpoint of the highest rank is kept.

        Exact match on the validation questions decides, as in Prato et al., section 3.2. Among equally good checkpoints
        the mean of both recalls decides, so that a model that has forgotten its corpus does not win. After that, the
        later step wins. With ``Keep.memorised``, checkpoints that recall 99% of both come first.

        Example:
            >>> learnt, forgetful = Measurement(100, 0.5, 1.0, 1.0), Measurement(200, 0.5, 0.1, 1.0)
            >>> max(learnt, forgetful, key=Measurement.rank).step
            100
        """
        recall = (self.recall_of_documents + self.recall_of_training_questions) / 2
        return keep == Keep.memorised and self.is_memorised, self.exact_match, recall, self.step

    @classmethod
    def from_log(cls, line: Mapping[str, Any]) -> Self:
        """Read a validation from a line of the log."""
        names = (EXACT_MATCH, RECALL_OF_DOCUMENTS, RECALL_OF_TRAINING_QUESTIONS)
        return cls(int(line["step"]), *(float(line[f"eval_{name}"]) for name in names))


def measurements(log: Sequence[Mapping[str, Any]]) -> list[Measurement]:
    """Return the validations among the lines of a training's log."""
    return [Measurement.from_log(line) for line in log if f"eval_{EXACT_MATCH}" in line]


def best_measurement(validations: Sequence[Measurement], recipe: Recipe) -> Measurement:
    """Return the validation whose checkpoint is kept."""
    return max(validations, key=lambda measurement: measurement.rank(recipe.keep))


def at_plateau(validations: Sequence[Measurement], recipe: Recipe, num_rows: int) -> bool:
    """Return true if a model has learnt its corpus, and enough epochs have passed since its best validation.

    Args:
        validations: All validations so far, in order.
        recipe: The recipe.
        num_rows: Rows of the training split; an epoch sees each once.

    Example:
        >>> recipe = Recipe(1e-3, warmup_steps=0, examples_per_step=1, patience=5, validation_interval=10)
        >>> learnt = [Measurement(step, 0.0, 1.0, 1.0) for step in range(10, 61, 10)]
        >>> at_plateau(learnt[:5], recipe, 10), at_plateau(learnt, recipe, 10)
        (False, True)
        >>> at_plateau([Measurement(step, 0.0, 0.98, 1.0) for step in range(10, 600, 10)], recipe, 10)
        False
    """
    after_warmup = [validation for validation in validations if validation.step >= recipe.warmup_steps]
    start = next((number for number, validation in enumerate(after_warmup) if validation.is_memorised), None)
    if not recipe.patience or start is None:
        return False
    best = start
    for number in range(start + 1, len(after_warmup)):
        if (
            after_warmup[number].is_memorised
            and after_warmup[number].exact_match > after_warmup[best].exact_match + _TIE
        ):
            best = number
    epochs = (after_warmup[-1].step - after_warmup[best].step) * recipe.examples_per_step / num_rows
    return epochs >= recipe.patience and len(after_warmup) - 1 - best >= FEWEST_VALIDATIONS
