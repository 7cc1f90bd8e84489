"""The root command. Its errors name flags, and after Ctrl-C it says what is kept."""

from typing import Any

import typer

from selfknow.cli.compact_help import CompactGroup
from selfknow.errors import command_line
from selfknow.untrusted import for_terminal


class StoppableProgram(CompactGroup):
    """The root command. Errors in it name flags. After Ctrl-C, it prints the notes of the ``KeyboardInterrupt``."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command. After Ctrl-C, print one line; Typer alone would end with exit code 130 and print nothing."""
        try:
            with command_line():
                return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            line = "; ".join(["stopped", *getattr(interrupt, "__notes__", ())])
            typer.echo(f"selfknow: {for_terminal(line)}", err=True)
            raise
