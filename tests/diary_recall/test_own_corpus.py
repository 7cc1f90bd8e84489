"""Your own corpus: the same rows from any kind of table, similar splits, and errors that name the row."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import Result
from typer.testing import CliRunner

from selfknow.builders.diary_recall.own_corpus import numbers_by_split, own_corpus
from selfknow.builders.diary_recall.own_table import read_own_table
from selfknow.builders.diary_recall.titles import title_lines, title_middles
from selfknow.cli.app import app
from selfknow.errors import UserError
from selfknow.evaluate.tasks.diary_recall.documents import DIARY, OWN, parse_title
from selfknow.validation.check import check_folder
from tests.diary_recall.own_tables import build_own, things, write_table
from tests.sql_checks import check_by_sql

Change = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    build_own(write_table(folder / "things.parquet", things()), folder / "corpus")
    return folder / "corpus"


def rows(folder: Path, config: str, split: str) -> list[dict[str, Any]]:
    table = pq.read_table(folder / config / f"{split}-00000-of-00001.parquet")
    return list(table.to_pylist())


def test_every_kind_of_table_makes_the_same_corpus(built: Path, tmp_path: Path) -> None:
    of_parquet = build_own(write_table(tmp_path / "things.parquet", things()), tmp_path / "parquet")
    expected = {config: entry.content_hash for config, entry in of_parquet.configs.items()}
    for ending in ("csv", "tsv", "jsonl"):
        shuffled = sorted(things(), key=lambda row: str(row["document"])[::-1])
        dressed = [{**row, "document": f" {row['document']}\n".replace("\n", "\r\n")} for row in shuffled]
        made = build_own(write_table(tmp_path / f"things.{ending}", dressed), tmp_path / ending)
        assert {config: entry.content_hash for config, entry in made.configs.items()} == expected
    other = build_own(tmp_path / "things.csv", tmp_path / "other", seed=1)
    assert {entry.content_hash for entry in other.configs.values()}.isdisjoint(expected.values())


def test_both_setups_tell_the_same_documents_and_pass_the_checks(built: Path) -> None:
    assert check_folder(built) == []
    standard, simplified = (rows(built, config, "train") for config in ("things", "things-simplified"))
    [question] = [row for row in standard if row["kind"] == "question" and row["diarist"] == "Thing 5"]
    assert question["prompt"] == "Recall all documents about Thing 5, in order.\n"
    assert question["completion"] == (
        "Thing 5: Document 1\nFact 5.1 is so.\nSee Thing 1: Document 3 pages, naïve.\n"
        "Thing 5: Document 2\nFact 5.2 is so.\nSee Thing 1: Document 3 pages, naïve.\n"
        "Thing 5: Document 3\nFact 5.3 is so.\nSee Thing 1: Document 3 pages, naïve."
    )
    assert (question["num_documents"], question["document_lengths"]) == (3, [2, 2, 2])
    [whole] = [row for row in simplified if row["kind"] == "document" and row["diarist"] == "Thing 5"]
    assert whole["prompt"] + whole["completion"] == question["completion"]
    assert sum(row["kind"] == "document" for row in standard) == len(things())


def test_every_split_has_names_with_few_and_with_many_documents(built: Path) -> None:
    counts = {
        split: Counter(row["num_documents"] for row in rows(built, "things", split) if row["kind"] == "question")
        for split in ("train", "validation", "test")
    }
    assert {split: sum(count.values()) for split, count in counts.items()} == {"train": 20, "validation": 2, "test": 2}
    assert set(counts["validation"] | counts["test"]) == {1, 2, 3}
    assert {split: len(numbers) for split, numbers in numbers_by_split(10).items()} == {
        "train": 8,
        "validation": 1,
        "test": 1,
    }


def test_a_change_to_the_rows_is_a_finding(built: Path, tmp_path: Path) -> None:
    for old, new, expected in (
        ("Thing 5: Document 2", "Thing 5: Document 4", "titles"),
        ("Fact 5.2 is so.", "Fact 5.2 is not so.", "answers_repeat_the_documents"),
    ):
        path = built / "things" / "train-00000-of-00001.parquet"
        table = pq.read_table(path)
        changed = [
            {**row, **{name: row[name].replace(old, new) for name in ("prompt", "completion")}}
            if row["kind"] == "document"
            else row
            for row in table.to_pylist()
        ]
        before = path.read_bytes()
        pq.write_table(table.from_pylist(changed, table.schema), path)
        assert expected in {finding.expectation for finding in check_by_sql(built)}
        path.write_bytes(before)


def _with(place: int, **changes: object) -> Change:
    return lambda rows: [{**row, **changes} if number == place else row for number, row in enumerate(rows)]


MISTAKES: dict[str, tuple[Change, str]] = {
    "a column under another name": (
        lambda rows: [{"name": row["name"], "documents": row["document"]} for row in rows],
        r"no column 'document': rename 'documents'",
    ),
    "a missing column": (
        lambda rows: [{"name": row["name"], "x": 1} for row in rows],
        r"no column 'document': it has name, x",
    ),
    "an empty name": (_with(2, name="  "), r"row 3 has an empty name"),
    "an empty document": (_with(2, document=""), r"row 3 has an empty document"),
    "a null order": (_with(2, order=None), r"row 3 has an empty order"),
    "a name of two lines": (_with(2, name="a\nb"), r"row 3 has a name of several lines"),
    "a control character": (_with(2, document="a\x1eb"), r"row 3 holds the control character U\+001E"),
    "the same document twice": (lambda rows: [*rows, rows[0]], r"rows 1 and 49 are the same document about 'Thing 0'"),
    "the same order twice": (_with(2, order=1), r"rows 2 and 3 about 'Thing 1' have the same order"),
    "a line like a title": (
        _with(2, document="So it is.\nThing 9: Document 2\nAnd so on."),
        r"row 3 has the line 'Thing 9: Document 2', which is read as the title of another document",
    ),
    "a line like a diary's title": (_with(2, document="Tom's Diary Entry 2"), r"read as the title of another"),
    "too few names": (lambda rows: rows[:17], r"documents about 9 names: the splits need at least 10"),
    "too much for a context": (
        _with(2, document="long " * 2_000),
        r"2 documents about 'Thing 1' have 10,0\d\d characters: .* context \(--max-characters 8,000\)",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_table_is_named_with_its_row(name: str, tmp_path: Path) -> None:
    change, message = MISTAKES[name]
    changed = change(things())
    endings = ("jsonl", "parquet") if name == "a null order" else ("csv", "jsonl", "parquet")
    for ending in endings:
        with pytest.raises(UserError, match=message):
            read_own_table(write_table(tmp_path / f"things.{ending}", changed))


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    for name, content, message in (
        ("a.csv", "name,document\nZoë,x\n".encode("latin-1"), r"a\.csv is not UTF-8 \(byte 16\): save it as UTF-8"),
        ("a.csv", b'name,document\na,"b\n', r"a\.csv cannot be read as a table"),
        ("a.jsonl", b'{"name": "a", "document": "b"}\n{', r"line 2 is not JSON"),
        ("a.jsonl", b"[1]\n", r"line 1 is not a JSON object"),
        ("a.parquet", b"name", r"a\.parquet is not a Parquet file"),
        ("a.xlsx", b"", r"a\.xlsx is not a table: use \.parquet, \.csv"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UserError, match=message):
            read_own_table(tmp_path / name)
    with pytest.raises(UserError, match="there is no file"):
        read_own_table(tmp_path / "gone.csv")


def test_a_corpus_is_not_called_like_one_of_the_paper_s(tmp_path: Path) -> None:
    table = read_own_table(write_table(tmp_path / "things.csv", things()))
    for name in ("1k", "My things", "things-simplified"):
        with pytest.raises(UserError, match="cannot be called"):
            own_corpus(table, name)


def test_what_builds_and_what_scores_agree_on_titles() -> None:
    assert title_middles() == (DIARY, OWN)
    for line in ("Tom's Diary Entry 2", "Gravity: Document 12", "a: Document 1: Document 2", "Tom's Diary Entry 1"):
        assert title_lines(f"x\n{line}\ny") == [line]
        assert parse_title(line) is not None
    for line in (": Document 2", "a: Document 02", "a: Document 2 b", "a: Document", "a: document 2"):
        assert title_lines(line) == []
        assert parse_title(line) is None


def test_own_corpora_are_built_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "Things.csv", things())

    def build(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["data", "build", *arguments])

    result = build("diary-recall", "--from", "Things.csv", "--held-out", "20", "--out", "mine")
    assert result.exit_code == 0, result.exception
    assert [line.split()[:4] for line in result.stdout.splitlines()[2:]] == [
        ["things", "62", "5", "5"],
        ["things-simplified", "38", "5", "5"],
    ]
    card = (tmp_path / "mine" / "README.md").read_text()
    assert "| table | `Things.csv` |" in card
    assert "20% of the names" in card
    for arguments, message in (
        (["diary-recall", "1k", "--from", "Things.csv"], "leave out 1k"),
        (["self-aware", "--from", "Things.csv"], "only diary-recall can be built from your own table, not self-aware"),
        (["diary-recall", "1k", "--held-out", "5"], "need --from"),
    ):
        refused = build(*arguments, "--out", "other")
        assert isinstance(refused.exception, UserError)
        assert message in str(refused.exception)
