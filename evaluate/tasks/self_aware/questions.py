"""The rows of self-aware: the questions of both splits, a limited number of them in the labels' own shares."""

from collections.abc import Sequence

import pyarrow as pa

from selfknow.builders.self_aware.questions import SCHEMA
from selfknow.errors import UserError
from selfknow.evaluate.dataset import ConfigFiles
from selfknow.evaluate.task import Row

SPLITS = ("answerable", "unanswerable")
COLUMNS = {"id", "question", "answers", "answerable", "category", "source", "pair_id"}


def read_questions(dataset: ConfigFiles, limit: int | None = None) -> pa.Table:
    """Return the questions of both splits.

    Args:
        dataset: A config with the splits of self-aware.
        limit: Only so many; the labels keep their shares, and so do the categories (or kinds of source) within each.

    Raises:
        UserError: The rows lack a column.
    """
    tables = [dataset.read(split) for split in SPLITS]
    for table in tables:
        if missing := sorted(COLUMNS - set(table.column_names)):
            raise UserError(f"{dataset.folder} has no rows of self-aware: they lack {', '.join(missing)}")
    return take_questions(tables, limit)


def take_questions(tables: list[pa.Table], limit: int | None) -> pa.Table:
    """Return a sample of answerable and unanswerable questions in one table; null as the limit: all of them."""
    if limit is not None:
        total = sum(map(len, tables))
        first = min(len(tables[0]), round(limit * len(tables[0]) / total))
        tables = [_sample(tables[0], first), _sample(tables[1], limit - first)]
    return pa.concat_tables(tables)


def own_questions(rows: Sequence[Row]) -> pa.Table:
    """Return a user's own questions as rows of self-aware, with their category, source and pair if they have one.

    Args:
        rows: With ``id``, ``question``, ``answers`` and ``answerable``.

    Raises:
        UserError: A category, source or pair is not text.
    """
    texts = ("category", "source", "pair_id")
    for row in rows:
        for name in texts:
            if not isinstance(row.get(name), str | None):
                raise UserError(f"the {name} of question {row['id']!r} is not text: {row[name]!r}")
    return pa.Table.from_pylist(
        [{name: row.get(name) for name in SCHEMA.names if name != "flags"} | {"flags": []} for row in rows],
        schema=SCHEMA,
    )


def _sample(table: pa.Table, size: int) -> pa.Table:
    """So many rows in the table's order, evenly spaced over its strata, so that each keeps its share."""
    if size >= len(table):
        return table
    rows = zip(table["category"].to_pylist(), table["source"].to_pylist(), strict=True)
    strata = [category or (source or "").partition("/")[0] for category, source in rows]
    by_stratum = sorted(range(len(table)), key=strata.__getitem__)
    spaced = [by_stratum[(2 * place + 1) * len(table) // (2 * size)] for place in range(size)]
    return table.take(pa.array(sorted(spaced), pa.int64()))  # typed, since there may be none
