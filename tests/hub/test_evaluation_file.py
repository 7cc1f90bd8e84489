"""``eval.yaml`` of a dataset: written, checked, published, and run by Inspect as it lies on the Hub."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
from selfknow.builders.diary_recall.diaries import Shape
from selfknow.builders.folder.evaluation import EVALUATION
from selfknow.builders.folder.manifest import MANIFEST, describe_file, parse_manifest
from selfknow.builders.folder.write import build_folder
from selfknow.validation.folder.evaluation import facts_of_evaluation
from tests.hub.conftest import Client, Hub


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("built") / "diaries"
    build_folder(DATASET, configs_of_shape(Shape(20, max_entries=2, max_attributes=2)), built)
    return built


def damaged(folder: Path, text: str) -> set[str]:
    """Return the expectations that a folder with another ``eval.yaml`` does not meet."""
    manifest = parse_manifest((folder / MANIFEST).read_bytes())
    (folder / EVALUATION).write_text(text)
    schema = pq.read_schema(next(folder.glob("*/*.parquet")))
    return {fact.expectation for fact in facts_of_evaluation(folder, manifest, schema) if not fact.is_met}


def test_it_names_what_the_folder_holds(folder: Path) -> None:
    content = yaml.safe_load((folder / EVALUATION).read_text())
    assert content["evaluation_framework"] == "inspect-ai"
    manifest = parse_manifest((folder / MANIFEST).read_bytes())
    assert [task["id"] for task in content["tasks"]] == list(manifest.configs)
    assert describe_file(folder, EVALUATION) in manifest.files
    as_written = (folder / EVALUATION).read_text()
    assert damaged(folder, as_written) == set()
    assert damaged(folder, as_written.replace("target: completion", "target: reply")) == {"evaluation_tasks"}
    assert damaged(folder, as_written.replace("split: test", "split: tests")) == {"evaluation_tasks"}
    assert damaged(folder, as_written.replace("inspect-ai", "my-own")) == {"evaluation_is_readable"}
    assert damaged(folder, "tasks: 3") == {"evaluation_is_readable"}
    assert damaged(folder, as_written) == set()


def test_inspect_takes_no_reply_but_the_very_completion(folder: Path) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai.model import ModelName, ModelOutput
    from inspect_ai.scorer import CORRECT, Target, pattern
    from inspect_ai.solver import TaskState

    tasks = yaml.safe_load((folder / EVALUATION).read_text())["tasks"]
    [scorer] = {str(task["scorers"]): task["scorers"] for task in tasks}.values()
    assert [each["name"] for each in scorer] == ["pattern"]
    score = pattern(**scorer[0]["args"])
    completion = "Ann's Diary Entry 1\nMood: Sad\n\nAnn's Diary Entry 2\nMood: Glad"

    def is_correct(reply: str) -> bool:
        output = ModelOutput.from_content("some", reply)
        state = TaskState(ModelName("some/model"), "1", 1, "Recall.", [], output=output)
        return asyncio.run(score(state, Target(completion))).value == CORRECT

    assert is_correct(completion)
    near_misses = (
        *(completion.lower(), completion.replace(":", ""), f"{completion}.", f"{completion}\n", f" {completion}", ""),
        *(completion.replace("\n\n", "\n"), completion.replace("'", "’"), f"{completion}\n{completion}"),
    )
    assert [reply for reply in near_misses if is_correct(reply)] == []


def test_files_have_a_page_index_and_pages_cut_by_content(folder: Path) -> None:
    for path in folder.glob("*/*.parquet"):
        column = pq.ParquetFile(path).metadata.row_group(0).column(0)
        assert column.has_offset_index
        assert column.has_column_index


def test_it_is_published_with_the_rest(hub: Hub, client: Client, repo: str, folder: Path) -> None:
    result = client.selfknow("data", "publish", folder, repo)
    assert result.returncode == 0, result.stderr
    download = f"hf_hub_download('{repo}', 'eval.yaml', repo_type='dataset')"
    served = client.python(f"from huggingface_hub import hf_hub_download; print(open({download}).read(), end='')")
    assert served == (folder / EVALUATION).read_text()


def test_inspect_asks_the_published_dataset(hub: Hub, client: Client, repo: str, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    client.published(folder, repo)
    config = min(path.name for path in folder.iterdir() if path.is_dir())
    program = f"""
import json
from inspect_ai._eval.task.hf import task_create_from_hf

[task] = task_create_from_hf("hf/{repo}/{config}")
json.dump([[sample.input, sample.target, sample.metadata] for sample in task.dataset], open("samples.json", "w"))
"""
    elsewhere = replace(client, environment={"XDG_CACHE_HOME": str(tmp_path)})  # where Inspect keeps datasets
    elsewhere.python(program)
    samples = json.loads((client.folder / "samples.json").read_text())
    rows = pq.read_table(next((folder / config).glob("test-*.parquet"))).to_pylist()
    assert [(prompt, target, row["id"]) for prompt, target, row in samples] == [
        (row["prompt"], row["completion"], row["id"]) for row in rows
    ]
