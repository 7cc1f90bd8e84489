"""Entities of questions, and the passages in which they occur with an answer: near misses, and a search by hand."""

import csv
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfknow.errors import UserError
from selfknow.evaluate.tasks.according_to.cooccurrences import count_cooccurrences, entities_of, find_names, passages_of
from selfknow.evaluate.tasks.according_to.questions import open_questions
from tests.conftest import Run

PASSAGES = [
    "In 1595 the poet wrote Romeo and Juliet, and Juliet is thirteen.",
    "The city of Rome is old. Juliet never saw Rome.",
    "romeo, romeo: JULIET calls",
    "Julieta read of Romeo.",
    "They say that New York City is large, and that York is not.",
    "New ideas came. York is a town, and new york-born people know Juliet's Romeo.",
]


def counted(question: str, answers: list[str], passages: list[str] = PASSAGES, **more: object) -> tuple:
    rows = [{"id": "1", "question": question, "answers": answers}]
    [item] = count_cooccurrences(rows, passages, quiet=True, **more)
    return item.entities, item.count


def test_a_name_is_what_the_corpus_writes_with_capitals_in_mid_sentence() -> None:
    questions = ["did juliet see new york city or york, or new ideas in the city of rome", "who is they"]
    # York is written once with a capital and once without; 'New' and 'They' only where a sentence starts.
    assert find_names(questions, PASSAGES) == {"juliet", "rome", "new york city"}
    texts = ["the lord of the rings and the man of the year"]
    assert find_names(texts, ["We saw the Lord of the Rings, twice."]) == {"lord of the rings"}
    assert find_names(texts, ["We saw the Lord of the Rings of Power."]) == frozenset(), "that is a longer name"
    assert find_names(["is the us or us right"], ["It told us. It told us. The US is big."]) == frozenset()


def test_entities_are_the_longest_names_and_do_not_overlap() -> None:
    names = frozenset({"new york", "new york city", "york city council", "council"})
    assert entities_of("was the New-York City council in New York?", names) == ["new york city", "council", "new york"]
    assert entities_of("who knows", names) == []


@pytest.mark.parametrize(
    ("question", "answers", "expected"),
    [
        ("who loves Juliet", ["Romeo"], (("juliet",), 3)),  # not with Julieta, nor Rome without Romeo
        ("who loves Juliet", ["rome"], (("juliet",), 1)),  # 'Rome' is not in 'Romeo'
        ("who loves Juliet", ["Rome", "Romeo"], (("juliet",), 4)),  # a passage counts once, whichever answer is there
        ("who loves Juliet", ["Romeo and Juliet"], (("juliet",), 1)),  # a phrase as a whole
        ("who loves Juliet", ["the romeo"], (("juliet",), 0)),
        ("who loves Juliet", ["Juliet"], ((), None)),  # an answer would only occur with itself
        ("who loves Juliet", ["?!", ""], (("juliet",), None)),  # nothing that could occur
        ("who loves Juliet", [], (("juliet",), None)),
        ("who loves whom", ["Romeo"], ((), None)),
        ("did Juliet see Rome", ["romeo"], (("juliet", "rome"), 3)),  # the most frequent of two pairs
    ],
)
def test_passages_hold_whole_words_of_both(question: str, answers: list[str], expected: tuple) -> None:
    assert counted(question, answers) == expected


def test_known_entities_are_taken_as_they_are() -> None:
    assert counted("?", ["Romeo"], entities={"1": ["Poet", "calls"]}) == (("poet", "calls"), 1)
    assert counted("who loves Juliet", ["Romeo"], entities={"1": []}) == ((), None)
    assert counted("who", ["Romeo"], entities={"1": ["?!", ""]}) == ((), None), "nothing that could occur"


def test_passages_are_texts_or_pieces_of_them() -> None:
    assert list(passages_of(["a b  c", " ", "d"])) == ["a b  c", "d"]
    assert list(passages_of([pa.array(["a b c d e", None])], 2)) == ["a b", "c d", "e"]
    apart = ["Here is Juliet " + "x " * 100 + "and Romeo"]
    assert counted("who loves Juliet", ["Romeo"], apart)[1] == 1
    assert counted("who loves Juliet", ["Romeo"], apart, passage_words=50)[1] == 0


def search(question: list[str], answers: list[str], passage: str) -> bool:
    """Return the same by one regular expression a phrase."""

    def holds(phrase: str) -> bool:
        words = r"\W+".join(re.findall(r"\w+", phrase.casefold()))
        return bool(words) and bool(re.search(rf"(?<!\w){words}(?!\w)", passage.casefold()))

    return any(map(holds, question)) and any(map(holds, answers))


TEXTS = st.lists(
    st.sampled_from(["rome", "Romeo", "new", "York", "ork", "ÉTÉ", "été", ".", "'s", "-"]), max_size=8
).map(" ".join)


@given(st.lists(TEXTS, min_size=1, max_size=6), TEXTS, st.lists(TEXTS, max_size=3))
def test_counts_are_those_of_a_search_for_each_phrase(passages: list[str], entity: str, answers: list[str]) -> None:
    _, count = counted("?", answers, ["x", *passages], entities={"1": [entity]})
    expected = sum(search([entity], answers, passage) for passage in passages)
    assert (count or 0) == expected


@pytest.mark.parametrize("suffix", ["txt", "parquet", "jsonl"])
def test_counts_are_written_for_evaluate_to_read(selfknow: Run, tmp_path: Path, suffix: str) -> None:
    rows = [
        {"question": "who loves Juliet", "answer": ["Romeo"]},
        {"question": "who saw New York City", "answer": "nobody"},
        {"question": "who loves whom", "answer": "Romeo"},
    ]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = tmp_path / f"corpus.{suffix}"
    if suffix == "txt":
        corpus.write_text("\n\n".join(PASSAGES))
    elif suffix == "jsonl":
        corpus.write_text("".join(json.dumps({"body": text}) + "\n" for text in PASSAGES))
    else:
        pq.write_table(pa.table({"body": PASSAGES}), corpus)
    options = [] if suffix == "txt" else ["--text", "body"]
    command = ["data", "count", "set.jsonl", "--corpus", corpus, "--out", "counts.csv", *options]
    result = selfknow(*command, "--format", "json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == [
        {"passages": "0", "questions": 1},
        {"passages": "1 to 10", "questions": 1},
        {"passages": "not counted", "questions": 1},
    ]
    with (tmp_path / "counts.csv").open() as file:
        assert [(row["count"], row["entities"]) for row in csv.DictReader(file)] == [
            ("3", "juliet"),
            ("0", "new york city"),
            ("", ""),
        ]
    questions = open_questions(str(tmp_path / "set.jsonl"), counts=tmp_path / "counts.csv")
    assert questions.rows["cooccurrences"].to_pylist() == [3, 0, None]
    if suffix == "txt":
        again = selfknow(*command)
        assert (again.returncode, "counts.csv exists: give another file" in again.stderr) == (2, True)
        assert selfknow(*command, "--overwrite").returncode == 0


@pytest.mark.parametrize(
    ("corpus", "options", "message"),
    [
        (b"\n \n", [], "the corpus holds no passage"),
        (b"\xff\xfe", [], "is not UTF-8"),
        (None, [], "corpus.txt does not exist"),
        (b"Romeo", ["--out", "counts.xlsx"], "counts.xlsx cannot be written: name a file that ends in .csv"),
        (b"Romeo", ["--text", "body"], "text files have no columns"),
    ],
)
def test_a_corpus_that_cannot_be_counted_in_is_refused(
    selfknow: Run, tmp_path: Path, corpus: bytes | None, options: list[str], message: str
) -> None:
    (tmp_path / "set.jsonl").write_text('{"question": "who loves Juliet", "answer": "Romeo"}\n')
    if corpus is not None:
        (tmp_path / "corpus.txt").write_bytes(corpus)
    result = selfknow("data", "count", "set.jsonl", "--corpus", "corpus.txt", "--out", "counts.csv", *options)
    assert result.returncode == 2, result.stdout
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_column_of_entities_goes_before_what_the_words_say(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "question": "who loves Juliet", "answer": "Romeo", "entities": ["Rome"]},
        {"id": "b", "question": "who loves Juliet?", "answer": "Romeo", "entities": None},
    ]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    questions = open_questions(str(tmp_path / "set.jsonl"))
    assert questions.entities == {"a": ("Rome",)}
    results = count_cooccurrences(questions.rows.to_pylist(), PASSAGES, questions.entities, quiet=True)
    assert [(item.entities, item.count) for item in results] == [(("rome",), 0), (("juliet",), 3)]


def test_an_empty_corpus_is_refused() -> None:
    with pytest.raises(UserError, match="no passage"):
        counted("who loves Juliet", ["Romeo"], ["", " "])
