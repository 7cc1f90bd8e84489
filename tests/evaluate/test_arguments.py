"""The arguments of Python: complete, of the options' own types, and named by errors as Python writes them."""

from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_origin, get_overloads, get_type_hints, is_typeddict

import pytest

import selfknow
from selfknow.builders.according_to.prompts import question_sets
from selfknow.builders.catalogue import DATASETS
from selfknow.errors import UserError, argument, command_line
from selfknow.evaluate import arguments
from selfknow.evaluate.arguments import AskArguments, ConnectArguments, ModelArguments, SampledArguments, ScoreArguments
from selfknow.evaluate.catalogue import TASKS, find_task
from selfknow.evaluate.cost import CostOptions
from selfknow.evaluate.run import ask
from selfknow.evaluate.tasks.according_to.questions import KING_JAMES_BIBLE
from selfknow.models.function import FunctionModel
from selfknow.models.interface import ReplyOptions
from selfknow.models.opening import ModelOptions

OVERLOADS = [get_type_hints(overload) for overload in get_overloads(ask)]
BY_SET = {name: get_args(hints["arguments"])[0] for hints in OVERLOADS for name in get_args(hints["task"])}


def declared(options: type[Any]) -> dict[str, Any]:
    """Return the types of an options class as an argument takes them."""
    hints = get_type_hints(options)
    return {field.name: _as_argument(hints[field.name]) for field in fields(options)}


def _as_argument(type_: Any) -> Any:
    if get_origin(type_) is tuple:
        return arguments.Texts
    return arguments.StrPath | None if Path in get_args(type_) else type_


@pytest.mark.parametrize("name", BY_SET)
def test_the_arguments_of_a_set_are_the_fields_of_its_options(name: str) -> None:
    typed = BY_SET[name]
    assert is_typeddict(typed)
    expected = {"name": str | None, "quiet": bool}
    for options in (find_task(name).options, ModelOptions, ReplyOptions, CostOptions):
        expected |= declared(options)
    del expected["model"]  # a parameter of its own
    assert get_type_hints(typed) == expected


def test_every_set_that_can_be_named_has_its_arguments() -> None:
    datasets = [DATASETS[name] for task in TASKS for name in task.datasets]
    sets = {
        f"{dataset.name}:{config}" if len(dataset.configs) > 1 else dataset.name
        for dataset in datasets
        for config in dataset.configs
    }
    sets |= {f"according-to:{name}" for name in (*question_sets(), KING_JAMES_BIBLE)}
    sets |= {"according-to:continuation", "self-knowledge:agents", "gsm8k"}
    assert set(BY_SET) == sets
    files = {"according-to:my.jsonl", "gsm8k:questions.jsonl", "self-aware:questions.csv"}
    assert {usage.split()[0] for task in TASKS for usage in task.usage} <= sets | files


def test_other_names_take_what_every_set_takes() -> None:
    [hints] = [hints for hints in OVERLOADS if hints["task"] is str]
    assert get_args(hints["arguments"]) == (SampledArguments,)
    assert set(get_type_hints(AskArguments)) == set(get_type_hints(SampledArguments)) - {"samples"}


def test_the_arguments_of_scoring_judging_and_connecting_are_those_that_exist() -> None:
    scoring = {name: type_ for task in TASKS for name, type_ in declared(task.score_options).items()}
    assert get_type_hints(ScoreArguments) == scoring
    judging = declared(ModelOptions) | declared(ReplyOptions)
    del judging["model"]
    assert get_type_hints(ModelArguments) == judging
    connecting = set(selfknow.connect.__kwdefaults__) | {"portraits"}
    assert set(ConnectArguments.__annotations__) == connecting


def test_options_as_an_object_are_taken_for_a_set_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text('{"question": "1 + 1?", "answer": "#### 2"}\n')
    options = find_task("gsm8k").options(samples=2)
    run = ask(f"gsm8k:{path}", lambda prompt: "#### 2", out=tmp_path / "run", options=options, quiet=True)
    assert run.progress[0].requested == 2
    again = ask(f"gsm8k:{path}", lambda prompt: "#### 2", out=tmp_path / "3", options=options, samples=3, quiet=True)
    assert again.progress[0].requested == 3, "what is named besides counts"
    with pytest.raises(UserError, match=r"^options= are SelfAwareOptions: use Gsm8kOptions$"):
        ask(f"gsm8k:{path}", lambda prompt: "", out=tmp_path / "run", options=find_task("self-aware").options())


@pytest.mark.parametrize(
    ("task", "options", "line"),
    [
        ("self-aware", {}, "name a model=, an endpoint=, or both"),
        ("self-aware", {"limit": 0}, "limit must be at least 1, not 0"),
        ("self-aware", {"limit": "20"}, "limit must be a number, not '20'"),
        ("self-aware", {"wording": "paper", "examples": True}, "leave it out with template= and wording='paper'"),
        ("self-aware", {"form": "mine"}, "(your own prompt is template=)"),
        ("according-to:nq", {}, "name the corpus's portrait, portrait=: a folder"),
        ("according-to:continuation", {}, "name the text to continue, passages=, and its portrait, portrait="),
        ("self-knowledge:image-color", {"model": "m"}, "(image_model=, image_endpoint=)"),
        ("self-knowledge:agents", {"model": "m", "verifier": ["a", "b"]}, "name one verifier=, not 2"),
    ],
)
def test_errors_name_pythons_arguments(task: str, options: dict[str, Any], line: str, tmp_path: Path) -> None:
    model = options.pop("model", None)
    with pytest.raises(UserError) as refused:
        selfknow.ask(task, model, out=tmp_path / "run", **options)
    assert line in str(refused.value)
    assert "--" not in str(refused.value)


def test_errors_of_an_open_run_name_pythons_arguments(tmp_path: Path) -> None:
    model = FunctionModel(lambda prompt: "unknown", name="unsure")
    run = selfknow.ask("self-aware", model, out=tmp_path / "run", limit=2, quiet=True)
    with pytest.raises(UserError, match=r"^threshold= is for scorer='paper' and scorer='strict': name one of them$"):
        run.score(threshold=0.5, scorer="sentences")
    with pytest.raises(UserError, match=r"\(read_only=False allows other statements\)"):
        run.sql("create table mine as select 1")


def test_an_argument_is_a_flag_on_the_command_line_alone() -> None:
    written = [("limit", None), ("limit", 3), ("chat", False), ("text", True), ("wording", "paper")]
    python = [argument(name, value) for name, value in written]
    with command_line():
        flags = [argument(name, value) for name, value in written]
        assert argument("corpora", flag="corpus FOLDER") == "--corpus FOLDER"
    assert python == ["limit=", "limit=3", "chat=False", "text=True", "wording='paper'"]
    assert flags == ["--limit", "--limit 3", "--no-chat", "--text", "--wording paper"]
    assert argument("corpora", flag="corpus FOLDER") == "corpora=", "the block is over"
