"""The part of ``selfknow demo`` that trains: the paper's main effect, in minutes, on two CPU cores."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from selfknow.cli.output import print_rows

if TYPE_CHECKING:
    from selfknow.evaluate.corpora import Corpus

# Small diaries of many diarists: with few diarists a model learns them by heart and does not generalise.
NUM_DIARISTS, MAX_ENTRIES, MAX_ATTRIBUTES = 1_280, 3, 3
NAME_POOL_SIZE = 36  # names share words, so that a small model soon learns what a name is
MODEL = "opt-7m"  # four layers of width 128
STEPS, LEARNING_RATE, WARMUP_STEPS, MAX_NEW_TOKENS = 2_000, 2e-3, 100, 100
HELD_OUT = ("validation", "test")  # the number of steps is fixed, so validation selects nothing here
SETUPS = ("simplified", "standard")


def train_and_compare(folder: Path, steps: int = STEPS, num_diarists: int = NUM_DIARISTS) -> bool:
    """Train one small model on each setup with equal budgets, and print the gap on held-out questions.

    Args:
        folder: Everything goes here; what was done before is not done again.
        steps: Of each training.
        num_diarists: One in ten is held out.

    Returns:
        Whether the simplified setup is better beyond chance, as the paper found.
    """
    from selfknow.evaluate.checkpoints import quieten, require_models_extra
    from selfknow.evaluate.intervals import paired_difference, wilson

    require_models_extra()
    quieten()
    corpora = _build(folder / "diaries", num_diarists)
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for setup in SETUPS:
        typer.echo(f"{setup} setup: {steps:,} steps of 32 examples", err=True)
        _train(corpora[setup], folder / setup, steps)
        scores[setup] = _scores(corpora[setup], folder / setup)
    rows = []
    for setup in SETUPS:
        exact = [each["exact_match"] for each in scores[setup].values()]
        low, high = wilson(sum(exact), len(exact))
        means = {name: _mean(scores[setup], name) for name in ("right_count", "right_content")}
        rows.append({"setup": setup, "questions": len(exact), "exact match": _mean(scores[setup], "exact_match")})
        rows[-1] |= {"95% interval": f"{low:.3f} to {high:.3f}", **means}
    print_rows(rows)
    simplified, standard = (
        [scores[setup][question]["exact_match"] for question in scores["standard"]] for setup in SETUPS
    )
    gap, low, high = paired_difference(simplified, standard)
    typer.echo(f"gap between the setups: {gap:.3f}, 95% interval {low:.3f} to {high:.3f} (same questions, paired)")
    typer.echo(
        "the paper: 'in all cases' the simplified setup does significantly better than the standard one "
        "(section 4.2, Figures 2 and 3)"
    )
    typer.echo(f"every generation is in {folder}/*/test and {folder}/*/validation")
    if low <= 0:
        typer.echo("no gap beyond chance: the effect did not show", err=True)
    return low > 0


def _mean(scores: dict[str, dict[str, float]], metric: str) -> float:
    return sum(each[metric] for each in scores.values()) / len(scores)


def _build(folder: Path, num_diarists: int) -> "dict[str, Corpus]":
    from selfknow.builders.diaries import Shape
    from selfknow.builders.diary_recall import DATASET, corpora_of_shape
    from selfknow.builders.folder import build_folder
    from selfknow.evaluate.corpora import open_corpus

    shape = Shape(num_diarists, max_entries=MAX_ENTRIES, max_attributes=MAX_ATTRIBUTES, name_pool_size=NAME_POOL_SIZE)
    corpora = corpora_of_shape(shape)
    build_folder(DATASET, corpora, folder, overwrite=True)
    standard, simplified = (open_corpus(f"{folder}:{corpus.config}") for corpus in corpora)
    return {"simplified": simplified, "standard": standard}


def _train(corpus: "Corpus", folder: Path, steps: int) -> None:
    from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
    from selfknow.train.recipe import Recipe
    from selfknow.train.run import train

    recipe = Recipe(
        LEARNING_RATE,
        warmup_steps=WARMUP_STEPS,
        max_steps=steps,
        validation_interval=steps,
        patience=0,
        max_new_tokens=MAX_NEW_TOKENS,
        dropout=0.0,
    )
    train(TrainingJob(MODEL, corpus, recipe, scratch=True, tokenizer=CORPUS_TOKENIZER), folder)


def _scores(corpus: "Corpus", folder: Path) -> dict[str, dict[str, float]]:
    """The metrics of every held-out question's answer, by question."""
    from selfknow.evaluate.evaluate_diaries import evaluate_diaries
    from selfknow.evaluate.local import LocalModel
    from selfknow.evaluate.models import Decoding
    from selfknow.evaluate.score import score_run
    from selfknow.evaluate.store import read_generations

    model = LocalModel.load(str(folder))
    found: dict[str, dict[str, float]] = {}
    for split in HELD_OUT:
        run = folder / split
        evaluate_diaries(model, corpus, split, Decoding(max_new_tokens=MAX_NEW_TOKENS), run)
        generations = read_generations(run, ["generation_id", "example_id"]).to_pylist()
        questions = {row["generation_id"]: row["example_id"] for row in generations}
        for row in score_run(run).to_pylist():
            found.setdefault(questions[row["generation_id"]], {})[row["metric"]] = row["value"]
    return found
