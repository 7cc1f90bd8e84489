"""A real HTTP server on loopback that draws pictures with a known property, and looks at those that it is sent.

It draws with Pillow: so many squares, one coloured square, or a blue square (the computer) beside a red one. It sees by
counting and locating pixels of the picture that was posted, not by remembering what it drew; who ``says`` what was
asked for alone looks up for what a picture was drawn. Model names choose the behaviour, faults are the server's.
"""

import base64
import io
import re
import threading
import time
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from PIL import Image, ImageDraw, ImageOps

from tests.json_server import JsonHandler, chat, serve_json

ALSO_CALLED = {"painter": "right", "viewer": "truth", "denier": "other"}
REFUSAL = "I'm sorry, but I can't help with that."
GREY = (127, 127, 127)
COLORS = {
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "orange": (255, 165, 0),
    "purple": (128, 0, 128),
    "pink": (255, 105, 180),
    "brown": (139, 69, 19),
    "black": (0, 0, 0),
    "white": (255, 255, 255),
}
NAMES = list(COLORS)
OPPOSITE = {"to the left of": "to the right of", "above": "below"}
OPPOSITE |= {there: here for here, there in OPPOSITE.items()}
PLACES = {"to the left of": (0, 24), "to the right of": (48, 24), "above": (24, 0), "below": (24, 48)}
COUNT, COLOR = r"exactly (\d+) ", rf" ({'|'.join(NAMES)}) "
POSITION = rf"computer ({'|'.join(OPPOSITE)}) "


@dataclass
class Behaviour:
    """The behaviour of the server, and the requests that it saw.

    Attributes:
        form: Of the pictures: PNG, JPEG or WEBP (without loss).
        by_address: Pictures are handed out at an address of their own.
        unknown: A field that the server refuses to know.
        instead: These bytes are handed out instead of a picture.
        fails: Every so manieth call fails; 0 for none.
        seconds: Before each answer.
        hangs: From this look on no answer comes.
        bodies: What was posted, with path and token.
    """

    form: str = "PNG"
    by_address: bool = False
    unknown: str | None = None
    instead: bytes | None = None
    fails: int = 0
    seconds: float = 0.0
    hangs: int | None = None
    bodies: list[dict[str, Any]] = field(default_factory=list)
    calls: int = 0
    handed_out: dict[str, bytes] = field(default_factory=dict)
    asked_for: dict[bytes, str] = field(default_factory=dict)
    looks: Counter[tuple[str, bytes]] = field(default_factory=Counter)
    lock: Any = field(default_factory=threading.Lock)

    @property
    def drawings(self) -> list[dict[str, Any]]:
        return [body for body in self.bodies if body["path"].endswith("/images/generations")]

    @property
    def questions(self) -> list[dict[str, Any]]:
        return [body for body in self.bodies if body["path"].endswith("/chat/completions")]


def drawn(prompt: str, *, wrong: bool = False) -> tuple[Image.Image, str]:
    """Return a picture of what a prompt asks for, or of something else, and what is to be answered if it is right."""
    image = Image.new("RGB", (64, 64), GREY)
    draw = ImageDraw.Draw(image)
    if count := re.search(COUNT, prompt):
        for place in range(int(count[1]) + wrong):
            x, y = 20 * (place % 3), 20 * (place // 3)
            draw.rectangle((x, y, x + 9, y + 9), "red")
        return image, count[1]
    if position := re.search(POSITION, prompt):
        x, y = PLACES[OPPOSITE[position[1]] if wrong else position[1]]
        draw.rectangle((24, 24, 39, 39), "red")
        draw.rectangle((x, y, x + 15, y + 15), "blue")
        return image, "yes"
    color = re.search(COLOR, prompt)
    assert color, prompt
    seen = NAMES[(NAMES.index(color[1]) + wrong) % len(NAMES)]
    draw.rectangle((8, 8, 40, 55), COLORS[seen])
    return image, color[1]


def seen(image: Image.Image, question: str) -> str:
    """Return the true answer to a question about a picture, from its pixels."""
    pixels = image.load()
    rows: dict[Any, list[tuple[int, int]]] = {}
    for x in range(image.width):
        for y in range(image.height):
            if pixels[x, y] != GREY:
                rows.setdefault(pixels[x, y], []).append((x, y))
    if "How many" in question:
        return str(len(rows[255, 0, 0]) // 100)
    if position := re.search(POSITION, question):
        (x, y), (ox, oy) = (
            tuple(sum(axis) / len(axis) for axis in zip(*rows[color], strict=True))
            for color in ((0, 0, 255), (255, 0, 0))
        )
        there = {"to the left of": x < ox, "to the right of": x > ox, "above": y < oy, "below": y > oy}
        return "yes" if there[position[1]] else "no"
    [color] = rows
    return next(name for name, value in COLORS.items() if value == color)


def other(right: str, times: int) -> str:
    """Never what is so, and never twice the same about one picture (but of yes and no)."""
    if right in NAMES:
        return NAMES[(NAMES.index(right) + 1 + times) % len(NAMES)]
    if right.isdigit():
        return str(int(right) + 1 + times)
    return {"yes": "no", "no": "yes"}[right]


class Handler(JsonHandler):
    """Answers as the behaviour of its server and the model's name say."""

    @property
    def behaviour(self) -> Behaviour:
        behaviour: Behaviour = self.server.state
        return behaviour

    def do_POST(self) -> None:
        behaviour = self.behaviour
        body = self.body()
        body["model"] = ALSO_CALLED.get(body.get("model"), body.get("model"))
        with behaviour.lock:
            behaviour.calls += 1
            fails = behaviour.fails and behaviour.calls % behaviour.fails == 0
            behaviour.bodies.append(body | {"path": self.path, "token": self.headers.get("Authorization")})
            hangs = behaviour.hangs is not None and len(behaviour.questions) > behaviour.hangs
        time.sleep(60 if hangs else behaviour.seconds)
        if fails:
            self.reply(503, {"error": "overloaded"})
        elif behaviour.unknown in body:
            self.reply(400, {"error": {"message": f"Unknown parameter: '{behaviour.unknown}'."}})
        elif self.path == "/v1/images/generations":
            self.draw(body)
        elif self.path == "/v1/chat/completions":
            self.look(body)
        else:
            self.reply(404, {"error": "there is nothing here"})

    def draw(self, body: dict[str, Any]) -> None:
        if body["model"] == "refuses":
            self.reply(400, {"error": {"message": "Your request was rejected by the safety system."}})
            return
        image, answer = drawn(body["prompt"], wrong=body["model"] == "wrong")
        with self.behaviour.lock:
            for same in (image, ImageOps.mirror(image)):
                self.behaviour.asked_for[same.tobytes()] = answer
        buffer = io.BytesIO()
        image.save(buffer, self.behaviour.form, **({"lossless": True} if self.behaviour.form == "WEBP" else {}))
        content = buffer.getvalue() if self.behaviour.instead is None else self.behaviour.instead
        if self.behaviour.by_address:
            address = f"/files/{len(self.behaviour.handed_out)}"
            self.behaviour.handed_out[address] = content
            self.reply(200, {"data": [{"url": f"http://{self.headers['Host']}{address}?signature=secret"}]})
        else:
            self.reply(200, {"data": [{"b64_json": base64.b64encode(content).decode()}]})

    def look(self, body: dict[str, Any]) -> None:
        [message] = body["messages"]
        if isinstance(message["content"], str) or body["model"] == "blind":
            self.reply(400, {"error": {"message": "this model sees no pictures"}})
            return
        [address] = [part["image_url"]["url"] for part in message["content"] if part["type"] == "image_url"]
        question = " ".join(part["text"] for part in message["content"] if part["type"] == "text")
        with Image.open(io.BytesIO(base64.b64decode(address.removeprefix("data:image/png;base64,")))) as image:
            text = self.answer(body["model"], image.convert("RGB"), question)
        self.reply(200, chat(body, text))

    def answer(self, model: str, image: Image.Image, question: str) -> str:
        right = seen(image, question)
        with self.behaviour.lock:
            key = (question, min(image.tobytes(), ImageOps.mirror(image).tobytes()))
            times = self.behaviour.looks[key]
            self.behaviour.looks[key] += 1
        if model == "asked":
            return self.behaviour.asked_for[image.tobytes()]
        return {"truth": right, "other": other(right, times), "mumbles": "Hmm.", "refuses": REFUSAL}[model]

    def do_GET(self) -> None:
        content = self.behaviour.handed_out.get(self.path.partition("?")[0])
        self.behaviour.bodies.append({"path": self.path, "token": self.headers.get("Authorization")})
        if content is None:
            self.reply(404, {"error": "gone"})
        else:
            self.send(200, "application/octet-stream", content)


def serve(behaviour: Behaviour | None = None) -> AbstractContextManager[str]:
    """Run the server; yields its address."""
    return serve_json(Handler, behaviour or Behaviour())
