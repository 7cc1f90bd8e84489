"""How models are opened: local checkpoints, endpoints and plain functions behind one class of options."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import LanguageModel
from selfknow.options import option

if TYPE_CHECKING:
    from selfknow.models.endpoint_calls import Endpoint
    from selfknow.models.images.generators import ImageGenerator, ImageSettings

BASE_MODEL = "none"
TOKEN, IMAGE_TOKEN = "SELFKNOW_TOKEN", "SELFKNOW_IMAGE_TOKEN"


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """Which model is asked, and how it is opened.

    Attributes:
        model: A checkpoint folder, a GGUF file, a Hub id, with ``endpoint`` the model's name there, or a function from
            a prompt to a reply.
        endpoint: The address of an OpenAI-compatible server; null: the model is local.
        text: The endpoint is TGI, which is sent plain prompts.
        chat: Whether local models are asked through their chat template; null: where they have one.
        batch_size: Of local models: replies generated at once.
        precision: Of local models: ``float32``, ``bfloat16`` or ``saved`` (as the checkpoint is); null: bfloat16 where
            the machine computes in it, else float32.
        concurrency: Of endpoints: requests under way at once.
        requests_per_minute: Of endpoints: requests started a minute.
        timeout: Of endpoints: seconds for one try.
        tries: Of endpoints: tries of one request.
        num_parameters: The size of a served model, which nothing else tells.
        instruction_tuned_from: The base model that this one was tuned from, as its own run calls it; ``none`` says that
            it is a base model itself.
        label: The model's name in tables and charts.
    """

    model: "str | LanguageModel | Callable[[str], str] | None" = option(
        None, "A folder, a FILE.gguf, a Hub id, or a name at --endpoint.", type=str
    )
    endpoint: str | None = option(None, "Address of an OpenAI-compatible server, or with --text of TGI.")
    text: bool = option(False, "The endpoint is TGI: send plain prompts, not messages.")
    concurrency: int = option(8, "Requests to the endpoint at once.", minimum=1)
    requests_per_minute: float | None = option(None, "Requests to the endpoint per minute.", minimum=0.1)
    timeout: float = option(120.0, "Seconds until a try times out.", minimum=0.1)
    tries: int = option(5, "How many times a request is tried.", minimum=1)
    num_parameters: int | None = option(None, "The size of a served model, for queries by size.", minimum=1)
    chat: bool | None = option(
        None, "Use the local model's chat template. Default: where it has one.", switch="chat/no-chat"
    )
    batch_size: int = option(64, "Replies generated at once, locally.", minimum=1)
    precision: str | None = option(None, "float32, bfloat16 or saved. Default: what is fastest here.", metavar="NAME")
    instruction_tuned_from: str | None = option(
        None,
        "The base model's name in its own run; none for a base model.",
        metavar="MODEL",
    )
    label: str | None = option(None, "The model's name in tables and charts.", metavar="NAME")

    @property
    def facts(self) -> "ModelFacts":
        """What the user says of the model, for ``run.json``."""
        tuned_from = self.instruction_tuned_from
        return ModelFacts(
            label=self.label,
            num_parameters=self.num_parameters,
            instruction_tuned=None if tuned_from is None else tuned_from != BASE_MODEL,
            instruction_tuned_from=None if tuned_from == BASE_MODEL else tuned_from,
        )

    def named(self, name: str) -> "ModelOptions":
        """The same options for another model."""
        return replace(self, model=name)

    def check(self) -> None:
        """Refuse at once an address that is none and a file that is not there, before anything is fetched.

        Raises:
            UserError: That is so.
        """
        if self.endpoint is not None:
            from selfknow.models.address import Address

            Address.read(self.endpoint)
        elif isinstance(self.model, str):
            from selfknow.models.checkpoints import refuse_missing

            refuse_missing(self.model)

    def language_model(self, *, sees: bool = False, draws: bool = False) -> "LanguageModel":
        """Open the model; with ``sees`` one that can also be shown pictures, with ``draws`` one that draws them, too.

        Raises:
            UserError: No model is named, or it cannot be had.
        """
        if self.model is not None and not isinstance(self.model, str):
            if isinstance(self.model, LanguageModel):
                return self.model
            from selfknow.models.function import FunctionModel

            return FunctionModel(self.model)
        if self.endpoint is not None:
            from selfknow.models.endpoint import EndpointModel

            if sees and self.text:
                raise UserError("--text sends plain text, and no pictures: leave it out")
            return EndpointModel(self._served(self.endpoint, self.model, TOKEN))
        if self.model is None:
            raise UserError("name a --model, an --endpoint, or both")
        from selfknow.models.checkpoints import quieten, require_models_extra

        require_models_extra()
        quieten()
        if sees:
            from selfknow.models.images.both import LocalDrawingVisionModel
            from selfknow.models.images.seeing import LocalVisionModel

            return (LocalDrawingVisionModel if draws else LocalVisionModel).load(
                self.model, batch_size=self.batch_size, chat=self.chat, precision=self.precision
            )
        return _opened_or_kept(self.model, self.batch_size, self.chat, self.precision)

    def image_generator(self, name: str | None, address: str | None, settings: "ImageSettings") -> "ImageGenerator":
        """Open a model that draws, and refuse settings that it cannot be told."""
        if address is not None:
            from selfknow.models.images.endpoint import EndpointImageGenerator

            EndpointImageGenerator.check(settings)
            return EndpointImageGenerator(self._served(address, name, IMAGE_TOKEN))
        assert name is not None, "an image generator has a name or an address"
        from selfknow.models.images.local import LocalImageGenerator, quieten, require_diffusers

        require_diffusers()
        quieten()
        return LocalImageGenerator.find(name)

    def _served(self, address: str, name: str | None, token: str) -> "Endpoint":
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


_KEPT: ContextVar[dict[tuple[Any, ...], LanguageModel] | None] = ContextVar("_KEPT", default=None)


@contextmanager
def keeping_models() -> Iterator[None]:
    """In this block the local model that was opened last is kept: whoever opens it again need not read its weights."""
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def _opened_or_kept(name: str, batch_size: int, chat: bool | None, precision: str | None) -> LanguageModel:
    from selfknow.models.local import LocalModel

    kept, key = _KEPT.get(), (name, batch_size, chat, precision)
    if kept is None:
        return LocalModel.load(name, batch_size=batch_size, chat=chat, precision=precision)
    if key not in kept:
        kept.clear()  # one model at a time has to fit into memory
        kept[key] = LocalModel.load(name, batch_size=batch_size, chat=chat, precision=precision)
    return kept[key]
