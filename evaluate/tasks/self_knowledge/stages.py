"""The stages of a run of self-knowledge: writing, what follows upon it, and the benchmark's own questions."""

from collections.abc import Iterable, Sequence
from functools import cache

from selfknow.evaluate.task import Rows, SoFar, Stage
from selfknow.evaluate.tasks.completions import Example as Shot
from selfknow.evaluate.tasks.completions import framed
from selfknow.evaluate.tasks.self_knowledge import pictures
from selfknow.evaluate.tasks.self_knowledge.protocols import (
    ANSWER,
    DUAL,
    GENERATE,
    Complete,
    Example,
    Setup,
    answer_requests,
    as_it_stands,
    follow_ups,
    generate_requests,
)
from selfknow.evaluate.tasks.self_knowledge.rows import examples_of, setup_of
from selfknow.evaluate.tasks.self_knowledge.task import PictureOptions, SelfKnowledgeOptions
from selfknow.evaluate.tasks.self_knowledge.worked import shots
from selfknow.models.interface import Completion, Request, Turn


def stages(options: SelfKnowledgeOptions, rows: Rows) -> Sequence[Stage]:
    """What is asked in what order.

    Writing comes first, unless texts of an earlier run are taken over; then the stages of the protocol. Whoever is
    asked about new questions of a benchmark is asked the benchmark's own ones, too (Table 9).
    """
    config = str(rows.table["task"][0].as_py())
    setup = setup_of(config, options)
    examples = {example.id: example for example in examples_of(rows.table, setup)}
    # The benchmark's own questions ask nobody to write.
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
    """Return how completion models are asked: two worked examples first, as questions and answers."""

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
        return pictures.shown(so_far.folder, follow_up) if is_drawn else follow_up

    return Stage(stage, requests, by_verifier=stage != DUAL)
