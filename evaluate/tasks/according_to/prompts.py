"""Requests of according-to: one step for each prompt, or an answer and then its explanations.

One-step formats send one request in stage ``answer`` for each prompt; the prompt's id is the variant. The format
``two-step`` sends a single request in stage ``answer``, without any phrase (variant ``two-step``), and then one in
stage ``explain`` for each prompt.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import yaml

from selfknow.builders.according_to.prompts import CORPUS, CORPUS_ADDRESS, NULL, PLACEMENTS, formats, phrases, rows
from selfknow.builders.sources import read_text
from selfknow.errors import UserError, nearest
from selfknow.evaluate.task import Row
from selfknow.evaluate.tasks.completions import Example, completion_settings, frame_stop, framed, worked_example
from selfknow.models.interface import Request

ANSWER, EXPLAIN, TWO_STEP = "answer", "explain", "two-step"
WIKIPEDIA, WIKIPEDIA_ADDRESS = "Wikipedia", "https://www.wikipedia.org"
PROMPTS = tuple(prompt["id"] for prompt in phrases())


def chosen_prompts(text: str) -> tuple[str, ...]:
    """Return the prompt ids in a text like ``all`` or ``attributed,without``, in Table 1's order.

    The null prompt is always among them.

    Raises:
        UserError: There is no such prompt.
    """
    names = set(PROMPTS) if text == "all" else {name.strip() for name in text.split(",")}
    if unknown := sorted(names - set(PROMPTS)):
        raise UserError(f"there is no prompt {unknown[0]!r}{nearest(unknown[0], [*PROMPTS, 'all'])}")
    return tuple(name for name in PROMPTS if name in names | {NULL})


@dataclass(frozen=True)
class Setup:
    """The settings with which questions are asked.

    Attributes:
        format: One of the formats in Appendix A: short, two-step, long, long-answer.
        prompts: Ids of the prompts in Table 1, including the null prompt.
        placement: The place of the phrase: appended, prepended or both.
        corpus: The corpus's name in the prompts.
        corpus_address: The corpus's address in the prompts; null for Wikipedia's own, or else the corpus's name.
        examples: True if completion models are shown worked examples.
    """

    format: str = "short"
    prompts: tuple[str, ...] = PROMPTS
    placement: str = "appended"
    corpus: str = WIKIPEDIA
    corpus_address: str | None = None
    examples: bool = False

    def __post_init__(self) -> None:
        for name, value, known in (("format", self.format, formats()), ("placement", self.placement, PLACEMENTS)):
            if value not in known:
                raise UserError(f"there is no {name} {value!r}{nearest(value, known)}")
        if not self.corpus.strip():
            raise UserError("the corpus needs a name, such as Wikipedia")

    @cached_property
    def templates(self) -> Mapping[str, Mapping[str, str | None]]:
        """The template of each prompt: its row in the dataset of prompts, by the prompt's id."""
        by_prompt = {row["prompt_id"]: row for row in rows(self.placement) if row["format"] == self.format}
        return {prompt: by_prompt[prompt] for prompt in self.prompts}

    def rendered(self, prompt: str, stage: str, question: str, answer: str = "") -> str:
        """Return a prompt with its slots filled in; a slot's name inside a question or answer stays as text."""
        template = self.templates[prompt][f"{stage}_prompt"]
        assert template is not None, f"the format {self.format} has a stage {stage}"
        address = self.corpus_address or (WIKIPEDIA_ADDRESS if self.corpus == WIKIPEDIA else self.corpus)
        slots = {CORPUS: self.corpus, CORPUS_ADDRESS: address, "{question}": question, "{answer}": answer}
        return re.sub("|".join(map(re.escape, slots)), lambda marker: slots[marker[0]], template)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Setup":
        """Read the settings of a run, as :meth:`as_json` writes them."""
        return cls(
            settings["format"],
            tuple(settings["prompts"]),
            settings["placement"],
            settings["corpus"],
            settings["corpus_address"],
            settings.get("completion") is not None,
        )

    def as_json(self) -> dict[str, object]:
        """Return the settings as ``run.json`` has them."""
        return {
            "format": self.format,
            "prompts": list(self.prompts),
            "kinds": [self.templates[prompt]["kind"] for prompt in self.prompts],
            "placement": self.placement,
            "corpus": self.corpus,
            "corpus_address": self.corpus_address,
            "completion": self._completion(),
        }

    def _completion(self) -> dict[str, object] | None:
        if not self.examples:
            return None
        return completion_settings(worked_examples(), len(worked_examples()), frame_stop())


@cache
def worked_examples() -> Sequence[Mapping[str, str]]:
    """Return the worked examples that completion models are shown: question, answer and explanation."""
    value: Sequence[Mapping[str, str]] = yaml.safe_load(read_text("according_to/completion/examples.yaml"))
    return value


@cache
def _shots(setup: Setup, prompt: str, stage: str) -> list[Example]:
    """Return the worked examples of a stage, each under the same prompt as the question that follows."""
    shots = []
    for entry in worked_examples():
        reply = entry["explanation"]
        if setup.format in ("short", TWO_STEP) and stage == ANSWER:
            reply = f"{entry['answer']}; {reply}" if setup.format == "short" else entry["answer"]
        shots.append(worked_example(setup.rendered(prompt, stage, entry["question"], entry["answer"]), reply))
    return shots


def _request(
    setup: Setup, prompt: str, prompt_text: str, stage: str, key: tuple[str, str, int], **fields: Any
) -> Request:
    """Return a request. If the setup has examples, its completion prompt begins with them."""
    example_id, variant, sample = key
    completion = framed(_shots(setup, prompt, stage), prompt_text) if setup.examples else None
    return Request(example_id, prompt_text, stage, variant, sample, completion=completion, **fields)


def answer_requests(setup: Setup, questions: Iterable[Row], samples: int) -> list[Request]:
    """Return the requests of stage ``answer``."""
    prompts = {TWO_STEP: NULL} if setup.format == TWO_STEP else {prompt: prompt for prompt in setup.prompts}
    return [
        _request(setup, prompt, setup.rendered(prompt, ANSWER, row["question"]), ANSWER, (row["id"], variant, sample))
        for row in questions
        for variant, prompt in prompts.items()
        for sample in range(samples)
    ]


def explain_requests(setup: Setup, questions: Mapping[str, Row], answers: Iterable[Row]) -> Iterator[Request]:
    """Yield the requests of stage ``explain``: for every answer, one under each prompt."""
    for row in answers:
        if row["generation"] is None:
            continue
        question, answer = questions[row["example_id"]]["question"], row["generation"].strip()
        for prompt in setup.prompts:
            prompt_text = setup.rendered(prompt, EXPLAIN, question, answer)
            key = (row["example_id"], prompt, row["sample"])
            yield _request(setup, prompt, prompt_text, EXPLAIN, key, parent_generation_id=row["generation_id"])
