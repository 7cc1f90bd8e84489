"""The root command with its subcommands."""

from typing import Annotated

import typer

from selfknow.cli import annotate, creations, data, imports, portrait, questions
from selfknow.cli.demo import demo
from selfknow.cli.evaluate import EvaluateCommand, evaluate
from selfknow.cli.judge import JudgeCommand, judge
from selfknow.cli.lm_eval_tasks import lm_eval_tasks
from selfknow.cli.options import without_options
from selfknow.cli.query import query, sql
from selfknow.cli.report import report
from selfknow.cli.reproduce import reproduce
from selfknow.cli.score import ScoreCommand, score
from selfknow.cli.stopping import StoppableProgram
from selfknow.cli.train import TrainCommand, train
from selfknow.verbosity import set_up
from selfknow.version import __version__

app = typer.Typer(
    name="selfknow",
    cls=StoppableProgram,
    help="Corpora, portraits and SQL for asking what a language model knows about what it knows.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.add_typer(data.app, name="data")
app.add_typer(annotate.app, name="annotate")
app.add_typer(creations.app, name="creations")
app.add_typer(portrait.app, name="portrait")
app.add_typer(questions.app, name="questions")
app.add_typer(imports.app, name="import")
app.command()(query)
app.command()(sql)
app.command()(report)
app.command()(reproduce)
app.command()(demo)
app.command(cls=TrainCommand)(without_options(train))
app.command()(lm_eval_tasks)
app.command(cls=EvaluateCommand)(without_options(evaluate))
app.command(cls=JudgeCommand)(without_options(judge))
app.command(cls=ScoreCommand)(without_options(score))


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"selfknow {__version__}")
        raise typer.Exit


_FIRST_STEPS = """\
selfknow asks a language model what it knows about what it knows.

See it work (it says first how long each step takes and what it downloads):
  selfknow demo

Ask your own model all four kinds of questions, and read one page of answers:
  selfknow reproduce four-questions --model MODEL --out out/mine

Or ask one kind (`selfknow evaluate --help` shows the tasks):
  selfknow evaluate TASK --model MODEL --out runs/first
  selfknow score runs/first
  selfknow report runs/first

MODEL is a checkpoint folder, a GGUF file or a model on the Hub (ORG/NAME).
`selfknow data list` shows the datasets, `selfknow query` the queries, `selfknow --help` every command."""


@app.callback()
def root(
    ctx: typer.Context,
    version: Annotated[  # noqa: ARG001 (its callback prints it)
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Show what other libraries print, too: retries, warnings, notices.")
    ] = False,
) -> None:
    """Results go to stdout, progress and logs to stderr. Exit code 2: a mistake in the call; 1: a failed check."""
    set_up(verbose=verbose)
    if ctx.invoked_subcommand is None:
        typer.echo(_FIRST_STEPS)
