"""The writer of imported logs: a log of another tool becomes a run folder."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from selfknow.errors import UserError
from selfknow.files import read_json, read_json_lines, read_parquet, write_json
from selfknow.folders import replaced_whole
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import SCORES, write_scores
from selfknow.runs.writer import RunWriter


@dataclass(frozen=True)
class ImportedScore:
    """A score of a call in a log; its value is null, with a reason, if it is not a number."""

    metric: str
    value: float | None
    reason: str | None = None


@dataclass(frozen=True)
class ImportedCall:
    """One try of one call of a log.

    Attributes:
        example_id: The ``id`` of its example.
        model: The model's name.
        request: The prompt's text.
        reply: The model's reply.
        stage: The step of the protocol.
        variant: The form, style or probe that tells calls of one stage apart.
        sample: The number of the sample, from 0. Null numbers the samples in the order of the log; a call after a
            failed try is then its next try.
        scores: The scores in the log.
        parent: An earlier call of the log, whose reply this call builds on.
    """

    example_id: str
    model: str
    request: str
    reply: Reply
    stage: str = "answer"
    variant: str = "plain"
    sample: int | None = None
    scores: tuple[ImportedScore, ...] = ()
    parent: "ImportedCall | None" = None


@dataclass(frozen=True)
class ImportedLog:
    """The content of another tool's log: examples, calls and settings.

    Attributes:
        task: Name of its task.
        dataset: The reference to its rows.
        examples: Its rows, each with an ``id``; a table keeps its column types.
        calls: All tries of all calls.
        decoding: The known decoding settings.
        source: Name of the tool that wrote it.
        settings: The run's settings, if the task belongs to this package.
    """

    task: str
    dataset: DatasetReference
    examples: Sequence[Mapping[str, Any]] | pa.Table
    calls: Sequence[ImportedCall]
    decoding: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


def write_imported(log: ImportedLog, folder: Path, *, task: str | None = None, examples: pa.Table | None = None) -> int:
    """Write a log as a run folder. If this fails, no folder is left.

    Args:
        log: The log.
        folder: A new folder.
        task: The run's task; null: the task of the log.
        examples: Rows that replace the log's (see :func:`read_example_rows`); null: the log's rows.

    Returns:
        The number of generations.

    Raises:
        UserError: The folder exists, the log is empty, or a call is about an unknown example.
    """
    if folder.exists():
        raise UserError(f"{folder} exists: name a new folder")
    if not log.calls:
        raise UserError("the log holds no calls to import")
    table = example_table(log.examples) if examples is None else examples
    example_ids = set(table["id"].to_pylist())
    for call in log.calls:
        if call.example_id not in example_ids:
            raise UserError(f"a call is about {call.example_id!r}, which is not the `id` of an example")
    settings = {**log.settings, "imported_from": log.source}
    description = RunDescription(task or log.task, log.dataset, Decoding(temperature=None), settings)
    with refuse_damaged(log.task, log.source), replaced_whole(folder, "run.json") as unfinished:
        with RunWriter.open(unfinished, description, table, rows_per_part=65_536, seconds_per_part=float("inf")) as run:
            scores = _append_calls(run, log.calls)
        if scores or not log.settings:  # a task of this package has a scorer of its own
            write_scores(unfinished, "imported", pa.Table.from_pylist(scores, schema=SCORES))
        log_decoding = {"decoding": dict(log.decoding), "seed": log.decoding.get("seed")}
        write_json(unfinished / "run.json", {**read_json(unfinished / "run.json"), **log_decoding})
        (unfinished / "run.lock").unlink(missing_ok=True)
    return len(log.calls)


def _append_calls(run: RunWriter, calls: Iterable[ImportedCall]) -> list[dict[str, object]]:
    """Append the calls to the run and return their scores, as rows of ``SCORES``."""
    scores: list[dict[str, object]] = []
    samples: dict[tuple[str, ...], int] = {}  # the number of the next sample of each call
    generation_ids: dict[int, str] = {}
    for call in calls:
        key = (call.example_id, call.stage, call.variant, call.model)
        sample = samples.get(key, 0) if call.sample is None else call.sample
        request = Request(
            *(call.example_id, call.request, call.stage, call.variant, sample),
            parent_generation_id=None if call.parent is None else generation_ids[id(call.parent)],
        )
        if call.sample is not None and not run.pending(call.model, None, [request]):
            raise UserError(f"sample {sample} of {call.example_id!r} by {call.model} is in the logs twice")
        generation_ids[id(call)] = generation_id = run.append(call.model, None, request, call.reply)
        if call.sample is None and call.reply.error is None:
            samples[key] = sample + 1
        scores.extend({"generation_id": generation_id, **vars(score)} for score in call.scores)
    return scores


@contextmanager
def refuse_damaged(log: Path | str, tool: str) -> Iterator[None]:
    """Turn any error of reading a log into one clear line, as logs change with the versions of their tools.

    Raises:
        UserError: The block raised an error over a value that it did not expect.
    """
    try:
        yield
    except UserError:
        raise
    except RecursionError as error:
        raise UserError(f"{log} is not a valid log of {tool}: it is nested too deeply") from error
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError, pa.ArrowException) as error:
        raise UserError(f"{log} is not a valid log of {tool}: {type(error).__name__}: {error}") from error


def example_table(rows: Sequence[Mapping[str, Any]] | pa.Table) -> pa.Table:
    """Return rows as a table; a column with nested values, or with values of several types, becomes JSON text."""
    if isinstance(rows, pa.Table):
        return rows
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns: dict[str, pa.Array] = {}
    for name in names:
        values = [row.get(name) for row in rows]
        try:
            column = pa.array(values)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            column = _json_column(values)
        if pa.types.is_struct(column.type) or pa.types.is_null(column.type) or _is_nested_list(column.type):
            column = _json_column(values)
        columns[name] = column
    return pa.table(columns)


def _json_column(values: Iterable[object]) -> pa.Array:
    return pa.array([None if value is None else json.dumps(value, default=str) for value in values], pa.string())


def _is_nested_list(type_: pa.DataType) -> bool:
    """Return true for lists of lists, of structs or of nulls."""
    if not pa.types.is_list(type_):
        return False
    return bool(pa.types.is_nested(type_.value_type) or pa.types.is_null(type_.value_type))


def read_example_rows(path: Path) -> pa.Table:
    """Read the rows of a run from a Parquet or JSON Lines file, and turn their ``id`` into text.

    Raises:
        UserError: The file cannot be read, or its rows have no ``id``.
    """
    table = read_parquet(path) if path.suffix == ".parquet" else example_table(list(read_json_lines(path)))
    if "id" not in table.column_names:
        raise UserError(f"{path} has no column `id`")
    return table.set_column(table.column_names.index("id"), "id", table["id"].cast(pa.string()))
