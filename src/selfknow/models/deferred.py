"""A local checkpoint that is loaded only when it has requests to answer."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from selfknow.models import checkpoints
from selfknow.models.facts import ModelFacts, checkpoint_facts
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.models.local import LocalModel


class DeferredModel:
    """A local checkpoint that takes no memory until it has requests.

    If a run already holds all replies, it is never loaded. It computes in the precision of its checkpoint, so that a
    tuned model can be compared with its base model.

    Args:
        name: A folder, a GGUF file or a Hub id.
        batch_size: The largest number of requests answered at once.
        chat: Send prompts through the chat template; null: only if the tokenizer has one.
    """

    def __init__(self, name: str, *, batch_size: int = 64, chat: bool | None = None) -> None:
        self.name = name
        self._batch_size = batch_size
        self._chat = chat
        self.on_tokens: Callable[[int], None] = lambda _: None

    @cached_property
    def revision(self) -> str | None:
        """The commit of a Hub model, or the hash of a local checkpoint's files."""
        return checkpoints.revision(self.name)

    @property
    def facts(self) -> ModelFacts:
        """The facts in its folder and configuration; further facts would need the weights."""
        return checkpoint_facts(self.name, checkpoints.load_config(self.name).model_type)

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Load the model, answer requests, and free its memory."""
        if requests:
            model = LocalModel.load(self.name, batch_size=self._batch_size, chat=self._chat, precision="saved")
            model.on_tokens = self.on_tokens
            yield from model.generate(requests, decoding)
