"""The human line: people answer a sample of the questions, and their answers become a run like a model's.

Yin et al., section 4.3: two volunteers, 100 questions drawn at random, half an hour each. They write an answer, or
``unknown``, which becomes :data:`ABSTENTION` in the run. Blank rows are not part of the run.
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
from selfknow.runs.importers.run import ImportedCall, ImportedLog

COLUMNS = ("code", "question", "answer")
UNKNOWN = "unknown"
# It has a reference phrase of the paper's scorer and one of the strict scorer, so its score needs no encoder.
ABSTENTION = "The answer is unknown. I don't know."


def read_answers(paths: Sequence[Path], items: Mapping[str, Item]) -> dict[str, dict[str, str]]:
    """Return the answers by volunteer (the sheet's name) and question id; blank ones are empty texts.

    Args:
        paths: The sheets.
        items: The questions that may be on them, by code.

    Raises:
        UserError: A file is not such a sheet, or a question on it is repeated or unknown.
    """
    return {
        path.stem: {
            items[code].id: row["answer"]
            for _, code, row in sheet_rows(path, "code", "answer", items, "question of this dataset")
        }
        for path in paths
    }


def judgements_of(answers: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Return ``abstains`` (for the answer ``unknown``) or ``answers`` by volunteer and question, without blanks."""
    return {
        name: {
            id_: ABSTAINS if _is_unknown(answer) else ANSWERS for id_, answer in answers_of_volunteer.items() if answer
        }
        for name, answers_of_volunteer in answers.items()
    }


def human_log(dataset: ConfigFiles, answers: Mapping[str, Mapping[str, str]]) -> ImportedLog:
    """Return the volunteers' answers as a log of calls, with the model ``human/NAME`` and the form ``direct``.

    Args:
        dataset: The dataset of the questions.
        answers: The answers by volunteer and question id (see :func:`read_answers`).

    Raises:
        UserError: The dataset has no such questions, or all sheets are empty.
    """
    answered_ids = sorted(
        {id_ for answers_of_volunteer in answers.values() for id_, answer in answers_of_volunteer.items() if answer}
    )
    if not answered_ids:
        raise UserError(f"no answer is filled in: write one, or {UNKNOWN}")
    table = read_questions(dataset)
    examples = table.filter(pc.is_in(table["id"], pa.array(answered_ids, table["id"].type)))
    questions = dict(zip(examples["id"].to_pylist(), examples["question"].to_pylist(), strict=True))
    calls = [
        ImportedCall(
            id_,
            f"human/{name}",
            questions[id_],
            Reply(ABSTENTION if _is_unknown(answer) else answer, "stop"),
            variant="direct",
        )
        for name, answers_of_volunteer in answers.items()
        for id_, answer in answers_of_volunteer.items()
        if answer
    ]
    return ImportedLog(
        SELF_AWARE.name, dataset.reference("+".join(SPLITS)), examples, calls, source="volunteers' sheets"
    )


def _is_unknown(answer: str) -> bool:
    return answer.lower().rstrip(".") == UNKNOWN
