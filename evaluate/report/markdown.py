"""The report as Markdown, for a repository or a pull request: tables, pictures and the SQL behind folds."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from selfknow.evaluate.report.gather import Report, Row
from selfknow.evaluate.report.headline import headline
from selfknow.evaluate.report.html import cell

TABLE_ROWS = 20


def render(report: Report, title: str, pictures: Mapping[str, Sequence[tuple[str, Path]]], folder: Path) -> str:
    """The text.

    Args:
        report: What it says.
        title: Its heading.
        pictures: For each question its panels' titles and files.
        folder: Where the text will lie, to name the pictures from there.
    """
    return "\n".join(_parts(report, title, pictures, folder))


def _parts(
    report: Report, title: str, pictures: Mapping[str, Sequence[tuple[str, Path]]], folder: Path
) -> Iterator[str]:
    first = headline(report)
    yield f"# {_text(title)}\n\n**{_text(first.sentence)}**\n"
    if first.numbers:
        yield f"{first.measure}, with 95% intervals:\n"
        yield _table(
            [
                {
                    "": number.label,
                    "share": number.value,
                    "low": number.low,
                    "high": number.high,
                    "chance": number.chance,
                    "n_graded": number.n_graded,
                    "n": number.n,
                }
                for number in first.numbers
            ]
        )
    yield f"## What was run?\n\n{_table(report.calls)}"
    for section in report.answered:
        question = section.question
        yield f"## {question.title}\n\n{question.source}. {section.reading}\n"
        for name, path in pictures.get(question.name, []):
            yield f"![{_text(name or question.title)}]({_relative(path, folder)})\n"
        yield _table(section.rows)
        yield f"<details><summary>SQL</summary>\n\n```sql\n{question.sql.rstrip()}\n```\n\n</details>\n"
    absent = [section for section in report.sections if section.missing]
    if absent:
        yield "## What is not here?\n"
        yield "".join(f"- {section.question.title} {_text(str(section.missing))}\n" for section in absent)


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix().replace(" ", "%20")


def _table(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    columns = list(rows[0])
    lines = ["| " + " | ".join(column.replace("_", " ") for column in columns) + " |"]
    lines.append("| " + " | ".join("---:" if _is_number(rows, column) else "---" for column in columns) + " |")
    lines += [
        "| " + " | ".join(_text(cell(row[column], column)) for column in columns) + " |" for row in rows[:TABLE_ROWS]
    ]
    more = f"\nThe first {TABLE_ROWS} of {len(rows):,} rows.\n" if len(rows) > TABLE_ROWS else ""
    return "\n".join(lines) + "\n" + more


def _is_number(rows: Sequence[Row], column: str) -> bool:
    return all(isinstance(row[column], int | float | None) for row in rows)


def _text(text: str) -> str:
    """Text that neither Markdown nor HTML reads anything into."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{char}" if char in "\\`*_[]|#" else char for char in escaped)
