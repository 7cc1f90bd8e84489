"""``selfknow evaluate self-knowledge:image-…``: who draws, and how, out of the options of the command."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.cli.evaluate_models import Opening
from selfknow.errors import UserError

if TYPE_CHECKING:
    from selfknow.evaluate.corpora import Corpus
    from selfknow.evaluate.models import Decoding
    from selfknow.evaluate.self_knowledge.evaluating import Asked
    from selfknow.evaluate.self_knowledge.protocols import Setup


@dataclass(frozen=True)
class PictureOptions:
    """What the options ``--image-…`` say; null where they are left out.

    Attributes:
        model: Who draws: a folder, a Hub id, or with ``endpoint`` the name there.
        endpoint: The image generator's address.
        size: Width and height in pixels, as ``512x512``.
        steps: Of denoising.
        guidance: The guidance scale.
    """

    model: str | None
    endpoint: str | None
    size: str | None
    steps: int | None
    guidance: float | None

    @property
    def draw(self) -> bool:
        """Whether they name an image generator."""
        return self.model is not None or self.endpoint is not None

    def check_unused(self, task: str) -> None:
        """Refuse them for a task that is not about pictures.

        Raises:
            UserError: One of them was given.
        """
        if any(value is not None for value in vars(self).values()):
            raise UserError(
                f"{task} has no pictures: --image-… is for self-knowledge:image-counting, image-color, image-position"
            )


def is_about_pictures(corpus: "Corpus", split: str) -> bool:
    """Whether a corpus is a task about pictures."""
    from selfknow.evaluate.self_knowledge.evaluating import is_self_knowledge

    return corpus.config.startswith("image-") and is_self_knowledge(corpus.read(split))


def ask_about_pictures(
    corpus: "Corpus",
    split: str,
    setup: "Setup",
    options: PictureOptions,
    opening: Opening,
    verifiers: list[str | None],
    decoding: "Decoding",
    out: Path,
    samples: int,
    limit: int | None,
    reuse: Path | None,
) -> "list[Asked]":
    """Have pictures drawn and looked at.

    Args:
        corpus: One of the tasks ``image-…``.
        split: The split whose rows are asked.
        setup: How they are asked.
        options: Who draws.
        opening: How models are opened.
        verifiers: Who looks.
        decoding: How replies are drawn.
        out: The run folder.
        samples: Pictures for each row.
        limit: Only the first so many.
        reuse: A run whose pictures are taken.

    Raises:
        UserError: Nobody draws, or nobody looks.
    """
    from selfknow.evaluate.images.generators import ImageSettings
    from selfknow.evaluate.images.pictures import require_images_extra
    from selfknow.evaluate.self_knowledge.evaluating import evaluate_pictures

    if not options.draw and reuse is None:
        raise UserError(
            f"{setup.task} is about pictures: name who draws them (--image-model, --image-endpoint) and a "
            "vision-language model that looks at them (--model)"
        )
    require_images_extra()
    settings = ImageSettings.of(options.size, options.steps, options.guidance)
    generators = [opening.image_generator(options.model, options.endpoint, settings)] if options.draw else []
    return evaluate_pictures(
        corpus.read(split),
        corpus.reference(split),
        setup,
        decoding,
        out,
        generators,
        [opening.language_model(name, sees=True) for name in verifiers],
        drawing=settings,
        samples=samples,
        limit=limit,
        reuse=reuse,
    )
