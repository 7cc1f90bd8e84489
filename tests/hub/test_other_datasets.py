"""The questions and the prompts pass the gate, are published, and load from the Hub with one line."""

import json
import os
from pathlib import Path

import pytest

from selfknow.builders.according_to import builder as according_to
from selfknow.builders.catalogue import find_configs
from selfknow.builders.dataset import Dataset, DatasetConfig
from selfknow.builders.folder.write import build_folder
from selfknow.builders.self_aware import builder as self_aware
from selfknow.builders.self_aware import original as self_aware_original
from tests.hub.conftest import Client


def published(
    client: Client, repo: str, folder: Path, dataset: Dataset, corpora: list[DatasetConfig], loaded: str
) -> object:
    """Build, publish, and what a fresh process finds in the repo."""
    build_folder(dataset, corpora, folder)
    result = client.selfknow("data", "publish", folder, repo)
    assert result.returncode == 0, result.stderr
    code = "import json, sys, datasets as d\nd.disable_progress_bars()\nload, repo = d.load_dataset, sys.argv[1]\n"
    return json.loads(client.python(f"{code}print(json.dumps({loaded}))", repo))


def test_self_aware_loads_by_split(client: Client, repo: str, tmp_path: Path) -> None:
    corpora = find_configs(self_aware.DATASET, ["authored"], seed=0)
    counts = "[load(repo, split=split).num_rows for split in ('answerable', 'unanswerable')]"
    loaded = published(client, repo, tmp_path / "self-aware", self_aware.DATASET, corpora, counts)
    assert loaded == [2337, 1032]


def test_the_authors_rows_load_from_a_repo_of_their_own(client: Client, repo: str, tmp_path: Path) -> None:
    path = os.environ.get("SELFKNOW_SELFAWARE_JSON")
    if path is None:
        pytest.skip("SELFKNOW_SELFAWARE_JSON is not set")
    corpora = [self_aware_original.original_config(path=Path(path))]
    counts = "{name: rows.num_rows for name, rows in load(repo, 'original').items()}"
    loaded = published(client, repo, tmp_path / "original", self_aware_original.DATASET, corpora, counts)
    assert loaded == {"answerable": 2337, "unanswerable": 1032}


@pytest.mark.full
def test_the_prompts_of_according_to_load_by_placement(client: Client, repo: str, tmp_path: Path) -> None:
    placements = ["appended", "prepended", "both"]
    corpora = find_configs(according_to.DATASET, placements, seed=0)
    rows = f"[load(repo, name, split='test').num_rows for name in {placements}]"
    loaded = published(client, repo, tmp_path / "according-to", according_to.DATASET, corpora, rows)
    assert loaded == [48, 48, 48]
