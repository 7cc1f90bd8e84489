"""The page about your own corpora shows the real output of its commands."""

import re
import shlex
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from selfknow.builders.diary_recall.own_table import read_own_table
from selfknow.cli.app import app
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "own-corpus.md").read_text(encoding="utf-8")


def test_commands_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [table] = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
    Path("elements.csv").write_text(table, encoding="utf-8")
    commands = re.findall(r"```console\n\$ selfknow (.*?)\n(.*?)```", PAGE, re.DOTALL)
    assert len(commands) == 2
    for command, expected in commands:
        result = CliRunner().invoke(app, shlex.split(command))
        assert (result.exit_code, result.stdout) == (0, expected)
    [question] = re.findall(r"```text\n(Recall all documents about Carbon.*?)\n```", PAGE, re.DOTALL)
    rows = [
        row
        for file in Path("elements").rglob("*.parquet")
        for row in pq.read_table(file, partitioning=None).to_pylist()
    ]
    assert question in {row["prompt"] + row["completion"] for row in rows}
    assert read_own_table(Path("elements.csv")).documents["Carbon"] == (
        "Carbon is soft as graphite.",
        "Carbon is hard as diamond.",
    )
