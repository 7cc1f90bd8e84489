"""The stages of a self-knowledge run: writing, questions about the texts, and a benchmark's own questions."""

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
"""A function that makes a completion model's prompt from an example, a stage, a prompt and earlier turns.

It returns None to leave the prompt unchanged.
"""


def unchanged(example: Example, stage: str, prompt: str, turns: Sequence[Turn]) -> None:
    """Return None: completion models get the prompt unchanged."""


def generate_requests(
    setup: Setup, examples: Iterable[Example], samples: int, complete: Complete = unchanged
) -> list[Request]:
    """Return the requests of stage ``generate``, in which models write texts."""
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
    setup: Setup, questions: Iterable[Example], samples: int, complete: Complete = unchanged
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
    texts: Iterable[Row],
    complete: Complete = unchanged,
) -> Iterator[Request]:
    """Yield the requests of a stage that asks about texts.

    Args:
        setup: The task, protocol, wording and styles.
        stage: One of the setup's stages.
        examples: The examples by id.
        texts: Rows of ``generations``: those of stage ``dual`` if the stage is ``verify-dual``, otherwise those of
            stage ``generate``. Failed rows, and texts that nothing can be asked about, are skipped; scores count them.
        complete: Makes a completion model's prompt.
    """
    for row in texts:
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
            writing_prompt, noisy = example.prompt("generate_prompt"), setup.protocol.endswith("noise")
            if picture:
                prompt = picture_in_context(writing_prompt, picture, template, noisy=noisy)
            else:
                turns, prompt = conversation(writing_prompt, shown_in_context(row), template, content.text, noisy=noisy)
        elif picture:
            prompt = f"{prompt}\n\n{picture}"
        key = (example.id, prompt, stage, setup.variant, row["sample"])
        completion = complete(example, stage, prompt, turns)
        yield Request(*key, parent_generation_id=row["generation_id"], turns=turns, completion=completion)


def with_pictures(folder: Path, requests: Iterable[Request]) -> list[Request]:
    """Return the requests, each with the file of its picture.

    Args:
        folder: The run folder.
        requests: Requests with a picture's name in the prompt.

    Raises:
        UserError: A picture is missing, or was changed.
    """
    return [replace(request, image=find(folder, str(picture_name(request.prompt)))) for request in requests]


def stages(options: SelfKnowledgeOptions, rows: Rows) -> Sequence[Stage]:
    """Return the stages of a run in their order.

    The first stage writes texts, unless the run reuses those of an earlier run. Then come the stages of the protocol,
    and last the benchmark's own questions, for the models that were asked about new ones (Tan et al., Table 9).
    """
    config = str(rows.table["task"][0].as_py())
    setup = setup_of(config, options)
    examples = {example.id: example for example in examples_of(rows.table, setup)}
    # The benchmark's own questions have no generating prompt.
    new = {id_: example for id_, example in examples.items() if example.prompts.get("generate_prompt") is not None}
    benchmark_questions = [example for id_, example in examples.items() if id_ not in new]
    is_drawn = isinstance(options, PictureOptions)
    complete = _with_examples(setup) if rows.settings["completion"] else unchanged

    def generate(so_far: SoFar) -> Iterable[Request]:
        return generate_requests(setup, new.values(), options.samples, complete)

    def answer(so_far: SoFar) -> Iterable[Request]:
        return answer_requests(setup, benchmark_questions, options.samples, complete)

    return [
        *([] if options.reuse else [Stage(GENERATE, generate)]),
        *(_follow_up(setup, stage, new, complete, is_drawn=is_drawn) for stage in setup.stages),
        *([Stage(ANSWER, answer, by_verifier=True)] if benchmark_questions else []),
    ]


def _with_examples(setup: Setup) -> Complete:
    """Return a function that puts the worked examples before a completion model's question."""

    def complete(example: Example, stage: str, prompt: str, turns: Sequence[Turn]) -> Completion:
        return framed(_shots(setup, example.style, stage), prompt, turns)

    return complete


@cache
def _shots(setup: Setup, style: str, stage: str) -> Sequence[Shot]:
    return shots(setup.task, style, setup.wording, stage, in_context=setup.is_in_context)


def _follow_up(setup: Setup, stage: str, examples: dict[str, Example], complete: Complete, *, is_drawn: bool) -> Stage:
    def requests(so_far: SoFar) -> Iterable[Request]:
        text_stage = DUAL if stage == "verify-dual" else GENERATE
        texts = [row for row in so_far.replies if row["stage"] == text_stage and row["variant"] == setup.variant]
        follow_up = list(follow_ups(setup, stage, examples, texts, complete))
        return with_pictures(so_far.folder, follow_up) if is_drawn else follow_up

    return Stage(stage, requests, by_verifier=stage != DUAL)
