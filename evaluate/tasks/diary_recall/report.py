"""The first numbers of a report on diary recall: how many diaries are recalled exactly, in each setup."""

from collections.abc import Sequence

from selfknow.evaluate.tasks.diary_recall.exhibits import exhibits
from selfknow.evaluate.tasks.diary_recall.figures import FIGURES
from selfknow.evaluate.tasks.diary_recall.task import DIARY_RECALL
from selfknow.report.gather import Report
from selfknow.report.grouping import setting
from selfknow.report.numbers import beside_chance, measures, number
from selfknow.report.shape import Headline, Note, Number, Row
from selfknow.report.task import TaskReport

_GAPS = 3  # more of them are left to their figure


def headline(report: Report) -> Headline | None:
    """Whole answers exactly right, the number of entries, and single entries; null where nothing was scored."""
    exact = [number(row["label"], row, "accuracy") for row in report.rows_of("accuracy_by_size")]
    graded = [one for one in exact if one.value is not None]
    counts = [number(row["label"], row, "right_count") for row in report.rows_of("count_and_content")]
    entries = [
        number(row["label"], row, "document_recall", n_graded="n_documents", n="n_documents", chance=None)
        for row in report.rows_of("count_content_and_documents")
    ]
    if not exact:
        return None
    found = measures(
        report,
        ("Whole answers exactly right", "accuracy_by_size", exact),
        ("The right number of entries", "count_and_content", counts),
        ("Entries right, however they are set", "count_content_and_documents", entries),
    )
    gaps = report.rows_of("setup_gap")
    return Headline(
        _sentence(graded, gaps),
        None if exact[0].value is None else f"recalls {_share(exact[0])} of diaries exactly{beside_chance(exact[0])}",
        found,
        [_note(gap, gaps) for gap in gaps] if len(gaps) <= _GAPS else [],
        first_is_large=True,
    )


def _sentence(numbers: Sequence[Number], gaps: Sequence[Row]) -> str:
    if not numbers:
        return "Nothing has been scored yet."
    if len(gaps) == 1 and len(numbers) == 2:
        together, apart = (_of_value(numbers, gaps[0][f"accuracy_{setup}"]) for setup in ("simplified", "standard"))
        return (
            f"{_share(together)} of diaries recalled exactly when each was one document{beside_chance(together)}, "
            f"{_share(apart)} when each entry was a document of its own{beside_chance(apart)}."
        )
    best = max(numbers, key=_value)
    if len(numbers) == 1:
        return f"{best.label} recalls {_share(best)} of diaries exactly{beside_chance(best)}."
    below = sum(one.is_below_chance for one in numbers)
    return f"{best.label} recalls the most: {_share(best)} of diaries exactly{beside_chance(best)}." + (
        f" {below} of {len(numbers)} are below chance." if below else ""
    )


def _of_value(numbers: Sequence[Number], value: float) -> Number:
    return next(one for one in numbers if one.value == value)


def _share(number: Number) -> str:
    return f"{_value(number):.0%}"


def _value(number: Number) -> float:
    assert number.value is not None, "what cannot be graded is no headline number"
    return number.value


def _note(gap: Row, gaps: Sequence[Row]) -> Note:
    size = setting(gap, gaps, "dataset_size")
    return Note(
        f"{gap['model_label']}{size and ', '}{size}: one document a diary instead of several changes accuracy by",
        f"{gap['gap'] * 100:+.0f} points",
        f"{gap['low'] * 100:+.0f} to {gap['high'] * 100:+.0f}",
    )


REPORT = TaskReport(
    name=DIARY_RECALL.name,
    question=DIARY_RECALL.question,
    figures=FIGURES,
    headline=headline,
    exhibits=exhibits,
)
