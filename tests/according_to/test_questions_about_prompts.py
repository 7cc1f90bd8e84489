"""The kinds of prompts taken together, and the examples side by side: given rows, expected rows."""

from hashlib import md5
from pathlib import Path
from typing import Any

import pytest

from selfknow.evaluate.connection import connect
from selfknow.sql.queries import query_rows
from tests.according_to.given import Said, write_run


def said(quip: float | None, right: float = 1.0) -> Said:
    return f"it; quip {quip}", {"quip": quip, "exact_match": right}


GIVEN: dict[str, dict[str, Said | None]] = {
    "a": {"null": said(0.1), "evidence": said(0.3), "attributed": said(0.5), "without": said(0.0)},
    "b": {"null": said(0.2), "evidence": None, "attributed": said(0.6), "without": said(0.2)},
    "c": {"null": said(None), "evidence": said(1.0), "attributed": said(1.0), "without": said(1.0)},
    "d": {"null": said(0.3, 0.0), "evidence": said(0.1), "attributed": said(0.3), "without": said(None)},
}


def asked(run: Path, question: str) -> list[dict[str, Any]]:
    with connect(run) as connection:
        return query_rows(connection, question)


def test_the_kinds_of_prompts_are_means_over_questions_that_have_both(tmp_path: Path) -> None:
    rows = [row for row in asked(write_run(tmp_path / "run", GIVEN), "according_to_kinds") if row["metric"] == "quip"]
    results = {
        row["kind"]: (row["n_prompts"], row["n"], row["n_graded"], *(row[name] for name in ("score", "difference")))
        for row in rows
    }
    assert list(results) == ["null", "grounding", "anti-grounding"]
    assert results["null"] == (1, 4, 3, pytest.approx(0.2), None)
    # a: (0.3 + 0.5) / 2, b: 0.6 alone, d: (0.1 + 0.3) / 2; c has no null score
    assert results["grounding"] == (2, 4, 3, pytest.approx(0.4), pytest.approx(0.2))
    assert results["anti-grounding"] == (1, 4, 2, pytest.approx(0.1), pytest.approx(-0.05))
    for row in rows:
        assert row["score_low"] < row["score"] < row["score_high"]
    low, high = (rows[1][f"difference_{end}"] for end in ("low", "high"))
    assert -0.1 <= low < 0.2 < high <= 0.4, "no mean of three is outside of them"
    assert (rows[0]["difference_low"], rows[0]["difference_high"]) == (None, None)


def test_one_question_has_no_interval_and_a_score_of_one_has_wilsons(tmp_path: Path) -> None:
    item = write_run(tmp_path / "one", {"a": GIVEN["a"]})
    assert {row["score_low"] for row in asked(item, "according_to_kinds")} == {None}
    rows = asked(write_run(tmp_path / "run", GIVEN), "according_to_kinds")
    [right] = [row for row in rows if (row["metric"], row["kind"]) == ("exact_match", "anti-grounding")]
    assert (right["score"], right["score_high"]) == (1.0, 1.0)
    assert right["score_low"] == pytest.approx(4 / (4 + 1.959964**2))


def test_examples_are_the_largest_the_median_and_the_smallest_changes(tmp_path: Path) -> None:
    changes = {f"q{number}": number / 10 for number in range(9)}
    inputs = {name: {"null": said(0.0, 0.0), "evidence": said(change)} for name, change in changes.items()}
    run = write_run(tmp_path / "run", {**inputs, "short": {"null": said(None), "evidence": said(1.0)}})
    rows = asked(run, "according_to_examples")
    assert [(row["change_rank"], row["example_id"], row["change"]) for row in rows] == [
        (1, "q8", 0.8),
        (2, "q7", 0.7),
        (5, "q4", 0.4),
        (8, "q1", 0.1),
        (9, "q0", 0.0),
    ]
    assert {(row["n_pairs"], row["n"], row["prompt"], row["kind"]) for row in rows} == {
        (9, 10, "evidence", "grounding")
    }
    first = rows[0]
    assert (first["null_reply"], first["reply"]) == ("it; quip 0.0", "it; quip 0.8")
    assert (first["null_answer_score"], first["answer_score"], first["answer_metric"]) == (0.0, 1.0, "exact_match")
    assert (first["question"], first["answers"]) == ("What is q8?", ["q8"])


def test_equal_changes_are_told_apart_by_their_digest(tmp_path: Path) -> None:
    names = [f"q{number}" for number in range(8)]
    run = write_run(tmp_path / "run", {name: {"null": said(0.0), "evidence": said(0.5)} for name in names})
    ranked = sorted(names, key=lambda name: md5(name.encode()).hexdigest())
    expected = [ranked[place] for place in (0, 1, 3, 6, 7)]
    assert [row["example_id"] for row in asked(run, "according_to_examples")] == expected


def test_few_questions_are_each_shown_once(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {name: {"null": said(0.0), "evidence": said(0.5)} for name in ("a", "b", "c")})
    assert sorted(row["example_id"] for row in asked(run, "according_to_examples")) == ["a", "b", "c"]
