"""Help that fits a screen: one line an option, in sections, with example calls at the end."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from typer.core import TyperCommand

WIDTH = 100
_NAMES_WIDTH = 34


class CompactCommand(TyperCommand):
    """A command with many options.

    Attributes:
        sections: What stands before the options: by its heading, names and what they are.
        examples: Example calls.
    """

    sections: Mapping[str, Sequence[tuple[str, str]]] = {}
    examples: Sequence[str] = ()

    def get_help_option(self, ctx: Any) -> Any:
        """Return ``--help`` for the command line; help itself does not list it."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.hidden = True
        return option

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the text right below the usage, since the help of every task is to fit a screen."""
        with formatter.indentation():
            formatter.write_text(inspect.cleandoc(self.help or ""))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections, the options panel after panel, and the examples."""
        for heading, rows in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl(list(rows), col_max=_NAMES_WIDTH)
        panels: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if parameter.param_type_name == "option" and record is not None:
                panels.setdefault(getattr(parameter, "rich_help_panel", None) or "Options", []).append(record)
        for panel, records in panels.items():
            with formatter.section(panel):
                formatter.write_dl(records, col_max=_NAMES_WIDTH)
        if self.examples:
            formatter.write_heading("Examples")  # without an empty line: the longest help has 47 lines
            with formatter.indentation():
                formatter.write_dl([(example, "") for example in self.examples], col_max=WIDTH)
