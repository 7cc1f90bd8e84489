"""``selfknow import``: logs of other tools as run folders."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfknow.cli.compact_help import CommandGroup
from selfknow.cli.options import parameters, with_options
from selfknow.cli.output import print_rows
from selfknow.errors import UserError
from selfknow.runs.importers.table import TableColumns

if TYPE_CHECKING:
    from selfknow.runs.importers.run import ImportedLog

app = CommandGroup("import", "Turn the logs of other tools into run folders.")

OutOption = Annotated[
    Path, typer.Option("--out", help="The run folder to write; it must not exist yet.", show_default=False)
]
TaskOption = Annotated[
    str | None, typer.Option("--task", help="The task of the run. Default: the one in the log or its rows.")
]
ExamplesOption = Annotated[
    Path | None,
    typer.Option(
        "--examples", help="A Parquet or JSON Lines file with the questions that were asked and their column `id`."
    ),
]


@app.command("lm-eval")
def lm_eval(
    log: Annotated[Path, typer.Argument(metavar="FILE", help="A samples_TASK_DATE.jsonl.", show_default=False)],
    out: OutOption,
    model: Annotated[
        str | None,
        typer.Option("--model", help="The model that answered. Default: the model in results_DATE.json next to FILE."),
    ] = None,
    task: TaskOption = None,
    examples: ExamplesOption = None,
) -> None:
    """Import a sample log of lm-evaluation-harness (`lm_eval --log_samples`), including its scores.

    **Example:** `selfknow import lm-eval out/opt/samples_popularity_2026-01-01T00-00-00.jsonl --out runs/popularity`
    """
    from selfknow.runs.importers.lm_eval import read_lm_eval

    _write_run(read_lm_eval(log, model), out, task, examples)


@app.command("inspect")
def inspect(
    log: Annotated[Path, typer.Argument(metavar="FILE", help="An .eval or .json log.", show_default=False)],
    out: OutOption,
    task: TaskOption = None,
    examples: ExamplesOption = None,
) -> None:
    """Import an Inspect log (`inspect eval`), including its scores.

    **Example:** `selfknow import inspect logs/2026-01-01T00-00-00_popularity.eval --out runs/popularity`
    """
    from selfknow.runs.importers.inspect_ai import read_inspect

    _write_run(read_inspect(log), out, task, examples)


@app.command("openai-batch")
def openai_batch(
    outputs: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Output and error files of a batch.", show_default=False)
    ],
    out: OutOption,
    inputs: Annotated[
        list[Path] | None,
        typer.Option("--input", help="The file of requests that you sent; repeatable.", show_default=False),
    ] = None,
    task: TaskOption = None,
    examples: ExamplesOption = None,
) -> None:
    """Import the output of an OpenAI batch. Requests without an output count as failed.

    **Example:** `selfknow import openai-batch output.jsonl errors.jsonl --input requests.jsonl --out runs/gpt`
    """
    from selfknow.runs.importers.openai_batch import read_openai_batch

    if not inputs:
        raise UserError("name the file of requests that you sent, which holds the questions: --input requests.jsonl")
    _write_run(read_openai_batch(outputs, inputs), out, task, examples)


@app.command("table")
@with_options(parameters(TableColumns))
def table(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…", help="JSON Lines, JSON, CSV or Parquet files, or a folder of them.", show_default=False
        ),
    ],
    out: OutOption,
    task: Annotated[str, typer.Option("--task", help="The task's name, as in `selfknow evaluate TASK`.")],
    portrait: Annotated[
        str | None,
        typer.Option("--portrait", help="The corpus's portrait, if the task needs one: a folder or a Hub id."),
    ] = None,
    **columns: Any,
) -> None:
    """Import replies that were generated elsewhere, one per row.

    A column that you do not name is guessed if only one fits. A name may reach into nested values:
    `result.completions.0.text`. Replies to the questions of a task's dataset are matched by id or question. Other
    questions need the columns that the task's scorer reads.

    **Example:** `selfknow import table replies.csv --task TASK --reply output --model gpt-4 --out runs/gpt-4`
    """
    from selfknow.evaluate.table import read_replies
    from selfknow.runs.importers.run import write_imported

    options = columns if portrait is None else {**columns, "portrait": portrait}
    imported = read_replies(files, task, out, **options)
    count = write_imported(imported.log, out)
    print_rows(imported.columns)
    typer.echo()
    print_rows(
        [
            {
                "run": str(out),
                "task": imported.log.task,
                "questions": len(imported.log.examples),
                "facts_from": imported.questions.source,
                "generations": count,
                "failed": sum(call.reply.error is not None for call in imported.log.calls),
            }
        ]
    )


def _write_run(log: "ImportedLog", out: Path, task: str | None, examples: Path | None) -> None:
    from selfknow.evaluate.catalogue import task_of_log
    from selfknow.runs.importers.run import example_table, read_example_rows, write_imported

    table = example_table(log.examples) if examples is None else read_example_rows(examples)
    name = task or task_of_log(log.task, table.column_names)
    count = write_imported(log, out, task=name, examples=table)
    failed = sum(call.reply.error is not None for call in log.calls)
    print_rows([{"run": str(out), "task": name, "generations": count, "failed": failed}])
