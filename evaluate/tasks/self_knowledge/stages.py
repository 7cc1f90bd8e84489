"""The stages of a run of self-knowledge: writing, questions about what was written, and a benchmark's own questions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from selfknow.builders.self_knowledge.prompts import MARKER
from selfknow.evaluate.task import Row, Rows, SoFar, Stage
from selfknow.evaluate.tasks.completions import Example as Shot
from selfknow.evaluate.tasks.completions import framed
from selfknow.evaluate.tasks.self_knowledge.options import PictureOptions, SelfKnowledgeOptions
from selfknow.evaluate.tasks.self_knowledge.protocols import (
    ANSWER,
    DUAL,
    GENERATE,
    Example,
    Setup,
    conversation,
    picture_in_context,
    shown_in_context,
)
from selfknow.evaluate.tasks.self_knowledge.rows import examples_of, setup_of
from selfknow.evaluate.tasks.self_knowledge.worked import shots
from selfknow.models.images.pictures import find
from selfknow.models.images.showing import picture_name, reference
from selfknow.models.interface import Completion, Request, Turn

Complete = Callable[[Example, str, str, Sequence[Turn]], Completion | None]
"""Makes a completion model's prompt from an example, a stage, a prompt and earlier turns; None leaves it unchanged."""


def as_it_stands(example: Example, stage: str, prompt: str, turns: Sequence[Turn]) -> None:
    """Return null: completion models get the prompt unchanged."""


def generate_requests(
    setup: Setup, examples: Iterable[Example], samples: int, complete: Complete = as_it_stands
) -> list[Request]:
    """Return the requests of the first stage, in which models write."""
    return [
        Request(
            example.id,
            prompt,
            GENERATE,
            setup.variant,
            sample,
            completion=complete(example, GENERATE, prompt, ()),
        )
        for example in examples
        for prompt in [example.prompt("generate_prompt")]
        for sample in range(samples)
    ]


def answer_requests(
    setup: Setup, questions: Iterable[Example], samples: int, complete: Complete = as_it_stands
) -> list[Request]:
    """Return the requests that ask the benchmark's own questions."""
    return [
        Request(example.id, prompt, ANSWER, setup.variant, sample, completion=complete(example, ANSWER, prompt, ()))
        for example in questions
        for prompt in [example.prompt("verify_prompt")]
        for sample in range(samples)
    ]


def follow_ups(
    setup: Setup,
    stage: str,
    examples: Mapping[str, Example],
    written: Iterable[Row],
    complete: Complete = as_it_stands,
) -> Iterator[Request]:
    """Yield the requests of a stage about what was written.

    Args:
        setup: The task and how it is asked.
        stage: One of the setup's stages.
        examples: The examples by id.
        written: Rows of ``generations``: those of stage ``dual`` if the stage is ``verify-dual``, otherwise those of
            stage ``generate``. Rows that failed, or hold nothing to ask about, are skipped; the scores count them.
        complete: How completion models are asked.
    """
    for row in written:
        if row["generation"] is None:
            continue
        example = examples[row["example_id"]]
        content = example.changed(stage, example.content(row))
        if content.text is None:
            continue
        template = example.prompt("dual_prompt") if stage == DUAL else example.question(stage)
        prompt, turns = template.replace(MARKER, content.text), tuple[Turn, ...]()
        picture = reference(content.text) if example.is_about_a_picture else None
        if setup.is_in_context:
            asked_for, noisy = example.prompt("generate_prompt"), setup.protocol.endswith("noise")
            if picture:
                prompt = picture_in_context(asked_for, picture, template, noisy=noisy)
            else:
                turns, prompt = conversation(asked_for, shown_in_context(row), template, content.text, noisy=noisy)
        elif picture:
            prompt = f"{prompt}\n\n{picture}"
        own = (example.id, prompt, stage, setup.variant, row["sample"])
        completion = complete(example, stage, prompt, turns)
        yield Request(*own, parent_generation_id=row["generation_id"], turns=turns, completion=completion)


def with_pictures(folder: Path, requests: Iterable[Request]) -> list[Request]:
    """Return questions with the files of the pictures that they show.

    Args:
        folder: The run folder.
        requests: The questions, each with a picture's name in its prompt.

    Raises:
        UserError: A picture is missing, or was changed.
    """
    return [replace(request, image=find(folder, str(picture_name(request.prompt)))) for request in requests]


def stages(options: SelfKnowledgeOptions, rows: Rows) -> Sequence[Stage]:
    """Return the stages of a run in their order.

    Writing comes first, unless texts of an earlier run are taken over; then the stages of the protocol. Models
    that are asked about newly written questions are asked the benchmark's own questions, too (Tan et al.,
    Table 9).
    """
    config = str(rows.table["task"][0].as_py())
    setup = setup_of(config, options)
    examples = {example.id: example for example in examples_of(rows.table, setup)}
    # The benchmark's own questions have no generating prompt.
    new = {id_: example for id_, example in examples.items() if example.prompts.get("generate_prompt") is not None}
    own = [example for id_, example in examples.items() if id_ not in new]
    is_drawn = isinstance(options, PictureOptions)
    complete = _with_examples(setup) if rows.settings["completion"] else as_it_stands

    def generate(so_far: SoFar) -> Iterable[Request]:
        return generate_requests(setup, new.values(), options.samples, complete)

    def answer(so_far: SoFar) -> Iterable[Request]:
        return answer_requests(setup, own, options.samples, complete)

    return [
        *([] if options.reuse else [Stage(GENERATE, generate)]),
        *(_follow_up(setup, stage, new, complete, is_drawn=is_drawn) for stage in setup.stages),
        *([Stage(ANSWER, answer, by_verifier=True)] if own else []),
    ]


def _with_examples(setup: Setup) -> Complete:
    """Return a function that puts two worked examples before a completion model's question."""

    def complete(example: Example, stage: str, prompt: str, turns: Sequence[Turn]) -> Completion:
        return framed(_shots(setup, example.style, stage), prompt, turns)

    return complete


@cache
def _shots(setup: Setup, style: str, stage: str) -> Sequence[Shot]:
    return shots(setup.task, style, setup.wording, stage, in_context=setup.is_in_context)


def _follow_up(setup: Setup, stage: str, examples: dict[str, Example], complete: Complete, *, is_drawn: bool) -> Stage:
    def requests(so_far: SoFar) -> Iterable[Request]:
        about = DUAL if stage == "verify-dual" else GENERATE
        texts = [row for row in so_far.replies if row["stage"] == about and row["variant"] == setup.variant]
        follow_up = list(follow_ups(setup, stage, examples, texts, complete))
        return with_pictures(so_far.folder, follow_up) if is_drawn else follow_up

    return Stage(stage, requests, by_verifier=stage != DUAL)
