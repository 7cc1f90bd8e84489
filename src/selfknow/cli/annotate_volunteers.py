"""``selfknow advanced annotate volunteers``: sheets for people who answer the questions that models are asked."""

from pathlib import Path
from typing import Annotated

import typer

from selfknow.cli.output import Format, print_rows

CorpusArgument = Annotated[
    str, typer.Argument(help="`self-aware:authored`, FOLDER:CONFIG, or ORG/NAME:CONFIG on the Hub.")
]


def volunteers(
    corpus: CorpusArgument,
    out: Annotated[Path, typer.Option("--out", help="The folder for the sheets, new or empty.", show_default=False)],
    people: Annotated[int, typer.Option("--people", min=1, help="The number of people who answer.")] = 2,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Only this many questions, drawn with the seed.")
    ] = 100,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the sample and of the order.")] = 0,
) -> None:
    """Make a sheet of questions for each volunteer: the same questions, shuffled, without answers or labels.

    Volunteers write an answer or `unknown` into the column `answer`, and leave it blank for questions that they do not
    reach. The paper gave them 30 minutes for 100 questions. A sheet's file name becomes the volunteer's name, so you
    can rename the file.

    **Example:** `selfknow advanced annotate volunteers self-aware --sample 100 --people 2 --out sheets`
    """
    from selfknow.evaluate.annotation import write_sheets
    from selfknow.evaluate.dataset import open_dataset
    from selfknow.evaluate.tasks.self_aware.question_sheets import read_items, sample_of, sheet
    from selfknow.evaluate.tasks.self_aware.volunteers import COLUMNS

    items = sample_of(list(read_items(open_dataset(corpus)).values()), sample, seed)
    names = [f"volunteer-{number}" for number in range(1, people + 1)]
    paths = write_sheets(out, {name: sheet(items, name, seed, COLUMNS) for name in names})
    print_rows([{"sheet": str(path), "questions": len(items)} for path in paths])


def import_volunteers(
    corpus: CorpusArgument,
    sheets: Annotated[list[Path], typer.Argument(help="The sheets, filled in.", exists=True, dir_okay=False)],
    out: Annotated[
        Path, typer.Option("--out", help="The run folder to write; it must not exist yet.", show_default=False)
    ],
    output_format: Annotated[
        Format, typer.Option("--format", help="The format of the result on stdout.")
    ] = Format.table,
) -> None:
    """Turn the volunteers' sheets into a run folder, to score and query like a model's run.

    Each volunteer becomes a model: the sheet NAME.csv is the model `human/NAME`, with prompts in the form `direct`. The
    answer `unknown` becomes the reply "The answer is unknown. I don't know." The table shows how often each volunteer
    wrote `unknown`. Fleiss' kappa says how far they agree on whether to answer, over the questions that all reached.

    **Example:** `selfknow advanced annotate import-volunteers self-aware sheets/volunteer-*.csv --out runs/human`
    """
    from selfknow.evaluate.annotation import check_names
    from selfknow.evaluate.dataset import open_dataset
    from selfknow.evaluate.tasks.self_aware.hand_labels import abstaining_report
    from selfknow.evaluate.tasks.self_aware.question_sheets import read_items
    from selfknow.evaluate.tasks.self_aware.volunteers import human_log, judgements_of, read_answers
    from selfknow.runs.importers.run import write_imported

    dataset = open_dataset(corpus)
    answers = read_answers(check_names(sheets), read_items(dataset))
    write_imported(human_log(dataset, answers), out)
    print_rows(abstaining_report(judgements_of(answers)), output_format)
