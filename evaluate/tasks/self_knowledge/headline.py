"""The first numbers of a report on self-knowledge: whether a model agrees with its own texts."""

from collections.abc import Sequence

from selfknow.evaluate.report.gather import Report
from selfknow.evaluate.report.grouping import joined, preferred, setting
from selfknow.evaluate.report.numbers import first_value, measures, number
from selfknow.evaluate.report.shape import Headline, Row

_QUERY = "self_knowledge_summary"
_MEASURES = {
    "Agrees with what it wrote": "consistent",
    "Writes what it was asked to write": "written",
    "Reads what it wrote correctly": "read",
}


def headline(report: Report) -> Headline | None:
    """Self-consistency, what was written, and what was read; in the plain style where it was asked."""
    rows = preferred(report.rows_of(_QUERY), "style", "plain")
    if not rows:
        return None
    labels = [_label(row, rows) for row in rows]
    found = measures(
        *(
            (
                name,
                _QUERY,
                [number(label, row, value, n_graded=f"n_{value}") for label, row in zip(labels, rows, strict=True)],
            )
            for name, value in _MEASURES.items()
        )
    )
    agrees = first_value(found)
    return Headline(None, None if agrees is None else f"agrees with {agrees:.0%} of what it wrote", found)


def _label(row: Row, rows: Sequence[Row]) -> str:
    """The writer, how it was asked where that differs, and who was asked about it, if that is another model."""
    asked = f"asked {row['verifier']}" if row["verifier"] != row["generator"] else ""
    return joined(row["generator"], setting(row, rows, "protocol", "wording", "stage"), asked)
