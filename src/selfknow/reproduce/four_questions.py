"""The four papers' questions for one model.

This module chooses the questions that apply and writes them as a plan beside the results.

*Does it know how much it knows?* applies to a model that was trained on diaries, and asks about them. *What does it
not know?* and *Does it understand what it creates?* apply to any model. *Does it quote?* applies to a model whose
corpus has a portrait. Questions that do not apply are left out, with the reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import yaml

from selfknow.errors import UserError
from selfknow.files import user_path, write_whole
from selfknow.models.facts import checkpoint_facts
from selfknow.reproduce.changes import absolute_folder, split_commas

NAME = "four-questions"
SUMMARY = "all four papers' questions"  # in the list of plans, where other plans name a figure or table
TITLE = "What does one model know about what it knows?"
NEEDS = "a model (--model) and, for the question about quoting, a portrait of its corpus (--portrait)"
_SELF_KNOWLEDGE_TASKS = ("total-count", "designated-count", "fact", "arxiv", "math", "theorem", "code")
_QUERIES = {
    "diary-recall": "accuracy_by_size",
    "self-aware": "self_aware_abstention",
    "self-knowledge": "self_knowledge_summary",
    "according-to": "according_to_kinds",
}

Block = Mapping[str, object]


@dataclass(frozen=True)
class ApplicableTasks:
    """The tasks that apply to a model.

    Attributes:
        blocks: The blocks of the plan, under ``evaluate``.
        not_asked: A line for each task that was left out, with the reason.
    """

    blocks: tuple[Block, ...]
    not_asked: tuple[str, ...]


def applicable_tasks(
    model: str, *, endpoint: bool = False, portrait: str | None = None, questions: str = "nq"
) -> ApplicableTasks:
    """Return the tasks that apply to a model.

    Args:
        model: A checkpoint folder, a GGUF file, a Hub id, or a name at an endpoint.
        endpoint: True if the model is at an endpoint; its training corpus is then unknown.
        portrait: The portrait of its corpus, a folder or a Hub id; null for no portrait.
        questions: The questions about quoting: a question set of according-to, or a file.

    Example:
        >>> [block["task"] for block in applicable_tasks("org/name").blocks][0]
        'self-aware'
    """
    blocks: list[Block] = []
    not_asked = []
    corpus = None if endpoint else checkpoint_facts(model).corpus
    if corpus is not None and corpus.get("config"):
        blocks.append({"task": f"{corpus['name']}:{corpus['config']}"})
    else:
        not_asked.append("diary-recall, since nothing says that the model was trained on diaries")
    blocks.append({"task": "self-aware", "form": "instruction"})
    blocks.append({"task": [f"self-knowledge:{name}" for name in _SELF_KNOWLEDGE_TASKS], "wording": "paper"})
    if portrait is not None:
        blocks.append({"task": f"according-to:{questions}", "portrait": portrait})
    else:
        not_asked.append("according-to, since no portrait of the model's corpus is named (--portrait)")
    return ApplicableTasks(tuple(blocks), tuple(not_asked))


def write_plan(tasks: ApplicableTasks, folder: Path) -> Path:
    """Write the plan of the tasks that apply, and return its file."""
    names = {_task_name(block) for block in tasks.blocks}
    plan = {
        "title": TITLE,
        "needs": NEEDS,
        "evaluate": [dict(block) for block in tasks.blocks],
        "query": [query for task, query in _QUERIES.items() if task in names],
    }
    path = folder / f"{NAME}.yaml"
    write_whole(path, yaml.safe_dump(plan, sort_keys=False, allow_unicode=True).encode())
    return path


def _task_name(block: Block) -> str:
    """Return the name of a block's task, without the set after the colon."""
    task = block["task"]
    first_set = task[0] if isinstance(task, list) else task
    return str(first_set).partition(":")[0]


def applicable_tasks_from_options(
    models: "Sequence[str] | None", evaluate_options: "Sequence[str] | None", portrait: str | None, questions: str
) -> ApplicableTasks:
    """Return the tasks that apply to the model that the command line names.

    Args:
        models: The values of ``--model``.
        evaluate_options: The values of ``--evaluate``, such as ``endpoint=URL``; null if there are none.
        portrait: The portrait of the model's corpus, a folder or a Hub id; null for no portrait.
        questions: The questions about quoting: a question set of according-to, or a file.

    Raises:
        UserError: No model is named, or more than one.
    """
    names = split_commas(models or [])
    if len(names) != 1:
        raise UserError(f"{NAME} is about one model: name it with --model" + (", not several" if names else ""))
    is_served = any(option.partition("=")[0].strip() == "endpoint" for option in evaluate_options or ())
    if user_path(questions).is_file():
        questions = str(user_path(questions).resolve())
    return applicable_tasks(names[0], endpoint=is_served, portrait=absolute_folder(portrait), questions=questions)


def write_page(
    tasks: ApplicableTasks, runs: Sequence[Path], corpora: Sequence[Path], folder: Path, *, command: str
) -> tuple[Path, str]:
    """Write a page that covers all questions, the plot beside it, and the section of a model card.

    Args:
        tasks: The tasks that were asked.
        runs: The run folders.
        corpora: Dataset folders that queries may join against.
        folder: The folder for the page: ``four-questions.html``, ``.svg``, ``.png`` and ``.md``.
        command: The command that was run.

    Returns:
        The page's path, and the section as Markdown.

    Raises:
        UserError: Nothing was graded.
    """
    from selfknow.evaluate.catalogue import task_reports
    from selfknow.evaluate.connection import connect
    from selfknow.report.four_questions import card, panels, printed_numbers, write_plot
    from selfknow.report.write import require_report_extra, write_html

    require_report_extra()
    page = folder / f"{NAME}.html"
    with connect(runs, corpora=corpora) as connection:
        printed = printed_numbers(connection)
        report = write_html(
            connection,
            task_reports(),
            page,
            title=TITLE,
            figures=None,
            progress=False,
            introduction=partial(panels, printed=printed),
        )
    for ending in (".svg", ".png"):
        write_plot(report, printed, page.with_suffix(ending))
    section = card(report, printed, command=command, not_asked=tasks.not_asked)
    write_whole(page.with_suffix(".md"), section.encode())
    return page, section
