"""Every expectation of the according-to suite is met by what is built, and finds the damage it is there for."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from selfknow.builders.according_to.builder import DATASET, SCHEMA, placement_config, prompt_table
from selfknow.builders.according_to.prompts import PLACEMENTS
from selfknow.builders.catalogue import find_configs
from selfknow.builders.dataset import DatasetConfig
from selfknow.builders.folder.manifest import MANIFEST
from selfknow.builders.folder.write import build_folder
from selfknow.validation.according_to.suite import QUERIES
from selfknow.validation.check import check_folder
from tests.sql_checks import check_by_sql

Row = dict[str, Any]


def failed(folder: Path, change: Callable[[list[Row]], list[Row]]) -> set[str]:
    """Return what fails when changed rows are built into a folder as if they were right."""
    table = pa.Table.from_pylist(change(prompt_table("prepended").to_pylist()), SCHEMA)
    parameters = placement_config("prepended").parameters
    build_folder(DATASET, [DatasetConfig("prepended", parameters, SCHEMA, {"test": [lambda: table]})], folder)
    return {finding.expectation for finding in check_by_sql(folder)}


def last(**changed: object) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [*rows[:-1], {**rows[-1], **changed}]


DAMAGE: dict[str, Callable[[list[Row]], list[Row]]] = {
    "values_are_there": last(phrase=""),
    "ids": last(id="without"),
    "ids_are_unique": lambda rows: [*rows, rows[0]],
    "prompts_are_complete": lambda rows: rows[1:],
    "phrases": lambda rows: [{**rows[-1], "phrase": rows[-1]["phrase"].replace("{corpus}", "Wikipedia")}, *rows[:-1]],
    "questions": last(answer_prompt="Respond."),
    "two_steps": last(explain_prompt="Explain {question} {answer}"),
    "phrases_are_placed": lambda rows: [
        *rows[:-1],
        {**rows[-1], "answer_prompt": f"{{question}} {rows[-1]['phrase']}"},
    ],
    "markers_are_known": lambda rows: [*rows[:-1], {**rows[-1], "answer_prompt": rows[-1]["answer_prompt"] + "{name}"}],
}


def test_all_placements_as_built_are_without_a_finding(tmp_path: Path) -> None:
    build_folder(DATASET, find_configs(DATASET, PLACEMENTS, seed=0), tmp_path / "all")
    assert check_folder(tmp_path / "all") == []


def test_every_expectation_has_its_damage() -> None:
    assert set(DAMAGE) == set(QUERIES)


@pytest.mark.parametrize("expectation", DAMAGE)
def test_damage_is_found(tmp_path: Path, expectation: str) -> None:
    assert expectation in failed(tmp_path / "damaged", DAMAGE[expectation])


def test_one_letter_of_a_phrase_is_seen(tmp_path: Path) -> None:
    def typed(rows: list[Row]) -> list[Row]:
        return [{name: value and value.replace("Here’s", "Here's") for name, value in row.items()} for row in rows]

    assert failed(tmp_path / "damaged", typed) == {"phrases"}


def test_a_placement_that_nobody_knows_is_found(tmp_path: Path) -> None:
    build_folder(DATASET, find_configs(DATASET, ["both"], seed=0), tmp_path / "both")
    shutil.copytree(tmp_path / "both", tmp_path / "odd")
    text = (tmp_path / "odd" / MANIFEST).read_text().replace('"both": {', '"behind": {', 1)
    (tmp_path / "odd" / MANIFEST).write_text(text)
    assert "placements" in {finding.expectation for finding in check_by_sql(tmp_path / "odd")}
