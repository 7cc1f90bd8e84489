"""The questions of ``sql/*.sql``: finding one by its name, reading what its head says, and asking it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from selfknow.errors import UserError
from selfknow.evaluate.views import size_and_setup

if TYPE_CHECKING:
    import duckdb

    from selfknow.evaluate.connection import Connection

_FIELDS = ("Source", "Grain", "Columns", "Needs")


@dataclass(frozen=True)
class Question:
    """One file of ``evaluate/sql/``.

    Attributes:
        name: The file's name, without ``.sql``.
        title: The question itself, its first line.
        source: The figure or table that it repeats, or what else it comes from.
        grain: What a row is.
        columns: What the columns are.
        needs: ``scores``, ``corpus``: what must be there for an answer to mean something.
        sql: The whole file.
    """

    name: str
    title: str
    source: str
    grain: str
    columns: str
    needs: tuple[str, ...]
    sql: str


@cache
def questions() -> dict[str, Question]:
    """All questions by name."""
    folder = files("selfknow.evaluate") / "sql"
    found = sorted(path.name for path in folder.iterdir() if path.name.endswith(".sql"))
    return {name[:-4]: _read(name[:-4], (folder / name).read_text(encoding="utf-8")) for name in found}


@cache
def questions_of_according_to() -> dict[str, Question]:
    """The questions that are asked of runs of according-to, by name."""
    folder = files("selfknow.evaluate") / "sql" / "according_to"
    found = sorted(path.name for path in folder.iterdir() if path.name.endswith(".sql"))
    return {name[:-4]: _read(name[:-4], (folder / name).read_text(encoding="utf-8")) for name in found}


def find_question(name: str) -> Question:
    """The question of this name.

    Raises:
        UserError: There is none; the near ones are named.
    """
    known = questions() | questions_of_according_to()
    if name in known:
        return known[name]
    near = get_close_matches(name.replace("-", "_"), known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "`selfknow query` lists them"
    raise UserError(f"there is no question {name!r}: {hint}")


def ask(connection: "Connection", name: str) -> "duckdb.DuckDBPyRelation":
    """Ask a question over a connection's runs.

    Raises:
        UserError: There is no such question, or something that it needs is not there.
    """
    question = find_question(name)
    if lacking := list(what_is_lacking(connection, question)):
        raise UserError(f"{name} cannot be answered: {lacking[0]}")
    return connection.sql(question.sql)


def what_is_lacking(connection: "Connection", question: Question) -> Iterator[str]:
    """What a question needs and a connection has not, each with how to mend it."""
    if "scores" in question.needs:
        for run in connection.runs:
            if not run.files["scores"]:
                yield f"{run.location} has no scores: run `selfknow score {run.location}` first"
    if "corpus" in question.needs:
        for run in connection.runs:
            size, _ = size_and_setup(run)
            if size and size not in connection.corpora:
                yield (
                    f"the documents that {run.location} asks about are not at hand: name the dataset folder that "
                    f"holds {size} (--corpus FOLDER)"
                )


def _read(name: str, sql: str) -> Question:
    lines = [line.removeprefix("--").strip() for line in _head(sql.splitlines())]
    fields: dict[str, str] = {}
    current = ""
    for line in lines[1:]:
        match = re.match(rf"({'|'.join(_FIELDS)}): ", line)
        if match:
            current = match[1]
            fields[current] = line[match.end() :]
        elif current:
            fields[current] += f" {line}"
    needs = tuple(re.findall(r"\w+", fields.get("Needs", "")))
    return Question(name, lines[0], fields["Source"], fields["Grain"], fields["Columns"], needs, sql)


def _head(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("--"):
            return
        yield line
