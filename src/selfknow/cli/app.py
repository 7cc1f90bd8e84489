"""The root command with its subcommands."""

from typing import Annotated

import typer

from selfknow.cli import advanced, data, imports, portrait
from selfknow.cli.compact_help import CommandGroup
from selfknow.cli.demo import demo
from selfknow.cli.evaluate import EvaluateCommand, evaluate
from selfknow.cli.judge import JudgeCommand, judge
from selfknow.cli.options import without_options
from selfknow.cli.query import query, sql
from selfknow.cli.report import report
from selfknow.cli.reproduce import reproduce
from selfknow.cli.score import ScoreCommand, score
from selfknow.cli.stopping import StoppableProgram
from selfknow.cli.train import TrainCommand, train
from selfknow.verbosity import set_up
from selfknow.version import __version__

app = CommandGroup(
    "selfknow",
    """Corpora, portraits and SQL for asking what a language model knows about what it knows.

    Results go to stdout, progress and logs to stderr. Exit code 2: a mistake in the call; 1: a failed check.
    """,
    cls=StoppableProgram,
    no_args_is_help=False,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
)
_START, _MODELS, _RESULTS, _CORPORA, _MORE = "Begin", "Ask a model", "Read the results", "Corpora", "More"
app.command(rich_help_panel=_START)(demo)
app.command(rich_help_panel=_START)(reproduce)
app.command(cls=EvaluateCommand, rich_help_panel=_MODELS)(without_options(evaluate))
app.command(cls=ScoreCommand, rich_help_panel=_MODELS)(without_options(score))
app.command(cls=JudgeCommand, rich_help_panel=_MODELS)(without_options(judge))
app.command(cls=TrainCommand, rich_help_panel=_MODELS)(without_options(train))
app.command(rich_help_panel=_RESULTS)(report)
app.command(rich_help_panel=_RESULTS)(query)
app.command(rich_help_panel=_RESULTS)(sql)
app.add_typer(imports.app, rich_help_panel=_RESULTS)
app.add_typer(data.app, rich_help_panel=_CORPORA)
app.add_typer(portrait.app, rich_help_panel=_CORPORA)
app.add_typer(advanced.app, rich_help_panel=_MORE)


def _print_version(is_requested: bool) -> None:
    if is_requested:
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
    """Set up the logs. Without a command, print the first steps."""
    set_up(verbose=verbose)
    if ctx.invoked_subcommand is None:
        typer.echo(_FIRST_STEPS)
