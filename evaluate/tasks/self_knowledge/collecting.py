"""Taking a model's mathematics questions out of a run, and answering those that a program can answer."""

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
_WANTED = f"{SELF_KNOWLEDGE.name}:{CONFIG}"


def collect_creations(
    run: Path,
    folder: Path,
    *,
    model: str | None = None,
    creator: str | None = None,
    people: bool = True,
    quiet: bool = False,
) -> Creations:
    """Take a model's questions out of a run of ``self-knowledge:math``; a program answers those that it can.

    A question that states its own answer is dropped, and so is one that a program finds to have not one answer.

    Args:
        run: The run folder.
        folder: For the creations; new or empty.
        model: Whose; may be left out where only one model wrote.
        creator: The model's name in tables; null: its name in the run.
        people: True if people answer what no program decides; else it is dropped.
        quiet: Show no progress bar.

    Raises:
        UserError: It is not such a run, the model wrote nothing in it, or the folder is not empty.
    """
    from selfknow.bars import Bar

    _check_is_free(folder)
    run_description = read_json(run / "run.json")
    examples, settings = _examples(run, run_description)
    written = _written(run, model)
    with Decider() as decider:
        bar = Bar(written, disable=quiet, unit="question", desc="correct")
        rows = [_creation(examples[row["example_id"]], row, decider, people=people) for row in bar]
    write_rows(folder, rows)
    first = written[0]
    description = {
        "creator": creator or first["model"],
        "model": first["model"],
        "revision": first["revision"],
        "run_id": run_description["run_id"],
        "dataset": run_description["dataset"],
        "decoding": run_description["decoding"],
        "settings": settings,
    }
    creations = Creations(folder, str(description["creator"]), first["revision"], rows)
    if creations.open_rows:
        write_sheet(creations)
    write_json(folder / "creations.json", description)
    return creations


def _check_is_free(folder: Path) -> None:
    """Raise if the folder is not free; files that a killed collection left are in nobody's way."""
    left = {"creations.parquet", "sheet.csv"}
    if folder.is_file() or (folder.is_dir() and {path.name for path in folder.glob("[!.]*")} - left):
        raise UserError(f"{folder} exists and is not empty: name a new folder, because creations are never overwritten")


def _examples(run: Path, description: Mapping[str, Any]) -> tuple[dict[str, Example], Mapping[str, Any]]:
    settings = description.get("settings")
    if description.get("task") != SELF_KNOWLEDGE.name or not isinstance(settings, dict):
        raise UserError(f"{run} is a run of {description.get('task')!r}: name a run of {_WANTED}")
    rows = read_examples(run).to_pylist()
    if other := {row["task"] for row in rows} - {CONFIG}:
        raise UserError(f"{run} is a run of {SELF_KNOWLEDGE.name}:{other.pop()}: name a run of {_WANTED}")
    return {row["id"]: Example.of(row, str(settings["wording"])) for row in rows}, settings


def _written(run: Path, model: str | None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = last_attempts(read_generations(run)).to_pylist()
    written = [row for row in rows if row["stage"] == GENERATE and model in (None, row["model"])]
    names = sorted({row["model"] for row in rows if row["stage"] == GENERATE})
    if not written:
        raise UserError(f"{model or 'no model'} wrote nothing in {run}; those who did: {', '.join(names) or 'none'}")
    if len({(row["model"], row["revision"]) for row in written}) > 1:
        raise UserError(f"several models, or revisions of one, wrote in {run}: name one as --model: {', '.join(names)}")
    return sorted(written, key=lambda row: (row["example_id"], row["sample"]))


def _creation(example: Example, row: Row, decider: Decider, *, people: bool) -> dict[str, Any]:
    """Return a program's output for one requested text."""
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
    right = decider.arithmetic(content.text, raw)
    if right.value:
        return {**creation, "corrected": raw, "state": UNCHANGED, "decided_by": PROGRAM}
    solution = decider.solution(content.text)
    if solution.value is None and (solution.reason in NOT_ONE_ANSWER or not people):
        return {**creation, **dropped, "reason": solution.reason}
    if solution.value is None:
        return {**creation, "state": OPEN, "reason": solution.reason}
    if leaks_answer(CONFIG, content.text, solution.value):
        return {**creation, **dropped, "reason": "states its own answer"}
    return {**creation, "corrected": solution.value, "state": CORRECTED, "decided_by": PROGRAM}
