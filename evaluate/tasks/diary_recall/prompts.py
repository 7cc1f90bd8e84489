"""The prompts of the diary recall task, stage by stage.

Prato et al., Do Large Language Models Know How Much They Know?, sections 3.2 and 4.3. The stages of a run:

``answer``
    The question alone. The whole answer is scored.
``probe``, variants ``A`` to ``E``
    The continuation probes: the question and a started answer, which may skip or reorder entries, or end within one.
    The first half of an entry with m sentences is its title and its first floor(m / 2) sentences. A started answer ends
    without a newline, so that the model decides whether to continue.
``stop`` and ``next-title``, variants ``after-1``, ``after-2``, …
    The log-probabilities, at every entry boundary of the true answer, that the answer ends there and that the title of
    the next entry follows (teacher forcing). After the last entry, the next title is of an entry that does not exist.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfknow.errors import UserError
from selfknow.evaluate.tasks.diary_recall.documents import Document, cut, title
from selfknow.models.interface import Request


@dataclass(frozen=True)
class Probe:
    """A continuation probe: a started answer, and its continuation in order.

    Attributes:
        name: ``A`` to ``E``.
        description: The started answer in words.
        min_entries: The smallest number of entries with something left to recall.
        started: Returns the started answer; takes the diarist's entries in order.
        next_number: The number of the first whole entry that should follow.
    """

    name: str
    description: str
    min_entries: int
    started: Callable[[Sequence[Document]], str]
    next_number: int

    def continuation(self, entries: Sequence[Document]) -> str:
        """Return the continuation in order: the rest of a half entry, then every entry from ``next_number`` on.

        For E, which starts with the last entry and the first, these are the second entry, the third, …, the last.
        """
        rest = [entry.text for entry in entries[self.next_number - 1 :]]
        if self.name == "C":
            rest = ["\n".join(_second_half(entries[0])), *rest]
        return "".join(f"\n{text}" for text in rest)


def _first_half(entry: Document) -> str:
    return "\n".join((entry.title, *entry.sentences[: len(entry.sentences) // 2]))


def _second_half(entry: Document) -> tuple[str, ...]:
    return entry.sentences[len(entry.sentences) // 2 :]


PROBES = {
    probe.name: probe
    for probe in (
        Probe("A", "the second entry alone", 3, lambda entries: entries[1].text, 3),
        Probe("B", "the first entry, then the third", 4, lambda entries: f"{entries[0].text}\n{entries[2].text}", 4),
        Probe("C", "the first half of the first entry", 1, lambda entries: _first_half(entries[0]), 2),
        Probe(
            "D",
            "the first half of the first entry, then the second",
            3,
            lambda entries: f"{_first_half(entries[0])}\n{entries[1].text}",
            3,
        ),
        Probe("E", "the last entry, then the first", 3, lambda entries: f"{entries[-1].text}\n{entries[0].text}", 2),
    )
}


COLUMNS = ("id", "kind", "diarist", "prompt", "completion", "num_documents", "document_lengths")

Example = Mapping[str, object]


def target(example: Example) -> tuple[Document, ...]:
    """Return the documents of the true answer.

    Raises:
        UserError: The row is not a question of a diary corpus.
    """
    before, documents = cut(str(example["completion"]))
    if before or not documents or "\n".join(document.text for document in documents) != example["completion"]:
        raise UserError(
            f"example {example['id']!r} is not a diary question: its completion is not made of diary entries"
        )
    return documents


def answer_requests(examples: Iterable[Example]) -> Iterator[Request]:
    """Yield the requests of stage ``answer``.

    Args:
        examples: Rows with ``id``, ``prompt`` and ``completion``.
    """
    for example in examples:
        target(example)  # raises if the row is not a diary question
        yield Request(str(example["id"]), str(example["prompt"]))


def probe_requests(examples: Iterable[Example]) -> Iterator[Request]:
    """Yield the requests of the five continuation probes, for diarists with enough entries."""
    for example in examples:
        entries = target(example)
        for probe in PROBES.values():
            if len(entries) >= probe.min_entries:
                started = probe.started(entries)
                yield Request(
                    str(example["id"]),
                    str(example["prompt"]),
                    stage="probe",
                    variant=probe.name,
                    started_answer=started,
                )


def boundary_requests(examples: Iterable[Example]) -> Iterator[Request]:
    """Yield two requests for every entry boundary: one forces the end of the answer, one the next title."""
    for example in examples:
        yield from _boundaries(str(example["id"]), str(example["prompt"]), target(example))


def _boundaries(identifier: str, prompt: str, entries: tuple[Document, ...]) -> Iterator[Request]:
    for count in range(1, len(entries) + 1):
        so_far = "\n".join(entry.text for entry in entries[:count])
        following = f"\n{title(entries[0].diarist, count + 1, entries[0].middle)}"
        for stage, forced in (("stop", ""), ("next-title", following)):
            yield Request(
                identifier, prompt, stage=stage, variant=f"after-{count}", started_answer=so_far, forced=forced
            )
