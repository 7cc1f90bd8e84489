"""``selfknow portrait quip`` and ``quote``: texts, compared with a portrait."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError

if TYPE_CHECKING:
    from selfknow.portraits import Portrait

PortraitArgument = Annotated[
    str, typer.Argument(metavar="PORTRAIT", help="A portrait folder, `org/repo`, or `org/repo/name`.")
]
FormatOption = Annotated[Format, typer.Option("--format", help="The format of the result on stdout.")]
TextOption = Annotated[str, typer.Option("--text", help="A column, or an SQL expression, that gives a row's text.")]
WhereOption = Annotated[
    str | None, typer.Option("--where", help="An SQL condition that selects rows.", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add ``quip`` and ``quote`` to ``selfknow portrait``."""
    app.command()(quip)
    app.command()(quote)


def quip(
    portrait: PortraitArgument,
    source: Annotated[
        str, typer.Argument(metavar="TEXTS", help="A Parquet, JSONL or text file (a text per line), or `-` for stdin.")
    ],
    text: TextOption = "text",
    where: WhereOption = None,
    per_text: Annotated[
        bool, typer.Option("--per-text", help="Print one row for each text instead of the means.")
    ] = False,
    anchor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TEXTS",
            help="Also score these texts for comparison, such as held-out=FILE; repeatable.",
            show_default=False,
        ),
    ] = None,
    output_format: FormatOption = Format.table,
) -> None:
    """Score texts: the share of their n-grams that stand in the corpus (QUIP), raw and corrected for false positives.

    A text shorter than the portrait's width has no score: it is left out of `quip` and counts as 0 in
    `quip_short_as_zero`, as in the paper's own evaluation. The table compares the mean with anchors: the same texts
    with their words shuffled, and texts that you name, such as held-out text of the same kind and the corpus itself.

    **Examples:**

    `selfknow portrait quip out/1k answers.parquet --text answer --anchor held-out=others.txt --anchor corpus=all.txt`

    `echo "a sentence that is long enough to score" | selfknow portrait quip out/1k - --per-text --format json`
    """
    from selfknow.portraits.scores import score_texts, shuffled_words, summarise

    loaded = load(portrait)
    texts = _texts(source, text, where)
    if per_text:
        print_rows(score_texts(loaded, texts), output_format)
        return
    shuffled = [shuffled_words(value, seed) for seed, value in enumerate(texts)]
    texts_by_name = {"texts": texts, "texts, words shuffled": shuffled}
    for pair in anchor or []:
        name, separator, path = pair.partition("=")
        if not separator or not name or not path:
            raise UserError(f"--anchor {pair}: write NAME=TEXTS, such as held-out=heldout.txt")
        texts_by_name[name] = _texts(path, "text" if path.endswith(".txt") else text, None)
    print_rows(summarise(loaded, texts_by_name), output_format)


def quote(
    portrait: PortraitArgument,
    source: Annotated[str, typer.Argument(metavar="FILE", help="A text file, or `-` for stdin.")] = "-",
    min_span: Annotated[int, typer.Option(min=0, help="The length of the shortest quote, in characters.")] = 0,
    whole_words: Annotated[bool, typer.Option("--whole-words", help="Cut quotes to whole words.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Also write an HTML page to this file.", show_default=False)
    ] = None,
    output_format: FormatOption = Format.table,
) -> None:
    """Show a text with its quotes marked: ⟦like this⟧, or in colour on a terminal.

    **Example:** `selfknow portrait quote out/1k answer.txt --html answer.html`
    """
    from selfknow.files import check_output, write_whole
    from selfknow.portraits.quote_view import as_html, as_terminal

    if html:
        check_output(html, [".html", ".htm"])
    loaded = load(portrait)
    value = _read(source)
    quotes = loaded.quotes(value, min_span=min_span, whole_words=whole_words)
    if html:
        write_whole(html, as_html(value, quotes, _facts(loaded, portrait, value)).encode())
        typer.echo(f"wrote {html}", err=True)
    if output_format is Format.table:
        typer.echo(as_terminal(value, quotes, colour=sys.stdout.isatty()).rstrip("\n"))
    else:
        print_rows(
            [{"start": span.start, "end": span.end, "quote": value[span.start : span.end]} for span in quotes],
            output_format,
        )


def load(address: str) -> "Portrait":
    """Open the portrait at an address."""
    from selfknow.portraits import Portrait
    from selfknow.portraits.pretrained import find_address

    return Portrait.load(find_address(address))


def _texts(source: str, text: str, where: str | None) -> list[str | None]:
    from selfknow.portraits import Corpus

    if source == "-":
        return list(_read("-").splitlines())
    return [value for array in Corpus.from_files([source], text=text, where=where) for value in array.to_pylist()]


def _read(source: str) -> str:
    try:
        content = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return content.decode()
    except UnicodeDecodeError:
        raise UserError(f"{'stdin' if source == '-' else source} is not UTF-8 text: convert it first") from None


def _facts(portrait: "Portrait", address: str, text: str) -> list[tuple[str, str]]:
    facts = [("portrait", address), ("width, stride", f"{portrait.description.width}, {portrait.description.stride}")]
    if portrait.description.stride == 1 and portrait.quip([text])[0] >= 0:
        score = portrait.quip([text])
        facts.append(("QUIP", f"{score[0]:.4f}, corrected for false positives {portrait.corrected(score)[0]:.4f}"))
    return facts
