"""Nothing is published that its dataset's suite refuses, however well its hashes fit."""

import json
from pathlib import Path

import pyarrow as pa

from tests.hub.conftest import Build, Client, Hub


def test_a_folder_with_one_flipped_value_is_refused(hub: Hub, client: Client, repo: str, build: Build) -> None:
    def flip(table: pa.Table) -> pa.Table:
        rows = table.to_pylist()
        question = next(row for row in rows if row["kind"] == "question")
        first, rest = question["completion"].split("\n", 1)
        question["completion"] = f"{first}!\n{rest}"
        return pa.Table.from_pylist(rows, schema=table.schema)

    result = client.selfknow("data", "publish", build(edits={"test": flip}, setups=1), repo, "--format", "json")
    assert result.returncode == 1, result.stderr
    findings = json.loads(result.stdout)
    assert findings
    assert {finding["config"] for finding in findings} == {"16-diarists"}
    assert "fails its check" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (hub.root / "datasets" / repo).exists()


def test_a_folder_that_passes_is_published(hub: Hub, client: Client, repo: str, small_corpora: Path) -> None:
    result = client.selfknow("data", "publish", small_corpora, repo)
    assert result.returncode == 0, result.stderr
    assert hub.references(repo)["tags"].keys() == {"v1.0.0"}
