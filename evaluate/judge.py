"""A model judges the replies of a run. The same driver asks it, so you can stop and resume it like any run."""

from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import UserError
from selfknow.evaluate.ask import Progress, collect
from selfknow.evaluate.catalogue import task_of_run
from selfknow.evaluate.score import finished_run
from selfknow.files import read_json
from selfknow.models.interface import GRADE, Decoding
from selfknow.runs.functions import check_functions
from selfknow.runs.writer import RunWriter

if TYPE_CHECKING:
    from selfknow.models.interface import LanguageModel

DECODING = Decoding(max_new_tokens=1024)
"""A judge answers greedily; it may think before it says its one word."""


def judge_run(folder: Path, model: "LanguageModel", decoding: Decoding = DECODING, *, quiet: bool = False) -> Progress:
    """Ask a model about every reply of a run that it has not judged yet.

    What it says stands among the run's generations, in the stage ``grade``, each going back to the reply that it is
    about; :func:`selfknow.evaluate.score.score_run` reads it. No query takes it for a reply of the run's own models.

    Args:
        folder: The run folder.
        model: The judge.
        decoding: The decoding of its replies.
        quiet: Show no progress bar.

    Raises:
        UserError: It is not a run folder, or a model has nothing to judge in runs of its task.
    """
    description = read_json(folder / "run.json")
    task = task_of_run(folder, description)
    requests = task.grades(finished_run(folder, description))
    if not requests:
        raise UserError(f"{folder} is a run of {task.name}, where there is nothing for a model to judge")
    with RunWriter.reopen(folder, decoding) as run:
        check_functions(run, [model], judging=True)
        return collect(run, model, requests, stage=GRADE, quiet=quiet)
