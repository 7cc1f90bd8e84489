"""How near windows come to the references: each window is encoded once, in batches, and remembered."""

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa

from selfknow.builders.self_aware.encoders import Encoder
from selfknow.evaluate.tasks.self_aware.references import References
from selfknow.files import read_parquet, write_parquet

_WINDOWS_AT_A_TIME = 4096
_CACHE = pa.schema([pa.field("window", pa.string()), pa.field("similarity", pa.float64())])


class WindowSimilarity:
    """The largest cosine of a window with any reference.

    Args:
        open_encoder: Called when the first window has to be encoded, so that nothing is loaded for nothing.
        references: What windows are compared with.
        cache: A Parquet file that remembers windows from one scoring to the next; null for none.
    """

    def __init__(self, open_encoder: Callable[[], Encoder], references: References, cache: Path | None = None) -> None:
        self._open_encoder = open_encoder
        self._references = references
        self._cache = cache
        self._known: dict[str, float] = {}
        if cache is not None and cache.is_file():
            table = read_parquet(cache, _CACHE)
            self._known = dict(zip(table["window"].to_pylist(), table["similarity"].to_pylist(), strict=True))

    def of(self, windows: Iterable[str], *, quiet: bool = True) -> dict[str, float]:
        """The similarity of every window, by window.

        Args:
            windows: Any number of them; repeated ones cost nothing.
            quiet: Show no progress bar.
        """
        from selfknow.bars import Bar

        wanted = set(windows)
        new = sorted(wanted - self._known.keys(), key=lambda window: (len(window), window))
        if new:
            encode = self._open_encoder()
            references = encode(self._references.phrases)
            with Bar(total=len(new), disable=quiet, unit="window", desc="encode") as bar:
                for start in range(0, len(new), _WINDOWS_AT_A_TIME):
                    batch = new[start : start + _WINDOWS_AT_A_TIME]
                    nearest = (encode(batch) @ references.T).max(axis=1)
                    self._known.update(zip(batch, np.asarray(nearest, dtype=np.float64).tolist(), strict=True))
                    bar.update(len(batch))
            self._save()
        return {window: self._known[window] for window in wanted}

    def _save(self) -> None:
        if self._cache is not None:
            columns = {"window": list(self._known), "similarity": list(self._known.values())}
            write_parquet(self._cache, pa.Table.from_pydict(columns, schema=_CACHE))


def cache_file(folder: Path, encoder: str, references: References) -> Path | None:
    """Where a run folder keeps the similarities of one encoder and set of references.

    Returns:
        The file; null for an encoder in a local folder, which may change under its name.
    """
    if Path(encoder).exists():
        return None
    key = hashlib.sha256(json.dumps([encoder, *references.phrases]).encode()).hexdigest()[:16]
    return folder / "cache" / f"self-aware-windows-{key}.parquet"
