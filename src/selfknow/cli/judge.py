"""``selfknow judge``: a model's judgements of the replies of a run."""

from pathlib import Path
from typing import Annotated, Any

import typer

from selfknow.cli.compact_help import CompactCommand
from selfknow.cli.options import command, parameters
from selfknow.cli.output import Format, print_rows


def judge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.", show_default=False)],
    output_format: Annotated[
        Format, typer.Option("--format", help="The format of the result on stdout.")
    ] = Format.table,
    **options: Any,
) -> None:
    """Ask a model whether the replies of a run abstain, and whether short answers are right.

    The judge's replies are kept in RUN as the stage `grade`, and `selfknow score RUN` reads them. Run the same command
    again to resume. Exit code 1: some requests failed.

    **Example:** `selfknow judge runs/icl --endpoint http://localhost:8000 --model judge`
    """
    from selfknow.evaluate.run import Run

    progress = Run(run).judge(**options)
    print_rows(
        [{name: value for name, value in vars(progress).items() if name not in ("reason", "left")}], output_format
    )
    if progress.failed:
        raise typer.Exit(1)


class JudgeCommand(CompactCommand):
    """``selfknow judge``, with the options of ``selfknow evaluate`` for the model and its replies."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse the arguments with these options, which are imported only now."""
        from selfknow.models.interface import ReplyOptions
        from selfknow.models.opening import ModelOptions

        options = [*parameters(ReplyOptions), *parameters(ModelOptions, "Models")]
        return command(judge, options, examples=_EXAMPLES).make_context(info_name, args, parent=parent, **extra)


_EXAMPLES = (
    "selfknow judge runs/icl --model MODEL",
    "selfknow judge runs/icl --endpoint http://localhost:8000 --model NAME",
)
