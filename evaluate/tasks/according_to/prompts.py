"""Ask questions under the prompts of according-to: one step, or an answer and then its explanation.

One-step formats ask stage ``answer`` once for each prompt; its id is the variant. ``two-step`` asks stage ``answer``
once (variant ``two-step``: the paper's first step holds no phrase), and stage ``explain`` for each prompt.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from selfknow.builders.according_to.prompts import CORPUS, CORPUS_ADDRESS, NULL, PLACEMENTS, formats, phrases, rows
from selfknow.errors import UserError, nearest
from selfknow.evaluate.models.interface import Request
from selfknow.evaluate.task import Row

ANSWER, EXPLAIN, TWO_STEP = "answer", "explain", "two-step"
WIKIPEDIA, WIKIPEDIA_ADDRESS = "Wikipedia", "https://www.wikipedia.org"
PROMPTS = tuple(prompt["id"] for prompt in phrases())


def chosen_prompts(text: str) -> tuple[str, ...]:
    """The prompts of ``all`` or ``attributed,without``, in the order of Table 1; the null prompt is always asked.

    Raises:
        UserError: There is no such prompt.
    """
    names = set(PROMPTS) if text == "all" else {name.strip() for name in text.split(",")}
    if unknown := sorted(names - set(PROMPTS)):
        raise UserError(f"there is no prompt {unknown[0]!r}{nearest(unknown[0], [*PROMPTS, 'all'])}")
    return tuple(name for name in PROMPTS if name in names | {NULL})


@dataclass(frozen=True)
class Setup:
    """How questions are asked.

    Attributes:
        format: One of Appendix A's: short, two-step, long, long-answer.
        prompts: Ids of Table 1's prompts, the null prompt among them.
        placement: Where the phrase stands: appended, prepended, both.
        corpus: What the prompts call the corpus.
        corpus_address: Where it is said to be found; null for Wikipedia's address, or another corpus's name.
    """

    format: str = "short"
    prompts: tuple[str, ...] = PROMPTS
    placement: str = "appended"
    corpus: str = WIKIPEDIA
    corpus_address: str | None = None

    def __post_init__(self) -> None:
        for name, value, known in (("format", self.format, formats()), ("placement", self.placement, PLACEMENTS)):
            if value not in known:
                raise UserError(f"there is no {name} {value!r}{nearest(value, known)}")
        if not self.corpus.strip():
            raise UserError("the corpus needs a name, such as Wikipedia")

    @cached_property
    def templates(self) -> Mapping[str, Mapping[str, str | None]]:
        """The rows of the asked prompts, by their ids."""
        by_prompt = {row["prompt_id"]: row for row in rows(self.placement) if row["format"] == self.format}
        return {prompt: by_prompt[prompt] for prompt in self.prompts}

    def rendered(self, prompt: str, stage: str, question: str, answer: str = "") -> str:
        """One prompt with everything filled in; what is filled in is never read for markers."""
        template = self.templates[prompt][f"{stage}_prompt"]
        assert template is not None, f"the format {self.format} has a stage {stage}"
        address = self.corpus_address or (WIKIPEDIA_ADDRESS if self.corpus == WIKIPEDIA else self.corpus)
        slots = {CORPUS: self.corpus, CORPUS_ADDRESS: address, "{question}": question, "{answer}": answer}
        return re.sub("|".join(map(re.escape, slots)), lambda marker: slots[marker[0]], template)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Setup":
        """What the settings of a run say (see :meth:`as_json`)."""
        return cls(
            settings["format"],
            tuple(settings["prompts"]),
            settings["placement"],
            settings["corpus"],
            settings["corpus_address"],
        )

    def as_json(self) -> dict[str, object]:
        """What ``run.json`` says of it."""
        return {
            "format": self.format,
            "prompts": list(self.prompts),
            "kinds": [self.templates[prompt]["kind"] for prompt in self.prompts],
            "placement": self.placement,
            "corpus": self.corpus,
            "corpus_address": self.corpus_address,
        }


def answer_requests(setup: Setup, questions: Iterable[Row], samples: int) -> list[Request]:
    """The first stage."""
    prompts = {TWO_STEP: NULL} if setup.format == TWO_STEP else {prompt: prompt for prompt in setup.prompts}
    return [
        Request(row["id"], setup.rendered(prompt, ANSWER, row["question"]), ANSWER, variant, sample)
        for row in questions
        for variant, prompt in prompts.items()
        for sample in range(samples)
    ]


def explain_requests(setup: Setup, questions: Mapping[str, Row], answers: Iterable[Row]) -> Iterator[Request]:
    """The second stage, about every answer that there is."""
    for row in answers:
        if row["generation"] is None:
            continue
        question, answer = questions[row["example_id"]]["question"], row["generation"].strip()
        for prompt in setup.prompts:
            yield Request(
                row["example_id"],
                setup.rendered(prompt, EXPLAIN, question, answer),
                EXPLAIN,
                prompt,
                row["sample"],
                parent_generation_id=row["generation_id"],
            )
