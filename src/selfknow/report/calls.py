"""The table of a report's calls: a row for each run, model and stage, with the settings in which runs differ."""

import json
from collections.abc import Sequence
from typing import Any

from selfknow.report.grouping import setting
from selfknow.report.labels import Labels
from selfknow.report.paths import last_part
from selfknow.report.shape import Row
from selfknow.report.text import cell

_LONGEST_SETTING_IN_CHARACTERS = 60


def calls(runs: Sequence[Row], overview: Sequence[Row], labels: Labels) -> list[Row]:
    """Return the rows of the query ``overview`` in fewer columns, named in plain words.

    Args:
        runs: The rows of the view ``runs``.
        overview: The rows of the query.
        labels: The labels of the models.
    """
    descriptions = _describe_runs(runs)
    has_several_stages = len({row["stage"] for row in overview}) > 1
    return [
        {
            "questions": descriptions[row["run_id"]],
            "model": labels.models.get(row["model"], row["model"]),
            **({"step": row["stage"]} if has_several_stages else {}),
            "replies": row["n"],
            "graded": row["n_graded"],
            "failed": row["n_failed"],
            "cut off": row["n_cut_off"],
            "empty": row["n_empty"],
            "tokens each": row["mean_tokens"],
            "run": row["run_id"],
        }
        for row in sorted(overview, key=lambda row: descriptions[row["run_id"]])
    ]


def _describe_runs(runs: Sequence[Row]) -> dict[str, str]:
    """Describe each run by its task, and by the settings that distinguish it from the task's other runs."""
    descriptions = {}
    for task in dict.fromkeys(run["task"] for run in runs):
        settings = {run["run_id"]: _settings(run) for run in runs if run["task"] == task}
        names = list(dict.fromkeys(name for run_settings in settings.values() for name in run_settings))
        rows = [{name: run_settings.get(name) for name in names} for run_settings in settings.values()]
        for run_id, row in zip(settings, rows, strict=True):
            differences = setting(row, rows, *names)
            descriptions[run_id] = f"{task}: {differences}" if differences else task
    return descriptions


def _settings(run: Row) -> dict[str, str]:
    """Return the dataset and the settings of a run as short texts, without objects and long lists."""
    settings: Any = json.loads(run["settings"] or "{}")
    decoding: Any = json.loads(run["decoding"] or "{}")
    texts = {name: last_part(str(run[name])) for name in ("dataset", "config", "split") if run[name]}
    for values in (settings, decoding):
        for name, value in values.items() if isinstance(values, dict) else ():
            if not isinstance(value, str | int | float | bool):
                continue
            text = last_part(cell(value))
            if len(text) <= _LONGEST_SETTING_IN_CHARACTERS:
                texts[name] = text if isinstance(value, str) else f"{name.replace('_', ' ')} {text}"
    return texts
