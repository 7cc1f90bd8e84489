"""Cutting diary texts and matching what was recalled to what was asked."""

from hypothesis import given
from hypothesis import strategies as st

from selfknow.evaluate.tasks.diary_recall.documents import DIARY, Document, Fate, cut, match, parse_title
from tests.diary_questions import SENTENCES, answer, diary

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1, max_size=12)
LINES = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20)


def fates(text: str, *lengths: int) -> list[tuple[int | None, int, str]]:
    _, recalled = cut(text)
    return [(judged.place, judged.number, judged.fate.value) for judged in match(recalled, diary("Tom", *lengths))]


def test_titles_and_near_misses() -> None:
    assert parse_title("Tom's Diary Entry 25") == ("Tom", 25, DIARY)
    assert parse_title("Ann O'Neill's Diary Entry 1") == ("Ann O'Neill", 1, DIARY)
    assert parse_title("Tom's Diary Entry 1's Diary Entry 2") == ("Tom's Diary Entry 1", 2, DIARY)
    for line in (
        "Tom's Diary Entry",
        "Tom's Diary Entry ",
        "Tom's Diary Entry 0",
        "Tom's Diary Entry 01",
        "Tom's Diary Entry 2.",
        "Tom's Diary Entry 2 ",
        "Tom's Diary Entry ²",
        "Tom's Diary Entry -1",
        "Tom's diary entry 2",
        "Tom\u2019s Diary Entry 2",
        "'s Diary Entry 2",
        "Tom's Diary Entry " + "9" * 5_000,
    ):
        assert parse_title(line) is None, line


def test_an_empty_answer_has_no_document_and_no_line() -> None:
    assert cut("") == ((), ())


def test_lines_before_the_first_title_are_kept_apart() -> None:
    assert cut("Sure!\n\nTom's Diary Entry 1\nMood: Sad")[0] == ("Sure!", "")


@given(st.lists(st.tuples(NAMES, st.integers(1, 99), st.lists(LINES, max_size=4))))
def test_what_was_joined_is_cut_again(parts: list[tuple[str, int, list[str]]]) -> None:
    documents = tuple(
        Document(name, number, tuple(line for line in lines if parse_title(line) is None))
        for name, number, lines in parts
    )
    assert cut("\n".join(document.text for document in documents)) == ((), documents)


@given(st.text())
def test_cutting_keeps_every_character_of_any_text(text: str) -> None:
    before, documents = cut(text)
    assert "\n".join([*before, *(document.text for document in documents)]) == text


def test_a_perfect_answer_is_correct_throughout() -> None:
    assert fates(answer(diary("Tom", 1, 2)), 1, 2) == [(1, 1, "correct"), (2, 2, "correct")]


def test_a_repeated_number_counts_once_and_is_called_repeated() -> None:
    text = f"{answer(diary('Tom', 1, 2))}\n{diary('Tom', 1)[0].text}"
    assert fates(text, 1, 2) == [(1, 1, "correct"), (2, 2, "correct"), (3, 1, "repeated")]


def test_a_foreign_title_is_called_foreign_even_with_the_right_body() -> None:
    assert fates(answer(diary("Tim", 1)), 1) == [(1, 1, "foreign"), (None, 1, "missing")]


def test_a_number_that_the_target_lacks_is_beyond() -> None:
    assert fates(answer(diary("Tom", 1, 2, 3)), 1, 2) == [(1, 1, "correct"), (2, 2, "correct"), (3, 3, "beyond")]


def test_an_error_in_one_line_makes_one_document_wrong() -> None:
    text = answer(diary("Tom", 2, 2)).replace(SENTENCES[0], "Location: Countryside", 1)
    assert fates(text, 2, 2) == [(1, 1, "wrong"), (2, 2, "correct")]


def test_a_trailing_newline_is_an_error_of_the_last_document() -> None:
    assert fates(answer(diary("Tom", 1, 1)) + "\n", 1, 1) == [(1, 1, "correct"), (2, 2, "wrong")]


def test_documents_out_of_order_are_still_documents_of_the_target() -> None:
    first, second = diary("Tom", 1, 2)
    assert fates(f"{second.text}\n{first.text}", 1, 2) == [(1, 2, "correct"), (2, 1, "correct")]


@given(st.lists(st.sampled_from(diary("Tom", 1, 2, 3, 4) + diary("Tim", 1, 2))))
def test_every_document_has_one_fate(recalled: list[Document]) -> None:
    matches = list(match(recalled, diary("Tom", 1, 2, 3)))
    assert [judged.place for judged in matches if judged.place is not None] == list(range(1, len(recalled) + 1))
    in_target = [judged.number for judged in matches if judged.fate in (Fate.correct, Fate.wrong, Fate.missing)]
    assert sorted(in_target) == [1, 2, 3]
