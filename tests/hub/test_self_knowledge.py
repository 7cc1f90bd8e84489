"""All tasks of self-knowledge pass the gate, are published and load as built; benchmarks come from the Hub."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.catalogue import find_configs
from selfknow.builders.folder.write import build_folder
from selfknow.builders.self_knowledge.builder import CONFIGS, DATASET, task_table
from tests.hub.conftest import Client


@pytest.mark.parametrize(
    "tasks", [("total-count", "math"), pytest.param(tuple(CONFIGS), marks=pytest.mark.full)], ids=["two", "all"]
)
def test_tasks_are_checked_published_and_loaded(
    tasks: tuple[str, ...], client: Client, repo: str, tmp_path: Path
) -> None:
    build_folder(DATASET, find_configs(DATASET, tasks, seed=0), tmp_path / "self-knowledge")
    result = client.selfknow("data", "publish", tmp_path / "self-knowledge", repo)
    assert result.returncode == 0, result.stderr
    code = """
import json, sys
from datasets import disable_progress_bars, load_dataset
disable_progress_bars()
repo, *tasks = sys.argv[1:]
print(json.dumps({task: load_dataset(repo, task, split="test").to_list() for task in tasks}))
"""
    loaded = json.loads(client.python(code, repo, *tasks))
    assert loaded == {task: task_table(task, 0).to_pylist() for task in tasks}


def test_a_benchmark_on_the_hub_is_taken_at_a_commit_that_is_kept(client: Client, repo: str, tmp_path: Path) -> None:
    rows = [{"question": f"{n} + 1?", "subject": "sums", "choices": list("1234"), "answer": n} for n in range(4)]
    (tmp_path / "exam" / "college_sums").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "exam" / "college_sums" / "test-00000-of-00001.parquet")
    code = """
import json, sys
from huggingface_hub import HfApi
from huggingface_hub.utils import disable_progress_bars
from selfknow.evaluate.tasks.self_knowledge.benchmark import open_benchmark
disable_progress_bars()
folder, repo = sys.argv[1:]
HfApi().create_repo(repo, repo_type="dataset", exist_ok=True)
first = HfApi().upload_folder(folder_path=folder, repo_id=repo, repo_type="dataset").oid
HfApi().upload_file(path_or_fileobj=b"more", path_in_repo="more.txt", repo_id=repo, repo_type="dataset")
found = [open_benchmark(name) for name in (f"{repo}:college_sums", f"{repo}@{first}:college_sums")]
print(json.dumps([first, *[[one.reference.name, one.reference.config, one.reference.revision] for one in found]]))
print(json.dumps([found[0].subject, [question["answer"] for question in found[0].questions]]))
"""
    commits, questions = map(json.loads, client.python(code, tmp_path / "exam", repo).splitlines())
    first, latest, pinned = commits
    assert pinned == [repo, "college_sums", first]
    assert latest[:2] == [repo, "college_sums"]
    assert latest[2] not in (None, first)
    assert questions == ["sums", ["A", "B", "C", "D"]]
