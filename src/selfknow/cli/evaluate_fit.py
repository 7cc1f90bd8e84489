"""Which options of ``selfknow evaluate`` a task takes: one of another task is refused, not passed over in silence."""

from collections.abc import Iterable, Mapping

from selfknow.errors import UserError

DIARIES, SELF_AWARE, ACCORDING_TO, GSM8K = "diary-recall", "self-aware", "according-to", "gsm8k"
TEXTS, BENCHMARK = "self-knowledge:TASK", "self-knowledge:benchmark"
PICTURES, AGENTS = "self-knowledge:image-…", "self-knowledge:agents"
_CREATED = (TEXTS, BENCHMARK, PICTURES)
# The tasks of the options that not every task takes.
_TASKS_OF: Mapping[str, tuple[str, ...]] = {
    "split": (DIARIES, *_CREATED),
    "samples": (DIARIES, SELF_AWARE, *_CREATED, ACCORDING_TO, GSM8K),
    **dict.fromkeys(("probes", "stop"), (DIARIES,)),
    "form": (SELF_AWARE,),
    **dict.fromkeys(("protocol", "style", "wording", "reuse"), _CREATED),
    "verifier": (*_CREATED, AGENTS),
    "benchmark": (BENCHMARK,),
    **dict.fromkeys(("image_model", "image_endpoint", "image_size", "image_steps", "image_guidance"), (PICTURES,)),
    **dict.fromkeys(
        ("portrait", "prompts", "prompt_format", "placement", "corpus_name", "corpus_address"), (ACCORDING_TO,)
    ),
    **dict.fromkeys(("counts", "num_parameters", "instruction_tuned_from"), (ACCORDING_TO,)),
}


def check_fit(kind: str, task: str, given: Iterable[str]) -> None:
    """Refuse the options that the task has no use for.

    Args:
        kind: Of the task: one of the constants here.
        task: As it was named.
        given: The parameters that were named on the command line.

    Raises:
        UserError: One of them is for other tasks alone.
    """
    for name in given:
        if kind not in (tasks := _TASKS_OF.get(name, (kind,))):
            raise UserError(f"--{name.replace('_', '-')} is for {', '.join(tasks)}, not for {task}")
