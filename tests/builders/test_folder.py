import re
import time
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from datasets import load_dataset

from selfknow.builders.catalogue import find_configs, find_dataset
from selfknow.builders.dataset import DatasetConfig
from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
from selfknow.builders.diary_recall.diaries import Shape
from selfknow.builders.folder.content_hash import content_hash_of_files
from selfknow.builders.folder.manifest import Manifest, describe_file, read_manifest
from selfknow.builders.folder.parquet_files import write_configs
from selfknow.builders.folder.write import build_folder
from selfknow.errors import UserError
from tests.conftest import Run
from tests.warm_python import WarmPython

TINY = configs_of_shape(Shape(20))
LISTS = pa.list_(pa.int32())


def build_tiny(folder: Path, **options: object) -> Manifest:
    return build_folder(DATASET, TINY, folder, **options)


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_holds_the_card_the_manifest_and_a_file_for_each_split(tmp_path: Path) -> None:
    build_tiny(tmp_path / "out")
    files = [f"{split}-00000-of-00001.parquet" for split in ("train", "validation", "test")]
    configs = ("20-diarists", "20-diarists-simplified")
    data = {f"{config}/{file}" for config in configs for file in files}
    assert names(tmp_path / "out") == {"README.md", "eval.yaml", "manifest.json"} | data


def test_the_manifest_describes_every_file_as_it_lies_there(small_corpora: Path) -> None:
    manifest = read_manifest(small_corpora)
    described = manifest.all_files()
    assert {file.path for file in described} | {"manifest.json"} == names(small_corpora)
    for file in described:
        assert file == describe_file(small_corpora, file.path, file.num_rows)
    assert manifest.configs["1k"].splits["train"].num_rows == 5_376


def test_jobs_and_folders_do_not_change_the_content(tmp_path: Path) -> None:
    corpora = find_configs(DATASET, ["64k", "2k-simplified"], seed=0)
    first, second = (build_folder(DATASET, corpora, tmp_path / str(jobs), jobs=jobs) for jobs in (1, 2))
    assert first == second


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_content_hash_is_that_of_the_files_also_of_empty_ones(tmp_path: Path, jobs: int) -> None:
    def shard(number: int) -> pa.Table:
        time.sleep(0.02 * (number == 1))  # with several jobs the first file is not the first to be whole
        texts = [None if row % 7 == 0 else f"{number}/{row}" * row for row in range(20 * (number % 2))]
        return pa.table({"text": pa.array(texts, pa.string()), "lists": pa.array([[len(texts)]] * len(texts), LISTS)})

    shards = {"train": [partial(shard, number) for number in (1, 0, 3, 5)], "test": [partial(shard, 0)]}
    config = DatasetConfig("numbers", {}, pa.schema({"text": pa.string(), "lists": LISTS}), shards)
    entry = write_configs([config], tmp_path, jobs=jobs)["numbers"]
    files = {name: [tmp_path / file.path for file in split.files] for name, split in entry.splits.items()}
    assert entry.content_hash == content_hash_of_files(files)
    assert entry.splits["train"].num_rows == 60


def test_the_cards_header_says_the_content_hashes_and_what_load_dataset_needs(small_corpora: Path) -> None:
    header = yaml.safe_load((small_corpora / "README.md").read_text().split("---\n")[1])
    manifest = read_manifest(small_corpora)
    assert header["content_hashes"] == {name: config.content_hash for name, config in manifest.configs.items()}
    assert [config["config_name"] for config in header["configs"]] == ["1k", "1k-simplified"]
    assert [config.get("default", False) for config in header["configs"]] == [True, False]
    assert header["license"] == "cc0-1.0"


def test_the_card_shows_a_real_row_of_each_kind(small_corpora: Path) -> None:
    card = (small_corpora / "README.md").read_text()
    rows = load_dataset(str(small_corpora), "1k", split="train").to_list()
    for kind in ("document", "question"):
        row = next(row for row in rows if row["kind"] == kind)
        assert f"completion: {row['completion']!r}" in card
    assert "$" not in card


def test_a_changed_local_folder_never_loads_as_the_old_one(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    for seed in (0, 1):
        corpora = configs_of_shape(Shape(20, seed=seed))
        build_folder(DATASET, corpora, folder, seed=seed, overwrite=seed > 0)
        expected = (
            sorted(corpora[0].shards["test"][0]()["id"].to_pylist()),
            corpora[0].shards["test"][0]()["prompt"].to_pylist(),
        )
        loaded = load_dataset(str(folder), "20-diarists", split="test")
        assert (sorted(loaded["id"]), list(loaded["prompt"])) == expected


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(UserError, match="is not empty"):
        build_tiny(tmp_path)
    assert names(tmp_path) == {"note.txt"}


def test_overwrite_replaces_a_dataset_and_leaves_nothing_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    build_folder(DATASET, configs_of_shape(Shape(30)), folder)
    build_tiny(folder, overwrite=True)
    build_tiny(tmp_path / "fresh")
    assert names(folder) == names(tmp_path / "fresh")


def test_overwrite_never_deletes_what_no_build_made(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UserError, match="not a dataset folder, so it is not overwritten"):
        build_tiny(tmp_path, overwrite=True)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_a_relative_folder_is_overwritten_like_an_absolute_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    build_folder(DATASET, configs_of_shape(Shape(30)), Path("out"))
    build_tiny(Path("out"), overwrite=True)
    build_tiny(tmp_path / "fresh")
    assert names(tmp_path / "out") == names(tmp_path / "fresh")
    assert read_manifest(Path("out")).configs.keys() == {"20-diarists", "20-diarists-simplified"}


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(UserError, match="is a file"):
        build_tiny(tmp_path / "out")


def test_a_killed_build_leaves_nothing_that_looks_complete_and_is_simply_repeated(
    tmp_path: Path, python: WarmPython
) -> None:
    folder = tmp_path / "out"
    command = ["data", "build", "diary-recall", "--out", folder, "--num-diarists", 2_000_000]
    process = python.start("-m", "selfknow", *command)
    while not list(tmp_path.glob(".out.building/new/*/*.parquet")):
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    with pytest.raises(UserError, match="its build did not finish"):
        read_manifest(folder)
    build_tiny(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert read_manifest(folder).configs.keys() == {"20-diarists", "20-diarists-simplified"}


def test_an_overwrite_that_fails_leaves_the_old_dataset_whole(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    build_tiny(folder)
    before = (folder / "manifest.json").read_bytes()
    failing = configs_of_shape(Shape(30))[0]
    failing.shards["test"].append(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        build_folder(DATASET, [failing], folder, overwrite=True)
    assert (folder / "manifest.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    read_manifest(folder)


def test_a_disk_that_takes_no_more_is_one_clear_line(tmp_path: Path, python: WarmPython) -> None:
    limited = "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (100_000,) * 2); from selfknow.cli import main; main()"
    result = python.run("-c", limited, "data", "build", "diary-recall", "1k", "--out", tmp_path / "out")
    assert result.returncode == 2
    assert "File too large" in result.stderr
    assert "Traceback" not in result.stderr
    assert names(tmp_path / "out") == set()


def test_a_folder_that_may_not_be_written_is_one_clear_line(selfknow: Run) -> None:
    result = selfknow("data", "build", "diary-recall", "1k", "--out", "/sys/selfknow")  # refuses root too
    assert result.returncode == 2
    assert re.fullmatch(r"selfknow: [\w -]+: /sys/selfknow\n", result.stderr)
    assert result.stdout == ""


def test_no_job_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="jobs must be at least 1"):
        build_tiny(tmp_path / "out", jobs=0)


def test_an_unknown_dataset_names_those_that_there_are() -> None:
    with pytest.raises(UserError, match="no dataset 'diary': did you mean 'diary-recall'"):
        find_dataset("diary")
