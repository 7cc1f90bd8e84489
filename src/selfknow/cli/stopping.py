"""Ctrl-C: a command that is stopped says what it keeps."""

from typing import Any

import typer

from selfknow.cli.compact_help import CompactGroup
from selfknow.untrusted import for_terminal


class StoppableProgram(CompactGroup):
    """The root command. Where Ctrl-C stops it, it prints the notes of the interrupt, which say how to go on."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; Typer itself ends it with exit code 130, and says nothing."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            line = "; ".join(["stopped", *getattr(stopped, "__notes__", ())])
            typer.echo(f"selfknow: {for_terminal(line)}", err=True)
            raise
