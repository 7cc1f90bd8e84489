"""Limits on the requests and tokens of an evaluation: at a limit it stops, and the same call again resumes it."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfknow.errors import argument
from selfknow.models.interface import Decoding, LanguageModel, Reply, Request
from selfknow.models.token_counts import count_prompt, estimated_tokens, longest_reply, uses_tokens
from selfknow.options import option


@dataclass(frozen=True, kw_only=True)
class CostOptions:
    """Limits on the cost of an evaluation.

    Attributes:
        dry_run: If true, count requests and tokens, and ask nothing.
        max_requests: The largest number of requests; null for no limit.
        max_tokens: The largest number of tokens of prompts and replies together; null for no limit.
    """

    dry_run: bool = option(False, "Count the requests and their tokens, and ask nothing.")
    max_requests: int | None = option(None, "Send at most this many requests, then stop.", minimum=1)
    max_tokens: int | None = option(None, "Use at most this many tokens, with those of prompts.", minimum=1)


class Budget:
    """The requests and tokens that an evaluation may still spend.

    A request is sent only if its prompt and its longest possible reply fit into the remaining tokens. Most replies are
    shorter, so requests are sent in ever smaller groups until no more fit. Unknown numbers of tokens are estimated.

    Args:
        options: The limits.
    """

    def __init__(self, options: CostOptions | None = None) -> None:
        self._options = options or CostOptions()
        self._spent_requests = 0
        self._spent_tokens = 0

    def affordable(self, model: LanguageModel, pending: Sequence[Request], decoding: Decoding) -> Sequence[Request]:
        """Return the longest prefix of the requests that fits into the budget."""
        limits = self._options
        if limits.max_requests is not None:
            pending = pending[: limits.max_requests - self._spent_requests]
        if limits.max_tokens is None:
            return pending
        left = limits.max_tokens - self._spent_tokens
        for place, request in enumerate(pending):
            left -= count_prompt(model, request).tokens + longest_reply(model, request, decoding)
            if left < 0:
                return pending[:place]
        return pending

    def spend_requests(self, number: int) -> None:
        """Subtract a number of requests from the budget."""
        self._spent_requests += number

    def spend_tokens(self, model: LanguageModel, request: Request, reply: Reply) -> None:
        """Subtract the tokens of a reply and its prompt from the budget; a failed request costs none."""
        if self._options.max_tokens is None or reply.error is not None or not uses_tokens(model):
            return
        prompt, completion = reply.prompt_tokens, reply.completion_tokens
        self._spent_tokens += count_prompt(model, request).tokens if prompt is None else prompt
        self._spent_tokens += estimated_tokens(reply.generation or "") if completion is None else completion

    def stop_message(self, stage: str, left: int, requested: int) -> str:
        """Return a sentence on the limit at which a stage stopped, and on resuming."""
        limits = self._options
        if limits.max_requests is not None and self._spent_requests >= limits.max_requests:
            limit = argument("max_requests", limits.max_requests)
        else:
            limit = f"{argument('max_tokens', limits.max_tokens)} after {self._spent_tokens:,} tokens"
        return (
            f"stopped at {limit}: {left:,} of {requested:,} requests of the stage {stage} are left; repeat the "
            "call to resume"
        )
