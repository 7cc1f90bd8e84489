"""Help in one style for every command: plain text of at most 100 columns, options by panel, examples at the end."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import CommandFunctionType

WIDTH = 100
_NAMES_WIDTH = 34
_TYPES = {
    "str": "TEXT",
    "list[str]": "TEXT",
    "path": "PATH",
    "list[Path]": "PATH",
    "int": "INTEGER",
    "int range": "INTEGER",
    "float": "NUMBER",
    "float range": "NUMBER",
}
"""The names of types in our help, by Typer's names."""
_NUMBER = r"\d+(?:\.\d+)?"
Sections = Mapping[str, Sequence[tuple[str, str]]]
"""The names listed under each heading with their help, such as ``("--out PATH", "The run folder.")``."""


class CompactCommand(TyperCommand):
    """A command whose help is compact.

    Attributes:
        sections: Further sections, shown before the options.
        examples: Example calls. If empty, the examples in the help text, after ``**Examples:**``, are shown.
        explains_arguments: If false, the help has no section on arguments.
    """

    sections: Mapping[str, Sequence[tuple[str, str]]] = {}
    examples: Sequence[str] = ()
    explains_arguments = True

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line, with the names of arguments in capitals."""
        # Typer writes a required argument as {NAME}, and adds "..." to a repeatable one, which we call NAME….
        pieces = [re.sub("[{}…]", "", piece) for piece in super().collect_usage_pieces(ctx)]
        return [_in_capitals(piece) for piece in pieces]

    def format_help_text(self, _: Any, formatter: Any) -> None:
        """Write the help text without its examples."""
        _write_text(formatter, _split_off_examples(self.help)[0])

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option ``--help``, which the help does not list."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.hidden = True
        return option

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, the sections, the options by panel, and the examples."""
        arguments = _records(self, ctx, "argument") if self.explains_arguments else {}
        _write_sections(formatter, {**arguments, **self.sections, **_records(self, ctx, "option")})
        if examples := self.examples or _split_off_examples(self.help)[1]:
            formatter.write_paragraph()
            formatter.write_heading("Examples")
            formatter.write("".join(f"  {example}\n" for example in examples))


class CompactGroup(TyperGroup):
    """A group of commands whose help has one sentence for each command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Without any, print the help and end with exit code 2."""
        if not args and self.no_args_is_help:
            typer.echo(ctx.get_help())
            raise typer.Exit(2)
        return super().parse_args(ctx, args)

    def format_help_text(self, _: Any, formatter: Any) -> None:
        """Write the help text."""
        _write_text(formatter, _split_off_examples(self.help)[0])

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands by panel, and the options."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            panel = getattr(command, "rich_help_panel", None) or "Commands"
            panels.setdefault(panel, []).append((name, _first_sentence(command.help)))
        _write_sections(formatter, {**panels, **_records(self, ctx, "option")})


class CommandGroup(typer.Typer):
    """A Typer application whose commands have compact help.

    Args:
        name: The name of the group.
        help: A sentence about the group.
        settings: Further settings of Typer.
    """

    def __init__(self, name: str, help: str, **settings: Any) -> None:  # noqa: A002
        compact: dict[str, Any] = {"cls": CompactGroup, "no_args_is_help": True, "rich_markup_mode": None}
        context_settings = {"max_content_width": WIDTH}
        super().__init__(
            name=name, help=help, context_settings=context_settings, add_completion=False, **{**compact, **settings}
        )

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = CompactCommand, **settings: Any
    ) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Add a command with compact help."""
        return super().command(name, cls=cls, **settings)


def _records(command: Any, ctx: Any, kind: str) -> dict[str, list[tuple[str, str]]]:
    """Return the names and help of a command's arguments or options, by their panel."""
    panels: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if parameter.param_type_name == kind and record is not None:
            panel = getattr(parameter, "rich_help_panel", None) or f"{kind.capitalize()}s"
            panels.setdefault(panel, []).append(_in_words(kind, *record))
    return panels


def _in_words(kind: str, name: str, text: str) -> tuple[str, str]:
    """Return a parameter's name and help in words: ``INTEGER`` for ``<int>``, "at least 1" for ``x>=1``."""
    if kind == "argument":
        name = _in_capitals(name.partition(" <")[0]).replace("…", "...")
        text = text.replace("  [required]", "")
    name = re.sub(r"<(.*?)>", lambda match: _TYPES.get(match[1], match[1]), name)
    text = re.sub(rf"({_NUMBER})<=x<=({_NUMBER})(?=[;\]])", r"\1 to \2", text)
    text = re.sub(rf"x>=({_NUMBER})(?=[;\]])", r"at least \1", text)
    # Write 1.0 as 1, only in the brackets at the end, which hold the bounds and the default.
    text = re.sub(r"(\d)\.0(?=[;\] ])(?=[^\[]*\]$)", r"\1", text)
    return name, re.sub(r"\[default: \((.*)\)\]", r"[default: \1]", text)


def _in_capitals(name: str) -> str:
    """Return an argument's name in capitals, unless some of its letters are capitals already."""
    return name.upper() if name.islower() else name


def _write_sections(formatter: Any, sections: Sections) -> None:
    for heading, rows in sections.items():
        if rows:
            with formatter.section(heading):
                formatter.write_dl(list(rows), col_max=_NAMES_WIDTH)


def _write_text(formatter: Any, text: str) -> None:
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(text)


def _split_off_examples(text: str | None) -> tuple[str, list[str]]:
    """Return a help text without its examples, and the examples, which are in backticks."""
    description, _, examples = inspect.cleandoc(text or "").partition("**Example")
    return description.strip(), re.findall(r"`([^`]+)`", examples)


def _first_sentence(text: str | None) -> str:
    """Return the first sentence of a help text, in one line, without its full stop."""
    description, _ = _split_off_examples(text)
    first_paragraph = description.partition("\n\n")[0]
    line = " ".join(first_paragraph.split())
    return re.split(r"\.(?: |$)", line, maxsplit=1)[0]
