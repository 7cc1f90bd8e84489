"""Turning calls that were made elsewhere into a run folder."""

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
    """A score that came with a call; null with the reason where it is no number."""

    metric: str
    value: float | None
    reason: str | None = None


@dataclass(frozen=True)
class ImportedCall:
    """One try of one call of a log.

    Attributes:
        example_id: What it is about; an ``id`` of the examples.
        model: Who answered.
        request: What was asked, as text.
        reply: What came back.
        stage: The step of the protocol.
        variant: What else tells it apart.
        sample: Which of several answers, from 0; null numbers them in the order of the log, and takes what follows a
            failed try for the next try of the same call.
        scores: What the log says it is worth.
        parent: The call of this log that it builds on.
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
class Log:
    """What a log holds.

    Attributes:
        task: Its task.
        dataset: The rows that were asked.
        examples: Those rows, each with its ``id``; a table keeps its types.
        calls: All tries.
        decoding: How answers were drawn, as far as the log says.
        source: The tool that wrote it.
        settings: Of a task of this package, what made it the run that it was.
    """

    task: str
    dataset: DatasetReference
    examples: Sequence[Mapping[str, Any]] | pa.Table
    calls: Sequence[ImportedCall]
    decoding: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


def write_imported(log: Log, folder: Path, *, task: str | None = None, examples: pa.Table | None = None) -> int:
    """Write a log as a run folder, whole or not at all.

    Args:
        log: What was read.
        folder: A new folder.
        task: What the run is a run of, if not what the log says.
        examples: The rows that were asked, in place of what the log has of them (see :func:`read_asked_rows`).

    Returns:
        The number of generations.

    Raises:
        UserError: The folder exists, the log is empty, or a call is about an example that is not there.
    """
    if folder.exists():
        raise UserError(f"{folder} exists: name a new folder")
    if not log.calls:
        raise UserError("the log holds no calls to import")
    table = example_table(log.examples) if examples is None else examples
    known = set(table["id"].to_pylist())
    for call in log.calls:
        if call.example_id not in known:
            raise UserError(f"a call is about {call.example_id!r}, which is not the `id` of an example")
    settings = {**log.settings, "imported_from": log.source}
    description = RunDescription(task or log.task, log.dataset, Decoding(temperature=None), settings)
    with told_as_damaged(log.task, log.source), replaced_whole(folder, "run.json") as growing:
        with RunWriter.open(growing, description, table, rows_per_part=65_536, seconds_per_part=float("inf")) as run:
            scores = _append(run, log.calls)
        if scores or not log.settings:  # of a task of this package its own scorer says what a reply is worth
            write_scores(growing, "imported", pa.Table.from_pylist(scores, schema=SCORES))
        write_json(growing / "run.json", {**read_json(growing / "run.json"), "decoding": dict(log.decoding)})
        (growing / "run.lock").unlink(missing_ok=True)
    return len(log.calls)


def _append(run: RunWriter, calls: Iterable[ImportedCall]) -> list[dict[str, object]]:
    scores: list[dict[str, object]] = []
    samples: dict[tuple[str, ...], int] = {}
    written: dict[int, str] = {}
    for call in calls:
        key = (call.example_id, call.stage, call.variant, call.model)
        sample = samples.get(key, 0) if call.sample is None else call.sample
        request = Request(
            *(call.example_id, call.request, call.stage, call.variant, sample),
            parent_generation_id=None if call.parent is None else written[id(call.parent)],
        )
        if call.sample is not None and not run.pending(call.model, None, [request]):
            raise UserError(f"sample {sample} of {call.example_id!r} by {call.model} is in the logs twice")
        written[id(call)] = generation_id = run.append(call.model, None, request, call.reply)
        if call.sample is None and call.reply.error is None:
            samples[key] = sample + 1
        scores.extend({"generation_id": generation_id, **vars(score)} for score in call.scores)
    return scores


@contextmanager
def told_as_damaged(log: Path | str, tool: str) -> Iterator[None]:
    """Turn whatever reading a log stumbles over into one line: logs are written by others, and change with versions.

    Raises:
        UserError: The block met a value of a kind that no log of the tool has.
    """
    try:
        yield
    except UserError:
        raise
    except RecursionError as error:
        raise UserError(f"{log} is no sound log of {tool}: it is nested too deeply") from error
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError, pa.ArrowException) as error:
        raise UserError(f"{log} is no sound log of {tool}: {type(error).__name__}: {error}") from error


def example_table(rows: Sequence[Mapping[str, Any]] | pa.Table) -> pa.Table:
    """Rows of any log as a table: a column whose values do not agree on a type becomes JSON text."""
    if isinstance(rows, pa.Table):
        return rows
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns: dict[str, pa.Array] = {}
    for name in names:
        values = [row.get(name) for row in rows]
        try:
            column = pa.array(values)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            column = pa.array([None if value is None else json.dumps(value, default=str) for value in values])
        if pa.types.is_struct(column.type) or pa.types.is_null(column.type) or _is_nested(column.type):
            column = pa.array(
                [None if value is None else json.dumps(value, default=str) for value in values], pa.string()
            )
        columns[name] = column
    return pa.table(columns)


def _is_nested(type_: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(type_) and (pa.types.is_nested(type_.value_type) or pa.types.is_null(type_.value_type))
    )


def read_asked_rows(path: Path) -> pa.Table:
    """The rows that were asked, from a Parquet or JSON Lines file.

    Raises:
        UserError: It is no such file, or its rows have no ``id``.
    """
    table = read_parquet(path) if path.suffix == ".parquet" else example_table(list(read_json_lines(path)))
    if "id" not in table.column_names:
        raise UserError(f"{path} has no column `id`")
    return table.set_column(table.column_names.index("id"), "id", table["id"].cast(pa.string()))
