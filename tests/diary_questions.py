"""Small diary questions in the shape of the corpus, and stand-in models that answer them."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from selfknow.builders.diary_recall.rows import SCHEMA
from selfknow.evaluate.tasks.diary_recall.documents import Document
from selfknow.models.interface import Decoding, Reply, Request

SENTENCES = ("Location: City", "Time: Evening", "Weather: Rain", "Mood: Happy")


def diary(diarist: str, *lengths: int) -> tuple[Document, ...]:
    return tuple(Document(diarist, number, SENTENCES[:length]) for number, length in enumerate(lengths, start=1))


def answer(entries: Sequence[Document]) -> str:
    return "\n".join(entry.text for entry in entries)


def question(diarist: str, *lengths: int) -> dict[str, object]:
    return {
        "id": f"question-{diarist}",
        "kind": "question",
        "diarist": diarist,
        "prompt": f"Recall all of {diarist}'s diary entries, in order.\n",
        "completion": answer(diary(diarist, *lengths)),
        "entry": None,
        "num_documents": len(lengths),
        "document_lengths": list(lengths),
    }


def questions(number: int) -> pa.Table:
    rows = [question(f"Tom {index}", *[1 + index % 4] * (1 + index % 5)) for index in range(number)]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


@dataclass
class Parrot:
    """A model with a fixed reply per prompt, slow if wanted; some requests fail a few times first."""

    answers: dict[str, str] = field(default_factory=dict)
    name: str = "parrot"
    revision: str | None = "1"
    seconds: float = 0.0
    failures: dict[str, int] = field(default_factory=dict)

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        for request in requests:
            time.sleep(self.seconds)
            for _ in range(self.failures.pop(request.example_id, 0)):
                yield request, Reply(None, error="503 overloaded")
            if request.forced is not None:
                yield request, Reply(request.forced, "forced", logprob=-1.0)
            else:
                yield request, Reply(self.answers.get(request.prompt, request.prompt.upper()), "stop")
