"""The options of a model, and functions that open it: a local checkpoint, an endpoint or a plain function."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError, argument
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import LanguageModel
from selfknow.options import option

if TYPE_CHECKING:
    from selfknow.models.endpoint_calls import Endpoint
    from selfknow.models.images.generators import ImageGenerator, ImageSettings

BASE_MODEL = "none"
"""The value of ``instruction_tuned_from`` that declares a base model."""

TOKEN, IMAGE_TOKEN = "SELFKNOW_TOKEN", "SELFKNOW_IMAGE_TOKEN"
"""Environment variables with the token of the endpoint, and that of the image generator's endpoint."""


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """The model to run, and the options of opening it.

    Attributes:
        model: A checkpoint folder, a GGUF file, a Hub id, a function from a prompt to a reply, or (with ``endpoint``)
            the model's name at the server.
        endpoint: The address of an OpenAI-compatible server; null: the model is local.
        text: True for a TGI endpoint, which takes plain prompts.
        chat: True sends a local model's prompts through its chat template; null does so if it has one.
        batch_size: Local models: the largest number of replies generated at once.
        precision: Local models: ``float32``, ``bfloat16`` or ``saved`` (the checkpoint's own); null: bfloat16 if the
            machine computes in it, else float32.
        concurrency: Endpoints: the largest number of requests at once.
        requests_per_minute: Endpoints: the largest number of requests started in a minute.
        timeout: Endpoints: the time limit of one try, in seconds.
        tries: Endpoints: the largest number of tries of one request.
        num_parameters: The number of parameters of a served model, as servers do not report it.
        instruction_tuned_from: The name or label of the base model in its own run; ``none`` for a base model.
        label: The model's name in tables and charts.
    """

    model: "str | LanguageModel | Callable[[str], str] | None" = option(
        None, "A folder, a FILE.gguf, a Hub id, or a name at --endpoint.", type=str
    )
    endpoint: str | None = option(None, "An OpenAI-compatible server. Token: SELFKNOW_TOKEN.")
    text: bool = option(False, "The endpoint is TGI: send plain prompts, not messages.")
    concurrency: int = option(8, "Most requests to the endpoint at once.", minimum=1)
    requests_per_minute: float | None = option(None, "Most requests to the endpoint per minute.", minimum=0.1)
    timeout: float = option(120.0, "Seconds until a try times out.", minimum=0.1)
    tries: int = option(5, "Try a failing request this many times.", minimum=1)
    num_parameters: int | None = option(None, "The size of a served model, for queries by size.", minimum=1)
    chat: bool | None = option(
        None, "Use the local model's chat template. Default: if it has one.", switch="chat/no-chat"
    )
    batch_size: int = option(64, "The batch size of a local model.", minimum=1)
    precision: str | None = option(None, "float32, bfloat16 or saved. Default: the fastest here.", metavar="NAME")
    instruction_tuned_from: str | None = option(
        None,
        "The base model's name in its own run; none for a base model.",
        metavar="MODEL",
    )
    label: str | None = option(None, "The model's name in tables and charts.", metavar="NAME")

    @property
    def facts(self) -> "ModelFacts":
        """The facts about the model that the user gave, for ``run.json``."""
        tuned_from = self.instruction_tuned_from
        return ModelFacts(
            label=self.label,
            num_parameters=self.num_parameters,
            instruction_tuned=None if tuned_from is None else tuned_from != BASE_MODEL,
            instruction_tuned_from=None if tuned_from == BASE_MODEL else tuned_from,
        )

    def named(self, name: str) -> "ModelOptions":
        """Return the same options for another model."""
        return replace(self, model=name)

    def check(self) -> None:
        """Check the address or the path before anything is fetched.

        Raises:
            UserError: The endpoint is not an address, or the model is a path that does not exist.
        """
        if self.endpoint is not None:
            from selfknow.models.address import Address

            Address.read(self.endpoint)
        elif isinstance(self.model, str):
            from selfknow.models.checkpoints import refuse_missing

            refuse_missing(self.model)

    def language_model(self, *, image_input: bool = False, image_output: bool = False) -> "LanguageModel":
        """Open the model.

        Args:
            image_input: Open a model that also reads pictures.
            image_output: Open a model that also draws pictures.

        Raises:
            UserError: No model is named, or it cannot be opened.
        """
        if self.model is not None and not isinstance(self.model, str):
            if isinstance(self.model, LanguageModel):
                return self.model
            from selfknow.models.function import FunctionModel

            return FunctionModel(self.model)
        if self.endpoint is not None:
            from selfknow.models.endpoint import EndpointModel

            if image_input and self.text:
                raise UserError(f"{argument('text', True)} sends plain text, and no pictures: leave it out")
            return EndpointModel(self._endpoint(self.endpoint, self.model, TOKEN))
        if self.model is None:
            raise UserError(f"name a {argument('model')}, an {argument('endpoint')}, or both")
        from selfknow.models.checkpoints import quieten, require_models_extra

        require_models_extra()
        quieten()
        if image_input:
            from selfknow.models.images.both import LocalDrawingVisionModel
            from selfknow.models.images.seeing import LocalVisionModel

            vision_model = LocalDrawingVisionModel if image_output else LocalVisionModel
            return vision_model.load(self.model, batch_size=self.batch_size, chat=self.chat, precision=self.precision)
        return _open_cached(self.model, self.batch_size, self.chat, self.precision)

    def image_generator(self, name: str | None, address: str | None, settings: "ImageSettings") -> "ImageGenerator":
        """Open an image generator, and refuse settings that it does not have.

        Args:
            name: A folder, a Hub id, or the name of the model at ``address``.
            address: The address of a server; null: the generator is local.
            settings: The settings of drawing.

        Raises:
            UserError: It cannot be opened, or a server has no field for the settings.
        """
        if address is not None:
            from selfknow.models.images.endpoint import EndpointImageGenerator

            EndpointImageGenerator.check(settings)
            return EndpointImageGenerator(self._endpoint(address, name, IMAGE_TOKEN))
        assert name is not None, "an image generator has a name or an address"
        from selfknow.models.images.local import LocalImageGenerator, quieten, require_diffusers

        require_diffusers()
        quieten()
        return LocalImageGenerator.find(name)

    def _endpoint(self, address: str, name: str | None, token: str) -> "Endpoint":
        from selfknow.models.endpoint_calls import Endpoint

        return Endpoint(
            address,
            name,
            text=self.text,
            token=os.environ.get(token),
            concurrency=self.concurrency,
            requests_per_minute=self.requests_per_minute,
            timeout_seconds=self.timeout,
            tries=self.tries,
        )


_CACHE: ContextVar[dict[tuple[Any, ...], LanguageModel] | None] = ContextVar("_CACHE", default=None)


@contextmanager
def cache_models() -> Iterator[None]:
    """Keep the last local model open within a block, so that its weights are not read again."""
    token = _CACHE.set({})
    try:
        yield
    finally:
        _CACHE.reset(token)


def _open_cached(name: str, batch_size: int, chat: bool | None, precision: str | None) -> LanguageModel:
    from selfknow.models.local import LocalModel

    cache, key = _CACHE.get(), (name, batch_size, chat, precision)
    if cache is None:
        return LocalModel.load(name, batch_size=batch_size, chat=chat, precision=precision)
    if key not in cache:
        cache.clear()  # only one model at a time has to fit into memory
        cache[key] = LocalModel.load(name, batch_size=batch_size, chat=chat, precision=precision)
    return cache[key]
