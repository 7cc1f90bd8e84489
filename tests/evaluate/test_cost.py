"""A dry run counts what a run would ask; limits on requests and tokens end a run in good order."""

import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import selfknow as package
from selfknow.errors import SelfknowWarning, UserError
from selfknow.evaluate.run import ask
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.models.local import LocalModel
from selfknow.models.token_counts import estimated_tokens
from selfknow.runs.schema import read_generations
from tests.conftest import Run
from tests.evaluate.faulty_server import Behaviour, serve
from tests.tiny_models import save, tiny_model, tiny_tokenizer


@pytest.fixture
def name(tmp_path: Path) -> str:
    """Return a set of six problems."""
    rows = [{"question": f"{value} + {value}?", "answer": f"#### {2 * value}"} for value in range(6)]
    (tmp_path / "six.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"gsm8k:{tmp_path / 'six.jsonl'}"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Save a small model with random weights."""
    tokenizer = tiny_tokenizer(["How many? Write a paragraph. #### 4 Problem: Solution: " * 20])
    return save(tiny_model("opt", tokenizer), tokenizer, tmp_path_factory.mktemp("model"))


class Counting:
    """A model that says how long prompt and reply were."""

    name, revision = "counting", "1"

    def __init__(self, tokens: int = 10) -> None:
        self.tokens = tokens
        self.groups: list[int] = []

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        self.groups.append(len(requests))
        for request in requests:
            yield request, Reply("#### 2", "stop", prompt_tokens=self.tokens, completion_tokens=self.tokens)

    def prompt_tokens(self, request: Request) -> int:
        return self.tokens


def test_a_dry_run_counts_prompts_with_the_models_tokenizer_and_asks_nothing(
    name: str, checkpoint: str, tmp_path: Path
) -> None:
    arguments = {"max_new_tokens": 8, "examples": False, "precision": "float32", "quiet": True}
    cost = ask(name, checkpoint, out=tmp_path / "run", dry_run=True, **arguments).cost
    assert not (tmp_path / "run").exists()
    ask(name, checkpoint, out=tmp_path / "run", **arguments)
    sent = sum(read_generations(tmp_path / "run")["prompt_tokens"].to_pylist())
    assert list(cost) == [
        {"stage": "answer", "model": checkpoint, "requests": 6, "prompt_tokens": sent, "reply_tokens": 6 * 8}
    ]
    assert cost.notes == ("nothing was asked; every reply is counted as 8 tokens, the maximum",)
    assert "nothing was asked" in repr(cost)


def test_a_dry_run_of_a_served_model_says_that_prompts_are_estimated(name: str, selfknow: Run, tmp_path: Path) -> None:
    behaviour = Behaviour(says=lambda prompt: "#### 2")
    with serve(behaviour) as url:
        words = ("--endpoint", url, "--out", "run", "--format", "json")
        dry = selfknow("evaluate", name, *words, "--dry-run")
        assert (dry.returncode, behaviour.bodies) == (0, [])
        assert selfknow("evaluate", name, *words, "--limit", "2").returncode == 0
        rest = selfknow("evaluate", name, *words, "--dry-run")
    [row] = json.loads(dry.stdout)
    sent = [body["messages"] for body in behaviour.bodies]
    estimate = 8 + estimated_tokens(sent[0][0]["content"])
    assert (row["requests"], row["prompt_tokens"], row["reply_tokens"]) == (6, 6 * estimate, 6 * 512)
    assert f"the prompt tokens of {url} are estimated at one token per 3.4 bytes" in dry.stderr
    assert json.loads(rest.stdout)[0]["requests"] == 4, "what a run holds is not counted"


def test_a_dry_run_counts_later_stages_with_the_longest_replies(checkpoint: str, tmp_path: Path) -> None:
    arguments = {"max_new_tokens": 50, "limit": 3, "examples": False, "out": tmp_path / "run"}
    cost = ask("self-knowledge:total-count", checkpoint, dry_run=True, **arguments).cost
    write, verify, total = cost
    assert (write["stage"], write["requests"], write["reply_tokens"]) == ("generate", 3, 150)
    assert (verify["stage"], verify["requests"], verify["reply_tokens"]) == ("verify", 3, 150)
    assert verify["prompt_tokens"] > 150, "each asks about a text of 50 tokens"
    assert (total["stage"], total["requests"]) == ("all", 6)
    assert total["prompt_tokens"] == write["prompt_tokens"] + verify["prompt_tokens"]
    quoting = "prompts of these stages quote replies, counted at full length until the real ones exist: verify"
    assert quoting in cost.notes


def test_a_dry_run_says_which_stages_nobody_can_count(tmp_path: Path) -> None:
    cost = ask("self-knowledge:agents", lambda prompt: "", out=tmp_path / "run", limit=2, dry_run=True).cost
    propose, *others, _ = cost
    assert propose["requests"] == 2
    assert {row["requests"] for row in others} == {None}
    assert any("depend on the replies, and are not counted: judge" in note for note in cost.notes)


def test_a_dry_run_of_another_run_is_refused_as_the_run_would_be(name: str, tmp_path: Path) -> None:
    ask(name, Counting(), out=tmp_path / "run", quiet=True)
    with pytest.raises(UserError, match=rf"^{tmp_path / 'run'} is another run \(its settings.samples is 1, not 2\)"):
        ask(name, Counting(), out=tmp_path / "run", samples=2, dry_run=True)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").touch()
    with pytest.raises(UserError, match=r"thesis is not a run folder \(it holds thesis.tex\)"):
        ask(name, Counting(), out=tmp_path / "thesis", dry_run=True)


def test_a_limit_of_requests_stops_a_run_that_the_same_call_resumes(name: str, tmp_path: Path) -> None:
    model = Counting()
    line = r"^stopped at max_requests=4: 2 of 6 requests of the stage answer are left; repeat the call to resume$"
    with pytest.warns(SelfknowWarning, match=line):
        run = ask(name, model, out=tmp_path / "run", max_requests=4, quiet=True)
    assert [(each.answered, each.failed, each.left) for each in run.progress] == [(4, 0, 2)]
    assert run.stopped is not None
    again = ask(name, model, out=tmp_path / "run", max_requests=4, quiet=True)
    assert [(each.answered_before, each.answered, each.left) for each in again.progress] == [(4, 2, 0)]
    assert (again.stopped, model.groups) == (None, [4, 2])


@pytest.mark.parametrize(("limit", "groups"), [(1000, [6]), (100, [3, 1]), (28, []), (30, [1]), (140, [4, 2])])
def test_a_limit_of_tokens_is_never_passed(name: str, tmp_path: Path, limit: int, groups: list[int]) -> None:
    model = Counting(tokens=10)  # the longest reply has 20 tokens, so a request may take 30 and takes 20
    stops = sum(groups) < 6
    with pytest.warns(SelfknowWarning, match="stopped at max_tokens=") if stops else nullcontext():
        run = ask(name, model, out=tmp_path / "run", max_tokens=limit, max_new_tokens=20, quiet=True)
    assert model.groups == groups
    assert 20 * sum(groups) <= limit
    assert run.progress[0].left == 6 - sum(groups)


def test_later_stages_wait_where_a_limit_stops_a_run(tmp_path: Path) -> None:
    def progress_of(**limits: int) -> list[tuple[str, int, int]]:
        run = ask("self-knowledge:total-count", Counting(), out=tmp_path / "run", limit=2, quiet=True, **limits)
        return [(each.stage, each.answered, each.left) for each in run.progress]

    with pytest.warns(SelfknowWarning, match="1 of 2 requests of the stage generate are left"):
        assert progress_of(max_requests=1) == [("generate", 1, 1)]
    with pytest.warns(SelfknowWarning, match="1 of 2 requests of the stage verify are left"):
        assert progress_of(max_requests=2) == [("generate", 1, 0), ("verify", 1, 1)]
    assert progress_of(max_requests=1) == [("generate", 0, 0), ("verify", 1, 0)]


def test_the_command_line_says_where_it_stopped_and_ends_with_3(name: str, selfknow_process: Run) -> None:
    def evaluate(url: str, *words: str) -> CompletedProcess[str]:
        return selfknow_process("evaluate", name, "--endpoint", url, "--out", "run", "--format", "json", *words)

    with serve(Behaviour(says=lambda prompt: "#### 2")) as url:
        stopped = evaluate(url, "--max-requests", "2")
        line = "selfknow: stopped at --max-requests 2: 4 of 6 requests of the stage answer are left; repeat the call"
        assert (stopped.returncode, stopped.stderr.splitlines()[-1]) == (3, f"{line} to resume")
        by_tokens = evaluate(url, "--max-tokens", "500")
        assert by_tokens.returncode == 3, "a reply may have 512"
        assert "stopped at --max-tokens 500 after 0 tokens: 4 of 6 requests of the stage" in by_tokens.stderr
        assert evaluate(url).returncode == 0
        assert evaluate(url, "--max-requests", "0").returncode == 2


def test_a_local_model_counts_the_tokens_that_it_receives(checkpoint: str) -> None:
    model = LocalModel.load(checkpoint, precision="float32")
    request = Request("1", "How many?")
    [(_, reply)] = model.generate([request], Decoding(max_new_tokens=2))
    assert reply.prompt_tokens == model.prompt_tokens(request)


def test_a_failed_request_spends_a_request_and_no_tokens(name: str, tmp_path: Path) -> None:
    def fails(prompt: str) -> str:
        raise ValueError

    with pytest.warns(SelfknowWarning) as warned:
        run = package.ask(name, fails, out=tmp_path / "run", max_requests=2, max_tokens=5000, quiet=True)
    assert [(each.failed, each.left) for each in run.progress] == [(2, 4)]
    assert {str(line.message).partition(":")[0] for line in warned} == {
        "2 of 6 failed; most often",
        "stopped at max_requests=2",
    }
