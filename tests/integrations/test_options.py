"""Options of the tasks as the command lines of Inspect and lm-evaluation-harness read them."""

import ast
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import read_eval_log

from selfknow.errors import UserError
from selfknow.integrations import inspect_tasks
from selfknow.integrations.lm_eval_tasks.asking import METADATA, check_keys, rows
from selfknow.integrations.option_values import as_declared
from tests.integrations.command_lines import inspect_eval, of_inspect, run_program

DATASETS = {"diary-recall": "diary-recall:1k", "self-aware": "self-aware:authored", "according-to": "according-to:nq"}


def test_the_null_prompt_is_named_on_the_command_line_of_inspect(
    checkpoint: Path, questions: Path, portrait: Path, tmp_path: Path
) -> None:
    options = {"prompts": "null", "portrait": portrait, "questions": questions}
    log = inspect_eval("according_to", checkpoint, tmp_path, "--max-tokens", 4, samples=1, **options)
    replies, _ = of_inspect(log)
    assert [variant for _, variant, _ in replies] == ["null"]


def test_a_wrong_value_is_one_line_on_the_command_line_of_inspect(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError) as refusal:  # Inspect prints its message alone
        inspect_eval("self_aware", checkpoint, tmp_path, samples=2, form="yes,no", limit=2)
    assert str(refusal.value.message).startswith("there is no input form 'yes,no'")


def test_a_local_model_does_not_draw_at_random_where_the_paper_is_greedy(
    checkpoint: Path, diaries: str, tmp_path: Path
) -> None:
    words = ("--model", f"hf/{checkpoint}", "-T", f"dataset={diaries}", "-T", "limit=1", "--display", "none")
    with suppress(SystemExit):
        run_program("inspect", "eval", "selfknow/diary_recall", *words, "--log-dir", tmp_path, "--max-connections", 1)
    [log] = map(read_eval_log, map(str, tmp_path.glob("*.eval")))
    assert log.status == "error"
    assert log.error
    assert "set `do_sample=False`" in log.error.message


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("self_aware", {"form": None}, "there is no input form 'null'"),
        ("self_aware", {"form": True}, "form must be a text, not True"),
        ("self_aware", {"limit": "all"}, "limit must be a whole number, not 'all'"),
        ("self_aware", {"limit": 0}, "limit must be at least 1, not 0"),
        ("self_aware", {"dataset": ["self-aware:a", "b"]}, "self-aware has no config 'a,b'"),
        ("diary_recall", {"split": None}, "null"),
        ("according_to", {"portrait": "nowhere", "prompts": 3}, "there is no prompt '3'"),
        ("according_to", {"portrait": "nowhere", "prompt_format": ["long", "short"]}, "'long,short'"),
        ("self_knowledge", {"style": ["plain", "curt"]}, "curt"),
        ("self_knowledge", {"protocol": None}, "null"),
    ],
)
def test_a_value_that_is_no_such_option_is_refused_by_name(
    task: str, options: dict[str, Any], message: str, questions: Path
) -> None:
    more = {"questions": str(questions)} if task == "according_to" else {}
    with pytest.raises(PrerequisiteError) as refusal:
        getattr(inspect_tasks, task)(**options, **more)
    assert message in str(refusal.value.message)


def test_several_styles_are_asked_as_the_command_line_of_ours_asks_them() -> None:
    task = inspect_tasks.self_knowledge(style=["plain", "cot"], limit=1)
    assert [sample.id for sample in task.dataset] == ["total-count-000-plain", "total-count-000-cot"]


def test_a_text_that_was_read_as_something_else_is_a_text_again() -> None:
    assert as_declared("corpus_name", ["Tom", " Dick & Harry"], str) == "Tom, Dick & Harry"
    assert as_declared("corpus_name", 1984, str) == "1984"
    assert as_declared("prompt_format", None, str | None) is None
    assert as_declared("limit", 20, int | None) == 20
    assert as_declared("probes", True, bool) is True
    with pytest.raises(UserError, match=r"corpus_name must be a text, not 1\.1"):
        as_declared("corpus_name", 1.1, str)
    with pytest.raises(UserError, match="limit must be a whole number, not True"):
        as_declared("limit", True, int | None)
    with pytest.raises(UserError, match="probes must be true or false, not 'maybe'"):
        as_declared("probes", "maybe", bool)


def test_keys_of_other_families_and_of_models_are_left_alone() -> None:
    everything = {"portrait": "P", "questions": "nq", "limit": 2, "pretrained": "gpt2", "max_seq_lengths": [4096]}
    assert [row["id"] for row in rows(selfknow={"dataset": "self-aware:authored"}, **everything)["test"]] != []
    for family, dataset in DATASETS.items():
        assert check_keys(dataset, {**everything, "split": "test", "version": 1.0}) == METADATA[family]


@pytest.mark.parametrize(
    ("family", "key", "message"),
    [
        ("according-to", "portrat", "unknown key 'portrat' in --metadata: did you mean 'portrait'?"),
        ("according-to", "question", "unknown key 'question' in --metadata: did you mean 'questions'?"),
        ("self-aware", "limt", "unknown key 'limt' in --metadata: did you mean 'limit'?"),
        ("self-aware", "form", "--metadata cannot set form of self-aware: it takes limit"),
        ("self-aware", "wording", "--metadata cannot set wording of self-aware: it takes limit"),
        ("diary-recall", "probes", "--metadata cannot set probes of diary-recall: it takes limit, split"),
    ],
)
def test_a_key_that_is_misspelt_or_cannot_be_set_is_refused(family: str, key: str, message: str) -> None:
    with pytest.raises(UserError) as refusal:
        check_keys(DATASETS[family], {key: 1})
    assert str(refusal.value) == message
    for other in DATASETS.keys() - {family}:
        if key != "limt":  # every family takes a limit
            check_keys(DATASETS[other], {key: 1})


def test_no_argument_of_a_model_of_the_harness_is_taken_for_a_key() -> None:
    spec = find_spec("lm_eval.models")
    assert spec
    assert spec.submodule_search_locations
    files = Path(spec.submodule_search_locations[0]).glob("*.py")
    functions = (node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    starts = [node.args for node in functions if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    arguments = {argument.arg for start in starts for argument in (*start.args, *start.kwonlyargs)}
    assert {"pretrained", "tokenizer", "truncation", "dtype"} < arguments
    for dataset in DATASETS.values():
        check_keys(dataset, dict.fromkeys(arguments))


def test_what_makes_several_calls_a_row_cannot_run_in_the_harness() -> None:
    with pytest.raises(UserError, match="self-knowledge:total-count cannot run in lm-evaluation-harness"):
        rows(selfknow={"dataset": "self-knowledge:total-count"})
