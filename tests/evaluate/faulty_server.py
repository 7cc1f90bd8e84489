"""A real HTTP server on loopback that answers and fails like OpenAI-compatible servers and TGI."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.json_server import JsonHandler, chat, serve_json


@dataclass
class Behaviour:
    """The server's behaviour, and a record of its requests.

    A fault is a status code, ``hang`` (no answer while it runs), ``drop`` (the connection breaks) or ``garbage`` (no
    JSON); each prompt meets all of ``faults`` in turn before it is answered, by ``says`` where it chats, or with what
    ``answers`` makes of the sound answer: any JSON, or bytes that are sent as they are. A status comes with
    ``complaint``. Each answer takes ``seconds``, or as long as it takes until so many requests wait ``together``.
    """

    faults: list[int | str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    complaint: str = "as asked"
    seconds: float = 0.0
    together: threading.Barrier | None = None
    says: Callable[[str], str] = "I heard: {}".format
    answers: Callable[[str, Any], Any] = lambda prompt, answer: answer
    bodies: list[dict[str, Any]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    tries: Counter[str] = field(default_factory=Counter)
    under_way: int = 0
    ended: threading.Event = field(default_factory=threading.Event)
    most_under_way: int = 0
    lock: Any = field(default_factory=threading.Lock)


class Handler(JsonHandler):
    """Answers as the behaviour of its server says."""

    def do_POST(self) -> None:
        behaviour: Behaviour = self.server.state
        body = self.body()
        prompt = body["messages"][-1]["content"] if "messages" in body else body["inputs"]
        with behaviour.lock:
            behaviour.bodies.append(body | {"path": self.path, "authorization": self.headers.get("Authorization")})
            behaviour.times.append(time.monotonic())
            behaviour.under_way += 1
            behaviour.most_under_way = max(behaviour.most_under_way, behaviour.under_way)
            number = behaviour.tries[prompt]
            behaviour.tries[prompt] += 1
        if behaviour.together is not None:
            behaviour.together.wait(timeout=100)
        time.sleep(behaviour.seconds)
        with behaviour.lock:  # before the reply, which may bring the next request at once
            behaviour.under_way -= 1
        if number < len(behaviour.faults):
            self.fail(behaviour.faults[number])
        else:
            sound = chat(body, behaviour.says(prompt)) if "messages" in body else tgi(prompt)
            answer = behaviour.answers(prompt, sound)
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send(200, "application/json", content, behaviour.headers)

    def do_CONNECT(self) -> None:  # noqa: N802 (the name that http.server calls)
        """Refuse to be a proxy, and remember what for."""
        self.server.state.bodies.append({"path": self.path, **self.headers})
        self.send_error(502)

    def fail(self, fault: int | str) -> None:
        behaviour: Behaviour = self.server.state
        if fault == "hang":
            behaviour.ended.wait()
        elif fault == "drop":
            self.close_connection = True
            self.connection.close()
        elif fault == "garbage":
            self.send(200, "application/json", b"<html>it works</html>", behaviour.headers)
        else:
            self.reply(int(fault), {"error": behaviour.complaint}, behaviour.headers)


@contextmanager
def serve(behaviour: Behaviour) -> Iterator[str]:
    """Run the server; yields its address."""
    with serve_json(Handler, behaviour) as address:
        try:
            yield address
        finally:
            behaviour.ended.set()


def tgi(prompt: str) -> list[dict[str, Any]]:
    tokens = [{"id": 1, "text": "a", "logprob": -0.5, "special": False}] * 2
    details = {"finish_reason": "eos_token", "generated_tokens": 2, "seed": 1, "prefill": [], "tokens": tokens}
    return [{"generated_text": f"I read: {prompt}", "details": details}]
