"""Collection of a model's mathematics questions from a run, with the answers that a program can compute."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.evaluate.outcome import failed
from selfknow.evaluate.task import Row
from selfknow.evaluate.tasks.self_knowledge.arithmetic import NOT_ONE_ANSWER
from selfknow.evaluate.tasks.self_knowledge.corrections import write_sheet
from selfknow.evaluate.tasks.self_knowledge.creations import (
    CORRECTED,
    DROPPED,
    OPEN,
    PROGRAM,
    UNCHANGED,
    Creations,
    write_rows,
)
from selfknow.evaluate.tasks.self_knowledge.deciding import Decider
from selfknow.evaluate.tasks.self_knowledge.protocols import GENERATE, Example
from selfknow.evaluate.tasks.self_knowledge.replies import leaks_answer
from selfknow.evaluate.tasks.self_knowledge.task import SELF_KNOWLEDGE
from selfknow.files import read_json, write_json
from selfknow.runs.schema import last_attempts, read_examples, read_generations

CONFIG = "math"
_TASK_NAME = f"{SELF_KNOWLEDGE.name}:{CONFIG}"


def collect_creations(
    run: Path,
    folder: Path,
    *,
    model: str | None = None,
    creator: str | None = None,
    people: bool = True,
    quiet: bool = False,
) -> Creations:
    """Collect a model's questions from a run of ``self-knowledge:math``; a program answers those that it can.

    A question is dropped if it states its own answer, or if a program finds that it has no answer or several.

    Args:
        run: The run folder.
        folder: The folder for the creations; new or empty.
        model: The model that wrote the questions; null if only one model wrote in the run.
        creator: The model's name in tables; null for its name in the run.
        people: True if people will answer the questions that no program decides. If false, these are dropped.
        quiet: Show no progress bar.

    Raises:
        UserError: The run is not of that task, the model wrote nothing in it, or the folder is not empty.
    """
    from selfknow.bars import Bar

    _check_is_free(folder)
    run_description = read_json(run / "run.json")
    examples, settings = _examples(run, run_description)
    texts = _texts_by_model(run, model)
    with Decider() as decider:
        bar = Bar(texts, disable=quiet, unit="question", desc="correct")
        rows = [_creation(examples[row["example_id"]], row, decider, people=people) for row in bar]
    write_rows(folder, rows)
    first_text = texts[0]
    description = {
        "creator": creator or first_text["model"],
        "model": first_text["model"],
        "revision": first_text["revision"],
        "run_id": run_description["run_id"],
        "dataset": run_description["dataset"],
        "decoding": run_description["decoding"],
        "settings": settings,
    }
    creations = Creations(folder, str(description["creator"]), first_text["revision"], rows)
    if creations.open_rows:
        write_sheet(creations)
    write_json(folder / "creations.json", description)
    return creations


def _check_is_free(folder: Path) -> None:
    """Raise an error unless the folder is new, empty, or left incomplete by an interrupted collection."""
    incomplete = {"creations.parquet", "sheet.csv"}
    if folder.is_file() or (folder.is_dir() and {path.name for path in folder.glob("[!.]*")} - incomplete):
        raise UserError(f"{folder} exists and is not empty: name a new folder, because creations are never overwritten")


def _examples(run: Path, description: Mapping[str, Any]) -> tuple[dict[str, Example], Mapping[str, Any]]:
    settings = description.get("settings")
    if description.get("task") != SELF_KNOWLEDGE.name or not isinstance(settings, dict):
        raise UserError(f"{run} is a run of {description.get('task')!r}: name a run of {_TASK_NAME}")
    rows = read_examples(run).to_pylist()
    if other_tasks := {row["task"] for row in rows} - {CONFIG}:
        raise UserError(f"{run} is a run of {SELF_KNOWLEDGE.name}:{other_tasks.pop()}: name a run of {_TASK_NAME}")
    return {row["id"]: Example.of(row, str(settings["wording"])) for row in rows}, settings


def _texts_by_model(run: Path, model: str | None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = last_attempts(read_generations(run)).to_pylist()
    texts = [row for row in rows if row["stage"] == GENERATE and model in (None, row["model"])]
    names = sorted({row["model"] for row in rows if row["stage"] == GENERATE})
    if not texts:
        raise UserError(f"{model or 'no model'} wrote nothing in {run}; models that did: {', '.join(names) or 'none'}")
    if len({(row["model"], row["revision"]) for row in texts}) > 1:
        raise UserError(f"several models, or revisions of one, wrote in {run}: name one as --model: {', '.join(names)}")
    return sorted(texts, key=lambda row: (row["example_id"], row["sample"]))


def _creation(example: Example, row: Row, decider: Decider, *, people: bool) -> dict[str, Any]:
    """Return the row of a text in :data:`CREATIONS`, with the answer if a program can compute it."""
    raw = str(example.params["answer"])
    creation = {
        "id": example.id if row["sample"] == 0 else f"{example.id}/{row['sample']}",
        "raw": raw,
        "generation_id": row["generation_id"],
        **dict.fromkeys(("question", "corrected", "decided_by", "reason")),
        **dict.fromkeys(("raw_solution", "corrected_solution", "unsolved")),
    }
    dropped = {"state": DROPPED, "decided_by": PROGRAM}
    if row["generation"] is None:
        return {**creation, **dropped, "reason": failed(row).reason}
    content = example.content(row)
    if content.text is None:
        return {**creation, **dropped, "reason": content.reason}
    creation["question"] = content.text
    if leaks_answer(CONFIG, content.text, raw):
        return {**creation, **dropped, "reason": "states its own answer"}
    is_right = decider.arithmetic(content.text, raw)
    if is_right.value:
        return {**creation, "corrected": raw, "state": UNCHANGED, "decided_by": PROGRAM}
    solution = decider.solution(content.text)
    if solution.value is None and (solution.reason in NOT_ONE_ANSWER or not people):
        return {**creation, **dropped, "reason": solution.reason}
    if solution.value is None:
        return {**creation, "state": OPEN, "reason": solution.reason}
    if leaks_answer(CONFIG, content.text, solution.value):
        return {**creation, **dropped, "reason": "states its own answer"}
    return {**creation, "corrected": solution.value, "state": CORRECTED, "decided_by": PROGRAM}
