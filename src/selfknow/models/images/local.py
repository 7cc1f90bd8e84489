"""Image generators in this process: pipelines of ``diffusers``, from a folder or the Hub.

Only weights in safetensors are read, and code in the repo is never run. Each picture is drawn alone, from noise with
the seed of its request, so that it does not depend on other pictures or on their order.
"""

import inspect
import io
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from selfknow.errors import MissingExtraError, UserError
from selfknow.models import checkpoints
from selfknow.models.images.generators import DrawResult, ImageSettings
from selfknow.models.interface import Request
from selfknow.verbosity import is_verbose

_INDEX = "model_index.json"


class LocalImageGenerator:
    """A text-to-image pipeline of ``diffusers``; it takes memory only while it draws.

    Args:
        folder: The folder of its files.
        name: The name by which the user called it.
        revision: The files' commit or hash.
        device: ``cuda``, ``mps`` or ``cpu``; by default the fastest one. Weights are float32 on a CPU and bfloat16
            elsewhere.
    """

    def __init__(self, folder: Path, name: str, revision: str | None, device: str | None = None) -> None:
        self.name = name
        self.revision = revision
        self._folder = folder
        self._device = device

    @classmethod
    def find(cls, name: str, device: str | None = None) -> Self:
        """Find a pipeline in a folder, or fetch its files from the Hub.

        Raises:
            UserError: There is no such pipeline, or it cannot be fetched.
            MissingExtraError: diffusers, torch or transformers is not installed.
        """
        require_diffusers()
        location, local = checkpoints.locate(name, _INDEX)
        if local:
            folder = Path(location)
            files = [path for path in sorted(folder.rglob("*")) if path.suffix in checkpoints.HASHED_SUFFIXES]
            return cls(folder, name, checkpoints.hash_of_files(folder, files), device)
        folder = _download(name)
        return cls(folder, name, folder.name, device)

    def draw(
        self, requests: Sequence[Request], settings: ImageSettings, seed: int
    ) -> Iterator[tuple[Request, DrawResult]]:
        """Draw one picture after the other.

        Raises:
            UserError: The pipeline cannot be loaded, does not draw from text, does not take a setting, or does not fit
                into memory.
        """
        if not requests:
            return
        pipeline = self._load()
        arguments = self._arguments(pipeline, settings)
        for request in requests:
            yield request, self._draw(pipeline, arguments, request, seed)

    def _load(self) -> Any:
        import torch
        from diffusers import AutoPipelineForText2Image

        device = self._device or checkpoints.best_device()
        dtype = torch.float32 if device == "cpu" else torch.bfloat16
        try:
            pipeline = AutoPipelineForText2Image.from_pretrained(
                self._folder, dtype=dtype, use_safetensors=True, trust_remote_code=False, local_files_only=True
            )
            pipeline = pipeline.to(device)
        except Exception as error:  # each of its many parts has its own errors for bad files
            if checkpoints.is_out_of_memory(error):
                raise UserError(f"{self.name} does not fit into the memory of the device") from error
            raise checkpoints.loading_error(self.name, error, local=True) from error
        pipeline.set_progress_bar_config(disable=True)
        return pipeline

    def _arguments(self, pipeline: Any, settings: ImageSettings) -> dict[str, object]:
        options: dict[str, object] = {"num_inference_steps": settings.steps, "guidance_scale": settings.guidance}
        options |= {"width": settings.width, "height": settings.height}
        arguments = {name: value for name, value in options.items() if value is not None}
        parameters = inspect.signature(type(pipeline).__call__).parameters
        if unknown := [name for name in arguments if name not in parameters]:
            raise UserError(f"{self.name} takes no {unknown[0]}: leave it out")
        return arguments

    def _draw(self, pipeline: Any, arguments: dict[str, object], request: Request, seed: int) -> DrawResult:
        import torch

        generator = torch.Generator("cpu").manual_seed(request.seed(seed))
        try:
            output = pipeline(prompt=request.prompt, generator=generator, **arguments)
        except (RuntimeError, MemoryError) as error:
            if not checkpoints.is_out_of_memory(error):
                raise
            raise UserError(f"{self.name}: drawing one picture needs more memory than the device has") from error
        except ValueError as error:
            raise UserError(f"{self.name} cannot draw: {str(error).strip().splitlines()[0]}") from error
        unsafe_flags = getattr(output, "nsfw_content_detected", None)  # one for each picture
        if unsafe_flags and any(unsafe_flags):
            # The pipeline's output is a black picture.
            return DrawResult(None, "the pipeline's safety checker held the picture back")
        buffer = io.BytesIO()
        output.images[0].save(buffer, format="PNG")
        return DrawResult(buffer.getvalue())


def require_diffusers() -> None:
    """Check that diffusers, torch and transformers are installed.

    Raises:
        MissingExtraError: They are not installed.
    """
    if find_spec("diffusers") is None:
        raise MissingExtraError("drawing pictures on this machine", "images")
    checkpoints.require_models_extra()


def quieten() -> None:
    """Hide diffusers' messages on stderr, like :func:`selfknow.models.checkpoints.quieten`."""
    if is_verbose():
        return
    from diffusers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()


def _download(name: str) -> Path:
    from diffusers import DiffusionPipeline

    try:
        return Path(DiffusionPipeline.download(name, use_safetensors=True, trust_remote_code=False))
    except Exception as error:  # the Hub, the network and a repo without a pipeline raise different errors
        raise checkpoints.loading_error(name, error, local=False) from error
