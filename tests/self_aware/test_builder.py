"""Our own questions: their numbers, their text, and that they come out the same everywhere."""

import random
from collections import Counter
from pathlib import Path

import datasets
import pyarrow as pa
import pytest

from selfknow import SelfAware
from selfknow.builders.folder.card import card_text
from selfknow.builders.folder.content_hash import content_hash
from selfknow.builders.folder.write import build_folder
from selfknow.builders.self_aware.builder import CONFIG, DATASET, authored_config
from selfknow.builders.self_aware.question_text import normalized
from selfknow.builders.self_aware.questions import (
    AUTHORED_SCHEMA,
    CATEGORIES,
    NUM_ANSWERABLE,
    SPLITS,
    question_table,
    questions,
)
from selfknow.errors import UserError

GOLDEN = "927707fee274f557fa4a1c1dd044a06fb3f867f71780731e0853742c6a979519"
UNANSWERABLE, ANSWERABLE = questions("unanswerable"), questions("answerable")


def test_the_rows_are_the_golden_ones() -> None:
    tables = {split: question_table(split, 0).to_batches() for split in SPLITS}
    assert content_hash(tables) == GOLDEN


def test_categories_and_kinds_have_the_papers_shares() -> None:
    assert Counter(question.category for question in UNANSWERABLE) == CATEGORIES
    assert Counter(question.source.split("/")[0] for question in ANSWERABLE) == NUM_ANSWERABLE
    shares = [round(100 * number / 1_032) for number in CATEGORIES.values()]
    assert shares == [25, 15, 27, 10, 23], "Table 1"


def test_another_seed_gives_the_same_rows_in_another_order() -> None:
    first, other = (question_table("unanswerable", seed).to_pylist() for seed in (0, 1))
    assert first != other
    assert sorted(first, key=lambda row: row["id"]) == sorted(other, key=lambda row: row["id"])


def test_no_question_is_asked_twice() -> None:
    counts = Counter(normalized(question.question) for question in (*UNANSWERABLE, *ANSWERABLE))
    assert [question for question, times in counts.items() if times > 1] == []


def test_frames_are_many_and_none_is_worn_out() -> None:
    frames = Counter(question.source for question in UNANSWERABLE)
    assert len(frames) >= 300
    assert max(frames.values()) <= 6


def test_every_row_says_who_wrote_and_who_judged_it() -> None:
    assert all(question.written_by and question.judged_by for question in (*UNANSWERABLE, *ANSWERABLE))
    assert {question.difficulty for question in ANSWERABLE} == {"easy", "medium", "hard"}
    assert {question.difficulty for question in UNANSWERABLE} == {None}


def test_answers_are_there_where_they_should_be_and_never_in_the_question() -> None:
    assert all(question.answers and not question.category for question in ANSWERABLE)
    assert not any(question.answers for question in UNANSWERABLE)
    assert not any("answer_in_question" in question.flags for question in ANSWERABLE)


def test_every_pair_is_one_unanswerable_question_and_two_to_four_answerable_ones() -> None:
    partners = Counter(question.pair_id for question in ANSWERABLE)
    assert set(partners) == {question.id for question in UNANSWERABLE}
    assert set(partners.values()) == {2, 3, 4}


def test_every_question_is_one_clean_line_that_asks() -> None:
    for text in (question.question for question in (*UNANSWERABLE, *ANSWERABLE)):
        assert text == " ".join(text.split())
        assert text.endswith("?")
        assert not {"{", "}", "|"} & set(text), text
        assert text[0].isupper() or text[0].isdigit(), text


def test_other_configs_and_seeds_are_refused() -> None:
    with pytest.raises(UserError, match="self-aware-original"):
        authored_config("original")
    with pytest.raises(UserError, match="seed"):
        authored_config(seed=-1)


def test_load_dataset_reads_the_folder_split_by_split(tmp_path: Path) -> None:
    manifest = build_folder(DATASET, [authored_config()], tmp_path / "self-aware")
    loaded = {split: datasets.load_dataset(str(tmp_path / "self-aware"), split=split) for split in SPLITS}
    assert {split: len(rows) for split, rows in loaded.items()} == {"answerable": 2_337, "unanswerable": 1_032}
    assert loaded["unanswerable"].features.arrow_schema.names == AUTHORED_SCHEMA.names
    assert loaded["unanswerable"][0] == question_table("unanswerable", 0).slice(0, 1).to_pylist()[0]
    text = card_text(DATASET, [authored_config()], manifest)
    assert "**A language model wrote these questions, and a language model judged them**" in text
    assert "$" not in text.replace("$1", "")


def test_the_builder_of_hugging_face_makes_the_same_rows(tmp_path: Path) -> None:
    builder = SelfAware(config_name=CONFIG, cache_dir=str(tmp_path))
    builder.download_and_prepare()
    rows = builder.as_dataset(split="answerable")
    assert pa.Table.from_pylist(rows.to_list(), schema=AUTHORED_SCHEMA).equals(question_table("answerable", 0))


def test_the_page_of_rows_shows_ten_questions_of_each_half_that_were_drawn_by_a_seed() -> None:
    docs = Path(__file__).parents[2] / "docs"
    guide, rows = ((docs / page).read_text(encoding="utf-8") for page in ("self-aware.md", "corpora.md"))
    for half in (ANSWERABLE, UNANSWERABLE):
        drawn = "\n".join(question.question for question in random.Random(0).sample(half, 10))
        assert drawn in rows
    assert GOLDEN in guide
