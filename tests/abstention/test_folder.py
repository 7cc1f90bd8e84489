"""A built folder: its card, its check, and its use as a self-aware dataset."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from selfknow.builders import pinned_files
from selfknow.builders.abstention.builder import DATASET, abstention_config, pinned_sources
from selfknow.builders.dataset import DatasetConfig
from selfknow.builders.folder.manifest import ConfigEntry, Manifest, SplitEntry
from selfknow.builders.folder.write import build_folder
from selfknow.builders.self_aware.questions import SCHEMA, SPLITS
from selfknow.evaluate.catalogue import find_task
from selfknow.evaluate.dataset import open_dataset
from selfknow.evaluate.tasks.self_aware.questions import read_questions
from selfknow.evaluate.tasks.self_aware.score import _answer_scores
from selfknow.validation.check import check_folder
from selfknow.validation.pinned import facts_of_sources
from tests.sql_checks import check_by_sql


def failed(folder: Path) -> dict[str, list[Any]]:
    return {finding.expectation: list(finding.examples) for finding in check_by_sql(folder)}


@pytest.fixture
def server(sources: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Serve the small file of UMWP on loopback in GitHub's place, and record the requested paths."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write((sources / "umwp.jsonl").read_bytes())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        monkeypatch.setattr(pinned_files, "_GITHUB", f"http://127.0.0.1:{running.server_port}")
        yield paths
        running.shutdown()


def test_what_is_fetched_names_its_commit_and_meets_all_expectations(server: list[str], tmp_path: Path) -> None:
    config = abstention_config("umwp")
    revision = pinned_sources()["umwp"].revision
    assert server == [f"/Yuki-Asuuna/UMWP/{revision}/data/StandardDataset.jsonl"]
    assert config.parameters["revision"] == revision
    build_folder(DATASET, [config], tmp_path / "umwp")
    assert check_folder(tmp_path / "umwp") == []
    card = (tmp_path / "umwp" / "README.md").read_text()
    assert yaml.safe_load(card.split("---\n")[1])["license"] == "cc-by-sa-4.0"
    assert "$" not in card
    assert "| ambiguous key information | 1 |" in card


def test_a_file_that_is_not_the_pinned_one_is_built_and_asked_but_never_published(
    sources: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "coconot"
    build_folder(DATASET, [abstention_config("coconot", path=sources)], folder)
    expectations = failed(folder)
    assert set(expectations) == {"pinned_files"}
    assert {example["subject"] for example in expectations["pinned_files"]} == set(pinned_sources()["coconot"].files)
    assert find_task(f"{folder}:coconot").task.name == "self-aware"
    table = read_questions(open_dataset(f"{folder}:coconot"))
    assert table["answerable"].to_pylist() == [True, False, False, False]
    calls = [
        {
            "generation_id": "g",
            "example_id": "coconot-contrast-a1",
            "error": None,
            "generation": "2,779 years",
            "whole": "2,779 years",
        }
    ]
    scores = _answer_scores(calls, {row["id"]: row for row in table.to_pylist()}).to_pylist()
    assert {(row["value"], row["reason"]) for row in scores} == {(None, "no answer is known")}


def test_every_kind_of_damage_is_found_by_its_expectation(sources: Path, tmp_path: Path) -> None:
    config = abstention_config("umwp", path=sources / "umwp.jsonl")
    rows = {split: config.shards[split][0]().to_pylist() for split in SPLITS}
    (changed,), (first, second) = rows["unanswerable"], rows["answerable"]
    changed |= {"category": "a mood", "pair_id": "umwp-9999", "answers": ["a lot"]}
    first |= {"flags": []}
    second |= {"id": "umwp-0001", "answers": [], "flags": ["no_answer"]}
    tables = {split: pa.Table.from_pylist(of_split, SCHEMA) for split, of_split in rows.items()}
    shards = {split: [lambda table=table: table] for split, table in tables.items()}
    build_folder(DATASET, [DatasetConfig("umwp", config.parameters, SCHEMA, shards)], tmp_path / "umwp")
    expectations = failed(tmp_path / "umwp")
    assert set(expectations) == {"categories", "pairs", "answers", "flags", "ids_are_unique"}
    assert [example["id"] for example in expectations["answers"]] == ["umwp-2601"]
    assert [example["id"] for example in expectations["flags"]] == ["umwp-0001"]


def test_a_folder_of_two_licences_or_of_another_repository_is_found(sources: Path) -> None:
    umwp, kuq = (abstention_config(name, path=sources / f"{name}.jsonl").parameters for name in ("umwp", "kuq"))
    splits = {split: SplitEntry(0, ()) for split in SPLITS}
    configs = {
        "umwp": ConfigEntry(umwp, "", splits),
        "kuq": ConfigEntry({**kuq, "repository": "elsewhere", "sha256": {}}, "", {"test": SplitEntry(0, ())}),
        "squad": ConfigEntry({}, "", splits),
    }
    manifest = Manifest("abstention", "1.0.0", "0", 0, "", {}, configs, ())
    facts = facts_of_sources(manifest, pinned_sources(), SPLITS)
    assert [(fact.expectation, fact.config, fact.actual) for fact in facts if not fact.is_met] == [
        ("one_licence", None, "cc-by-sa-4.0, mit"),
        ("parameters", "kuq", "elsewhere"),
        ("splits", "kuq", "test"),
        ("pinned_files", "kuq", "nothing"),
        ("parameters", "squad", "squad"),
    ]
