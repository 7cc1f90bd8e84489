"""One bar for the tasks of a Ray cluster: how many parts are done, and how many bytes of text were read in all of them.

The tasks tell an actor on the driver's node, which keeps one number for each part: a task that is done again after its
worker or its node died starts at 0 again, and nothing is counted twice.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import pyarrow as pa

from selfknow import bars
from selfknow.portraits.filter.texts import arrow_batches

_SECONDS_BETWEEN = 0.5


class Bar:
    """Shows what tasks do that are given a telling of their own.

    Args:
        ray: The module, connected to a cluster.
        doing: What the tasks do, such as ``portraying``.
        num_parts: How many tasks there are.
        progress: Whether to show anything.
    """

    def __init__(self, ray: Any, doing: str, num_parts: int, *, progress: bool) -> None:
        self._ray, self._doing, self._num_parts = ray, doing, num_parts
        self._bar = bars.Bar(desc=doing, unit="B", unit_scale=True, disable=not progress)
        self._board = None if self._bar.disable else _board_beside_the_driver(ray)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def telling(self, part: int) -> "Telling":
        """What the task of a part wraps its texts in."""
        return Telling(self._board, part)

    def wait(self, tasks: list[Any], num_ready: int, parts: list[Any]) -> tuple[list[Any], list[Any]]:
        """Wait until so many tasks are done, and show meanwhile how far all parts are.

        Args:
            tasks: What to wait for.
            num_ready: How many of them.
            parts: A result of each part.

        Returns:
            The tasks that are done, ``num_ready`` of them, and the others. Their results stay where they are.
        """
        while True:
            timeout = _SECONDS_BETWEEN if self._board else None
            ready, rest = self._ray.wait(tasks, num_returns=num_ready, timeout=timeout, fetch_local=False)
            self._show(parts)
            if len(ready) == num_ready:
                return ready, rest

    def _show(self, parts: list[Any]) -> None:
        if self._board is None:
            return
        done, _ = self._ray.wait(parts, num_returns=len(parts), timeout=0, fetch_local=False)
        self._bar.set_description_str(f"{self._doing}, {len(done)} of {self._num_parts} parts", refresh=False)
        self._bar.n = self._ray.get(self._board.total.remote())
        self._bar.refresh()


@dataclass(frozen=True)
class Telling:
    """Tells how much of a part was read; sent to its task."""

    board: Any
    part: int

    def of(self, texts: Iterable[Any]) -> Iterator[pa.Array]:
        """The texts, a batch at a time."""
        num_bytes, told = 0, time.monotonic()
        for batch in arrow_batches(texts):
            yield batch
            num_bytes += batch.nbytes
            if self.board is not None and time.monotonic() - told > _SECONDS_BETWEEN:
                self.board.tell.remote(self.part, num_bytes)
                told = time.monotonic()
        if self.board is not None:
            import ray

            ray.get(self.board.tell.remote(self.part, num_bytes))


class _Board:
    """Keeps how many bytes of each part were read."""

    def __init__(self) -> None:
        self._bytes: dict[int, int] = {}

    def tell(self, part: int, num_bytes: int) -> None:
        self._bytes[part] = num_bytes

    def total(self) -> int:
        return sum(self._bytes.values())


def _board_beside_the_driver(ray: Any) -> Any:
    """Where no other node's death ends it; if its own process dies, it starts anew, and calls wait for that."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
    for_ever = {"max_restarts": -1, "max_task_retries": -1}
    return ray.remote(_Board).options(num_cpus=0, scheduling_strategy=here, **for_ever).remote()
