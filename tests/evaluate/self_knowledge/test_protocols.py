"""Scripted behaviour on every task and protocol gets exactly the numbers that arithmetic says."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pyarrow.compute as pc
import pytest

from selfknow.builders.self_knowledge import task_table
from selfknow.builders.self_knowledge_sources import noise
from selfknow.errors import UserError
from selfknow.evaluate.models import Decoding
from selfknow.evaluate.run import DatasetReference
from selfknow.evaluate.score import score_run
from selfknow.evaluate.self_knowledge import sandbox, scoring
from selfknow.evaluate.self_knowledge.deciding import Decider
from selfknow.evaluate.self_knowledge.evaluating import evaluate_self_knowledge
from selfknow.evaluate.self_knowledge.protocols import Setup
from selfknow.evaluate.store import read_generations
from tests.evaluate.self_knowledge.scripted import REFUSAL, Scripted

Number = tuple[int, int, float | None]  # n over all, n graded, mean
COUNTED = ("total-count", "designated-count", "code")
YES_NO = ("fact", "math", "theorem", "specific-mention", "sentiment")
UNKNOWN = ("sports-statistics", "benchmark")
SEPARATE = (*COUNTED, *YES_NO, *UNKNOWN, "arxiv")
CHAIN = ("verification_correct", "self_consistent", "all_correct")


@pytest.fixture(scope="module", autouse=True)
def one_process_for_mathematics() -> Iterator[None]:
    """All tests share one, and none waits for it to start."""
    with Decider() as shared, pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "Decider", lambda: nullcontext(shared))
        yield


@pytest.fixture(scope="module", autouse=True)
def programs_can_be_run() -> None:
    try:
        sandbox.run_python("pass")
    except sandbox.SandboxUnavailableError as error:
        pytest.skip(str(error))


def run(
    folder: Path, task: str, model: Scripted, protocol: str = "separate", limit: int = 3, **options: object
) -> None:
    evaluate_self_knowledge(
        task_table(task, 0),
        DatasetReference("self-knowledge", task, "test"),
        Setup(task, protocol),
        Decoding(),
        folder,
        [model],
        limit=limit,
        quiet=True,
        **options,
    )


def numbers(folder: Path) -> dict[str, Number]:
    """For each metric n, n graded and the mean; of later stages and of dual texts, as ``stage:metric``."""
    stage = dict(zip(*(read_generations(folder)[name].to_pylist() for name in ("generation_id", "stage")), strict=True))
    found = defaultdict(list)
    for row in score_run(folder).to_pylist():
        assert row["value"] is not None or row["reason"], row
        place = stage[row["generation_id"]]
        front = "" if place in ("generate", "verify") else f"{place}:"
        found[front + row["metric"]].append(row["value"])
    graded = {metric: [value for value in values if value is not None] for metric, values in found.items()}
    return {
        metric: (
            len(values),
            len(graded[metric]),
            sum(graded[metric]) / len(graded[metric]) if graded[metric] else None,
        )
        for metric, values in found.items()
    }


def mean(folder: Path) -> dict[str, float | None]:
    return {metric: value for metric, (_, _, value) in numbers(folder).items()}


BEHAVIOURS = {
    "perfect": Scripted(),
    "slow": Scripted(seconds=0.01),
    "always wrong": Scripted(writes_wrong=True, says="other"),
    "consistent but wrong": Scripted(writes_wrong=True, says="asked"),
    "inconsistent": Scripted(says="other"),
}


def expected(behaviour: str, task: str) -> tuple[float | None, float | None, float | None]:
    """Generation, verification and self-consistency."""
    writes_right = behaviour in ("perfect", "slow", "inconsistent")
    generation = None if task in UNKNOWN else float(writes_right)
    verification = None if task in (*UNKNOWN, "arxiv") else float(behaviour in ("perfect", "slow"))
    # Who always says the opposite of what is so calls a wrong text right, as was asked for.
    agrees = behaviour in ("perfect", "slow", "consistent but wrong") or (
        behaviour == "always wrong" and task in YES_NO
    )
    return generation, verification, float(agrees)


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("task", SEPARATE)
def test_three_numbers_of_first_generate_then_evaluate(tmp_path: Path, task: str, behaviour: str) -> None:
    run(tmp_path / "run", task, Scripted(**{**vars(BEHAVIOURS[behaviour]), "prompts": [], "calls": 0}))
    found = numbers(tmp_path / "run")
    generation, verification, consistency = expected(behaviour, task)
    assert found["generation_correct"] == (3, 0 if generation is None else 3, generation)
    assert found["verification_correct"] == (3, 0 if verification is None else 3, verification)
    assert found["self_consistent"] == (3, 3, consistency)
    assert found["reply_parsed"] == (3, 3, 1.0)
    known = None not in (generation, verification)
    assert found["all_correct"] == (
        (3, 3, float(generation * verification * consistency)) if known else (3, 0, None)  # type: ignore[operator]
    )


@pytest.mark.parametrize("task", SEPARATE)
def test_what_does_not_parse_is_null_and_counted_apart(tmp_path: Path, task: str) -> None:
    run(tmp_path / "run", task, Scripted(says="" if task == "code" else "Hmm."))
    found = numbers(tmp_path / "run")
    if task == "code":
        assert found["generation_correct"] == (3, 3, 1.0)
    assert found["reply_parsed"] == (3, 3, 0.0)
    assert [found[metric] for metric in CHAIN] == [(3, 0, None)] * 3


@pytest.mark.parametrize("task", SEPARATE)
def test_who_refuses_to_write_stays_in_every_denominator(tmp_path: Path, task: str) -> None:
    run(tmp_path / "run", task, Scripted(refuses=True))
    scores = score_run(tmp_path / "run").to_pylist()
    assert {row["reason"] for row in scores if row["metric"] == "self_consistent"} == {"not asked: refusal"}
    found = numbers(tmp_path / "run")
    assert [found[metric] for metric in ("generation_correct", *CHAIN)] == [(3, 0, None)] * 4
    assert "reply_parsed" not in found


def test_who_refuses_to_answer_is_counted_by_reason(tmp_path: Path) -> None:
    run(tmp_path / "run", "total-count", Scripted(says=REFUSAL))
    rows = score_run(tmp_path / "run").to_pylist()
    assert [row["reason"] for row in rows if row["metric"] == "reply_parsed"] == ["refusal"] * 3


@pytest.mark.parametrize("task", SEPARATE)
def test_every_third_call_failing_leaves_the_rest_exact_and_is_made_good_by_running_again(
    tmp_path: Path, task: str
) -> None:
    model = Scripted(fails=3)
    run(tmp_path / "run", task, model, limit=9)  # 9 texts of which 3 fail; 6 questions of which 2 fail
    found = numbers(tmp_path / "run")
    assert found["self_consistent"] == (9, 4, 1.0)
    assert found["reply_parsed"] == (6, 4, 1.0)
    if task not in UNKNOWN:
        assert found["generation_correct"] == (9, 6, 1.0)
    model.fails = 0
    run(tmp_path / "run", task, model, limit=9)
    assert numbers(tmp_path / "run")["self_consistent"] == (9, 9, 1.0)
    assert model.calls == 15 + 3 + 2 + 3, "only what had failed, and what could not be asked before, was asked"


DUAL = ("total-count", "designated-count", "fact", "grammar", "math", "code")


@pytest.mark.parametrize("task", DUAL)
@pytest.mark.parametrize(
    ("model", "verified", "same", "consistent"),
    [
        ({}, 1.0, 1.0, 1.0),
        ({"says": "other"}, 0.0, 1.0, 0.0),
        ({"writes_wrong": True}, 1.0, 0.0, 0.0),
    ],
)
def test_dual_generation(
    tmp_path: Path, task: str, model: dict, verified: float, same: float, consistent: float
) -> None:
    run(tmp_path / "run", task, Scripted(**model), "dual")
    found = mean(tmp_path / "run")
    yes_no = task in YES_NO
    if yes_no and model.get("writes_wrong"):
        same = consistent = 1.0  # no is the answer about both
    # Who must contradict himself about yes or no says the truth once.
    verified_dual = 1.0 if yes_no and model.get("says") == "other" else verified
    assert found["verification_correct"] == verified
    assert found["dual:generation_correct"] == same
    assert found["verify-dual:verification_correct"] == verified_dual
    assert found["verify-dual:self_consistent"] == consistent


CONSISTENCY = ("total-count", "designated-count", "grammar", "code", "specific-mention", "sentiment")
WORD_OPERATIONS = ("add-first-word", "delete-first-word")


@pytest.mark.parametrize("task", [*CONSISTENCY, *WORD_OPERATIONS])
@pytest.mark.parametrize(("says", "consistent"), [("truth", 1.0), ("other", 0.0)])
def test_the_answer_stays_where_the_change_keeps_it(tmp_path: Path, task: str, says: str, consistent: float) -> None:
    run(tmp_path / "run", task, Scripted(says=says), "consistency")
    found = mean(tmp_path / "run")
    assert found["verify-kept:self_consistent"] == consistent
    assert found["verification_correct"] == consistent
    if task not in YES_NO or says == "truth":
        assert found["verify-kept:verification_correct"] == consistent


INCONSISTENCY = ("total-count", "designated-count", "grammar", "code", *YES_NO, "sports-statistics")


@pytest.mark.parametrize("task", INCONSISTENCY)
def test_the_answer_changes_where_the_change_breaks_it(tmp_path: Path, task: str) -> None:
    run(tmp_path / "right", task, Scripted(), "inconsistency")
    right = mean(tmp_path / "right")
    if task == "sports-statistics":
        assert right["verify-broken:verification_correct"] is None
    else:
        assert right["verify-broken:verification_correct"] == 1.0
        assert right["verify-broken:answer_changed"] == 1.0
    if task != "grammar":  # whose answer is not fixed
        run(tmp_path / "stubborn", task, Scripted(says="asked"), "inconsistency")
        assert mean(tmp_path / "stubborn")["verify-broken:answer_changed"] == 0.0


def test_a_changed_word_is_the_answer(tmp_path: Path) -> None:
    run(tmp_path / "right", "change-word", Scripted(), "inconsistency")
    found = mean(tmp_path / "right")
    assert found["verify-broken:self_consistent"] == found["verify-broken:answer_changed"] == 1.0
    run(tmp_path / "wrong", "change-word", Scripted(says="word"), "inconsistency")
    found = mean(tmp_path / "wrong")
    assert found["verify-broken:self_consistent"] == found["verify-broken:answer_changed"] == 0.0


@pytest.mark.parametrize("protocol", ["in-context", "in-context-noise"])
@pytest.mark.parametrize("task", SEPARATE)
def test_in_context_the_question_follows_upon_what_was_written(tmp_path: Path, task: str, protocol: str) -> None:
    model = Scripted()
    run(tmp_path / "run", task, model, protocol)
    assert mean(tmp_path / "run")["self_consistent"] == 1.0
    for written, asked in zip(model.prompts[:3], model.prompts[3:], strict=True):
        assert asked.startswith(written)
        assert (noise() in asked) == protocol.endswith("noise")


def test_two_models_give_a_full_matrix(tmp_path: Path) -> None:
    good, bad = Scripted(name="good"), Scripted(name="bad", writes_wrong=True, says="asked")
    rows, reference = task_table("total-count", 0), DatasetReference("self-knowledge", "total-count", "test")
    setup, models = Setup("total-count"), [good, bad]
    folder = tmp_path / "run"
    evaluate_self_knowledge(rows, reference, setup, Decoding(), folder, models, verifiers=models, limit=4, quiet=True)
    scores = {(row["generation_id"], row["metric"]): row["value"] for row in score_run(folder).to_pylist()}
    rows_of = {row["generation_id"]: row for row in read_generations(folder).to_pylist()}
    cells = defaultdict(list)
    for row in rows_of.values():
        if row["stage"] == "verify":
            pair = (rows_of[row["parent_generation_id"]]["model"], row["model"])
            cells[pair].append(
                tuple(scores[row["generation_id"], metric] for metric in ("verification_correct", "self_consistent"))
            )
    assert dict(cells) == {
        ("good", "good"): [(1.0, 1.0)] * 4,
        ("good", "bad"): [(1.0, 1.0)] * 4,
        ("bad", "good"): [(1.0, 0.0)] * 4,
        ("bad", "bad"): [(0.0, 1.0)] * 4,
    }


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
    with pytest.raises(UserError, match="holds no texts that can be reused"):
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
    model, reference = Scripted(), DatasetReference("self-knowledge", "code", "test")
    with_braces = task_table("code", 0).filter(pc.equal(pc.field("answer"), "{'a': 1}"))
    evaluate_self_knowledge(with_braces, reference, Setup("code"), Decoding(), tmp_path / "run", [model], quiet=True)
    assert "print(\"{'a': 1}\")" in model.prompts[1]
    assert numbers(tmp_path / "run")["all_correct"] == (1, 1, 1.0)


@pytest.mark.parametrize(
    ("task", "setup", "message"),
    [
        ("grammar", {}, r"grammar cannot be asked with the protocol 'separate'; it can with dual, consistency, incons"),
        ("arxiv", {"protocol": "dual"}, "arxiv cannot be asked with the protocol 'dual'"),
        ("image-color", {}, "image-color is about pictures"),
        ("theorem", {"protocol": "consistency"}, "theorem cannot be asked with the protocol 'consistency'"),
        ("code", {"wording": "paper", "styles": ("cot",)}, "has no generate prompt in this wording"),
    ],
)
def test_what_a_task_has_no_part_for_is_refused(tmp_path: Path, task: str, setup: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        evaluate_self_knowledge(
            task_table(task, 0), DatasetReference("x"), Setup(task, **setup), Decoding(), tmp_path / "run", [Scripted()]
        )
    assert not (tmp_path / "run").exists()


def test_unknown_protocols_wordings_and_styles_are_refused() -> None:
    for wrong in ({"protocol": "duel"}, {"wording": "theirs"}, {"styles": ("curt",)}):
        with pytest.raises(UserError, match="there is no"):
            Setup("fact", **wrong)


def test_the_papers_wording_and_chain_of_thought_run_too(tmp_path: Path) -> None:
    rows, reference = task_table("total-count", 0), DatasetReference("self-knowledge", "total-count", "test")
    for setup in (Setup("total-count", wording="paper"), Setup("total-count", styles=("plain", "expert"))):
        folder = tmp_path / setup.variant
        model = Scripted()
        evaluate_self_knowledge(rows, reference, setup, Decoding(), folder, [model], limit=2, quiet=True)
        assert mean(folder)["all_correct"] == 1.0
    cot = tmp_path / "cot"
    setup = Setup("total-count", styles=("cot",))
    evaluate_self_knowledge(rows, reference, setup, Decoding(), cot, [Scripted()], limit=2, quiet=True)
    reasons = {row["reason"] for row in score_run(cot).to_pylist() if row["metric"] == "self_consistent"}
    assert reasons == {"not asked: no final text"}
