"""A program's second run, on a machine that differs in everything that a program's output should not depend on.

This file runs in the sandbox (``python -c FILE SOURCE``). It changes what may differ on a machine with 64 bits,
another version of Python or another C library: the order of sets, the results of ``hash`` and ``id``, the last digits
of sums, powers and sines. If a program prints the same as in its first run, it depends on none of these. Other
differences between machines do not show in the output here. They are found in the program's text, or when an error is
raised, and are printed last on stderr, after :data:`MARK`.
"""

from __future__ import annotations

import _ast
import builtins
import math
import os
import sys

TYPE_CHECKING = False  # importing typing takes as long as everything else here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

MARK = "selfknow doubts this program: "
_FILE = "<program>"
_SET, _POWER = "_selfknow_set", "_selfknow_power"
_MONITOR = 3
_FIRST_WITH_ANOTHER_HASH = 2**31 - 1  # on 32 bits
# The names of these modules that are the same on every machine; no others are.
_SAME = {
    "sys": {"stdout", "stderr", "stdin", "exit", "setrecursionlimit", "getrecursionlimit"},
    "os": {"path", "linesep", "sep"},
    "os.path": {"join", "basename", "dirname", "split", "splitext"},
}
_DIFFERENT = {
    *("array", "builtins", "cmath", "ctypes", "gc", "getpass", "glob", "inspect", "locale", "pathlib", "platform"),
    *("secrets", "shutil", "site", "struct", "sysconfig", "tempfile", "tracemalloc", "uuid", "zoneinfo"),
}
_DIFFERENT_NAMES = {
    *("__hash__", "__sizeof__", "__builtins__", "__import__", "getsizeof", "maxsize"),
    *("MAX_EMAX", "MAX_PREC", "MIN_EMIN", "MIN_ETINY"),  # of decimal
}
_RUNS_TEXT = {"compile", "eval", "exec"}  # sets in text that they run cannot be replaced
_OPERATORS = (_ast.BitAnd, _ast.BitOr, _ast.BitXor, _ast.Sub)
# Functions whose last digits depend on the C library; between two libraries 1 to 15% of the results differ.
_LIBRARY = (
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2"),
    *("expm1", "gamma", "lgamma", "log", "log10", "log1p", "log2", "pow", "sin", "sinh", "tan", "tanh"),
)
# Errors that may come from 32 bits or from the sandbox's limits, by their type or by words in their message.
_ERRORS = (MemoryError, OSError, EOFError, ImportError)
_WORDS = ("ssize_t", "index-sized", "C long", "C int", "sys.maxsize", "new thread", "recursion depth exceeded ")
# Words in messages that differ in Python 3.11 or 3.13.
_NEW_WORDS = ("iterable argument is empty", "unexpected keyword argument", "trailing comma")


def walk(tree: _ast.AST) -> Iterator[_ast.AST]:
    """Yield a syntax tree's nodes."""
    nodes: list[Any] = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, list):
            nodes.extend(reversed(node))
        elif isinstance(node, _ast.AST):
            yield node
            nodes.extend(getattr(node, field, None) for field in reversed(node._fields))


def differences(tree: _ast.Module) -> Iterator[str]:
    """Yield the names in a program that may differ between machines.

    Args:
        tree: The program.
    """
    for node in walk(tree):
        yield from _imported(node)
        match node:
            case _ast.Attribute(value=owner, attr=name) if (module := _dotted(owner)) in _SAME:
                if name not in _SAME[module]:
                    yield f"{module}.{name}"
            case _ast.Name(id=name) if name in _RUNS_TEXT:
                yield str(name)
            case _ast.Name(id=str(name)) | _ast.Attribute(attr=name) | _ast.Constant(value=str(name)):
                if name in _DIFFERENT_NAMES:
                    yield name


def _imported(node: _ast.AST) -> Iterator[str]:
    """Yield the imported names that may differ between machines."""
    match node:
        case _ast.Import(names=names):
            for alias in names:
                if alias.name in _DIFFERENT or (alias.name in _SAME and alias.asname):
                    yield alias.name
        case _ast.ImportFrom(module=str(module)):
            if module in _DIFFERENT:
                yield module
            elif module in _SAME:
                same = _SAME[module] - {"path"}
                yield from (f"{module}.{alias.name}" for alias in node.names if alias.name not in same)


def draws_at_random(tree: _ast.Module) -> bool:
    """Return true if a program draws random numbers without setting a seed.

    Args:
        tree: The program.
    """
    imports = seeds = False
    for node in walk(tree):
        match node:
            case _ast.Import(names=names):
                imports |= any(alias.name == "random" for alias in names)
            case _ast.ImportFrom(module="random"):
                imports = True
            case _ast.Call(func=_ast.Attribute(attr="seed" | "Random") | _ast.Name(id="seed" | "Random"), args=[_, *_]):
                seeds = True
    return imports and not seeds


def _dotted(node: Any) -> str:
    match node:
        case _ast.Name(id=name):
            return str(name)
        case _ast.Attribute(value=_ast.Name(id=owner), attr=name):
            return f"{owner}.{name}"
    return ""


def replace_sets_and_powers(tree: _ast.Module) -> None:
    """Replace a program's sets by ones in reverse order, and its powers by ones with other last digits.

    Args:
        tree: The program; it is changed in place.
    """
    nodes = list(walk(tree))
    has_views = any(isinstance(node, _ast.Attribute) and node.attr in ("keys", "items") for node in nodes)
    for node in nodes:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                value[:] = [_replaced(child, has_views=has_views) for child in value]
            elif isinstance(value, _ast.AST):
                setattr(node, field, _replaced(value, has_views=has_views))


def _replaced(node: Any, *, has_views: bool) -> Any:
    match node:
        case _ast.Set():
            items: Any = _ast.List(node.elts, _ast.Load())
        case _ast.SetComp():
            items = _ast.GeneratorExp(node.elt, node.generators)
        case _ast.BinOp(op=_ast.Pow()):
            return _call(_POWER, [node.left, node.right], node)
        case _ast.AugAssign(op=_ast.Pow(), target=_ast.Name(id=name)):
            value = _call(_POWER, [_at(node, _ast.Name(name, _ast.Load())), node.value], node)
            return _at(node, _ast.Assign([node.target], value))
        case _ast.BinOp() if has_views and isinstance(node.op, _OPERATORS):
            return _call(f"{_SET}_of", [node], node)  # two dicts' keys may make a set
        case _:
            return node
    return _call(_SET, [_at(node, items)], node)


def _call(name: str, arguments: list[Any], place: Any) -> Any:
    return _at(place, _ast.Call(_at(place, _ast.Name(name, _ast.Load())), arguments, []))


def _at(place: Any, node: Any) -> Any:
    for field in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(node, field, getattr(place, field))
    return node


def _has_same_hash(item: object) -> bool:
    """Return true if an item's hash, and so its place in a set, is the same on every machine."""
    return type(item) in (int, bool) and 0 <= item < _FIRST_WITH_ANOTHER_HASH  # type: ignore[operator]


def backwards(base: Any) -> Any:
    """Return a set type that iterates backwards, unless the order is the same on every machine.

    Args:
        base: ``set`` or ``frozenset``.
    """

    def items(self: Any) -> list[Any]:
        contents = list(base.__iter__(self))
        return contents if all(map(_has_same_hash, contents)) else contents[::-1]

    def of_same_type(name: str) -> Callable[..., Any]:
        method = getattr(base, name)

        def call(self: Any, *arguments: Any) -> Any:
            result = method(self, *arguments)
            return cls(result) if type(result) is base else result

        return call

    def pop(self: Any) -> Any:
        contents = list(base.__iter__(self))
        if all(map(_has_same_hash, contents)):
            return base.pop(self)
        self.remove(contents[-1])
        return contents[-1]

    def text(self: Any) -> str:
        name, shown_items = type(self).__name__, ", ".join(map(repr, self))
        if not shown_items:
            return f"{name}()"
        return f"{{{shown_items}}}" if type(self) is cls and base is set else f"{name}({{{shown_items}}})"

    names = ["union", "intersection", "difference", "symmetric_difference", "copy"]
    names += [f"__{side}{name}__" for name in ("and", "or", "sub", "xor") for side in ("", "r")]
    members: dict[str, Any] = {name: of_same_type(name) for name in names}
    members |= {"__iter__": lambda self: iter(items(self)), "__repr__": text, "__module__": "builtins"}
    if base is set:
        members["pop"] = pop
    cls: Any = type(base.__name__, (base,), members)
    return cls


def with_other_digits(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose float results have other last digits; results that are short numbers stay.

    Args:
        function: A function of floats, such as ``math.sin``.
    """
    name = getattr(function, "__name__", "")

    def call(*arguments: Any) -> Any:
        result = function(*arguments)
        if type(result) not in (float, complex):
            return result
        # Only in some C libraries are the cube root of 27 and the logarithm of 125 to base 5 exactly 3.0.
        may_be_short = name != "cbrt" and not (name == "log" and len(arguments) > 1) and type(result) is float
        is_short = may_be_short and result == float(f"{result:.9g}")
        return result if is_short else result * (1 + 2**-50)

    return call


def other_names() -> dict[str, Any]:
    """Return replacements for the built-in functions whose results depend on the machine."""
    other_set, real_hash, real_id = backwards(set), hash, id

    def set_of(result: Any) -> Any:
        return other_set(result) if type(result) is set else result

    def other_hash(value: object, /) -> int:
        number = real_hash(value)
        return number if isinstance(value, int | float) and number == value else number ^ 0x5BD1E995

    def other_id(value: object, /) -> int:
        return 2**40 - real_id(value)

    def other_sum(items: Iterable[Any], /, start: Any = 0) -> Any:
        """Add items up as Python 3.11 does, which loses digits of floats."""
        if isinstance(start, str | bytes | bytearray):
            raise TypeError("sum() can't sum them")
        for item in items:
            start = start + item
        return start

    return {
        "set": other_set,
        "frozenset": backwards(frozenset),
        "hash": other_hash,
        "id": other_id,
        "sum": other_sum,
        "pow": with_other_digits(pow),
        _POWER: with_other_digits(lambda base, exponent: base**exponent),
        _SET: other_set,
        f"{_SET}_of": set_of,
    }


def show_ordered_dicts_as_before() -> None:
    """Make the repr of ``OrderedDict`` that of Python 3.11, with its items as pairs."""
    import collections

    def text(self: Any) -> str:
        return f"{type(self).__name__}({list(self.items()) if self else ''})"

    members = {"__repr__": text, "__module__": "collections"}
    vars(collections)["OrderedDict"] = type("OrderedDict", (collections.OrderedDict,), members)


def main(source: str) -> None:
    """Run a program, and write on stderr what may differ on other machines.

    Args:
        source: The program.
    """
    write, leave, flush = os.write, os._exit, sys.stdout.flush
    tree: Any = compile(source, _FILE, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    doubts = [f"uses {name}, which may differ between machines" for name in differences(tree)]
    if draws_at_random(tree):
        doubts.append("draws random numbers, which differ each time")
    replace_sets_and_powers(tree)
    for name in _LIBRARY:
        setattr(math, name, with_other_digits(getattr(math, name)))
    program = compile(tree, _FILE, "exec", dont_inherit=True)
    if "OrderedDict" in source:  # importing collections takes as long as a whole program
        show_ordered_dicts_as_before()
    module: Any = type(sys)("__main__")
    vars(module).update(other_names(), __builtins__=builtins)
    sys.modules["__main__"] = module
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]

    def note(code: Any, _offset: int, error: BaseException) -> None:
        if code.co_filename != _FILE:
            return
        words = str(error)
        if isinstance(error, _ERRORS) or any(part in words for part in _WORDS):
            doubts.append(f"reaches a limit of the sandbox: {type(error).__name__}")
        if any(part in words for part in _NEW_WORDS):
            doubts.append(f"raises an error that other versions of Python word otherwise: {type(error).__name__}")

    monitoring.use_tool_id(_MONITOR, "selfknow")
    monitoring.register_callback(_MONITOR, monitoring.events.RAISE, note)
    monitoring.set_events(_MONITOR, monitoring.events.RAISE)
    exit_status = 1
    try:
        exec(program, vars(module))  # noqa: S102
        exit_status = 0
    except SystemExit as exit_error:
        exit_status = exit_error.code not in (None, 0)
    finally:
        flush()
        if doubts:
            write(2, f"\n{MARK}{doubts[0]}".encode())
        leave(int(exit_status))


if __name__ == "__main__":
    main(sys.argv.pop())
