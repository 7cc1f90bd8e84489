"""Questions that a model makes up for its own tuning: a program answers them, and the model writes worked solutions.

::

    FOLDER/runs/MODEL      the run folder of self-knowledge:math
    FOLDER/MODEL           the creations (:mod:`selfknow.evaluate.tasks.self_knowledge.creations`)

Every step resumes where it stopped; complete steps are not repeated.
"""

from collections.abc import Sequence
from pathlib import Path

from selfknow.evaluate.ask import ask_task
from selfknow.evaluate.task import Models
from selfknow.evaluate.tasks.self_knowledge.collecting import CONFIG, collect_creations
from selfknow.evaluate.tasks.self_knowledge.creations import DROPPED, Creations, read_creations
from selfknow.evaluate.tasks.self_knowledge.options import SelfKnowledgeOptions
from selfknow.evaluate.tasks.self_knowledge.task import SELF_KNOWLEDGE
from selfknow.models.deferred import DeferredModel
from selfknow.models.interface import Decoding
from selfknow.train.solutions import solve_creations


def make_creations(
    models: Sequence[tuple[str, str]],
    folder: Path,
    *,
    num_questions: int | None = None,
    wording: str = "paper",
    decoding: Decoding | None = None,
    chat: bool | None = None,
    batch_size: int = 64,
    quiet: bool = False,
) -> list[Creations]:
    """Let every model make up mathematics questions and write their solutions, without a person's help.

    Args:
        models: The name of each model, and the name of its folder.
        folder: The folder for all models.
        num_questions: The number of questions per model; null for a hundred, as in Tan et al.
        wording: The wording of the prompt: ``paper``, or ``ours`` for this package's.
        decoding: The decoding of replies; null for the task's decoding.
        chat: Render prompts with the chat template; null renders so if the tokenizer has one.
        batch_size: The number of replies generated at once.
        quiet: Show no progress bars.

    Raises:
        UserError: A model is not available, or the folder holds another run.
    """
    creations = []
    for name, folder_name in models:
        model = DeferredModel(name, batch_size=batch_size, chat=chat)
        run, creations_folder = folder / "runs" / folder_name, folder / folder_name
        _ask_for_questions(model, run, num_questions, wording, decoding, quiet=quiet)
        if not (creations_folder / "creations.json").is_file():
            collect_creations(run, creations_folder, people=False, quiet=quiet)
        used_rows = [row for row in read_creations(creations_folder).rows if row["state"] != DROPPED]
        if any(row["raw_solution"] is None for row in used_rows):
            solve_creations(creations_folder, model, quiet=quiet)
        creations.append(read_creations(creations_folder))
    return creations


def _ask_for_questions(
    model: DeferredModel, run: Path, num_questions: int | None, wording: str, decoding: Decoding | None, *, quiet: bool
) -> None:
    """Let a model write its questions, and ask it about them, as in Table 1 of Tan et al."""
    options = SelfKnowledgeOptions(limit=num_questions, wording=wording)
    rows = SELF_KNOWLEDGE.open(f"{SELF_KNOWLEDGE.name}:{CONFIG}", options, run)
    ask_task(SELF_KNOWLEDGE, rows, options, Models([model]), run, decoding or rows.decoding, quiet=quiet)
