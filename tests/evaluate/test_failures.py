"""A failure says why: what was asked in vain, what was stopped, and what there is nothing in to score or to report."""

import json
import os
import signal
import time
import warnings
from pathlib import Path

import pytest

from selfknow.errors import SelfknowWarning, UserError
from selfknow.evaluate.run import Run, ask
from selfknow.models.endpoint import EndpointModel
from selfknow.models.endpoint_calls import Calls, Endpoint, retry_after
from selfknow.models.interface import Decoding, Request
from tests.conftest import Run as Command
from tests.evaluate.faulty_server import Behaviour, serve
from tests.warm_python import WarmPython

ROWS = [
    {"id": str(number), "question": f"What is {number} + 4?", "answer": f"#### {number + 4}"} for number in range(5)
]
DEAD = "http://127.0.0.1:9"
REASON = "5 of 5 failed; most often: connection refused (ConnectError: All connection attempts failed)"


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Five questions in a file, in the folder where everything runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    return "gsm8k:questions.jsonl"


def evaluate(questions: str, url: str) -> tuple[str, ...]:
    return ("evaluate", questions, "--endpoint", url, "--model", "m", "--tries", "1", "--out", "run")


def test_a_dead_endpoint_says_why_and_there_is_nothing_to_score_judge_or_report(
    selfknow: Command, selfknow_process: Command, questions: str, tmp_path: Path
) -> None:
    process = selfknow_process(*evaluate(questions, DEAD))  # in this one its warning would be an error
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1] == f"selfknow: {REASON}"
    for words in (["score", "run"], ["report", "run", "--out", "page.html"], ["report", "run", "--only", "figure-1"]):
        refused = selfknow(*words)
        assert refused.returncode == 2, words
        assert f"run holds no reply ({REASON}): run the same" in refused.stderr.splitlines()[-1]
    assert not (tmp_path / "run" / "scores").exists()
    assert not (tmp_path / "page.html").exists()


def test_what_holds_one_reply_is_scored(questions: str) -> None:
    def third(prompt: str) -> str:
        if "2 + 4" not in prompt:
            raise RuntimeError("CUDA out of\nmemory")
        return "#### 6"

    with pytest.warns(SelfknowWarning, match=r"^4 of 5 failed; most often: RuntimeError: CUDA out of memory$"):
        run = ask(questions, third, out="run", quiet=True)
    assert run.progress[0].reason == "RuntimeError: CUDA out of\nmemory"
    assert len(run.score().scores) > 0


def test_what_fails_at_first_and_is_answered_then_is_no_failure(
    questions: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Calls, "_wait_seconds", lambda *_: 0.01)
    with serve(Behaviour([503])) as url, warnings.catch_warnings():
        warnings.simplefilter("error", SelfknowWarning)
        [progress] = ask(questions, "m", endpoint=url, tries=2, out="run", quiet=True).progress
    assert (progress.answered, progress.failed, progress.reason, progress.failure) == (5, 0, None, None)


def test_a_judge_that_is_not_there_says_why(tmp_path: Path) -> None:
    run = ask("self-aware", lambda _: "I do not know.", out=tmp_path / "run", limit=2, quiet=True)
    with pytest.warns(SelfknowWarning, match=r"failed; most often: connection refused"):
        progress = run.judge("m", endpoint=DEAD, tries=1)
    assert progress.failed


def test_a_query_about_another_task_says_so(questions: str) -> None:
    run = ask(questions, lambda _: "#### 6", out="run", quiet=True)
    run.score()
    with pytest.raises(UserError, match=r"^setup_gap is about runs of diary-recall, and these are runs of gsm8k$"):
        run.query("setup_gap")
    assert len(run.query("gsm8k_accuracy")) == 1
    assert len(run.query("overview")) == 1


def test_ctrl_c_says_what_is_kept_and_how_to_resume(
    selfknow: Command, python: WarmPython, questions: str, tmp_path: Path
) -> None:
    behaviour = Behaviour(seconds=0.1)
    with serve(behaviour) as url, (tmp_path / "stderr").open("w+b") as stderr, Path(os.devnull).open("r+b") as nothing:
        words = evaluate(questions, url)
        process = python.start(
            "-m", "selfknow", *words, "--concurrency", "1", cwd=tmp_path, streams=(nothing, nothing, stderr)
        )
        while len(behaviour.bodies) < 3:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        stderr.seek(0)
        last = stderr.read().decode().splitlines()[-1]
        again = selfknow(*words, "--format", "json")
    answered = json.loads(again.stdout)[0]["answered_before"]
    assert answered in {2, 3}
    assert last == f"selfknow: stopped; run keeps {answered} of 5 replies; give the same command again to resume"


@pytest.mark.parametrize(
    ("model", "line"),
    [
        ("nosuch.gguf", "nosuch.gguf does not exist (a GGUF file on the Hub is named ORG/REPO:FILE.gguf)"),
        (
            "models/nosuch.gguf",
            "models/nosuch.gguf does not exist (a GGUF file on the Hub is named ORG/REPO:FILE.gguf)",
        ),
        ("./nosuch", "./nosuch does not exist"),
        ("nosuch/", "nosuch/ does not exist"),
    ],
)
def test_a_model_that_is_not_there_is_refused_before_anything_is_fetched(model: str, line: str, tmp_path: Path) -> None:
    before = time.process_time()
    with pytest.raises(UserError) as caught:
        ask("gsm8k", model, out=tmp_path / "run")  # its questions are on the Hub, which cannot be reached here
    assert str(caught.value) == line
    assert time.process_time() - before < 5
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("wait", ["100000", "inf", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_a_server_that_asks_for_a_long_wait_is_asked_again_soon_and_that_is_said(wait: str) -> None:
    behaviour = Behaviour([429], {"Retry-After": wait})
    with (
        serve(behaviour) as url,
        pytest.warns(SelfknowWarning, match=r"asks to wait .* seconds before the next try; it"),
    ):
        model = EndpointModel(Endpoint(url, longest_wait_seconds=0.2))
        replies = list(model.generate([Request("1", "What?")], Decoding()))
    assert [reply.error is None for _, reply in replies] == [False, True]
    assert behaviour.times[1] - behaviour.times[0] >= 0.2
    assert Endpoint(None).longest_wait_seconds == 60


@pytest.mark.parametrize(
    "wait",
    [None, "", "nan", "-1", "-inf", "soon", "1e", "Wed, 21 Oct 1999 07:28:00 GMT", "Wed, 99 Oct 2099 07:28:00 GMT"],
)
def test_a_wait_that_is_none_leaves_our_own_back_off(wait: str | None) -> None:
    assert retry_after(wait) is None


def test_a_run_without_any_call_is_refused(questions: str) -> None:
    run = Run(ask(questions, lambda _: "#### 6", out="run", quiet=True).folder)
    for part in (run.folder / "generations").iterdir():
        part.unlink()
    with pytest.raises(UserError, match="holds no"):
        run.score()
