"""One progress bar for the tasks of a Ray cluster: finished parts, and bytes of text read in all of them.

The tasks report to an actor on the driver's node, which keeps one number for each part. A task that runs again after
its worker or node died starts at 0 again, so nothing counts twice.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import pyarrow as pa

from selfknow import bars
from selfknow.portraits.filter.texts import arrow_batches

_SECONDS_BETWEEN = 0.5  # between two reports of a task, and two updates of the bar


class Bar:
    """A progress bar for tasks that each hold a :class:`Reporter`.

    Args:
        ray: The module, connected to a cluster.
        doing: A word for the work, such as ``portraying``.
        num_parts: Number of tasks.
        progress: Show the bar.
    """

    def __init__(self, ray: Any, doing: str, num_parts: int, *, progress: bool) -> None:
        self._ray, self._doing, self._num_parts = ray, doing, num_parts
        self._bar = bars.Bar(desc=doing, unit="B", unit_scale=True, disable=not progress)
        self._board = None if self._bar.disable else _start_board(ray)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def reporter(self, part: int) -> "Reporter":
        """Return the reporter of a part, for its task."""
        return Reporter(self._board, part)

    def wait(self, tasks: list[Any], num_ready: int, parts: list[Any]) -> tuple[list[Any], list[Any]]:
        """Wait until ``num_ready`` tasks have finished, and show the progress of all parts meanwhile.

        Args:
            tasks: The tasks to wait for.
            num_ready: Number of them to wait for.
            parts: One object reference for each part, ready when the part is finished.

        Returns:
            ``num_ready`` finished tasks, and the others. Their results stay on their nodes.
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
        finished, _ = self._ray.wait(parts, num_returns=len(parts), timeout=0, fetch_local=False)
        self._bar.set_description_str(f"{self._doing}, {len(finished)} of {self._num_parts} parts", refresh=False)
        self._bar.n = self._ray.get(self._board.total.remote())
        self._bar.refresh()


@dataclass(frozen=True)
class Reporter:
    """A part's link to the progress bar; sent to the part's task."""

    board: Any
    part: int

    def watch(self, texts: Iterable[Any]) -> Iterator[pa.Array]:
        """Yield the texts a batch at a time, and report the bytes that were read."""
        num_bytes, last_report = 0, time.monotonic()
        for batch in arrow_batches(texts):
            yield batch
            num_bytes += batch.nbytes
            if self.board is not None and time.monotonic() - last_report > _SECONDS_BETWEEN:
                self.board.report.remote(self.part, num_bytes)
                last_report = time.monotonic()
        if self.board is not None:
            import ray

            ray.get(self.board.report.remote(self.part, num_bytes))


class _Board:
    """An actor that keeps the number of bytes read of each part."""

    def __init__(self) -> None:
        self._bytes: dict[int, int] = {}

    def report(self, part: int, num_bytes: int) -> None:
        self._bytes[part] = num_bytes

    def total(self) -> int:
        return sum(self._bytes.values())


def _start_board(ray: Any) -> Any:
    """Start the board on the driver's node, so that it survives the loss of other nodes; calls wait if it restarts."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    this_node = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
    without_limit = {"max_restarts": -1, "max_task_retries": -1}
    return ray.remote(_Board).options(num_cpus=0, scheduling_strategy=this_node, **without_limit).remote()
