"""The end of a plan: the results of each cell, the plan's queries and figures, and the paper's numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.files import read_json
from selfknow.reproduce.cells import EVALUATE, TRAIN, TUNE, Cell
from selfknow.reproduce.plan import Plan
from selfknow.reproduce.published import published_table
from selfknow.reproduce.states import State, States

if TYPE_CHECKING:
    from selfknow.sql.connection import Connection

Row = Mapping[str, object]
# The columns of results, and the names that a training or an evaluation may give a result.
_RESULTS = {
    "steps": ("last_step",),
    "epochs": ("epochs",),
    "tokens": ("tokens",),
    "recall_of_documents": ("recall_of_documents",),
    "recall_of_training_questions": ("recall_of_training_questions",),
    "exact_match": ("test_exact_match", "exact_match"),
    "replies": ("replies",),
}


@dataclass(frozen=True)
class Conclusion:
    """The results of a plan's cells together: the rows of its queries, its figures, and the paper's numbers.

    Attributes:
        queries: The rows of each query, by its name; a text gives the reason why there are none.
        figures: The file of each figure, by its name; a text gives the reason why there is none.
        published: The paper's tables, by ``PAPER, TABLE``.
    """

    queries: Mapping[str, Sequence[Row] | str] = field(default_factory=dict)
    figures: Mapping[str, Path | str] = field(default_factory=dict)
    published: Mapping[str, Sequence[Row]] = field(default_factory=dict)


def cell_rows(cells: Sequence[Cell], states: States) -> list[dict[str, object]]:
    """Return a row for each cell: its state, time and results; columns that no cell fills are left out."""
    rows: list[dict[str, object]] = []
    for cell in cells:
        record = states.read(cell)
        seconds = None if record.seconds is None else round(record.seconds)
        results = _results(cell) if record.state is State.finished else {}
        columns = {
            column: next((results[name] for name in names if name in results), None)
            for column, names in _RESULTS.items()
        }
        rows.append(
            {"cell": cell.name, "state": record.state.value, "seconds": seconds, **columns, "error": record.error}
        )
    filled_columns = {name for row in rows for name, value in row.items() if value is not None}
    return [{name: value for name, value in row.items() if name in filled_columns} for row in rows]


def _results(cell: Cell) -> dict[str, Any]:
    if cell.kind == TRAIN:
        training: Any = read_json(cell.folder / "run.json")
        return dict(training.get("results") or {})
    if cell.kind == TUNE:
        return {}
    from selfknow.runs.schema import last_attempts, read_generations

    return {"replies": len(last_attempts(read_generations(cell.folder)))}


def runs_of(cells: Sequence[Cell], states: States) -> list[Path]:
    """Return the run folders for the plan's queries.

    These are its evaluations, the tuned models' runs on GSM8K, and the test of each training without an evaluation.
    """
    finished = _finished(cells, states)
    tests = [cell.folder / "test" for cell in _only_tested(finished)]
    tuned = [run for cell in finished if cell.kind == TUNE for run in sorted(cell.folder.glob("*/*/gsm8k"))]
    return [*tests, *(cell.folder for cell in finished if cell.kind == EVALUATE), *tuned]


def trainings_asked(cells: Sequence[Cell], states: States) -> list[Cell]:
    """Return the finished trainings whose corpora the runs of :func:`runs_of` ask about."""
    finished = _finished(cells, states)
    sources = [*_only_tested(finished), *(cell for cell in finished if cell.kind == EVALUATE)]
    names = {cell.data for cell in sources}
    return [cell for cell in finished if cell.kind == TRAIN and cell.data in names]


def _finished(cells: Sequence[Cell], states: States) -> list[Cell]:
    return [cell for cell in cells if states.read(cell).state is State.finished]


def _only_tested(finished: Sequence[Cell]) -> list[Cell]:
    sources = {cell.trained_by for cell in finished}
    return [cell for cell in finished if cell.kind == TRAIN and cell not in sources]


def conclude(plan: Plan, runs: Sequence[Path], corpora: Sequence[Path], folder: Path) -> Conclusion:
    """Run the plan's queries, draw its figures into ``FOLDER/figures``, and look up the paper's numbers.

    Args:
        plan: The plan.
        runs: The run folders.
        corpora: Dataset folders that queries may join against.
        folder: The folder of the plan's cells.
    """
    published = {
        f"{paper}, {table}": rows for paper, table in plan.published_tables if (rows := published_table(paper, table))
    }
    if not runs:
        return Conclusion(published=published)
    from selfknow.evaluate.connection import connect

    with connect(runs, corpora=corpora) as connection:
        queries = {name: _query(connection, name) for name in plan.query}
        return Conclusion(queries, dict(_figures(plan, connection, folder / "figures")), published)


def _query(connection: "Connection", name: str) -> list[Row] | str:
    from selfknow.sql.queries import query_rows

    try:
        return [*query_rows(connection, name)]
    except UserError as error:
        return str(error)


def _figures(plan: Plan, connection: "Connection", folder: Path) -> Iterator[tuple[str, Path | str]]:
    if not plan.figures:
        return
    from selfknow.evaluate.catalogue import task_reports
    from selfknow.report.write import require_report_extra, write_figure

    for name in plan.figures:
        path = folder / f"{name.rpartition('/')[2]}.svg"
        try:
            require_report_extra()
            write_figure(connection, task_reports(), name, path, title=plan.title)
            yield name, path
        except UserError as error:
            yield name, str(error)
