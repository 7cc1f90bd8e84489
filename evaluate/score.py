"""Scoring of a run folder by its task's scorer.

A run is read, scored and written in batches of a few thousand calls, so that memory hardly grows with it. The files
appear when all calls are scored. If scoring fails or is killed, the run keeps its earlier scores.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from filelock import FileLock, Timeout

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_of_run
from selfknow.evaluate.replies import Excerpt, up_to_next_question
from selfknow.evaluate.task import FinishedRun, ScoreOptions, Scores
from selfknow.files import read_json, read_parquet
from selfknow.parquet_batches import ParquetWriter, parquet_writer
from selfknow.row_table import Row, RowTable
from selfknow.runs.calls import Calls, read_calls
from selfknow.runs.failures import explain_no_replies
from selfknow.runs.schema import KEPT_REPLIES, KEPT_REPLIES_FILE, SCORES, read_examples


class ScoreSummary(RowTable):
    """The mean of every metric, for each model, stage and variant of a run (see :func:`summarize`).

    Attributes:
        files: The files with the scores.
    """

    def __init__(self, rows: Sequence[Row], files: Sequence[Path]) -> None:
        super().__init__(rows)
        self.files = tuple(files)

    @cached_property
    def scores(self) -> pa.Table:
        """The scores behind the means, a row per call and metric (:data:`selfknow.runs.schema.SCORES`)."""
        return read_scores(self.files)


def score_run(folder: Path, options: ScoreOptions | None = None) -> pa.Table:
    """Score a run with :func:`score_to_files`, and return all scores (see :func:`read_scores`)."""
    return read_scores(score_to_files(folder, options))


def read_scores(files: Sequence[Path]) -> pa.Table:
    """Return the scores in some files as one table, in the shape of :data:`selfknow.runs.schema.SCORES`."""
    return pa.concat_tables([SCORES.empty_table(), *(read_parquet(path, SCORES) for path in files)])


def score_to_files(folder: Path, options: ScoreOptions | None = None) -> list[Path]:
    """Score the last attempt of every call of a run, and replace the files in ``scores/`` and ``parsed/``.

    Args:
        folder: The run folder.
        options: The options of the task's scorer; null for the defaults.

    Returns:
        The written files in ``scores/``, in the shape of :data:`selfknow.runs.schema.SCORES`.

    Raises:
        UserError: The folder is not a run, its task has no scorer, a call belongs to no example, or another process is
            scoring the run.
    """
    description = read_json(folder / "run.json")
    run = finished_run(folder, description)
    task = task_of_run(folder, description)
    scorer_options: Any = options or task.score_options()
    with ExitStack() as scores_stack, ExitStack() as parsed_stack:
        files = _Files(folder, scores_stack, parsed_stack)
        for scores in task.score(run, scorer_options):
            files.write(scores)
    return files.score_files


class _Files:
    """The files that scoring writes batch by batch; they appear when the two stacks are closed."""

    def __init__(self, folder: Path, scores_stack: ExitStack, parsed_stack: ExitStack) -> None:
        self._folder, self._scores_stack, self._parsed_stack = folder, scores_stack, parsed_stack
        self._writers: dict[Path, ParquetWriter] = {}

    def write(self, scores: Scores) -> None:
        """Add the scores of some calls.

        Raises:
            UserError: Another process is scoring this run; raised by the first call.
        """
        if not self._writers:
            self._scores_stack.enter_context(_lock(self._folder))
        for name, table in scores.tables.items():
            self._add(self._scores_stack, self._folder / "scores" / f"{name}.parquet", table.cast(SCORES))
        for name, table in scores.parsed.items():
            self._add(self._parsed_stack, self._folder / "parsed" / f"{name}.parquet", table)
        if scores.excerpts:
            self._add(self._parsed_stack, self._folder / KEPT_REPLIES_FILE, _excerpt_table(scores.excerpts))

    def _add(self, stack: ExitStack, path: Path, table: pa.Table) -> None:
        if path not in self._writers:
            self._writers[path] = stack.enter_context(parquet_writer(path, table.schema))
        self._writers[path].write(table)

    @property
    def score_files(self) -> list[Path]:
        """The files in ``scores/``, in the scorer's order."""
        return [path for path in self._writers if path.parent.name == "scores"]


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a run's scores, so that no two processes write the same file.

    Raises:
        UserError: Another process holds the lock, or the folder cannot be written.
    """
    lock = FileLock(folder / "scores" / ".lock")
    try:
        (folder / "scores").mkdir(exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise UserError(f"another process is scoring {folder}: wait for it") from error
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()


def check_replies(folder: Path) -> None:
    """Check that a run has a reply to score or to judge.

    Raises:
        UserError: No call has a reply (the message gives the most common error), or the folder is not a run.
    """
    calls = read_calls(folder)
    errors: list[str | None] = []
    for batch in (*calls.model_calls.select("error"), *calls.judge_calls.select("error")):
        if batch["error"].null_count:
            return
        errors += batch["error"].to_pylist()
    if reason := explain_no_replies(str(folder), errors):
        raise UserError(reason)


def finished_run(folder: Path, description: Mapping[str, Any]) -> FinishedRun:
    """Return a run for scoring: the last attempts of its calls, and separately the replies of judges.

    Raises:
        UserError: The folder is not a run, has no generations, or a call belongs to no example.
    """
    calls = read_calls(folder)
    examples = read_examples(folder)
    _check_examples(folder, calls.example_ids, examples)
    if not len(calls.model_calls):
        raise UserError(f"{folder} holds no generations: run `selfknow evaluate` into it first")
    return FinishedRun(folder, description, _Answers(calls.model_calls), examples, calls.judge_calls)


@dataclass(frozen=True)
class _Answers:
    """Calls with replies up to a completion model's next question."""

    calls: Calls

    def __iter__(self) -> Iterator[pa.Table]:
        for batch in self.calls:
            table, whole = up_to_next_question(batch)
            replies = map(whole.get, batch["generation_id"].to_pylist())
            yield table.append_column("whole", pa.array(replies, pa.string()))


def _excerpt_table(excerpts: Mapping[str, Excerpt]) -> pa.Table:
    rows = [
        {"generation_id": generation_id, "start_character": part.start, "end_character": part.end}
        for generation_id, part in excerpts.items()
    ]
    return pa.Table.from_pylist(rows, schema=KEPT_REPLIES)


def _check_examples(folder: Path, ids: pa.Array, examples: pa.Table) -> None:
    unknown = ids.filter(pc.invert(pc.is_in(ids, value_set=examples["id"].combine_chunks())))
    if len(unknown):
        raise UserError(f"{folder} holds generations about {unknown[0].as_py()!r}, which is not an example")
