"""Growth of a run: a larger limit adds examples, and the replies to the earlier ones stay."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from selfknow.errors import UserError, argument
from selfknow.runs.schema import read_examples

LIMIT = "limit"
"""The only setting of a task that may change when a run is resumed; the new examples must contain the earlier ones."""


def read_limit(description: Mapping[str, Any]) -> object:
    """Return the limit in a ``run.json``; null if it has none."""
    settings = description.get("settings")
    return settings.get(LIMIT) if isinstance(settings, dict) else None


def rows_as_json(examples: pa.Table, annotations: Sequence[str]) -> Iterator[str]:
    """Yield each row as JSON without its annotations, so that the rows of two runs can be compared."""
    rows = examples.drop_columns([name for name in annotations if name in examples.column_names]).to_pylist()
    return (json.dumps(row, sort_keys=True, default=str) for row in rows)


def grown_examples(
    folder: Path,
    recorded: Mapping[str, Any],
    requested: Mapping[str, Any],
    examples: pa.Table,
    annotations: Sequence[str],
) -> pa.Table:
    """Return the examples of a run with a larger limit, with the annotations that the run has already.

    Args:
        folder: The run folder.
        recorded: The content of its ``run.json``.
        requested: The same content with the new limit.
        examples: The examples that the new limit selects.
        annotations: Columns that are not part of the run's identity.

    Raises:
        UserError: The new examples do not contain those of the run.
    """
    earlier = read_examples(folder)
    before, after = set(rows_as_json(earlier, annotations)), set(rows_as_json(examples, annotations))
    if before <= after:
        return _with_earlier_annotations(examples, earlier, annotations)
    before_limit, after_limit = read_limit(recorded), read_limit(requested)
    if after < before:
        raise UserError(
            f"{folder} holds {len(before):,} questions, and {argument(LIMIT, after_limit)} asks only {len(after):,}: "
            "a run may grow, not shrink; name a new folder"
        )
    raise UserError(
        f"{folder} is another run (the limit {after_limit} selects other questions than {before_limit}): name a "
        "new folder, or use the run's own settings"
    )


def _with_earlier_annotations(examples: pa.Table, earlier: pa.Table, annotations: Sequence[str]) -> pa.Table:
    """Return examples with the run's earlier annotations in columns that are null in every row."""
    for name in annotations:
        if name in earlier.column_names and examples[name].null_count == len(examples):
            values = dict(zip(earlier["id"].to_pylist(), earlier[name].to_pylist(), strict=True))
            ids = examples["id"].to_pylist()
            column = pa.array([values.get(example_id) for example_id in ids], examples[name].type)
            examples = examples.set_column(examples.column_names.index(name), name, column)
    return examples
