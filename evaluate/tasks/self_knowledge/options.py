"""The options of self-knowledge: how a task is asked, one of a benchmark or of pictures too, and what is scored."""

from dataclasses import dataclass
from pathlib import Path

from selfknow.evaluate.task import SampledOptions, ScoreOptions, completion_examples_option
from selfknow.options import option


@dataclass(frozen=True, kw_only=True)
class SelfKnowledgeOptions(SampledOptions):
    """Options of asking a task.

    Attributes:
        split: The split whose rows are asked.
        protocol: The protocol of asking about what was written.
        style: One of plain, expert and cot.
        wording: ours, or paper: the paper's words, if it has any.
        examples: True if completion models are shown two worked examples; null: in our wording.
        verifier: Models that are asked about what the writer wrote, instead of itself.
        reuse: An earlier run whose texts are asked about; none are written.
    """

    split: str = option("test", "The split whose rows are asked.")
    protocol: str = option("separate", "Or in-context[-noise], dual, [in]consistency.")
    style: tuple[str, ...] = option((), "plain (the default), expert, cot; repeatable.")
    wording: str = option("ours", "ours, or paper: the paper's words, if it has any.")
    examples: bool | None = completion_examples_option()
    verifier: tuple[str, ...] = option((), "The model asked about --model's texts. Default: itself; repeatable.")
    reuse: Path | None = option(None, "An earlier run whose texts to ask about: --model's, or all.")


@dataclass(frozen=True, kw_only=True)
class BenchmarkOptions(SelfKnowledgeOptions):
    """Options for asking questions like those of a benchmark (Tan et al., section 6.5).

    Attributes:
        benchmark: The benchmark that new questions follow; null: our own.
    """

    benchmark: str | None = option(
        None,
        "A file of questions, or `cais/mmlu:college_computer_science`; new ones are written after it. "
        "Default: our own.",
    )


@dataclass(frozen=True, kw_only=True)
class PictureOptions(SelfKnowledgeOptions):
    """Options for asking a task about pictures (Tan et al., section 5).

    Attributes:
        image_model: The model that draws: a diffusers pipeline, or with ``image_endpoint`` its name there.
        image_endpoint: The image generator's address.
        image_size: Width and height in pixels, as ``512x512``.
        image_steps: The number of denoising steps.
        image_guidance: The guidance scale.
    """

    image_model: str | None = option(
        None,
        "Draw with this diffusers pipeline, or this name at --image-endpoint.",
    )
    image_endpoint: str | None = option(None, "Its address (/v1/images/generations). Token: SELFKNOW_IMAGE_TOKEN.")
    image_size: str | None = option(None, "The size of pictures, as 512x512. Default: the generator's.")
    image_steps: int | None = option(None, "Denoising steps of a local pipeline.", minimum=1)
    image_guidance: float | None = option(None, "Guidance scale of a local pipeline.", minimum=0.0)

    @property
    def has_generator(self) -> bool:
        """True if an image generator is named."""
        return self.image_model is not None or self.image_endpoint is not None

    @property
    def has_pictures(self) -> bool:
        """True if pictures are drawn, or taken over from an earlier run."""
        return self.has_generator or self.reuse is not None


@dataclass(frozen=True)
class SelfKnowledgeScoreOptions(ScoreOptions):
    """Options of what else is measured.

    Attributes:
        attention: The local model that wrote, as it is called in the run, or ``writer`` for the only one; null: nothing
            is loaded.
    """

    attention: str | None = option(
        None,
        "Of designated-count: the local model that wrote, as it is called in the run, or `writer` for the only one; "
        "adds how it attends to its keywords.",
    )
