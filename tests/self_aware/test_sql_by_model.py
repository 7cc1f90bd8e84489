"""F1 by size and by tuning, accuracy, and the paper's numbers beside ours: given replies, the numbers of arithmetic."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from selfknow.evaluate.connection import connect
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import Decoding
from tests.self_aware.given import GIVEN, Given, write
from tests.self_aware.test_sql import answer

PAIRS = 10


def abstaining(right: int, wrong: int = 0) -> list[Given]:
    """Write ten pairs: it abstains from so many unanswerable questions, and from so many first answerable ones."""
    return [
        (pair, place, float(pair < (right if place == 0 else wrong) and place < 2), 0.5, 0.0, None)
        for pair in range(PAIRS)
        for place in range(3)
    ]


def f1(right: int, wrong: int = 0) -> float:
    return 2 * right / (right + wrong + PAIRS)


def test_f1_rises_with_size_as_a_line_through_its_points_does(tmp_path: Path) -> None:
    models = {"a": (10**6, 2, False), "b": (10**7, 4, False), "c": (10**8, 9, False), "d": (10**8, 10, True)}
    runs = [
        write(
            tmp_path / name,
            abstaining(right, wrong=1),
            name,
            facts=ModelFacts(num_parameters=size, instruction_tuned=tuned, label=name.upper()),
        )
        for name, (size, right, tuned) in models.items()
    ]
    with connect([*runs, write(tmp_path / "nobody", abstaining(3), "of unknown size")]) as connection:
        rows = answer(connection, "self_aware_by_size")
    assert [(row["model_label"], row["num_parameters"], row["instruction_tuned"]) for row in rows] == [
        (name.upper(), size, tuned) for name, (size, _, tuned) in models.items()
    ]
    assert [row["f1"] for row in rows] == pytest.approx([f1(right, 1) for _, right, _ in models.values()])
    assert {row["chance_f1"] for row in rows} == {2 * 10 / (30 + 10)}
    assert all(row["f1_low"] < row["f1"] <= row["f1_high"] for row in rows)
    slope = np.polyfit([6, 7, 8], [f1(2, 1), f1(4, 1), f1(9, 1)], 1)[0]
    assert [(row["n_sizes"], row["slope"]) for row in rows[:3]] == [(3, pytest.approx(slope))] * 3
    assert rows[0]["slope_low"] < slope < rows[0]["slope_high"]
    assert (rows[3]["n_sizes"], rows[3]["slope"]) == (1, None), "the instruction-tuned one is no point of their line"


def test_what_tuning_adds_is_paired_by_question(tmp_path: Path) -> None:
    base = write(tmp_path / "base", abstaining(4), "base")
    tuned = write(tmp_path / "tuned", abstaining(7, 1), "tuned", facts=ModelFacts(instruction_tuned_from="base"))
    same = write(tmp_path / "same", abstaining(4), "same", facts=ModelFacts(instruction_tuned_from="base"))
    other = write(
        tmp_path / "other", abstaining(9), "other", form="icl", facts=ModelFacts(instruction_tuned_from="base")
    )
    with connect([base, tuned, same, other]) as connection:
        rows = {row["tuned"]: row for row in answer(connection, "self_aware_by_tuning")}
    assert sorted(rows) == ["same", "tuned"], "the base was not asked in the other form"
    row = rows["tuned"]
    assert (row["tuned_f1"], row["base_f1"]) == pytest.approx((f1(7, 1), f1(4)))
    assert row["gain"] == pytest.approx(f1(7, 1) - f1(4))
    assert row["gain_low"] < row["gain"] < row["gain_high"]
    assert (rows["same"]["gain"], rows["same"]["gain_low"], rows["same"]["gain_high"]) == (0, 0, 0)


def test_accuracy_has_an_interval_over_pairs_and_the_most_frequent_answer_as_its_chance_line(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    right = (draw.random(80) < 0.4).astype(float)
    inputs = [(pair, place, 0.0, 0.1, right[pair], None) for pair in range(80) for place in range(3)]
    with connect([write(tmp_path / "run", inputs), write(tmp_path / "few", GIVEN, "few")]) as connection:
        many, few = sorted(answer(connection, "self_aware_accuracy"), key=lambda row: -row["n"])
    assert (many["n"], many["n_graded"], many["n_pairs"]) == (160, 160, 80)
    assert many["accuracy"] == many["substring_match"] == pytest.approx(right.mean())
    # both questions of a pair are right or wrong together: eighty trials, not 160
    low, high = np.quantile(right[draw.integers(0, 80, (4000, 80))].mean(axis=1), [0.025, 0.975])
    assert (many["accuracy_low"], many["accuracy_high"]) == (
        pytest.approx(low, abs=0.015),
        pytest.approx(high, abs=0.015),
    )
    assert many["chance"] == pytest.approx(2 / 160), "every sum but the first and the last is that of two questions"
    assert (few["n"], few["n_graded"], few["accuracy"], few["chance"]) == (6, 5, 3 / 5, pytest.approx(2 / 6))


def test_questions_of_two_sets_are_not_taken_together(tmp_path: Path) -> None:
    runs = [write(tmp_path / config, abstaining(right), config=config) for config, right in (("a", 2), ("b", 8))]
    with connect(runs) as connection:
        rows = answer(connection, "self_aware_f1")
    assert [(row["question_set"], row["n"], row["f1"]) for row in rows] == [
        ("a", 30, pytest.approx(f1(2))),
        ("b", 30, pytest.approx(f1(8))),
    ]


def test_the_papers_numbers_stand_beside_ours_of_the_same_questions_form_and_scorer(tmp_path: Path) -> None:
    def run(name: str, model: str, form: str, scorer: str = "paper", source: str | None = "SelfAware") -> Path:
        return write(tmp_path / name, abstaining(7, 1), model, form=form, scorer=scorer, source=source)

    runs = [
        run("a", "LLaMA-7B", "instruction"),
        run("b", "m", "icl"),
        run("c", "human/ann", "direct"),
        run("d", "other scorer", "icl", scorer="sentences"),
        run("e", "other questions", "icl", source=None),
    ]
    with connect(runs) as connection:
        rows = answer(connection, "self_aware_published")
    f1_rows = [row for row in rows if row["measure"] == "F1"]
    assert {row["model"] for row in f1_rows} == {"LLaMA-7B", "m", "human/ann"}
    same = [row for row in f1_rows if row["is_same_model"]]
    assert [(row["table"], row["row"], row["published"], row["published_n"], row["model"]) for row in same] == [
        ("figure-3", "Human", pytest.approx(0.8493), 100, "human/ann"),
        ("figure-5", "LLaMA-7B", pytest.approx(0.2857), 3369, "LLaMA-7B"),
        ("human", "Volunteer 1", pytest.approx(0.8437), 100, "human/ann"),
        ("human", "Volunteer 2", pytest.approx(0.8548), 100, "human/ann"),
    ]
    assert {(row["n"], row["n_graded"], row["ours"], row["chance"]) for row in f1_rows} == {(30, 30, f1(7, 1), 0.5)}
    in_context = {(row["table"], row["published_model"]): row["published"] for row in f1_rows if row["model"] == "m"}
    assert len(in_context) == 8 + 5
    assert in_context["figure-4", "text-davinci-002"] == pytest.approx(0.6646)
    accuracies = [row for row in rows if row["measure"] == "accuracy"]
    assert {(row["table"], row["form"], row["n"], row["ours"]) for row in accuracies} == {
        ("figure-6", "instruction", 20, 0.0)
    }
    assert len(accuracies) == 8, "accuracy needs no scorer of abstaining, but the form and the questions"


AUTHORS_DECODING = Decoding(max_new_tokens=1024, temperature=0.7)
AUTHORS_SCORER = {"encoder": "princeton-nlp/sup-simcse-roberta-large", "references": "paper"}


def test_a_number_is_for_the_same_setting_only_where_everything_is_as_the_authors_have_it(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"wording": "paper", "limit": None}
    others: dict[str, dict[str, Any]] = {
        "same": {},
        "colder": {"decoding": replace(AUTHORS_DECODING, temperature=0.0)},
        "shorter": {"decoding": replace(AUTHORS_DECODING, max_new_tokens=256)},
        "stopped": {"decoding": replace(AUTHORS_DECODING, stop=("\nQ:",))},
        "fewer": {"settings": {**settings, "limit": 300}},
        "silent about its limit": {"settings": {"wording": "paper"}},
        "silent": {"settings": {}},
        "other phrases": {"references": "strict"},
        "other encoder": {"encoder": "packaged"},
        "other threshold": {"threshold": 0.36},
        "our words": {"form": "instruction", "settings": {**settings, "wording": "ours"}},
    }
    usual = {"form": "paper-instruction", "settings": settings, "decoding": AUTHORS_DECODING, **AUTHORS_SCORER}
    runs = [
        write(tmp_path / name, abstaining(7, 1), name, scorer="paper", source="SelfAware", **{**usual, **other})
        for name, other in others.items()
    ]
    with connect(runs) as connection:
        rows = answer(connection, "self_aware_published")
    beside_llama = {row["model"]: row["is_same_setting"] for row in rows if row["published_model"] == "LLaMA-7B"}
    assert beside_llama == {name: name == "same" for name in others}
    with_penalties = {row["is_same_setting"] for row in rows if row["published_model"] == "text-davinci-003"}
    assert with_penalties == {False}
