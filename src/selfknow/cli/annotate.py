"""``selfknow annotate``: sheets for people who judge questions, and their agreement."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError

if TYPE_CHECKING:
    from selfknow.evaluate.annotation import Item

app = typer.Typer(
    name="annotate", help="Sheets for annotators of questions, and their agreement.", no_args_is_help=True
)

CorpusArgument = Annotated[
    str, typer.Argument(help="`self-aware:authored`, FOLDER:CONFIG, or ORG/NAME:CONFIG on the Hub.")
]


@app.command()
def sheet(
    corpus: CorpusArgument,
    out: Annotated[Path, typer.Option("--out", help="The folder for the sheets, new or empty.", show_default=False)],
    annotators: Annotated[int, typer.Option("--annotators", min=1, help="How many people will judge.")] = 3,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Only this many questions, drawn with the seed.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the sample and of the order.")] = 0,
) -> None:
    """Make a sheet for each annotator: CSV, shuffled, without the labels.

    They fill in the column judgement with `answerable` or `unanswerable`, and may name a category or remark something.

    **Example:** `selfknow annotate sheet self-aware:authored --annotators 3 --sample 100 --out sheets`
    """
    from selfknow.evaluate.annotation import sample_of
    from selfknow.evaluate.annotation import sheet as sheet_of
    from selfknow.evaluate.files import write_whole

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out} is there already and not empty: what was filled in is never overwritten")
    items = sample_of(_items(corpus), sample, seed)
    paths = [out / f"annotator-{number}.csv" for number in range(1, annotators + 1)]
    for path in paths:
        write_whole(path, sheet_of(items, path.stem, seed).encode())
    print_rows([{"sheet": str(path), "questions": len(items)} for path in paths])


@app.command("import")
def import_(
    corpus: CorpusArgument,
    sheets: Annotated[list[Path], typer.Argument(help="The sheets, filled in.", exists=True, dir_okay=False)],
    out: Annotated[
        Path | None, typer.Option("--out", help="A Parquet file for the judgements.", show_default=False)
    ] = None,
    output_format: Annotated[Format, typer.Option("--format", help="How the result is printed.")] = Format.table,
) -> None:
    """Read what annotators filled in: their agreement (Fleiss' kappa), and how often they agree with the labels.

    Kappa is over the questions that all of them judged; `judged` says how many each did.

    **Example:** `selfknow annotate import self-aware:authored sheets/annotator-*.csv --out judgements.parquet`
    """
    from selfknow.evaluate.annotation import read_sheet
    from selfknow.evaluate.annotation_report import agreement_report, judgement_table
    from selfknow.evaluate.files import write_parquet

    items = {item.code: item for item in _items(corpus)}
    if len({path.stem for path in sheets}) < len(sheets):
        raise UserError("two sheets have the same name: a sheet's name is its annotator's")
    judgements = [judgement for path in sheets for judgement in read_sheet(path, items)]
    report = agreement_report(items, [path.stem for path in sheets], judgements)
    if out is not None:
        write_parquet(out, judgement_table(items, judgements))
    print_rows(report, output_format)


def _items(corpus: str) -> "list[Item]":
    from selfknow.builders.self_aware_questions import SPLITS
    from selfknow.evaluate.annotation import Item
    from selfknow.evaluate.corpora import open_corpus

    opened = open_corpus(corpus)
    rows = [row for split in SPLITS for row in opened.read(split).select(["id", "question", "answerable"]).to_pylist()]
    return [Item(**row) for row in rows]
