"""Every kind of damage to the questions is found by the expectation that is meant to find it.

The manifest and the card are signed anew after each, so no hash gives the damage away.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.dataset import Dataset, DatasetConfig
from selfknow.builders.folder.manifest import read_manifest
from selfknow.builders.folder.write import build_folder
from selfknow.builders.self_aware import builder as self_aware
from selfknow.builders.self_aware import original as self_aware_original
from selfknow.builders.self_aware.questions import AUTHORED_SCHEMA, SCHEMA, SPLITS
from selfknow.validation.check import check_folder
from selfknow.validation.self_aware import suite
from tests.sql_checks import check_by_sql

Row = dict[str, Any]
Rows = dict[str, list[Row]]
Failed = Callable[..., dict[str, list[Any]]]


@pytest.fixture(scope="session")
def good_rows() -> Rows:
    corpus = self_aware.authored_config()
    return {split: corpus.shards[split][0]().to_pylist() for split in SPLITS}


SLOW = {"no_near_duplicates", "few_near_duplicates", "few_alike_by_cosine"}


@pytest.fixture
def failed(tmp_path: Path, good_rows: Rows, monkeypatch: pytest.MonkeyPatch) -> Failed:
    """Damage the rows, build them into a folder as if they were right, and return what failed with its examples.

    Near-duplicates, which take longer than all else together, are looked for where a test is about them.
    """

    def run(damage: Callable[[Rows], object], *, near_duplicates: bool = False) -> dict[str, list[Any]]:
        if not near_duplicates:
            monkeypatch.setattr(suite, "QUERIES", tuple(name for name in suite.QUERIES if name not in SLOW))
        rows = {split: [dict(row) for row in good_rows[split]] for split in SPLITS}
        damage(rows)
        tables = {split: pa.Table.from_pylist(rows[split], AUTHORED_SCHEMA) for split in SPLITS}
        return _failed(_built(self_aware.DATASET, self_aware.authored_config(), tables, tmp_path / "folder"))

    return run


def _built(dataset: Dataset, corpus: DatasetConfig, tables: dict[str, pa.Table], folder: Path) -> Path:
    shards = {split: [lambda table=table: table] for split, table in tables.items()}
    schema = next(iter(tables.values())).schema
    build_folder(dataset, [DatasetConfig(corpus.name, corpus.parameters, schema, shards)], folder)
    return folder


def _failed(folder: Path) -> dict[str, list[Any]]:
    return {finding.expectation: list(finding.examples) for finding in check_by_sql(folder)}


def _category(rows: Rows, name: str) -> Row:
    return next(row for row in rows["unanswerable"] if row["category"] == name)


def test_a_good_folder_has_no_findings(tmp_path: Path) -> None:
    build_folder(self_aware.DATASET, [self_aware.authored_config()], tmp_path / "folder")
    assert check_folder(tmp_path / "folder") == []


def _near_duplicate(rows: Rows) -> None:
    first, second = rows["unanswerable"][:2]
    second["question"] = first["question"].replace("?", " ?")


LONG = "(Whoever reads this sentence may reply as briefly as possible.)"


def _variations(rows: Rows) -> None:
    words = [f"word{place}" for place in range(30)]
    for place, row in enumerate(rows["answerable"][:201]):
        opener = row["question"].split()[0]  # stays, or first words would differ, too
        row["question"] = f"{opener} is the {words[place % 30]} of the {words[place // 30]} here?"


def _padded(rows: Rows) -> None:
    """26 pairs with two rare words in common and little else: too few shared words for Jaccard, a cosine above 0.6."""
    common = ["the is of in a", "what was for an to"]
    for place, row in enumerate(rows["answerable"][:52]):
        rare = f"zyx{chr(97 + place // 2)} wvu{chr(97 + place // 2)}"
        row["question"] = f"{common[place % 2].capitalize()} {rare}?"


def _others(rows: Rows, answer: str | None = None) -> list[Row]:
    """Return the rows with this answer, or those whose answers are long."""
    if answer:
        return [row for row in rows["answerable"] if row["answers"] == [answer]]
    return [row for row in rows["answerable"] if not row["flags"]]


DAMAGES: dict[str, tuple[Callable[[Rows], object], set[str]]] = {
    "a row lost": (lambda rows: rows["answerable"].pop(), {"row_counts"}),
    "a category renamed": (
        lambda rows: _category(rows, "imagination").update(category="science fiction"),
        {"categories", "row_counts"},
    ),
    "a category swapped": (
        lambda rows: _category(rows, "imagination").update(category="philosophical"),
        {"row_counts"},
    ),
    "an answerable row with a category": (
        lambda rows: rows["answerable"][0].update(category="imagination"),
        {"categories", "row_counts"},
    ),
    "an id twice": (
        lambda rows: rows["answerable"][0].update(id=rows["answerable"][1]["id"]),
        {"ids_are_unique"},
    ),
    "a label turned": (
        lambda rows: rows["unanswerable"][0].update(answerable=True),
        {"labels", "answers", "pairs", "categories", "sources"},
    ),
    "an answer lost": (lambda rows: rows["answerable"][0].update(answers=[], flags=[]), {"answers"}),
    "an answer where none is": (lambda rows: rows["unanswerable"][0].update(answers=["forty-two"]), {"answers"}),
    "an alias twice": (lambda rows: rows["answerable"][0].update(answers=["some answer"] * 2, flags=[]), {"answers"}),
    "an answer in its question": (
        lambda rows: rows["answerable"][0].update(question="Is it JUPITER, or not?", answers=["Jupiter"], flags=[]),
        {"no_answer_inside_its_question"},
    ),
    "a question twice": (
        lambda rows: rows["answerable"][0].update(
            question=rows["answerable"][1]["question"].upper(), flags=[], answers=["none of them all"]
        ),
        {"questions_are_asked_once"},
    ),
    "a near-duplicate": (_near_duplicate, {"no_near_duplicates", "questions_are_asked_once"}),
    "a pair that leads nowhere": (lambda rows: rows["answerable"][0].update(pair_id="nowhere-1"), {"pairs"}),
    "a pair of two": (
        lambda rows: rows["unanswerable"][0].update(pair_id=rows["unanswerable"][1]["pair_id"]),
        {"pairs"},
    ),
    "no pair": (lambda rows: rows["answerable"][0].update(pair_id=None), {"pairs"}),
    "a frame worn out": (
        lambda rows: [row.update(source="frame/consensus-001") for row in rows["unanswerable"][:7]],
        {"frames"},
    ),
    "too few frames": (
        lambda rows: [row.update(source=f"frame/{n // 4}") for n, row in enumerate(rows["unanswerable"])],
        {"frames"},
    ),
    "a source that says nothing": (
        lambda rows: rows["answerable"][0].update(source="the internet"),
        {"sources", "row_counts"},
    ),
    "nobody who judged": (lambda rows: rows["unanswerable"][0].update(judged_by=" ".strip()), {"sources"}),
    "no difficulty": (lambda rows: rows["answerable"][0].update(difficulty=None), {"sources"}),
    "many near-duplicates": (_variations, {"few_near_duplicates", "few_alike_by_cosine"}),
    "many made of the same rare words": (_padded, {"few_alike_by_cosine"}),
    "many short aliases": (
        lambda rows: [row.update(answers=["Ra"], flags=["alias_too_short"]) for row in _others(rows)[:101]],
        {"short_aliases"},
    ),
    "mostly yes": (
        lambda rows: [row.update(answers=["yes"]) for row in _others(rows, "no")[:100]],
        {"yes_and_no"},
    ),
    "halves that begin differently": (
        lambda rows: [
            row.update(question=f"Tell me, {row['question'][:1].lower()}{row['question'][1:]}")
            for row in rows["answerable"][::3]
        ],
        {"first_words"},
    ),
    "halves of different length": (
        lambda rows: [row.update(question=f"{row['question']} {LONG}") for row in rows["answerable"]],
        {"lengths"},
    ),
    "a flag lost": (
        lambda rows: next(row for row in rows["answerable"] if row["flags"]).update(flags=[]),
        {"flags"},
    ),
    "a blank question": (lambda rows: rows["unanswerable"][0].update(question=" "), {"values_are_there"}),
    "a null": (lambda rows: rows["unanswerable"][0].update(source=None), {"values_are_there"}),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found_by_the_expectation_that_is_meant_to_find_it(damage: str, failed: Failed) -> None:
    do, expected = DAMAGES[damage]
    assert set(failed(do, near_duplicates=bool(expected & SLOW))) == expected


def test_a_near_duplicate_just_below_the_threshold_is_let_through(failed: Failed) -> None:
    """``abcdefghij`` and ``abcdefghiX`` share 5 of 7 runs, 0.71; one letter less, 4 of 6, 0.67."""
    pairs = ("abcdefghij", "abcdefghiX"), ("mnopqrstu", "mnopqrstX")

    def damage(rows: Rows) -> None:
        for row, question in zip(rows["unanswerable"], [*pairs[0], *pairs[1]], strict=False):
            row["question"] = question

    results = failed(damage, near_duplicates=True)
    assert [example["similarity"] for example in results["no_near_duplicates"]] == [0.714]
    assert set(results) == {"no_near_duplicates"}


def test_other_columns_and_splits_are_refused(tmp_path: Path, good_rows: Rows) -> None:
    table = pa.Table.from_pylist(good_rows["answerable"], AUTHORED_SCHEMA)
    folder = _built(
        self_aware.DATASET, self_aware.authored_config(), {"answerable": table, "test": table}, tmp_path / "f"
    )
    assert "splits" in _failed(folder)
    build_folder(self_aware.DATASET, [self_aware.authored_config()], tmp_path / "g")
    path = tmp_path / "g" / "authored" / "answerable-00000-of-00001.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["pair_id"]), path)
    assert "columns" in _failed(tmp_path / "g")


def test_rows_that_are_not_the_authors_are_never_taken_for_theirs(tmp_path: Path) -> None:
    examples = b'{"example": [{"question_id": 1, "question": "Is Rome in Italy?", "answer": ["rome", "no"], '
    examples += b'"answerable": true, "source": "x"}, {"question_id": 2, "question": "Why?", "answer": null, '
    examples += b'"answerable": false, "source": "x"}]}'
    rows = self_aware_original.parse(examples)
    columns = {name: [getattr(row, name) for row in rows] for name in SCHEMA.names}
    table = pa.table(columns, schema=SCHEMA)
    tables = {"answerable": table.slice(0, 1), "unanswerable": table.slice(1, 1)}
    corpus = self_aware_original.original_config()
    folder = _built(self_aware_original.DATASET, corpus, tables, tmp_path / "folder")
    assert set(_failed(folder)) == {"authors_rows"}
    assert read_manifest(folder).dataset == "self-aware-original"
    unflagged = table.set_column(
        SCHEMA.get_field_index("flags"), "flags", pa.array([[], []], SCHEMA.field("flags").type)
    )
    shutil.rmtree(folder)
    tables = {"answerable": unflagged.slice(0, 1), "unanswerable": unflagged.slice(1, 1)}
    assert set(_failed(_built(self_aware_original.DATASET, corpus, tables, folder))) == {"authors_rows", "flags"}
