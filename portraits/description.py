"""A portrait's description, ``portrait.json``, every field of which is checked when the file is read.

The file ends in ``description_sha256``: the hash of the whole file, with an empty string in place of the hash. So no
byte can change unnoticed. Version 1 of the format had no such hash.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.files import parse_json
from selfknow.portraits.filter.hashing import HASH_NAME
from selfknow.portraits.filter.layout import MAX_HASHES, FilterShape, pack_header
from selfknow.portraits.normalization import Normalization, check_normalization

FORMAT = "selfknow-portrait"
FORMAT_VERSION = 2
_VERSION_WITHOUT_HASH = 1
_HASH_KEY = "description_sha256"
DESCRIPTION = "portrait.json"
REDISBLOOM_HASH = "murmur64a-redisbloom"
MAX_WIDTH = 4096  # characters of an n-gram, and of a stride
_BITS_FILES = {HASH_NAME: "bits.rbloom", REDISBLOOM_HASH: "bits.redisbloom"}


@dataclass(frozen=True)
class Description:
    """A portrait's settings, sizes and corpus: everything but the bits.

    Attributes:
        width: Characters (Unicode code points) of an n-gram.
        stride: Characters from one n-gram of the corpus to the next.
        normalization: Normalisation of the corpus's texts and of queries: ``none`` or ``data-portraits``.
        hash: Name of the hash function, which also determines the probes.
        capacity: Distinct n-grams that the filter was made for.
        items: N-grams that were added, repeats included.
        size_in_bits: Bits of the filter.
        hashes: Number of bits that are set or probed for each n-gram.
        false_positive_rate: Rate promised at capacity; the actual one follows from ``ones``.
        ones: Bits that are set.
        sha256: SHA-256 of the file of bits.
        corpus: The corpus's repo or files, config, split, query, revision and content hash.
        is_checked: True if the description matched its hash; false if an earlier version wrote it without one.
    """

    width: int
    stride: int
    normalization: Normalization
    hash: str
    capacity: int
    items: int
    size_in_bits: int
    hashes: int
    false_positive_rate: float
    ones: int
    sha256: str
    corpus: Mapping[str, Any]
    is_checked: bool = field(default=True, compare=False)

    @property
    def shape(self) -> FilterShape:
        """The filter's size."""
        return FilterShape(self.size_in_bits, self.hashes)

    @property
    def bits_file(self) -> str:
        """The name of the file of bits: ``bits.rbloom`` for all but imported portraits."""
        return _BITS_FILES[self.hash]

    @property
    def header(self) -> bytes:
        """Bytes that stand before the bits in their file."""
        return pack_header(self.hashes) if self.hash == HASH_NAME else b""

    @property
    def actual_false_positive_rate(self) -> float:
        """The probability that an n-gram outside the corpus is a hit: (ones / size_in_bits) ^ hashes."""
        return self.shape.false_positive_rate(self.ones)

    @property
    def overfull(self) -> str | None:
        """A sentence that says how far the filter is above its capacity; null if it is not."""
        expected = self.shape.expected_ones(self.capacity)
        if self.ones <= expected + 6 * expected**0.5 + 1:
            return None
        return (
            f"this portrait is fuller than it was made for: it holds about "
            f"{self.shape.estimate_distinct(self.ones):,} distinct n-grams, was made for {self.capacity:,}, and its "
            f"false positive rate is {self.actual_false_positive_rate:.2g}, not {self.false_positive_rate:.2g}"
        )

    def to_json(self) -> str:
        """Return the text of ``portrait.json``."""
        head = {"format": FORMAT, "format_version": FORMAT_VERSION, "bits_file": self.bits_file}
        text = json.dumps(head | self.facts() | {_HASH_KEY: ""}, indent=2, ensure_ascii=False) + "\n"
        before, after = text.rsplit('""', 1)
        return f'{before}"{hashlib.sha256(text.encode()).hexdigest()}"{after}'

    def facts(self) -> dict[str, Any]:
        """Return the fields of ``portrait.json``, by name."""
        facts = asdict(self)
        del facts["is_checked"]
        return facts


class DamagedDescriptionError(UserError):
    """A ``portrait.json`` that has changed since it was written, or is not JSON."""


def read_description(path: Path) -> Description:
    """Read ``portrait.json``.

    Raises:
        DamagedDescriptionError: The file is not JSON, or does not match its own hash.
        UserError: There is no such file, its format is newer, or a value is out of range.
    """
    try:
        content = path.read_bytes()
        value = parse_json(content)
    except FileNotFoundError:
        raise UserError(f"{path.parent} is not a portrait folder: it has no {DESCRIPTION}") from None
    except (OSError, ValueError) as error:
        raise DamagedDescriptionError(f"{path} is damaged: {error}") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise UserError(f"{path} does not describe a portrait")
    version, own_hash = value.get("format_version"), value.get(_HASH_KEY)
    if type(version) is not int or version not in (_VERSION_WITHOUT_HASH, FORMAT_VERSION):
        raise UserError(
            f"{path} has format version {version}; this selfknow reads up to {FORMAT_VERSION}: upgrade selfknow"
        )
    has_hash = version != _VERSION_WITHOUT_HASH or own_hash is not None
    if has_hash and not (isinstance(own_hash, str) and _hash_without_itself(content, own_hash) == own_hash):
        raise DamagedDescriptionError(
            f"{path} is damaged: its {_HASH_KEY} does not match its content: download or build the portrait again"
        )
    return _parse_fields(path, value, is_checked=has_hash)


def _hash_without_itself(content: bytes, own_hash: str) -> str:
    """Return the SHA-256 of a file with an empty string in place of the last occurrence of a hash."""
    before, match, after = content.rpartition(f'"{own_hash}"'.encode(errors="replace"))
    empty_string = b'""' if match else b""
    return hashlib.sha256(before + empty_string + after).hexdigest()


def _parse_fields(path: Path, value: dict[str, Any], *, is_checked: bool) -> Description:
    def integer(name: str, least: int, most: int) -> int:
        number = value.get(name)
        if type(number) is not int or not least <= number <= most:
            raise UserError(f"{path} is damaged: {name} is {number!r}, not a whole number from {least} to {most}")
        return number

    def text(name: str) -> str:
        string = value.get(name)
        if not isinstance(string, str):
            raise UserError(f"{path} is damaged: {name} is {string!r}, not a text")
        return string

    hash_name = text("hash")
    if hash_name not in _BITS_FILES:
        raise UserError(f"{path} was made with the unknown hash {hash_name!r}: upgrade selfknow")
    rate = value.get("false_positive_rate")
    if not isinstance(rate, float) or not 0 < rate < 1:
        raise UserError(f"{path} is damaged: false_positive_rate is {rate!r}, not a number between 0 and 1")
    corpus = value.get("corpus")
    if not isinstance(corpus, dict):
        raise UserError(f"{path} is damaged: corpus is {corpus!r}, not an object")
    size_in_bits = integer("size_in_bits", 8, 1 << 56)
    if size_in_bits % 8:
        raise UserError(f"{path} is damaged: size_in_bits is {size_in_bits}, not a whole number of bytes")
    return Description(
        width=integer("width", 1, MAX_WIDTH),
        stride=integer("stride", 1, MAX_WIDTH),
        normalization=check_normalization(text("normalization")),
        hash=hash_name,
        capacity=integer("capacity", 1, 1 << 62),
        items=integer("items", 0, 1 << 62),
        size_in_bits=size_in_bits,
        hashes=integer("hashes", 1, MAX_HASHES),
        false_positive_rate=rate,
        ones=integer("ones", 0, size_in_bits),
        sha256=text("sha256"),
        corpus=corpus,
        is_checked=is_checked,
    )
