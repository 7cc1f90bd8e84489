"""The scores of diary answers: exact rows, near misses, and what is 0 and what is null."""

import math
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfknow.errors import UserError
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.task import FinishedRun
from selfknow.evaluate.tasks.diary_recall.documents import Document
from selfknow.evaluate.tasks.diary_recall.prompts import PROBES, boundary_requests, probe_requests, target
from selfknow.evaluate.tasks.diary_recall.score import (
    CORRECTED,
    METRICS,
    answer_scores,
    boundary_scores,
    probe_scores,
    score,
)
from selfknow.runs.schema import GENERATIONS
from tests.diary_questions import SENTENCES, answer, diary, question

ENTRIES = diary("Tom", 2, 1, 3)


def values(text: str, entries: tuple[Document, ...] = ENTRIES, finish_reason: str = "stop") -> dict[str, float | None]:
    scores, _ = answer_scores(text, entries, finish_reason)
    return {metric: score.value for metric, score in scores.items()}


def reason(text: str, finish_reason: str = "stop") -> str | None:
    return answer_scores(text, ENTRIES, finish_reason)[0]["exact_match"].reason


SET_OTHERWISE = "right entries, not to the byte"


def test_a_perfect_answer() -> None:
    assert values(answer(ENTRIES)) == {
        "exact_match": 1,
        "right_count": 1,
        "right_content": 1,
        "documents_recalled": 3,
        "documents_target": 3,
        "documents_in_target": 3,
        "documents_correct": 3,
        "documents_repeated": 0,
        "documents_beyond": 0,
        "documents_foreign": 0,
        "sentences_recalled": 6,
        "sentences_target": 6,
    }


def test_over_recall_has_right_content_and_a_wrong_count() -> None:
    scores = values(answer(diary("Tom", 2, 1, 3, 1)))
    assert (scores["exact_match"], scores["right_count"], scores["right_content"]) == (0, 0, 1)
    assert (scores["documents_recalled"], scores["documents_beyond"], scores["documents_correct"]) == (4, 1, 3)


def test_under_recall_has_right_content_and_a_wrong_count() -> None:
    scores = values(answer(ENTRIES[:2]))
    assert (scores["exact_match"], scores["right_count"], scores["right_content"]) == (0, 0, 1)
    assert (scores["sentences_recalled"], scores["sentences_target"]) == (3, 3)


def test_one_wrong_line_has_the_right_count_and_wrong_content() -> None:
    scores = values(answer(ENTRIES).replace(SENTENCES[2], "Weather: Sunny"))
    assert (scores["exact_match"], scores["right_count"], scores["right_content"]) == (0, 1, 0)
    assert (scores["documents_in_target"], scores["documents_correct"]) == (3, 2)


@pytest.mark.parametrize(
    ("text", "finish_reason", "why"),
    [
        (answer(ENTRIES), "stop", None),
        ("", "stop", "empty"),
        (answer(ENTRIES)[:-3], "length", "cut off"),
        ("I do not know.", "stop", "no title line"),
        (answer(ENTRIES) + "\n", "stop", SET_OTHERWISE),
        (answer(ENTRIES) + "\nMood: Sad\n", "stop", "wrong content"),
        (answer(ENTRIES[:2]), "stop", "wrong count"),
        ("\n" + answer(ENTRIES), "stop", SET_OTHERWISE),
        (answer(ENTRIES).replace("'", "\u2019"), "stop", SET_OTHERWISE),
        (answer(ENTRIES).replace("\n", "\r\n"), "stop", SET_OTHERWISE),
        (answer(ENTRIES[::-1]) + "\n", "stop", "wrong content"),
    ],
)
def test_what_is_not_the_whole_answer_is_wrong_and_says_why(text: str, finish_reason: str, why: str | None) -> None:
    assert values(text, finish_reason=finish_reason)["exact_match"] == (why is None)
    assert reason(text, finish_reason) == why


@pytest.mark.parametrize(
    "text",
    [
        answer(ENTRIES) + "\n",
        answer(ENTRIES).replace("'", "\u2019").replace("\n", "\r\n"),
        "Sure! Here they are:\n\n**" + answer(ENTRIES).replace("\nLoc", "**\n\n- Loc").replace("\nTom", "\n\n**Tom"),
        answer(ENTRIES) + "\n\nLet me know if you need more!",
    ],
)
def test_documents_are_read_through_typography_and_exact_match_is_not(text: str) -> None:
    scores = values(text)
    assert (scores["exact_match"], scores["right_count"], scores["right_content"]) == (0, 1, 0)
    assert (scores["documents_recalled"], scores["documents_correct"], scores["sentences_recalled"]) == (3, 3, 6)
    near = values(text.replace("Weather: Rain", "Weather: Sunny"))
    assert (near["documents_recalled"], near["documents_correct"]) == (3, 2)


def test_a_sentence_too_many_is_no_remark() -> None:
    for added in ("Mood: Sad", "\nMood: Sad.", "- Mood"):
        assert values(f"{answer(ENTRIES)}\n{added}")["documents_correct"] == 2


def test_an_answer_that_corrects_itself_is_counted_as_wrong_and_its_documents_as_nothing() -> None:
    first = ENTRIES[0].text.replace("City", "Sea")
    scores, documents = answer_scores(f"{first}\nWait, that is wrong.\n{answer(ENTRIES)}", ENTRIES, "stop")
    assert (scores["exact_match"].value, scores["documents_correct"]) == (0, Outcome(None, CORRECTED))
    assert list(scores) == list(METRICS["answer"])
    assert documents == []
    again = values(f"{answer(ENTRIES)}\n{answer(ENTRIES[:1])}")
    assert (again["documents_correct"], again["documents_repeated"]) == (3, 1)


def test_bodies_read_through_typography_are_kept_as_they_were_read() -> None:
    table = generations({"generation": f"**{answer(ENTRIES)}"}, {"generation": answer(ENTRIES[:1])})
    _, _, bodies = scored(table, EXAMPLES)
    assert [(body["generation_id"], body["place"]) for body in bodies.to_pylist()] == [("0", 1), ("0", 2), ("0", 3)]
    assert bodies["body"][1].as_py() == "Location: City"


DOCUMENTS = st.lists(st.sampled_from(diary("Tom", 2, 1, 3, 1) + diary("Tim", 2)), max_size=5)


@given(DOCUMENTS, st.sampled_from(["", "\n", "Hm\n"]), st.sampled_from(["", "\n", "\nMood: Sad"]))
def test_exact_match_is_right_count_times_right_content(recalled: list[Document], before: str, after: str) -> None:
    text = before + answer(recalled) + after
    scores = values(text)
    assert scores["exact_match"] == (text == answer(ENTRIES))
    assert scores["exact_match"] == (scores["right_count"] or 0) * (scores["right_content"] or 0)
    kinds = ("in_target", "repeated", "beyond", "foreign")
    assert scores["documents_recalled"] == sum(scores[f"documents_{kind}"] or 0 for kind in kinds)


LONG = diary("Tom", 3, 1, 2, 4)


@pytest.mark.parametrize(
    ("name", "started", "continuation"),
    [
        ("A", LONG[1].text, f"\n{LONG[2].text}\n{LONG[3].text}"),
        ("B", f"{LONG[0].text}\n{LONG[2].text}", f"\n{LONG[3].text}"),
        (
            "C",
            "Tom's Diary Entry 1\nLocation: City",
            f"\nTime: Evening\nWeather: Rain\n{LONG[1].text}\n{LONG[2].text}\n{LONG[3].text}",
        ),
        ("D", f"Tom's Diary Entry 1\nLocation: City\n{LONG[1].text}", f"\n{LONG[2].text}\n{LONG[3].text}"),
        ("E", f"{LONG[3].text}\n{LONG[0].text}", f"\n{LONG[1].text}\n{LONG[2].text}\n{LONG[3].text}"),
    ],
)
def test_the_five_probes(name: str, started: str, continuation: str) -> None:
    assert PROBES[name].started(LONG) == started
    assert PROBES[name].continuation(LONG) == continuation
    assert [score.value for score in probe_scores(continuation, name, LONG).values()] == [1, 1, 0, 1]


def test_half_of_a_one_sentence_entry_is_its_title() -> None:
    assert PROBES["C"].started(diary("Tom", 1)) == "Tom's Diary Entry 1"
    assert PROBES["C"].continuation(diary("Tom", 1)) == "\nLocation: City"
    assert PROBES["D"].started(diary("Tom", 1, 1, 1)).startswith("Tom's Diary Entry 1\nTom's Diary Entry 2\n")


def test_probes_see_what_was_skipped() -> None:
    scores = {metric: score.value for metric, score in probe_scores(f"\n{LONG[2].text}", "E", LONG).items()}
    assert scores == {
        "probe_exact_match": 0,
        "probe_next_document": 0,
        "probe_documents_skipped": 2,
        "probe_recalls_last": 0,
    }
    assert [score.value for score in probe_scores("", "C", diary("Tom", 1)).values()] == [0, 1, 0, 0]


@pytest.mark.parametrize(("entries", "names"), [(1, "C"), (2, "C"), (3, "ACDE"), (4, "ABCDE"), (8, "ABCDE")])
def test_probes_are_asked_of_every_diarist_with_enough_entries(entries: int, names: str) -> None:
    requests = probe_requests([question("Tom", *[2] * entries)])
    assert "".join(request.variant for request in requests) == names


def test_the_boundaries_of_an_answer_are_asked_one_by_one() -> None:
    requests = list(boundary_requests([question("Tom", 1, 2)]))
    first = "Tom's Diary Entry 1\nLocation: City"
    second = f"{first}\nTom's Diary Entry 2\nLocation: City\nTime: Evening"
    assert [(request.stage, request.variant, request.started_answer, request.forced) for request in requests] == [
        ("stop", "after-1", first, ""),
        ("next-title", "after-1", first, "\nTom's Diary Entry 2"),
        ("stop", "after-2", second, ""),
        ("next-title", "after-2", second, "\nTom's Diary Entry 3"),
    ]


def test_a_boundary_is_right_if_ending_is_likelier_exactly_at_the_end() -> None:
    assert boundary_scores("after-1", -5.0, -1.0, 2) == {
        "stop_log_odds": Outcome(-4.0),
        "stop_right": Outcome(1.0),
        "is_last_boundary": Outcome(0.0),
    }
    last = boundary_scores("after-2", -5.0, -1.0, 2)
    assert (last["stop_right"], last["is_last_boundary"]) == (Outcome(0.0), Outcome(1.0))
    assert boundary_scores("after-12", -1.0, -math.inf, 12)["stop_log_odds"].value == math.inf


def scored(calls: pa.Table, examples: pa.Table) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Return the scores, the documents and the bodies of a run of one batch."""
    [scores] = score(FinishedRun(Path("run"), {}, [calls], examples))
    bodies = scores.parsed.get("diary_bodies", pa.table({}))
    return scores.tables["diary-recall"], scores.parsed["diary_documents"], bodies


def generations(*rows: dict[str, object]) -> pa.Table:
    filled = [
        {
            "generation_id": str(number),
            "run_id": "r",
            "example_id": "question-Tom",
            "stage": "answer",
            "variant": "plain",
            "sample": 0,
            "attempt": 0,
            "model": "m",
            "prompt": "p",
            "created_at": 0,
            **row,
        }
        for number, row in enumerate(rows)
    ]
    return pa.Table.from_pylist(filled, schema=GENERATIONS)


EXAMPLES = pa.Table.from_pylist([question("Tom", 2, 1, 3)])


@pytest.mark.parametrize(
    ("text", "value", "why"),
    [
        (answer(ENTRIES), 1.0, None),
        (f"<think>Two entries?</think>\n{answer(ENTRIES)}", 1.0, "thinking taken off"),
        ("<think>Two entries?</think>\nI do not know.", 0.0, "no title line, thinking taken off"),
        (f"Sure! {answer(ENTRIES)}", 0.0, None),
    ],
)
def test_of_a_raw_answer_only_thinking_is_taken_off_and_the_score_says_so(
    text: str, value: float, why: str | None
) -> None:
    scores, _, _ = scored(generations({"generation": text}), EXAMPLES)
    [exact] = [row for row in scores.to_pylist() if row["metric"] == "exact_match"]
    assert exact["value"] == value
    assert exact["reason"] == why or (why is None and "thinking" not in exact["reason"])


def test_a_failed_request_is_null_in_every_metric_with_its_reason() -> None:
    scores, documents, _ = scored(generations({"error": "429 too many"}), EXAMPLES)
    assert scores["metric"].to_pylist() == list(METRICS["answer"])
    assert scores["value"].null_count == len(scores)
    assert set(scores["reason"].to_pylist()) == {"the request failed: 429 too many"}
    assert len(documents) == 0


def test_every_row_has_all_metrics_of_its_stage_in_their_order() -> None:
    table = generations(
        {"generation": ""},
        {"stage": "probe", "variant": "A", "generation": ""},
        {"stage": "stop", "variant": "after-3", "generation": "", "logprob": -1.0},
        {"stage": "next-title", "variant": "after-3", "generation": "\nTom's Diary Entry 4", "logprob": -3.0},
        {"stage": "judge", "generation": "yes"},
    )
    scores, _, _ = scored(table, EXAMPLES)
    rows = scores.to_pylist()
    for number, stage in enumerate(("answer", "probe", "stop")):
        assert [row["metric"] for row in rows if row["generation_id"] == str(number)] == list(METRICS[stage])
    assert {row["metric"]: row["value"] for row in rows if row["generation_id"] == "2"} == {
        "stop_log_odds": 2.0,
        "stop_right": 1.0,
        "is_last_boundary": 1.0,
    }
    assert not [row for row in rows if row["generation_id"] in "34"]


def test_the_next_title_of_another_model_or_sample_is_not_taken() -> None:
    table = generations(
        {"stage": "stop", "variant": "after-1", "generation": "", "logprob": -1.0},
        {"stage": "next-title", "variant": "after-1", "model": "other", "generation": "", "logprob": -3.0},
        {"stage": "next-title", "variant": "after-1", "sample": 1, "generation": "", "logprob": -3.0},
    )
    scores, _, _ = scored(table, EXAMPLES)
    assert scores["value"].to_pylist() == [None, None, 0.0]


def test_documents_are_kept_at_their_own_grain() -> None:
    _, documents, _ = scored(generations({"generation": answer(diary("Tom", 2, 2))}), EXAMPLES)
    assert documents.drop_columns(["generation_id"]).to_pylist() == [
        {"place": 1, "number": 1, "fate": "correct", "recalled_sentences": 2, "target_sentences": 2},
        {"place": 2, "number": 2, "fate": "wrong", "recalled_sentences": 2, "target_sentences": 1},
        {"place": None, "number": 3, "fate": "missing", "recalled_sentences": None, "target_sentences": 3},
    ]


def test_what_is_no_diary_question_is_refused() -> None:
    for completion in ("", "yes", "Mood: Sad\nTom's Diary Entry 1"):
        with pytest.raises(UserError, match="is not a diary question"):
            target({"id": "x", "completion": completion})
    with pytest.raises(UserError, match="no column `completion`"):
        scored(generations({"generation": ""}), EXAMPLES.drop_columns(["completion"]))
