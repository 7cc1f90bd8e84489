"""``selfknow advanced annotate``: sheets for people who judge questions or replies, or answer questions."""

from pathlib import Path
from typing import Annotated

import typer

from selfknow.cli.annotate_replies import import_replies, replies
from selfknow.cli.annotate_volunteers import CorpusArgument, import_volunteers, volunteers
from selfknow.cli.compact_help import CommandGroup
from selfknow.cli.output import Format, print_rows

app = CommandGroup("annotate", "Have people judge questions, judge replies or answer questions.")


@app.command()
def sheet(
    corpus: CorpusArgument,
    out: Annotated[Path, typer.Option("--out", help="The folder for the sheets, new or empty.", show_default=False)],
    annotators: Annotated[int, typer.Option("--annotators", min=1, help="The number of people who judge.")] = 3,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Only this many questions, drawn with the seed.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the sample and of the order.")] = 0,
) -> None:
    """Make a CSV sheet of questions for each annotator, shuffled and without labels.

    Annotators write `answerable` or `unanswerable` into the column `judgement`, and may add a category or a remark.

    **Example:** `selfknow advanced annotate sheet self-aware:authored --annotators 3 --sample 100 --out sheets`
    """
    from selfknow.evaluate.annotation import write_sheets
    from selfknow.evaluate.dataset import open_dataset
    from selfknow.evaluate.tasks.self_aware.question_sheets import read_items, sample_of
    from selfknow.evaluate.tasks.self_aware.question_sheets import sheet as question_sheet

    items = sample_of(list(read_items(open_dataset(corpus)).values()), sample, seed)
    names = [f"annotator-{number}" for number in range(1, annotators + 1)]
    paths = write_sheets(out, {name: question_sheet(items, name, seed) for name in names})
    print_rows([{"sheet": str(path), "questions": len(items)} for path in paths])


@app.command("import")
def import_(
    corpus: CorpusArgument,
    sheets: Annotated[list[Path], typer.Argument(help="The sheets, filled in.", exists=True, dir_okay=False)],
    out: Annotated[
        Path | None, typer.Option("--out", help="A Parquet file for the judgements.", show_default=False)
    ] = None,
    output_format: Annotated[
        Format, typer.Option("--format", help="The format of the result on stdout.")
    ] = Format.table,
) -> None:
    """Print the annotators' agreement (Fleiss' kappa), and how often they agree with the labels.

    Kappa covers the questions that all annotators judged. `judged` is the number of questions that one of them judged.

    **Example:** `selfknow advanced annotate import self-aware:authored sheets/annotator-*.csv --out judgements.parquet`
    """
    from selfknow.evaluate.annotation import check_names
    from selfknow.evaluate.dataset import open_dataset
    from selfknow.evaluate.tasks.self_aware.question_sheets import (
        agreement_report,
        judgement_table,
        read_items,
        read_sheet,
    )
    from selfknow.files import check_output, write_parquet

    if out is not None:
        check_output(out, [".parquet"])
    items = read_items(open_dataset(corpus))
    judgements = [judgement for path in check_names(sheets) for judgement in read_sheet(path, items)]
    report = agreement_report(items, [path.stem for path in sheets], judgements)
    if out is not None:
        write_parquet(out, judgement_table(items, judgements))
    print_rows(report, output_format)


app.command()(replies)
app.command("import-replies")(import_replies)
app.command()(volunteers)
app.command("import-volunteers")(import_volunteers)
