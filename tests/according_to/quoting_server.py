"""A server on loopback whose model quotes its corpus when it is asked to, and else uses its own words."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# For each thing that is asked for: the corpus's sentence, and a paraphrase.
CORPUS = {
    "moon": "The Moon is Earth's only natural satellite, orbiting at a mean distance of 384,399 kilometres.",
    "tiger": "The tiger is a large cat native to Asia; it has a powerful, muscular body with a large head and paws.",
    "salt": "Salt is a mineral composed primarily of sodium chloride, present in vast quantities in seawater.",
    "piano": "The piano is a keyboard instrument that produces sound when its keys are depressed, striking strings.",
    "desert": "A desert is an area where little precipitation occurs and, consequently, living is hard for plants.",
    "violin": "The violin, sometimes referred to as a fiddle, is a wooden chordophone, and the smallest of its family.",
}
PARAPHRASES = {thing: f"I think a {thing} can be told in my own words, whatever those are." for thing in CORPUS}
QUESTIONS = [{"question": f"what is {thing}", "answer": [thing, f"a {thing}"]} for thing in CORPUS]
# The questions of the guide's section on popularity.
ASKED = [
    {"question": "what orbits earth", "answer": ["the moon", "moon"]},
    {"question": "which large cat lives in asia", "answer": "tiger"},
    {"question": "which cat comes from earth", "answer": "tiger"},
    {"question": "what is salt made of", "answer": "sodium chloride"},
]
GROUNDING = re.compile(r"the corpus|find direct quotes")
AGAINST = re.compile(r"without using|Reddit|Github")


def reply(prompt: str) -> str:
    """What the model says: the thing, and its sentence, whole or half of it as the prompt asks."""
    thing = re.findall(r"what is (\w+)", prompt)[-1]
    if prompt.startswith("Output the answer only"):
        return f"A {thing}!"
    explains = PARAPHRASES[thing]
    if GROUNDING.search(prompt) and not AGAINST.search(prompt):
        explains = CORPUS[thing]
        if "evidence" in prompt:  # half a quote
            explains = CORPUS[thing][: 30 + 4 * len(thing)] + PARAPHRASES[thing][:40]
    if "Reddit" in prompt:
        explains = "dunno lol"
    if "Explanation:" in prompt or "output format" not in prompt:
        return explains
    return f"{'' if 'Github' in prompt else 'The '}{thing}{' mostly' if 'expert' in prompt else ''}; {explains}"


class Quoter(BaseHTTPRequestHandler):
    """Answers chat completions; ``fails`` says of a prompt whether its request fails."""

    fails = staticmethod(lambda prompt: False)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        message = {"role": "assistant", "content": reply(prompt)}
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        failed = self.fails(prompt)
        content = json.dumps({"error": "no"} if failed else answer).encode()
        self.send_response(400 if failed else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def quoting_server() -> Iterator[str]:
    """The address of a fresh server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Quoter) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_address[1]}"
        serving.shutdown()
