"""The rows of self-aware: the questions of both splits, or a sample with the same shares of labels.

A larger sample contains every smaller one, so that a run can grow.
"""

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
        limit: The number of questions; null for all. The labels keep their shares, and so do the categories (or kinds
            of source) within each label.

    Raises:
        UserError: The rows lack a column.
    """
    tables = [dataset.read(split) for split in SPLITS]
    for table in tables:
        if missing := sorted(COLUMNS - set(table.column_names)):
            raise UserError(f"{dataset.folder} has no rows of self-aware: they lack {', '.join(missing)}")
    return take_questions(tables, limit)


def own_questions(rows: Sequence[Row]) -> pa.Table:
    """Return a user's own questions as rows of self-aware.

    Args:
        rows: Rows with ``id``, ``question``, ``answers`` and ``answerable``, and possibly ``category``, ``source`` and
            ``pair_id``.

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


def take_questions(tables: list[pa.Table], limit: int | None) -> pa.Table:
    """Return the first ``limit`` questions of both tables, in the tables' shares; null for all of them."""
    if limit is None:
        return pa.concat_tables(tables)
    chosen = _in_proportion([_asking_order(table) for table in tables])[:limit]
    return pa.concat_tables(
        table.take(pa.array(sorted(place for label, place in chosen if label == number), pa.int64()))
        for number, table in enumerate(tables)
    )


def _asking_order(table: pa.Table) -> list[int]:
    """Return the indices of the rows in the order in which a growing sample takes them."""
    rows = zip(table["category"].to_pylist(), table["source"].to_pylist(), strict=True)
    strata: dict[str, list[int]] = {}
    for place, (category, source) in enumerate(rows):
        strata.setdefault(category or (source or "").partition("/")[0], []).append(place)
    return [place for _, place in _in_proportion([_spread(strata[name]) for name in sorted(strata)])]


def _in_proportion(groups: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Merge groups so that each has its share of every prefix of the result (Sainte-Laguë's method).

    Returns:
        Pairs of a group's number and a member.
    """
    turns = [
        ((turn + 0.5) / len(members), number, member)
        for number, members in enumerate(groups)
        for turn, member in enumerate(members)
    ]
    return [(number, member) for _, number, member in sorted(turns, key=lambda turn: turn[:2])]


def _spread(places: Sequence[int]) -> list[int]:
    """Reorder indices so that every prefix is spread over all of them: by the reversed bits of their position."""
    bits = len(places).bit_length()
    return [places[number] for number in sorted(range(len(places)), key=lambda number: f"{number:0{bits}b}"[::-1])]
