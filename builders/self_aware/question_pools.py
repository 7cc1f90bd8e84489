"""Pools of questions with their answers, read from JSON lines, Parquet or a dataset on the Hub."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyarrow.parquet as pq

from selfknow.downloads import DownloadError, dataset_rows
from selfknow.errors import UserError
from selfknow.files import read_json_lines

_ROWS_PER_BATCH = 4_096


@dataclass(frozen=True)
class PoolQuestion:
    """A question of a pool.

    Args:
        id: The row's ``id``, or its number from 0.
        question: The question.
        answers: Its answers; empty if the row has none.
    """

    id: str
    question: str
    answers: tuple[str, ...]


def read_pool(
    source: str, question_column: str = "question", answer_column: str | None = None
) -> Iterator[PoolQuestion]:
    """Yield the questions of a pool, with no more than a batch of rows in memory.

    Args:
        source: A ``.jsonl`` or ``.parquet`` file, or ``REPO:SPLIT`` or ``REPO:CONFIG:SPLIT`` on the Hub.
        question_column: The column of the question.
        answer_column: The column of the answer: a text, a list, or a mapping as in SQuAD and TriviaQA; by default
            ``answers`` or ``answer``.

    Raises:
        UserError: The file or dataset does not exist, or a row has no question.
    """
    answers = [answer_column] if answer_column else ["answers", "answer"]
    for number, row in enumerate(_rows(source, [question_column, *answers, "id"])):
        question = row.get(question_column)
        if not isinstance(question, str) or not question.strip():
            raise UserError(
                f"row {number} of {source} has no text in the column {question_column!r}; it has {', '.join(row)}"
            )
        column = answer_column or ("answers" if "answers" in row else "answer")
        yield PoolQuestion(str(row.get("id", number)), question, tuple(_answers(row.get(column))))


def batches_of(questions: Iterator[PoolQuestion], size: int) -> Iterator[list[PoolQuestion]]:
    """Yield the questions, ``size`` at a time."""
    while batch := list(islice(questions, size)):
        yield batch


def _answers(value: object) -> list[str]:
    """Return the answers of a cell: a text, a list, or a mapping as in SQuAD (``text``) and TriviaQA (``value``)."""
    if isinstance(value, Mapping):
        texts = [value.get("value"), *(value.get("aliases") or []), *(value.get("text") or [])]
        return list(dict.fromkeys(text for text in texts if isinstance(text, str)))
    if isinstance(value, str):
        return [value]
    return [str(answer) for answer in value] if isinstance(value, list | tuple) else []


def _rows(source: str, columns: list[str]) -> Iterator[Mapping[str, object]]:
    path = Path(source)
    if path.suffix == ".parquet" and path.is_file():
        return _rows_of_parquet(path, columns)
    if path.is_file():
        return read_json_lines(path)
    parts = source.split(":")
    if len(parts) not in (2, 3) or path.suffix in (".parquet", ".jsonl", ".json"):
        raise UserError(
            f"there is no file {source}: name a file, or a dataset on the Hub as REPO:SPLIT or REPO:CONFIG:SPLIT"
        )
    return _rows_of_hub(*parts)


def _rows_of_parquet(path: Path, columns: list[str]) -> Iterator[Mapping[str, object]]:
    """Yield the rows with only these columns, since columns of passages are large and unused."""
    with pq.ParquetFile(path) as file:
        present = [name for name in columns if name in file.schema_arrow.names]
        for batch in file.iter_batches(batch_size=_ROWS_PER_BATCH, columns=present if columns[0] in present else None):
            yield from batch.to_pylist()


def _rows_of_hub(repo: str, *config_and_split: str) -> Iterator[Mapping[str, object]]:
    *config, split = config_and_split
    try:
        yield from dataset_rows(repo, *config, split=split)
    except DownloadError as error:
        raise UserError(f"the dataset {repo} cannot be read from the Hub: {error}") from error
