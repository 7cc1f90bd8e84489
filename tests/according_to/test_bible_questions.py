"""The packaged questions about the King James Bible."""

from selfknow.evaluate.tasks.according_to.questions import KING_JAMES_BIBLE, open_questions


def test_the_packaged_set_has_sixty_questions_with_answers_and_is_known_by_its_content() -> None:
    questions = open_questions(KING_JAMES_BIBLE)
    rows = questions.rows.to_pylist()
    assert len({row["question"] for row in rows}) == len({row["id"] for row in rows}) == 60
    assert all(row["answers"] and row["question"].endswith("?") for row in rows)
    assert questions.format == "long"
    assert questions.reference.name == KING_JAMES_BIBLE
    assert questions.reference.content_hash is not None
