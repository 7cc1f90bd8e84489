"""The protocols: reuse, resumption, other wordings, and what is refused (their numbers are in test_matrix)."""

from collections import defaultdict
from pathlib import Path

import pyarrow.compute as pc
import pytest

from selfknow.builders.self_knowledge.builder import task_table
from selfknow.builders.self_knowledge.sources import noise
from selfknow.errors import UserError
from selfknow.evaluate.score import score_run
from selfknow.evaluate.tasks.self_knowledge.protocols import Setup
from selfknow.files import read_json
from selfknow.models.interface import Request
from selfknow.runs.schema import read_generations
from tests.self_knowledge.asking import ask_texts
from tests.self_knowledge.scripted import REFUSAL, Scripted

Number = tuple[int, int, float | None]  # n over all, n graded, mean


pytestmark = pytest.mark.usefixtures("shared_decider")


def run(
    folder: Path, task: str, model: Scripted, protocol: str = "separate", limit: int = 3, **options: object
) -> None:
    ask_texts(folder, task, [model], protocol=protocol, limit=limit, **options)


def numbers(folder: Path) -> dict[str, Number]:
    """Return n, n graded and the mean of each metric; of later stages and dual texts as ``stage:metric``."""
    stage = dict(zip(*(read_generations(folder)[name].to_pylist() for name in ("generation_id", "stage")), strict=True))
    rows = defaultdict(list)
    for row in score_run(folder).to_pylist():
        assert row["value"] is not None or row["reason"], row
        place = stage[row["generation_id"]]
        front = "" if place in ("generate", "verify") else f"{place}:"
        rows[front + row["metric"]].append(row["value"])
    graded = {metric: [value for value in values if value is not None] for metric, values in rows.items()}
    return {
        metric: (
            len(values),
            len(graded[metric]),
            sum(graded[metric]) / len(graded[metric]) if graded[metric] else None,
        )
        for metric, values in rows.items()
    }


def mean(folder: Path) -> dict[str, float | None]:
    return {metric: value for metric, (_, _, value) in numbers(folder).items()}


def test_who_refuses_to_answer_is_counted_by_reason(tmp_path: Path) -> None:
    run(tmp_path / "run", "total-count", Scripted(says=REFUSAL))
    rows = score_run(tmp_path / "run").to_pylist()
    assert [row["reason"] for row in rows if row["metric"] == "reply_parsed"] == ["refusal"] * 3


def test_only_what_had_failed_and_could_not_be_asked_before_is_asked_again(tmp_path: Path) -> None:
    model = Scripted(fails=3)
    run(tmp_path / "run", "total-count", model, limit=9)  # 9 texts of which 3 fail; 6 questions of which 2 fail
    assert numbers(tmp_path / "run")["self_consistent"] == (9, 4, 1.0)
    model.fails = 0
    run(tmp_path / "run", "total-count", model, limit=9)
    assert numbers(tmp_path / "run")["self_consistent"] == (9, 9, 1.0)
    assert model.calls == 15 + 3 + 2 + 3


def test_earlier_texts_are_reused_and_nothing_is_written_anew(tmp_path: Path) -> None:
    run(tmp_path / "total", "total-count", Scripted())
    model = Scripted()
    run(tmp_path / "grammar", "grammar", model, "consistency", reuse=tmp_path / "total")
    texts = [read_generations(tmp_path / name).filter(pc.field("stage") == "generate") for name in ("total", "grammar")]
    assert texts[0]["generation"] == texts[1]["generation"]
    assert texts[0]["generation_id"] == texts[1]["parent_generation_id"]
    assert model.calls == 6, "three questions about the texts, and three about the changed ones"
    run(tmp_path / "grammar", "grammar", model, "consistency", reuse=tmp_path / "total")
    assert model.calls == 6
    with pytest.raises(
        UserError, match=r"expected texts for designated-count-.* by scripted, and scripted wrote in it$"
    ):
        run(tmp_path / "words", "change-word", model, "inconsistency", reuse=tmp_path / "total")


def test_a_run_that_was_stopped_between_stages_goes_on(tmp_path: Path) -> None:
    class Stopped(Scripted):
        def reply(self, request):
            if request.stage == "verify" and self.calls > 7:
                raise KeyboardInterrupt
            return super().reply(request)

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "run", "total-count", Stopped(), limit=5)
    model = Scripted()
    run(tmp_path / "run", "total-count", model, limit=5)
    assert model.calls == 3
    assert numbers(tmp_path / "run")["all_correct"] == (5, 5, 1.0)


def test_braces_in_what_was_written_are_left_alone(tmp_path: Path) -> None:
    model = Scripted()
    with_braces = task_table("code", 0).filter(pc.equal(pc.field("answer"), "{'a': 1}"))
    ask_texts(tmp_path / "run", "code", [model], table=with_braces)
    assert "print(\"{'a': 1}\")" in model.prompts[1]
    assert numbers(tmp_path / "run")["all_correct"] == (1, 1, 1.0)


def test_in_context_is_a_conversation_in_which_the_text_stands_once(tmp_path: Path) -> None:
    requests: dict[str, Request] = {}

    class Listening(Scripted):
        def reply(self, request: Request) -> str:
            requests[f"{request.stage} {request.example_id}"] = request
            return super().reply(request)

    for task, protocol in (("total-count", "in-context-noise"), ("fact", "in-context")):
        run(tmp_path / task, task, Listening(), protocol, limit=1)
    count = requests["verify total-count-000-plain"]
    text = count.turns[1].content
    assert [turn.role for turn in count.turns] == ["user", "assistant"]
    assert count.turns[0].content == requests["generate total-count-000-plain"].prompt
    assert count.prompt == (
        f"{noise()}\n\nHow many words does the paragraph that you wrote have? "
        "Reply with a whole number in digits and nothing else."
    )
    assert count.text.count(text) == 1
    assert count.text == "\n\n".join([count.turns[0].content, text, count.prompt])
    [recorded] = read_generations(tmp_path / "total-count").filter(pc.field("stage") == "verify").to_pylist()
    assert recorded["prompt"] == count.text
    # A statement about who was named is not what was written word for word, so it is put below the question.
    fact = requests["verify fact-000-plain"]
    assert fact.prompt.partition("\n\n")[2].startswith(f"{fact.turns[1].content} was born on ")
    assert mean(tmp_path / "total-count")["all_correct"] == mean(tmp_path / "fact")["all_correct"] == 1.0


@pytest.mark.parametrize(("protocol", "stood"), [("separate", None), ("in-context", "context")])
def test_a_run_in_context_of_another_version_is_another_run(tmp_path: Path, protocol: str, stood: str | None) -> None:
    run(tmp_path / "run", "total-count", Scripted(), protocol, limit=1)
    settings = read_json(tmp_path / "run" / "run.json")["settings"]
    assert settings.get("context") == ("conversation" if stood else None)


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("grammar", {}, r"grammar cannot be asked with the protocol 'separate'; it can with dual, consistency, incons"),
        ("arxiv", {"protocol": "dual"}, "arxiv cannot be asked with the protocol 'dual'"),
        ("image-color", {}, "image-color is about pictures"),
        ("theorem", {"protocol": "consistency"}, "theorem cannot be asked with the protocol 'consistency'"),
        ("code", {"wording": "paper", "style": ("cot",)}, "has no generate prompt in this wording"),
    ],
)
def test_what_a_task_has_no_part_for_is_refused(tmp_path: Path, task: str, options: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        ask_texts(tmp_path / "run", task, [Scripted()], **options)
    assert not (tmp_path / "run").exists()


def test_unknown_protocols_wordings_and_styles_are_refused() -> None:
    for wrong in ({"protocol": "duel"}, {"wording": "theirs"}, {"styles": ("curt",)}):
        with pytest.raises(UserError, match="there is no"):
            Setup("fact", **wrong)


def test_the_papers_wording_and_chain_of_thought_run_too(tmp_path: Path) -> None:
    for name, options in (("paper", {"wording": "paper"}), ("styles", {"style": ("plain", "expert")})):
        ask_texts(tmp_path / name, "total-count", [Scripted()], limit=2, **options)
        assert mean(tmp_path / name)["all_correct"] == 1.0
    cot = tmp_path / "cot"
    ask_texts(cot, "total-count", [Scripted()], limit=2, style=("cot",))
    reasons = {row["reason"] for row in score_run(cot).to_pylist() if row["metric"] == "self_consistent"}
    assert reasons == {"not asked: no final text"}
