"""The options of self-knowledge: of texts, of a benchmark, of pictures, and of scoring."""

from dataclasses import dataclass
from pathlib import Path

from selfknow.evaluate.task import SampledOptions, ScoreOptions, completion_examples_option
from selfknow.options import option


@dataclass(frozen=True, kw_only=True)
class SelfKnowledgeOptions(SampledOptions):
    """Options for asking a task about texts.

    Attributes:
        split: The split whose rows are asked.
        protocol: The protocol of the questions about texts, such as ``separate``.
        style: ``plain``, ``expert`` or ``cot``; several are possible.
        wording: ``ours``, or ``paper`` for the paper's words, if it has any.
        examples: True if completion models are shown two worked examples; null for only in our wording.
        verifier: Models that are asked about the texts instead of the writer itself.
        reuse: An earlier run whose texts are asked about; the run then writes none.
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
        benchmark: The benchmark that new questions imitate; null for our own.
    """

    benchmark: str | None = option(
        None,
        "The benchmark that new questions imitate: a file, or `cais/mmlu:college_computer_science`. Default: our own.",
    )


@dataclass(frozen=True, kw_only=True)
class PictureOptions(SelfKnowledgeOptions):
    """Options for asking a task about pictures (Tan et al., section 5).

    Attributes:
        image_model: The model that draws: a diffusers pipeline, or a model's name at ``image_endpoint``.
        image_endpoint: The image generator's address.
        image_size: Width and height in pixels, as ``512x512``.
        image_steps: The number of denoising steps.
        image_guidance: The guidance scale.
    """

    image_model: str | None = option(
        None,
        "Draw with this diffusers pipeline, or model at --image-endpoint.",
    )
    image_endpoint: str | None = option(None, "Its address (/v1/images/generations). Token: SELFKNOW_IMAGE_TOKEN.")
    image_size: str | None = option(None, "Width and height of pictures: 512x512. Default: the generator's.")
    image_steps: int | None = option(None, "Denoising steps of a local pipeline.", minimum=1)
    image_guidance: float | None = option(None, "Guidance scale of a local pipeline.", minimum=0.0)

    @property
    def has_generator(self) -> bool:
        """True if an image generator is named."""
        return self.image_model is not None or self.image_endpoint is not None

    @property
    def has_pictures(self) -> bool:
        """True if pictures are drawn, or reused from an earlier run."""
        return self.has_generator or self.reuse is not None


@dataclass(frozen=True)
class SelfKnowledgeScoreOptions(ScoreOptions):
    """Options for scoring.

    Attributes:
        attention: The local model whose attention is scored, by its name in the run, or ``writer`` for the run's only
            writer; null: no attention is scored.
    """

    attention: str | None = option(
        None,
        "For designated-count: also score the attention of this local model to its keywords. Give its name in the run, "
        "or `writer` for the only writer.",
    )
