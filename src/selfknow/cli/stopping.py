"""The root command: its errors name flags, and where Ctrl-C stops it, it says what it keeps."""

from typing import Any

import typer

from selfknow.cli.compact_help import CompactGroup
from selfknow.errors import command_line
from selfknow.untrusted import for_terminal


class StoppableProgram(CompactGroup):
    """The root command. Errors in it name flags; where Ctrl-C stops it, it prints the interrupt's notes."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; Typer itself ends it with exit code 130, and says nothing."""
        try:
            with command_line():
                return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            line = "; ".join(["stopped", *getattr(stopped, "__notes__", ())])
            typer.echo(f"selfknow: {for_terminal(line)}", err=True)
            raise
