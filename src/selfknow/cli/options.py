"""Options classes on the command line: the fields of a frozen dataclass are offered as ``--field-name``.

Which options a command takes may depend on one of its words: ``selfknow evaluate TASK`` takes those of the task. Such a
command line is read twice, first with every option that there is, to find that word wherever it stands.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, dataclass, fields
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from selfknow.cli.compact_help import WIDTH, CompactCommand, Rows

_METAVARS = {int: "INTEGER", float: "NUMBER", str: "TEXT", list[str]: "TEXT"}


@dataclass(frozen=True)
class Line:
    """A command line, before anything is known about its first word.

    Attributes:
        word: The first word that is not an option's value; null where there is none.
        options: The names of the options in it.
    """

    word: str | None
    options: tuple[str, ...]


def parameters(options: type[Any], panel: str | None = None) -> list[inspect.Parameter]:
    """Return the fields of an options class as parameters of a command.

    Args:
        options: A dataclass whose fields are made by :func:`selfknow.options.option`.
        panel: The panel of ``--help`` for fields that name none.
    """
    types = get_type_hints(options)
    return [_parameter(field, types[field.name], panel) for field in fields(options)]


def _parameter(field: Field[Any], declared: Any, panel: str | None) -> inspect.Parameter:
    metadata, default = field.metadata, field.default
    plain = metadata["type"] or _plain(declared)
    if plain == list[str]:
        default = None
    name, words = field.name.replace("_", "-"), []
    if metadata["switch"]:
        words = ["/".join(f"--{word}" for word in metadata["switch"].split("/"))]
    elif plain is bool:
        assert default is False, f"--{name} would change nothing"
        words = [f"--{name}"]
    info = typer.Option(
        *words,
        help=metadata["help"],
        min=metadata["minimum"],
        max=metadata["maximum"],
        metavar=metadata["metavar"] or (None if plain is bool else _METAVARS.get(plain, plain.__name__.upper())),
        show_default=default is not None and default is not False,
        rich_help_panel=metadata["panel"] or panel,
    )
    return _keyword(field.name, Annotated[plain if default is not None else plain | None, info], default)


def _plain(declared: Any) -> Any:
    """Return the type of one value, without null; several values are a list."""
    if get_origin(declared) in (tuple, list):
        return list[str]
    return next((_plain(argument) for argument in get_args(declared) if argument is not NoneType), declared)


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def command(
    function: Callable[..., None],
    options: Iterable[inspect.Parameter] = (),
    *,
    examples: Sequence[str] = (),
    sections: Rows | None = None,
    explains_arguments: bool = True,
) -> CompactCommand:
    """Return a command that takes more options than its function names.

    Args:
        function: Takes its own parameters, and by ``**options`` those of the others that stand on the command line.
        options: The others.
        examples: Example calls for ``--help``; default: those of the docstring.
        sections: Further sections of ``--help`` before the options.
        explains_arguments: False if the arguments are known already, as a task that the options belong to.
    """
    text = inspect.cleandoc(function.__doc__ or "")
    made = _command(_caller(function), [*own_parameters(function), *options], text)
    made.examples, made.sections, made.explains_arguments = examples, sections or {}, explains_arguments
    return made


def with_options(options: Iterable[inspect.Parameter]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command of a group more options than its function names (see :func:`command`)."""

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        call = _caller(function)
        call.__name__, call.__doc__ = function.__name__, function.__doc__
        return _signed(call, [*own_parameters(function), *options])

    return decorated


def _caller(function: Callable[..., None]) -> Callable[..., None]:
    """Return a call of a command's function with its own parameters, and of the others those on the command line."""
    names = {each.name for each in own_parameters(function)}

    def call(context: typer.Context, **values: Any) -> None:
        used = {name: value for name, value in values.items() if name in names or _is_used(context, name)}
        function(**{name: tuple(value) if isinstance(value, list) else value for name, value in used.items()})

    return call


def without_options(function: Callable[..., None]) -> Callable[..., None]:
    """Return a command's function for the list of commands, where its ``**options`` are not known."""

    def call(**_: Any) -> None:
        raise AssertionError("the command makes itself anew from its words")

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    return _signed(call, own_parameters(function))


def own_parameters(function: Callable[..., None]) -> list[inspect.Parameter]:
    """Return the parameters that a command's function names itself, without its ``**options``."""
    listed = inspect.signature(function, eval_str=True).parameters.values()
    return [
        parameter.replace(kind=parameter.KEYWORD_ONLY)
        for parameter in listed
        if parameter.kind is not parameter.VAR_KEYWORD
    ]


def _command(
    call: Callable[..., None], parameters: Sequence[inspect.Parameter], text: str, *, with_help: bool = True
) -> CompactCommand:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    settings = {"max_content_width": WIDTH}
    app.command(cls=CompactCommand, help=text, add_help_option=with_help, context_settings=settings)(
        _signed(call, parameters)
    )
    made = typer.main.get_command(app)
    assert isinstance(made, CompactCommand)
    return made


def _signed(call: Callable[..., None], parameters: Sequence[inspect.Parameter]) -> Callable[..., None]:
    """Give a function a context and these parameters, as Typer reads them."""
    assert len({parameter.name for parameter in parameters}) == len(parameters), "two options have one name"
    signature = [_keyword("context", typer.Context, inspect.Parameter.empty), *parameters]
    call.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in signature}
    return call


def read_line(parameters: Iterable[inspect.Parameter], arguments: Sequence[str]) -> Line:
    """Find the first word of a command line and the options around it, whatever their values.

    Args:
        parameters: Every option that the command may take, whatever its words; of one name the first counts.
        arguments: The arguments after the command's name.

    Raises:
        typer.TyperException: An option is unknown (near ones are named), or lacks its value.
    """
    options = for_any_value(parameters)
    words = _keyword("every_word", Annotated[list[str] | None, typer.Argument()], None)
    asks_for_help = _keyword("help", Annotated[bool, typer.Option("--help")], False)

    def nothing(**_: Any) -> None:
        """Only its parameters are read."""

    parser = _command(nothing, [words, asks_for_help, *options], "", with_help=False)
    context = parser.make_context(None, list(arguments))
    values = context.params["every_word"] or [None]
    return Line(values[0], tuple(option.name for option in options if _is_used(context, option.name)))


def for_any_value(parameters: Iterable[inspect.Parameter]) -> list[inspect.Parameter]:
    """Return the same options, each once; they take any value and do not show in ``--help``."""
    return list(
        {parameter.name: loose for parameter in parameters if (loose := _loose(parameter)) is not None}.values()
    )


def described(parameters: Iterable[inspect.Parameter]) -> list[tuple[str, str]]:
    """Options and what they are for, to be shown in ``--help`` by a command that does not take them."""
    infos = [(parameter, get_args(parameter.annotation)[1]) for parameter in parameters]
    return [
        (f"--{parameter.name.replace('_', '-')} {info.metavar or ''}".strip(), info.help) for parameter, info in infos
    ]


def _loose(parameter: inspect.Parameter) -> inspect.Parameter | None:
    """Return the same option for any value; null for an argument."""
    declared, info = get_args(parameter.annotation)
    plain = _plain(declared)
    if isinstance(info, type(typer.Argument())):
        return None
    names = () if info.default is ... else (info.default, *(info.param_decls or ()))  # in `Annotated` a name
    loose = typer.Option(*names, hidden=True)
    type_ = plain if plain in (bool, list[str]) else str
    return _keyword(parameter.name, Annotated[type_ | None, loose], None)


def _is_used(context: Any, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
