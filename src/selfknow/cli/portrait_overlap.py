"""``selfknow portrait overlap``: the parts of a benchmark that are in a training corpus."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfknow.cli.output import Format, print_rows
from selfknow.cli.portrait_ask import FormatOption, TextOption, WhereOption, load
from selfknow.errors import UserError

if TYPE_CHECKING:
    from selfknow.portraits import Corpus
    from selfknow.portraits.overlap import Overlap

_OUTPUT_SUFFIXES = (".csv", ".parquet", ".html")


def register(app: typer.Typer) -> None:
    """Add ``overlap`` to ``selfknow portrait``."""
    app.command()(overlap)


def overlap(
    benchmark: Annotated[
        str,
        typer.Argument(
            metavar="BENCHMARK", help="A dataset folder, `org/name` on the Hub, or a Parquet, JSONL or text file."
        ),
    ],
    portrait: Annotated[
        str, typer.Argument(metavar="PORTRAIT", help="The corpus's portrait: a folder, `org/repo`, or `org/repo/name`.")
    ],
    config: Annotated[str | None, typer.Option(help="The benchmark's config.", show_default=False)] = None,
    split: Annotated[str, typer.Option(help="The benchmark's split.")] = "test",
    revision: Annotated[
        str | None, typer.Option(help="The benchmark's revision on the Hub.", show_default=False)
    ] = None,
    text: TextOption = "text",
    where: WhereOption = None,
    min_span: Annotated[
        int, typer.Option(min=0, help="The length of the shortest span that is counted, in characters.")
    ] = 50,
    whole_words: Annotated[
        bool, typer.Option("--whole-words/--any-characters", help="Cut spans to whole words.")
    ] = True,
    per_row: Annotated[bool, typer.Option("--per-row", help="Print one row for each row of the benchmark.")] = False,
    spans: Annotated[int, typer.Option(min=0, help="Show at most this many spans of a row, the longest first.")] = 3,
    out: Annotated[
        list[Path] | None,
        typer.Option(help="Also write the rows to a .csv, .parquet or .html file; repeatable.", show_default=False),
    ] = None,
    output_format: FormatOption = Format.table,
) -> None:
    """Measure how much of a benchmark is in a corpus, for every row and in total.

    A row's `share` is the share of its n-grams that stand in the corpus. `false_hits_expected` is the number of hits
    to expect from the filter's false positives alone, with a 95% interval from `false_hits_low` to `false_hits_high`.

    **Examples:**

    `selfknow portrait overlap cais/mmlu org/corpus-portrait --config anatomy --text question`

    `selfknow portrait overlap questions.jsonl corpus --text "question || ' ' || answer" --out rows.csv --out page.html`
    """
    from selfknow.portraits.overlap import measure_overlap

    writers = [_writer(path) for path in out or []]
    loaded_portrait, benchmark_texts = load(portrait), _benchmark(benchmark, config, split, revision, text, where)
    measured = measure_overlap(
        loaded_portrait, benchmark_texts, min_span=min_span, whole_words=whole_words, progress=True
    )
    for path, write in zip(out or [], writers, strict=True):
        write(path, measured, spans, {"benchmark": benchmark, "portrait": portrait, "text": text})
        typer.echo(f"wrote {path}", err=True)
    if per_row:
        rows = measured.table(spans)
        if output_format is not Format.json:  # a cell of a table or a CSV file holds one text
            rows = [row | {"spans": _joined(row["spans"])} for row in rows]
        print_rows(rows, output_format)
    elif output_format is Format.table:
        print_rows([{"": name, "value": _shown(value)} for name, value in measured.summary().items()], output_format)
    else:
        print_rows([measured.summary()], output_format)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else ""


def _joined(spans: list[str]) -> str:
    return " … ".join(" ".join(span.split()) for span in spans)


def _benchmark(
    source: str, config: str | None, split: str, revision: str | None, text: str, where: str | None
) -> "Corpus":
    from selfknow.portraits import Corpus

    if Path(source).is_file():
        return Corpus.from_files([source], text=text, where=where)
    if Path(source).suffix in {".parquet", ".jsonl", ".txt", ".gz", ".zst"} and not Path(source).is_dir():
        raise UserError(f"{source} does not exist")
    return Corpus.from_dataset(source, config, split, text=text, where=where, revision=revision)


Writer = Callable[[Path, "Overlap", int, Mapping[str, str]], None]


def _writer(path: Path) -> Writer:
    from selfknow.files import check_output

    writers: dict[str, Writer] = dict(zip(_OUTPUT_SUFFIXES, (_write_csv, _write_parquet, _write_page), strict=True))
    check_output(path, _OUTPUT_SUFFIXES)
    if not path.parent.is_dir():
        raise UserError(f"--out {path}: there is no folder {path.parent}")
    return writers[path.suffix.lower()]


def _write_csv(path: Path, measured: "Overlap", spans: int, _: Mapping[str, str]) -> None:
    import csv
    import io
    import json

    from selfknow.files import write_whole

    rows = measured.table(spans)
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(row | {"spans": json.dumps(row["spans"], ensure_ascii=False)} for row in rows)
    write_whole(path, text.getvalue().encode())


def _write_parquet(path: Path, measured: "Overlap", spans: int, _: Mapping[str, str]) -> None:
    import pyarrow as pa

    from selfknow.files import write_parquet

    numbers: dict[str, Any] = {
        **dict.fromkeys(("row", "characters", "ngrams", "hits"), pa.int64()),
        **dict.fromkeys(("share", "share_corrected", "false_hits_expected"), pa.float64()),
        **dict.fromkeys(("false_hits_low", "false_hits_high", "longest_span", "num_spans"), pa.int64()),
    }
    schema = pa.schema({**numbers, "spans": pa.list_(pa.string())})
    write_parquet(path, pa.Table.from_pylist(measured.table(spans), schema=schema))


def _write_page(path: Path, measured: "Overlap", _: int, facts: Mapping[str, str]) -> None:
    from selfknow.files import write_whole
    from selfknow.portraits.overlap_page import as_html

    write_whole(path, as_html(measured, list(facts.items())).encode())
