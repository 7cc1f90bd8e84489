"""The part of ``selfknow demo`` that trains: the paper's main effect, in minutes, on two CPU cores."""

import os
import shutil
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, cast

import typer

from selfknow.cli.output import print_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.builders.dataset import DatasetConfig
    from selfknow.train.recipe import Recipe

# Small diaries of many diarists, since with few of them a model learns by heart. The last ones by number are held out.
NUM_TRAINED, NUM_VALIDATED, NUM_HELD_OUT = 512, 64, 128
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
class Gap:
    """How much better the simplified setup is: the mean of paired differences, and its 95% interval."""

    mean: float
    low: float
    high: float

    @property
    def shows(self) -> bool:
        """Whether the simplified setup is better beyond chance, as the paper found."""
        return self.low > 0


def train_and_compare(folder: Path, steps: int = STEPS, num_trained: int = NUM_TRAINED) -> Gap:
    """Train one small model on each setup with equal budgets, and print the gap on held-out questions.

    Args:
        folder: Everything goes here; what was done before is not done again.
        steps: Of each training.
        num_trained: Diarists whose questions are learnt.
    """
    from selfknow.evaluate.models.checkpoints import require_models_extra

    require_models_extra()
    build_setups(folder / "diaries", num_trained)
    scores = train_both(folder, steps)
    print_learnt(folder)
    print_answers(scores)
    gap = gap_between(scores["simplified"], scores["standard"])
    print_gap(gap, folder)
    return gap


def train_both(folder: Path, steps: int) -> dict[str, Scores]:
    """Train both setups side by side, each in a process of its own; returns the held-out questions' scores."""
    if all(_is_trained(folder / setup, steps) for setup in SETUPS):
        return {setup: _scores(folder / setup / "test") for setup in SETUPS}
    typer.echo(
        f"both setups side by side, {steps:,} steps of 32 examples each; the bar is the {SETUPS[0]} one's", err=True
    )
    with ProcessPoolExecutor(len(SETUPS), mp_context=get_context("spawn")) as pool:
        done = pool.map(train_setup, [folder] * len(SETUPS), SETUPS, [steps] * len(SETUPS))
        return dict(zip(SETUPS, done, strict=True))


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
    from selfknow.evaluate.sql.intervals import wilson_interval

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


def build_setups(folder: Path, num_trained: int = NUM_TRAINED) -> None:
    """Build both setups as a dataset folder, of the same diaries; whose question is held out is not in ``train``."""
    from selfknow.builders.catalogue import find_dataset
    from selfknow.builders.diary_recall.builder import configs_of_shape
    from selfknow.builders.diary_recall.diaries import Shape
    from selfknow.builders.folder.manifest import MANIFEST
    from selfknow.builders.folder.write import build_folder

    if folder.is_dir() and not (folder / MANIFEST).is_file():
        shutil.rmtree(folder)  # of an earlier version, which wrote no manifest
    shape = Shape(num_trained + NUM_VALIDATED + NUM_HELD_OUT, 0, MAX_ENTRIES, MAX_ATTRIBUTES, NAME_POOL_SIZE)
    made = zip(("standard", "simplified"), configs_of_shape(shape), strict=True)
    configs = [_with_held_out(setup, corpus, num_trained) for setup, corpus in made]
    build_folder(find_dataset("diary-recall"), configs, folder, overwrite=True)


def _with_held_out(name: str, corpus: "DatasetConfig", num_trained: int) -> "DatasetConfig":
    """The corpus under another name, with as many questions in ``train`` as are learnt, and the others held out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = pa.concat_tables([make() for split in ("train", "validation", "test") for make in corpus.shards[split]])
    is_question = pc.equal(rows["kind"], "question")
    questions = rows.filter(is_question).sort_by("id")  # ids are the diarists' numbers
    splits = {
        "train": pa.concat_tables([rows.filter(pc.invert(is_question)), questions.slice(0, num_trained)]),
        "validation": questions.slice(num_trained, NUM_VALIDATED),
        "test": questions.slice(num_trained + NUM_VALIDATED),
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


def train_setup(folder: Path, setup: str, steps: int, seed: int = 0) -> Scores:
    """Train on one setup in a process of its own, and score its answers to the held-out questions.

    On one thread: models this small gain little from a second one, and the result is the same on any number of cores.
    """
    end_with_parent()
    if setup != SETUPS[0]:
        os.environ["TQDM_DISABLE"] = "1"  # read when tqdm is imported: two bars would write over each other
    import torch

    from selfknow.evaluate.dataset import open_dataset
    from selfknow.evaluate.models.checkpoints import quieten
    from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
    from selfknow.train.run import train

    quieten()
    torch.set_num_threads(1)
    corpus = open_dataset(f"{folder / 'diaries'}:{setup}")
    recipe = demo_recipe(steps, seed)
    train(TrainingJob(MODEL, corpus, recipe, scratch=True, tokenizer=CORPUS_TOKENIZER), folder / setup)
    return _scores(folder / setup / "test")


def end_with_parent() -> None:
    """End this process when its parent is gone, even killed: it would keep a core and the lock of the folder."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _is_trained(folder: Path, steps: int) -> bool:
    from selfknow.files import read_json

    if not (folder / "run.json").is_file():
        return False
    run = cast("dict[str, dict[str, object]]", read_json(folder / "run.json"))
    return "results" in run and run["recipe"]["max_steps"] == steps


def _scores(run: Path) -> Scores:
    """The metrics of every held-out question's answer, by question."""
    from selfknow.evaluate.runs.schema import read_generations
    from selfknow.evaluate.score import score_run

    generations = read_generations(run, ["generation_id", "example_id"]).to_pylist()
    questions = {row["generation_id"]: row["example_id"] for row in generations}
    found: dict[str, dict[str, float]] = {}
    for row in score_run(run).to_pylist():
        found.setdefault(questions[row["generation_id"]], {})[row["metric"]] = row["value"]
    return found
