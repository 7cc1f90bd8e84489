"""What ``selfknow demo`` trains: the paper's main effect, in minutes, on two CPU cores."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from selfknow.cli.output import print_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.builders.dataset import DatasetConfig
    from selfknow.train.recipe import Recipe

# Small diaries of many diarists, since with few of them a model learns by heart.
MAX_ENTRIES, MAX_ATTRIBUTES = 3, 3
NAME_POOL_SIZE = 27  # names share words, so that a small model soon learns what a name is; 27 squared are enough
MODEL = "opt-7m"  # four layers of width 128; with the corpus's own vocabulary about a million parameters
STEPS, MAX_NEW_TOKENS, VALIDATION_INTERVAL = 1_200, 80, 400
# The paper trains with Adam at a constant rate until a plateau. Here minutes must do, and they do with Muon for the
# matrices, AdamW for the rest, and a rate that falls to zero over the last 40% of the steps.
LEARNING_RATE, MUON_LEARNING_RATE, WARMUP_STEPS, DECAY, ADAM_BETA2 = 2e-3, 1e-2, 100, 0.4, 0.95
SETUPS = ("simplified", "standard")
_RECALL = {"documents recalled": "recall_of_documents", "training questions recalled": "recall_of_training_questions"}

Scores = Mapping[str, Mapping[str, float]]
"""By question: its answer's metrics."""


@dataclass(frozen=True)
class Diarists:
    """The numbers of diarists, by what becomes of the question about each; the last ones are held out.

    Attributes:
        trained: The question is learnt.
        validated: It is asked while training.
        held_out: It is asked at the end.
    """

    trained: int = 512
    validated: int = 64
    held_out: int = 128


DIARISTS = Diarists()


@dataclass(frozen=True)
class Gap:
    """How much better the simplified setup is: the mean of paired differences, and its 95% interval."""

    mean: float
    low: float
    high: float

    @property
    def shows(self) -> bool:
        """Whether the simplified setup is better beyond chance, as the paper found."""
        return self.low > 0


def compare(folder: Path, scores: Mapping[str, Scores]) -> Gap:
    """Print how far both trainings went, and the gap between their models on held-out questions.

    Args:
        folder: That of the trainings.
        scores: Of the held-out questions, by setup.
    """
    print_learnt(folder)
    print_answers(scores)
    gap = gap_between(scores["simplified"], scores["standard"])
    print_gap(gap, folder)
    return gap


def print_learnt(folder: Path) -> None:
    """Say how far each training went, and whether its model knows by heart what it was to learn."""
    from selfknow.train.recipe import MEMORISED

    rows = [learnt(folder, setup) for setup in SETUPS]
    typer.echo(
        "The recipe is the paper's, for a smaller model and smaller diaries, with two changes. The optimizer is Muon, "
        "not Adam. The rate falls to zero; the paper keeps it constant until a plateau."
    )
    print_rows(rows)
    short = [str(row["setup"]) for row in rows if min(float(str(row[name])) for name in _RECALL) < MEMORISED]
    if short:
        typer.echo(
            f"{' and '.join(short)}: not everything is learnt by heart, so some errors come from text that was never "
            "learnt"
        )


def learnt(folder: Path, setup: str) -> dict[str, object]:
    """One training as a row: how much it saw, and the shares of samples of it that its model recalls word for word."""
    from selfknow.files import read_json

    results = cast("dict[str, float]", read_json(folder / setup / "run.json")["results"])
    seen = {"setup": setup, "epochs": f"{results['epochs']:.1f}", "tokens": results["tokens"]}
    return seen | {shown: results[name] for shown, name in _RECALL.items()}


def print_answers(scores: Mapping[str, Scores]) -> None:
    """Say what each model answered to the questions that neither was trained on."""
    print_rows([summary(setup, scores[setup]) for setup in SETUPS])


def print_gap(gap: Gap, folder: Path) -> None:
    """Say how large the gap is, what the paper found, and where everything lies."""
    typer.echo(f"gap between the setups: {gap.mean:.3f}, 95% interval {gap.low:.3f} to {gap.high:.3f} (paired)")
    typer.echo(
        "the paper: 'in all cases' the simplified setup does significantly better than the standard one "
        "(section 4.2, Figures 2 and 3)"
    )
    typer.echo(f"every generation is in {folder}/{SETUPS[0]}/test and {folder}/{SETUPS[1]}/test")
    if not gap.shows:
        typer.echo("no gap beyond chance: the effect did not show", err=True)


def summary(setup: str, scores: Scores) -> dict[str, object]:
    """One setup as a row: whole-answer exact match with Wilson's interval, and its two factors."""
    from selfknow.sql.intervals import wilson_interval

    means = {
        metric: sum(each[metric] for each in scores.values()) / len(scores)
        for metric in ("exact_match", "right_count", "right_content")
    }
    low, high = wilson_interval(sum(each["exact_match"] for each in scores.values()), len(scores))
    return {"setup": setup, "questions": len(scores), **means, "exact_match, 95%": f"{low:.3f} to {high:.3f}"}


def gap_between(simplified: Scores, standard: Scores) -> Gap:
    """The gap in exact match between two setups that were asked the same questions.

    Raises:
        ValueError: The questions are not the same ones.

    Example:
        >>> right, wrong = ({str(i): {"exact_match": value} for i in range(128)} for value in (1.0, 0.0))
        >>> gap_between(right, wrong).shows, gap_between(wrong, wrong).shows
        (True, False)
    """
    from selfknow.evaluate.tasks.diary_recall.setup_gap import paired_difference

    if simplified.keys() != standard.keys():
        raise ValueError("the setups were asked different questions")
    pairs = [(simplified[question]["exact_match"], standard[question]["exact_match"]) for question in sorted(standard)]
    return Gap(*paired_difference([one for one, _ in pairs], [other for _, other in pairs]))


def build_setups(folder: Path, diarists: Diarists = DIARISTS) -> None:
    """Build both setups as a dataset folder, of the same diaries; whose question is held out is not in ``train``."""
    from selfknow.builders.catalogue import find_dataset
    from selfknow.builders.diary_recall.builder import configs_of_shape
    from selfknow.builders.diary_recall.diaries import Shape
    from selfknow.builders.folder.manifest import MANIFEST
    from selfknow.builders.folder.write import build_folder

    if folder.is_dir() and not (folder / MANIFEST).is_file():
        shutil.rmtree(folder)  # of an earlier version, which wrote no manifest
    number = diarists.trained + diarists.validated + diarists.held_out
    made = configs_of_shape(Shape(number, 0, MAX_ENTRIES, MAX_ATTRIBUTES, NAME_POOL_SIZE))
    configs = [
        _with_held_out(setup, corpus, diarists) for setup, corpus in zip(("standard", "simplified"), made, strict=True)
    ]
    build_folder(find_dataset("diary-recall"), configs, folder, overwrite=True)


def _with_held_out(name: str, corpus: "DatasetConfig", diarists: Diarists) -> "DatasetConfig":
    """The corpus under another name, with as many questions in ``train`` as are learnt, and the others held out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = pa.concat_tables([make() for split in ("train", "validation", "test") for make in corpus.shards[split]])
    is_question = pc.equal(rows["kind"], "question")
    questions = rows.filter(is_question).sort_by("id")  # ids are the diarists' numbers
    splits = {
        "train": pa.concat_tables([rows.filter(pc.invert(is_question)), questions.slice(0, diarists.trained)]),
        "validation": questions.slice(diarists.trained, diarists.validated),
        "test": questions.slice(diarists.trained + diarists.validated),
    }
    return replace(corpus, name=name, shards={split: [partial(_itself, table)] for split, table in splits.items()})


def _itself(table: "pa.Table") -> "pa.Table":
    return table


def demo_recipe(steps: int, seed: int = 0) -> "Recipe":
    """How both models are trained, and alike: the paper's recipe but for the optimizer, the decay and the end."""
    from selfknow.train.recipe import OptimizerName, Recipe

    return Recipe(
        LEARNING_RATE,
        warmup_steps=min(steps, WARMUP_STEPS),
        optimizer=OptimizerName.muon,
        muon_learning_rate=MUON_LEARNING_RATE,
        decay=DECAY,
        adam_beta2=ADAM_BETA2,
        max_epochs=None,
        max_steps=steps,
        validation_interval=min(steps, VALIDATION_INTERVAL),
        patience=0,
        max_new_tokens=MAX_NEW_TOKENS,
        dropout=0.0,
        seed=seed,
    )
