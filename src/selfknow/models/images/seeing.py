"""Local vision-language models of ``transformers`` behind the interface of every model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from selfknow.errors import UserError, argument
from selfknow.models import checkpoints
from selfknow.models.images.pictures import require_images_extra
from selfknow.models.images.showing import message_parts
from selfknow.models.interface import Request
from selfknow.models.local import LocalModel
from selfknow.models.precision import choose_precision
from selfknow.models.rendering import Rendered

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, ProcessorMixin


class LocalVisionModel(LocalModel):
    """A vision-language model in this process, prompted through its processor's chat template.

    Args:
        model: The model, on its device.
        processor: Its processor, which holds a tokenizer and an image processor.
        name: The name by which the user called it.
        revision: The weights' commit or hash.
        batch_size: The largest number of requests answered at once; halved if the memory does not suffice.
    """

    def __init__(
        self,
        model: "PreTrainedModel",
        processor: "ProcessorMixin",
        name: str,
        revision: str | None = None,
        *,
        batch_size: int = 8,
    ) -> None:
        tokenizer: Any = getattr(processor, "tokenizer", None)
        if tokenizer is None or not getattr(processor, "chat_template", None):
            raise UserError(f"{name} has no chat template for pictures: name a vision-language model that chats")
        super().__init__(model, tokenizer, name, revision, batch_size=batch_size, chat=False)
        self.processor = processor
        tokenizer.padding_side = "left"

    @classmethod
    def load(
        cls,
        name: str,
        *,
        batch_size: int = 8,
        chat: bool | None = None,
        device: str | None = None,
        precision: str | None = None,
    ) -> Self:
        """Load a checkpoint from a folder or the Hub (see :meth:`LocalModel.load`).

        Raises:
            UserError: The checkpoint does not exist, cannot be fetched, reads only text, or does not fit into memory.
        """
        if chat is False:
            raise UserError(f"{name} sees pictures only through its chat template: leave out {argument('chat', False)}")
        checkpoints.require_models_extra()
        require_images_extra()
        device = device or checkpoints.best_device()
        model = checkpoints.load_vision_model(name, choose_precision(precision, device))
        processor = checkpoints.load_processor(name)
        checkpoints.move(name, model, device)
        return cls(model, processor, name, checkpoints.revision(name, model.config), batch_size=batch_size)

    @property
    def _is_continuous(self) -> bool:
        return False  # the model stores the positions of a whole batch's pictures

    def _render(self, request: Request) -> Rendered:
        if request.image is None:
            raise UserError(f"{self.name} was opened to see pictures, but this request has no picture")
        processor: Any = self.processor
        text = str(processor.apply_chat_template(self._conversation(request), add_generation_prompt=True))
        messages = ({"role": "user", "content": request.prompt},)
        [tokens] = self._process([request])["input_ids"].tolist()
        return Rendered(request, text, messages, tokens, [], None)

    def _inputs(self, batch: list[Rendered], *, forced: bool = False) -> "dict[str, torch.Tensor]":
        assert not forced, "a vision-language model scores no continuations"
        inputs = self._process([prompt.request for prompt in batch])
        return {name: value.to(self.model.device) for name, value in inputs.items() if hasattr(value, "to")}

    def _process(self, requests: Sequence[Request]) -> Any:
        """Return the model's inputs for requests, such as tokens and pixels, padded on the left."""
        processor: Any = self.processor
        inputs = processor.apply_chat_template(
            [self._conversation(request) for request in requests],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True},
        )
        return inputs.to(dtype=self.model.dtype)  # only pixels change: tokens stay whole numbers

    @staticmethod
    def _conversation(request: Request) -> list[dict[str, object]]:
        return [
            {"role": "user", "content": message_parts(request.prompt, {"type": "image", "path": str(request.image)})}
        ]
