"""The same build on a Ray cluster of two nodes, with a worker killed in the middle."""

import os
import signal
import sys
from collections.abc import Iterator
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


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray import cloudpickle
    from ray.cluster_utils import Cluster

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    memory = {"object_store_memory": 100 << 20, "num_cpus": 1}
    started = Cluster(initialize_head=True, head_node_args={**memory, "include_dashboard": False})
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


def test_what_the_user_got_wrong_comes_back_as_one_line(cluster: Any, parquet: Path) -> None:
    from selfknow.portraits.distributed import build_on_ray

    with pytest.raises(UserError, match="cannot read the corpus"):
        build_on_ray(Corpus.from_files([parquet], text="nothing"))
    with pytest.raises(UserError, match="nothing to portray"):
        build_on_ray(Corpus.from_files([parquet], where="false"))
