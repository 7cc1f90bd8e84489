"""Exact match, F1, ROUGE-L and the cut at the first ';', near misses among them; question files and their shapes."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.errors import UserError
from selfknow.evaluate.task import FinishedRun
from selfknow.evaluate.tasks.according_to.answers import answer_match
from selfknow.evaluate.tasks.according_to.prompts import Setup
from selfknow.evaluate.tasks.according_to.questions import open_questions
from selfknow.evaluate.tasks.according_to.score import NAME, cut, rouge_l, score
from selfknow.evaluate.tasks.short_answers import exact_match, f1, normalize_answer
from selfknow.portraits import Portrait


@pytest.mark.parametrize(
    ("answer", "references", "expected"),
    [
        ("The  Beatles!", ["beatles"], 1.0),
        ("Beatles", ["The Rolling Stones", "the beatles."], 1.0),
        ("Beatle", ["Beatles"], 0.0),
        ("theatre", ["atre"], 0.0),
        ("25", ["5"], 0.0),
        ("", ["Beatles"], 0.0),
        ("anything", [], 0.0),
    ],
)
def test_exact_match_is_best_over_references_and_sees_near_misses(
    answer: str, references: list[str], expected: float
) -> None:
    assert exact_match(answer, references) == expected


@pytest.mark.parametrize(
    ("reply", "references", "expected"),
    [
        ("Harper Lee (1926–2016); She wrote it in 1960.", ["Harper Lee"], 1.0),
        ("Answer; Explanation\nParis; It is the capital.", ["Paris"], 1.0),
        ("**Answer:** Paris\n\n**Explanation:** It is the capital.", ["Paris"], 1.0),
        ("Answer: Lyon\nExplanation: It is the largest city after Paris.", ["Paris"], 0.0),
        ("Lyon; It is the largest city after Paris.", ["Paris"], 0.0),
        ("Lyon - the largest city after Paris.", ["Paris"], 0.0),
        ("Sydney, not Canberra; It is larger.", ["Canberra"], 0.0),
        ("Canberra, not Sydney; It is smaller.", ["Canberra"], 1.0),
        ("Kyoto… no, Tokyo; Kyoto was the capital once.", ["Tokyo"], 1.0),
        ("Tokyo – sorry, I mean Kyoto; It was the capital.", ["Tokyo"], 0.0),
        ("Tokyo or Kyoto; It depends.", ["Tokyo"], None),
        ("I don't think it is Tokyo; Nobody does.", ["Tokyo"], None),
        ("Trinidad or Tobago; It is an island.", ["Trinidad or Tobago"], 1.0),
        ("Parisian; It is a dialect.", ["Paris"], 0.0),
        ("Beyoncé; She sang it.", ["Beyonce"], 1.0),
        ("JK Rowling; She wrote it.", ["J. K. Rowling"], 1.0),
        ("20 July 1969; It landed.", ["July 20 , 1969"], 1.0),
        ("21 July 1969; It landed.", ["July 20 , 1969"], 0.0),
        ("Forty-two; It is 6 times 7.", ["42"], 1.0),
        ("Forty-three; It is prime.", ["40", "3"], 0.0),
        ("No; It does not.", ["no"], 1.0),
        ("", ["Paris"], 0.0),
    ],
)
def test_whole_words_of_the_answer_are_matched_however_the_reply_sets_it(
    reply: str, references: list[str], expected: float | None
) -> None:
    outcome = answer_match(reply, references)
    assert outcome.value == expected, outcome
    assert (outcome.value is None) == (outcome.reason is not None)


def test_f1_counts_a_repeated_word_as_often_as_both_have_it() -> None:
    assert f1("new new york", ["new york city"]) == pytest.approx(2 / 3)
    assert f1("york", ["paris", "new york"]) == pytest.approx(2 / 3)
    assert f1("", ["york"]) == f1("york", ["the"]) == 0.0
    assert f1("the", ["a"]) == 1.0
    assert normalize_answer("An apple, a day; The end.") == "apple day end"


def test_rouge_l_is_the_f_measure_of_the_longest_common_subsequence_best_over_references() -> None:
    assert rouge_l("police killed the gunman", ["police kill the gunman"]) == pytest.approx(0.75)
    assert rouge_l("gunman the killed police", ["police killed the gunman", "nothing"]) == pytest.approx(0.25)
    assert rouge_l("", ["police"]) == 0.0


def test_a_reply_is_cut_at_the_first_semicolon_alone() -> None:
    assert cut(" Rome ; it is; old ") == ("Rome", "it is; old")
    assert cut("no explanation") == ("no explanation", "")
    assert cut("; only an explanation") == ("", "only an explanation")


def scored(rows: list[dict[str, Any]], examples: list[dict[str, Any]], format_: str, corpus: str) -> list[Any]:
    """Return the scores of calls that come in two batches."""
    batches = [pa.Table.from_pylist(part) for part in (rows[:1], rows[1:])]
    run = FinishedRun(Path("run"), {}, batches, pa.Table.from_pylist(examples))
    tables = [scores.tables[NAME] for scores in score(run, format_, Portrait.build([corpus]))]
    return list(pa.concat_tables(tables).to_pylist())


def test_what_cannot_be_graded_keeps_a_row_of_every_metric() -> None:
    replies = {"right": "it; so", "unanswered": "it", "failed": None}
    rows = [
        {
            "prompt": "?",
            "generation_id": name,
            "example_id": name,
            "stage": "answer",
            "generation": text,
            "error": text or "503",
        }
        for name, text in replies.items()
    ]
    examples = [{"id": name, "answers": ["it"] if name == "right" else []} for name in replies]
    scores = scored(rows, examples, "short", "A corpus of more than twenty-five characters.")
    values = {(row["generation_id"], row["metric"]): row["value"] for row in scores}
    assert len(values) == 3 * 7
    assert [values[name, "exact_match"] for name in replies] == [1.0, None, None]
    assert [values[name, "has_explanation"] for name in replies] == [1.0, 0.0, None]
    reasons = {row["reason"] for row in scores if row["generation_id"] == "failed"}
    assert reasons == {"the request failed: 503"}


def test_what_failed_in_two_steps_says_which_of_them_failed() -> None:
    corpus = "A corpus of more than twenty-five characters."
    steps = [
        ("answered", "answer", None, "it"),
        ("explained", "explain", "answered", corpus),
        ("unexplained", "explain", "answered", None),
        ("unanswered", "answer", None, None),
    ]
    names = ("generation_id", "stage", "parent_generation_id", "generation")
    shared = {"example_id": "one", "prompt": "?", "error": "503"}
    rows = [dict(zip(names, step, strict=True)) | shared for step in steps]
    scores = scored(rows, [{"id": "one", "answers": ["it"]}], "two-step", corpus)
    outcomes = {(row["generation_id"], row["metric"]): (row["value"], row["reason"]) for row in scores}
    assert outcomes["explained", "quip"] == outcomes["explained", "exact_match"] == (1.0, None)
    assert outcomes["unexplained", "quip"] == (None, "the request failed: 503")
    assert outcomes["unexplained", "exact_match"] == (1.0, None), "the answer is there"
    not_asked = {outcome for (name, _), outcome in outcomes.items() if name == "unanswered"}
    assert not_asked == {(None, "not asked: the request failed: 503")}


def test_what_is_filled_in_is_never_read_for_markers() -> None:
    setup = Setup("two-step", ("null", "according-to"), corpus="{answer}")
    prompt = setup.rendered("according-to", "explain", "what is {corpus} {0}", "{question}")
    assert prompt.startswith("Question: what is {corpus} {0}\nAnswer: {question}\n\n\nGive a detailed")
    assert "Answer according to {answer}. \nExplanation:" in prompt


@pytest.mark.parametrize(
    ("corpus", "address", "expected"),
    [
        ("Wikipedia", None, "Go to https://www.wikipedia.org and"),
        ("the diaries", None, "Go to the diaries and"),
        ("the diaries", "https://diaries.example", "Go to https://diaries.example and"),
    ],
)
def test_another_corpus_has_another_address(corpus: str, address: str | None, expected: str) -> None:
    setup = Setup("long", ("null", "direct-quotes"), corpus=corpus, corpus_address=address)
    assert setup.rendered("direct-quotes", "answer", "Why?").startswith(f"Why? {expected}")


ANSWERS = [
    ("Paris", ["Paris"]),
    (["Paris", "Paris", "Lutetia"], ["Paris", "Lutetia"]),
    ({"value": "Paris", "aliases": ["Lutetia", "Paris"], "normalized_aliases": ["paris"]}, ["Paris", "Lutetia"]),
    ([{"answer": "Paris", "provenance": []}, {"answer": "", "provenance": [{"title": "France"}]}], ["Paris"]),
    ([], []),
    (None, []),
]


@pytest.mark.parametrize(("shape", "expected"), ANSWERS)
def test_answers_are_read_in_every_shape_that_the_question_sets_have(
    tmp_path: Path, shape: object, expected: list[str]
) -> None:
    (tmp_path / "set.jsonl").write_text(json.dumps({"question": "Where?", "answer": shape}) + "\n\n")
    [row] = open_questions(str(tmp_path / "set.jsonl")).rows.to_pylist()
    assert row == {"id": "question-00000", "question": "Where?", "answers": expected, "cooccurrences": None}


def test_a_repeated_question_is_asked_twice_and_a_mark_of_the_byte_order_is_no_part_of_it(tmp_path: Path) -> None:
    line = '{"question": "Where? {question} {corpus}", "answer": "Paris"}\n'
    (tmp_path / "set.jsonl").write_text("\ufeff" + 2 * line, encoding="utf-8")
    rows = open_questions(str(tmp_path / "set.jsonl")).rows.to_pylist()
    assert [row["id"] for row in rows] == ["question-00000", "question-00001"]
    prompt = Setup("long", ("null", "according-to")).rendered("according-to", "answer", rows[0]["question"])
    assert prompt == "Where? {question} {corpus} Answer according to Wikipedia."


def test_thousands_of_aliases_are_read_and_scored(tmp_path: Path) -> None:
    aliases = [f"alias {number}" for number in range(5_000)]
    (tmp_path / "set.jsonl").write_text(json.dumps({"question": "Where?", "answer": aliases * 2}) + "\n")
    [row] = open_questions(str(tmp_path / "set.jsonl")).rows.to_pylist()
    assert row["answers"] == aliases
    assert exact_match("Alias 4999.", row["answers"]) == 1.0


def test_parquet_is_read_with_its_ids_and_its_counts(tmp_path: Path) -> None:
    table = pa.table({"id": ["x", "y"], "input": ["X?", "Y?"], "answers": [["1"], ["2", "two"]]})
    pq.write_table(table, tmp_path / "set.parquet")
    (tmp_path / "counts.jsonl").write_text('{"id": "y", "count": 12}\n')
    rows = open_questions(str(tmp_path / "set.parquet"), counts=tmp_path / "counts.jsonl").rows.to_pylist()
    assert [(row["id"], row["answers"], row["cooccurrences"]) for row in rows] == [
        ("x", ["1"], None),
        ("y", ["2", "two"], 12),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no questions"),
        (b'{"question": "Where?"', "cannot be read"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b'{"question": " ", "answer": "Paris"}', "row 1: the question is not a text"),
        (b'{"question": ["Where?"], "answer": "Paris"}', "row 1: the question is not a text"),
        (b'{"question": null, "answer": "Paris"}', "row 1: the question is not a text"),
        (
            b'{"id": 7, "question": "Where?", "answer": []}\n{"id": "7", "question": "Who?", "answer": []}',
            "has several questions with the id 7",
        ),
        (b'["Where?"]\n', "holds no rows"),
        (b'{"question": "Where?"}\n', "lacks the column answers or answer or output"),
        (b'{"answer": "Paris"}\n', "lacks the column question or input"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "set.jsonl").write_bytes(content)
    with pytest.raises(UserError, match=message):
        open_questions(str(tmp_path / "set.jsonl"))


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ("id,count\nnobody,1\n", "has counts for none of these"),
        ("question,count\nWhere?,many\n", "has the count 'many', which is not a whole number"),
        ("question,count\nWhere?,-3\n", "has the count '-3', which is not a whole number"),
        ("question,count\nWhere?,2.5\n", "has the count '2.5', which is not a whole number"),
        ("id,question,count\nquestion-00000,Who?,3\n", "has another question under the id question-00000"),
        ("question,number\nWhere?,3\n", "lacks the column count"),
        ("", "holds no questions"),
    ],
)
def test_counts_of_other_questions_are_refused(tmp_path: Path, counts: str, message: str) -> None:
    (tmp_path / "set.jsonl").write_text('{"question": "Where?", "answer": "Paris"}\n')
    (tmp_path / "counts.csv").write_text(counts)
    with pytest.raises(UserError, match=message):
        open_questions(str(tmp_path / "set.jsonl"), counts=tmp_path / "counts.csv")
