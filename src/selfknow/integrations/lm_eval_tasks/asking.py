"""The functions that the YAML files beside this module call: a task's rows, and the scores of a reply."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import find_task
from selfknow.integrations.asking import METRICS, Asking, Call, cut_at_stop, score_calls
from selfknow.integrations.option_values import as_text
from selfknow.models.interface import Reply, Request
from selfknow.runs.importers.own_task import RECORD_KEY, OwnSample

if TYPE_CHECKING:
    import datasets

_QUESTIONS = "questions"
METADATA: Mapping[str, tuple[str, ...]] = {
    "diary-recall": ("limit", "split"),
    "self-aware": ("limit",),
    "according-to": ("limit", "portrait", _QUESTIONS, "placement", "corpus_name", "corpus_address"),
}
"""The keys of ``--metadata`` that each task takes."""
# A typo such as "portrat" scores above this; the harness's own argument names score below it.
_CLOSE_RATIO = 0.8


def rows(*, selfknow: Mapping[str, Any], **metadata: Any) -> "dict[str, datasets.Dataset]":
    """Return the rows of a task, for ``custom_dataset``.

    Args:
        selfknow: The dataset and the options of the task, under the same key in its YAML file. ``{questions}`` in the
            dataset's name is replaced by the value of ``questions`` in ``--metadata``.
        metadata: Values of ``--metadata`` and ``--model_args`` for all tasks of the command; values that this task does
            not take are ignored.

    Raises:
        UserError: The dataset or a value is unknown, or a key of ``--metadata`` is misspelt or cannot be set.
    """
    import datasets

    options = dict(selfknow)
    dataset = options.pop("dataset")
    keys = check_keys(dataset, metadata)
    values = {key: metadata[key] for key in keys if metadata.get(key) is not None}
    questions = as_text(_QUESTIONS, values.pop(_QUESTIONS, "nq"))
    asking = Asking.open(dataset.replace("{questions}", questions), **values, **options)
    variant = options.get("prompts")
    openings = [opening for opening in asking.openings if variant is None or opening.variant == variant]
    return {"test": datasets.Dataset.from_list([_document(asking, opening) for opening in openings])}


def check_keys(dataset: str, metadata: Mapping[str, Any]) -> Sequence[str]:
    """Check the keys of ``--metadata`` that look like options of a task; other keys are ignored.

    Args:
        dataset: The dataset of the task's YAML file, such as ``self-aware:authored``.
        metadata: The values by their keys.

    Returns:
        The keys that the task takes.

    Raises:
        UserError: A key is misspelt, or is an option that the YAML file sets or that the harness does not support.
    """
    task, options = find_task(dataset)
    if task.name not in METADATA:
        raise UserError(f"{dataset} cannot run in lm-evaluation-harness, which makes one call per row")
    keys = METADATA[task.name]
    known = {key for task_keys in METADATA.values() for key in task_keys}
    fixed_options = {field.name for field in fields(options)} - {*keys}
    for key in metadata:
        if key in fixed_options:
            raise UserError(f"--metadata cannot set {key} of {task.name}: it takes {', '.join(keys)}")
        if key not in known and (matches := get_close_matches(key.lower(), keys, n=1, cutoff=_CLOSE_RATIO)):
            raise UserError(f"unknown key {key!r} in --metadata: did you mean {matches[0]!r}?")
    return keys


def _document(asking: Asking, opening: Request) -> dict[str, str]:
    sample = asking.sample(opening)
    answer = sample.row.get("completion") or sample.row.get("answers") or ""
    return {
        "id": opening.example_id,
        "prompt": opening.prompt,
        "target": answer if isinstance(answer, str) else "; ".join(answer),
        RECORD_KEY: json.dumps(sample.as_json(), ensure_ascii=False),
    }


def scores(document: Mapping[str, str], replies: Sequence[str]) -> dict[str, float]:
    """Score a reply with our own scorer, for ``process_results``.

    Metrics that do not apply to the sample are left out of the result, so that the harness's averages do not count
    them. Metrics that the YAML files do not list are also left out, as the harness would warn about each of them.

    Args:
        document: A row of :func:`rows`.
        replies: The reply, as a list of one.
    """
    sample = OwnSample(**json.loads(document[RECORD_KEY]))
    request = Request(document["id"], document["prompt"], sample.stage, sample.variant)
    call = Call(request, Reply(cut_at_stop(replies[0], sample.decoding["stop"])))
    outcomes = score_calls(sample, [call])
    listed = METRICS[sample.task]
    return {metric: outcome.value for _, metric, outcome in outcomes if metric in listed and outcome.value is not None}
