"""The human line: people answer a sample of the questions, and their answers become a run like a model's.

Yin et al., section 4.3: two volunteers, 100 questions drawn at random, half an hour each. They write an answer, or
``unknown``, which stands in the run as :data:`ABSTENTION`. What they left blank was not asked.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from selfknow.errors import UserError
from selfknow.evaluate.annotation import sheet_rows
from selfknow.evaluate.dataset import ConfigFiles
from selfknow.evaluate.tasks.self_aware.hand_labels import ABSTAINS, ANSWERS
from selfknow.evaluate.tasks.self_aware.question_sheets import Item
from selfknow.evaluate.tasks.self_aware.questions import SPLITS, read_questions
from selfknow.evaluate.tasks.self_aware.task import SELF_AWARE
from selfknow.models.interface import Reply
from selfknow.runs.importers.run import ImportedCall, Log

COLUMNS = ("code", "question", "answer")
UNKNOWN = "unknown"
# A reference phrase of the paper's scorer and one of the strict scorer, so that no encoder has a say in it.
ABSTENTION = "The answer is unknown. I don't know."


def read_answers(paths: Sequence[Path], items: Mapping[str, Item]) -> dict[str, dict[str, str]]:
    """Return the volunteers' answers by their name (the sheet's) and the question's id; blank ones are empty.

    Args:
        paths: The sheets.
        items: By code, the questions that may stand on them.

    Raises:
        UserError: A file is not such a sheet, or a question stands on it twice or is unknown.
    """
    return {
        path.stem: {
            items[code].id: row["answer"]
            for _, code, row in sheet_rows(path, "code", "answer", items, "question of this dataset")
        }
        for path in paths
    }


def judgements_of(answers: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """By volunteer and question, whether they wrote ``unknown`` (``abstains``) or an answer; blanks are left out."""
    return {
        name: {id_: ABSTAINS if _is_unknown(answer) else ANSWERS for id_, answer in written.items() if answer}
        for name, written in answers.items()
    }


def human_log(dataset: ConfigFiles, answers: Mapping[str, Mapping[str, str]]) -> Log:
    """Return the volunteers' answers as a log of calls: the model is ``human/NAME``, the form ``direct``.

    Args:
        dataset: The dataset of the questions that they answered.
        answers: By volunteer and question, as :func:`read_answers` reads them.

    Raises:
        UserError: The rows of the dataset are not such questions, or all sheets are empty.
    """
    answered = sorted({id_ for written in answers.values() for id_, answer in written.items() if answer})
    if not answered:
        raise UserError(f"no answer is filled in: write one, or {UNKNOWN}")
    table = read_questions(dataset)
    examples = table.filter(pc.is_in(table["id"], pa.array(answered, table["id"].type)))
    questions = dict(zip(examples["id"].to_pylist(), examples["question"].to_pylist(), strict=True))
    calls = [
        ImportedCall(
            id_,
            f"human/{name}",
            questions[id_],
            Reply(ABSTENTION if _is_unknown(answer) else answer, "stop"),
            variant="direct",
        )
        for name, written in answers.items()
        for id_, answer in written.items()
        if answer
    ]
    return Log(SELF_AWARE.name, dataset.reference("+".join(SPLITS)), examples, calls, source="volunteers' sheets")


def _is_unknown(answer: str) -> bool:
    return answer.lower().rstrip(".") == UNKNOWN
