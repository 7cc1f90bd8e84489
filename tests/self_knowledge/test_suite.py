"""Every expectation of the self-knowledge suite is met by what is built, and finds the damage it is there for."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.catalogue import find_configs
from selfknow.builders.folder.card import card_text
from selfknow.builders.folder.content_hash import content_hash_of_files
from selfknow.builders.folder.manifest import CARD, MANIFEST, SplitEntry, describe_file, read_manifest
from selfknow.builders.folder.write import build_folder
from selfknow.builders.self_knowledge.builder import CONFIGS, DATASET, SCHEMA
from selfknow.validation.check import check_folder
from selfknow.validation.self_knowledge.suite import QUERIES
from tests.sql_checks import check_by_sql

Row = dict[str, Any]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "self-knowledge"
    build_folder(DATASET, find_configs(DATASET, ["designated-count"], seed=0), folder)
    return folder


def test_all_tasks_as_built_are_without_a_finding(tmp_path: Path) -> None:
    build_folder(DATASET, find_configs(DATASET, CONFIGS, seed=0), tmp_path / "all")
    assert check_folder(tmp_path / "all") == []


def failed(built: Path, folder: Path, change: Callable[[list[Row]], list[Row]]) -> set[str]:
    """Return the expectations that fail when rows are changed, and the manifest and the card are signed anew."""
    shutil.copytree(built, folder)
    manifest = read_manifest(folder)
    [(config, entry)] = manifest.configs.items()
    [file] = entry.splits["test"].files
    table = pa.Table.from_pylist(change(pq.read_table(folder / file.path).to_pylist()), SCHEMA)
    pq.write_table(table, folder / file.path)
    split = SplitEntry(len(table), (describe_file(folder, file.path, len(table)),))
    hashed = content_hash_of_files({"test": [folder / file.path]})
    manifest = replace(manifest, configs={config: replace(entry, splits={"test": split}, content_hash=hashed)})
    (folder / CARD).write_text(card_text(DATASET, find_configs(DATASET, [config], seed=0), manifest), encoding="utf-8")
    manifest = replace(manifest, files=(describe_file(folder, CARD),))
    (folder / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
    return {finding.expectation for finding in check_by_sql(folder)}


def with_params(row: Row, **changed: object) -> Row:
    return {**row, "params": json.dumps({**json.loads(row["params"]), **changed})}


def first(**changed: object) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [{**rows[0], **changed}, *rows[1:]]


def first_params(**changed: object) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [with_params(rows[0], **changed), *rows[1:]]


DAMAGE: dict[str, Callable[[list[Row]], list[Row]]] = {
    "values_are_there": first(params="{"),
    "ids": first(id="designated-count-0-plain"),
    "ids_are_unique": lambda rows: [*rows[:1], {**rows[1], "id": rows[0]["id"]}, *rows[2:]],
    "instances_are_complete": lambda rows: rows[1:],
    "prompts_differ": lambda rows: [
        *rows[:3],
        {**rows[3], **{name: rows[0][name] for name in ("generate_prompt", "verify_prompt")}},
        *rows[4:],
    ],
    "markers": lambda rows: [{**rows[0], "verify_prompt": rows[0]["verify_prompt"] + "{generation}"}, *rows[1:]],
    "slots_are_filled": lambda rows: [{**rows[0], "generate_prompt": rows[0]["generate_prompt"] + "{num}"}, *rows[1:]],
    "prompts_name_their_slots": first_params(num=99),
    "answers": first(answer="1"),
    "dual_prompts": first(dual_prompt=None),
    "transformations": first_params(keep="turn-upside-down"),
    "styles_share_their_instance": first_params(word="else"),
    "paper_prompts": lambda rows: [
        with_params(row, paper={"generate_prompt": None, "verify_prompt": None}) if row["style"] == "plain" else row
        for row in rows
    ],
}


def test_every_expectation_has_its_damage() -> None:
    assert set(DAMAGE) == set(QUERIES)


@pytest.mark.parametrize("expectation", DAMAGE)
def test_damage_is_found(built: Path, tmp_path: Path, expectation: str) -> None:
    assert expectation in failed(built, tmp_path / "damaged", DAMAGE[expectation])


@pytest.mark.parametrize("marker", ["[num]", "[year, month, day]"])
def test_a_slot_of_the_paper_that_was_left_open_is_found(built: Path, tmp_path: Path, marker: str) -> None:
    damage = first_params(paper={"generate_prompt": f"Generate {marker}", "verify_prompt": "What? {generation}"})
    assert failed(built, tmp_path / "damaged", damage) == {"slots_are_filled"}


def test_a_folder_with_a_task_that_nobody_knows_is_found(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "odd")
    text = (tmp_path / "odd" / MANIFEST).read_text().replace('"designated-count": {', '"poems": {', 1)
    (tmp_path / "odd" / MANIFEST).write_text(text)
    assert "tasks" in {finding.expectation for finding in check_by_sql(tmp_path / "odd")}
