"""The same build on a Ray cluster of two nodes, with a worker and a node killed in the middle."""

import io
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.errors import UserError
from selfknow.portraits import Corpus, Portrait

ray = pytest.importorskip("ray", reason="Ray is an extra")


@dataclass(frozen=True)
class DyingCorpus(Corpus):
    """A corpus that kills the worker which reads its second part, half-way, the first time."""

    marker: str = ""

    def __iter__(self) -> Iterator[pa.Array]:
        for i, array in enumerate(super().__iter__()):
            yield array
            if i == 0 and self.rows and self.rows[0] and not Path(self.marker).exists():
                Path(self.marker).write_text(str(os.getpid()))
                os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class WaitingCorpus(Corpus):
    """A corpus whose second part on one node is never read to its end; the other nodes wait until it is begun."""

    node: str = ""
    marks: str = ""

    def __iter__(self) -> Iterator[pa.Array]:
        marks = Path(self.marks)
        num_begun = len(list(marks.iterdir()))
        if ray.get_runtime_context().get_node_id() == self.node:
            (marks / str(num_begun)).touch()
            if num_begun:
                time.sleep(600)
        while ray.get_runtime_context().get_node_id() != self.node and len(list(marks.iterdir())) < 2:
            time.sleep(0.05)
        yield from super().__iter__()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray import cloudpickle
    from ray.cluster_utils import Cluster

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    memory = {"object_store_memory": 100 << 20, "num_cpus": 1}
    # A node that is gone refuses connections, and counts as dead after a second; a busy one has a minute to answer.
    health = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 200, "health_check_timeout_ms": 60_000}
    settings = {"include_dashboard": False, "_system_config": {**health, "health_check_failure_threshold": 5}}
    started = Cluster(initialize_head=True, head_node_args={**memory, **settings})
    started.add_node(**memory)
    ray.init(address=started.address, log_to_driver=False)
    yield started
    ray.shutdown()
    started.shutdown()


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    texts = [f"text number {i}: " + "the same words " * (i % 7) + "ende é 漢字" for i in range(20_000)]
    pq.write_table(pa.table({"text": texts, "n": range(20_000)}), tmp_path / "a.parquet", row_group_size=2_000)
    return tmp_path / "a.parquet"


def test_two_nodes_give_the_bytes_of_one_machine(cluster: Any, parquet: Path) -> None:
    from selfknow.portraits.distributed import build_on_ray

    assert len([node for node in ray.nodes() if node["Alive"]]) == 2
    corpus = Corpus.from_files([parquet], text="text || n", where="n % 3 > 0")
    local = Portrait.build(corpus)
    for partitions in (None, 5):
        built = build_on_ray(corpus, partitions=partitions)
        assert built.description == local.description
        assert built.array.tobytes() == local.array.tobytes()


def test_a_killed_worker_costs_nothing_but_time(cluster: Any, parquet: Path, tmp_path: Path) -> None:
    from selfknow.portraits.distributed import build_on_ray

    marker = tmp_path / "killed"
    corpus = DyingCorpus(files=(str(parquet),), facts={}, marker=str(marker))
    built = build_on_ray(corpus, capacity=400_000, partitions=4)
    assert int(marker.read_text()) != os.getpid()
    local = Portrait.build(Corpus(files=(str(parquet),)), capacity=400_000)
    assert built.array.tobytes() == local.array.tobytes()
    assert built.description.items == local.description.items


def test_a_killed_node_costs_nothing_but_time(cluster: Any, parquet: Path, tmp_path: Path) -> None:
    from selfknow.portraits.distributed import build_on_ray

    doomed = cluster.add_node(num_cpus=1, object_store_memory=100 << 20)
    marks = tmp_path / "marks"
    marks.mkdir()

    def kill() -> int:
        end = time.monotonic() + 100
        while len(read := list(marks.iterdir())) < 2 and time.monotonic() < end:
            time.sleep(0.02)
        cluster.remove_node(doomed, allow_graceful=False)
        return len(read)

    corpus = WaitingCorpus(files=(str(parquet),), facts={}, node=doomed.node_id, marks=str(marks))
    with ThreadPoolExecutor() as threads:
        killed = threads.submit(kill)
        built = build_on_ray(corpus, capacity=400_000, partitions=8)
    assert killed.result() == 2, "one part was done there, and its filter is gone; another one was being read"
    assert len([node for node in ray.nodes() if node["Alive"]]) == 2
    local = Portrait.build(Corpus(files=(str(parquet),)), capacity=400_000)
    assert built.array.tobytes() == local.array.tobytes()
    assert built.description.items == local.description.items


def test_a_bar_shows_the_parts_and_the_text_of_all_nodes(
    cluster: Any, parquet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from selfknow.portraits.distributed import build_on_ray

    corpus = Corpus.from_files([parquet])
    shown = {}
    for terminal in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", terminal)
        build_on_ray(corpus, partitions=3, progress=True)
        shown[terminal.isatty()] = terminal.getvalue()
    assert shown[False] == "", "only a terminal is shown a bar"
    num_bytes = sum(array.nbytes for array in corpus) / 1e6
    for doing in ("counting", "portraying"):
        *_, last = re.findall(rf"{doing}, 3 of 3 parts: (\S+)MB", shown[True])
        assert float(last) == pytest.approx(num_bytes, rel=0.01)


def test_what_the_user_got_wrong_comes_back_as_one_line(cluster: Any, parquet: Path) -> None:
    from selfknow.portraits.distributed import build_on_ray

    with pytest.raises(UserError, match="cannot read the corpus"):
        build_on_ray(Corpus.from_files([parquet], text="nothing"))
    with pytest.raises(UserError, match="nothing to portray"):
        build_on_ray(Corpus.from_files([parquet], where="false"))
