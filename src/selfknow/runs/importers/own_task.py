"""What a task of this package writes beside each sample, when another tool asks it, so that its log can be read back.

A sample carries, under the name :data:`MARK`, which task it is of, where its row is from, the row itself with the types
of its columns, and which call it begins with. An import makes the run of it that ``selfknow evaluate`` would have made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from selfknow.errors import UserError
from selfknow.runs.description import DatasetReference
from selfknow.runs.importers.run import ImportedCall, Log

MARK = "selfknow"
CALLS = "calls"
"""Beside the mark: the calls that a sample came to, where the tool's own record holds the last one alone."""


@dataclass(frozen=True)
class OwnSample:
    """A sample of a task of this package.

    Attributes:
        task: Its task.
        dataset: Where its row is from.
        decoding: How replies are drawn where the tool is told nothing else.
        settings: What makes it this run, as ``run.json`` has it.
        types: The types of the row's columns, by name, as :func:`types_of` gives them.
        row: The row.
        stage: Of the call that the sample begins with.
        variant: Of the same.
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
        """The fields."""
        return asdict(self)

    @property
    def reference(self) -> DatasetReference:
        """Where the row is from."""
        return DatasetReference(**self.dataset)


def read_own_sample(value: Mapping[str, Any]) -> OwnSample:
    """A sample as :meth:`OwnSample.as_json` wrote it.

    Raises:
        UserError: It was written by another version, or changed.
    """
    try:
        return OwnSample(**value)
    except TypeError as error:
        raise UserError(f"what the log says of its samples under {MARK!r} is damaged: {error}") from error


def types_of(schema: pa.Schema) -> dict[str, str]:
    """The types of columns as text.

    Raises:
        UserError: A column is neither plain nor a list of plain values.

    Example:
        >>> types_of(pa.schema({"id": pa.string(), "answers": pa.list_(pa.string())}))
        {'id': 'string', 'answers': 'list string'}
    """
    return {one.name: _type_name(one.type) for one in schema}


def _type_name(type_: pa.DataType) -> str:
    if pa.types.is_list(type_):
        return f"list {_type_name(type_.value_type)}"
    if pa.types.is_nested(type_) or pa.types.is_dictionary(type_):
        raise UserError(f"rows with a column of type {type_} cannot be carried in another tool's log")
    return str(type_)


def table_of(samples: Sequence[OwnSample]) -> pa.Table:
    """The rows of samples as the table that was asked, each row once.

    Raises:
        UserError: Two samples have one id and other rows, or a value is not of its column's type.
    """
    rows: dict[str, Mapping[str, Any]] = {}
    for sample in samples:
        if rows.setdefault(str(sample.row["id"]), sample.row) != sample.row:
            raise UserError(f"the log holds two different rows with the id {sample.row['id']!r}: import one log of one")
    try:
        schema = pa.schema({name: _type(text) for name, text in samples[0].types.items()})
        return pa.Table.from_pylist(list(rows.values()), schema=schema)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise UserError(f"what the log says of its samples under {MARK!r} is damaged: {error}") from error


def _type(text: str) -> pa.DataType:
    if text.startswith("list "):
        return pa.list_(_type(text.removeprefix("list ")))
    return pa.type_for_alias(text)


def own_log(
    samples: Sequence[OwnSample], calls: Sequence[ImportedCall], decoding: Mapping[str, Any], source: str
) -> Log:
    """A log of a task of this package, which its own scorer scores; scores of the log are left out.

    Args:
        samples: All of them.
        calls: All calls.
        decoding: How replies were drawn, as far as the log says.
        source: The tool that wrote it.

    Raises:
        UserError: The samples are of several tasks or sets.
    """
    first = samples[0]
    for sample in samples:
        if (sample.task, sample.dataset, sample.settings) != (first.task, first.dataset, first.settings):
            raise UserError(f"the log holds samples of {first.task} and {sample.task}: import logs of one task and set")
    return Log(first.task, first.reference, table_of(samples), calls, decoding, source, first.settings)
