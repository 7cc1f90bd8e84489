"""Damage to files, manifest and card: each kind has its own finding."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.folder.manifest import CARD, MANIFEST, read_manifest
from selfknow.validation.check import check_folder
from selfknow.validation.folder.files import facts_of_other_files


def _cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _overwrite_a_page(content: bytes) -> bytes:
    return content[:2_000] + os.urandom(2_000) + content[4_000:]


@pytest.mark.parametrize(
    "damage",
    [_cut, _overwrite_a_page, lambda content: b"", lambda content: os.urandom(len(content)), lambda content: b"PAR1"],
    ids=["cut", "page", "empty", "random", "magic"],
)
def test_a_damaged_parquet_file_is_a_finding(folder: Any, damage: Callable[[bytes], bytes]) -> None:
    folder.file().write_bytes(damage(folder.file().read_bytes()))
    assert folder.unmet() - {"file_sizes"} == {"files_are_readable", "file_hashes"}


def test_a_finding_names_the_damaged_file_and_no_row_is_looked_at(folder: Any) -> None:
    folder.file().write_bytes(_cut(folder.file().read_bytes()))
    (folder.path / "notes.txt").write_text("x")
    findings = {finding.expectation: finding for finding in folder.check()}
    assert set(findings) == {"no_other_files", "files_are_readable", "file_hashes", "file_sizes"}
    assert (findings["no_other_files"].config, findings["no_other_files"].split) == (None, None)
    damaged = findings["files_are_readable"]
    assert (damaged.config, damaged.split) == (folder.standard, "train")
    assert damaged.examples[0]["subject"] == f"{folder.standard}/{folder.file().name}"


def test_text_that_is_not_utf_8_is_a_finding(folder: Any) -> None:
    table = folder.table("test")
    prompts = table["prompt"].combine_chunks()
    _, offsets, data = prompts.buffers()
    broken = pa.StringArray.from_buffers(len(prompts), offsets, pa.py_buffer(b"\xff" + data.to_pybytes()[1:]))
    folder.write(table.set_column(3, "prompt", broken), "test")
    assert folder.unmet() == {"files_are_readable"}


def test_one_damaged_config_does_not_hide_what_is_wrong_in_another(twins: Any) -> None:
    rows = twins.rows("test", twins.simplified)
    rows[0]["completion"] += "\n"
    twins.write(rows, "test", twins.simplified)
    twins.file().write_bytes(b"")
    findings = {(finding.config, finding.expectation) for finding in twins.check()}
    assert {(twins.standard, "files_are_readable"), (twins.simplified, "answers_repeat_the_documents")} <= findings


def test_a_missing_file(folder: Any) -> None:
    folder.file("test").unlink()
    assert folder.unmet() == {"files_are_there"}


def test_a_folder_in_the_place_of_a_file(folder: Any) -> None:
    folder.file("test").unlink()
    folder.file("test").mkdir()
    assert folder.unmet() == {"files_are_there"}


def test_files_that_the_manifest_does_not_name(folder: Any) -> None:
    (folder.path / folder.standard / "extra.parquet").write_bytes(folder.file().read_bytes())
    (folder.path / "notes.txt").write_text("x")
    assert folder.unmet() == {"no_other_files"}
    facts = facts_of_other_files(folder.path, read_manifest(folder.path))
    subjects = [fact.subject for fact in facts if not fact.is_met]
    assert subjects == [f"{folder.standard}/extra.parquet", "notes.txt"]


def test_hidden_files_are_no_finding(folder: Any) -> None:
    (folder.path / ".gitattributes").write_text("x")
    (folder.path / ".cache" / "huggingface").mkdir(parents=True)
    (folder.path / ".cache" / "huggingface" / "x.lock").write_text("x")
    assert folder.unmet() == set()


def test_a_missing_card(folder: Any) -> None:
    (folder.path / CARD).unlink()
    assert folder.unmet() == {"files_are_there", "card_is_readable"}


@pytest.mark.parametrize(
    "content", [b"", b"# No header\n", b"---\n[1\n---\n", b"---\n- a\n---\n", b"\xff\xfe---\n---\n"]
)
def test_a_card_without_a_header(folder: Any, content: bytes) -> None:
    (folder.path / CARD).write_bytes(content)
    assert folder.unmet() == {"file_sizes", "file_hashes", "card_is_readable"}


@pytest.mark.parametrize(
    ("field", "value", "expectations"),
    [
        ("sha256", "0" * 64, {"file_hashes"}),
        ("num_bytes", 1, {"file_sizes"}),
        ("num_rows", 1, {"row_counts"}),
        ("num_rows", "many", {"row_counts"}),
        ("path", "notes.parquet", {"files_are_there", "no_other_files", "file_names", "card_files"}),
    ],
)
def test_a_file_entry_of_the_manifest_that_is_wrong(
    folder: Any, field: str, value: object, expectations: set[str]
) -> None:
    manifest = json.loads((folder.path / MANIFEST).read_text())
    manifest["configs"][folder.standard]["splits"]["test"]["files"][0][field] = value
    (folder.path / MANIFEST).write_text(json.dumps(manifest))
    assert folder.unmet() == expectations


@pytest.mark.parametrize(
    ("change", "expectations"),
    [
        (lambda entry: entry.update(content_hash="0" * 64), {"content_hashes", "card_content_hashes"}),
        (lambda entry: entry["splits"]["test"].update(num_rows=7), {"row_counts", "card_row_counts"}),
        (lambda entry: entry["splits"].pop("validation"), {"splits", "no_other_files", "content_hashes"}),
        (lambda entry: entry["parameters"].update(seed=1), {"parameters"}),
        (lambda entry: entry["parameters"].update(simplified=True), {"parameters"}),
        (lambda entry: entry["parameters"].pop("max_entries"), set()),
        (lambda entry: entry["parameters"].pop("num_diarists"), {"parameters"}),
        (lambda entry: entry["parameters"].update(num_diarists="many"), {"parameters"}),
        (lambda entry: entry["parameters"].update(num_diarists=3), {"parameters"}),
        (lambda entry: entry["parameters"].update(colour=3), {"parameters"}),
    ],
    ids=["hash", "rows", "split", "seed", "setup", "default", "none", "text", "impossible", "unknown"],
)
def test_a_config_entry_of_the_manifest_that_is_wrong(
    folder: Any, change: Callable[[dict[str, Any]], object], expectations: set[str]
) -> None:
    manifest = json.loads((folder.path / MANIFEST).read_text())
    change(manifest["configs"][folder.standard])
    (folder.path / MANIFEST).write_text(json.dumps(manifest))
    unmet = folder.unmet()
    assert unmet == expectations | (unmet & {"card_files", "card_row_counts"} if "splits" in expectations else set())


def test_a_named_size_that_is_made_from_other_parameters(small_corpora: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(small_corpora, tmp_path / "diaries")
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["configs"]["1k"]["parameters"]["num_diarists"] = 995
    (folder / MANIFEST).write_text(json.dumps(manifest))
    findings = {(finding.config, finding.expectation) for finding in check_folder(folder)}
    assert findings == {("1k", "parameters"), ("1k-simplified", "twin_parameters")}


def test_stale_content_hashes_on_the_card(folder: Any) -> None:
    card = (folder.path / CARD).read_text()
    content_hash = json.loads((folder.path / MANIFEST).read_text())["configs"][folder.standard]["content_hash"]
    assert content_hash in card
    folder.edit_card(content_hash, "0" * 64)
    assert folder.unmet() == {"card_content_hashes"}


def test_other_numbers_of_rows_on_the_card(folder: Any) -> None:
    folder.edit_card("num_examples: 8\n", "num_examples: 9\n")
    assert folder.unmet() == {"card_row_counts"}


def test_other_files_on_the_card(folder: Any) -> None:
    folder.edit_card("- split: validation", "- split: dev")
    assert folder.unmet() == {"card_files"}


def test_other_columns_on_the_card(folder: Any) -> None:
    folder.edit_card("- name: completion", "- name: answer")
    assert folder.unmet() == {"card_columns"}


def test_several_shards_are_as_good_as_one(folder: Any) -> None:
    table = folder.table()
    folder.file().unlink()
    names = [f"{folder.standard}/train-0000{i}-of-00002.parquet" for i in range(2)]
    pq.write_table(table.slice(0, 100), folder.path / names[0], row_group_size=7)
    pq.write_table(table.slice(100), folder.path / names[1], compression="snappy")
    manifest = json.loads((folder.path / MANIFEST).read_text())
    files = manifest["configs"][folder.standard]["splits"]["train"]["files"]
    files[:] = [files[0] | {"path": name} for name in names]
    (folder.path / MANIFEST).write_text(json.dumps(manifest))
    folder.sign()
    assert folder.failed() == set()


def test_shards_in_another_order_are_told_by_their_names(folder: Any) -> None:
    folder.file("test").rename(folder.path / folder.standard / "test.parquet")
    folder.edit_manifest(folder.file("test").name, "test.parquet")
    folder.sign()
    assert folder.unmet() == {"file_names"}


def test_rows_in_another_order_are_known_by_the_hash_alone(folder: Any) -> None:
    folder.write(folder.rows("test")[::-1], "test")
    assert folder.failed() == set()
