"""A server on loopback whose model quotes its corpus when it is asked to, and else uses its own words."""

import re
from contextlib import AbstractContextManager

from tests.json_server import JsonHandler, chat, serve_json

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
    """Return what the model says: the thing, and its sentence, whole or half of it as the prompt asks."""
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


class Quoter(JsonHandler):
    """Answers chat completions; ``fails`` says of a prompt whether its request fails."""

    fails = staticmethod(lambda prompt: False)

    def do_POST(self) -> None:
        body = self.body()
        prompt = body["messages"][-1]["content"]
        if self.fails(prompt):
            self.reply(400, {"error": "no"})
        else:
            self.reply(200, chat(body, reply(prompt)))


def quoting_server() -> AbstractContextManager[str]:
    """Return the address of a fresh server."""
    return serve_json(Quoter, None)
