"""The forms in which questions are put to a model."""

import json
from pathlib import Path

import pytest

from selfknow.builders.self_aware.question_text import normalized
from selfknow.builders.self_aware.questions import SPLITS, question_table
from selfknow.errors import UserError
from selfknow.evaluate.dataset import ConfigFiles
from selfknow.evaluate.run import ask
from selfknow.evaluate.tasks.self_aware.prompts import FORMS, choose_shots, requests, template_name
from selfknow.evaluate.tasks.self_aware.questions import read_questions
from selfknow.files import read_json
from selfknow.models.function import FunctionModel
from selfknow.runs.schema import read_generations
from tests.conftest import Run
from tests.evaluate.faulty_server import Behaviour, serve

QUESTION = {"id": "one", "question": "Who broke the {cue} jug?"}


def prompt(form: str) -> str:
    [request] = requests([QUESTION], form)
    assert (request.example_id, request.stage, request.variant) == ("one", "answer", form)
    return request.prompt


def test_the_direct_form_is_question_and_cue_alone() -> None:
    assert prompt("direct") == "Question: Who broke the {cue} jug?\nAnswer:"


def test_the_instruction_allows_the_answer_to_be_unknown_and_shows_no_example() -> None:
    text = prompt("instruction")
    assert text.endswith("\n\n" + prompt("direct"))
    assert text.count("The answer is unknown.") == 1
    assert text.count("Question:") == 1


def test_in_context_learning_shows_three_examples_of_each_in_turn() -> None:
    text = prompt("icl")
    assert text.endswith("\n\n" + prompt("direct"))
    answers = [block.split("Answer: ")[1] for block in text.split("\n\n")[1:-1]]
    assert [answer == "The answer is unknown." for answer in answers] == [False, True] * 3


def test_no_example_is_among_the_evaluated_questions() -> None:
    prompts = [text for split in SPLITS for text in question_table(split, 0)["question"].to_pylist()]
    known = {normalized(text) for text in prompts}
    assert not [shot for shot in choose_shots([]) if normalized(shot["question"]) in known]


def test_an_example_that_is_asked_gives_way_to_the_next_one() -> None:
    first, *_ = usual = choose_shots([])
    other = choose_shots([first["question"].upper()])
    assert first not in other
    assert len(other) == 6
    assert other[1::2] == usual[1::2]


def test_too_many_asked_examples_are_refused() -> None:
    first = [shot["question"] for shot in choose_shots([])]
    with pytest.raises(UserError, match="use a form other than icl"):
        choose_shots([*first, *(shot["question"] for shot in choose_shots(first[:3]))])


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(UserError, match="there is no input form 'Direct': did you mean 'direct'"):
        requests([QUESTION], "Direct")


def test_every_sample_is_a_call_of_its_own() -> None:
    keys = {request.key for form in FORMS for request in requests([QUESTION], form, samples=3)}
    assert len(keys) == 9


def test_the_command_line_asks_a_served_model_as_the_paper_does(selfknow: Run, aware_folder: ConfigFiles) -> None:
    behaviour = Behaviour()
    with serve(behaviour) as url:
        arguments = ("evaluate", aware_folder.folder, "--form", "icl", "--endpoint", url, "--model", "served")
        result = selfknow(*arguments, "--out", "run", "--format", "json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)[0]["answered"] == len(read_questions(aware_folder))
    body = behaviour.bodies[0]
    assert (body["temperature"], body["max_tokens"], body["stop"]) == (0.7, 256, ["\nQuestion:"])
    assert all(body["messages"][0]["content"].count("Question:") == 7 for body in behaviour.bodies)


def test_options_of_another_task_are_refused(selfknow: Run, aware_folder: ConfigFiles) -> None:
    for option in (("--portrait", "wiki"), ("--counts", "counts.csv"), ("--prompt-format", "short")):
        result = selfknow("evaluate", aware_folder.folder, *option, "--model", "x", "--out", "run")
        assert result.returncode == 2
        assert f"{option[0]} is for according-to" in result.stderr


def test_a_form_that_does_not_exist_is_the_users_mistake(selfknow: Run) -> None:
    result = selfknow("evaluate", "self-aware", "--form", "few", "--model", "x", "--out", "run")
    assert result.returncode == 2
    assert "there is no input form 'few'" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_template_of_ones_own_is_asked_and_recorded_by_its_content(
    selfknow: Run, aware_folder: ConfigFiles, tmp_path: Path
) -> None:
    text = "Is there an answer to {question}\nOr not? {shots}"
    (tmp_path / "mine.txt").write_text(text + "\n")
    (tmp_path / "moved.txt").write_text(text)
    (tmp_path / "other.txt").write_text("{question}")
    model = FunctionModel(lambda prompt: "unknown")
    folder = str(aware_folder.folder)
    for name in ("mine.txt", "moved.txt"):
        run = ask(folder, model, out=tmp_path / "run", template=tmp_path / name, limit=3, quiet=True)
    assert (run.progress[0].answered_before, run.progress[0].answered) == (3, 0), "the same text is the same run"
    rows = read_generations(tmp_path / "run").to_pylist()
    assert {row["variant"] for row in rows} == {template_name(text)}
    assert "Is there an answer to What is 8 plus 1?\nOr not? {shots}" in {row["prompt"] for row in rows}
    assert read_json(tmp_path / "run" / "run.json")["settings"]["template"] == text
    with pytest.raises(UserError, match="template"):
        ask(folder, model, out=tmp_path / "run", template=tmp_path / "other.txt", limit=3, quiet=True)
    result = selfknow("evaluate", folder, "--template", "mine.txt", "--form", "icl", "--model", "x", "--out", "new")
    assert (result.returncode, "--template replaces --form" in result.stderr) == (2, True)


def test_a_template_without_a_place_for_the_question_is_refused(aware_folder: ConfigFiles, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Is there an answer to {Question}?")
    model = FunctionModel(lambda prompt: "unknown")
    for name, message in (("mine.txt", r"has no \{question\}: write it"), ("gone.txt", "gone.txt cannot be read")):
        with pytest.raises(UserError, match=message):
            ask(str(aware_folder.folder), model, out=tmp_path / "run", template=tmp_path / name, quiet=True)


def test_a_limit_keeps_the_shares_of_the_labels(aware_folder: ConfigFiles) -> None:
    assert len(read_questions(aware_folder, 1)) == 1, "no question of a half is a sample, too"
    answerable = read_questions(aware_folder, 6)["answerable"].to_pylist()
    assert (answerable.count(True), answerable.count(False)) == (4, 2)
