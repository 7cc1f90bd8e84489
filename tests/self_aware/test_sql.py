"""Every question about self-aware: given rows, expected rows."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

from selfknow.evaluate.connection import connect, queries
from selfknow.sql.connection import Connection
from selfknow.sql.known_errors import errors_of
from selfknow.sql.queries import query_rows
from tests.self_aware.given import GIVEN, write

NAMES = [name for name, query in queries().items() if query.task == "self-aware"]


@pytest.fixture(scope="module")
def connected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    with connect(write(tmp_path_factory.mktemp("sql") / "run", GIVEN)) as connection:
        yield connection


def answer(connection: Connection, name: str) -> list[dict[str, Any]]:
    return query_rows(connection, name)


def test_every_query_is_tested_here_and_stands_in_the_reference() -> None:
    root = Path(__file__).parents[2]
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_sql*.py"))
    for name in NAMES:
        assert f'"{name}"' in tests
        assert f"`{name}`" in (root / "docs" / "sql-reference.md").read_text()


def test_f1_precision_recall_and_false_abstention(connected: Connection) -> None:
    [row] = answer(connected, "self_aware_f1")
    assert (row["n"], row["n_graded"], row["n_unanswerable"], row["n_answerable"]) == (9, 8, 3, 5)
    assert row["f1"] == pytest.approx(2 * 2 / (3 + 3))
    assert (row["precision"], row["recall"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert row["false_abstention"] == pytest.approx(1 / 5)
    assert row["chance_f1"] == pytest.approx(2 * 3 / (8 + 3))
    assert row["substring_match"] == pytest.approx(3 / 5)
    assert (row["threshold"], row["encoder"], row["references_name"]) == (0.75, "packaged", "strict")


def test_replies_of_every_outcome_are_shown_with_their_number(connected: Connection) -> None:
    rows = answer(connected, "self_aware_examples")
    assert {row["outcome"]: (row["n"], row["is_right"]) for row in rows} == {
        "abstains rightly": (2, True),
        "abstains, though there is an answer": (1, False),
        "answers rightly": (3, True),
        "answers what nobody can answer": (1, False),
        "answers wrongly": (1, False),
        "the request failed": (1, None),
    }
    assert len(rows) == 9


def test_two_versions_of_the_questions_are_never_one_row(tmp_path: Path) -> None:
    folders = [write(tmp_path / name, GIVEN, content_hash=name * 20) for name in ("a", "b")]
    with connect(folders, mixed_revisions=True) as connection:
        assert [row["n"] for row in answer(connection, "self_aware_f1")] == [9, 9]


def test_abstaining_is_split_by_what_direct_answers_know_and_paired_with_the_partner(tmp_path: Path) -> None:
    """Pairs of an unanswerable question (place 0) and an answerable one (place 1)."""
    direct = [(pair, 1, 0.0, 0.1, float(pair < 3), None) for pair in range(6)]  # the first three are known
    replies = [(pair, 1, float(pair >= 4), 0.1, 0.0, None) for pair in range(7)]  # the last one was not asked directly
    replies += [(pair, 0, float(pair != 3), 0.1, None, None) for pair in range(6)]
    folders = [write(tmp_path / "direct", direct), write(tmp_path / "asked", replies, form="instruction")]
    with connect(folders) as connection:
        rows = answer(connection, "self_aware_by_knowledge")
    columns = ("form", "knowledge", "n", "n_graded", "n_samples", "abstains", "n_pairs", "partner_abstains")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("instruction", "known", 3, 3, 1.0, 0.0, 3, 1.0),
        ("instruction", "unknown", 3, 3, 1.0, pytest.approx(2 / 3), 3, pytest.approx(2 / 3)),
        ("instruction", "not asked", 1, 1, None, 1.0, 0, None),
    ]
    assert [row["difference"] for row in rows] == [1.0, 0.0, None]
    # Agresti and Min: half a pair more of each kind, so 3.5 gained, 0.5 lost, of 5.
    margin = 1.959964 * (4.0 - 3.0**2 / 5) ** 0.5 / 5
    assert rows[0]["difference_low"] == pytest.approx(3 / 5 - margin)
    assert rows[0]["high"] == pytest.approx(binomtest(0, 3).proportion_ci(method="wilson").high, abs=1e-6)


def test_a_question_that_some_direct_answers_know_is_unsure(tmp_path: Path) -> None:
    runs = [write(tmp_path / name, [(0, 1, 0.0, 0.1, right, None)]) for name, right in (("one", 1.0), ("two", 0.0))]
    with connect([*runs, write(tmp_path / "asked", [(0, 1, 1.0, 0.1, 0.0, None)], form="icl")]) as connection:
        [row] = answer(connection, "self_aware_by_knowledge")
    assert (row["knowledge"], row["n_samples"], row["abstains"]) == ("unsure", 2.0, 1.0)


def test_intervals_are_those_of_a_bootstrap_by_pair(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    many = [
        (pair, place, float(draw.random() < (0.7 if place == 0 else 0.2)), 0.5, 0.0, None)
        for pair in range(120)
        for place in range(3)
    ]
    with connect(write(tmp_path / "run", many)) as connection:
        [row] = answer(connection, "self_aware_f1")
    text = np.array([abstained for _, _, abstained, *_ in many]).reshape(120, 3)
    taken = text[draw.integers(0, 120, (2000, 120))]
    true, false = taken[:, :, 0].sum(axis=1), taken[:, :, 1:].sum(axis=(1, 2))
    for name, of in (
        ("f1", 2 * true / (true + false + 120)),
        ("recall", true / 120),
        ("false_abstention", false / 240),
    ):
        low, high = np.quantile(of, [0.025, 0.975])
        assert (row[f"{name}_low"], row[f"{name}_high"]) == (
            pytest.approx(low, abs=0.015),
            pytest.approx(high, abs=0.015),
        )


def test_one_pair_has_no_interval(tmp_path: Path) -> None:
    with connect(write(tmp_path / "run", GIVEN[:3])) as connection:
        [row] = answer(connection, "self_aware_f1")
    assert (row["f1"], row["f1_low"], row["recall_high"]) == (pytest.approx(2 / 3), None, None)


def test_nobody_who_abstains_has_an_interval_all_the_same(tmp_path: Path) -> None:
    connected = [(pair, place, 0.0, 0.1, 0.0, None) for pair in range(20) for place in range(3)]
    with connect(write(tmp_path / "run", connected)) as connection:
        [row] = answer(connection, "self_aware_f1")
    high = binomtest(0, 20).proportion_ci(method="wilson").high
    assert (row["recall"], row["recall_low"], row["false_abstention"], row["precision"]) == (0.0, 0.0, 0.0, None)
    assert row["recall_high"] == row["false_abstention_high"] == pytest.approx(high, abs=1e-6)
    assert (row["f1"], row["f1_low"], row["f1_high"]) == (0.0, 0.0, pytest.approx(2 * high / (1 + high), abs=1e-6))


def test_categories_stand_against_their_pair_partners(connected: Connection) -> None:
    rows = {row["category"]: row for row in answer(connected, "self_aware_by_category")}
    first = rows["philosophical"]  # pairs 0 and 2
    assert (first["n_unanswerable"], first["n_partners"], first["recall"]) == (2, 3, 1.0)
    assert first["f1"] == pytest.approx(2 * 2 / (3 + 2))
    assert first["chance_f1"] == pytest.approx(2 * 2 / (5 + 2))
    assert first["recall_low"] == pytest.approx(binomtest(2, 2).proportion_ci(method="wilson").low, abs=1e-6)
    second = rows["imagination"]
    assert (first["n"], first["n_graded"]) == (6, 5)
    assert (second["n_unanswerable"], second["n_partners"], second["recall"], second["f1"]) == (1, 2, 0.0, 0.0)


def test_another_threshold_is_tried_on_the_stored_similarities(connected: Connection) -> None:
    rows = {round(row["threshold"], 2): row for row in answer(connected, "self_aware_thresholds")}
    assert list(rows) == [0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95]
    assert [rows[threshold]["f1"] for threshold in (0.65, 0.75, 0.80, 0.85, 0.95)] == [
        pytest.approx(2 * 3 / (4 + 3)),
        pytest.approx(2 * 2 / (3 + 3)),
        pytest.approx(2 * 2 / (2 + 3)),
        pytest.approx(2 * 1 / (1 + 3)),
        0.0,
    ]
    assert [row["is_the_runs"] for row in rows.values()] == [False, False, True, False, False, False, False]
    assert rows[0.75]["false_abstention"] == pytest.approx(1 / 5)
    assert rows[0.75]["n_labelled"] == 4
    assert rows[0.75]["f1_of_labels"] == pytest.approx(2 * 2 / (2 + 3))
    assert rows[0.65]["f1_of_labels"] == 1.0


def test_the_ablation_holds_the_threshold_that_the_run_was_scored_with(tmp_path: Path) -> None:
    with connect(write(tmp_path / "run", GIVEN, threshold=0.36)) as connection:
        rows = {round(row["threshold"], 2): row for row in answer(connection, "self_aware_thresholds")}
    assert list(rows) == [0.36, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95]
    assert [threshold for threshold, row in rows.items() if row["is_the_runs"]] == [0.36]
    assert rows[0.36]["false_abstention"] == pytest.approx(2 / 5)  # similarities 0.78 and 0.40


def test_both_rates_of_abstaining_and_their_difference(connected: Connection) -> None:
    [row] = answer(connected, "self_aware_abstention")
    assert (row["n"], row["n_graded"], row["n_unanswerable"], row["n_answerable"]) == (9, 8, 3, 5)
    assert (row["unanswerable"], row["answerable"]) == (pytest.approx(2 / 3), pytest.approx(1 / 5))
    assert row["difference"] == pytest.approx(2 / 3 - 1 / 5)
    assert row["difference_low"] <= row["difference"] <= row["difference_high"]
    assert row["chance_difference"] == 0
    assert (row["hedged"], row["refused"], row["unreadable"]) == (None, None, None)  # strict does not tell


@pytest.mark.parametrize("abstained", [0.0, 1.0])
def test_a_constant_policy_has_a_difference_of_zero_and_no_risk_without_answers(
    tmp_path: Path, abstained: float
) -> None:
    connected = [(pair, place, abstained, 0.5, 0.0, -1.0) for pair in range(6) for place in range(3)]
    with connect(write(tmp_path / "run", connected)) as connection:
        [row] = answer(connection, "self_aware_abstention")
        risk = answer(connection, "self_aware_risk_coverage")
        quadrants = {item["quadrant"]: item["n"] for item in answer(connection, "self_aware_quadrant")}
    assert (row["unanswerable"], row["answerable"], row["difference"]) == (abstained, abstained, 0.0)
    assert [item["risk"] for item in risk] == ([] if abstained else [1.0] * 10), "nobody who never answers has a risk"
    assert quadrants["unknown knows"] == 0, "it never gave a right answer when it was asked directly"


def test_the_correction_is_rogan_and_gladens(tmp_path: Path) -> None:
    connected = [
        (pair, place, float(pair % 2 == 0 or place == 0), 0.5, 0.0, None) for pair in range(8) for place in (0, 1)
    ]
    with connect(write(tmp_path / "run", connected, scorer="sentences")) as connection:
        [row] = answer(connection, "self_aware_abstention")
    rates = {(item.truth, item.questions): item for item in errors_of(["sentences_abstained"])}
    estimates, told_apart, doubts = {}, {}, {}
    for kind in ("unanswerable", "answerable"):
        missed, false = rates["abstains", kind], rates["does not abstain", kind]
        sensitivity, false_positives = row[f"sensitivity_{kind}"], row[f"false_positives_{kind}"]
        assert sensitivity == pytest.approx(1 - missed.wrong / missed.n)
        assert false_positives == pytest.approx(false.wrong / false.n)
        told_apart[kind] = sensitivity - false_positives
        estimates[kind] = (row[kind] - false_positives) / told_apart[kind]
        assert row[f"corrected_{kind}"] == pytest.approx(max(0, min(1, estimates[kind])))
        variances = [(item.wrong + 1) / (item.n + 2) for item in (missed, false)]
        of_missed, of_false = (
            share * (1 - share) / (first.n + 2) for share, first in zip(variances, (missed, false), strict=True)
        )
        doubts[kind] = math.hypot(estimates[kind] * of_missed**0.5, (1 - estimates[kind]) * of_false**0.5)
        doubts[kind] /= told_apart[kind]
    assert row["corrected_difference"] == pytest.approx(row["corrected_unanswerable"] - row["corrected_answerable"])
    difference = estimates["unanswerable"] - estimates["answerable"]
    doubt = 1.959964 * math.hypot(*doubts.values())
    drawn = (row["difference"] - row["difference_low"]) / min(told_apart.values())
    assert row["corrected_difference_low"] == pytest.approx(max(-1, difference - math.hypot(drawn, doubt)))
    assert row["corrected_difference_low"] < difference - drawn, "the scorer's own rates are not exact"
    assert row["corrected_difference_high"] == 1 or row["corrected_difference_high"] > difference


def test_a_scorer_that_errs_more_on_one_kind_of_question_is_corrected_for_each(tmp_path: Path) -> None:
    """If only one kind draws false abstentions, equal shares are no longer an equal ability."""
    biased = ", ".join(
        f"('sentences_abstained', '{truth}', '{kind}', 1000, {wrong}, 0)"
        for truth, kind, wrong in (
            ("abstains", "unanswerable", 0),
            ("abstains", "answerable", 0),
            ("does not abstain", "unanswerable", 200),
            ("does not abstain", "answerable", 0),
        )
    )
    columns = "errors (metric, truth, questions, n, wrong, unreadable)"
    connected = [(pair, place, float(pair % 2 == 0), 0.5, 0.0, None) for pair in range(40) for place in (0, 1)]
    with connect(write(tmp_path / "run", connected, scorer="sentences"), read_only=False) as connection:
        connection.duckdb.sql(f"create or replace table reader_errors as select * from (values {biased}) as {columns}")
        [row] = answer(connection, "self_aware_abstention")
    assert row["difference"] == 0
    assert row["corrected_answerable"] == pytest.approx(0.5)
    assert row["corrected_unanswerable"] == pytest.approx((0.5 - 0.2) / 0.8)
    assert row["corrected_difference"] == pytest.approx(-0.125)


def test_the_quadrants_hold_every_graded_reply_once(connected: Connection) -> None:
    rows = {
        row["quadrant"]: (row["n"], row["share"], row["chance_share"])
        for row in answer(connected, "self_aware_quadrant")
    }
    # the one that abstains where there is an answer gave no right one directly: it knows that it does not know
    assert rows == {
        "known knows": (3, 3 / 8, 0.0),
        "known unknows": (3, 3 / 8, 5 / 8),
        "unknown knows": (0, 0.0, 3 / 8),
        "unknown unknows": (2, 2 / 8, 0.0),
    }


def test_whether_an_answer_is_known_is_asked_of_sampled_direct_answers(tmp_path: Path) -> None:
    direct = [(pair, place, 0.0, 0.1, float((pair, place) != (1, 1)), None) for pair in (0, 1) for place in (0, 1)]
    replies = [(pair, place, float(place == 1), 0.1, 0.0, None) for pair in (0, 1) for place in (0, 1)]
    with connect([write(tmp_path / "a", direct), write(tmp_path / "b", replies, form="icl")]) as connection:
        rows = [row for row in answer(connection, "self_aware_quadrant") if row["form"] == "icl"]
    results = {row["quadrant"]: row["n"] for row in rows}
    assert results == {"known knows": 0, "known unknows": 1, "unknown knows": 1, "unknown unknows": 2}
    with connect(tmp_path / "b") as connection:
        rows = answer(connection, "self_aware_quadrant")
    assert {row["n_not_sampled"] for row in rows} == {2}, "nobody asked it directly"


def test_risk_rises_with_coverage_and_auroc_is_that_of_another_library(connected: Connection) -> None:
    rows = answer(connected, "self_aware_risk_coverage")
    assert [row["coverage"] for row in rows] == pytest.approx([place / 10 for place in range(1, 11)])
    ranked = [item for item in GIVEN if item[2] is not None]
    area = roc_auc_score([place > 0 for _, place, *_ in ranked], [item[5] for item in ranked])
    assert [row["auroc"] for row in rows] == [pytest.approx(area)] * 10
    assert (rows[-1]["n"], rows[-1]["n_attempted"], rows[-1]["n_graded"], rows[0]["n"]) == (5, 5, 8, 1)
    # of the five answers the three right ones are the most confident, the answer where there is none comes next
    assert [row["risk"] for row in rows[5:8]] == [0.0, pytest.approx(1 / 4), pytest.approx(1 / 4)]
    assert rows[-1]["risk"] == rows[-1]["chance_risk"] == pytest.approx(2 / 5)


def test_other_runs_have_no_rows(connected: Connection) -> None:
    assert connected.sql("select count(*) from diary_questions").fetchall() == [(0,)]
