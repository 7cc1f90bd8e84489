"""What ``selfknow demo`` fetches and asks: which files, how many questions, at most how many tokens."""

from dataclasses import dataclass
from functools import cache

from selfknow.packages import PackagedFile

# Of the most that SmolLM2 may write, on one core that computes in bfloat16, beside the trainings on the other. It
# writes fewer, for most replies end before their limit.
_TOKENS_PER_SECOND = 150
_SECONDS_TO_OPEN = 30  # a model, and the libraries that are imported with it


@dataclass(frozen=True)
class RealModelPlan:
    """What a real model is asked; sizes are such that the whole demo takes less than five minutes on two idle cores.

    Attributes:
        model: A GGUF file.
        text: A module that holds a text which the model may know by heart.
        first_questions: Whose answers are shown at once.
        forms: In which forms it is asked what it does not know.
        questions: Of self-aware, in each form.
        tasks: Of self-knowledge.
        instances: Of each task.
        prompts: Of according-to: ``all``, or ids with commas between.
        questions_about_text: Under each prompt.
        passages: Of the text that it is given the beginning of.
        passage_words: Of each passage.
        answer_tokens: The most that a reply to a question has.
        creation_tokens: The most that a reply of self-knowledge has.
        continuation_tokens: The most that is written behind a passage.
    """

    model: PackagedFile
    text: PackagedFile
    first_questions: int = 6
    forms: tuple[str, ...] = ("direct", "instruction")
    questions: int = 100
    tasks: tuple[str, ...] = ("total-count", "designated-count", "fact", "specific-mention")
    instances: int = 12
    prompts: str = "all"
    questions_about_text: int = 6
    passages: int = 64
    passage_words: int = 32
    answer_tokens: int = 40
    creation_tokens: int = 112
    continuation_tokens: int = 48

    @property
    def seconds_for_first_answers(self) -> float:
        """Return the most that opening the model and its first answers take."""
        return _SECONDS_TO_OPEN + self.first_questions * self.answer_tokens / _TOKENS_PER_SECOND

    @property
    def seconds_for_unknown(self) -> float:
        """Return the most that asking what the model does not know takes."""
        return len(self.forms) * self.questions * self.answer_tokens / _TOKENS_PER_SECOND

    @property
    def seconds_for_creations(self) -> float:
        """Return the most that having it write and asking it about that take."""
        return 2 * len(self.tasks) * self.instances * self.creation_tokens / _TOKENS_PER_SECOND

    @property
    def seconds_for_quotes(self) -> float:
        """Return the most that asking it to quote and having it go on with passages take."""
        from selfknow.builders.according_to.prompts import phrases

        num_prompts = len(phrases()) if self.prompts == "all" else self.prompts.count(",") + 2
        asked = num_prompts * self.questions_about_text * self.answer_tokens
        return (asked + self.passages * self.continuation_tokens) / _TOKENS_PER_SECOND


@cache
def real_model_plan() -> RealModelPlan:
    """The plan of ``selfknow demo``, with the files that ``datasets_src`` pins."""
    import yaml

    from selfknow.builders.sources import read_text

    pinned = yaml.safe_load(read_text("demo/packages.yaml"))
    return RealModelPlan(PackagedFile(**pinned["model"]), PackagedFile(**pinned["text"]))
