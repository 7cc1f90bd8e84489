"""The replies of real models as a dataset: rows and run folders say the same, and never change by themselves."""

import json
import re
from pathlib import Path

import pytest
from datasets import load_dataset
from typer.testing import CliRunner

from selfknow.builders.catalogue import find_configs, find_dataset
from selfknow.builders.folder.manifest import describe_file, read_manifest
from selfknow.builders.model_replies.builder import CONFIGS, SCHEMA
from selfknow.builders.model_replies.runs import collected_runs, digest_of_folder, models, run_folders
from selfknow.cli.app import app
from selfknow.errors import UserError
from selfknow.evaluate.connection import connect

GOLDEN = json.loads((Path(__file__).parent / "golden_content_hashes.json").read_text())
"""By config; ``python -m tests.model_replies.golden`` writes them."""


def test_the_content_never_changes(replies: Path) -> None:
    assert {name: entry.content_hash for name, entry in read_manifest(replies).configs.items()} == GOLDEN


def test_every_run_of_the_package_is_as_it_was_collected() -> None:
    rows = {path.parent.relative_to(run_folders()).as_posix() for path in run_folders().glob("*/*/run.json")}
    assert rows == {run.name for run in collected_runs()}
    for run in collected_runs():
        assert digest_of_folder(run_folders() / run.name) == run.digest


def test_the_run_folders_lie_beside_the_rows_and_in_the_manifest(replies: Path) -> None:
    listed = {file.path: file for file in read_manifest(replies).files}
    copied = [path.relative_to(run_folders()).as_posix() for path in run_folders().rglob("*") if path.is_file()]
    assert {path for path in listed if path.startswith("runs/")} == {f"runs/{path}" for path in copied}
    first = f"runs/{copied[0]}"
    assert listed[first] == describe_file(replies, first)


def test_rows_load_by_config_and_say_what_the_runs_say(replies: Path) -> None:
    loaded = load_dataset(str(replies), "self-aware", split="test")
    assert loaded.column_names == SCHEMA.names
    runs = [run for run in collected_runs() if run.config == "self-aware"]
    assert [row["id"] for row in loaded.select_columns("id")] == _ids(replies, runs)
    row = loaded[0]
    with connect(replies / "runs" / row["run"]) as connection:
        query = f"select metric, value, reason from scores where generation_id = '{row['id']}' order by metric"
        rows = connection.sql(query).fetchall()
    assert rows
    assert sorted(zip(row["metrics"], row["scores"], row["reasons"], strict=True)) == rows


def _ids(replies: Path, runs: list) -> list[str]:
    with connect([replies / "runs" / run.name for run in runs]) as connection:
        query = "select run_id, list(generation_id) as ids from generations group by run_id"
        by_run = {row["run_id"]: row["ids"] for row in connection.rows(query)}
    return [id_ for run in runs for id_ in by_run[run.run_id]]


def test_every_model_is_named_with_its_licence(replies: Path) -> None:
    card = (replies / "README.md").read_text()
    for model in {run.model for run in collected_runs()}:
        assert models()[model]["licence_page"] in card
        page = models()[model]["page"]
        assert f"| {f'[{model}]({page})' if page else model} |" in card
    assert "license: apache-2.0" in card
    assert "$" not in card


def test_a_config_alone_has_its_own_runs_alone() -> None:
    [config] = find_configs(find_dataset("model-replies"), ["self-aware"], 0)
    assert config.files
    assert all(re.fullmatch(r"runs/[\w.-]+/self-aware-[\w.-]+/.*", path) for path in config.files)


def test_an_unknown_config_is_refused() -> None:
    with pytest.raises(UserError, match=f"no config 'diaries'; it has {', '.join(CONFIGS)}"):
        find_configs(find_dataset("model-replies"), ["diaries"], 0)


def test_a_package_alone_builds_lists_and_asks_the_replies(tmp_path: Path) -> None:
    def printed(*arguments: object) -> str:
        result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    assert "model-replies" in printed("data", "list")
    built = printed("data", "build", "model-replies", "self-aware", "--out", tmp_path / "replies")
    assert GOLDEN["self-aware"] in built
    runs = sorted(tmp_path.glob("replies/runs/*/self-aware-*"))
    output = printed("query", "self_aware_f1", *runs, "--columns", "model,form,n", "--format", "json")
    assert [row["n"] for row in json.loads(output)] == [run.replies for run in collected_runs()[: len(runs)]]
