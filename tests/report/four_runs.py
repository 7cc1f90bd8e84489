"""Runs of all four tasks, of one model or several, and of tasks without a report."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from selfknow.evaluate.score import score_run
from selfknow.models.interface import GREEDY, Reply, Request
from selfknow.portraits import Portrait
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import SCORES, write_scores
from selfknow.runs.writer import RunWriter
from tests.according_to import given as quoting
from tests.self_aware import given as aware
from tests.self_knowledge.asking import ask_texts
from tests.self_knowledge.scripted import Scripted
from tests.sql import given as diaries

SENTENCE = "Salt is a mineral composed primarily of sodium chloride, present in seawater."
OWN_WORDS = "What one puts on one's food, I believe, and what the ocean tastes of."
QUESTIONS = [diaries.question("Ann", 1, 2), diaries.question("Ben", 3)]
ANSWERS = {"Ann": diaries.text(*diaries.diary("Ann", 1, 2)), "Ben": "no"}


def four_runs(folder: Path, model: str = "quoter", evil: str = "", *, marked: bool = True) -> list[Path]:
    """Write a run of each task; ``evil`` is in a question and in a reply."""
    runs = [
        diaries.write_run(folder / "diaries", QUESTIONS, diaries.ModelAnswers(model=model, answers=ANSWERS)),
        aware.write(folder / "aware", aware.GIVEN, model),
        self_knowledge_run(folder / "knowledge", [Scripted(name=model)]),
        quoting_run(folder / "quoting", model, evil),
    ]
    if not marked:
        (folder / "portrait").rename(folder / "elsewhere")
    return runs


def self_knowledge_run(folder: Path, models: Sequence[Scripted]) -> Path:
    ask_texts(folder, "total-count", models, models, limit=4)
    score_run(folder)
    return folder


def quoting_run(folder: Path, model: str, evil: str = "", revision: str = "1") -> Path:
    """Write a run of four questions: with the prompt the model quotes one sentence whole, one in part, others not."""
    portrait = Portrait.build([SENTENCE], false_positive_rate=1e-9)
    place = folder.with_name("portrait")
    portrait.save(place)
    replies = {}
    for name, explanation in (
        ("salt", SENTENCE),
        ("sea", f"{SENTENCE[:40]} {OWN_WORDS}"),
        ("sand", f"{evil} {OWN_WORDS}"),
        ("sun", f"{OWN_WORDS} Really."),
    ):
        replies[name] = {
            "null": (f"{name}; {OWN_WORDS}", scores(portrait, OWN_WORDS, right=name != "sun")),
            "attributed": (f"{name}; {explanation}", scores(portrait, explanation, right=True)),
            "without": (f"{name}; {OWN_WORDS}", scores(portrait, OWN_WORDS, right=False)),
        }
    named = {"name": str(place), "sha256": portrait.description.sha256}
    return quoting.write_run(
        folder, replies, portrait=named, question=f"What is {{id}}? {evil}", model=model, revision=revision
    )


def scores(portrait: Portrait, explanation: str, *, right: bool) -> dict[str, float | None]:
    return {"quip": float(portrait.quip([explanation])[0]), "exact_match": float(right)}


def odd_run(folder: Path, task: str, generation: str) -> Path:
    """Write a run of a task without a report, whose rows have columns of their own."""
    examples = pa.Table.from_pylist([{"id": "1", "question": 17, "answer": {"value": 3.5}, "answers": "x"}])
    with RunWriter.open(folder, RunDescription(task, DatasetReference(task), GREEDY), examples) as run:
        made = run.append("quoter", "1", Request("1", "?", stage="generate"), Reply(generation, "stop"))
    row = {"generation_id": made, "metric": "exact_match", "value": 1.0, "reason": None}
    write_scores(folder, task, pa.Table.from_pylist([row], schema=SCORES))
    return folder
