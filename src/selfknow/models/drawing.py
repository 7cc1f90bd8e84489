"""Draws of the next token from a model's scores; each reply has its own random stream."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from selfknow.models.interface import Decoding
from selfknow.models.logits import draw

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class Drawing:
    """A drawer of tokens under a decoding.

    Args:
        model: The model; its generation settings apply if the decoding has no temperature.
        decoding: The decoding of all replies.
    """

    def __init__(self, model: "PreTrainedModel", decoding: Decoding) -> None:
        self._warpers = warpers(model, decoding)
        self._seed = decoding.seed

    def generator(self, seed: int) -> torch.Generator | None:
        """Return the random stream of a reply; null if decoding is greedy."""
        return torch.Generator().manual_seed(seed) if self._warpers else None

    def draw(self, scores: torch.Tensor, generators: Sequence[torch.Generator | None]) -> tuple[list[int], list[float]]:
        """Draw a token for every row of scores, (rows, vocabulary).

        Returns:
            The tokens, and their natural log-probabilities before any temperature.
        """
        scores = scores.float()
        chances: Any = scores
        for warper in self._warpers:
            chances = warper(None, chances)
        if self._warpers:
            tokens = draw(chances, [generator for generator in generators if generator is not None])
        else:
            tokens = scores.argmax(dim=-1)
        logprobs = scores.gather(1, tokens[:, None]).squeeze(1).double() - scores.logsumexp(dim=-1).double()
        return tokens.tolist(), logprobs.tolist()


def warpers(model: "PreTrainedModel", decoding: Decoding) -> list[Any]:
    """Return the processors of scores before a draw: temperature, top-k and top-p; empty if decoding is greedy."""
    temperature, top_p, top_k = decoding.temperature, decoding.top_p, 0
    if temperature is None:
        settings = model.generation_config
        temperature = (settings.temperature or 1.0) if settings.do_sample else 0.0
        top_p, top_k = settings.top_p or 1.0, settings.top_k or 0
    if temperature == 0:
        return []
    return [
        TemperatureLogitsWarper(float(temperature)),
        *([TopKLogitsWarper(top_k)] if top_k else []),
        *([TopPLogitsWarper(top_p)] if top_p < 1 else []),
    ]
