"""The authors' own prompts, and what completion models are shown in ours."""

from pathlib import Path
from typing import Any

import pytest

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import find_task
from selfknow.evaluate.task import SoFar
from selfknow.evaluate.tasks.self_aware.task import SelfAwareOptions
from selfknow.models.interface import Decoding, Request

QUESTION = "Does a river mind {how} it ends?"


def asked(folder: Path, **options: Any) -> tuple[Request, Any]:
    task, _ = find_task("self-aware:authored")
    chosen = SelfAwareOptions(limit=2, **options)
    rows = task.open("self-aware:authored", chosen, folder)
    [stage] = task.stages(chosen, rows)
    return next(iter(stage.requests(SoFar(folder, [{"id": "1", "question": QUESTION}])))), rows


def test_the_authors_prompts_are_asked_to_the_letter(tmp_path: Path) -> None:
    direct, rows = asked(tmp_path, wording="paper")
    assert direct.prompt == f"Q:{QUESTION}\nA:"
    assert (direct.variant, rows.settings["form"], rows.settings["wording"]) == (
        "paper-direct",
        "paper-direct",
        "paper",
    )
    instruction, _ = asked(tmp_path, wording="paper", form="instruction")
    assert instruction.prompt == (
        "When answering questions, interpret them literally and think them carefully. If the question is unanswerable "
        f'or unknowable, it is appropriate to say, "The answer is unknown."\nQ: {QUESTION}\nA:'
    )
    icl, _ = asked(tmp_path, wording="paper", form="icl")
    assert icl.prompt.startswith(
        "Q: What is the nearest extraterrestrial civilization to us?\nA: It is currently unknown"
    )
    assert icl.prompt.endswith(f"cuisine. Thus, the answer is Norway.\nQ: {QUESTION}\nA:")
    assert icl.prompt.count("Thus, the answer is unknown.") == 3
    assert icl.prompt.count("\nA:") == 7


def test_in_the_authors_wording_nothing_is_added_but_their_system_message_for_chat_models(tmp_path: Path) -> None:
    request, rows = asked(tmp_path, wording="paper", form="icl")
    assert request.messages[0] == {"role": "system", "content": "You are an excellent question responder."}
    assert request.completion_text == request.prompt
    assert request.stops(rows.decoding, chat=False) == ()
    assert (rows.decoding.temperature, rows.decoding.max_new_tokens, rows.decoding.top_p) == (0.7, 256, 1.0)
    assert rows.settings["completion"] is None
    ours, rows = asked(tmp_path)
    assert [message["role"] for message in ours.messages] == ["user"]
    assert rows.decoding.stop == ("\nQuestion:",)


@pytest.mark.parametrize("form", ["direct", "instruction"])
def test_a_completion_model_is_shown_an_answered_question_and_one_that_is_not(form: str, tmp_path: Path) -> None:
    request, rows = asked(tmp_path, form=form)
    shown = request.completion_text.removesuffix(request.prompt[-len(f"Question: {QUESTION}\nAnswer:") :])
    assert shown.count("\nAnswer: ") == 2
    assert shown.count("Answer: The answer is unknown.") == 1
    assert request.completion_text.endswith(f"\n\nQuestion: {QUESTION}\nAnswer:")
    assert request.stops(Decoding(), chat=False) == ("\nQuestion:",)
    assert request.stops(Decoding(), chat=True) == ()
    assert request.text == request.prompt, "who is asked in plain text is shown none"
    assert rows.settings["completion"]["examples"] == 2
    assert rows.settings["completion"]["stop"] == ["\nQuestion:"]


def test_without_examples_in_icl_and_in_a_template_a_completion_model_gets_the_prompt_alone(tmp_path: Path) -> None:
    template = tmp_path / "template.txt"
    template.write_text("Well, {question}")
    for options in ({"examples": False}, {"form": "icl"}, {"template": template}):
        request, rows = asked(tmp_path, **options)
        assert request.completion_text == request.prompt
        assert rows.settings["completion"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"wording": "papr"}, "no wording 'papr': did you mean 'paper'"),
        ({"wording": "paper", "examples": True}, "examples= are for our wording"),
        ({"form": "paper-direct"}, "no input form 'paper-direct'"),
    ],
)
def test_what_does_not_go_together_is_refused(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        asked(tmp_path, **options)
