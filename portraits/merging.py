"""The union of two portraits that have the same settings."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from selfknow.errors import UserError, argument
from selfknow.portraits.description import Description
from selfknow.portraits.filter.segments import Bytes
from selfknow.portraits.storage import count_ones, sha256_of

_SETTINGS = ("width", "stride", "normalization", "hash", "size_in_bits", "hashes", "capacity")


def merge(
    first: Description, first_array: Bytes, second: Description, second_array: Bytes
) -> tuple[Description, Bytes]:
    """Return the description and bits of the portrait of both corpora together; their order does not matter.

    Raises:
        UserError: The portraits differ in width, stride, normalisation, hash, size or capacity.
    """
    for name in _SETTINGS:
        if getattr(first, name) != getattr(second, name):
            raise UserError(
                f"portraits of different {name} ({getattr(first, name)} and {getattr(second, name)}) cannot be "
                f"merged: build both with the same width, stride, normalization, {argument('capacity')} and rate"
            )
    array = first_array | second_array
    array.setflags(write=False)
    description = dataclasses.replace(
        first,
        items=first.items + second.items,
        false_positive_rate=max(first.false_positive_rate, second.false_positive_rate),
        ones=count_ones(array),
        sha256=sha256_of(first.header, array),
        corpus=_union(first.corpus, second.corpus),
        is_checked=first.is_checked and second.is_checked,
    )
    return description, array


def _union(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return both corpora, in an order that does not depend on which came first."""
    parts = [part for corpus in (first, second) for part in corpus.get("union", [corpus])]
    return {"union": sorted(parts, key=lambda part: json.dumps(part, sort_keys=True))}
