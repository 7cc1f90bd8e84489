"""The benchmark whose questions the model imitates: the packaged one, a file, or one on the Hub (Tan et al., 6.5).

A row has the form of MMLU: a ``question``, four options (a list ``choices`` or ``options``, or the columns ``A`` to
``D``) and the ``answer``, as a letter or as the index of the correct option, from 0. A column ``subject`` names the
subject if all its values are the same.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from selfknow.builders.self_knowledge.benchmark import TASK, Question, benchmark_rows, new_rows
from selfknow.builders.self_knowledge.sources import benchmark_questions, choices
from selfknow.builders.self_knowledge.tasks import BENCHMARK_SUBJECT
from selfknow.errors import UserError, argument
from selfknow.evaluate.dataset import ConfigFiles, open_dataset
from selfknow.files import read_rows, user_path
from selfknow.runs.description import DatasetReference

_LETTERS = "ABCD"
_SUFFIXES = (".jsonl", ".json", ".csv", ".parquet")


@dataclass(frozen=True)
class Benchmark:
    """A benchmark's questions and their subject.

    Attributes:
        questions: Each with ``id``, ``question``, four ``options`` and the letter of the ``answer``.
        subject: The subject in words, such as ``college computer science``.
        reference: The dataset that the questions come from; null for the packaged ones.
    """

    questions: tuple[Question, ...]
    subject: str
    reference: DatasetReference | None = None

    def new(self) -> pa.Table:
        """Return rows that ask for new questions like these."""
        return new_rows(self.questions, self.subject)

    def own(self) -> pa.Table:
        """Return rows that ask these questions themselves."""
        return benchmark_rows(self.questions, self.subject)


def rows_of(
    dataset: ConfigFiles, split: str, name: str | None, protocol: str
) -> tuple[pa.Table, DatasetReference, pa.Table | None]:
    """Return the rows of a run, their dataset, and the rows of the benchmark's own questions, if they are asked, too.

    Args:
        dataset: A task of self-knowledge.
        split: The split of the dataset, or of the benchmark.
        name: A benchmark instead of the packaged one (see :func:`open_benchmark`); null for the packaged one.
        protocol: The protocol. Only ``separate`` asks the benchmark's own questions (Table 9).

    Raises:
        UserError: A benchmark is given for another task, or cannot be read.
    """
    if name and dataset.config != TASK:
        raise UserError(f"{argument('benchmark')} is for the task self-knowledge:benchmark, not for {dataset.config}")
    benchmark = open_benchmark(name, split) if name else Benchmark(benchmark_questions(), BENCHMARK_SUBJECT)
    rows = benchmark.new() if name else dataset.read(split)
    own_questions = benchmark.own() if dataset.config == TASK and protocol == "separate" else None
    return rows, benchmark.reference or dataset.reference(split), own_questions


def open_benchmark(name: str, split: str = "test") -> Benchmark:
    """Read a benchmark.

    Args:
        name: A file (JSON lines, JSON, CSV, Parquet), or a dataset folder or Hub repo as ``NAME:CONFIG``, such as
            ``cais/mmlu:college_computer_science``. ``ORG/NAME@COMMIT:CONFIG`` pins a commit.
        split: The split of a folder or repo.

    Raises:
        UserError: There is no such benchmark, it is too small, or a row is not a question with four options.
    """
    path = user_path(name)
    if path.is_file():
        rows, reference = read_rows(path), _reference(name, path)
    elif path.suffix in _SUFFIXES and ":" not in name:
        raise UserError(f"there is no file {name}")
    else:
        dataset = open_dataset(name)
        rows, reference = dataset.read(split).to_pylist(), dataset.reference(split)
    num_shown = choices()["benchmark_questions_shown"]
    if len(rows) < num_shown:
        raise UserError(
            f"{name} has {len(rows)} questions: at least {num_shown} are needed to show the model what to write"
        )
    questions = tuple(_question(name, number, row) for number, row in enumerate(rows))
    num_repeated = len(questions) - len({question["id"] for question in questions})
    if num_repeated:
        raise UserError(f"{name} has {num_repeated} questions with the id of another question: make ids unique")
    return Benchmark(questions, _subject(rows), reference)


def _reference(name: str, path: Path) -> DatasetReference:
    return DatasetReference(name, TASK, content_hash=hashlib.sha256(path.read_bytes()).hexdigest())


def _question(name: str, number: int, row: Mapping[str, Any]) -> Question:
    options = next((row[column] for column in ("choices", "options") if row.get(column)), None)
    if options is None and set(_LETTERS) <= set(row):
        options = [row[letter] for letter in _LETTERS]
    text, answer = str(row.get("question") or "").strip(), _letter(row.get("answer"))
    if not text or answer is None or not isinstance(options, list) or len(options) != len(_LETTERS):
        raise UserError(
            f"row {number} of {name} is not a question of this task: it needs `question`, four options (`choices`, "
            "`options`, or A, B, C and D) and `answer` (A to D, or 0 to 3)"
        )
    identity = row.get("id")
    return {
        "id": f"question-{number:05d}" if identity is None else str(identity),
        "question": text,
        "options": [str(option).strip() for option in options],
        "answer": answer,
    }


def _letter(answer: object) -> str | None:
    text = str(answer).strip().upper()
    if text in tuple("0123"):
        return _LETTERS[int(text)]
    return text if text in tuple(_LETTERS) else None


def _subject(rows: list[Mapping[str, Any]]) -> str:
    subjects = {str(row.get("subject") or "").replace("_", " ").strip() for row in rows} - {""}
    return subjects.pop() if len(subjects) == 1 else "several subjects"
