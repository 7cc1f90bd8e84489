"""Sheets for annotators, what they filled in, and how far they agree."""

import csv
import json
import math
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from selfknow.builders.folder.write import build_folder
from selfknow.builders.self_aware.builder import DATASET, authored_config
from selfknow.errors import UserError
from selfknow.evaluate.annotation import fleiss_kappa
from selfknow.evaluate.tasks.self_aware.question_sheets import Item, read_sheet, sample_of, sheet
from tests.conftest import Run

# The worked example that is given with the measure time and again: ten items, fourteen raters, five categories.
EXAMPLE = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
ITEMS = [Item(f"consensus-{number}", f"Question {number}?", number % 2 == 0) for number in range(20)]
BY_CODE = {item.code: item for item in ITEMS}


def test_fleiss_kappa_of_the_known_example_is_the_known_number() -> None:
    assert round(fleiss_kappa(EXAMPLE), 3) == 0.210
    assert fleiss_kappa([[2, 0], [0, 2]]) == 1
    assert fleiss_kappa([[1, 1], [1, 1]]) == -1
    assert math.isnan(fleiss_kappa([[3, 0], [3, 0]])), "chance alone would agree as much"


@pytest.mark.parametrize("ratings", [[], [[1, 0]], [[2, 0], [2, 1]], [3, 0]])
def test_agreement_of_what_cannot_agree_is_refused(ratings: list[list[int]]) -> None:
    with pytest.raises(UserError, match="same number of annotators, two or more"):
        fleiss_kappa(ratings)


def test_a_sheet_shows_no_label_and_no_id_and_has_an_order_of_its_own() -> None:
    first, second = (list(csv.DictReader(sheet(ITEMS, name, seed=0).splitlines())) for name in ("one", "two"))
    assert [row["code"] for row in first] != [row["code"] for row in second]
    assert {row["code"] for row in first} == {row["code"] for row in second} == set(BY_CODE)
    assert set(first[0]) == {"code", "question", "judgement", "category", "remark"}
    assert not any(row["judgement"] or row["category"] for row in first)
    assert "consensus" not in sheet(ITEMS, "one", seed=0)


def test_a_sample_is_the_same_for_the_same_seed_and_never_too_large() -> None:
    assert sample_of(ITEMS, 5, 1) == sample_of(list(reversed(ITEMS)), 5, 1)
    assert sample_of(ITEMS, 5, 1) != sample_of(ITEMS, 5, 2)
    with pytest.raises(UserError, match="only 20 questions, so 21 cannot be drawn"):
        sample_of(ITEMS, 21, 0)


@pytest.mark.parametrize("separator", [",", ";"])
def test_a_sheet_comes_back_as_spreadsheets_save_it(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "ann.csv"
    rows = [["code", "judgement", "remark"], [ITEMS[0].code, " Answerable ", "sure"], [ITEMS[1].code, "", ""]]
    path.write_text("\ufeff" + "\r\n".join(separator.join(row) for row in rows), encoding="utf-8")
    (row,) = read_sheet(path, BY_CODE)
    assert (row.annotator, row.code, row.judgement, row.remark) == ("ann", ITEMS[0].code, "answerable", "sure")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"code,judgement\n{ITEMS[0].code},perhaps\n", "says 'perhaps': a judgement is answerable or unanswerable"),
        ("code,judgement\n000,answerable\n", "line 2 of .* has the code '000', which is not a question"),
        (f"code,judgement\n{ITEMS[0].code},\n{ITEMS[0].code},\n", "a second time"),
        ("question\nWhy?\n", "no columns code and judgement"),
        ("", "no columns code and judgement"),
    ],
)
def test_a_sheet_that_is_wrong_is_a_clear_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "ann.csv"
    path.write_text(content)
    with pytest.raises(UserError, match=message):
        read_sheet(path, BY_CODE)
    path.write_bytes(b"code,judgement\n\xe9,\n")
    with pytest.raises(UserError, match="not UTF-8"):
        read_sheet(path, BY_CODE)


def test_sheets_go_out_and_come_back_on_the_command_line(selfknow: Run, tmp_path: Path) -> None:
    folder = tmp_path / "self-aware"
    build_folder(DATASET, [authored_config()], folder)
    labels = {
        row["question"]: row["answerable"]
        for split in ("answerable", "unanswerable")
        for row in pq.read_table(folder / "authored" / f"{split}-00000-of-00001.parquet").to_pylist()
    }
    process = selfknow("advanced", "annotate", "sheet", "./self-aware:authored", "--sample", "40", "--out", "sheets")
    assert process.returncode == 0, process.stderr
    paths = sorted((tmp_path / "sheets").glob("*.csv"))
    assert [path.name for path in paths] == [f"annotator-{number}.csv" for number in (1, 2, 3)]
    unsure = min(row["code"] for row in csv.DictReader(paths[0].open()))
    for number, path in enumerate(paths):
        rows = list(csv.DictReader(path.open()))
        for row in rows:
            answerable = labels[row["question"]] != (row["code"] == unsure and number == 2)
            row["judgement"] = "answerable" if answerable else "unanswerable"
        with path.open("w") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    process = selfknow(
        "advanced", "annotate", "import", "./self-aware:authored", *paths, "--out", "judged.parquet", "--format", "json"
    )
    assert process.returncode == 0, process.stderr
    first, _, three, everyone, unanimous = json.loads(process.stdout)
    assert (first["judged"], first["as_labelled"]) == (40, 1.0)
    assert three["as_labelled"] == 39 / 40
    assert (everyone["judged"], everyone["as_labelled"]) == (40, 119 / 120)
    assert 0.9 < everyone["fleiss_kappa"] < 1
    assert (unanimous["judged"], unanimous["as_labelled"]) == (39, 1.0)
    assert pq.read_table(tmp_path / "judged.parquet").num_rows == 120
    process = selfknow("advanced", "annotate", "sheet", "./self-aware:authored", "--out", "sheets")
    assert (process.returncode, "never overwritten" in process.stderr) == (2, True)
