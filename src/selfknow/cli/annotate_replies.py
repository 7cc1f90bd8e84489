"""``selfknow advanced annotate replies``: sheets for people who judge whether a run's replies abstain."""

from pathlib import Path
from typing import Annotated

import typer

from selfknow.cli.output import Format, print_rows

RunArgument = Annotated[
    Path, typer.Argument(metavar="RUN", help="A run folder of self-aware.", exists=True, file_okay=False)
]


def replies(
    run: RunArgument,
    out: Annotated[Path, typer.Option("--out", help="The folder for the sheets, new or empty.", show_default=False)],
    annotators: Annotated[int, typer.Option("--annotators", min=1, help="The number of people who judge.")] = 2,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Only this many replies, drawn with the seed. Default: all.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the sample and of the order.")] = 0,
) -> None:
    """Make a sheet of a run's replies for each annotator, without labels or scores.

    Annotators write `abstains` or `answers` into the column `judgement`. Failed and empty replies are left out.

    **Example:** `selfknow advanced annotate replies runs/icl --sample 100 --annotators 2 --out sheets`
    """
    from selfknow.evaluate.annotation import write_sheets
    from selfknow.evaluate.tasks.self_aware.hand_labels import read_replies, reply_sheet, sample_of

    sampled_replies = sample_of(read_replies(run), sample, seed)
    names = [f"annotator-{number}" for number in range(1, annotators + 1)]
    paths = write_sheets(out, {name: reply_sheet(sampled_replies, name, seed) for name in names})
    print_rows([{"sheet": str(path), "replies": len(sampled_replies)} for path in paths])


def import_replies(
    run: RunArgument,
    sheets: Annotated[list[Path], typer.Argument(help="The sheets, filled in.", exists=True, dir_okay=False)],
    output_format: Annotated[
        Format, typer.Option("--format", help="The format of the result on stdout.")
    ] = Format.table,
) -> None:
    """Add the annotators' judgements to a run, as the metric `hand_abstained`.

    A reply's label is the judgement of more than half of the annotators who judged it. Without a majority it is null,
    with a reason. Labels that were imported earlier are replaced. `selfknow score` does not change labels. The output
    has a row for each annotator and a row for the labels. A row for all annotators gives Fleiss' kappa over the replies
    that everyone judged.

    **Example:** `selfknow advanced annotate import-replies runs/icl sheets/annotator-*.csv`
    """
    from selfknow.evaluate.annotation import check_names
    from selfknow.evaluate.tasks.self_aware.hand_labels import (
        abstaining_report,
        read_replies,
        read_reply_sheets,
        write_labels,
    )

    judgements = read_reply_sheets(check_names(sheets), read_replies(run))
    values = [value for value in write_labels(run, judgements)["value"].to_pylist() if value is not None]
    share = sum(values) / len(values) if values else None
    labels = {"annotator": "labels", "judged": len(values), "abstains": share, "fleiss_kappa": None}
    print_rows([*abstaining_report(judgements), labels], output_format)
