"""Judging of a run's replies by a model; like any run it can be stopped and resumed."""

from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_of_run
from selfknow.evaluate.collect import Progress, collect
from selfknow.evaluate.score import finished_run
from selfknow.files import read_json
from selfknow.models.interface import GRADE, Decoding
from selfknow.runs.functions import check_functions
from selfknow.runs.writer import RunWriter

if TYPE_CHECKING:
    from selfknow.models.interface import LanguageModel

DECODING = Decoding(max_new_tokens=1024)
"""Greedy decoding, with enough tokens for a judge that thinks before its answer."""


def judge_run(folder: Path, model: "LanguageModel", decoding: Decoding = DECODING, *, quiet: bool = False) -> Progress:
    """Ask a model about every reply of a run that it has not judged yet.

    The judgements become generations of the run in the stage ``grade``, with the judged reply as their parent.
    :func:`selfknow.evaluate.score.score_run` reads them. Queries never count them as replies of the run's models.

    Args:
        folder: The run folder.
        model: The judge.
        decoding: The decoding of the judge's replies.
        quiet: Show no progress bar.

    Raises:
        UserError: The folder is not a run, or its task has nothing to judge.
    """
    description = read_json(folder / "run.json")
    task = task_of_run(folder, description)
    requests = task.grades(finished_run(folder, description))
    if not requests:
        raise UserError(f"{folder} is a run of {task.name}, which has nothing for a model to judge")
    with RunWriter.reopen(folder, decoding) as run:
        check_functions(run, [model], judging=True)
        return collect(run, model, requests, stage=GRADE, quiet=quiet)
