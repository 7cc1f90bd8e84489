"""All tasks of self-knowledge pass the gate, are published, and load from the Hub as they were built."""

import json
from pathlib import Path

from selfknow.builders.catalogue import find_corpora
from selfknow.builders.folder import build_folder
from selfknow.builders.self_knowledge import CONFIGS, DATASET, task_table
from tests.hub.conftest import Client


def test_all_tasks_are_checked_published_and_loaded(client: Client, repo: str, tmp_path: Path) -> None:
    build_folder(DATASET, find_corpora(DATASET, CONFIGS, seed=0), tmp_path / "self-knowledge")
    done = client.selfknow("data", "publish", tmp_path / "self-knowledge", repo)
    assert done.returncode == 0, done.stderr
    code = """
import json, sys
from datasets import disable_progress_bars, load_dataset
disable_progress_bars()
tasks = ["total-count", "fact", "benchmark"]
print(json.dumps({task: load_dataset(sys.argv[1], task, split="test").to_list() for task in tasks}))
"""
    loaded = json.loads(client.python(code, repo))
    assert loaded == {task: task_table(task, 0).to_pylist() for task in ("total-count", "fact", "benchmark")}
