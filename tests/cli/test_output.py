import json

import pytest

from selfknow.cli.output import Format, print_rows

ROWS = [{"name": "a, b", "count": 1234, "share": 0.5}, {"name": "ü", "count": None, "share": 1.0}]


def test_a_table_is_aligned_with_numbers_to_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(ROWS)
    assert capsys.readouterr().out == (
        "name  count   share\n----  -----  ------\na, b  1,234  0.5000\nü            1.0000\n"
    )


def test_csv_quotes_what_holds_a_comma(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(ROWS, Format.csv)
    assert capsys.readouterr().out == 'name,count,share\n"a, b",1234,0.5\nü,,1.0\n'


def test_json_gives_back_the_rows(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(ROWS, Format.json)
    assert json.loads(capsys.readouterr().out) == ROWS


def test_no_rows_are_an_empty_list_in_json_and_nothing_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    for format_, expected in ((Format.json, "[]\n"), (Format.csv, ""), (Format.table, "")):
        print_rows([], format_)
        assert capsys.readouterr().out == expected
