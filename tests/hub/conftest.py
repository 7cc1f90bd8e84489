"""A Hub for all modules, dataset folders to publish to it, and the real clients in processes of their own."""

import json
import os
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import selfknow
from selfknow.builders.dataset import DatasetConfig
from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
from selfknow.builders.diary_recall.diaries import Shape
from selfknow.builders.folder.write import build_folder
from tests.conftest import REPOSITORY
from tests.warm_python import SHORTER_WAITS, WarmProcess, WarmPython

ACCOUNTS = ["you:hf_writer:org", "guest:hf_guest:", "reader:hf_reader:org:read", "them:hf_them:openai"]
# `publish` as the command line does it, but for the gate, which costs seconds and has tests of its own.
PUBLISH_WITHOUT_GATE = """
import selfknow.hub.publish
from selfknow.cli import main

selfknow.hub.publish._suite = lambda: lambda folder: []
main()
"""


@dataclass
class Client:
    """Runs the real clients against a Hub, each time in a new process with an HF_HOME that is empty again.

    What they wait between two attempts is a twentieth of what it is elsewhere.
    """

    endpoint: str
    folder: Path
    home: Path
    warm: WarmPython
    token: str | None = "hf_writer"
    environment: dict[str, str] = field(default_factory=dict)

    def with_token(self, token: str | None) -> "Client":
        return replace(self, token=token)

    def command(self, *arguments: object) -> tuple[list[str], dict[str, str]]:
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
        environment = inherited | {
            "HF_ENDPOINT": self.endpoint,
            "HF_HOME": str(self.home),
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            SHORTER_WAITS: "20",
            "PYTHONPATH": str(Path(selfknow.__file__).parents[1]),
        }
        if self.token:
            environment["HF_TOKEN"] = self.token
        return ["-P", *map(str, arguments)], environment | self.environment

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Run `python ARGUMENTS` to its end."""
        command, environment = self.command(*arguments)
        return self.warm.run(*command, env=environment, cwd=self.folder)

    def start_publishing(self, folder: Path, repo: str) -> "WarmProcess | subprocess.Popen[bytes]":
        """`publish`, left running."""
        command, environment = self.command("-c", PUBLISH_WITHOUT_GATE, "data", "publish", folder, repo)
        return self.warm.start(*command, env=environment, cwd=self.folder)

    def python(self, code: str, *arguments: object) -> str:
        """Run code that must succeed; what it printed."""
        result = self.run("-c", code, *arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def selfknow(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """`selfknow ARGUMENTS`."""
        return self.run("-m", "selfknow", *arguments)

    def publish(self, folder: Path, repo: str, *options: object) -> subprocess.CompletedProcess[str]:
        """`selfknow data publish` without the gate."""
        return self.run("-c", PUBLISH_WITHOUT_GATE, "data", "publish", folder, repo, *options)

    def published(self, folder: Path, repo: str, *options: object) -> None:
        """`publish` that must succeed."""
        result = self.publish(folder, repo, *options)
        assert result.returncode == 0, result.stderr


@dataclass
class Hub:
    """The server process: what it was asked, what is to go wrong, and what it keeps."""

    endpoint: str
    root: Path

    @property
    def client_home(self) -> Path:
        """The HF_HOME of its clients, one after the other."""
        return self.root.with_name(f"{self.root.name}-home")

    def plan_faults(self, *faults: dict[str, Any]) -> None:
        """Replace the planned faults, and forget the requests so far."""
        request = urllib.request.Request(f"{self.endpoint}/_faults", json.dumps(faults).encode(), method="POST")
        urllib.request.urlopen(request).read()

    def configure(
        self, *, bytes_per_second: int | None = None, lfs_from_bytes: int | None = None, entries_per_page: int = 1000
    ) -> None:
        """Replace the settings of the server; by default its link is fast and no file is a large one."""
        settings = {"bytes_per_second": bytes_per_second, "lfs_from_bytes": lfs_from_bytes}
        body = json.dumps({**settings, "entries_per_page": entries_per_page}).encode()
        urllib.request.urlopen(urllib.request.Request(f"{self.endpoint}/_settings", body, method="POST")).read()

    def empty(self) -> None:
        """Forget every repo and every file."""
        for folder in self.root.iterdir():
            shutil.rmtree(folder)
        (self.root / "objects").mkdir()

    def requests(self, pattern: str = "") -> list[str]:
        """Return the requests since the last planning of faults, as 'POST /api/…'."""
        with urllib.request.urlopen(f"{self.endpoint}/_requests") as answer:
            return [request for request in json.load(answer) if re.search(pattern, request)]

    def references(self, repo: str) -> dict[str, Any]:
        """Branches and tags, as the server keeps them."""
        return json.loads((self.root / "datasets" / repo / "references.json").read_text())

    def commits(self, repo: str, revision: str = "main") -> list[dict[str, Any]]:
        """Return the history of a revision, newest first."""
        references = self.references(repo)
        oid = references["branches"].get(revision) or references["tags"].get(revision) or revision
        history = []
        while oid:
            commit = json.loads((self.root / "datasets" / repo / "commits" / f"{oid}.json").read_text())
            history.append(commit)
            oid = commit["parent"]
        return history

    def files(self, repo: str, revision: str = "main") -> dict[str, dict[str, Any]]:
        """Return the files of a revision, by path."""
        return self.commits(repo, revision)[0]["files"]


def start_hub(python: WarmPython, root: Path) -> tuple["WarmProcess | subprocess.Popen[bytes]", Hub]:
    accounts = [word for account in ACCOUNTS for word in ("--account", account)]
    reading, writing = os.pipe()
    with Path(os.devnull).open("r+b") as nothing, open(reading, "rb") as output, open(writing, "wb") as server_output:  # noqa: PTH123
        server = ["-m", "tests.hub_server", "--root", root, *accounts]
        process = python.start(*server, cwd=REPOSITORY, streams=[nothing, server_output, nothing])
        endpoint = output.readline().decode().strip().removeprefix("export HF_ENDPOINT=")
        output.readline()
    return process, Hub(endpoint, root)


@pytest.fixture(scope="session")
def hub_of_session(tmp_path_factory: pytest.TempPathFactory, python: WarmPython) -> Iterator[Hub]:
    """Yield a Hub for all tests: at another address every client would import its libraries anew."""
    process, hub = start_hub(python, tmp_path_factory.mktemp("hub"))
    yield hub
    process.terminate()
    process.wait()
    python.end_hub_servers()


@pytest.fixture
def hub(hub_of_session: Hub) -> Hub:
    """Return the Hub, without faults, on a fast link."""
    hub_of_session.plan_faults()
    hub_of_session.configure()
    return hub_of_session


@pytest.fixture
def client(hub: Hub, tmp_path: Path, python: WarmPython) -> Client:
    return Client(hub.endpoint, tmp_path, hub.client_home, python)


@pytest.fixture
def repo(request: pytest.FixtureRequest) -> str:
    """Return a repo of the test's own."""
    module = request.path.stem.removeprefix("test_")
    return "org/" + re.sub(r"\W+", "-", f"{module}-{request.node.name.removeprefix('test_')}")[-90:].strip("-")


Edit = Callable[[pa.Table], pa.Table]
Build = Callable[..., Path]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Builds a small dataset folder of both setups, `16-diarists` and `16-diarists-simplified`."""

    def make(*, seed: int = 0, version: str = "1.0.0", edits: dict[str, Edit] | None = None, setups: int = 2) -> Path:
        folder = tmp_path_factory.mktemp("folder") / "diary-recall"
        corpora = configs_of_shape(Shape(num_diarists=16, seed=seed))[:setups]
        corpora[0] = edited(corpora[0], edits or {})
        build_folder(replace(DATASET, version=version), corpora, folder, seed=seed)
        return folder

    def edited(corpus: DatasetConfig, edits: dict[str, Edit]) -> DatasetConfig:
        whole = {split: pa.concat_tables(shard() for shard in shards) for split, shards in corpus.shards.items()}
        tables = {split: edits.get(split, lambda table: table)(table) for split, table in whole.items()}
        return replace(corpus, shards={split: [lambda table=table: table] for split, table in tables.items()})

    return make


@pytest.fixture(scope="session")
def folder(build: Build) -> Path:
    """Return a dataset folder, version 1.0.0."""
    return build()
