"""One local model that draws and sees, such as Janus: loaded once, it is asked for pictures and about them.

Of the models of ``transformers`` those whose ``output_modalities`` name pictures. A picture is drawn token by token
from noise of its request's own seed, one at a time, so that it does not hang on what else is drawn.
"""

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.models import checkpoints
from selfknow.models.images.generators import Drawn, ImageSettings
from selfknow.models.images.seeing import LocalVisionModel
from selfknow.models.interface import Request

if TYPE_CHECKING:
    import torch


class LocalDrawingVisionModel(LocalVisionModel):
    """A vision-language model that draws, too (see :class:`LocalVisionModel` for how it is made and loaded).

    Raises:
        UserError: The checkpoint sees, but does not draw.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if "image" not in getattr(self.model, "output_modalities", ()):
            raise UserError(f"{self.name} sees but does not draw: name a model that draws with --image-model")

    def draw(self, requests: Sequence[Request], settings: ImageSettings, seed: int) -> Iterator[tuple[Request, Drawn]]:
        """Draw one picture after the other.

        Raises:
            UserError: A size or a number of steps is named, which are not its choice, or it does not fit into memory.
        """
        unknown = [name for name in ("width", "height", "steps") if getattr(settings, name) is not None]
        if unknown:
            raise UserError(f"{self.name} takes no {unknown[0]}: it draws every picture in its own size and steps")
        for request in requests:
            yield request, Drawn(self._drawn(request, settings, seed))

    def _tokens(self, **inputs: Any) -> "torch.Tensor":
        """What it says; its own ``generate`` drops the processors of logits, that draw and count, in this mode."""
        from transformers import GenerationMixin

        model: Any = self.model
        output: Any = GenerationMixin.generate(model, guidance_scale=None, **inputs)
        tokens: torch.Tensor = output
        return tokens

    def _drawn(self, request: Request, settings: ImageSettings, seed: int) -> bytes:
        import torch

        processor: Any = self.processor
        said = [{"role": "user", "content": [{"type": "text", "text": request.prompt}]}]
        text = processor.apply_chat_template(said, add_generation_prompt=True)
        inputs = processor(text=text, generation_mode="image", return_tensors="pt").to(self.model.device)
        asked = {name: inputs[name] for name in ("input_ids", "attention_mask")}
        guided = {} if settings.guidance is None else {"guidance_scale": settings.guidance}
        model: Any = self.model
        devices = [self.model.device] if self.model.device.type == "cuda" else []
        try:
            with torch.random.fork_rng(devices), torch.inference_mode():
                torch.manual_seed(request.seed(seed))
                tokens = model.generate(**asked, generation_mode="image", do_sample=True, **guided)
                [pixels] = model.decode_image_tokens(tokens).float()
        except (RuntimeError, MemoryError) as error:
            if not checkpoints.is_out_of_memory(error):
                raise
            raise UserError(f"{self.name}: not even one picture at a time fits into memory") from error
        return self._as_png(pixels)

    def _as_png(self, pixels: Any) -> bytes:
        """The file of a picture.

        Args:
            pixels: Normalized as the processor normalizes what it is shown, shape (height, width, 3).
        """
        import torch
        from PIL import Image

        pictures: Any = getattr(self.processor, "image_processor")  # noqa: B009  (it has no type)
        mean, deviation = (torch.tensor(getattr(pictures, name)) for name in ("image_mean", "image_std"))
        shares = (pixels.cpu() * deviation + mean).clamp(0, 1)
        buffer = io.BytesIO()
        Image.fromarray((shares * 255).round().to(torch.uint8).numpy()).save(buffer, format="PNG")
        return buffer.getvalue()
