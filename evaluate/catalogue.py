"""The catalogue of all tasks, and the search for a task by a name; a new task is one folder and one line here."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from selfknow.errors import UserError, nearest
from selfknow.evaluate.task import Options, Task
from selfknow.evaluate.tasks.according_to.task import ACCORDING_TO
from selfknow.evaluate.tasks.diary_recall.task import DIARY_RECALL
from selfknow.evaluate.tasks.gsm8k.task import GSM8K
from selfknow.evaluate.tasks.self_aware.task import SELF_AWARE
from selfknow.evaluate.tasks.self_knowledge.agents.task import SELF_KNOWLEDGE_AGENTS
from selfknow.evaluate.tasks.self_knowledge.task import SELF_KNOWLEDGE
from selfknow.row_table import RowTable

if TYPE_CHECKING:
    from selfknow.report.task import TaskReport
    from selfknow.sql.task import TaskSql

TASKS: tuple[Task[Any, Any], ...] = (
    DIARY_RECALL,
    SELF_AWARE,
    SELF_KNOWLEDGE,
    SELF_KNOWLEDGE_AGENTS,
    ACCORDING_TO,
    GSM8K,
)
"""All tasks, in the order of a report."""


class NamedTask(NamedTuple):
    """The task of a set, and the class of options for this set."""

    task: Task[Any, Any]
    options: type[Options]


def find_task(name: str) -> NamedTask:
    """Return the task of a set, and the class of options for this set.

    The name begins with the task (``gsm8k``, ``according-to:nq``, ``self-aware``); for a dataset folder or a Hub
    dataset, the task is found from its manifest.

    Args:
        name: The user's name of the set, such as ``diary-recall:1k``, ``./folder:1k`` or ``org/name:1k``.

    Raises:
        UserError: The name belongs to no task.

    Example:
        >>> task, options = find_task("self-knowledge:image-color")
        >>> task.name, options.__name__
        ('self-knowledge', 'PictureOptions')
    """
    task = _task_by_first_word(name) or _task_by_manifest(name)
    return NamedTask(task, _options_of(task, name))


def _options_of(task: Task[Any, Any], name: str) -> type[Options]:
    if len(task.options) == 1:
        return next(iter(task.options.values()))
    config = name.rpartition(":")[2]
    if ":" not in name:  # a folder without a config: its only config decides
        from selfknow.evaluate.dataset import only_config

        config = only_config(name) or ""
    patterns = ((pattern.partition(":")[2] or "*", options) for pattern, options in task.options.items())
    return next(options for pattern, options in patterns if fnmatchcase(config, pattern))


def _task_by_first_word(name: str) -> Task[Any, Any] | None:
    word = name.partition(":")[0].partition("@")[0]
    for task in TASKS:  # complete names first: `self-knowledge:agents` is not the task `self-knowledge`
        if name in task.options:
            return task
    return next((task for task in TASKS if word in (task.name, *task.datasets)), None)


def _task_by_manifest(name: str) -> Task[Any, Any]:
    from selfknow.evaluate.dataset import read_manifest

    manifest = read_manifest(name)
    if manifest is None:
        known = list(dict.fromkeys(pattern.partition(":")[0] for task in TASKS for pattern in task.options))
        hint = "(a dataset of your own is FOLDER:CONFIG or ORG/NAME:CONFIG)"
        raise UserError(f"there is no task {name!r}{nearest(name.partition(':')[0], known)} {hint}")
    dataset = manifest.get("dataset")
    for task in TASKS:
        if dataset in task.datasets:
            return task
    datasets = ", ".join(name for task in TASKS for name in task.datasets)
    raise UserError(f"no task asks about the dataset {dataset!r} that {name} holds; there are tasks for {datasets}")


def task_of_run(folder: object, description: Mapping[str, Any]) -> Task[Any, Any]:
    """Return the task that a run's ``run.json`` names.

    Raises:
        UserError: This package has no such task.
    """
    for task in TASKS:
        if description.get("task") == task.name:
            return task
    known = ", ".join(task.name for task in TASKS)
    raise UserError(
        f"{folder} is a run of {description.get('task')!r}, which has no scorer: there are scorers for {known}"
    )


def task_of_log(name: str, columns: Collection[str]) -> str:
    """Return the task of another tool's log: by its name, or else by the columns of its rows.

    Args:
        name: The task's name in the log.
        columns: The columns of the log's rows.

    Returns:
        The name of one of our tasks; the log's own name if neither name nor columns match any.

    Example:
        >>> task_of_log("gsm8k", ["id"]), task_of_log("popularity", ["id", "input"])
        ('gsm8k', 'popularity')
    """
    if any(task.name == name for task in TASKS):
        return name
    fitting = (task.name for task in TASKS for view in task.sql.example_views.values() if view.keys() <= set(columns))
    return next(fitting, name)


def set_patterns(option: str) -> list[str]:
    """Return the names of the sets that take an option, for messages: ``self-aware``, ``self-knowledge:image-…``."""
    return [
        pattern.replace("*", "…")
        for task in TASKS
        for pattern, options in task.options.items()
        if option in options.__dataclass_fields__
    ]


def tasks(name: str | None = None) -> RowTable:
    """Return a table of the tasks, or of the options of one task; it displays itself.

    Args:
        name: A task or set, such as ``self-aware`` or ``according-to:continuation``; null for all tasks.

    Raises:
        UserError: There is no such task.

    Example:
        >>> tasks("gsm8k")
        option    default  meaning
        --------  -------  -------------------------------------------
        limit              Ask at most this many questions.
        samples         1  Replies to each question.
        examples     True  Show base models two worked problems first.
    """
    if name is None:
        return RowTable([{"task": task.usage[0].split()[0], "question": task.question} for task in TASKS])
    return RowTable(
        [
            {"option": option.name, "default": option.default, "meaning": option.metadata["help"]}
            for option in fields(find_task(name).options)
        ]
    )


def task_reports() -> "dict[str, Callable[[], TaskReport]]":
    """Return the loader of each task's part of a report, by the task's name."""
    return {task.name: task.report for task in TASKS if task.report is not None}


def task_sql() -> "tuple[TaskSql, ...]":
    """Return the views and queries that all tasks add to SQL."""
    return tuple(task.sql for task in TASKS)
