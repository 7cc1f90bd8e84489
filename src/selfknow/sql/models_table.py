"""Rows of the view ``models``: the models of each run, the facts about them, and their cohorts."""

from collections.abc import Mapping, Sequence
from typing import Any

from selfknow.runs.reader import RunFolder
from selfknow.sql.asked_models import AskedModel, asked_models
from selfknow.sql.model_labels import Key, base_label, checkpoint, model_labels, name_labels, recipe_label
from selfknow.sql.task import Facts, TaskSql

_COLUMNS = {
    "run_id": "varchar",
    "model": "varchar",
    "revision": "varchar",
    "checkpoint": "varchar",
    "task": "varchar",
    "suite": "varchar",
    "model_label": "varchar",
    "num_parameters": "bigint",
    "pretrained": "boolean",
    "quantization": "varchar",
    "precision": "varchar",
    "recipe": "varchar",
    "recipe_hash": "varchar",
    "trained_on": "varchar",
    "corpus_hash": "varchar",
    "corpus_seed": "bigint",
    "model_id": "varchar",
    "parent": "varchar",
    "parent_revision": "varchar",
    "training_seed": "bigint",
    "epochs": "double",
    "training_tokens": "bigint",
    "recall_of_documents": "double",
    "recall_of_training_questions": "double",
    "instruction_tuned": "boolean",
    "instruction_tuned_from": "varchar",
}


def model_columns(tasks: Sequence[TaskSql]) -> dict[str, str]:
    """Return the columns of the view ``models``, with DuckDB's types."""
    task_columns = {name: task.columns[name] for task in tasks for name in task.cohort}
    return {**_COLUMNS, **task_columns, "training_number": "integer", "cohort": "bigint"}


def task_facts(run: RunFolder, tasks: Sequence[TaskSql]) -> Facts:
    """Return the values of a run's task columns, from its ``run.json``."""
    name = run.description.get("task")
    return next((task.facts(run.description) for task in tasks if task.name == name), Facts({}))


def model_rows(runs: Sequence[RunFolder], tasks: Sequence[TaskSql]) -> list[dict[str, Any]]:
    """Return a row for each model of each run.

    A cohort is a model with its training, evaluated in one way. Trainings that differ only in their seed share a
    cohort. Cohorts are numbered in the order of tables and charts.
    """
    models = asked_models(runs)
    names = name_labels(models)
    identities = [model.identity(name) for model, name in zip(models, names, strict=True)]
    keys = [(identity, model.corpus_key) for model, identity in zip(models, identities, strict=True)]
    bases = [base_label(model, name) for model, name in zip(models, names, strict=True)]
    labels = model_labels(models, bases, keys)
    facts = {run.run_id: task_facts(run, tasks) for run in runs}
    rows = [
        _row(model, base, label, identity, facts[model.run.run_id].columns, tasks)
        for model, base, label, identity in zip(models, bases, labels, identities, strict=True)
    ]
    cohorts = [_cohort(row, key, facts[row["run_id"]], tasks) for row, key in zip(rows, keys, strict=True)]
    _assign_numbers(rows, cohorts, facts)
    return rows


def seed_cohorts(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, int]]:
    """Return the cohorts with several training seeds, and their numbers of seeds.

    Args:
        rows: The rows of :func:`model_rows`.
    """
    seeds: dict[int, set[int]] = {}
    for row in rows:
        if row["training_seed"] is not None:
            seeds.setdefault(row["cohort"], set()).add(row["training_seed"])
    counts = {cohort: len(cohort_seeds) for cohort, cohort_seeds in seeds.items()}
    return [{"cohort": cohort, "n_seeds": n_seeds} for cohort, n_seeds in counts.items() if n_seeds > 1]


def _row(
    model: AskedModel, base: str, label: str, identity: Key, columns: Mapping[str, object], tasks: Sequence[TaskSql]
) -> dict[str, Any]:
    corpus = model.facts.corpus or {}
    return {
        "run_id": model.run.run_id,
        "model": model.name,
        "revision": model.revision,
        "checkpoint": checkpoint(model),
        "task": model.run.description.get("task"),
        "suite": model.facts.suite or (model.known.suite if model.known else model.facts.architecture or base),
        "model_label": label,
        "num_parameters": model.num_parameters,
        "pretrained": model.pretrained,
        "quantization": model.facts.quantization,
        "precision": model.facts.precision,
        "recipe": recipe_label(model),
        "recipe_hash": model.facts.recipe_hash,
        "trained_on": corpus.get("config") or corpus.get("name"),
        "corpus_hash": corpus.get("content_hash"),
        "corpus_seed": model.corpus_seed,
        "model_id": _digest(identity),
        "parent": model.facts.parent,
        "parent_revision": model.facts.parent_revision,
        "training_seed": model.facts.training_seed,
        "epochs": model.facts.epochs,
        "training_tokens": model.facts.training_tokens,
        "recall_of_documents": model.facts.recall_of_documents,
        "recall_of_training_questions": model.facts.recall_of_training_questions,
        "instruction_tuned": model.instruction_tuned,
        "instruction_tuned_from": model.instruction_tuned_from,
        **{name: columns.get(name) for task in tasks for name in task.cohort},
    }


def _digest(identity: Key) -> str:
    import hashlib

    return hashlib.sha256(repr(identity).encode()).hexdigest()[:12]


def _cohort(row: Mapping[str, Any], key: Key, facts: Facts, tasks: Sequence[TaskSql]) -> Key:
    """Return the key that all models of a cohort share."""
    ordered_columns = (row["suite"], row["num_parameters"], row["model_label"], row["pretrained"], row["task"])
    task_values = [row[name] for task in tasks for name in task.cohort]
    return (*ordered_columns, facts.cohort_order, *task_values, *key)


def _assign_numbers(rows: Sequence[dict[str, Any]], cohorts: Sequence[Key], facts: Mapping[str, Facts]) -> None:
    """Write ``cohort`` into each row, in the order of tables and charts, and ``training_number``, from 0 per cohort."""

    def sort_key(index: int) -> tuple[Any, ...]:
        row = rows[index]
        values = (row["suite"], row["num_parameters"], row["model_label"], row["pretrained"], row["task"])
        order = facts[row["run_id"]].cohort_order
        return (*((value is None, value) for value in values), order, repr(cohorts[index]))

    numbers: dict[Key, int] = {}
    for index in sorted(range(len(rows)), key=sort_key):
        rows[index]["cohort"] = numbers.setdefault(cohorts[index], len(numbers) + 1)
    checkpoints: dict[Key, dict[tuple[Any, ...], int]] = {}
    for index in sorted(range(len(rows)), key=lambda index: _seed_and_checkpoint(rows[index])):
        numbers_in_cohort = checkpoints.setdefault(cohorts[index], {})
        row = rows[index]
        row["training_number"] = numbers_in_cohort.setdefault(_seed_and_checkpoint(row), len(numbers_in_cohort))


def _seed_and_checkpoint(row: Mapping[str, Any]) -> tuple[int, str]:
    seed = row["training_seed"]
    return (-1 if seed is None else seed, row["checkpoint"])
