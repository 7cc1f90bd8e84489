"""The part of ``selfknow demo`` that trains: the paper's main effect, in minutes, on two CPU cores."""

from pathlib import Path

import typer

from selfknow.cli.output import print_rows

# Small diaries: what matters is how many diarists there are for the size of the model, and how often each is seen.
NUM_DIARISTS, MAX_ENTRIES, MAX_ATTRIBUTES = 640, 3, 3
NUM_HELD_OUT = 128  # questions: the corpus's validation and test splits, and more of its training questions
WIDTH, LAYERS, HEADS, POSITIONS, VOCABULARY_SIZE = 128, 4, 4, 256, 512  # names are spelled in pieces
STEPS, LEARNING_RATE, WARMUP_STEPS, DROPOUT, MAX_NEW_TOKENS = 2_000, 3e-3, 100, 0.1, 160
SETUPS = ("simplified", "standard")


def train_and_compare(folder: Path, steps: int = STEPS, num_diarists: int = NUM_DIARISTS) -> bool:
    """Train one small model on each setup with equal budgets, and print the gap on held-out questions.

    Args:
        folder: Everything goes here; what was done before is not done again.
        steps: Of each training.
        num_diarists: The size of the corpus.

    Returns:
        Whether the simplified setup is better beyond chance, as the paper found.
    """
    from selfknow.evaluate.checkpoints import quieten, require_models_extra
    from selfknow.evaluate.intervals import paired_difference, wilson

    require_models_extra()
    quieten()
    _build(folder / "diaries", num_diarists)
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for setup in SETUPS:
        typer.echo(f"{setup} setup: {steps:,} steps of 32 examples", err=True)
        _train(f"{folder / 'diaries'}:{setup}", folder / setup, steps)
        scores[setup] = _scores(folder / setup / "test")
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
    typer.echo(f"every generation is in {folder}/{SETUPS[0]}/test and {folder}/{SETUPS[1]}/test")
    if low <= 0:
        typer.echo("no gap beyond chance: the effect did not show", err=True)
    return low > 0


def _mean(scores: dict[str, dict[str, float]], metric: str) -> float:
    return sum(each[metric] for each in scores.values()) / len(scores)


def _build(folder: Path, num_diarists: int) -> None:
    """Both setups as Parquet, with ``NUM_HELD_OUT`` test questions: the last ones by number, the same in both."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from selfknow.builders.diaries import Shape
    from selfknow.builders.diary_recall import corpora_of_shape
    from selfknow.evaluate.files import write_parquet

    shape = Shape(num_diarists, max_entries=MAX_ENTRIES, max_attributes=MAX_ATTRIBUTES)
    for setup, corpus in zip(("standard", "simplified"), corpora_of_shape(shape), strict=True):
        splits = {split: pa.concat_tables([make() for make in shards]) for split, shards in corpus.shards.items()}
        rows = pa.concat_tables([splits["train"], splits["validation"], splits["test"]])
        questions = pc.filter(rows["id"], pc.equal(rows["kind"], "question")).sort("ascending")
        is_held_out = pc.is_in(rows["id"], questions[len(questions) - NUM_HELD_OUT :].combine_chunks())
        held_out = rows.filter(is_held_out).sort_by("id")
        splits = {"train": rows.filter(pc.invert(is_held_out)), "validation": held_out.slice(0, 32), "test": held_out}
        for split, table in splits.items():
            write_parquet(folder / setup / f"{split}-00000-of-00001.parquet", table)


def _train(corpus: str, folder: Path, steps: int) -> None:
    """Train a Pythia-style model; the number of steps is fixed and one checkpoint is kept, so nothing is selected."""
    from transformers import GPTNeoXConfig

    from selfknow.evaluate.corpora import open_corpus
    from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
    from selfknow.train.recipe import Recipe
    from selfknow.train.run import train

    config = GPTNeoXConfig(
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=4 * WIDTH,
        max_position_embeddings=POSITIONS,
    )
    shape = folder.parent / "model"
    config.save_pretrained(shape)
    recipe = Recipe(
        LEARNING_RATE,
        warmup_steps=WARMUP_STEPS,
        max_steps=steps,
        validation_interval=steps,
        patience=0,
        max_new_tokens=MAX_NEW_TOKENS,
        dropout=DROPOUT,
    )
    job = TrainingJob(
        str(shape), open_corpus(corpus), recipe, scratch=True, tokenizer=CORPUS_TOKENIZER, vocab_size=VOCABULARY_SIZE
    )
    train(job, folder)


def _scores(run: Path) -> dict[str, dict[str, float]]:
    """The metrics of every held-out question's answer, by question."""
    from selfknow.evaluate.score import score_run
    from selfknow.evaluate.store import read_generations

    generations = read_generations(run, ["generation_id", "example_id"]).to_pylist()
    questions = {row["generation_id"]: row["example_id"] for row in generations}
    found: dict[str, dict[str, float]] = {}
    for row in score_run(run).to_pylist():
        found.setdefault(questions[row["generation_id"]], {})[row["metric"]] = row["value"]
    return found
