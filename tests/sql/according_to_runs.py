"""Runs of according-to with given scores, and their intervals by NumPy from the same MD5 draws."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import stats

from selfknow.evaluate.tasks.according_to.prompts import Setup
from selfknow.evaluate.tasks.according_to.questions import SCHEMA, TASK
from selfknow.files import write_parquet
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import SCORES, last_attempts, read_generations
from selfknow.runs.writer import RunWriter

Values = Sequence[float | None]
Floats = npt.NDArray[np.float64]
REPLICATES = 1_000


def write_run(
    folder: Path,
    values: Mapping[str, Mapping[str, Values]],
    *,
    model: str = "m",
    dataset: str = "nq.jsonl",
    counts: Sequence[int | None] | None = None,
    facts: Mapping[str, object] | None = None,
    failed: Sequence[tuple[str, int]] = (),
    portrait: str = "aa",
    replies: Mapping[str, Sequence[str]] | None = None,
    settings: Mapping[str, object] | None = None,
    decoding: Decoding | None = None,
) -> Path:
    """Write a scored run.

    Args:
        folder: The run folder.
        values: A value for each metric, prompt and question; null if it could not be scored.
        model: The model's name.
        dataset: The name of the questions.
        counts: For each question the number of passages in which its entities occur together.
        facts: The facts about the model.
        failed: Prompts and numbers of questions whose request failed: they have no scores at all.
        portrait: The hash of the portrait's bits.
        replies: The reply to each question for each prompt; null: always the same.
        settings: Other settings of the run.
        decoding: The decoding of replies.
    """
    prompts = tuple(next(iter(values.values())))
    num_questions = len(next(iter(next(iter(values.values())).values())))
    rows = [
        {"id": f"q{number}", "question": "?", "answers": [], "cooccurrences": counts[number] if counts else None}
        for number in range(num_questions)
    ]
    setup = Setup(prompts=prompts)
    own = {**setup.as_json(), "portrait": {"name": "portrait", "sha256": portrait}, "samples": 1, **(settings or {})}
    description = RunDescription(TASK, DatasetReference(dataset), decoding or Decoding(), own)
    with RunWriter.open(folder, description, pa.Table.from_pylist(rows, schema=SCHEMA)) as run:
        run.describe_model(model, None, ModelFacts.from_json(facts or {}))
        for prompt in prompts:
            for number in range(num_questions):
                reply = (
                    Reply(None, error="503")
                    if (prompt, number) in failed
                    else Reply(replies[prompt][number] if replies else "so; it is", "stop")
                )
                run.append(model, None, Request(f"q{number}", "?", variant=prompt), reply)
    scores = [
        {
            "generation_id": row["generation_id"],
            "metric": metric,
            "value": of_prompts[row["variant"]][int(row["example_id"][1:])],
            "reason": None,
        }
        for row in last_attempts(read_generations(folder)).to_pylist()
        if row["error"] is None
        for metric, of_prompts in values.items()
    ]
    (folder / "scores").mkdir()
    write_parquet(folder / "scores" / "according-to.parquet", pa.Table.from_pylist(scores, schema=SCORES))
    return folder


def draws(num_questions: int) -> tuple[Floats, Floats]:
    """Return weights and signs, (replicates, questions)."""
    digests = [
        [hashlib.md5(f"{replicate},q{number}".encode()).digest() for number in range(num_questions)]
        for replicate in range(REPLICATES)
    ]
    uniform = np.array([[int.from_bytes(digest[8:], "little") / 2**64 for digest in row] for row in digests])
    odd = np.array([[digest[0] % 2 for digest in row] for row in digests])
    return stats.poisson.ppf(uniform, 1.0), 1.0 - 2.0 * odd


def array(values: Values) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def replicated_mean(values: Floats, weights: Floats) -> Floats:
    """Return the weighted mean in every replicate, over the questions that have a value."""
    there = ~np.isnan(values)
    means: Floats = weights[:, there] @ values[there] / weights[:, there].sum(axis=1)
    return means


def ends(replicates: Floats) -> list[float]:
    return [float(end) for end in np.quantile(replicates, [0.025, 0.975])]


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values after Holm (1979): times the number of hypotheses not yet rejected, and never decreasing."""
    order = np.argsort(p_values)
    stepped = [p_values[place] * (len(p_values) - step) for step, place in enumerate(order)]
    corrected = dict(zip(order, np.minimum(1, np.maximum.accumulate(stepped)), strict=True))
    return [float(corrected[place]) for place in range(len(p_values))]
