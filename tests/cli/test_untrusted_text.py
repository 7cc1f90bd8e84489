"""A reply is text of a stranger: it neither moves a terminal's cursor, nor turns a line around, nor is a formula."""

import csv
import inspect
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfknow.cli.output import Format, print_rows
from selfknow.evaluate.annotation import csv_text, sheet_rows
from selfknow.files import read_rows
from selfknow.portraits.quote_view import as_terminal
from selfknow.portraits.quotes import Quote
from selfknow.report.text import cell, visible
from selfknow.row_table import RowTable
from selfknow.untrusted import for_json, for_spreadsheet, for_terminal, from_spreadsheet
from tests.conftest import REPOSITORY, Run
from tests.sql.given import ModelAnswers, question, write_run

RETITLES = "\x1b]0;owned\x07"
COLOURS = "\x9b31m"
TURNS = "\N{RIGHT-TO-LEFT OVERRIDE}gpj.exe"
HOSTILE = f"a{RETITLES}b{COLOURS}c{TURNS}\rd\x7f\b"
FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@sum(1)", "\t=1", "'=1", "''@x"]
OBEYED = set("\x1b\x07\x9b\r\x7f\b\N{RIGHT-TO-LEFT OVERRIDE}\u2028\u2066\u200f")


@pytest.mark.parametrize("format_", [Format.table, Format.json])
def test_nothing_that_is_printed_is_obeyed_by_a_terminal(format_: Format, capsys: pytest.CaptureFixture[str]) -> None:
    print_rows([{"reply": HOSTILE}], format_)
    printed = capsys.readouterr().out
    assert not OBEYED & set(printed)
    if format_ is Format.json:
        assert json.loads(printed) == [{"reply": HOSTILE}], "what is spelt out is still the same text"
    else:
        assert "␛]0;owned␇" in printed


@given(st.text())
def test_text_for_a_terminal_keeps_everything_else(text: str) -> None:
    shown = for_terminal(text)
    assert len(shown) == len(text)
    assert not OBEYED & set(shown)
    assert all(new == old for new, old in zip(shown, text, strict=True) if old.isprintable() or old in "\n\t")


@given(st.text())
def test_json_for_a_terminal_is_the_same_json(text: str) -> None:
    assert json.loads(for_json(json.dumps(text, ensure_ascii=False))) == text


def test_a_quoted_reply_and_its_brackets_keep_their_places() -> None:
    text = f"so{RETITLES}: cat"
    shown = as_terminal(text, [Quote(text.index("cat"), len(text))], colour=True)
    assert shown == "so␛]0;owned␇: \x1b[30;42mcat\x1b[0m"


def test_a_report_shows_what_it_is_given_without_obeying() -> None:
    for shown in (visible(HOSTILE), cell(HOSTILE)):
        assert not OBEYED & set(shown)


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_is_a_formula(formula: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    print_rows([{"reply": formula}], Format.csv)
    printed = capsys.readouterr().out
    [row] = csv.DictReader(io.StringIO(printed, newline=""))
    assert row["reply"] == f"'{formula}"
    (tmp_path / "rows.csv").write_text(printed)
    assert read_rows(tmp_path / "rows.csv") == [{"reply": formula}], "our own reader takes the apostrophe off again"


def test_a_sheet_of_annotators_comes_back_as_it_went(tmp_path: Path) -> None:
    sheet = tmp_path / "anna.csv"
    sheet.write_text(csv_text([{"id": "=1", "reply": FORMULAS[0], "judgement": ""}], ["id", "reply", "judgement"]))
    assert "'=cmd" in sheet.read_text()
    [(_, key, row)] = sheet_rows(sheet, "id", "judgement", ["=1"], "reply")
    assert (key, row["reply"]) == ("=1", FORMULAS[0])


@given(st.text(alphabet=st.sampled_from("'=+-@\t\ra1. ")))
def test_every_cell_comes_back(text: str) -> None:
    assert from_spreadsheet(str(for_spreadsheet(text))) == text


@pytest.mark.parametrize("number", ["-0.5", "+3", 12, -0.5, None, True])
def test_numbers_are_left_alone(number: object) -> None:
    assert for_spreadsheet(number) == number


def test_replies_of_a_run_are_safe_on_the_terminal(selfknow: Run, tmp_path: Path) -> None:
    write_run(tmp_path / "run", [question("Tom", 1)], ModelAnswers(answers={"Tom": HOSTILE}), score=False)
    for format_ in ("table", "json"):
        result = selfknow("sql", "select generation from generations", "run", "--format", format_)
        assert result.returncode == 0, result.stderr
        assert "owned" in result.stdout
        assert not OBEYED & set(result.stdout)
    refused = selfknow("sql", f"select '{RETITLES}' from nowhere", "run")
    assert refused.returncode == 2
    assert not OBEYED & set(refused.stderr)


def test_a_notebook_gets_text_without_markup_of_every_object(tmp_path: Path) -> None:
    import selfknow
    from selfknow.evaluate.run import Run as AskedRun

    write_run(tmp_path / "run", [question("Tom", 1)], ModelAnswers(answers={"Tom": f"<script>{HOSTILE}"}), score=False)
    run = AskedRun(tmp_path / "run")
    public = [getattr(selfknow, name) for name in selfknow.__all__]
    for shown in (run, run.query("overview"), *(item for item in public if inspect.isclass(item))):
        rich = [name for name in dir(shown) if name.startswith(("_repr_", "_ipython_display_"))]
        assert rich == [], f"a notebook would show {shown} as more than text"
    for room in ("evaluate", "portraits", "src", "train"):
        for source in (REPOSITORY / room).rglob("*.py"):
            assert "_repr_html_" not in source.read_text(encoding="utf-8") or source.name == "row_table.py", source
    table = RowTable([{"<b>": HOSTILE, "name": "<script>"}])
    assert not OBEYED & set(table._repr_html_())
    assert "<script>" not in table._repr_html_()
    assert "<b>" not in table._repr_html_()
