"""Replies that were made elsewhere, in tables of any shape, become runs that are scored and queried like any other."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import selfknow as package
from selfknow import import_table
from selfknow.builders.self_aware.questions import Question, questions
from selfknow.errors import UserError
from selfknow.evaluate.connection import connect
from selfknow.files import read_json
from selfknow.portraits import Portrait
from tests.conftest import Run

FIRST, SECOND = list(questions("answerable"))[:2]
UNKNOWN = next(iter(questions("unanswerable")))
ASKED = (FIRST, SECOND, UNKNOWN)
DECLINES = "Nobody knows the answer to that."


def lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def asked_in(run: Path, query: str) -> list[tuple[Any, ...]]:
    with connect(run) as connection:
        return connection.sql(query).fetchall()


def answer(question: Question) -> str:
    return f"It is {question.answers[0]}." if question.answers else DECLINES


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    """Write three replies of one model to questions of self-aware, in AlpacaEval's shape."""
    rows = [{"instruction": q.question, "output": answer(q), "generator": "gpt-x", "dataset": "mine"} for q in ASKED]
    (tmp_path / "outputs.json").write_text(json.dumps(rows))
    return tmp_path / "outputs.json"


def test_columns_with_one_meaning_are_guessed_and_facts_come_from_the_dataset(selfknow: Run, replies: Path) -> None:
    imported = selfknow("import", "table", replies.name, "--task", "self-aware", "--out", "run")
    assert imported.stderr == ""
    assert imported.stdout == (
        "field     column       chosen\n"
        "--------  -----------  -------\n"
        "question  instruction  guessed\n"
        "reply     output       guessed\n"
        "model     generator    guessed\n\n"
        "run  task        questions  facts_from           generations  failed\n"
        "---  ----------  ---------  -------------------  -----------  ------\n"
        "run  self-aware          3  self-aware:authored            3       0\n"
    )
    run = package.Run(replies.parent / "run")
    run.score()
    query = """
        select example_id, model, generations.variant, prompt, answerable, value
        from generations inner join examples on example_id = id inner join scores using (generation_id)
        where metric = 'sentences_abstained' order by answerable desc, example_id"""
    expected = [(q.id, "gpt-x", "plain", q.question, q.answerable, float(not q.answerable)) for q in ASKED]
    assert asked_in(run.folder, query) == sorted(expected, key=lambda row: (not row[4], row[0]))
    [f1] = run.query("self_aware_f1").to_pylist()
    assert (f1["model"], f1["n"], f1["f1"]) == ("gpt-x", 3, 1.0)
    settings = read_json(run.folder / "run.json")["settings"]
    assert (settings["form"], settings["limit"], settings["imported_from"]) == ("plain", 3, "the table outputs.json")


def test_what_the_scorer_needs_of_other_questions_is_said_by_name(selfknow: Run, tmp_path: Path) -> None:
    rows = [
        {"prompt": "Who are you?", "text": "Ann.", "known": "yes", "gold": "Ann"},
        {"prompt": "Why me?", "text": DECLINES, "known": "no", "gold": None},
    ]
    lines(tmp_path / "own.jsonl", rows)
    command = ["import", "table", "own.jsonl", "--task", "self-aware", "--reply", "text", "--model", "ann-1", "--out"]
    refused = selfknow(*command, "run")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "selfknow: own.jsonl: it holds no question of self-aware:authored, and to score questions of your own the "
        "scorer needs --answerable COLUMN (true if the question has an answer, false if it has none)\n"
    )
    assert not (tmp_path / "run").exists()
    assert selfknow(*command, "run", "--answerable", "known").returncode == 0
    run = package.Run(tmp_path / "run")
    run.score()
    examples = asked_in(run.folder, "select id, question, answers, answerable from self_aware_questions order by id")
    assert examples == [
        ("question-7fe6d8fa56ca", "Why me?", [], False),
        ("question-80495816f7f2", "Who are you?", ["Ann"], True),
    ]
    assert run.query("self_aware_f1").to_pylist()[0]["f1"] == 1.0


def test_facts_whose_column_is_named_count_in_place_of_the_datasets(tmp_path: Path) -> None:
    rows = [{"question": q.question, "reply": "No.", "model": "ann-1", "answerable": False} for q in (FIRST, UNKNOWN)]
    rows.append(rows[0] | {"question": "Why me?"})
    table = lines(tmp_path / "replies.jsonl", rows)
    with pytest.raises(UserError, match="1 of 3 rows are about no question of self-aware:authored"):
        import_table(table, "self-aware", out=tmp_path / "run")
    run = import_table(table, "self-aware", out=tmp_path / "run", answerable="answerable")
    assert asked_in(run.folder, "select count(*), bool_or(answerable) from self_aware_questions") == [(3, False)]


def test_nested_columns_of_a_log_of_helm(tmp_path: Path) -> None:
    def state(number: int, text: str | None, right: str) -> dict[str, Any]:
        references = [{"output": {"text": right}, "tags": ["correct"]}, {"output": {"text": "0"}, "tags": []}]
        completions = [] if text is None else [{"text": text, "logprob": 0, "finish_reason": {"reason": "length"}}]
        return {
            "instance": {"id": f"id{number}", "input": {"text": f"What is {number}?"}, "references": references},
            "request": {"model": "openai/gpt2", "prompt": f"Q: What is {number}?\nA:"},
            "result": {
                "success": text is not None,
                "completions": completions,
                "error": "timed out" if text is None else None,
            },
        }

    states = [state(1, "It is 1.", "1"), state(2, "It is 3.", "2"), state(3, None, "3")]
    (tmp_path / "scenario_state.json").write_text(
        json.dumps({"adapter_spec": {"method": "x"}, "request_states": states})
    )
    columns = {
        "id": "instance.id",
        "question": "instance.input.text",
        "prompt": "request.prompt",
        "reply": "result.completions.0.text",
        "answer": "instance.references",
        "model": "request.model",
        "error": "result.error",
    }
    run = import_table(tmp_path / "scenario_state.json", "gsm8k", out=tmp_path / "run", **columns)
    run.score()
    query = (
        "select example_id, prompt, value, scores.reason from generations join scores using (generation_id) order by 1"
    )
    assert asked_in(run.folder, query) == [
        ("id1", "Q: What is 1?\nA:", 1.0, None),
        ("id2", "Q: What is 2?\nA:", 0.0, "another number"),
        ("id3", "Q: What is 3?\nA:", None, "the request failed: timed out"),
    ]


def test_a_missing_reply_failed_and_an_empty_one_is_empty(tmp_path: Path) -> None:
    texts = [None, 42, "", "Yes."]
    rows = [{"id": q.id, "reply": text} for q, text in zip([*ASKED, FIRST], texts, strict=True)]
    rows[3] |= {"sample": 1, "error": "HTTP 500"}
    table = lines(tmp_path / "replies.jsonl", rows)
    run = import_table(table, "self-aware", out=tmp_path / "run", model="ann-1")
    query = "select example_id, sample, generation, error, prompt from generations order by error nulls first"
    assert asked_in(run.folder, query) == [
        (UNKNOWN.id, 0, "", None, UNKNOWN.question),
        (FIRST.id, 1, None, "HTTP 500", FIRST.question),
        (SECOND.id, 0, None, "the reply is int, not text", SECOND.question),
        (FIRST.id, 0, None, "the table holds no reply", FIRST.question),
    ]
    assert read_json(run.folder / "run.json")["settings"]["samples"] == 2


def test_the_files_of_a_folder_are_named_after_their_models(selfknow: Run, tmp_path: Path) -> None:
    (tmp_path / "replies").mkdir()
    pq.write_table(pa.table({"id": [FIRST.id], "response": ["One."]}), tmp_path / "replies" / "ann-1.parquet")
    with (tmp_path / "replies" / "ben-1.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "response"], [FIRST.id, "Two,\nor three."]])
    (tmp_path / "replies" / "notes.txt").write_text("no table")
    imported = selfknow("import", "table", "replies", "--task", "self-aware", "--out", "run")
    assert "model  (the file's name)  guessed" in imported.stdout
    assert asked_in(tmp_path / "run", "select model, generation from generations order by all") == [
        ("ann-1", "One."),
        ("ben-1", "Two,\nor three."),
    ]


def test_diaries_are_found_by_their_id(tmp_path: Path, small_corpora: Path) -> None:
    test = pq.read_table(next((small_corpora / "1k-simplified").glob("test-*.parquet"))).slice(0, 2).to_pylist()
    rows = [{"id": test[0]["id"], "completion": test[0]["completion"]}, {"id": test[1]["id"], "completion": "A diary."}]
    table = lines(tmp_path / "replies.jsonl", rows)
    run = import_table(table, f"{small_corpora}:1k-simplified", out=tmp_path / "run", model="ann-1")
    scores = run.score().scores.to_pylist()
    assert sorted(row["value"] for row in scores if row["metric"] == "exact_match") == [0.0, 1.0]


def test_replies_to_prompts_are_measured_over_a_portrait(tmp_path: Path) -> None:
    text = "In the beginning there was a corpus of more than twenty-five characters."
    Portrait.build([text], false_positive_rate=1e-9).save(tmp_path / "portrait")
    rows = [
        {"question": "What was first?", "reply": reply, "with": with_}
        for reply, with_ in ((text, "attributed"), ("I do not know what was first.", "null"))
    ]
    table = lines(tmp_path / "replies.jsonl", rows)
    options = {"model": "ann-1", "portrait": str(tmp_path / "portrait")}
    with pytest.raises(UserError, match="does not say which prompt was asked: add --variant: choose from null, "):
        import_table(table, "according-to", out=tmp_path / "run", **options)
    run = import_table(table, "according-to", out=tmp_path / "run", variant="with", **options)
    run.score()
    query = "select generations.variant, value from generations join scores using (generation_id) where metric = 'quip'"
    assert sorted(asked_in(run.folder, query)) == [("attributed", 1.0), ("null", 0.0)]


def test_what_a_model_wrote_is_scored_and_can_be_asked_about(tmp_path: Path) -> None:
    rows = [{"id": "total-count-000-plain", "reply": "One two three."}]
    table = lines(tmp_path / "texts.jsonl", rows)
    run = import_table(table, "self-knowledge:total-count", out=tmp_path / "run", model="ann-1")
    assert {row["metric"]: row["value"] for row in run.score().scores.to_pylist()}["generation_correct"] == 0.0

    options = {"name": "ann-1", "reuse": run.folder, "quiet": True, "limit": 1}
    first_run = package.ask("self-knowledge:total-count", lambda _: "3", out=tmp_path / "asked", **options)
    query = "select generation from generations where stage = 'verify' and contains(prompt, 'One two three.')"
    assert asked_in(first_run.folder, query) == [("3",)]


ROW = {"id": FIRST.id, "question": FIRST.question, "reply": "One.", "model": "ann-1"}
REFUSED = [
    ([ROW, ROW], {}, r"row 2 is a second reply of ann-1 to .*, after .*row 1: remove one, or name .*--sample"),
    (
        [ROW, ROW | {"id": "nobody"}],
        {},
        r"1 of 2 rows are about no question of self-aware:authored; the first is .*row 2: 'nobody'",
    ),
    ([ROW | {"question": "Why me?"}], {}, "asks .* in self-aware:authored, and 'Why me\\?' here"),
    ([ROW | {"id": None}], {}, "row 1: the id is empty"),
    ([ROW | {"model": 7}], {}, "row 1: the model is 7, which is not a text"),
    ([ROW | {"sample": "one"}], {}, "row 1: the sample is 'one', not a number from 0"),
    ([ROW], {"reply": "replies"}, "the column 'replies' of .* is not there: did you mean 'reply'?"),
    ([ROW | {"reply": None}], {"reply": "reply"}, "the column 'reply' of .* is empty"),
    ([ROW], {"answer": "id"}, "holds the questions of .*: leave out --answer"),
    (
        [{"id": FIRST.id, "output": "a", "response": "b"}],
        {},
        "several columns that may be the reply: add --reply output or response",
    ),
    ([{"id": FIRST.id, "text": "a"}], {}, "no column that is surely the reply: add --reply: choose from id, text"),
    ([{"id": FIRST.id, "reply": "a"}], {}, "does not say which model replied"),
    ([{"reply": "a", "model": "ann-1"}], {}, "no column that is surely the question or its id: add --id or --question"),
    ([], {}, "holds no rows"),
]


@pytest.mark.parametrize(("rows", "columns", "message"), REFUSED)
def test_a_table_that_can_be_read_two_ways_is_refused(
    tmp_path: Path, rows: list[dict[str, Any]], columns: dict[str, str], message: str
) -> None:
    table = lines(tmp_path / "replies.jsonl", rows)
    with pytest.raises(UserError, match=message):
        import_table(table, "self-aware", out=tmp_path / "run", **columns)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"answerable": "perhaps"}, "row 2: answerable is 'perhaps', neither true nor false"),
        ({"answer": "Ben"}, "row 2: the answers of 'question-.*' is another one than in .*row 1"),
        ({"category": 3, "prompt": "Why?"}, "the category of question 'question-.*' is not text: 3"),
    ],
)
def test_questions_of_ones_own_are_checked(tmp_path: Path, more: dict[str, Any], message: str) -> None:
    row = {"prompt": "Who?", "reply": "Ann.", "answer": "Ann", "answerable": True}
    table = lines(tmp_path / "own.jsonl", [row | {"model": "a"}, row | {"model": "b"} | more])
    with pytest.raises(UserError, match=message):
        import_table(table, "self-aware", out=tmp_path / "run")


def test_a_cell_too_many_and_a_task_without_tables_are_refused(tmp_path: Path) -> None:
    (tmp_path / "replies.csv").write_text("id,reply\n1,Yes, of course\n")
    with pytest.raises(UserError, match="row 1 has more cells than the header has columns"):
        import_table(tmp_path / "replies.csv", "self-aware", out=tmp_path / "run")
    with pytest.raises(UserError, match="self-knowledge:agents takes no table of replies"):
        import_table(tmp_path / "replies.csv", "self-knowledge:agents", out=tmp_path / "run")
    sum_ = {"question": "1 + 1?", "reply": "2", "model": "a", "answer": "1 + 1 is 2, so the answer is 2."}
    with pytest.raises(UserError, match=r"'question-.*' is neither a number nor a solution that ends in ####"):
        import_table(lines(tmp_path / "sum.jsonl", [sum_]), "gsm8k", out=tmp_path / "run")
    with pytest.raises(UserError, match=r"own\.jsonl: the scorer needs --answer COLUMN \(the correct number"):
        import_table(
            lines(tmp_path / "own.jsonl", [{"question": "1 + 1?", "reply": "2", "model": "a"}]),
            "gsm8k",
            out=tmp_path / "run",
        )
