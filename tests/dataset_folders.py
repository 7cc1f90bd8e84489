"""Dataset folders to damage: their rows can be rewritten, and manifest and card signed again."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.dataset import DatasetConfig
from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
from selfknow.builders.diary_recall.diaries import Shape
from selfknow.builders.folder.card import card_text
from selfknow.builders.folder.content_hash import content_hash_of_files
from selfknow.builders.folder.manifest import (
    CARD,
    MANIFEST,
    FileEntry,
    Manifest,
    SplitEntry,
    describe_file,
    read_manifest,
)
from selfknow.builders.folder.write import build_folder
from selfknow.validation.check import Finding
from selfknow.validation.diary_recall import suite as diary_recall
from selfknow.validation.folder.suite import facts_of_folder
from tests.sql_checks import check_by_sql

Row = dict[str, Any]
SHAPE = Shape(num_diarists=160)  # as many diarists of each entry count, in every split


class Folder:
    """A dataset folder whose rows can be rewritten, so that only their content is wrong."""

    def __init__(self, path: Path, corpora: list[DatasetConfig]) -> None:
        self.path = path
        self.corpora = corpora
        self.standard = corpora[0].name
        self.simplified = corpora[-1].name
        self.findings: list[Finding] | None = None

    def file(self, split: str = "train", config: str | None = None) -> Path:
        return self.path / (config or self.standard) / f"{split}-00000-of-00001.parquet"

    def table(self, split: str = "train", config: str | None = None) -> pa.Table:
        return pq.read_table(self.file(split, config))

    def rows(self, split: str = "train", config: str | None = None) -> list[Row]:
        return self.table(split, config).to_pylist()

    def write(self, rows: list[Row] | pa.Table, split: str = "train", config: str | None = None) -> None:
        schema = self.corpora[0].schema
        table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows, schema)
        pq.write_table(table, self.file(split, config))
        self.sign()

    def change_rows(self, change: Callable[[Row], Row | None], config: str | None = None) -> None:
        """Change every row of every split; a row for which the function returns null is removed."""
        for split in ("train", "validation", "test"):
            changed = [change(row) for row in self.rows(split, config)]
            self.write([row for row in changed if row is not None], split, config)

    def sign(self, **parameters: object) -> None:
        """Write the manifest and the card that a build of these files would write."""
        manifest = read_manifest(self.path)
        configs = {}
        for config, entry in manifest.configs.items():
            splits = {}
            for split, of_split in entry.splits.items():
                described = [self._describe(file.path) for file in of_split.files]
                splits[split] = SplitEntry(sum(file.num_rows for file in described), tuple(described))
            files = {split: [self.path / file.path for file in entry.files] for split, entry in splits.items()}
            configs[config] = replace(
                entry,
                splits=splits,
                content_hash=content_hash_of_files(files),
                parameters={**entry.parameters, **parameters},
            )
        manifest = replace(manifest, configs=configs)
        (self.path / CARD).write_text(card_text(DATASET, self.corpora, manifest), encoding="utf-8")
        manifest = replace(manifest, files=self._other_files(manifest))
        (self.path / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
        self.findings = None

    def _other_files(self, manifest: Manifest) -> tuple[FileEntry, ...]:
        return tuple(describe_file(self.path, file.path) for file in manifest.files)

    def _describe(self, path: str) -> Any:
        return describe_file(self.path, path, pq.read_metadata(self.path / path).num_rows)

    def edit_manifest(self, old: str, new: str) -> None:
        text = (self.path / MANIFEST).read_text(encoding="utf-8")
        assert old in text
        (self.path / MANIFEST).write_text(text.replace(old, new, 1), encoding="utf-8")

    def edit_card(self, old: str, new: str) -> None:
        """Edit the card, and sign it in the manifest."""
        text = (self.path / CARD).read_text(encoding="utf-8")
        assert old in text
        (self.path / CARD).write_text(text.replace(old, new, 1), encoding="utf-8")
        manifest = read_manifest(self.path)
        manifest = replace(manifest, files=self._other_files(manifest))
        (self.path / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")

    def check(self) -> list[Finding]:
        self.findings = check_by_sql(self.path)
        return self.findings

    def examples(self, expectation: str, column: str) -> list[object]:
        """Return a column of an expectation's examples in the findings of the last or the first check."""
        findings = self.findings if self.findings is not None else self.check()
        return [
            example[column]
            for finding in findings
            if finding.expectation == expectation
            for example in finding.examples
        ]

    def unmet(self) -> set[str]:
        """Return the names of the expectations that files, manifest and card do not meet; rows are not read."""
        facts = facts_of_folder(self.path, read_manifest(self.path), diary_recall.SUITE)
        return {fact.expectation for fact in facts if not fact.is_met}

    def failed(self) -> set[str]:
        """Return the names of the expectations that the folder does not meet."""
        return {finding.expectation for finding in (self.findings if self.findings is not None else self.check())}


def _built(path: Path, corpora: list[DatasetConfig]) -> Path:
    build_folder(DATASET, corpora, path)
    return path


@pytest.fixture(scope="session")
def built_standard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built(tmp_path_factory.mktemp("standard") / "diaries", configs_of_shape(SHAPE)[:1])


@pytest.fixture(scope="session")
def built_twins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built(tmp_path_factory.mktemp("twins") / "diaries", configs_of_shape(SHAPE))


@pytest.fixture
def folder(built_standard: Path, tmp_path: Path) -> Folder:
    """Build a sound folder with one standard config."""
    return Folder(shutil.copytree(built_standard, tmp_path / "diaries"), configs_of_shape(SHAPE)[:1])


@pytest.fixture
def twins(built_twins: Path, tmp_path: Path) -> Folder:
    """Build a sound folder with both setups of a size."""
    return Folder(shutil.copytree(built_twins, tmp_path / "twins"), configs_of_shape(SHAPE))
