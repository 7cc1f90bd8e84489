"""A hash of a function's code, constants, defaults, closure and globals, but not of its name or place.

If the same function is defined again in a notebook, or moved in a file, its hash stays the same. Code of installed
libraries enters the hash only by its name, and so does everything that the function looks up in a module.
"""

import copyreg
import dis
import enum
import functools
import hashlib
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

_LARGEST_IN_BYTES = 64 << 20
_COMMON_ATTRIBUTES = re.compile(
    r"__(dict|weakref|module|doc|qualname|annotations|firstlineno|static_attributes|dataclass_\w+|abstractmethods)__|_abc_impl"
)
_PLAIN = (tuple, list, dict)  # not their subclasses, whose objects may hold more than items


def _name(value: Any) -> tuple[object, ...]:
    owner = getattr(value, "__self__", None)
    bound_to = None if isinstance(owner, types.ModuleType) else owner
    return getattr(value, "__module__", None), getattr(value, "__qualname__", value.__name__), bound_to


_PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    tuple: tuple,
    list: tuple,
    dict: lambda value: (part for pair in value.items() for part in pair),
    types.MethodType: lambda value: (value.__func__, value.__self__),
    functools.partial: lambda value: (value.func, value.args, value.keywords),
    functools._lru_cache_wrapper: lambda value: (value.__wrapped__,),
    staticmethod: lambda value: (value.__func__,),
    classmethod: lambda value: (value.__func__,),
    property: lambda value: (value.fget, value.fset, value.fdel),
    enum.Enum: lambda value: (type(value).__qualname__, value.name, value.value),
    types.BuiltinFunctionType: _name,
    types.MethodDescriptorType: _name,
    types.WrapperDescriptorType: _name,
    types.MethodWrapperType: _name,
    types.ModuleType: _name,
    types.MemberDescriptorType: lambda value: (),  # noqa: ARG005
    types.GetSetDescriptorType: lambda value: (),  # noqa: ARG005
}
"""The parts of each type of value that enter the hash."""


class UnknowableError(Exception):
    """A value that a function uses cannot be compared with others of its type; the message names it."""


def hash_of_function(function: Callable[..., object]) -> str:
    """Return a hash of a function, 16 hex digits, which changes if and only if the function does.

    Args:
        function: A function or any other callable: a method, a ``functools.partial``, an object with ``__call__``.

    Raises:
        UnknowableError: It holds a connection, a lock, or another object that cannot be compared.

    Example:
        >>> hash_of_function(lambda prompt: "a") == hash_of_function(lambda text: "b")
        False
    """
    digest = _Digest()
    try:
        digest.add(function)
    except RecursionError as error:
        raise UnknowableError("its values are nested too deeply") from error
    return digest.hexdigest()


class _Digest:
    """A hash over values of any type, each written with its type and its length."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=8)
        self._size_in_bytes = 0
        self._ancestors: list[int] = []  # a value inside itself enters the hash as its depth in itself

    def hexdigest(self) -> str:
        return self._hash.hexdigest()

    def _write(self, kind: str, content: bytes = b"") -> None:
        self._size_in_bytes += len(content) + len(kind)
        if self._size_in_bytes > _LARGEST_IN_BYTES:
            raise UnknowableError("its values are too large to compare")
        self._hash.update(f"{kind} {len(content)} ".encode() + content)

    def add(self, value: Any) -> None:
        if value is None or type(value) in (bool, int, float, complex, types.EllipsisType, range):
            self._write(type(value).__name__, repr(value).encode())
        elif type(value) is str:
            self._write("str", value.encode("utf-8", "surrogatepass"))
        elif type(value) in (bytes, bytearray):
            self._write("bytes", bytes(value))
        elif id(value) in self._ancestors:
            self._write("again", str(len(self._ancestors) - self._ancestors.index(id(value))).encode())
        else:
            self._ancestors.append(id(value))
            self._add_parts(value)
            self._ancestors.pop()

    def _add_parts(self, value: Any) -> None:
        if isinstance(value, types.CodeType):
            self._add_code(value)
        elif isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, type):
            self._add_class(value)
        elif type(value) in (set, frozenset):  # their order differs from process to process
            self._add_all("set", *sorted(map(self._digest_of, value)))
        else:
            for type_, parts in _PARTS.items():
                if type(value) is type_ or (type_ not in _PLAIN and isinstance(value, type_)):
                    self._add_all(type_.__name__, *parts(value))
                    return
            self._add_object(value)

    def _add_all(self, kind: str, *parts: Any) -> None:
        self._write(kind, str(len(parts)).encode())
        for part in parts:
            self.add(part)

    def _digest_of(self, value: Any) -> str:
        digest = _Digest()
        digest.add(value)
        self._size_in_bytes += digest._size_in_bytes
        return digest.hexdigest()

    def _add_code(self, code: types.CodeType) -> None:
        """Add a code object without its file, its lines and its name."""
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        handlers = getattr(code, "co_exceptiontable", b"")
        self._add_all("code", code.co_code, handlers, *counts, *names, code.co_consts)

    def _add_function(self, function: types.FunctionType) -> None:
        if _is_installed(function.__module__):
            self._add_all("function", function.__module__, function.__qualname__)
            return
        self._add_all("function", function.__code__, function.__defaults__, function.__kwdefaults__, vars(function))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._add_variable(name, functools.partial(getattr, cell, "cell_contents"))
        for name in sorted(set(_globals_of(function.__code__))):
            if name in function.__globals__:
                self._add_variable(name, functools.partial(function.__globals__.get, name))
            else:
                self._add_all("builtin", name)

    def _add_variable(self, name: str, read: Callable[[], Any]) -> None:
        """Add a variable that a function uses: its name, and the value that ``read`` returns."""
        self._add_all("uses", name)
        try:
            value = read()
        except ValueError:  # the cell is still empty
            self._write("empty")
            return
        try:
            self.add(value)
        except UnknowableError as error:
            raise UnknowableError(f"it uses {name}, of type {type(value).__qualname__}") from error

    def _add_class(self, class_: type) -> None:
        if _is_installed(class_.__module__):
            self._add_all("class", class_.__module__, class_.__qualname__)
        else:
            attributes = {name: value for name, value in vars(class_).items() if not _COMMON_ATTRIBUTES.fullmatch(name)}
            self._add_all("class", class_.__qualname__, attributes, class_.__bases__)

    def _add_object(self, value: Any) -> None:
        """Add an object's class and state, as pickle would store them."""
        reduce = copyreg.dispatch_table.get(type(value))
        try:
            parts = value.__reduce_ex__(4) if reduce is None else reduce(value)
        except Exception as error:
            raise UnknowableError(f"it holds an object of type {type(value).__qualname__}") from error
        if isinstance(parts, str):
            self._add_all("global", type(value).__module__, parts)
            return
        self._add_all("object", *parts[:3])
        for items in parts[3:5]:
            self._add_all("items", *(items or ()))


def _globals_of(code: types.CodeType) -> Iterator[str]:
    """Yield the names of the globals and builtins that a function and its inner functions use."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals_of(constant)


def _is_installed(module_name: str | None) -> bool:
    """Return true for a module of Python or of an installed library, which changes only with its version."""
    if module_name is None or module_name == "__main__":
        return False
    if module_name.partition(".")[0] in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(module_name), "__file__", None)
    return file is not None and any(part in ("site-packages", "dist-packages") for part in Path(file).parts)
