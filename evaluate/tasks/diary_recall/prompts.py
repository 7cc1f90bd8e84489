"""The diary recall task: the prompts, question by question.

Prato et al., Do Large Language Models Know How Much They Know?, sections 3.2 and 4.3. The stages of a run:

``answer``
    The question; the answer is scored as a whole.
``probe``, variants ``A`` to ``E``
    The question and a part of the answer (:mod:`selfknow.evaluate.tasks.diary_recall.probes`).
``stop`` and ``next-title``, variants ``after-1``, ``after-2``, …
    Teacher-forced at every entry boundary of the true answer: the log-probability that the answer ends there, and that
    the title of the next entry follows. After the last entry the next title is that of an entry that does not exist.
"""

from collections.abc import Iterable, Iterator, Mapping

from selfknow.errors import UserError
from selfknow.evaluate.tasks.diary_recall.documents import Document, cut, title
from selfknow.evaluate.tasks.diary_recall.probes import PROBES
from selfknow.models.interface import Request

COLUMNS = ("id", "kind", "diarist", "prompt", "completion", "num_documents", "document_lengths")

Example = Mapping[str, object]


def target(example: Example) -> tuple[Document, ...]:
    """The documents of the true answer.

    Raises:
        UserError: The row is no question of a diary corpus.
    """
    before, documents = cut(str(example["completion"]))
    if before or not documents or "\n".join(document.text for document in documents) != example["completion"]:
        raise UserError(
            f"example {example['id']!r} is not a diary question: its completion is not made of diary entries"
        )
    return documents


def answer_requests(examples: Iterable[Example]) -> Iterator[Request]:
    """The questions themselves.

    Args:
        examples: Rows with ``id``, ``prompt`` and ``completion``.
    """
    for example in examples:
        target(example)
        yield Request(str(example["id"]), str(example["prompt"]))


def probe_requests(examples: Iterable[Example]) -> Iterator[Request]:
    """The five continuation probes, wherever the diarist has enough entries."""
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
    """The end of the answer against the next title, at every entry boundary."""
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
