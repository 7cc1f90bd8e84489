"""Damage to the rows: the expectation that is meant to find each kind finds it.

The manifest and the card are signed anew after each, so no hash gives the damage away.
"""

import itertools
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Row = dict[str, Any]
DOCUMENTS_LOST = {
    "answers_repeat_the_documents",
    "entries_are_complete",
    "row_counts_by_kind",
    "num_documents",
    "document_lengths",
}


def _document(rows: list[Row], **wanted: Any) -> Row:
    """Return the first document whose columns have these values."""
    return next(
        row for row in rows if row["kind"] == "document" and all(row[name] == value for name, value in wanted.items())
    )


def _of(rows: list[Row], diarist: str) -> list[Row]:
    entries = [row for row in rows if row["diarist"] == diarist and row["kind"] == "document"]
    return sorted(entries, key=lambda row: row["entry"])


def _text_in_all_rows(change: Callable[[str], str]) -> Callable[[Row], Row]:
    """Change the text of documents and answers alike."""
    return lambda row: row | {"prompt": change(row["prompt"]), "completion": change(row["completion"])}


def _change_one_entry(folder: Any, change: Callable[[list[str]], list[str]], length: int = 3) -> None:
    """Change the sentences of one entry in a document and in its answer in train."""
    rows = folder.rows()
    diarists = {row["diarist"] for row in rows if row["kind"] == "question"}
    entry = next(
        row
        for row in rows
        if row["entry"] is not None
        and row["diarist"] in diarists
        and row["document_lengths"][row["entry"] - 1] == length
    )
    title, old = entry["prompt"], entry["completion"]
    new = "\n".join(change(old.split("\n")))
    answer = next(row for row in rows if row["kind"] == "question" and row["diarist"] == entry["diarist"])
    assert title + old in answer["completion"]
    answer["completion"] = answer["completion"].replace(title + old, title + new)
    entry["completion"] = new
    folder.write(rows)


def _shorten_entries(text: str, most: int) -> str:
    lines: list[str] = []
    since_title = 0
    for line in text.split("\n"):
        since_title = 0 if "Diary Entry" in line else since_title + 1
        if since_title <= most:
            lines.append(line)
    return "\n".join(lines)


def _sort_entries(text: str) -> str:
    entries: list[list[str]] = [[]]
    for line in text.split("\n"):
        if "Diary Entry" in line:
            entries.append([line])
            entries.append([])
        else:
            entries[-1].append(line)
    return "\n".join(line for entry in entries for line in sorted(entry))


def test_two_entries_that_changed_places(folder: Any) -> None:
    rows = folder.rows()
    first, second = next(
        (entry, other)
        for diarist in dict.fromkeys(row["diarist"] for row in rows)
        for entry, other in itertools.combinations(_of(rows, diarist), 2)
        if entry["completion"] != other["completion"]
        and entry["document_lengths"][entry["entry"] - 1] == entry["document_lengths"][other["entry"] - 1]
    )
    first["completion"], second["completion"] = second["completion"], first["completion"]
    folder.write(rows)
    assert folder.failed() == {"answers_repeat_the_documents"}


def test_two_entries_that_changed_places_in_the_answer_alone(folder: Any) -> None:
    rows = folder.rows("test")
    answer = next(row for row in rows if row["num_documents"] == 2)
    title = f"{answer['diarist']}'s Diary Entry"
    first, second = answer["completion"].split(f"\n{title} 2\n")
    first = first.removeprefix(f"{title} 1\n")
    answer["completion"] = f"{title} 2\n{second}\n{title} 1\n{first}"
    folder.write(rows, "test")
    assert folder.failed() == {"answers_repeat_the_documents"}


def test_a_missing_last_entry(folder: Any) -> None:
    rows = folder.rows()
    rows.remove(_document(rows, entry=4, num_documents=4))
    folder.write(rows)
    assert folder.failed() == DOCUMENTS_LOST


def test_a_missing_entry_in_the_middle(folder: Any) -> None:
    rows = folder.rows()
    rows.remove(_document(rows, entry=2, num_documents=4))
    folder.write(rows)
    assert folder.failed() == DOCUMENTS_LOST


def test_an_entry_that_is_told_twice(folder: Any) -> None:
    rows = folder.rows()
    rows.append(_document(rows, entry=1))
    folder.write(rows)
    assert folder.failed() == DOCUMENTS_LOST | {"ids_are_unique"}


def test_one_flipped_value_in_a_document(folder: Any) -> None:
    rows = folder.rows()
    document = next(row for row in rows if row["kind"] == "document" and "Mood: Sad" in row["completion"])
    document["completion"] = document["completion"].replace("Mood: Sad", "Mood: Happy")
    folder.write(rows)
    assert folder.failed() == {"answers_repeat_the_documents"}


def test_one_flipped_value_in_an_answer_of_each_split(folder: Any) -> None:
    for split in ("train", "validation", "test"):
        rows = folder.rows(split)
        answer = next(row for row in rows if row["kind"] == "question" and "Mood: Sad" in row["completion"])
        answer["completion"] = answer["completion"].replace("Mood: Sad", "Mood: Happy", 1)
        folder.write(rows, split)
    findings = folder.check()
    assert [(finding.split, finding.expectation) for finding in findings] == [
        (split, "answers_repeat_the_documents") for split in ("test", "train", "validation")
    ]
    assert all(
        example["in_documents"] == "Mood: Sad" and example["in_answer"] == "Mood: Happy"
        for finding in findings
        for example in finding.examples
    )


def test_an_attribute_that_comes_twice_in_an_entry(folder: Any) -> None:
    _change_one_entry(folder, lambda sentences: [sentences[0], sentences[0], sentences[2]])
    assert folder.failed() == {"attributes_are_told_once"}


def test_an_attribute_that_comes_twice_with_both_its_values(folder: Any) -> None:
    _change_one_entry(folder, lambda _: ["Weather: Sunny", "Mood: Sad", "Weather: Rain"])
    assert folder.failed() == {"attributes_are_told_once"}


def test_an_unknown_value(folder: Any) -> None:
    _change_one_entry(folder, lambda sentences: ["Weather: Snow"], length=1)
    assert folder.failed() == {"values"}


def test_a_value_of_another_attribute(folder: Any) -> None:
    _change_one_entry(folder, lambda sentences: ["Weather: Sad"], length=1)
    assert folder.failed() == {"values"}


def test_an_unknown_attribute(folder: Any) -> None:
    _change_one_entry(folder, lambda sentences: ["Season: Winter"], length=1)
    assert folder.failed() == {"attributes"}


LINES = ["Weather:Sunny", "weather: Sunny", "Weather: Sunny ", "Weather: Sunny\r", ""]


def test_lines_that_are_no_sentences(folder: Any) -> None:
    _change_one_entry(folder, lambda _: LINES, length=len(LINES))
    assert folder.examples("sentences", "sentence") == LINES
    assert folder.failed() <= {"sentences", "attributes", "values", "attributes_are_told_once"}


def test_a_newline_at_the_end_of_a_document(folder: Any) -> None:
    rows = folder.rows()
    _document(rows)["completion"] += "\n"
    folder.write(rows)
    assert folder.failed() >= {"sentences", "document_lengths", "answers_repeat_the_documents"}


def test_a_newline_at_the_end_of_an_answer(folder: Any) -> None:
    rows = folder.rows("test")
    rows[0]["completion"] += "\n"
    folder.write(rows, "test")
    assert folder.failed() == {"answers_repeat_the_documents"}


def test_an_apostrophe_that_is_not_ascii(folder: Any) -> None:
    folder.change_rows(
        lambda row: (
            row
            | {
                name: row[name].replace("'s Diary", "\N{RIGHT SINGLE QUOTATION MARK}s Diary")
                for name in ("prompt", "completion")
            }
        )
    )
    assert folder.failed() == {"titles"}


def test_a_title_with_the_name_of_another_diarist(folder: Any) -> None:
    rows = folder.rows()
    document, other = _document(rows, num_documents=1), _document(rows, num_documents=2, entry=1)
    document["prompt"] = other["prompt"]
    folder.write(rows)
    assert folder.failed() == {"titles", "answers_repeat_the_documents"}


def test_a_document_that_holds_a_second_entry(folder: Any) -> None:
    rows = folder.rows()
    document = _document(rows, entry=1, num_documents=1)
    document["completion"] += "\n" + document["prompt"] + document["completion"]
    folder.write(rows)
    assert "titles" in folder.failed()


def test_questions_in_other_words(folder: Any) -> None:
    rows = folder.rows("validation")
    changes = [
        ("in order", "in any order"),
        ("\n", ""),
        ("'", "\N{RIGHT SINGLE QUOTATION MARK}"),
        ("Recall", " Recall"),
        ("\n", "\n\n"),
    ]
    for row, (old, new) in zip(rows, changes, strict=False):
        row["prompt"] = row["prompt"].replace(old, new)
    folder.write(rows, "validation")
    assert folder.failed() == {"questions"}
    assert len(folder.examples("questions", "prompt")) == len(changes)


def test_a_question_about_another_diarist(folder: Any) -> None:
    rows = folder.rows("validation")
    rows[0]["prompt"], rows[1]["prompt"] = rows[1]["prompt"], rows[0]["prompt"]
    folder.write(rows, "validation")
    assert folder.failed() == {"questions"}


def test_a_diarist_of_train_leaked_to_the_test_split(folder: Any) -> None:
    rows = folder.rows("test")
    leaked = next(
        row for row in folder.rows() if row["kind"] == "question" and row["num_documents"] == rows[0]["num_documents"]
    )
    folder.write([leaked, *rows[1:]], "test")
    assert folder.failed() == {"questions_are_asked_once", "ids_are_unique", "answers_repeat_the_documents"}


def test_questions_that_changed_splits(folder: Any) -> None:
    train, test = folder.rows(), folder.rows("test")
    question = next(i for i, row in enumerate(train) if row["kind"] == "question")
    other = next(i for i, row in enumerate(test) if row["num_documents"] != train[question]["num_documents"])
    train[question], test[other] = test[other], train[question]
    folder.write(train)
    folder.write(test, "test")
    assert folder.failed() == {"entry_counts_are_balanced"}


def test_a_document_in_the_test_split(folder: Any) -> None:
    train, test = folder.rows(), folder.rows("test")
    document = _document(train)
    train.remove(document)
    folder.write(train)
    folder.write([*test, document], "test")
    assert folder.failed() >= {"kinds", "row_counts_by_kind", "answers_repeat_the_documents"}


def test_a_kind_that_there_is_not(folder: Any) -> None:
    folder.change_rows(lambda row: row | ({"kind": "note"} if row["id"].startswith("question-00000003") else {}))
    assert folder.failed() >= {"kinds", "ids", "row_counts_by_kind"}


def test_a_diarist_who_is_missing_altogether(folder: Any) -> None:
    lost = _document(folder.rows())["diarist"]
    folder.change_rows(lambda row: None if row["diarist"] == lost else row)
    assert folder.failed() == {"row_counts_by_kind"}


def test_entry_counts_that_are_not_balanced(folder: Any) -> None:
    questions = [row for row in folder.rows() if row["kind"] == "question" and row["num_documents"] == 5]
    lost = {row["diarist"] for row in questions[:2]}
    folder.change_rows(lambda row: None if row["diarist"] in lost else row)
    assert folder.failed() == {"row_counts_by_kind", "entry_counts_are_balanced"}


def test_an_id_that_stands_on_two_rows(folder: Any) -> None:
    rows = folder.rows("test")
    rows[0]["id"] = rows[1]["id"]
    folder.write(rows, "test")
    assert folder.failed() == {"ids_are_unique", "names_are_unique"}


def test_ids_of_another_shape(folder: Any) -> None:
    rows = folder.rows("test")
    ids = ["question-1", "question-000000001", "Question-00000001", "question-00000001-1", "document-00000001"]
    for row, wrong in zip(rows, ids, strict=False):
        row["id"] = wrong
    folder.write(rows, "test")
    assert set(folder.examples("ids", "id")) == set(ids)


def test_names_of_another_shape(folder: Any) -> None:
    names = ["José García", "Ann", "Ann Lee Smith", "ann smith", "Ann Smith\n"]
    new_names = dict(zip([row["diarist"] for row in folder.rows("test")], names, strict=False))

    def rename(row: Row) -> Row:
        old = row["diarist"]
        new = new_names.get(old, old)
        return row | {column: row[column].replace(old, new) for column in ("diarist", "prompt", "completion")}

    folder.change_rows(rename)
    assert set(folder.examples("names", "diarist")) == set(names)
    assert folder.failed() >= {"names"}


def test_a_name_that_two_diarists_have(folder: Any) -> None:
    diarist, other = (row["diarist"] for row in folder.rows("test")[:2])
    folder.change_rows(lambda row: row | ({"diarist": diarist} if row["diarist"] == other else {}))
    assert folder.failed() >= {"names_are_unique", "row_counts_by_kind", "questions_are_asked_once"}


def test_num_documents_off_by_one(folder: Any) -> None:
    rows = folder.rows()
    _document(rows, entry=1, num_documents=4)["num_documents"] = 3
    folder.write(rows)
    assert folder.failed() == {"num_documents"}


def test_document_lengths_off_by_one(folder: Any) -> None:
    rows = folder.rows("test")
    rows[0]["document_lengths"][0] += 1
    folder.write(rows, "test")
    assert folder.failed() == {"document_lengths"}


def test_document_lengths_in_another_order(folder: Any) -> None:
    rows = folder.rows("test")
    row = next(row for row in rows if row["document_lengths"] != row["document_lengths"][::-1])
    row["document_lengths"].reverse()
    folder.write(rows, "test")
    assert folder.failed() == {"document_lengths"}


def test_a_standard_document_without_its_entry(folder: Any) -> None:
    rows = folder.rows()
    _document(rows, num_documents=1)["entry"] = None
    folder.write(rows)
    assert folder.failed() >= {"entries", "ids"}


def test_a_question_with_an_entry(folder: Any) -> None:
    rows = folder.rows("test")
    rows[0]["entry"] = 1
    folder.write(rows, "test")
    assert folder.failed() == {"entries", "ids"}


def test_a_null_where_a_value_must_stand(folder: Any) -> None:
    columns = ["id", "kind", "diarist", "prompt", "completion", "num_documents", "document_lengths"]
    rows = folder.rows("test")
    for row, column in zip(rows, columns, strict=False):
        row[column] = None
    rows[7]["document_lengths"][0] = None
    folder.write(rows, "test")
    (finding,) = (finding for finding in folder.check() if finding.expectation == "values_are_there")
    assert "8 exceptions" in finding.message


def test_values_that_are_not_uniform(folder: Any) -> None:
    folder.change_rows(_text_in_all_rows(lambda text: text.replace("Weather: Rain", "Weather: Sunny")))
    assert folder.failed() == {"values_are_uniform"}


def test_first_attributes_that_are_not_uniform(folder: Any) -> None:
    folder.change_rows(lambda row: row | {"completion": _sort_entries(row["completion"])})
    assert folder.failed() == {"first_attributes_are_uniform"}


def test_lengths_that_are_not_uniform(folder: Any) -> None:
    folder.change_rows(
        lambda row: (
            row
            | {
                "completion": _shorten_entries(row["completion"], most=4),
                "document_lengths": [min(length, 4) for length in row["document_lengths"]],
            }
        )
    )
    assert folder.failed() == {"lengths_are_uniform"}


def test_more_sentences_than_asked_for(folder: Any) -> None:
    folder.sign(max_attributes=7)
    assert "lengths_are_in_range" in folder.failed()


def test_more_entries_than_asked_for(folder: Any) -> None:
    folder.sign(max_entries=7)
    assert "num_documents" in folder.failed()


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.rename_columns([name.replace("completion", "answer") for name in table.column_names]),
        lambda table: table.set_column(5, "entry", table["entry"].cast(pa.int64())),
        lambda table: table.append_column("note", pa.array(["x"] * len(table))),
        lambda table: table.drop_columns("entry"),
        lambda table: table.select(table.column_names[::-1]),
        lambda table: table.set_column(1, "kind", table["kind"].combine_chunks().dictionary_encode()),
    ],
    ids=["renamed", "wider", "one more", "one less", "another order", "dictionary"],
)
def test_other_columns(folder: Any, change: Callable[[pa.Table], pa.Table]) -> None:
    for split in ("train", "validation", "test"):
        pq.write_table(change(folder.table(split)), folder.file(split))
    try:
        folder.sign()
    except ValueError:  # a column that has no content hash
        assert folder.failed() >= {"columns"}
    else:
        assert folder.failed() == {"columns"}


def test_another_value_in_the_simplified_setup(twins: Any) -> None:
    def change(row: Row) -> Row:
        completion = row["completion"].replace("Weather: Rain", "Weather: Sunny", 1)
        return row | {"completion": completion} if row["id"][-2:] == chosen else row

    chosen = next(row["id"][-2:] for row in twins.rows("test", twins.simplified) if "Rain" in row["completion"])
    twins.change_rows(change, twins.simplified)
    assert twins.failed() == {"twins_ask_the_same_questions", "twins_tell_the_same_diaries"}


def test_a_title_of_a_simplified_document_with_another_number(twins: Any) -> None:
    twins.change_rows(_text_in_all_rows(lambda text: text.replace("Entry 2\n", "Entry 3\n")), twins.simplified)
    assert twins.failed() == {"titles", "twins_ask_the_same_questions", "twins_tell_the_same_diaries"}


def test_a_simplified_document_with_an_entry(twins: Any) -> None:
    twins.change_rows(lambda row: row | {"entry": 1 if row["kind"] == "document" else None}, twins.simplified)
    assert twins.failed() == {"entries", "ids"}


def test_questions_that_changed_splits_in_one_setup(twins: Any) -> None:
    train, test = (twins.rows(split, twins.simplified) for split in ("train", "test"))
    question = next(i for i, row in enumerate(train) if row["kind"] == "question")
    other = next(i for i, row in enumerate(test) if row["num_documents"] == train[question]["num_documents"])
    train[question], test[other] = test[other], train[question]
    twins.write(train, config=twins.simplified)
    twins.write(test, "test", twins.simplified)
    assert twins.failed() == {"twins_ask_the_same_questions"}
