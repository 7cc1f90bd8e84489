"""The head of a GGUF file: facts about its model, and the places of its tensors.

The package ``gguf`` reads it too, but makes an object of every token of the vocabulary, which takes many seconds. Here
a file is judged before anything is loaded, so long lists are passed over.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

import mmap
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TypeAlias

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_ALIGNMENT_IN_BYTES = 32  # where a file names no other
_STRING, _ARRAY = 8, 9
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}

Value: TypeAlias = str | int | float | bool


class NotReadableError(Exception):
    """A file is no GGUF file, or a damaged one; the message says what is wrong with it."""


@dataclass(frozen=True)
class Tensor:
    """One tensor of a file.

    Attributes:
        name: As llama.cpp calls it: ``blk.0.attn_q.weight``.
        num_values: How many numbers it holds.
        type: The number of its type in ``gguf.GGMLQuantizationType``.
        offset_in_bytes: Where it begins, counted from the first tensor.
    """

    name: str
    num_values: int
    type: int
    offset_in_bytes: int


@dataclass(frozen=True)
class GgufHeader:
    """What a file says of its model.

    Attributes:
        metadata: Its values by their keys (``general.architecture``); of a list, how many elements it has.
        tensors: Its tensors, in the order of the file.
        data_start_in_bytes: Where the first tensor begins.
    """

    metadata: Mapping[str, Value]
    tensors: tuple[Tensor, ...]
    data_start_in_bytes: int

    @property
    def architecture(self) -> str:
        """As llama.cpp calls it: ``llama``, ``gemma3``; empty where the file does not say."""
        return str(self.metadata.get("general.architecture", ""))

    @property
    def num_values(self) -> int:
        """How many numbers all tensors hold."""
        return sum(tensor.num_values for tensor in self.tensors)

    @cached_property
    def quantization(self) -> str | None:
        """What the file's weights are stored in, such as ``Q4_1``, ``Q4_K_M`` or ``F16``; null where it has none.

        It is what the file says of itself, as llama.cpp shows it; where it says nothing, what most of its numbers are
        stored in.
        """
        from gguf import GGMLQuantizationType, LlamaFileType

        stated = self.metadata.get("general.file_type")
        if isinstance(stated, int) and stated in {kind.value for kind in LlamaFileType}:
            return LlamaFileType(stated).name.removeprefix("MOSTLY_").removeprefix("ALL_")
        values = Counter[int]()
        for tensor in self.tensors:
            values[tensor.type] += tensor.num_values
        return GGMLQuantizationType(values.most_common(1)[0][0]).name if values else None

    @property
    def end_in_bytes(self) -> int:
        """How long the file must be to hold all its tensors.

        Raises:
            NotReadableError: A tensor is of a type that the package ``gguf`` does not know.
        """
        from gguf import GGML_QUANT_SIZES

        ends = [self.data_start_in_bytes]
        for tensor in self.tensors:
            if tensor.type not in GGML_QUANT_SIZES:
                raise NotReadableError(f"its tensor {tensor.name} is of the unknown type {tensor.type}")
            values_per_block, bytes_per_block = GGML_QUANT_SIZES[tensor.type]  # type: ignore[index]
            size = tensor.num_values // values_per_block * bytes_per_block
            ends.append(self.data_start_in_bytes + tensor.offset_in_bytes + size)
        return max(ends)


def read_header(path: Path) -> GgufHeader:
    """Read the head of a GGUF file, of which nothing else is touched.

    Raises:
        NotReadableError: It is no GGUF file, of a version that nobody writes any more, or ends within its head.
        OSError: It cannot be opened.
    """
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise NotReadableError("it does not begin with the letters GGUF, so it is no GGUF file")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                return _header(_Cursor(content))
            except struct.error as error:
                raise NotReadableError(f"it is cut off: it ends after {len(content):,} bytes, in its head") from error
            except UnicodeDecodeError as error:
                raise NotReadableError("it is damaged: a name in its head is no text") from error


def _header(cursor: "_Cursor") -> GgufHeader:
    version, num_tensors, num_values = cursor.read("IQQ")
    if version not in _VERSIONS:
        raise NotReadableError(f"it is of version {version}, and {' and '.join(map(str, _VERSIONS))} can be read")
    metadata: dict[str, Value] = {}
    for _ in range(num_values):
        key = cursor.text()
        [kind] = cursor.read("I")
        metadata[key] = cursor.value(kind)
    tensors = tuple(cursor.tensor() for _ in range(num_tensors))
    alignment = int(metadata.get("general.alignment", _ALIGNMENT_IN_BYTES)) or _ALIGNMENT_IN_BYTES
    return GgufHeader(metadata, tensors, -(-cursor.place // alignment) * alignment)


class _Cursor:
    """A place in a file's bytes, which moves on as they are read."""

    def __init__(self, content: mmap.mmap) -> None:
        self.content = content
        self.place = len(MAGIC)

    def read(self, form: str) -> tuple[int, ...]:
        """Numbers in the form of :mod:`struct`, least significant byte first."""
        values = struct.unpack_from(f"<{form}", self.content, self.place)
        self.place += struct.calcsize(f"<{form}")
        return values

    def text(self) -> str:
        start = self.place + 8
        self.skip_text()
        return self.content[start : self.place].decode()

    def skip_text(self) -> None:
        [length] = self.read("Q")
        self._skip(length)

    def value(self, kind: int) -> Value:
        """A value; of a list, how many elements it has."""
        if kind == _STRING:
            return self.text()
        if kind != _ARRAY:
            return self.read(_form(kind))[0]
        of, number = self.read("IQ")
        if of == _STRING:
            for _ in range(number):
                self.skip_text()
        else:
            self._skip(number * struct.calcsize(f"<{_form(of)}"))
        return number

    def tensor(self) -> Tensor:
        name = self.text()
        [dimensions] = self.read("I")
        shape = self.read(f"{dimensions}Q")
        kind, offset = self.read("IQ")
        return Tensor(name, prod(shape), kind, offset)

    def _skip(self, length: int) -> None:
        self.place += length
        if self.place > len(self.content):
            raise struct.error("beyond the end")


def _form(kind: int) -> str:
    if kind not in _NUMBERS:
        raise NotReadableError(f"it is damaged: its head holds a value of the unknown type {kind}")
    return _NUMBERS[kind]
