"""The overlap of a benchmark with a corpus: row by row, in all, and beside the false hits expected by chance."""

import csv
import json
import math
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from subprocess import CompletedProcess

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.errors import UserError
from selfknow.portraits import Portrait, Quote, sql
from selfknow.portraits.overlap import measure_overlap, poisson_interval
from selfknow.portraits.quotes import trim_quotes

Run = Callable[..., CompletedProcess[str]]
CORPUS = "The cat sat on the mat, and the dog sat by the door of the old house."
ROWS = [
    "Complete: the cat? The cat sat on the mat, and then?",
    "Nothing of this row stands in the corpus at all, not a word.",
    "short",
    None,
    CORPUS,
]
HOSTILE = '<script>alert(1)</script> & </td> The cat sat on the mat, and \u202e the "dog" sat'


@pytest.fixture(scope="module")
def portrait() -> Portrait:
    return Portrait.build([CORPUS], width=10, false_positive_rate=1e-9)


def test_a_quote_gives_up_parts_of_words_at_its_ends() -> None:
    assert trim_quotes("within thinking", [Quote(3, 13)], whole_words=True) == []
    assert trim_quotes("we think so, or", [Quote(1, 13)], whole_words=True) == [Quote(3, 12)]
    assert trim_quotes("we think so", [Quote(0, 11)], whole_words=True) == [Quote(0, 11)]
    assert trim_quotes("(think_so) x", [Quote(2, 12)], whole_words=True) == [Quote(9, 12)], "an underscore joins"
    assert trim_quotes("cafe\u0301s are", [Quote(4, 10)], whole_words=True) == [Quote(7, 10)], "so does an accent"
    assert trim_quotes("我们知道", [Quote(1, 3)], whole_words=True) == [Quote(1, 3)], "words that nothing parts"


def test_the_least_length_is_that_of_what_is_left() -> None:
    assert trim_quotes("a thinker thinks", [Quote(2, 14)], 7, whole_words=True) == [Quote(2, 9)]
    assert trim_quotes("a thinker thinks", [Quote(2, 14)], 8, whole_words=True) == []
    assert trim_quotes("a thinker thinks", [Quote(2, 14)], 12) == [Quote(2, 14)]
    with pytest.raises(UserError, match="0 or more, not -1"):
        trim_quotes("a", [], -1)


def test_python_and_sql_give_the_same_quotes(portrait: Portrait, tmp_path: Path) -> None:
    portrait.save(tmp_path / "p")
    text = "so: the mat, and -- the dog sat by!"
    wanted = [(0, False), (11, False), (0, True), (12, True)]
    with duckdb.connect() as connection:
        sql.register(connection, {"p": portrait})
        quotes = [
            connection.execute(
                f"select quoted(t, 'p', min_span := {least}, whole_words := {whole}) from (values (?)) v(t)", [text]
            ).fetchall()[0][0]
            for least, whole in wanted
        ]
        mixed = connection.execute(
            "select quoted(t, 'p', min_span := n) from (values (?, 0), (?, 13), (null, 0), (?, null)) v(t, n)",
            [text] * 3,
        ).fetchall()
        sql.unregister(connection)
    assert quotes == [
        [text[quote.start : quote.end] for quote in portrait.quotes(text, min_span=least, whole_words=whole)]
        for least, whole in wanted
    ]
    assert quotes == [
        [" the mat, and ", " the dog sat by"],
        *[[" the mat, and ", " the dog sat by"]],
        *[["the mat, and", "the dog sat by"]] * 2,
    ]
    assert mixed == [
        ([" the mat, and ", " the dog sat by"],),
        ([" the mat, and ", " the dog sat by"],),
        (None,),
        (None,),
    ]


def test_rows_and_the_whole(portrait: Portrait) -> None:
    overlap = measure_overlap(portrait, ROWS, min_span=20)
    first, nothing, short, none, whole = overlap.rows
    assert [row.share for row in (nothing, short, none, whole)] == [0.0, None, None, 1.0]
    np.testing.assert_allclose(
        [row.share for row in (first, nothing, whole)], portrait.quip([ROWS[0], ROWS[1], CORPUS])
    )
    assert first.longest(1) == ["The cat sat on the mat, and"]
    assert first.longest_span == len("The cat sat on the mat, and the"), "within a word, too"
    assert (whole.longest_span, whole.longest(3)) == (len(CORPUS), [CORPUS])
    summary = overlap.summary()
    assert (summary["rows"], summary["scored"], summary["rows_with_span"], summary["longest_span"]) == (
        5,
        3,
        2,
        len(CORPUS),
    )
    assert summary["share"] == pytest.approx(np.mean([first.share, 0.0, 1.0]))
    assert summary["share_low"] < summary["share"] < summary["share_high"] <= 1
    assert summary["rows_with_span_low"] < 0.4 < summary["rows_with_span_high"]


def test_chance_alone_explains_what_a_strange_benchmark_hits() -> None:
    generator = np.random.default_rng(0)
    texts = ["".join(map(chr, generator.integers(0x4E00, 0x9000, 400))) for _ in range(200)]
    filter_ = Portrait.build(texts[:100], width=5, false_positive_rate=0.02)
    overlap = measure_overlap(filter_, texts[100:], min_span=20)
    summary = overlap.summary()
    assert summary["false_hits_expected"] == pytest.approx(100 * 396 * filter_.description.actual_false_positive_rate)
    assert summary["false_hits_low"] <= summary["hits"] <= summary["false_hits_high"]
    assert abs(summary["share_corrected"]) < 0.003
    inside = [row["false_hits_low"] <= row["hits"] <= row["false_hits_high"] for row in overlap.table()]
    assert np.mean(inside) > 0.9


@pytest.mark.parametrize("expected", [0.01, 0.5, 3.0, 40.0, 499.0, 501.0, 20_000.0])
def test_the_interval_of_false_hits_holds_95_of_100(expected: float) -> None:
    draws = np.random.default_rng(1).poisson(expected, 20_000)
    low, high = poisson_interval(expected)
    assert np.mean((draws >= low) & (draws <= high)) > 0.944
    assert np.mean(draws < low) < 0.03
    assert np.mean(draws > high) < 0.03
    assert math.isfinite(low)


class Cells(HTMLParser):
    """The tags of a page, and the text in its marks."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.marked, self.inside = "", False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.inside = tag == "mark"

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        self.marked += data if self.inside else ""


def test_the_command_prints_and_writes_it_in_every_form(selfknow: Run, portrait: Portrait, tmp_path: Path) -> None:
    portrait.save(tmp_path / "p")
    pq.write_table(pa.table({"question": [HOSTILE, *ROWS]}), tmp_path / "rows.parquet")
    files = [part for name in ("rows.csv", "out.parquet", "page.html") for part in ("--out", name)]
    result = selfknow(
        "portrait", "overlap", "rows.parquet", "p", "--text", "question", "--min-span", 20, *files, "--format", "json"
    )
    assert result.returncode == 0, result.stderr
    [summary] = json.loads(result.stdout)
    assert (summary["rows"], summary["rows_with_span"]) == (6, 3)
    written = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert written[0]["spans"] == ["The cat sat on the mat, and"]
    assert [row["hits"] for row in written] == [
        int(row["hits"]) for row in csv.DictReader((tmp_path / "rows.csv").open())
    ]
    cells = Cells()
    cells.feed((tmp_path / "page.html").read_text())
    assert "script" not in cells.tags
    assert "The cat sat on the mat, and" in cells.marked
    assert "&lt;script&gt;" in (tmp_path / "page.html").read_text()
    result = selfknow("portrait", "overlap", "rows.parquet", "p", "--text", "question", "--per-row", "--format", "csv")
    assert result.stdout.splitlines()[0].startswith(
        "row,characters,ngrams,hits,share,share_corrected,false_hits_expected"
    )
    shown = selfknow("portrait", "quote", "p", "--min-span", 12, "--whole-words", input="so: the mat, and -- the dog!")
    assert shown.stdout == "so: ⟦the mat, and⟧ -- the dog!\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.parquet", "p"], "none.parquet does not exist"),
        (["rows.txt", "p", "--out", "x.pdf"], "ends in .csv or .parquet or .html"),
        (["rows.txt", "p", "--out", "none/x.csv"], "there is no folder none"),
        (["rows.txt", "tiles"], "overlap needs a portrait of stride 1"),
        (["empty.txt", "p"], "the benchmark has no rows"),
        (["rows.txt", "nowhere"], "neither a folder here nor"),
    ],
)
def test_a_mistake_is_one_line(
    selfknow: Run, portrait: Portrait, tmp_path: Path, arguments: list[str], message: str
) -> None:
    portrait.save(tmp_path / "p")
    Portrait.build([CORPUS], width=10, stride=10).save(tmp_path / "tiles")
    (tmp_path / "rows.txt").write_text("a row\n")
    (tmp_path / "empty.txt").write_text("")
    result = selfknow("portrait", "overlap", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr
