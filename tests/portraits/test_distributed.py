"""The same build on a Ray cluster of two nodes, with a worker and a node killed in the middle."""

import io
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.errors import UserError
from selfknow.portraits import Corpus, Portrait

pytestmark = pytest.mark.full
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
class StuckCorpus(Corpus):
    """A corpus whose second part on one node is never read; the other nodes wait until it is begun there."""

    node: str = ""
    begun: str = ""

    def __iter__(self) -> Iterator[pa.Array]:
        begun = Path(self.begun)
        if ray.get_runtime_context().get_node_id() == self.node:
            (begun / str(_num_files(begun))).touch()
            while _num_files(begun) > 1:
                time.sleep(1)  # until the node is killed
        else:
            while _num_files(begun) < 2:
                time.sleep(0.05)
        yield from super().__iter__()


def _num_files(folder: Path) -> int:
    return len(list(folder.iterdir()))


class Terminal(io.StringIO):
    """Stands in for a terminal on stderr."""

    def isatty(self) -> bool:
        return True


def node_of_one_core() -> dict[str, int]:
    """Return a node's settings. Its wait of 15 seconds for helpers' ports is too short on busy cores."""
    with ExitStack() as sockets:
        free = [sockets.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1] for _ in _PORTS]
    return {"object_store_memory": 100 << 20, "num_cpus": 1, **dict(zip(_PORTS, free, strict=True))}


_PORTS = ("metrics_agent_port", "metrics_export_port", "runtime_env_agent_port", "dashboard_agent_listen_port")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray import cloudpickle
    from ray.cluster_utils import Cluster

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    # A dead node refuses five connections and is given up after 2.5 seconds; a busy one has ten seconds to answer each.
    health = {"health_check_period_ms": 500, "health_check_failure_threshold": 5}
    head = {"include_dashboard": False, "_system_config": health}
    started = Cluster(initialize_head=True, head_node_args={**node_of_one_core(), **head})
    started.add_node(**node_of_one_core())
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


def test_a_killed_node_costs_nothing_but_time(
    cluster: Any, parquet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from selfknow.portraits.distributed import build_on_ray

    doomed = cluster.add_node(**node_of_one_core())
    begun = tmp_path / "begun"
    begun.mkdir()

    def kill() -> int:
        """Kill the node when a filter lies there and another one is being made."""
        end = time.monotonic() + 120
        while (num_begun := _num_files(begun)) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        cluster.remove_node(doomed, allow_graceful=False)
        (begun / "killed").touch()
        return num_begun

    corpus = StuckCorpus(files=(str(parquet),), facts={}, node=doomed.node_id, begun=str(begun))
    monkeypatch.setattr(sys, "stderr", Terminal())
    with ThreadPoolExecutor() as threads:
        killed = threads.submit(kill)
        built = build_on_ray(corpus, capacity=400_000, partitions=6, progress=True)
    assert killed.result() == 2
    assert len([node for node in ray.nodes() if node["Alive"]]) == 2
    local = Portrait.build(Corpus(files=(str(parquet),)), capacity=400_000)
    assert built.array.tobytes() == local.array.tobytes()
    assert built.description.items == local.description.items


def test_a_killed_bar_forgets_and_goes_on(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from selfknow.portraits.cluster_progress import Bar

    monkeypatch.setattr(sys, "stderr", Terminal())
    with Bar(ray, "counting", 2, progress=True) as bar:
        list(bar.reporter(0).watch(["abc"]))
        num_bytes = ray.get(bar._board.total.remote())
        os.kill(ray.get(bar._board.__ray_call__.remote(lambda board: os.getpid())), signal.SIGKILL)
        list(bar.reporter(1).watch(["abc"] * 3))
        bar.wait([ray.put(1)], 1, [])
        assert ray.get(bar._board.total.remote()) > num_bytes > 0


def test_what_the_user_got_wrong_comes_back_as_one_line(cluster: Any, parquet: Path) -> None:
    from selfknow.portraits.distributed import build_on_ray

    with pytest.raises(UserError, match="cannot read the corpus"):
        build_on_ray(Corpus.from_files([parquet], text="nothing"))
    with pytest.raises(UserError, match="nothing to portray"):
        build_on_ray(Corpus.from_files([parquet], where="false"))
