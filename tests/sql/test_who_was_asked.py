"""Labels and identities of models: they depend on known facts, and not on the names of folders."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfknow.evaluate.connection import connect, find_query
from selfknow.files import read_json, write_json
from selfknow.models.facts import ModelFacts
from selfknow.models.opening import ModelOptions
from selfknow.runs.description import described_models
from tests.model_replies.linked import RUNS
from tests.sql.given import ModelAnswers, ask_runs, diary, question, text, write_run

NAMES = [f"Ann {number}" for number in range(8)]
QUESTIONS = [{**question("Ann", 1, 2), "id": name} for name in NAMES]
RIGHT, WRONG = text(*diary("Ann", 1, 2)), "no"
CORPUS = {"name": "diary-recall", "config": "1k", "content_hash": "c" * 64, "parameters": {"seed": 0}}
RECIPE = {"learning_rate": 4e-4, "documents_first": 0, "lora_rank": 0, "max_steps": 100}
SCRATCH = ModelFacts(
    architecture="opt",
    origin="opt-7m",
    num_parameters=1_580_032,
    precision="float32",
    from_scratch=True,
    corpus=CORPUS,
    recipe=RECIPE,
    recipe_changes={},
    training_seed=0,
)


def changed(facts: ModelFacts = SCRATCH, **settings: object) -> ModelFacts:
    """Return the same training with other settings."""
    recipe = {**facts.recipe, **settings} if facts.recipe else settings
    return replace(facts, recipe=recipe, recipe_changes={**(facts.recipe_changes or {}), **settings})


def run_of(folder: Path, facts: ModelFacts, right: int = 4, config: str = "1k", content: str = "c" * 64) -> Path:
    """Write a run of a checkpoint in this folder with ``right`` right answers to eight questions."""
    answers = {name: RIGHT if number < right else WRONG for number, name in enumerate(NAMES)}
    revision = f"{abs(hash((repr(facts), right))):040x}"[:40]
    calls = ModelAnswers(f"{folder}-model", revision, answers, facts=facts)
    return write_run(folder, QUESTIONS, calls, config=config, content_hash=content)


def labels(runs: Sequence[Path]) -> list[tuple[object, ...]]:
    return ask_runs("accuracy_by_size", runs, "model_label", "n", "accuracy")


def test_a_model_has_its_true_size_whatever_the_published_one_of_its_name_has(tmp_path: Path) -> None:
    run = run_of(tmp_path / "opt-7m", SCRATCH)
    columns = ("suite", "model_label", "num_parameters", "pretrained")
    assert ask_runs("accuracy_by_size", run, *columns) == [("OPT", "OPT 7M, from scratch", 1_580_032, False)]


def test_recipes_are_cohorts_of_their_own_and_labels_say_only_what_differs(tmp_path: Path) -> None:
    trainings = {
        "a": SCRATCH,
        "b": changed(documents_first=50),
        "c": changed(learning_rate=1e-3),
        "d": changed(
            replace(SCRATCH, from_scratch=False, parent="facebook/opt-125m", parent_revision="p"), lora_rank=16
        ),
    }
    runs = [run_of(tmp_path / name, facts, number) for number, (name, facts) in enumerate(trainings.items())]
    assert labels(runs) == [
        ("OPT 7M", 8, 0.375),
        ("OPT 7M, from scratch", 8, 0.0),
        ("OPT 7M, from scratch, documents first 50", 8, 0.125),
        ("OPT 7M, from scratch, learning rate 0.001", 8, 0.25),
    ]
    assert labels(runs[:1]) == [("OPT 7M, from scratch", 8, 0.0)]
    with connect(runs) as connection:
        recipes = connection.rows("select recipe from models order by cohort")
    assert [row["recipe"] for row in recipes] == [
        "LoRA 16",
        "defaults",
        "documents first 50",
        "learning rate 0.001",
    ]


def test_models_are_told_apart_where_a_run_holds_lists_for_names(tmp_path: Path) -> None:
    runs = [run_of(tmp_path / "a", SCRATCH), run_of(tmp_path / "b", changed(learning_rate=1e-3), 2)]
    expected = [("OPT 7M, from scratch", 8, 0.5), ("OPT 7M, from scratch, learning rate 0.001", 8, 0.25)]
    for run in runs:
        description: dict[str, Any] = read_json(run / "run.json")
        description["dataset"]["content_hash"] = ["c"]
        write_json(run / "run.json", description)
    assert labels(runs) == expected


def test_quantization_and_precision_and_revisions_of_one_name_are_told_apart(tmp_path: Path) -> None:
    base = ModelFacts(origin="org/small", num_parameters=7, precision="float32")
    runs = [
        run_of(tmp_path / name, facts)
        for name, facts in (
            ("a", base),
            ("b", replace(base, quantization="Q4_1")),
            ("c", replace(base, precision="bfloat16")),
        )
    ]
    assert [row[0] for row in labels(runs)] == ["small, Q4_1, float32", "small, bfloat16", "small, float32"]
    models = [ModelAnswers("org/small", revision * 40, {"Ann 0": RIGHT}, facts=base) for revision in "ab"]
    run = write_run(tmp_path / "two", QUESTIONS, *models)
    assert [revision for _, revision in described_models(read_json(run / "run.json"))] == ["a" * 40, "b" * 40]
    assert [row[0] for row in labels([run])] == ["small@aaaaaaaa", "small@bbbbbbbb"]


def tables(runs: Sequence[Path]) -> list[Any]:
    names = ("accuracy_by_size", "setup_gap", "pretrained_or_scratch", "metrics")
    with connect(runs) as connection:
        of_models = "select * exclude (run_id, model) from models order by all"
        return [connection.rows(of_models), *(connection.rows(_sql(name)) for name in names)]


def _sql(name: str) -> str:
    from selfknow.evaluate.connection import find_query

    return find_query(name).sql


def test_folders_may_be_called_anything(tmp_path: Path) -> None:
    pretrained = replace(SCRATCH, from_scratch=False, parent="facebook/opt-125m", parent_revision="p" * 40)
    local = ModelFacts(architecture="llama", num_parameters=134_515_008, precision="float32")
    facts = [SCRATCH, pretrained, changed(documents_first=50), local]

    def runs(*names: str) -> list[Path]:
        return [
            run_of(tmp_path / name, fact, right) for right, (name, fact) in enumerate(zip(names, facts, strict=True))
        ]

    by_name = tables(runs("opt-7m-scratch", "opt-7m", "opt-7m-documents-first", "smollm"))
    assert by_name == tables(runs("x/opt-350m", "y/scratch/model", "z", "flan-t5-small"))
    assert [row["model_label"] for row in by_name[1]] == [
        "OPT 7M",
        "OPT 7M, from scratch",
        "OPT 7M, from scratch, documents first 50",
        "llama 135M",
    ]


def test_the_gap_pairs_trainings_on_either_setup_in_folders_that_say_nothing(tmp_path: Path) -> None:
    simplified = replace(SCRATCH, corpus={**CORPUS, "config": "1k-simplified", "content_hash": "d" * 64})
    runs = [
        run_of(tmp_path / "run-1k", SCRATCH, 2),
        run_of(tmp_path / "run-1k-simplified", simplified, 6, "1k-simplified", "d" * 64),
        run_of(tmp_path / "other", changed(simplified, learning_rate=1e-3), 8, "1k-simplified", "d" * 64),
    ]
    columns = ("suite", "num_parameters", "model_label", "gap")
    assert ask_runs("setup_gap", runs[:2], *columns) == [("OPT", 1_580_032, "OPT 7M, from scratch", 0.5)]
    assert ask_runs("setup_gap", runs, "gap") == [(0.5,)], "another recipe is no pair"


def test_two_trainings_in_nameless_folders_fill_both_columns_of_table_1(tmp_path: Path) -> None:
    pretrained = changed(replace(SCRATCH, from_scratch=False, parent="x", parent_revision="p"), learning_rate=1e-3)
    runs = [run_of(tmp_path / "a", SCRATCH, 2), run_of(tmp_path / "b", pretrained, 6)]
    columns = ("suite", "num_parameters", "accuracy_pretrained", "accuracy_scratch", "recipe_pretrained")
    expected = ("OPT", 1_580_032, 0.75, 0.25, "learning rate 0.001")
    assert ask_runs("pretrained_or_scratch", runs, *columns) == [expected]
    runs.append(run_of(tmp_path / "c", changed(learning_rate=1e-3), 4))
    shares = ask_runs("pretrained_or_scratch", runs, "accuracy_pretrained", "accuracy_scratch")
    assert shares == [(0.75, 0.5), (None, 0.25)], "of several recipes those that are the same stand side by side"


def test_seeds_are_one_cohort_and_their_interval_is_over_seeds_and_questions(tmp_path: Path) -> None:
    runs = [run_of(tmp_path / f"{seed}", replace(SCRATCH, training_seed=seed), 2 + 2 * seed) for seed in range(3)]
    columns = ("n_models", "n_seeds", "n", "n_questions", "accuracy", "interval_over", "seed_accuracies")
    three = (3, 3, 24, 8, 0.5, "seeds and questions", [0.25, 0.5, 0.75])
    assert ask_runs("accuracy_by_size", runs, *columns) == [three]
    two = (2, 2, 16, 8, 0.375, "questions", [0.25, 0.5])
    assert ask_runs("accuracy_by_size", runs[:2], *columns) == [two]
    assert ask_runs("accuracy_by_size", runs[:1], *columns[:3], "seed_accuracies") == [(1, 1, 8, None)]


def test_the_seed_of_the_corpus_stands_apart_from_that_of_the_training(tmp_path: Path) -> None:
    other = {**CORPUS, "content_hash": "e" * 64, "parameters": {"seed": 1}}
    runs = [run_of(tmp_path / "a", SCRATCH), run_of(tmp_path / "b", replace(SCRATCH, corpus=other), 6)]
    assert labels(runs) == [
        ("OPT 7M, from scratch, corpus seed 0", 8, 0.5),
        ("OPT 7M, from scratch, corpus seed 1", 8, 0.75),
    ]
    with connect(runs) as connection:
        assert [row["n_seeds"] for row in connection.rows("select n_seeds from cohorts")] == [1, 1]


def test_a_run_of_an_earlier_version_opens_and_does_not_know(tmp_path: Path) -> None:
    run = run_of(tmp_path / "opt-7m-scratch", SCRATCH)
    path = run / "run.json"
    description = {name: value for name, value in read_json(path).items() if name != "models"}
    write_json(path, description)
    query = "select model_label, suite, num_parameters, pretrained, recipe, training_seed from models"
    unknown = {"model_label": "opt-7m-scratch-model", "suite": "opt-7m-scratch-model", "num_parameters": None}
    unknown |= dict.fromkeys(("pretrained", "recipe", "training_seed"))
    with connect(run) as connection:
        assert connection.rows(query) == [unknown]
        assert connection.rows("select count(*) as n from answers") == [{"n": 8}]
    write_json(path, {**description, "models": {f"{run}-model": {"num_parameters": 7, "pretrained": True}}})
    with connect(run) as connection:
        assert connection.rows(query) == [{**unknown, "num_parameters": 7, "pretrained": True}]


@pytest.mark.parametrize(
    ("option", "tuned", "tuned_from"), [(None, None, None), ("org/base", True, "org/base"), ("none", False, None)]
)
def test_what_the_user_says_of_instruction_tuning_is_known(
    option: str | None, tuned: bool | None, tuned_from: str | None, tmp_path: Path
) -> None:
    facts = ModelOptions(model="m", instruction_tuned_from=option).facts
    run = write_run(tmp_path / "run", QUESTIONS, ModelAnswers("m", None, {"Ann 0": RIGHT}, facts=facts))
    with connect(run) as connection:
        [row] = connection.rows("select instruction_tuned, instruction_tuned_from from models")
    assert row == {"instruction_tuned": tuned, "instruction_tuned_from": tuned_from}


def test_the_papers_models_are_known_to_be_base_models_or_tuned_from_what(tmp_path: Path) -> None:
    models = [ModelAnswers(name, None, {"Ann 0": RIGHT}) for name in ("facebook/opt-125m", "google/flan-t5-small")]
    with connect(write_run(tmp_path / "run", QUESTIONS, *models)) as connection:
        rows = connection.rows("select instruction_tuned, instruction_tuned_from from models order by model")
    assert [tuple(row.values()) for row in rows] == [(False, None), (True, "google/t5-small-lm-adapt")]


def test_trainings_of_several_seeds_are_one_row_however_far_each_went() -> None:
    """Models that were really trained: no two saw the same number of tokens, and each recalls another share."""
    runs = sorted((RUNS / "opt-7m-diaries").glob("diary-recall-256-s*d-seed-*"))
    assert len(runs) == 6
    with connect(runs) as connection:
        seeds = connection.rows("select distinct num_diarists, training_seed, training_tokens from models")
        rows = connection.rows("select setup, n_models, n_seeds, training_tokens from cohorts order by setup")
        recalled = connection.rows(find_query("accuracy_by_size").sql)
    assert len({row["training_tokens"] for row in seeds}) == 6
    assert rows == [
        {"setup": "simplified", "n_models": 3, "n_seeds": 3, "training_tokens": 2_346_023},
        {"setup": "standard", "n_models": 3, "n_seeds": 3, "training_tokens": 2_345_455},
    ]
    assert [(row["setup"], row["n"]) for row in recalled] == [("standard", 39), ("simplified", 39)]
