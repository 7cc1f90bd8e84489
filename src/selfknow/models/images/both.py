"""A local model that both draws and sees, such as Janus, loaded only once.

Such a model of ``transformers`` lists images in its ``output_modalities``. It draws pictures token by token. Each is
drawn alone, with the seed of its request, so that it does not depend on the others.
"""

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError, argument
from selfknow.models import checkpoints
from selfknow.models.images.generators import DrawResult, ImageSettings
from selfknow.models.images.seeing import LocalVisionModel
from selfknow.models.interface import Request

if TYPE_CHECKING:
    import torch


class LocalDrawingVisionModel(LocalVisionModel):
    """A vision-language model that also draws; its arguments are those of :class:`LocalVisionModel`.

    Raises:
        UserError: The checkpoint cannot draw.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if "image" not in getattr(self.model, "output_modalities", ()):
            raise UserError(
                f"{self.name} sees but does not draw: name a model that draws with {argument('image_model')}"
            )

    def draw(
        self, requests: Sequence[Request], settings: ImageSettings, seed: int
    ) -> Iterator[tuple[Request, DrawResult]]:
        """Draw one picture after the other.

        Raises:
            UserError: The settings hold a size or a number of steps, which the model does not take, or a picture does
                not fit into memory.
        """
        unknown = [name for name in ("width", "height", "steps") if getattr(settings, name) is not None]
        if unknown:
            raise UserError(f"{self.name} takes no {unknown[0]}: it draws every picture in its own size and steps")
        for request in requests:
            yield request, DrawResult(self._draw_picture(request, settings, seed))

    def _generate_tokens(self, **inputs: Any) -> "torch.Tensor":
        """Generate tokens of text without the model's own ``generate``, which would drop our processors of scores."""
        from transformers import GenerationMixin

        model: Any = self.model
        output: Any = GenerationMixin.generate(model, guidance_scale=None, **inputs)
        tokens: torch.Tensor = output
        return tokens

    def _draw_picture(self, request: Request, settings: ImageSettings, seed: int) -> bytes:
        import torch

        processor: Any = self.processor
        messages = [{"role": "user", "content": [{"type": "text", "text": request.prompt}]}]
        text = processor.apply_chat_template(messages, add_generation_prompt=True)
        inputs = processor(text=text, generation_mode="image", return_tensors="pt").to(self.model.device)
        tokens_and_mask = {name: inputs[name] for name in ("input_ids", "attention_mask")}
        guidance = {} if settings.guidance is None else {"guidance_scale": settings.guidance}
        model: Any = self.model
        devices = [self.model.device] if self.model.device.type == "cuda" else []
        try:
            with torch.random.fork_rng(devices), torch.inference_mode():
                torch.manual_seed(request.seed(seed))
                tokens = model.generate(**tokens_and_mask, generation_mode="image", do_sample=True, **guidance)
                [pixels] = model.decode_image_tokens(tokens).float()
        except (RuntimeError, MemoryError) as error:
            if not checkpoints.is_out_of_memory(error):
                raise
            raise UserError(f"{self.name}: drawing one picture needs more memory than the device has") from error
        return self._as_png(pixels)

    def _as_png(self, pixels: Any) -> bytes:
        """Encode a picture as a PNG.

        Args:
            pixels: Pixels of shape (height, width, 3), normalized as the processor normalizes its inputs.
        """
        import torch
        from PIL import Image

        image_processor: Any = getattr(self.processor, "image_processor")  # noqa: B009  (it has no type)
        mean, deviation = (torch.tensor(getattr(image_processor, name)) for name in ("image_mean", "image_std"))
        brightness = (pixels.cpu() * deviation + mean).clamp(0, 1)
        buffer = io.BytesIO()
        Image.fromarray((brightness * 255).round().to(torch.uint8).numpy()).save(buffer, format="PNG")
        return buffer.getvalue()
