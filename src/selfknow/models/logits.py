"""Processors of the next token's scores: draws that do not depend on the batch, and sums of log-probabilities."""

from collections.abc import Callable, Sequence

import torch
from transformers import LogitsProcessor


def draw(scores: torch.Tensor, generators: Sequence[torch.Generator]) -> torch.Tensor:
    """Draw a token for every row from the softmax of its scores, by inversion of their cumulative sum.

    Every row has its own random stream, so its draw does not depend on the other requests in its batch, and a resumed
    run draws the same tokens. A draw takes one random number, not one for each token of a large vocabulary.

    Args:
        scores: The scores of the next token, (rows, vocabulary).
        generators: A random stream for each row, on the CPU, so that every device draws the same.

    Returns:
        The tokens, (rows,).
    """
    cumulative = torch.softmax(scores.float(), dim=-1).cumsum(-1, dtype=torch.float64)
    uniform = torch.stack([torch.rand((), dtype=torch.float64, generator=generator) for generator in generators])
    # The last sum may differ from 1 by rounding.
    thresholds = uniform.to(cumulative)[:, None] * cumulative[:, -1:]
    return torch.searchsorted(cumulative, thresholds, right=True).squeeze(1)


class DrawProcessor(LogitsProcessor):
    """:func:`draw` for ``model.generate``: it sets all scores except the drawn token's to minus infinity.

    Args:
        seeds: A seed for each row.
    """

    def __init__(self, seeds: Sequence[int]) -> None:
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:  # noqa: ARG002
        """Draw the next token of every row; ``scores`` is (rows, vocabulary)."""
        drawn_scores = torch.full_like(scores, -torch.inf)
        return drawn_scores.scatter_(1, draw(scores, self._generators)[:, None], 0.0)  # type: ignore[return-value]


class SequenceLogprob(LogitsProcessor):
    """A running sum of the generated tokens' log-probabilities; it must come before all other processors.

    Storing all scores instead would take steps x rows x vocabulary floats.

    Args:
        end_tokens: Tokens that end a row; what follows them is padding.
        on_tokens: Function that is called after every step, with the number of tokens generated in that step.
        stopped: True for each row that a stop text or its limit has ended, shape (rows,), on the CPU; the caller
            updates it after each token. Null: only end tokens end rows.
    """

    def __init__(
        self,
        end_tokens: Sequence[int],
        on_tokens: Callable[[int], None] = lambda _: None,
        stopped: torch.Tensor | None = None,
    ) -> None:
        self._end_tokens = torch.tensor(list(end_tokens))
        self._on_tokens = on_tokens
        self._stopped = stopped
        self._logprobs: torch.Tensor | None = None
        self._sum: torch.Tensor | None = None
        self._ended: torch.Tensor | None = None

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Store the scores of the next token, and add the log-probability of the last one."""
        self._add(input_ids[:, -1])
        self._logprobs = torch.log_softmax(scores.float(), dim=-1)
        return scores

    def finish(self, last_tokens: torch.Tensor) -> list[float]:
        """Add the log-probability of each row's last token, shape (rows,), and return the rows' sums."""
        self._add(last_tokens)
        assert self._sum is not None, "at least one token was generated"
        return [float(value) for value in self._sum]

    def _add(self, tokens: torch.Tensor) -> None:
        if self._logprobs is None:
            return
        if self._sum is None or self._ended is None:
            self._sum = torch.zeros(len(tokens), dtype=torch.float64)
            self._ended = torch.zeros(len(tokens), dtype=torch.bool)
        token_logprobs = self._logprobs.gather(1, tokens[:, None]).squeeze(1).double().cpu()
        self._sum += torch.where(self._ended, 0.0, token_logprobs)
        self._on_tokens(int((~self._ended).sum()))
        self._ended |= torch.isin(tokens.cpu(), self._end_tokens)
        if self._stopped is not None:
            self._ended |= self._stopped
