"""When a training ends: the model has learnt the corpus, and its answers no longer get better.

What the experiment is about is answering for what *was* memorised, so memorisation is measured: documents and training
questions are recalled at every validation, and patience starts when 99% of both are. Everything is decided from what
was measured, which a checkpoint keeps, so a training that was killed decides as an unbroken one.
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
    """What ended a training."""

    plateau = "plateau"
    cap = "cap"


@dataclass(frozen=True)
class Measurement:
    """One validation.

    Attributes:
        step: After this step.
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
        """Whether what was to be learnt is learnt: at least 99% of documents and of training questions."""
        return min(self.recall_of_documents, self.recall_of_training_questions) >= MEMORISED

    def selection(self, num_steps: int, keep: Keep = Keep.peak) -> float:
        """Return what the checkpoint that is kept has the most of.

        Exact match on the validation questions decides, as in the paper (section 3.2), and then the later step. With
        ``Keep.memorised`` a checkpoint that has memorised goes before one that has not.
        """
        first = self.is_memorised if keep is Keep.memorised else 0
        return first + self.exact_match + _TIE * self.step / num_steps

    @classmethod
    def of_log(cls, line: Mapping[str, Any]) -> Self:
        """A validation as a line of the log has it."""
        names = (EXACT_MATCH, RECALL_OF_DOCUMENTS, RECALL_OF_TRAINING_QUESTIONS)
        return cls(int(line["step"]), *(float(line[f"eval_{name}"]) for name in names))


def measurements(log: Sequence[Mapping[str, Any]]) -> list[Measurement]:
    """The validations among the lines of a training's log."""
    return [Measurement.of_log(line) for line in log if f"eval_{EXACT_MATCH}" in line]


def at_plateau(done: Sequence[Measurement], recipe: Recipe, num_rows: int) -> bool:
    """Whether a training has learnt, and has gone on long enough without a new best since.

    Args:
        done: All its validations so far, in order.
        recipe: Its recipe.
        num_rows: Rows of the training split, which an epoch sees once.

    Example:
        >>> recipe = Recipe(1e-3, warmup_steps=0, examples_per_step=1, patience=5, validation_interval=10)
        >>> learnt = [Measurement(step, 0.0, 1.0, 1.0) for step in range(10, 61, 10)]
        >>> at_plateau(learnt[:5], recipe, 10), at_plateau(learnt, recipe, 10)
        (False, True)
        >>> at_plateau([Measurement(step, 0.0, 0.98, 1.0) for step in range(10, 600, 10)], recipe, 10)
        False
    """
    counted = [one for one in done if one.step >= recipe.warmup_steps]
    start = next((number for number, one in enumerate(counted) if one.is_memorised), None)
    if not recipe.patience or start is None:
        return False
    best = start
    for number in range(start + 1, len(counted)):
        if counted[number].is_memorised and counted[number].exact_match > counted[best].exact_match + _TIE:
            best = number
    epochs = (counted[-1].step - counted[best].step) * recipe.examples_per_step / num_rows
    return epochs >= recipe.patience and len(counted) - 1 - best >= FEWEST_VALIDATIONS
