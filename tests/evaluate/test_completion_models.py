"""Completion (base) models: what they are shown in every task, where their replies end, and what a run says of it."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from selfknow.evaluate.replies import answer_end
from selfknow.evaluate.run import ask
from selfknow.evaluate.tasks.self_knowledge.protocols import PROTOCOLS, VERIFYING
from selfknow.files import read_json
from selfknow.models.interface import Completion, Decoding, Reply, Request
from selfknow.models.local import LocalModel
from selfknow.portraits import Portrait
from selfknow.runs.schema import read_generations
from tests.evaluate.faulty_server import Behaviour, serve
from tests.tiny_models import ARCHITECTURES, tiny_model, tiny_tokenizer

NEXT = "\n\nQuestion: And then?\nAnswer: 13"


class Base:
    """Goes on with a next question of its own, and is cut off in the middle of that."""

    name, revision = "base", "1"

    def __init__(self, reply: str = " 7") -> None:
        self.reply = reply
        self.requests: list[Request] = []

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        for request in requests:
            self.requests.append(request)
            question = "Problem" if "Problem:" in request.prompt else "Question"
            yield request, Reply(self.reply + NEXT.replace("Question", question), "length", request.completion_text)


def settings(folder: Path) -> Any:
    return read_json(folder / "run.json")["settings"]["completion"]


def scored(run: Any) -> dict[str, dict[str, tuple[float | None, str | None]]]:
    """By metric and id what a reply got, and why."""
    table = run.score().scores.to_pylist()
    metrics = {row["metric"] for row in table}
    by_metric = {name: [row for row in table if row["metric"] == name] for name in metrics}
    return {name: {row["generation_id"]: (row["value"], row["reason"]) for row in of} for name, of in by_metric.items()}


def test_a_problem_follows_upon_worked_ones_and_is_read_up_to_the_next(tmp_path: Path) -> None:
    (tmp_path / "problems.jsonl").write_text(json.dumps({"question": "Three and four?", "answer": "#### 7"}))
    base = Base("3 + 4 = 7\n#### 7")
    run = ask(f"gsm8k:{tmp_path / 'problems.jsonl'}", base, out=tmp_path / "run", quiet=True)
    [request] = base.requests
    instruction, *problems = request.completion_text.split("Problem: ")
    assert instruction.startswith("Solve the problem below.")
    assert instruction.endswith("as a number.\n\n")
    assert len(problems) == 3
    assert problems[-1] == "Three and four?\nSolution:\n"
    assert all("\n#### " in problem for problem in problems[:2])
    assert "\nProblem:" in request.stops(Decoding(), chat=False)
    assert settings(run.folder)["examples"] == 2
    assert list(scored(run)["correct"].values()) == [(1.0, None)]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_stage_of_self_knowledge_follows_upon_two_examples_of_its_kind(protocol: str, tmp_path: Path) -> None:
    base = Base(" One two three. Four five six seven.")
    run = ask("self-knowledge:total-count", base, out=tmp_path, quiet=True, protocol=protocol, limit=1)
    assert {request.stage for request in base.requests} == {"generate", *PROTOCOLS[protocol][1]}
    for request in base.requests:
        text, cues = request.completion_text, 3 if not protocol.startswith("in-context") else 6
        turns = 3 if request.stage == "generate" else cues
        assert text.count("Question: ") == text.count("\nAnswer:") == turns
        assert text.endswith(f"\n\nQuestion: {request.prompt}\nAnswer:")
        assert request.stops(Decoding(), chat=False) == ("\nQuestion:",)
        assert request.text.count("Question:") == 0, "who is asked in plain text is shown none"
        if request.stage in VERIFYING:
            assert "\nAnswer: 12\n" in text
    # What ran on is neither asked about nor read.
    verifying = next(request for request in base.requests if request.stage in VERIFYING)
    assert "And then?" not in verifying.prompt
    assert settings(run.folder)["stop"] == ["\nQuestion:"]
    assert (1.0, None) not in scored(run)["self_consistent"].values()


def test_a_reply_that_was_cut_off_behind_its_answer_is_read(tmp_path: Path) -> None:
    run = ask("self-knowledge:total-count", Base(" 21"), out=tmp_path, quiet=True, limit=1)
    assert set(scored(run)["self_consistent"].values()) == {(1.0, None)}
    assert set(read_generations(run.folder)["finish_reason"].to_pylist()) == {"length"}, "as it came"


@pytest.mark.parametrize("format_", ["short", "two-step", "long", "long-answer"])
def test_a_question_about_a_corpus_follows_upon_two_with_the_same_phrase(format_: str, tmp_path: Path) -> None:
    Portrait.build(["The moon goes round the earth, and the earth goes round the sun."]).save(tmp_path / "portrait")
    (tmp_path / "questions.jsonl").write_text(json.dumps({"question": "What is the moon?", "answer": "a moon"}))
    base = Base(" A moon; it is round")
    options = {"portrait": str(tmp_path / "portrait"), "prompts": "attributed", "prompt_format": format_}
    run = ask(f"according-to:{tmp_path / 'questions.jsonl'}", base, out=tmp_path / "run", quiet=True, **options)
    for request in base.requests:
        text = request.completion_text
        assert text.endswith(f"\n\nQuestion: {request.prompt}\nAnswer:")
        assert ["What is the capital of Norway?" in text, "What is the moon?" in text] == [True, True]
        phrased = request.prompt.count("can be attributed to Wikipedia")
        assert text.count("can be attributed to Wikipedia") == 3 * phrased
    assert settings(run.folder)["examples"] == 2
    if format_ == "short":
        assert set(scored(run)["exact_match"].values()) == {(1.0, None)}
    plain, options = Base(), {**options, "out": tmp_path / "plain", "examples": False}
    run = ask(f"according-to:{tmp_path / 'questions.jsonl'}", plain, quiet=True, **options)
    assert {request.completion for request in plain.requests} == {None}
    assert settings(run.folder) is None


def test_another_text_of_the_examples_is_another_run(tmp_path: Path) -> None:
    ask("self-knowledge:fact", Base(), out=tmp_path, quiet=True, limit=1)
    with pytest.raises(Exception, match="another run"):
        ask("self-knowledge:fact", Base(), out=tmp_path, quiet=True, limit=1, examples=False)


def test_in_the_papers_words_nothing_is_added_unless_it_is_asked_for(tmp_path: Path) -> None:
    base = Base()
    run = ask("self-knowledge:fact", base, out=tmp_path / "no", quiet=True, limit=1, wording="paper")
    assert settings(run.folder) is None
    assert {request.completion for request in base.requests} == {None}
    run = ask("self-knowledge:fact", Base(), out=tmp_path / "yes", quiet=True, limit=1, wording="paper", examples=True)
    assert settings(run.folder)["examples"] == 2


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_local_model_without_a_chat_template_goes_on_with_the_examples_and_stops(architecture: str) -> None:
    tokenizer = tiny_tokenizer(["Question: Is it so?\nAnswer: yes, it is so and so it is\n\n"] * 3)
    model = LocalModel(tiny_model(architecture, tokenizer), tokenizer, architecture)
    decoding = Decoding(max_new_tokens=24)
    framed = "Question: Is it so?\nAnswer: yes\n\nQuestion: Is it?\nAnswer:"
    [(_, free)] = model.generate([Request("1", "Is it?", completion=Completion(framed, ()))], decoding)
    assert free.rendered_prompt == framed
    assert free.messages is None
    assert free.generation
    stop = free.generation[len(free.generation) // 2 :][:3]
    stopped = Request("1", "Is it?", completion=Completion(framed, (stop,)))
    other = Request("2", "Is it?", completion=Completion(framed, ()))
    replies = {request.example_id: reply for request, reply in model.generate([stopped, other], decoding)}
    assert replies["1"].generation == free.generation[: free.generation.index(stop)]
    assert replies["1"].finish_reason == "stop"
    assert replies["2"].generation == free.generation, "a request's stop is its own"


@pytest.mark.parametrize("text", [False, True])
def test_a_served_model_is_shown_examples_where_it_is_sent_plain_text(text: bool, tmp_path: Path) -> None:
    behaviour = Behaviour()
    with serve(behaviour) as url:
        run = ask("self-knowledge:fact", endpoint=url, text=text, out=tmp_path, quiet=True, limit=1)
    first = behaviour.bodies[0]
    if text:
        assert first["inputs"].startswith("Question: Name one famous person who was born on 7 October 1885.")
        assert first["parameters"]["stop"] == ["\nQuestion:"]
        assert read_generations(run.folder)["prompt"][0].as_py() == first["inputs"]
    else:
        assert [message["content"].count("Question:") for message in first["messages"]] == [0]
        assert not first.get("stop")


def test_only_a_next_question_under_the_prompts_own_cue_ends_a_reply() -> None:
    cue = "Question: Which word?\nAnswer:"
    assert answer_end(" a\n\nQuestion: next", cue) == 2
    for reply in (" Question: who?", " a\nA question: b", " a\nQuestions: b", " a\nProblem: b", " a\nQ: b"):
        assert answer_end(reply, cue) == len(reply), reply
    for prompt in ("Which word?", "Answer:", "Question: which?", "Question: which?\nFinal answer:"):
        assert answer_end(" a\nQuestion: b", prompt) == len(" a\nQuestion: b"), prompt
    assert answer_end(" x\nQ: y", "Q:Who?\nA:") == 2
