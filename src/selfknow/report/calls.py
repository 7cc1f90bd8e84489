"""The table of what was run: a row for each run, model and stage, with what tells the runs of a task apart."""

import json
from collections.abc import Sequence
from typing import Any

from selfknow.report.grouping import setting
from selfknow.report.labels import Labels
from selfknow.report.paths import last_part
from selfknow.report.shape import Row
from selfknow.report.text import cell

_LONGEST = 60  # characters of a setting


def calls(runs: Sequence[Row], overview: Sequence[Row], labels: Labels) -> list[Row]:
    """Return the rows of the query ``overview`` in few columns, with names in words.

    Args:
        runs: The rows of the view ``runs``.
        overview: The rows of the query.
        labels: The labels of the models.
    """
    described = _described(runs)
    several_stages = len({row["stage"] for row in overview}) > 1
    return [
        {
            "questions": described[row["run_id"]],
            "model": labels.models.get(row["model"], row["model"]),
            **({"step": row["stage"]} if several_stages else {}),
            "replies": row["n"],
            "graded": row["n_graded"],
            "failed": row["n_failed"],
            "cut off": row["n_cut_off"],
            "empty": row["n_empty"],
            "tokens each": row["mean_tokens"],
            "run": row["run_id"],
        }
        for row in sorted(overview, key=lambda row: described[row["run_id"]])
    ]


def _described(runs: Sequence[Row]) -> dict[str, str]:
    """Return the questions of each run: its task, and the settings that tell it from the task's other runs."""
    described = {}
    for task in dict.fromkeys(run["task"] for run in runs):
        settings = {run["run_id"]: _settings(run) for run in runs if run["task"] == task}
        names = list(dict.fromkeys(name for of_run in settings.values() for name in of_run))
        rows = [{name: of_run.get(name) for name in names} for of_run in settings.values()]
        for run_id, row in zip(settings, rows, strict=True):
            described[run_id] = f"{task}: {more}" if (more := setting(row, rows, *names)) else task
    return described


def _settings(run: Row) -> dict[str, str]:
    """Return the dataset and the settings of a run as short texts, without objects and long lists."""
    settings: Any = json.loads(run["settings"] or "{}")
    decoding: Any = json.loads(run["decoding"] or "{}")
    texts = {name: last_part(str(run[name])) for name in ("dataset", "config", "split") if run[name]}
    for described in (settings, decoding):
        for name, value in described.items() if isinstance(described, dict) else ():
            if isinstance(value, str | int | float | bool) and len(text := last_part(cell(value))) <= _LONGEST:
                texts[name] = text if isinstance(value, str) else f"{name.replace('_', ' ')} {text}"
    return texts
