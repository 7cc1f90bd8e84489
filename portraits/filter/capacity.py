"""The number of distinct n-grams of a corpus, estimated in one pass; order and partition do not change it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from selfknow.portraits.filter.reference import Words

_EXACT_NGRAMS = 1 << 21  # up to this number, distinct n-grams are counted exactly
_SAMPLED_OUT_OF = 16  # above it, one in this many hash values goes into a sketch
_LG_SKETCH_SIZE = 15
_SIGMAS = 3


@dataclass
class DistinctCounter:
    """A counter of distinct n-grams by their hashes: exact while they are few, then a theta sketch.

    The union of theta sketches (Apache DataSketches) depends only on the set of values, unlike a HyperLogLog's usual
    estimator. Only a fixed part of the hash values is sketched, since Python must feed them to the sketch one by one.
    """

    ngrams: int = 0
    _exact: list[Words] = field(default_factory=list)
    _sketches: list[bytes] = field(default_factory=list)
    _open: Any = None

    def add(self, hashes: Words) -> None:
        """Count the n-grams of a batch."""
        self.ngrams += len(hashes)
        self._exact = [*self._exact, hashes.copy()] if self.ngrams <= _EXACT_NGRAMS else []
        if self._open is None:
            self._open = _new_sketch()
        for value in hashes[hashes % np.uint64(_SAMPLED_OUT_OF) == 0].view(np.int64).tolist():
            self._open.update(value)

    def close(self) -> "DistinctCounter":
        """Make the counter ready to be sent to another process, and return it."""
        if self._open is not None:
            self._sketches.append(self._open.compact().serialize())
            self._open = None
        return self

    def as_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the counter's state, to save on disk; counting may go on."""
        self.close()
        exact = np.concatenate(self._exact) if self._exact else np.zeros(0, np.uint64)
        sketches = {f"sketch-{i}": np.frombuffer(sketch, np.uint8) for i, sketch in enumerate(self._sketches)}
        return {"exact": exact, **sketches}

    @classmethod
    def from_arrays(cls, ngrams: int, arrays: Mapping[str, npt.NDArray[Any]]) -> "DistinctCounter":
        """Restore a counter of ``ngrams`` n-grams, repeats included, from its :meth:`as_arrays`."""
        sketches = [arrays[f"sketch-{i}"].tobytes() for i in range(len(arrays) - 1)]
        return cls(ngrams, [arrays["exact"]] if len(arrays["exact"]) else [], sketches)

    def merge(self, other: "DistinctCounter") -> "DistinctCounter":
        """Return the counter of both corpora together; both must be closed."""
        ngrams = self.ngrams + other.ngrams
        exact = [*self._exact, *other._exact] if ngrams <= _EXACT_NGRAMS else []
        return DistinctCounter(ngrams, exact, [*self._sketches, *other._sketches])

    def upper_bound(self) -> int:
        """Return the number of distinct n-grams, or its estimate plus three standard deviations."""
        self.close()
        if self.ngrams <= _EXACT_NGRAMS:
            return len(np.unique(np.concatenate(self._exact))) if self._exact else 0
        from datasketches import compact_theta_sketch, theta_union

        union = theta_union(_LG_SKETCH_SIZE)
        for sketch in self._sketches:
            union.update(compact_theta_sketch.deserialize(sketch))
        upper = float(union.get_result().get_upper_bound(_SIGMAS)) * _SAMPLED_OUT_OF
        return min(self.ngrams, int(upper + _SIGMAS * (upper * (_SAMPLED_OUT_OF - 1)) ** 0.5) + 1)


def _new_sketch() -> Any:
    from datasketches import update_theta_sketch

    return update_theta_sketch(_LG_SKETCH_SIZE)
