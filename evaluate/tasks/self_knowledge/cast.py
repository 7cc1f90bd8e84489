"""The models of a run: those that write, draw and answer."""

from pathlib import Path

from selfknow.errors import UserError, argument
from selfknow.evaluate.task import Models
from selfknow.evaluate.tasks.self_knowledge.options import PictureOptions, SelfKnowledgeOptions
from selfknow.evaluate.tasks.self_knowledge.protocols import DUAL, PROTOCOLS
from selfknow.evaluate.tasks.self_knowledge.rows import image_settings
from selfknow.models.images.both import LocalDrawingVisionModel
from selfknow.models.images.generators import Drawing
from selfknow.models.images.pictures import require_images_extra
from selfknow.models.opening import ModelOptions


def text_models(options: SelfKnowledgeOptions, models: ModelOptions) -> Models:
    """Return the writer, and the verifiers if they are not just the writer itself.

    A run that reuses an earlier run's texts and has verifiers needs no writer: it takes the texts of all models.

    Raises:
        UserError: A model is not available, or the protocol needs a writer that is not named.
    """
    has_no_writer = options.reuse is not None and models.model is None and options.verifier
    if has_no_writer and DUAL in PROTOCOLS[options.protocol][1]:
        raise UserError(
            "in the protocol 'dual' the model that wrote a text writes another one: name that model too "
            f"({argument('model')})"
        )
    writers = [] if has_no_writer else [models.language_model()]
    if not options.verifier:
        return Models(writers)
    verifiers = [
        writers[0] if writers and name == models.model else models.named(name).language_model()
        for name in options.verifier
    ]
    return Models(writers, verifiers)


def picture_models(options: PictureOptions, models: ModelOptions, folder: Path) -> Models:
    """Return the model that draws, and the models that look at every picture.

    Args:
        options: Name the image generator.
        models: Name the vision-language model.
        folder: The run folder; pictures are kept in ``images`` in it.

    Raises:
        UserError: There is no model that looks at pictures, or a model is not available.
        MissingExtraError: Pillow is not installed.
    """
    require_images_extra()
    settings = image_settings(options)
    others = [models.named(name) for name in dict.fromkeys(options.verifier) if name != models.model]
    if _draws_and_sees(options, models):  # load that model only once
        model = models.language_model(image_input=True, image_output=True)
        assert isinstance(model, LocalDrawingVisionModel), "a model opened to draw can draw"
        return Models(
            [Drawing(model, settings, folder)], [model, *(viewer.language_model(image_input=True) for viewer in others)]
        )
    generators = (
        [models.image_generator(options.image_model, options.image_endpoint, settings)] if options.has_generator else []
    )
    viewers = [models, *others] if models.model or not options.verifier else others
    return Models(
        [Drawing(generator, settings, folder) for generator in generators],
        [viewer.language_model(image_input=True) for viewer in viewers],
    )


def _draws_and_sees(options: PictureOptions, models: ModelOptions) -> bool:
    """Return true if the same local model draws and looks."""
    is_local = options.image_endpoint is None and models.endpoint is None
    return is_local and options.image_model is not None and options.image_model == models.model
