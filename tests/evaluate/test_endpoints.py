"""Served models: what fails is recorded, what may pass is tried again, and nothing leaves the denominator."""

import asyncio
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from selfknow.errors import UserError
from selfknow.evaluate.collect import collect
from selfknow.models.endpoint import Endpoint, EndpointModel
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import last_attempts, read_generations
from selfknow.runs.writer import RunWriter
from tests.diary_questions import questions
from tests.evaluate.faulty_server import Behaviour, serve

REQUESTS = [Request(row["id"], row["prompt"]) for row in questions(6).to_pylist()]


def ask(
    behaviour: Behaviour, requests: list[Request] = REQUESTS, decoding: Decoding | None = None, **settings: object
) -> list[tuple[Request, Reply]]:
    with serve(behaviour) as url:
        endpoint = Endpoint(url, **{"first_back_off_seconds": 0.01, **settings})  # type: ignore[arg-type]
        return list(EndpointModel(endpoint).generate(requests, decoding or Decoding()))


def test_a_chat_endpoint_gets_messages_and_the_decoding_settings() -> None:
    behaviour = Behaviour()
    requests = [*REQUESTS[:5], replace(REQUESTS[5], max_new_tokens=8)]
    replies = dict(
        ask(behaviour, requests, Decoding(33, 0.7, 0.9, ("\n\n",), 5), model="m", token="secret", concurrency=1)
    )
    assert {request.prompt: reply.generation for request, reply in replies.items()} == {
        request.prompt: f"I heard: {request.prompt.strip()}" for request in REQUESTS
    }
    assert [body["max_tokens"] for body in behaviour.bodies] == [33] * 5 + [8], "a request may have a limit of its own"
    body = behaviour.bodies[0]
    assert (body["model"], body["max_tokens"], body["temperature"], body["top_p"]) == ("m", 33, 0.7, 0.9)
    assert (body["stop"], body["path"], body["authorization"]) == (["\n\n"], "/v1/chat/completions", "Bearer secret")
    assert len({body["seed"] for body in behaviour.bodies}) == 6, "every request has a seed of its own"
    reply = replies[REQUESTS[0]]
    assert reply.messages == ({"role": "user", "content": REQUESTS[0].prompt.strip()},)
    assert (reply.finish_reason, reply.prompt_tokens, reply.completion_tokens) == ("stop", 7, 3)


def test_tgi_gets_the_plain_prompt_and_a_started_answer() -> None:
    behaviour = Behaviour()
    request = Request("x", "Recall.\n", started_answer="Tom's")
    limited = Request("y", "Recall.\n", max_new_tokens=8)
    [(_, reply), _] = ask(behaviour, [request, limited], text=True, concurrency=1)
    assert (reply.generation, reply.finish_reason, reply.logprob, reply.messages) == (
        "I read: Recall.\nTom's",
        "stop",
        -1.0,
        None,
    )
    assert [body["parameters"]["max_new_tokens"] for body in behaviour.bodies] == [512, 8]
    assert not behaviour.bodies[0]["parameters"].get("do_sample")


FAULTS = {
    429: "HTTP 429",
    500: "HTTP 500",
    503: "HTTP 503",
    "hang": "no answer in time",
    "drop": "Error",
    "garbage": "Error",
}
# A server that hangs takes as long as the patience of who asks it, whatever it is asked.
IN_FULL = ("hang", True)


@pytest.mark.parametrize(
    ("fault", "reason", "text"),
    [
        pytest.param(fault, reason, text, marks=pytest.mark.full if (fault, text) == IN_FULL else [])
        for text in (False, True)
        for fault, reason in FAULTS.items()
    ],
)
def test_what_may_pass_is_tried_again_and_every_try_is_recorded(fault: int | str, reason: str, text: bool) -> None:
    patience = 3.0 if fault == "hang" else 120.0  # enough for the second try on a busy machine, too
    replies = ask(Behaviour([fault]), REQUESTS[:2], text=text, timeout_seconds=patience)
    for request in REQUESTS[:2]:
        first, second = (reply for answered, reply in replies if answered == request)
        assert first.generation is None
        assert reason in str(first.error)
        assert "\n" not in str(first.error)
        assert second.error is None


def test_tries_come_to_an_end() -> None:
    replies = ask(Behaviour([503] * 9), REQUESTS[:1], tries=3)
    assert [reply.error is None for _, reply in replies] == [False] * 3


def test_a_request_that_the_server_refuses_is_not_tried_again() -> None:
    replies = ask(Behaviour([400]), REQUESTS[:2])
    assert [str(reply.error)[:8] for _, reply in replies] == ["HTTP 400"] * 2


@pytest.mark.parametrize(("status", "line"), [(401, "token is missing or wrong"), (404, "there is no such model")])
def test_what_will_never_pass_is_one_line(status: int, line: str) -> None:
    with pytest.raises(UserError, match=line) as caught:
        ask(Behaviour([status] * 9))
    assert "\n" not in str(caught.value)


def test_no_server_is_a_failed_request() -> None:
    endpoint = Endpoint("http://127.0.0.1:9", tries=2, first_back_off_seconds=0.01)
    replies = list(EndpointModel(endpoint).generate(REQUESTS[:1], Decoding()))
    assert len(replies) == 2
    assert all("Connect" in str(reply.error) for _, reply in replies)


def test_the_server_says_how_long_to_wait() -> None:
    behaviour = Behaviour([429], {"Retry-After": "0.3"})
    ask(behaviour, REQUESTS[:1])
    assert behaviour.times[1] - behaviour.times[0] >= 0.3


def test_no_more_requests_are_under_way_than_asked_for() -> None:
    behaviour = Behaviour(together=threading.Barrier(3))
    ask(behaviour, concurrency=3)
    assert behaviour.most_under_way == 3


def test_requests_keep_to_the_rate() -> None:
    behaviour = Behaviour()
    before = time.monotonic()
    ask(behaviour, requests_per_minute=1200)
    assert max(behaviour.times) - before >= 5 * 0.05, "the last of six starts, 50 ms apart"


def test_what_a_chat_endpoint_cannot_do_is_said_before_anything_is_sent() -> None:
    behaviour = Behaviour()
    with pytest.raises(UserError, match="cannot take a started answer"):
        ask(behaviour, [Request("x", "p", started_answer="s")])
    with pytest.raises(UserError, match="cannot give log-probabilities"):
        ask(behaviour, [Request("x", "p", forced="")], text=True)
    assert behaviour.bodies == []


def test_it_works_inside_a_running_event_loop_as_in_a_notebook() -> None:
    async def cell() -> int:
        return len(ask(Behaviour()))

    assert asyncio.run(cell()) == 6


def test_failures_are_rows_and_a_later_run_tries_them_again(tmp_path: Path) -> None:
    behaviour = Behaviour([503, 503, 503])
    description = RunDescription("diary-recall", DatasetReference("tiny"), Decoding())
    with serve(behaviour) as url:
        model = EndpointModel(Endpoint(url, tries=2, first_back_off_seconds=0.01))
        with RunWriter.open(tmp_path, description, questions(6)) as run:
            progress = collect(run, model, REQUESTS, quiet=True)
            assert (progress.answered, progress.failed) == (0, 6)
        with RunWriter.open(tmp_path, description, questions(6)) as run:
            progress = collect(run, model, REQUESTS, quiet=True)
            assert (progress.answered_before, progress.answered, progress.failed) == (0, 6, 0)
    generations = read_generations(tmp_path)
    assert len(generations) == 24
    last = last_attempts(generations)
    assert last["attempt"].to_pylist() == [3] * 6
    assert last["error"].null_count == 6


def test_stopping_early_stops_asking() -> None:
    behaviour = Behaviour(seconds=0.5)
    with serve(behaviour) as url:
        for _ in EndpointModel(Endpoint(url, concurrency=1)).generate(REQUESTS, Decoding()):
            break
    assert len(behaviour.bodies) < len(REQUESTS)


@pytest.mark.parametrize("is_recorded", [True, False], ids=["after-a-row", "within-a-row"])
def test_ctrl_c_while_a_reply_is_recorded_keeps_every_reply_that_had_arrived(tmp_path: Path, is_recorded: bool) -> None:
    behaviour = Behaviour()
    behaviour.says = lambda prompt: str(len(behaviour.bodies) < 5 or behaviour.ended.wait())

    class Interrupted(RunWriter):
        """A writer that is interrupted at its first row, when four replies have arrived and a fifth is under way."""

        is_interrupted = False

        def append(self, model: str, revision: str | None, request: Request, reply: Reply) -> str:
            if self.is_interrupted:
                return super().append(model, revision, request, reply)
            self.is_interrupted = True
            if is_recorded:
                super().append(model, revision, request, reply)
            while len(behaviour.bodies) < 5:
                time.sleep(0.01)
            raise KeyboardInterrupt

    description = RunDescription("diary-recall", DatasetReference("tiny"), Decoding())
    with serve(behaviour) as url, Interrupted.open(tmp_path, description, questions(6)) as run:
        with pytest.raises(KeyboardInterrupt) as stopped:
            collect(run, EndpointModel(Endpoint(url, concurrency=1)), REQUESTS, quiet=True)
        behaviour.ended.set()
    assert read_generations(tmp_path)["example_id"].to_pylist() == [request.example_id for request in REQUESTS[:4]]
    assert stopped.value.__notes__ == [f"{tmp_path} keeps 4 of 6 replies; give the same command again to resume"]


def test_ctrl_c_after_a_failed_try_records_that_try_once(tmp_path: Path) -> None:
    behaviour = Behaviour([503])

    class Interrupted(RunWriter):
        """A writer that is interrupted while the request waits for its second try."""

        def append(self, model: str, revision: str | None, request: Request, reply: Reply) -> str:
            main = threading.main_thread().ident
            threading.Timer(0.3, signal.pthread_kill, [main, signal.SIGINT]).start()
            return super().append(model, revision, request, reply)

    description = RunDescription("diary-recall", DatasetReference("tiny"), Decoding())
    with serve(behaviour) as url, Interrupted.open(tmp_path, description, questions(6)) as run:
        model = EndpointModel(Endpoint(url, concurrency=1, first_back_off_seconds=60.0))
        with pytest.raises(KeyboardInterrupt):
            collect(run, model, REQUESTS, quiet=True)
    assert read_generations(tmp_path).select(["example_id", "attempt"]).to_pylist() == [
        {"example_id": REQUESTS[0].example_id, "attempt": 0}
    ]


def test_a_full_disk_stops_asking_even_while_the_error_is_kept(tmp_path: Path) -> None:
    behaviour = Behaviour(seconds=0.05)

    class Full(RunWriter):
        def append(self, model: str, revision: str | None, request: Request, reply: Reply) -> str:
            raise UserError("no space left")

    description = RunDescription("diary-recall", DatasetReference("tiny"), Decoding())
    with serve(behaviour) as url, Full.open(tmp_path, description, questions(6)) as run:
        with pytest.raises(UserError) as kept_by_the_notebook:
            collect(run, EndpointModel(Endpoint(url, concurrency=1)), REQUESTS, quiet=True)
        time.sleep(0.5)
    assert kept_by_the_notebook.value.args == ("no space left",)
    assert len(behaviour.bodies) <= 2
