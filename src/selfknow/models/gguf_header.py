"""The header of a GGUF file: the metadata of its model, and the positions of its tensors.

``GGUFReader`` of the package ``gguf`` creates an object for every token of the vocabulary, which takes 17 seconds for
262,144 tokens. This reader skips lists and takes 0.2 seconds, so that a file can be checked before it is loaded.

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
_ALIGNMENT_IN_BYTES = 32  # the default for files that state none
_STRING_TYPE, _LIST_TYPE = 8, 9
_NUMBER_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}

Value: TypeAlias = str | int | float | bool


class NotReadableError(Exception):
    """An error for a file that is damaged or not a GGUF file; the message names the problem."""


@dataclass(frozen=True)
class Tensor:
    """One tensor of a file.

    Attributes:
        name: Its name in llama.cpp, such as ``blk.0.attn_q.weight``.
        num_values: The number of its elements.
        type: The number of its type in ``gguf.GGMLQuantizationType``.
        offset_in_bytes: Its start, counted from the start of the first tensor.
    """

    name: str
    num_values: int
    type: int
    offset_in_bytes: int


@dataclass(frozen=True)
class GgufHeader:
    """A file's metadata and its list of tensors.

    Attributes:
        metadata: The values of its keys, such as ``general.architecture``; in place of a list, the list's length.
        tensors: Its tensors, in the order of the file.
        data_start_in_bytes: The position of the first tensor in the file.
    """

    metadata: Mapping[str, Value]
    tensors: tuple[Tensor, ...]
    data_start_in_bytes: int

    @property
    def architecture(self) -> str:
        """The architecture's name in llama.cpp, such as ``llama``; empty if the file does not name it."""
        return str(self.metadata.get("general.architecture", ""))

    @property
    def num_values(self) -> int:
        """The number of elements of all tensors."""
        return sum(tensor.num_values for tensor in self.tensors)

    @cached_property
    def quantization(self) -> str | None:
        """The storage type of the weights, such as ``Q4_1``, ``Q4_K_M`` or ``F16``; null for a file without tensors.

        It is the type that the file states, by its name in llama.cpp, or else the type of most elements.
        """
        from gguf import GGMLQuantizationType, LlamaFileType

        file_type = self.metadata.get("general.file_type")
        if isinstance(file_type, int) and file_type in {kind.value for kind in LlamaFileType}:
            return LlamaFileType(file_type).name.removeprefix("MOSTLY_").removeprefix("ALL_")
        num_values_by_type = Counter[int]()
        for tensor in self.tensors:
            num_values_by_type[tensor.type] += tensor.num_values
        if not num_values_by_type:
            return None
        [(most_common_type, _)] = num_values_by_type.most_common(1)
        return GGMLQuantizationType(most_common_type).name

    @property
    def end_in_bytes(self) -> int:
        """The size that the file must have to hold all its tensors.

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
    """Read the header of a GGUF file, and nothing after it.

    Raises:
        NotReadableError: The file is not a GGUF file, has an unknown version, or ends within its header.
        OSError: The file cannot be opened.
    """
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise NotReadableError("it is not a GGUF file: it does not begin with the letters GGUF")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                return _header(_Cursor(content))
            except struct.error as error:
                raise NotReadableError(f"it is cut off: it ends after {len(content):,} bytes, in its header") from error
            except UnicodeDecodeError as error:
                raise NotReadableError("it is damaged: a name in its header is not text") from error


def _header(cursor: "_Cursor") -> GgufHeader:
    version, num_tensors, num_values = cursor.read("IQQ")
    if version not in _VERSIONS:
        versions = " and ".join(map(str, _VERSIONS))
        raise NotReadableError(f"it has version {version}, but only versions {versions} can be read")
    metadata: dict[str, Value] = {}
    for _ in range(num_values):
        key = cursor.text()
        [kind] = cursor.read("I")
        metadata[key] = cursor.value(kind)
    tensors = tuple(cursor.tensor() for _ in range(num_tensors))
    alignment = int(metadata.get("general.alignment", _ALIGNMENT_IN_BYTES)) or _ALIGNMENT_IN_BYTES
    # The first tensor begins at the next multiple of the alignment.
    return GgufHeader(metadata, tensors, -(-cursor.position // alignment) * alignment)


class _Cursor:
    """A position in a file's bytes, which advances with each read."""

    def __init__(self, content: mmap.mmap) -> None:
        self.content = content
        self.position = len(MAGIC)

    def read(self, form: str) -> tuple[int, ...]:
        """Read numbers in a format of :mod:`struct`, in little-endian order."""
        values = struct.unpack_from(f"<{form}", self.content, self.position)
        self.position += struct.calcsize(f"<{form}")
        return values

    def text(self) -> str:
        start = self.position + 8
        self.skip_text()
        return self.content[start : self.position].decode()

    def skip_text(self) -> None:
        [length] = self.read("Q")
        self._skip(length)

    def value(self, kind: int) -> Value:
        """Read a value; for a list, skip it and return its length."""
        if kind == _STRING_TYPE:
            return self.text()
        if kind != _LIST_TYPE:
            return self.read(_number_format(kind))[0]
        element_kind, number = self.read("IQ")
        if element_kind == _STRING_TYPE:
            for _ in range(number):
                self.skip_text()
        else:
            self._skip(number * struct.calcsize(f"<{_number_format(element_kind)}"))
        return number

    def tensor(self) -> Tensor:
        name = self.text()
        [dimensions] = self.read("I")
        shape = self.read(f"{dimensions}Q")
        kind, offset = self.read("IQ")
        return Tensor(name, prod(shape), kind, offset)

    def _skip(self, length: int) -> None:
        self.position += length
        if self.position > len(self.content):
            raise struct.error("beyond the end")


def _number_format(kind: int) -> str:
    if kind not in _NUMBER_FORMATS:
        raise NotReadableError(f"it is damaged: its header holds a value of the unknown type {kind}")
    return _NUMBER_FORMATS[kind]
