"""Command-line options from the fields of a frozen dataclass: the field ``top_p`` becomes ``--top-p``.

A command's options may depend on its argument: ``selfknow evaluate TASK`` takes the options of the task. Such a command
line is parsed twice. The first time, every task's options are allowed, so that the task is found wherever it stands.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, dataclass, fields
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from selfknow.cli.compact_help import WIDTH, CompactCommand, Sections

_METAVARS = {int: "INTEGER", float: "NUMBER", str: "TEXT", list[str]: "TEXT"}


@dataclass(frozen=True)
class Line:
    """The first argument of a command line, and its options.

    Attributes:
        argument: The first word that is not an option or its value; null if there is none.
        options: The options' names as parameters, such as ``top_p``.
    """

    argument: str | None
    options: tuple[str, ...]


def parameters(options: type[Any], panel: str | None = None) -> list[inspect.Parameter]:
    """Return the fields of an options class as parameters of a command.

    Args:
        options: A dataclass whose fields are made by :func:`selfknow.options.option`.
        panel: The panel of ``--help`` for fields that do not name a panel themselves.
    """
    types = get_type_hints(options)
    return [_parameter(field, types[field.name], panel) for field in fields(options)]


def _parameter(field: Field[Any], declared: Any, panel: str | None) -> inspect.Parameter:
    metadata, default = field.metadata, field.default
    value_type = metadata["type"] or _value_type(declared)
    if value_type == list[str]:
        default = None
    name, flags = field.name.replace("_", "-"), []
    if metadata["switch"]:
        flags = ["/".join(f"--{switch}" for switch in metadata["switch"].split("/"))]
    elif value_type is bool:
        assert default is False, f"--{name} would change nothing"
        flags = [f"--{name}"]
    metavar = None if value_type is bool else _METAVARS.get(value_type, value_type.__name__.upper())
    info = typer.Option(
        *flags,
        help=metadata["help"],
        min=metadata["minimum"],
        max=metadata["maximum"],
        metavar=metadata["metavar"] or metavar,
        show_default=default is not None and default is not False,
        rich_help_panel=metadata["panel"] or panel,
    )
    return _keyword(field.name, Annotated[value_type if default is not None else value_type | None, info], default)


def _value_type(declared: Any) -> Any:
    """Return an option's type on the command line: ``int`` for ``int | None``, ``list[str]`` for a tuple or list."""
    if get_origin(declared) in (tuple, list):
        return list[str]
    return next((_value_type(argument) for argument in get_args(declared) if argument is not NoneType), declared)


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def command(
    function: Callable[..., None],
    options: Iterable[inspect.Parameter] = (),
    *,
    examples: Sequence[str] = (),
    sections: Sections | None = None,
    explains_arguments: bool = True,
) -> CompactCommand:
    """Return a command that takes more options than its function names.

    Args:
        function: It takes its own parameters, and as ``**options`` those of ``options`` that the command line sets.
        options: The further options.
        examples: Example calls for ``--help``; by default, those of the docstring.
        sections: Further sections of ``--help`` before the options.
        explains_arguments: If false, ``--help`` leaves out the arguments, because the user has already named the task.
    """
    text = inspect.cleandoc(function.__doc__ or "")
    result = _command(_caller(function), [*own_parameters(function), *options], text)
    result.examples, result.sections, result.explains_arguments = examples, sections or {}, explains_arguments
    return result


def with_options(options: Iterable[inspect.Parameter]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that gives a command of a group more options than its function names."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        call = _caller(function)
        call.__name__, call.__doc__ = function.__name__, function.__doc__
        return _set_parameters(call, [*own_parameters(function), *options])

    return decorate


def _caller(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function that passes on a command's own parameters, and the further options that are set."""
    names = {parameter.name for parameter in own_parameters(function)}

    def call(context: typer.Context, **values: Any) -> None:
        used = {name: value for name, value in values.items() if name in names or _is_used(context, name)}
        function(**{name: tuple(value) if isinstance(value, list) else value for name, value in used.items()})

    return call


def without_options(function: Callable[..., None]) -> Callable[..., None]:
    """Return a stand-in for a command's function in the list of commands, without its ``**options``."""

    def call(**_: Any) -> None:
        raise AssertionError("make_context replaces this command by the one with its options")

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    return _set_parameters(call, own_parameters(function))


def own_parameters(function: Callable[..., None]) -> list[inspect.Parameter]:
    """Return the parameters that a command's function names itself, without its ``**options``."""
    all_parameters = inspect.signature(function, eval_str=True).parameters.values()
    return [
        parameter.replace(kind=parameter.KEYWORD_ONLY)
        for parameter in all_parameters
        if parameter.kind is not parameter.VAR_KEYWORD
    ]


def _command(
    call: Callable[..., None], parameters: Sequence[inspect.Parameter], text: str, *, with_help: bool = True
) -> CompactCommand:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    settings = {"max_content_width": WIDTH}
    app.command(cls=CompactCommand, help=text, add_help_option=with_help, context_settings=settings)(
        _set_parameters(call, parameters)
    )
    result = typer.main.get_command(app)
    assert isinstance(result, CompactCommand)
    return result


def _set_parameters(call: Callable[..., None], parameters: Sequence[inspect.Parameter]) -> Callable[..., None]:
    """Give a function the signature that Typer reads: a context and these parameters; return the function."""
    assert len({parameter.name for parameter in parameters}) == len(parameters), "two options have one name"
    signature = [_keyword("context", typer.Context, inspect.Parameter.empty), *parameters]
    call.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in signature}
    return call


def read_line(parameters: Iterable[inspect.Parameter], arguments: Sequence[str]) -> Line:
    """Read the first argument of a command line and the names of its options, without checking the options' values.

    Args:
        parameters: Every option that the command may take. Names may repeat, such as an option of several tasks.
        arguments: The command line after the command's name.

    Raises:
        typer.TyperException: An option is unknown (the message suggests similar ones), or lacks its value.
    """
    options = unchecked_options(parameters)
    every_argument = _keyword("every_argument", Annotated[list[str] | None, typer.Argument()], None)
    asks_for_help = _keyword("help", Annotated[bool, typer.Option("--help")], False)

    def do_nothing(**_: Any) -> None:
        """Only its parameters are read."""

    parser = _command(do_nothing, [every_argument, asks_for_help, *options], "", with_help=False)
    context = parser.make_context(None, list(arguments))
    values = context.params["every_argument"] or [None]
    return Line(values[0], tuple(option.name for option in options if _is_used(context, option.name)))


def unchecked_options(parameters: Iterable[inspect.Parameter]) -> list[inspect.Parameter]:
    """Return the same options, each name once. They take any value, and ``--help`` does not list them."""
    options: dict[str, inspect.Parameter] = {}
    for parameter in parameters:
        option = _unchecked(parameter)
        if option is not None:
            options[parameter.name] = option
    return list(options.values())


def help_rows(parameters: Iterable[inspect.Parameter]) -> list[tuple[str, str]]:
    """Return options' names and help, for the ``--help`` of a command that does not take these options itself."""
    infos = [(parameter, get_args(parameter.annotation)[1]) for parameter in parameters]
    return [
        (f"--{parameter.name.replace('_', '-')} {info.metavar or ''}".strip(), info.help) for parameter, info in infos
    ]


def _unchecked(parameter: inspect.Parameter) -> inspect.Parameter | None:
    """Return the same option for any value; null for an argument."""
    declared, info = get_args(parameter.annotation)
    value_type = _value_type(declared)
    if isinstance(info, type(typer.Argument())):
        return None
    # Typer reads the first positional argument of `Option` as the default, but within `Annotated` it is a flag.
    flags = () if info.default is ... else (info.default, *(info.param_decls or ()))
    unchecked_type = value_type if value_type in (bool, list[str]) else str
    return _keyword(parameter.name, Annotated[unchecked_type | None, typer.Option(*flags, hidden=True)], None)


def _is_used(context: Any, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
