r"""The questions of GSM8K, from the Hub or from a file in its format, and their prompts.

A row: ``{"question": "Ann has 3 apples …", "answer": "3 + 4 = <<3+4=7>>7\n#### 7"}``.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from selfknow.builders.sources import read_text
from selfknow.errors import UserError
from selfknow.evaluate.task import Row
from selfknow.evaluate.tasks.gsm8k.answers import number_of_solution
from selfknow.evaluate.tasks.question_files import read_at_commit
from selfknow.files import read_rows, user_path
from selfknow.models.interface import Completion
from selfknow.runs.description import DatasetReference

TASK = "gsm8k"
_MARKER = "####"
_NUMBER = re.compile(r"-?[\d,]+(?:\.\d+)?")
SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("answer", pa.string(), nullable=False),
    ]
)


@dataclass(frozen=True)
class Questions:
    """Questions with their solutions.

    Attributes:
        rows: The columns id, question and answer: the whole solution, with its number after ``####``.
        reference: The dataset that the questions come from.
    """

    rows: pa.Table
    reference: DatasetReference


@cache
def wording() -> Mapping[str, Any]:
    """Return the task's texts: ``source`` (the file on the Hub), ``prompt``, ``stop`` and ``completion``."""
    value: dict[str, Any] = yaml.safe_load(read_text("gsm8k/task.yaml"))
    return value


def prompt(question: str) -> str:
    """Return the prompt of a question."""
    text: str = wording()["prompt"]
    return text.replace("{question}", question)


@cache
def worked_problems() -> Sequence[Mapping[str, str]]:
    """Return the worked problems for completion models, each with ``question`` and ``solution``."""
    value: Sequence[Mapping[str, str]] = yaml.safe_load(read_text("gsm8k/examples.yaml"))
    return value


def completion_prompt(question: str) -> Completion:
    """Return a completion model's prompt for a question: the instruction, worked problems, and the problem."""
    instruction, marker, problem = str(wording()["prompt"]).partition("Problem: ")
    template = marker + problem
    solved = "".join(
        f"{template.replace('{question}', problem['question'])}{problem['solution']}\n\n"
        for problem in worked_problems()
    )
    return Completion(instruction + solved + template.replace("{question}", question), tuple(wording()["stop"]))


def completion(answer: str) -> str:
    """Return the last line of a worked solution, with its answer."""
    text: str = wording()["completion"]
    return text.replace("{answer}", answer)


def open_questions(name: str, run: Path | None = None) -> Questions:
    """Read the questions.

    Args:
        name: ``gsm8k`` (the test split on the Hub, at the pinned commit), ``gsm8k@COMMIT``, or ``gsm8k:FILE``.
        run: A run folder. If it already holds a run of the Hub's questions, the commit that it recorded is used.

    Raises:
        UserError: The questions could not be fetched, or a row is not in GSM8K's format.
    """
    if name.startswith(f"{TASK}:"):
        path = user_path(name.removeprefix(f"{TASK}:"))
        if not path.is_file():
            raise UserError(f"there is no file {path}: name JSON lines of question and answer, or {TASK} for the Hub's")
        reference = DatasetReference(str(path), content_hash=hashlib.sha256(path.read_bytes()).hexdigest())
        return Questions(_table(read_rows(path), str(path)), reference)
    source = wording()["source"]
    rows, commit = read_at_commit(source, name.partition("@")[2], run)
    return Questions(
        _table(rows, source["repo"]), DatasetReference(source["repo"], source["config"], source["split"], commit)
    )


def rows_of_user_questions(rows: Sequence[Row]) -> pa.Table:
    """Return a user's own problems as rows of GSM8K.

    Args:
        rows: Rows with ``id``, ``question`` and ``answers``: one number, or one solution in GSM8K's format.

    Raises:
        UserError: A problem has no answer or several, or its answer is not a number.
    """
    return pa.Table.from_pylist(
        [{"id": row["id"], "question": row["question"], "answer": _solution(row)} for row in rows], schema=SCHEMA
    )


def _solution(row: Row) -> str:
    match row["answers"]:
        case [answer]:
            solution = f"{_MARKER} {answer}" if _NUMBER.fullmatch(answer.strip()) else answer
            if number_of_solution(solution) is not None:
                return solution
            raise UserError(
                f"the answer to question {row['id']!r} is neither a number nor a solution that ends in {_MARKER} and a "
                f"number: {answer!r:.80}"
            )
        case answers:
            raise UserError(f"question {row['id']!r} has {len(answers)} answers: gsm8k takes one number")


def _table(rows: list[Row], where: str) -> pa.Table:
    if not rows:
        raise UserError(f"{where} holds no questions")
    for number, row in enumerate(rows, start=1):
        if not all(isinstance(row.get(name), str) and row[name].strip() for name in ("question", "answer")):
            raise UserError(f"row {number} of {where} has no question or no answer: both are texts in GSM8K's format")
        if number_of_solution(row["answer"]) is None:
            raise UserError(f"the answer in row {number} of {where} does not end in #### and a number")
    questions = [
        {"id": f"gsm8k-{number:05d}", "question": row["question"], "answer": row["answer"]}
        for number, row in enumerate(rows)
    ]
    return pa.Table.from_pylist(questions, schema=SCHEMA)
