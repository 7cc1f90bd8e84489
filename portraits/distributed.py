"""The build of a portrait on a Ray cluster: partial filters over partitions of the corpus, merged by union.

The bits equal those of a local build, since neither the union nor the sketch that estimates the capacity depends on
order or partition. Ray repeats a task whose worker died, and recomputes results that were lost with a node.
"""

from typing import Any

import numpy as np

from selfknow.errors import MissingExtraError, UserError
from selfknow.portraits.building import add_all, check_not_empty, count_distinct, freeze
from selfknow.portraits.cluster_progress import Bar, Reporter
from selfknow.portraits.corpus import Corpus
from selfknow.portraits.description import Description
from selfknow.portraits.filter.capacity import DistinctCounter
from selfknow.portraits.filter.hashing import HASH_NAME
from selfknow.portraits.filter.layout import FilterShape, pack_header
from selfknow.portraits.filter.segments import Bytes
from selfknow.portraits.normalization import Normalization, check_normalization
from selfknow.portraits.portrait import DEFAULT_FALSE_POSITIVE_RATE, DEFAULT_WIDTH, Portrait, check_sizes
from selfknow.portraits.storage import count_ones, sha256_of

_RETRIES = 5  # of a task whose worker or node died


def build_on_ray(
    corpus: Corpus,
    *,
    width: int = DEFAULT_WIDTH,
    stride: int = 1,
    capacity: int | None = None,
    false_positive_rate: float = DEFAULT_FALSE_POSITIVE_RATE,
    normalization: str = "none",
    partitions: int | None = None,
    address: str | None = None,
    progress: bool = False,
) -> Portrait:
    """Portray a corpus on a Ray cluster; the arguments are those of ``Portrait.build``.

    Args:
        corpus: A corpus whose files every node can read.
        width: Characters of an n-gram.
        stride: Characters from one n-gram to the next.
        capacity: Distinct n-grams to make room for; estimated by default.
        false_positive_rate: Rate promised at capacity.
        normalization: ``none`` or ``data-portraits``.
        partitions: Number of parts of the corpus, by default one for each core of the cluster. Each is a task that
            holds a whole filter in memory.
        address: Address of the cluster; by default the one this process is connected to, or a new local one.
        progress: Show a bar on stderr if that is a terminal: finished parts, and bytes read in all of them.

    Raises:
        MissingExtraError: Ray is not installed.
        UserError: The corpus has no n-gram, or cannot be read.
    """
    ray = _connect_to_ray(address)
    check_sizes(width, stride)
    checked_normalization = check_normalization(normalization)
    settings = (width, stride, checked_normalization)
    if partitions is not None and partitions < 1:
        raise UserError(f"partitions must be at least 1, not {partitions}")
    parts = corpus.partitions(partitions or int(ray.cluster_resources().get("CPU", 1)))
    try:
        if capacity is None:
            capacity = _merge_counters(_count(ray, parts, settings, progress=progress)).upper_bound()
            check_not_empty(capacity, width)
        shape = FilterShape.for_capacity(capacity, false_positive_rate)
        array, items = _build(ray, parts, shape, settings, progress=progress)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, UserError):
            raise error.cause from None
        raise
    check_not_empty(items, width)
    return Portrait(
        *freeze(
            array,
            Description(
                width=width,
                stride=stride,
                normalization=checked_normalization,
                hash=HASH_NAME,
                capacity=capacity,
                items=items,
                size_in_bits=shape.size_in_bits,
                hashes=shape.hashes,
                false_positive_rate=float(false_positive_rate),
                ones=count_ones(array),
                sha256=sha256_of(pack_header(shape.hashes), array),
                corpus=corpus.description(),
            ),
        )
    )


def _count(
    ray: Any, parts: list[Corpus], settings: tuple[int, int, Normalization], *, progress: bool
) -> list[DistinctCounter]:
    count = ray.remote(_count_part).options(max_retries=_RETRIES)
    with Bar(ray, "counting", len(parts), progress=progress) as bar:
        tasks = [count.remote(part, bar.reporter(number), *settings) for number, part in enumerate(parts)]
        bar.wait(tasks, len(tasks), tasks)
        counters: list[DistinctCounter] = ray.get(tasks)
    return counters


def _build(
    ray: Any,
    parts: list[Corpus],
    shape: FilterShape,
    settings: tuple[int, int, Normalization],
    *,
    progress: bool,
) -> tuple[Bytes, int]:
    """Build partial filters and merge any two that are ready, until one is left."""
    portray = ray.remote(_portray_part).options(max_retries=_RETRIES, num_returns=2)
    merge = ray.remote(_merge).options(max_retries=_RETRIES)
    with Bar(ray, "portraying", len(parts), progress=progress) as bar:
        tasks = [portray.remote(part, bar.reporter(number), shape, *settings) for number, part in enumerate(parts)]
        waiting, items = [array for array, _ in tasks], [item for _, item in tasks]
        del tasks  # so that Ray frees a filter once it is merged into another
        while len(waiting) > 1:
            ready, rest = bar.wait(waiting, 2, items)
            waiting = [*rest, merge.remote(*ready)]
            del ready
        bar.wait(waiting, 1, items)
    return np.array(ray.get(waiting[0])), sum(ray.get(items))


def _connect_to_ray(address: str | None) -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtraError("the engine 'ray'", "distributed") from None
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False)
    return ray


def _count_part(
    part: Corpus, reporter: Reporter, width: int, stride: int, normalization: Normalization
) -> DistinctCounter:
    return count_distinct(reporter.watch(part), width, stride, normalization, threads=1, progress=False)


def _portray_part(
    part: Corpus, reporter: Reporter, shape: FilterShape, width: int, stride: int, normalization: Normalization
) -> tuple[Bytes, int]:
    adder = add_all(reporter.watch(part), shape, width, stride, normalization, threads=1, progress=False)
    return adder.array, adder.items


def _merge(first: Bytes, second: Bytes) -> Bytes:
    return first | second


def _merge_counters(counters: list[DistinctCounter]) -> DistinctCounter:
    total = DistinctCounter()
    for counter in counters:
        total = total.merge(counter)
    return total
