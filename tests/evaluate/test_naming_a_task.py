"""Names of tasks: a task's own name, or a dataset with a manifest; any other is refused in one clear line."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import find_task, task_of_log
from tests.conftest import Run


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """Return a folder of Parquet files that is none of this package's datasets."""
    folder = tmp_path / "foreign"
    (folder / "x").mkdir(parents=True)
    pq.write_table(pa.table({"question": ["Who?"]}), folder / "x" / "test-00000-of-00001.parquet")
    return folder


def manifest(folder: Path, **values: object) -> None:
    (folder / "manifest.json").write_text(json.dumps(values))


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("self-aware", "self-aware"),
        ("self-aware-original:original", "self-aware"),
        ("self-knowledge:fact", "self-knowledge"),
        ("self-knowledge:agents", "self-knowledge-agents"),
        ("gsm8k@main", "gsm8k"),
        ("gsm8k:./a/file.jsonl", "gsm8k"),
        ("according-to:nq", "according-to"),
    ],
)
def test_a_word_says_its_task(name: str, task: str) -> None:
    assert find_task(name).task.name == task


def test_a_folders_manifest_says_its_task_and_its_config_the_options(foreign: Path) -> None:
    manifest(foreign, dataset="self-knowledge")
    task, options = find_task(f"{foreign}:x")
    assert (task.name, options.__name__) == ("self-knowledge", "SelfKnowledgeOptions")
    (foreign / "x").rename(foreign / "image-color")
    assert find_task(str(foreign)).options.__name__ == "PictureOptions", "it is the only config"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("self-awre", "there is no task 'self-awre': did you mean 'self-aware'?"),
        ("gsm9k:x", "there is no task 'gsm9k:x': did you mean 'gsm8k'?"),
        ("nothing", "there is no task 'nothing': choose from diary-recall, self-aware, "),
        ("./gone:x", "there is no folder ./gone"),
        ("./foreign:x", "./foreign has no manifest.json, so nothing says what it holds"),
        ("foreign", "foreign has no manifest.json, so nothing says what it holds"),
        (
            "foreign/x/test-00000-of-00001.parquet:x",
            "is a file: name a dataset folder and its config, as FOLDER:CONFIG",
        ),
    ],
)
@pytest.mark.usefixtures("foreign")
def test_what_is_no_task_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as refused:
        find_task(name)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_dataset_that_no_task_asks_about_is_named(foreign: Path) -> None:
    manifest(foreign, dataset="squad")
    with pytest.raises(UserError, match=r"no task asks about the dataset 'squad' that .*foreign:x holds; there are"):
        find_task(f"{foreign}:x")


def test_a_manifest_that_is_damaged_is_one_clear_line(foreign: Path) -> None:
    (foreign / "manifest.json").write_text("{")
    with pytest.raises(UserError, match=r"manifest.json"):
        find_task(f"{foreign}:x")


def test_a_foreign_folder_is_exit_code_2_without_a_traceback(selfknow: Run, foreign: Path) -> None:
    result = selfknow("evaluate", "./foreign:x", "--endpoint", "http://127.0.0.1:1", "--out", "run")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("selfknow: ./foreign has no manifest.json")
    assert result.stderr.count("\n") == 1
    assert not (foreign.parent / "run").exists()


def test_a_log_is_named_by_itself_or_by_its_columns() -> None:
    diaries = ["id", "diarist", "prompt", "completion", "num_documents", "document_lengths", "more"]
    assert task_of_log("popularity", diaries) == "diary-recall"
    assert task_of_log("gsm8k", diaries) == "gsm8k"
    assert task_of_log("popularity", diaries[1:]) == "popularity", "one column is lacking"
