"""The union of two portraits that were made alike."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from selfknow.errors import UserError, argument
from selfknow.portraits.description import Description
from selfknow.portraits.filter.segments import Bytes
from selfknow.portraits.storage import count_ones, sha256_of

_ALIKE = ("width", "stride", "normalization", "hash", "size_in_bits", "hashes", "capacity")


def merge(mine: Description, my_array: Bytes, theirs: Description, their_array: Bytes) -> tuple[Description, Bytes]:
    """Return the description and bits of the portrait of both corpora together, whichever comes first.

    Raises:
        UserError: The portraits differ in width, stride, normalisation, hash, size or capacity.
    """
    for name in _ALIKE:
        if getattr(mine, name) != getattr(theirs, name):
            raise UserError(
                f"portraits of different {name} ({getattr(mine, name)} and {getattr(theirs, name)}) cannot be "
                f"merged: build both with the same width, stride, normalization, {argument('capacity')} and rate"
            )
    array = my_array | their_array
    array.setflags(write=False)
    description = dataclasses.replace(
        mine,
        items=mine.items + theirs.items,
        false_positive_rate=max(mine.false_positive_rate, theirs.false_positive_rate),
        ones=count_ones(array),
        sha256=sha256_of(mine.header, array),
        corpus=_union(mine.corpus, theirs.corpus),
        is_checked=mine.is_checked and theirs.is_checked,
    )
    return description, array


def _union(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return both corpora, in an order that does not depend on which came first."""
    parts = [part for corpus in (first, second) for part in corpus.get("union", [corpus])]
    return {"union": sorted(parts, key=lambda part: json.dumps(part, sort_keys=True))}
