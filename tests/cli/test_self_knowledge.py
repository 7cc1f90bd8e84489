"""``selfknow evaluate self-knowledge:TASK`` against a real server on loopback that counts words and sometimes fails."""

import json
import re
import shlex
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.errors import UserError
from tests.conftest import Run
from tests.images import picture_server
from tests.json_server import JsonHandler, chat, serve_json
from tests.test_documents import console_blocks


class Counter(JsonHandler):
    """A server whose model writes as many words as it is asked for, and counts rightly; every third call fails."""

    calls = 0
    lock = threading.Lock()

    def do_POST(self) -> None:
        body = self.body()
        with self.lock:
            Counter.calls += 1
            fails = Counter.calls % 3 == 0
        prompt = body["messages"][-1]["content"]
        question, _, text = prompt.rpartition("\n\n")
        match = re.search(r"exactly (\d+) words", prompt)
        reply = " ".join(["word"] * int(match[1])) if match else str(len(text.split()))
        if body["model"] == "miscounter" and question:
            reply = str(int(reply) + 1)
        if fails:
            self.reply(503, {"error": "overloaded"}, {"Retry-After": "0"})
        else:
            self.reply(200, chat(body, reply))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serve_json(Counter, None) as address:
        yield address


def test_a_run_is_evaluated_resumed_and_scored_from_the_command_line(selfknow_process: Run, server: str) -> None:
    command = ["evaluate", "self-knowledge:total-count", "--endpoint", server, "--limit", 4, "--out", "run"]
    command += ["--model", "counter", "--verifier", "counter", "--verifier", "miscounter", "--format", "json"]
    first = selfknow_process(*command)
    assert first.returncode == 0, first.stderr
    stages = [(row["stage"], row["answered"], row["failed"]) for row in json.loads(first.stdout)]
    assert stages == [("generate", 4, 0), ("verify", 4, 0), ("verify", 4, 0)]
    again = json.loads(selfknow_process(*command).stdout)
    assert [(row["answered_before"], row["answered"]) for row in again] == [(4, 0)] * 3
    scores = {
        (row["model"].split()[-1], row["metric"]): (row["n"], row["n_graded"], row["mean"])
        for row in json.loads(selfknow_process("score", "run", "--format", "json").stdout)
    }
    assert scores["counter", "generation_correct"] == (4, 4, 1.0)
    assert scores["counter", "all_correct"] == (4, 4, 1.0)
    assert scores["miscounter", "verification_correct"] == scores["miscounter", "self_consistent"] == (4, 4, 0.0)


def test_another_model_adds_the_next_row_of_the_matrix(selfknow: Run, server: str) -> None:
    models = ("counter", "miscounter")
    for model in models:
        command = ["evaluate", "self-knowledge:total-count", "--endpoint", server, "--limit", 2, "--out", "run"]
        command += ["--model", model, *(word for name in models for word in ("--verifier", name))]
        result = selfknow(*command)
        assert result.returncode == 0, result.stderr
    assert selfknow("score", "run").returncode == 0
    rows = json.loads(selfknow("query", "self_knowledge_matrix", "run", "--format", "json").stdout)
    short = [{**row, **{name: row[name].split()[-1] for name in ("generator", "verifier")}} for row in rows]
    assert [(row["generator"], row["verifier"], row["n"], row["written"], row["read"]) for row in short] == [
        ("counter", "counter", 2, 1.0, 1.0),
        ("counter", "miscounter", 2, 1.0, 0.0),
        ("miscounter", "counter", 2, 1.0, 1.0),
        ("miscounter", "miscounter", 2, 1.0, 0.0),
    ]


def test_another_place_is_asked_about_everybodys_texts_of_an_earlier_run(selfknow: Run, server: str) -> None:
    task = ["evaluate", "self-knowledge:total-count", "--limit", 2, "--format", "json"]
    assert selfknow(*task, "--endpoint", server, "--model", "counter", "--out", "first").returncode == 0
    elsewhere = [*task, "--endpoint", server.replace("127.0.0.1", "localhost"), "--reuse", "first", "--out", "second"]
    result = selfknow(*elsewhere, "--verifier", "miscounter")
    assert result.returncode == 0, result.stderr
    assert [(row["stage"], row["answered"]) for row in json.loads(result.stdout)] == [("verify", 2)]
    assert selfknow("score", "second").returncode == 0
    [row] = json.loads(selfknow("query", "self_knowledge_matrix", "second", "--format", "json").stdout)
    assert (row["generator"], row["written"], row["read"]) == (f"{server} counter", 1.0, 0.0)
    assert row["verifier"].startswith("http://localhost")
    refused = selfknow(*elsewhere, "--model", "counter")
    assert refused.returncode == 2
    assert f"by {elsewhere[7]} counter, and {server} counter wrote in it" in refused.stderr
    dual = selfknow(*elsewhere[:-1], "dual", "--verifier", "miscounter", "--protocol", "dual")
    assert "in the protocol 'dual' the model that wrote a text writes another one: name that model" in dual.stderr


def test_agents_are_asked_from_the_command_line(selfknow: Run, server: str) -> None:
    command = ["evaluate", "self-knowledge:agents", "--endpoint", server, "--model", "counter", "--out", "agents"]
    result = selfknow(*command, "--verifier", "judge", "--limit", 2, "--format", "json")
    assert result.returncode == 0, result.stderr
    stages = [(row["stage"], row["model"].split()[-1], row["answered"]) for row in json.loads(result.stdout)]
    assert stages[:2] == [("propose", "counter", 2), ("judge", "judge", 0)]
    [row] = json.loads(selfknow("score", "agents", "--format", "json").stdout)
    assert (row["metric"], row["n"], row["mean"]) == ("proposal_parsed", 2, 0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--protocol", "duel"], "there is no protocol 'duel': did you mean 'dual"),
        (["--style", "curt"], "there is no style 'curt': choose from plain, expert, cot"),
        (["--reuse", "nowhere"], "nowhere"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(selfknow: Run, server: str, arguments: list[str], message: str) -> None:
    command = ["evaluate", "self-knowledge:fact", "--endpoint", server, "--model", "counter", "--out", "run"]
    result = selfknow(*command, *arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


TASKS = ["diary-recall:1k", "self-aware", "self-knowledge:fact", "self-knowledge:agents", "according-to:nq", "gsm8k"]


@pytest.mark.parametrize(
    ("tasks", "option"),
    [
        (TASKS[1:], "--probes"),
        (TASKS[1:], "--stop"),
        ([task for task in TASKS if task != "self-aware"], "--form=direct"),
        ([task for task in TASKS if task != "self-knowledge:fact"], "--protocol=separate"),
        ([task for task in TASKS if task != "self-knowledge:fact"], "--reuse=run"),
        ([task for task in TASKS if not task.startswith("self-knowledge")], "--verifier=m"),
        (TASKS, "--benchmark=mine.csv"),
        (TASKS, "--image-size=8x8"),
        ([task for task in TASKS if task != "according-to:nq"], "--portrait=p"),
        ([task for task in TASKS if task != "according-to:nq"], "--counts=c.csv"),
        (["self-aware", "self-knowledge:agents", "according-to:nq", "gsm8k"], "--split=train"),
        (["self-knowledge:agents"], "--samples=2"),
    ],
)
def test_an_option_of_another_task_is_refused_not_passed_over(tmp_path: Path, tasks: list[str], option: str) -> None:
    for task in tasks:
        arguments = ["evaluate", task, "--model", "m", "--out", str(tmp_path / "run"), option]
        error = CliRunner().invoke(app, arguments).exception
        assert isinstance(error, UserError), task
        assert re.fullmatch(rf"{option.partition('=')[0]} is for .*, not for {task}", str(error))
    assert not (tmp_path / "run").exists()


def test_agents_have_one_judge(selfknow: Run) -> None:
    judges = ["--verifier", "a", "--verifier", "b"]
    result = selfknow("evaluate", "self-knowledge:agents", "--model", "m", *judges, "--out", "run")
    assert (result.returncode, result.stderr) == (
        2,
        "selfknow: one model judges the tasks: name one --verifier, not 2\n",
    )


def test_runs_from_evaluate_to_queries_print_what_the_transcript_shows(selfknow: Run, server: str) -> None:
    commands = console_blocks(Path(__file__).with_name("self_knowledge_transcript.md").read_text())
    assert len(commands) == 7
    with picture_server.serve() as pictures:
        served = {"http://127.0.0.1:50000": server, "http://127.0.0.1:50001": pictures}
        for command, expected in commands:
            for shown_at, url in served.items():
                assert len(url) == len(shown_at), "or the columns would be wider"
                command = command.replace(shown_at, url)
                expected = expected.replace(shown_at, url)
            result = selfknow(*shlex.split(command)[1:])
            assert result.stdout == expected, result.stderr
