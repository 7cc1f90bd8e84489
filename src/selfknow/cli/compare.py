"""``selfknow query compare``: two models or two settings, compared on the same examples."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError

LIMIT = 10
_SHOWN = ("example_id", "value_a", "value_b", "difference", "reply_a", "reply_b")
_CELL_WIDTH = 40


def compare(
    runs: Sequence[str],
    metric: str | None,
    *,
    models: Sequence[str],
    variants: Sequence[str],
    limit: int | None,
    output_format: Format,
    mixed_revisions: bool,
) -> None:
    """Compare two sides in a metric, and print the comparison and the examples on which they differ.

    A table shows at most ``limit`` examples, 10 if it is null. JSON is one row, which holds the examples. CSV has only
    the examples; the comparison goes to stderr.
    """
    if not 1 <= len(runs) <= 2:
        raise UserError("name the two runs to compare, or one that holds both sides")
    if metric is None:
        raise UserError("name the metric to compare: --metric NAME (selfknow query metrics RUN lists them)")
    from selfknow.evaluate.connection import compare_runs

    table = compare_runs(
        runs[0],
        runs[1] if len(runs) == 2 else None,
        metric,
        models=models,
        variants=variants,
        mixed_revisions=mixed_revisions,
    )
    [row] = table.to_pylist()
    examples = row["examples"] if limit is None else row["examples"][:limit]
    if output_format is Format.json:
        print_rows([{**row, "examples": examples}], Format.json)
        return
    del row["examples"]
    if output_format is Format.csv:
        typer.echo(" ".join(f"{name}={value}" for name, value in row.items()), err=True)
        print_rows(examples, Format.csv)
        return
    _print_tables(row, examples if limit is not None else examples[:LIMIT])


def _print_tables(row: Mapping[str, Any], examples: Sequence[Mapping[str, Any]]) -> None:
    sides = [{"side": name, "is": row[name], "mean": row[f"mean_{name}"]} for name in ("a", "b")]
    print_rows([{**side, "n_higher": row[f"n_higher_{side['side']}"]} for side in sides])
    typer.echo()
    columns_by_side = {column for name in ("a", "b") for column in (name, f"mean_{name}", f"n_higher_{name}")}
    print_rows([{name: value for name, value in row.items() if name not in columns_by_side}])
    if examples:
        typer.echo()
        print_rows([{name: _cut(example[name]) for name in _SHOWN} for example in examples])
    num_hidden = row["n_higher_a"] + row["n_higher_b"] - len(examples)
    if num_hidden:
        sys.stdout.flush()
        typer.echo(
            f"{num_hidden} more examples differ: show them with --limit, --format json or --format csv", err=True
        )


def _cut(value: object) -> object:
    if not isinstance(value, str):
        return value
    line = " ".join("".join(char if char.isprintable() else " " for char in value).split())
    return line if len(line) <= _CELL_WIDTH else f"{line[: _CELL_WIDTH - 1]}…"
