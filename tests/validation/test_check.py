"""The gate as its callers see it: folders that pass, folders that are refused, and the findings."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from selfknow.builders.catalogue import find_configs
from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
from selfknow.builders.diary_recall.diaries import Shape
from selfknow.builders.folder.manifest import MANIFEST
from selfknow.builders.folder.write import build_folder
from selfknow.cli.data import app
from selfknow.errors import UserError
from selfknow.validation.check import check_folder
from tests.warm_python import WarmPython


def test_the_sizes_that_table_2_does_not_make_even_pass(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    configs = [size + setup for size in ("1k", "2k", "4k") for setup in ("", "-simplified")]
    build_folder(DATASET, find_configs(DATASET, configs, seed=3), tmp_path / "diaries", seed=3)
    capfd.readouterr()
    assert check_folder(tmp_path / "diaries") == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "shape",
    [
        Shape(10, seed=2**64 - 1),
        Shape(11, max_entries=1, max_attributes=1),
        Shape(130, max_entries=64),
        pytest.param(Shape(331, max_entries=3, max_attributes=3), marks=pytest.mark.full),
        pytest.param(Shape(994, max_attributes=2), marks=pytest.mark.full),
    ],
    ids=str,
)
def test_sizes_of_ones_own_pass(tmp_path: Path, shape: Shape) -> None:
    build_folder(DATASET, configs_of_shape(shape), tmp_path / "diaries", seed=shape.seed)
    assert check_folder(tmp_path / "diaries") == []


def test_a_simplified_config_alone_passes(tmp_path: Path) -> None:
    build_folder(DATASET, configs_of_shape(Shape(50))[1:], tmp_path / "diaries")
    assert check_folder(tmp_path / "diaries") == []


def test_a_path_that_is_a_pattern_is_read_as_it_stands(folder: Any, tmp_path: Path) -> None:
    # DuckDB would read ``[1]`` as a pattern, and the damaged ``diaries1`` in its place.
    good = folder.path.rename(tmp_path / "diaries[1]")
    bad = tmp_path / "diaries1" / folder.standard
    bad.mkdir(parents=True)
    for file in (good / folder.standard).iterdir():
        pq.write_table(pq.read_table(file).slice(0, 3), bad / file.name)
    assert check_folder(good) == []


def test_a_read_only_folder_can_be_checked(folder: Any) -> None:
    for path in [*folder.path.rglob("*"), folder.path]:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        assert check_folder(folder.path) == []
    finally:
        for path in [folder.path, *folder.path.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o200)


def test_findings_say_where_what_and_how_often(folder: Any) -> None:
    rows = folder.rows("test")
    for row in rows:
        row["prompt"] = row["prompt"].replace("Recall", "Tell")
    folder.write(rows, "test")
    (finding,) = check_folder(folder.path)
    assert (finding.config, finding.split, finding.expectation) == (folder.standard, "test", "questions")
    assert finding.message == "a question asks for its diarist's entries in the words of the template: 8 exceptions"
    assert len(finding.examples) == 5
    assert finding.examples[0]["prompt"].startswith("Tell all of ")
    assert finding.examples[0]["expected"].startswith("Recall all of ")
    assert check_folder(folder.path) == [finding]


def test_what_is_no_dataset_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no manifest\.json"):
        check_folder(tmp_path)
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(UserError, match="is damaged"):
        check_folder(tmp_path)


def test_a_dataset_that_nothing_is_known_of_is_refused(folder: Any) -> None:
    folder.edit_manifest('"dataset": "diary-recall"', '"dataset": "dairy-recall"')
    with pytest.raises(
        UserError, match="there is no suite for the dataset 'dairy-recall': did you mean 'diary-recall'"
    ):
        check_folder(folder.path)


def test_without_great_expectations_the_missing_extra_is_named(folder: Any) -> None:
    code = "import sys; sys.modules['great_expectations'] = None; from selfknow.cli import main; main()"
    command = [sys.executable, "-c", code, "data", "check", folder.path]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert run.returncode == 2
    assert run.stderr.strip() == (
        "selfknow: checking a dataset folder needs the extra [validate]: pip install 'selfknow[validate]'"
    )


def test_no_connection_is_opened(folder: Any, tmp_path: Path, python: WarmPython) -> None:
    code = (
        "import socket, sys\n"
        "def refuse(*arguments): sys.exit(f'a connection: {arguments}')\n"
        "socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse\n"
        "from selfknow.cli import main; main()"
    )
    run = python.run("-c", code, "data", "check", folder.path, "--docs", tmp_path / "docs")
    assert (run.returncode, run.stdout) == (0, "")
    assert run.stderr.strip() == (
        f"{folder.path} meets all expectations; Data Docs: {(tmp_path / 'docs' / 'index.html').as_uri()}"
    )


def test_the_command_prints_findings_in_each_format(folder: Any, tmp_path: Path) -> None:
    rows = folder.rows("test")
    rows[0]["completion"] += "\n"
    folder.write(rows, "test")

    def run(output_format: str) -> Any:
        arguments = ["check", str(folder.path), "--format", output_format, "--docs", str(tmp_path / "docs")]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 1
        return result

    (finding,) = json.loads(run("json").stdout)
    assert list(finding) == ["config", "split", "expectation", "message", "examples"]
    assert (finding["config"], finding["split"]) == (folder.standard, "test")
    assert finding["examples"][0]["diarist"] == rows[0]["diarist"]
    (row,) = csv.DictReader(io.StringIO(run("csv").stdout))
    assert row | {"examples": json.loads(row["examples"])} == finding
    as_table = run("table")
    assert as_table.stdout.startswith(f"{folder.standard} / test: answers_repeat_the_documents\n")
    assert f"diarist: {rows[0]['diarist']!r}" in as_table.stdout
    assert "does not meet 1 expectation; Data Docs: file:///" in as_table.stderr


def test_a_mistake_is_one_line_and_exit_code_2(tmp_path: Path, selfknow: Any) -> None:
    run = selfknow("data", "check", tmp_path / "nothing")
    assert run.returncode == 2
    assert len(run.stderr.strip().splitlines()) == 1
    assert "holds no manifest.json" in run.stderr
