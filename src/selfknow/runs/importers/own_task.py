"""Samples of this package's tasks in the logs of other tools.

Inspect or lm-evaluation-harness can run a task of this package. Each sample in the log then has a record under the key
:data:`RECORD_KEY`: its task, its dataset, its row with the types of its columns, and the kind of its first call. With
these records, an import makes the run that ``selfknow evaluate`` would have made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from selfknow.errors import UserError
from selfknow.runs.description import DatasetReference
from selfknow.runs.importers.run import ImportedCall, ImportedLog

RECORD_KEY = "selfknow"
"""The key of the record in a sample's metadata."""

CALLS = "calls"
"""The key of a sample's calls in its metadata; the tool's own record holds only the last call."""


@dataclass(frozen=True)
class OwnSample:
    """The record of a sample of a task of this package.

    Attributes:
        task: Name of its task.
        dataset: The dataset of its row, as the fields of a :class:`DatasetReference`.
        decoding: The task's decoding, which the tool's own options may overwrite.
        settings: The run's settings, as in ``run.json``.
        types: The types of the row's columns, by name, as :func:`column_types` returns them.
        row: The row.
        stage: The stage of the sample's first call.
        variant: The variant of the sample's first call.
    """

    task: str
    dataset: Mapping[str, Any]
    decoding: Mapping[str, Any]
    settings: Mapping[str, Any]
    types: Mapping[str, str]
    row: Mapping[str, Any] = field(default_factory=dict)
    stage: str = "answer"
    variant: str = "plain"

    def as_json(self) -> dict[str, Any]:
        """Return the fields as a dict that JSON can hold."""
        return asdict(self)

    @property
    def reference(self) -> DatasetReference:
        """The reference to the row's dataset."""
        return DatasetReference(**self.dataset)


def read_own_sample(value: Mapping[str, Any]) -> OwnSample:
    """Read a sample that :meth:`OwnSample.as_json` wrote.

    Raises:
        UserError: The record is damaged, or another version wrote it.
    """
    try:
        return OwnSample(**value)
    except TypeError as error:
        raise UserError(f"the log's record of its samples under {RECORD_KEY!r} is damaged: {error}") from error


def column_types(schema: pa.Schema) -> dict[str, str]:
    """Return the types of a schema's columns as text, by name.

    Raises:
        UserError: A column's values are neither plain values nor lists of plain values.

    Example:
        >>> column_types(pa.schema({"id": pa.string(), "answers": pa.list_(pa.string())}))
        {'id': 'string', 'answers': 'list string'}
    """
    return {column.name: _type_name(column.type) for column in schema}


def _type_name(type_: pa.DataType) -> str:
    if pa.types.is_list(type_):
        return f"list {_type_name(type_.value_type)}"
    if pa.types.is_nested(type_) or pa.types.is_dictionary(type_):
        raise UserError(f"rows with a column of type {type_} cannot be carried in another tool's log")
    return str(type_)


def example_rows(samples: Sequence[OwnSample]) -> pa.Table:
    """Return the rows of the samples as a table, each row once.

    Raises:
        UserError: Two samples with one id have different rows, or a value is not of its column's type.
    """
    rows: dict[str, Mapping[str, Any]] = {}
    for sample in samples:
        if rows.setdefault(str(sample.row["id"]), sample.row) != sample.row:
            raise UserError(
                f"the log holds two different rows with the id {sample.row['id']!r}: import logs of one dataset"
            )
    try:
        schema = pa.schema({name: _type(text) for name, text in samples[0].types.items()})
        return pa.Table.from_pylist(list(rows.values()), schema=schema)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise UserError(f"the log's record of its samples under {RECORD_KEY!r} is damaged: {error}") from error


def _type(text: str) -> pa.DataType:
    if text.startswith("list "):
        return pa.list_(_type(text.removeprefix("list ")))
    return pa.type_for_alias(text)


def own_log(
    samples: Sequence[OwnSample], calls: Sequence[ImportedCall], decoding: Mapping[str, Any], source: str
) -> ImportedLog:
    """Return the log of a task of this package without the tool's scores; the task's own scorer scores the run.

    Args:
        samples: All samples of the log.
        calls: All calls of the log.
        decoding: The known decoding settings.
        source: Name of the tool that wrote the log.

    Raises:
        UserError: The samples are of several tasks or datasets.
    """
    first = samples[0]
    for sample in samples:
        if (sample.task, sample.dataset, sample.settings) != (first.task, first.dataset, first.settings):
            raise UserError(
                f"the log holds samples of {first.task} and {sample.task}: import logs of one task and dataset"
            )
    return ImportedLog(first.task, first.reference, example_rows(samples), calls, decoding, source, first.settings)
