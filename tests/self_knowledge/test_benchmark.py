"""A benchmark of the user's, and the accuracy on it beside the score on new questions (Table 9)."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.self_knowledge.benchmark import new_rows
from selfknow.builders.self_knowledge.builder import task_table
from selfknow.builders.self_knowledge.sources import benchmark_questions
from selfknow.builders.self_knowledge.tasks import BENCHMARK_SUBJECT
from selfknow.errors import UserError
from selfknow.evaluate.dataset import open_dataset
from selfknow.evaluate.tasks.self_knowledge.benchmark import open_benchmark, rows_of
from selfknow.runs.schema import read_examples
from tests.conftest import Run
from tests.evaluate.faulty_server import Behaviour, serve

ROWS = [
    {"question": f"What is {number} + 1?", "choices": [str(number + place) for place in range(4)], "answer": 1}
    for number in range(1, 9)
]
NEW = "What is 40 + 2?\nA) 41\nB) 42\nC) 43\nD) 44\nCorrect: B"


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("\n".join(map(json.dumps, rows)))


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["question", *"ABCD", "answer"])
        writer.writeheader()
        for row in rows:
            options = dict(zip("ABCD", row["choices"], strict=True))
            writer.writerow({"question": row["question"], **options, "answer": "ABCD"[row["answer"]]})


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    pq.write_table(pa.Table.from_pylist(rows), path)


@pytest.mark.parametrize("write", [write_jsonl, write_csv, write_parquet], ids=["jsonl", "csv", "parquet"])
def test_a_file_of_any_form_is_the_same_benchmark(tmp_path: Path, write: Callable[..., None]) -> None:
    path = tmp_path / write.__name__.replace("write_", "mine.")
    write(path, ROWS)
    benchmark = open_benchmark(str(path))
    assert benchmark.questions[0] == {
        "id": "question-00000",
        "question": "What is 1 + 1?",
        "options": ["1", "2", "3", "4"],
        "answer": "B",
    }
    assert len(benchmark.questions) == 8
    assert benchmark.subject == "several subjects"
    new = [row for row in benchmark.new().to_pylist() if row["style"] == "plain"]
    assert len(new) == 100
    assert new == [row for row in open_benchmark(str(path)).new().to_pylist() if row["style"] == "plain"]
    shown = [json.loads(row["params"])["shown"] for row in new]
    assert all(len(set(ids)) == 4 for ids in shown)
    assert {item for ids in shown for item in ids} == {question["id"] for question in benchmark.questions}
    assert "A) 1\nB) 2\nC) 3\nD) 4\nCorrect: B" in "".join(row["generate_prompt"] for row in new)


def test_a_subject_that_all_rows_agree_on_stands_in_the_prompts(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "mine.jsonl", [{**row, "subject": "high_school_mathematics"} for row in ROWS])
    benchmark = open_benchmark(str(tmp_path / "mine.jsonl"))
    new, own = benchmark.new().to_pylist(), benchmark.own().to_pylist()
    assert new[0]["generate_prompt"].startswith("Below stand questions of an examination in high school mathematics.")
    assert own[1]["verify_prompt"].startswith("You are an expert in high school mathematics.")
    assert own[0]["verify_prompt"].endswith("\n\nWhat is 1 + 1?\nA) 1\nB) 2\nC) 3\nD) 4")
    assert "Correct" not in own[0]["verify_prompt"]


def test_the_packaged_benchmark_gives_the_rows_of_the_dataset() -> None:
    assert new_rows(benchmark_questions(), BENCHMARK_SUBJECT).equals(task_table("benchmark", 0))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS[:3], "has 3 questions: at least 4 are needed"),
        ([*ROWS, {**ROWS[0], "choices": ["1", "2", "3"]}], "row 8 of .* is not a question of this task"),
        ([*ROWS, {**ROWS[0], "answer": 4}], "row 8 of .* is not a question of this task"),
        ([*ROWS, {**ROWS[0], "answer": "two"}], "row 8 of .* is not a question of this task"),
        (
            [{**row, "id": "same"} for row in ROWS],
            "has 7 questions with the id of another question: make ids unique",
        ),
        ([1, 2, 3, 4], "holds no rows"),
    ],
)
def test_what_is_no_benchmark_is_refused(tmp_path: Path, rows: list[Any], message: str) -> None:
    write_jsonl(tmp_path / "mine.jsonl", rows)
    with pytest.raises(UserError, match=message):
        open_benchmark(str(tmp_path / "mine.jsonl"))


def test_a_benchmark_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no file nowhere\.csv"):
        open_benchmark("nowhere.csv")
    with pytest.raises(UserError, match="there is no folder"):
        open_benchmark(f"{tmp_path}/nowhere:config")


def test_a_dataset_folder_is_read_as_one_on_the_hub_is(tmp_path: Path) -> None:
    (tmp_path / "mmlu" / "college").mkdir(parents=True)
    write_parquet(tmp_path / "mmlu" / "college" / "test-00000-of-00001.parquet", ROWS)
    benchmark = open_benchmark(f"{tmp_path}/mmlu:college")
    assert (benchmark.reference.config, benchmark.reference.split) == ("college", "test")
    assert len(benchmark.questions) == 8


class Examinee:
    """Writes good questions; knows its own (or not), and of the given ones those about numbers up to three."""

    def __call__(self, prompt: str) -> str:
        if "Now the new question." in prompt:
            return NEW
        number = int(re.search(r"What is (\d+) \+", prompt)[1])
        if number == 40:
            return "B"
        return "B" if number <= 3 else ("Hmm." if number == 4 else "C")


@pytest.fixture
def server() -> Iterator[str]:
    with serve(Behaviour(says=Examinee())) as address:
        yield address


def test_its_own_accuracy_stands_beside_the_score(selfknow: Run, server: str, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "mine.jsonl", ROWS)
    command = ["evaluate", "self-knowledge:benchmark", "--benchmark", "mine.jsonl", "--endpoint", server]
    first = selfknow(*command, "--model", "m", "--limit", 6, "--out", "run", "--format", "json")
    assert first.returncode == 0, first.stderr
    assert [(row["stage"], row["answered"]) for row in json.loads(first.stdout)] == [
        ("generate", 6),
        ("verify", 6),
        ("answer", 6),
    ]
    again = selfknow(*command, "--model", "m", "--limit", 6, "--out", "run", "--format", "json")
    assert [row["answered_before"] for row in json.loads(again.stdout)] == [6, 6, 6]
    assert selfknow("score", "run").returncode == 0
    [row] = json.loads(selfknow("query", "self_knowledge_benchmark", "run", "--format", "json").stdout)
    assert (row["dataset"], row["generator"], row["style"]) == ("mine.jsonl", f"{server} m", "plain")
    # Of the six given ones 1, 2 and 3 are right, 4 has no letter, 5 and 6 are wrong; of its own six all are.
    assert (row["n_given"], row["n_given_graded"], row["initial"], row["initial_null_as_wrong"]) == (6, 5, 0.6, 0.5)
    assert (row["n"], row["n_graded"], row["score"], row["score_null_as_wrong"]) == (6, 6, 1.0, 1.0)
    assert row["difference"] == pytest.approx(0.4)
    assert row["difference_low"] < 0.4 < row["difference_high"]
    [table, _] = json.loads(selfknow("query", "self_knowledge_tables", "run", "--format", "json").stdout)
    assert (table["paper_table"], table["n"], table["score"]) == ("Table 9", 6, 1.0)
    ids = read_examples(tmp_path / "run")["id"].to_pylist()
    assert ids == [
        *(f"benchmark-{number:03d}-plain" for number in range(6)),
        *(f"benchmark-given-{number:05d}-plain" for number in range(6)),
    ]
    write_jsonl(tmp_path / "mine.jsonl", [*ROWS[1:], ROWS[0]])
    changed = selfknow(*command, "--model", "m", "--limit", 6, "--out", "run")
    assert changed.returncode == 2
    assert "run is another run" in changed.stderr


def test_a_benchmark_for_another_task_is_refused(selfknow: Run, server: str) -> None:
    command = ["evaluate", "self-knowledge:fact", "--benchmark", "mine.jsonl", "--endpoint", server, "--out", "run"]
    result = selfknow(*command)
    assert result.returncode == 2
    assert "--benchmark is for self-knowledge:benchmark, not for self-knowledge:fact" in result.stderr
    with pytest.raises(UserError, match="for the task self-knowledge:benchmark, not for fact"):
        rows_of(open_dataset("self-knowledge:fact"), "test", "mine.jsonl", "separate")
