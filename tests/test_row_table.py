"""Rows that display themselves, in a terminal and in a notebook, whatever they hold."""

from selfknow.row_table import RowTable

ROWS = [{"model": "a<b>\x1b[31m", "n": 1200, "mean": None}, {"model": "c", "n": 6, "mean": 0.5}]


def test_a_table_in_a_terminal_is_the_command_lines() -> None:
    assert repr(RowTable(ROWS)) == (
        "model          n    mean\n---------  -----  ------\na<b>␛[31m  1,200\nc              6  0.5000"
    )
    assert repr(RowTable([])) == ""


def test_a_table_in_a_notebook_escapes_what_a_model_said() -> None:
    html = RowTable(ROWS)._repr_html_()
    assert '<td style="text-align: left">a&lt;b&gt;␛[31m</td><td style="text-align: right">1,200</td>' in html
    assert "<b>" not in html
    assert "\x1b" not in html
    assert html.count("<tr>") == 3


def test_the_rows_are_at_hand() -> None:
    table = RowTable(ROWS)
    assert (len(table), table[1]["n"], [row["n"] for row in table]) == (2, 6, [1200, 6])
    assert repr(table[1:]) == "model  n    mean\n-----  -  ------\nc      6  0.5000"
    assert table.to_pandas()["n"].tolist() == [1200, 6]
