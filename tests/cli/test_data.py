import csv
import io
import json
from pathlib import Path

import pytest

from selfknow.builders.folder.manifest import read_manifest
from tests.conftest import Run


def test_list_names_every_config_in_every_format(selfknow: Run) -> None:
    table, as_json, as_csv = (selfknow("data", "list", "--format", name).stdout for name in ("table", "json", "csv"))
    configs = [row["config"] for row in json.loads(as_json) if row["dataset"] == "diary-recall"]
    assert configs[0] == "1k"
    assert configs[-1] == "64k-simplified"
    assert len(configs) == 14
    assert list(csv.DictReader(io.StringIO(as_csv))) == json.loads(as_json)
    assert [line.split()[2] for line in table.splitlines()[2:] if line.startswith("diary-recall")] == configs


def test_build_makes_the_named_configs_and_prints_their_rows(selfknow_process: Run, tmp_path: Path) -> None:
    result = selfknow_process("data", "build", "diary-recall", "1k-simplified", "--out", "made", "--jobs", 1)
    assert result.returncode == 0
    line = result.stdout.splitlines()[2].split()
    content_hash = read_manifest(tmp_path / "made").configs["1k-simplified"].content_hash
    assert line == ["1k-simplified", "1,888", "50", "50", content_hash]


def test_build_makes_a_shape_of_ones_own_in_both_setups(selfknow: Run, tmp_path: Path) -> None:
    shape = ["--num-diarists", 100, "--max-entries", 3, "--max-attributes", 2, "--seed", 7]
    assert selfknow("data", "build", "diary-recall", "--out", "made", *shape).returncode == 0
    manifest = read_manifest(tmp_path / "made")
    assert list(manifest.configs) == [
        "100-diarists-3-entries-2-attributes",
        "100-diarists-3-entries-2-attributes-simplified",
    ]
    assert manifest.seed == 7
    assert manifest.configs["100-diarists-3-entries-2-attributes"].parameters == {
        "num_diarists": 100,
        "seed": 7,
        "max_entries": 3,
        "max_attributes": 2,
        "name_pool_size": 4_000,
        "simplified": False,
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["diary"], "there is no dataset 'diary': did you mean 'diary-recall'"),
        (["diary-recall", "3k"], "has no config '3k': did you mean '32k'"),
        (["diary-recall", "--num-diarists", 3], "num_diarists must be between 10 and 16,000,000"),
        (["diary-recall", "--max-entries", 3], "--max-entries needs --num-diarists"),
        (["diary-recall", "1k", "--num-diarists", 30], "leave out 1k"),
        (["diary-recall", "1k", "--seed", -1], "seed must be between 0"),
        (
            ["diary-recall", "--num-diarists", "many"],
            "Invalid value for '--num-diarists': Input should be a valid integer",
        ),
        (["diary-recall", "--jobs", 0], "Invalid value for '--jobs'"),
    ],
)
def test_a_mistake_in_the_call_is_a_clear_line_and_exit_code_2(
    selfknow: Run, tmp_path: Path, arguments: list[object], message: str
) -> None:
    result = selfknow("data", "build", *arguments, "--out", "made")
    assert result.returncode == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_non_empty_folder_is_refused_unless_overwrite(selfknow: Run, tmp_path: Path) -> None:
    command = ["data", "build", "diary-recall", "--num-diarists", 20, "--out", "made"]
    assert selfknow(*command).returncode == 0
    refused = selfknow(*command, "--seed", 1)
    assert refused.returncode == 2
    assert "made is not empty" in refused.stderr
    assert read_manifest(tmp_path / "made").seed == 0
    assert selfknow(*command, "--seed", 1, "--overwrite").returncode == 0
    assert read_manifest(tmp_path / "made").seed == 1
