"""A user's own questions are asked and scored as those of the package; a row that says two things is refused."""

import json
from pathlib import Path

import pytest

import selfknow
from selfknow.errors import UserError
from selfknow.evaluate.tasks.self_aware.own_questions import own_file, read_own_questions

ROWS = [
    {"question": "What is the capital of France?", "answers": ["Paris"], "answerable": True, "category": "places"},
    {"question": "What will the last word ever spoken be?", "answers": [], "answerable": False, "category": "future"},
    {"question": "How many legs has a spider?", "answers": ["8", "eight"], "answerable": True, "category": "animals"},
]


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_own_questions_are_asked_and_scored(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.jsonl", ROWS)

    def model(prompt: str) -> str:
        return "Paris." if "France" in prompt else "I don't know."

    run = selfknow.ask(f"self-aware:{file}", model=model, out=tmp_path / "run")
    run.score()
    row = run.query("self_aware_abstention").to_pylist()[0]
    assert (row["unanswerable"], row["answerable"], row["n"]) == (1.0, 0.5, 3)
    right = run.query("self_aware_accuracy").to_pylist()[0]
    assert right["n"] == 2
    assert right["question_set"] == "mine"


def test_a_csv_needs_neither_ids_nor_labels(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("question,answer\nWho wrote Hamlet?,Shakespeare\nWhat did Shakespeare dream of last?,\n")
    table, reference = read_own_questions(file)
    assert table.select(["id", "answers", "answerable"]).to_pylist() == [
        {"id": "question-00001", "answers": ["Shakespeare"], "answerable": True},
        {"id": "question-00002", "answers": [], "answerable": False},
    ]
    assert (reference.config, len(reference.content_hash or "")) == ("mine", 64)


def test_a_limit_keeps_the_shares_of_the_labels(tmp_path: Path) -> None:
    rows = [{"question": f"Question {number}?", "answerable": number % 4 > 0} for number in range(40)]
    table, _ = read_own_questions(write(tmp_path / "mine.jsonl", rows), limit=8)
    assert table["answerable"].to_pylist() == [True] * 6 + [False] * 2


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "holds no questions"),
        ([{"text": "Who?"}], "row 1 of .* has no question"),
        ([{"question": "Who?"}], "does not say if it can be answered: add the column answerable or answers"),
        ([{"question": "Who?", "answers": ["I"], "answerable": False}], "has an answer, and answerable is false"),
        ([{"question": "Who?", "answerable": "maybe"}], "answerable is 'maybe'; write true or false"),
        ([{"question": "Who?", "answerable": 2}], "answerable is 2; write true or false"),
        ([{"question": "Who?", "answers": [1]}], "answers is a list of texts"),
        ([{"id": "a", "question": "Who?", "answer": "I"}] * 2, "has the id a more than once"),
    ],
)
def test_a_row_that_cannot_be_read_is_refused(tmp_path: Path, rows: list[dict[str, object]], message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_own_questions(write(tmp_path / "mine.jsonl", rows))


def test_a_name_without_the_suffix_of_a_table_is_a_dataset(tmp_path: Path) -> None:
    assert own_file("self-aware:authored") is None
    assert own_file("org/self-aware:authored") is None
    with pytest.raises(UserError, match=r"there is no file .*missing\.jsonl"):
        read_own_questions(tmp_path / "missing.jsonl")
