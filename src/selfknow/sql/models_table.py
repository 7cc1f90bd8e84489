"""The rows of the view ``models``: the models of each run, the facts about them, and their cohorts."""

from collections.abc import Mapping, Sequence
from typing import Any

from selfknow.runs.reader import RunFolder
from selfknow.sql.asked_models import AskedModel, asked_models
from selfknow.sql.model_labels import Key, base_label, checkpoint, model_labels, own_labels, recipe_label
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
    """The columns of the view ``models``, with the types of DuckDB."""
    of_tasks = {name: task.columns[name] for task in tasks for name in task.cohort}
    return {**_COLUMNS, **of_tasks, "training_number": "integer", "cohort": "bigint"}


def task_facts(run: RunFolder, tasks: Sequence[TaskSql]) -> Facts:
    """Return what a run's ``run.json`` means to its task."""
    name = run.description.get("task")
    return next((task.facts(run.description) for task in tasks if task.name == name), Facts({}))


def model_rows(runs: Sequence[RunFolder], tasks: Sequence[TaskSql]) -> list[dict[str, Any]]:
    """Return a row for each model of each run.

    A cohort is a model and how it was made, asked by a task in one way: trainings that differ only in their seed are
    one, and nothing else is. Cohorts are numbered in the order of tables and charts.
    """
    asked = asked_models(runs)
    owns = own_labels(asked)
    identities = [one.identity(own) for one, own in zip(asked, owns, strict=True)]
    keys = [(identity, one.corpus_key) for one, identity in zip(asked, identities, strict=True)]
    bases = [base_label(one, own) for one, own in zip(asked, owns, strict=True)]
    labels = model_labels(asked, bases, keys)
    facts = {run.run_id: task_facts(run, tasks) for run in runs}
    rows = [
        _row(one, base, label, identity, facts[one.run.run_id].columns, tasks)
        for one, base, label, identity in zip(asked, bases, labels, identities, strict=True)
    ]
    _number(rows, [_cohort(row, key, facts[row["run_id"]], tasks) for row, key in zip(rows, keys, strict=True)], facts)
    return rows


def seed_cohorts(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, int]]:
    """Of rows of models the cohorts with trainings of several seeds, and how many seeds they have."""
    seeds: dict[int, set[int]] = {}
    for row in rows:
        if row["training_seed"] is not None:
            seeds.setdefault(row["cohort"], set()).add(row["training_seed"])
    return [{"cohort": cohort, "n_seeds": len(its)} for cohort, its in seeds.items() if len(its) > 1]


def _row(
    one: AskedModel, base: str, label: str, identity: Key, columns: Mapping[str, object], tasks: Sequence[TaskSql]
) -> dict[str, Any]:
    corpus = one.facts.corpus or {}
    return {
        "run_id": one.run.run_id,
        "model": one.name,
        "revision": one.revision,
        "checkpoint": checkpoint(one),
        "task": one.run.description.get("task"),
        "suite": one.facts.suite or (one.known.suite if one.known else one.facts.architecture or base),
        "model_label": label,
        "num_parameters": one.num_parameters,
        "pretrained": one.pretrained,
        "quantization": one.facts.quantization,
        "precision": one.facts.precision,
        "recipe": recipe_label(one),
        "recipe_hash": one.facts.recipe_hash,
        "trained_on": corpus.get("config") or corpus.get("name"),
        "corpus_hash": corpus.get("content_hash"),
        "corpus_seed": one.corpus_seed,
        "model_id": _digest(identity),
        "parent": one.facts.parent,
        "parent_revision": one.facts.parent_revision,
        "training_seed": one.facts.training_seed,
        "epochs": one.facts.epochs,
        "training_tokens": one.facts.training_tokens,
        "recall_of_documents": one.facts.recall_of_documents,
        "recall_of_training_questions": one.facts.recall_of_training_questions,
        "instruction_tuned": one.instruction_tuned,
        "instruction_tuned_from": one.instruction_tuned_from,
        **{name: columns.get(name) for task in tasks for name in task.cohort},
    }


def _digest(identity: Key) -> str:
    import hashlib

    return hashlib.sha256(repr(identity).encode()).hexdigest()[:12]


def _cohort(row: Mapping[str, Any], key: Key, facts: Facts, tasks: Sequence[TaskSql]) -> Key:
    """What all models of a cohort share."""
    in_tables = (row["suite"], row["num_parameters"], row["model_label"], row["pretrained"], row["task"])
    of_task = [row[name] for task in tasks for name in task.cohort]
    return (*in_tables, facts.cohort_order, *of_task, *key)


def _number(rows: Sequence[dict[str, Any]], cohorts: Sequence[Key], facts: Mapping[str, Facts]) -> None:
    """Number cohorts in the order of tables and charts, and in each its checkpoints, from 0."""

    def place(number: int) -> tuple[Any, ...]:
        row = rows[number]
        named = (row["suite"], row["num_parameters"], row["model_label"], row["pretrained"], row["task"])
        order = facts[row["run_id"]].cohort_order
        return (*((value is None, value) for value in named), order, repr(cohorts[number]))

    numbers: dict[Key, int] = {}
    for number in sorted(range(len(rows)), key=place):
        rows[number]["cohort"] = numbers.setdefault(cohorts[number], len(numbers) + 1)
    checkpoints: dict[Key, dict[tuple[Any, ...], int]] = {}
    for number in sorted(range(len(rows)), key=lambda one: _seed_and_checkpoint(rows[one])):
        of_cohort = checkpoints.setdefault(cohorts[number], {})
        row = rows[number]
        row["training_number"] = of_cohort.setdefault(_seed_and_checkpoint(row), len(of_cohort))


def _seed_and_checkpoint(row: Mapping[str, Any]) -> tuple[int, str]:
    seed = row["training_seed"]
    return (-1 if seed is None else seed, row["checkpoint"])
