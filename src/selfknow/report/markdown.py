"""The report as Markdown, for a repository or a pull request, with tables, pictures and folded SQL."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from selfknow.report.gather import Report
from selfknow.report.headline import MOST_NUMBERS, headline
from selfknow.report.markdown_exhibits import exhibit_parts
from selfknow.report.shape import Number, Row
from selfknow.report.text import cell, plain
from selfknow.sql.queries import Query
from selfknow.untrusted import for_terminal

TABLE_ROWS = 20


def render(report: Report, title: str, pictures: Mapping[str, Sequence[tuple[str, Path]]], folder: Path) -> str:
    """Return the report in Markdown.

    Args:
        report: The report.
        title: Its heading.
        pictures: For each query the titles and files of its panels.
        folder: The folder of the Markdown file, from which paths to the pictures are relative.
    """
    exhibits = (exhibit for task_exhibits in report.exhibits.values() for exhibit in task_exhibits)
    replies = (part for exhibit in exhibits for part in (*exhibit_parts(exhibit), _sql(exhibit.query)))
    page = "\n".join([*_head(report, title), *_sections(report, pictures, folder), *replies, *_absent(report)])
    return for_terminal(page)  # names, titles and paths may hold control characters


def _head(report: Report, title: str) -> Iterator[str]:
    first = headline(report)
    yield f"# {plain(title)}\n\n**{plain(first.title)}**\n"
    yield from (f"{plain(sentence)}\n" for sentence in first.missing)
    for topic in first.topics:
        yield f"## {plain(topic.title)}\n"
        findings = [
            f"- **{plain(finding.verdict.text)}** ({plain(finding.label)}). {plain(finding.sentence)}\n"
            for finding in topic.findings[:MOST_NUMBERS]
        ]
        notes = [f"- {plain(note.text)} **{note.value}** ({note.interval}).\n" for note in topic.notes]
        yield "".join([*findings, *notes])
        rows = [
            {"": measure.name, **_number_row(number)}
            for measure in topic.measures
            for number in measure.numbers[:MOST_NUMBERS]
        ]
        yield _table(rows)
        queries = dict.fromkeys(f"`selfknow query {measure.query.name} RUN…`" for measure in topic.measures)
        yield f"With 95% intervals, from {' and '.join(queries)}.\n"
    yield f"## What was run?\n\n{_table(report.calls)}"


def _number_row(number: Number) -> Row:
    return {
        "model": number.label,
        "share": number.value,
        "low": number.low,
        "high": number.high,
        "chance": number.chance,
        "counts": number.counts,
    }


def _sections(report: Report, pictures: Mapping[str, Sequence[tuple[str, Path]]], folder: Path) -> Iterator[str]:
    for section in report.answered:
        query = section.query
        yield f"## {query.title}\n\n{query.source}. {section.figure.reading}\n"
        for name, path in pictures.get(query.name, []):
            yield f"![{plain(name or query.title)}]({_relative(path, folder)})\n"
        yield _table(section.rows, section.figure.shares)
        yield _sql(query)


def _sql(query: Query) -> str:
    return f"<details><summary>SQL</summary>\n\n```sql\n{query.sql.rstrip()}\n```\n\n</details>\n"


def _absent(report: Report) -> Iterator[str]:
    absent = [section for section in report.sections if section.missing]
    if absent:
        yield "## What is missing?\n"
        yield "".join(f"- {section.query.title} {plain(str(section.missing))}\n" for section in absent)


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix().replace(" ", "%20")


def _table(rows: Sequence[Row], shares: Collection[str] = ()) -> str:
    if not rows:
        return ""
    columns = list(rows[0])
    lines = ["| " + " | ".join(column.replace("_", " ") for column in columns) + " |"]
    lines.append("| " + " | ".join("---:" if _is_number(rows, column) else "---" for column in columns) + " |")
    lines += [
        "| " + " | ".join(plain(cell(row[column], column, shares)) for column in columns) + " |"
        for row in rows[:TABLE_ROWS]
    ]
    more = f"\nThe first {TABLE_ROWS} of {len(rows):,} rows.\n" if len(rows) > TABLE_ROWS else ""
    return "\n".join(lines) + "\n" + more


def _is_number(rows: Sequence[Row], column: str) -> bool:
    return all(isinstance(row[column], int | float | None) for row in rows)
