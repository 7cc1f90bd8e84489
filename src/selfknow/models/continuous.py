"""Continuous batching: a reply that has ended gives its place to the next request, and none waits for the longest.

``generate_batch`` of ``transformers`` does this, too, and was measured to be as fast. It has no stop strings, no seed
for each request and no encoder-decoder models, which runs need.
"""

import inspect
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import torch
from transformers import DynamicCache, EncoderDecoderCache
from transformers.modeling_outputs import BaseModelOutput

from selfknow.models.drawing import Drawing
from selfknow.models.interface import Decoding
from selfknow.models.prefix import SharedPrefix, shared_tokens
from selfknow.models.rendering import Rendered, pad_left
from selfknow.models.slots import Slots
from selfknow.models.stops import has_stop
from selfknow.models.tokenization import padding_token

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# A forward pass over one prompt costs about as much as a step of a full batch, so ended replies are replaced only once
# they take this share of the slots.
_SHARE_REPLACED = 1 / 8
_KINDS_OF_LAYERS = {"full_attention", "sliding_attention"}
# Encoder-decoder models whose decoder has relative positions, so that a reply may start in any column.
_RELATIVE_DECODERS = {"t5", "mt5", "umt5"}
# Generation settings that change scores by the tokens so far, and the value at which they change nothing.
_SETTINGS_OF_SCORES = {
    "repetition_penalty": 1.0,
    "encoder_repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
    "encoder_no_repeat_ngram_size": 0,
    "bad_words_ids": None,
    "min_length": 0,
    "min_new_tokens": 0,
    "forced_bos_token_id": None,
    "forced_eos_token_id": None,
    "exponential_decay_length_penalty": None,
    "suppress_tokens": None,
    "begin_suppress_tokens": None,
    "sequence_bias": None,
    "guidance_scale": 1.0,
    "watermarking_config": None,
}


def supports_continuous_batching(model: "PreTrainedModel") -> bool:
    """Return true for a model whose replies can join and leave a batch one by one.

    It is false if the model stores more than keys and values (a state-space model), if its decoder counts columns, or
    if its generation settings change scores by the tokens so far.
    """
    config, settings = model.config.get_text_config(decoder=True), model.generation_config
    kinds = getattr(config, "layer_types", None)
    return (
        "past_key_values" in _inputs(model)
        and not getattr(model, "_is_stateful", False)
        and (kinds is None or set(kinds) <= _KINDS_OF_LAYERS)
        and not getattr(config, "num_kv_shared_layers", 0)
        and (not model.config.is_encoder_decoder or model.config.model_type in _RELATIVE_DECODERS)
        and all(getattr(settings, name, None) in (None, neutral) for name, neutral in _SETTINGS_OF_SCORES.items())
    )


def _can_share(model: "PreTrainedModel") -> bool:
    """Return true for a model whose prompts can begin with tokens that were computed before.

    A decoder that gets no positions, or that sees a window of columns, would count the padding in between.
    """
    config = model.config.get_text_config(decoder=True)
    return (
        not model.config.is_encoder_decoder
        and "position_ids" in _inputs(model)
        and set(getattr(config, "layer_types", None) or ()) <= {"full_attention"}
        and getattr(config, "sliding_window", None) is None
    )


def _inputs(model: "PreTrainedModel") -> set[str]:
    """Return the names of the arguments of a model's forward pass."""
    return set(inspect.signature(type(model).forward).parameters)


@dataclass(eq=False)
class UnfinishedReply:
    """A reply that is being generated.

    Attributes:
        rendered: The request.
        limit: The largest number of its tokens.
        generator: Its random stream; null if decoding is greedy.
        tokens: The tokens so far, with the end-of-sequence.
        logprob: Sum of their natural log-probabilities.
    """

    rendered: Rendered
    limit: int
    generator: torch.Generator | None
    tokens: list[int] = field(default_factory=list)
    logprob: float = 0.0


class ContinuousBatch:
    """A batch of unfinished replies, each in a slot of its own.

    Args:
        model: A model that :func:`supports_continuous_batching`.
        tokenizer: Its tokenizer.
        decoding: The decoding of all replies.
        end_tokens: Tokens that end a reply.
        limit: Returns the longest reply to a request, in tokens.
        prompts: All requests to come; the tokens that they all begin with are computed once.
        size: The largest number of slots.
        on_tokens: Called after every step with the number of tokens drawn.
    """

    def __init__(
        self,
        model: "PreTrainedModel",
        tokenizer: "PreTrainedTokenizerBase",
        decoding: Decoding,
        end_tokens: Sequence[int],
        limit: Callable[[Rendered], int],
        prompts: Sequence[Rendered],
        size: int,
        on_tokens: Callable[[int], None],
    ) -> None:
        self._model: Any = model
        self._tokenizer = tokenizer
        self._decoding = decoding
        self._drawing = Drawing(model, decoding)
        self._end_tokens = frozenset(end_tokens)
        self._limit = limit
        self.size = size
        self._on_tokens = on_tokens
        self._slots: Slots | None = None
        self._rows: list[UnfinishedReply | None] = []
        self._encoded: tuple[torch.Tensor, torch.Tensor] | None = None
        self._takes_positions = "position_ids" in _inputs(model)
        self._shared = shared_tokens(prompts) if _can_share(model) else []
        self._prefix: SharedPrefix | None = None
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in _inputs(model) else {}

    @property
    def is_busy(self) -> bool:
        """True while a reply has not ended."""
        return any(row is not None for row in self._rows)

    def advance(self, pending: deque[Rendered]) -> list[UnfinishedReply]:
        """Draw the first token of new replies, or, if no slot is free for them, the next token of all others.

        Args:
            pending: Requests without a slot, the highest limits first; those that get one are taken from its left.

        Returns:
            The replies that ended with this token.
        """
        free = self._free_places(pending)
        if pending and free:
            new = [pending.popleft() for _ in range(min(len(free), len(pending)))]
            places = free[: len(new)]
            scores = self._start(places, [self._new_reply(prompt) for prompt in new])
        else:
            self._drop_ended()
            places = [place for place, row in enumerate(self._rows) if row is not None]
            scores = self._step(places)
        rows = [row for place in places if (row := self._rows[place]) is not None]
        for row, token, logprob in zip(rows, *self._drawing.draw(scores, [r.generator for r in rows]), strict=True):
            row.tokens.append(token)
            row.logprob += logprob
        self._on_tokens(len(rows))
        ended = [row for row in rows if self._has_ended(row)]
        self._rows = [None if row in ended else row for row in self._rows]
        return ended

    def _new_reply(self, prompt: Rendered) -> UnfinishedReply:
        generator = self._drawing.generator(prompt.request.seed(self._decoding.seed))
        return UnfinishedReply(prompt, self._limit(prompt), generator)

    def _has_ended(self, row: UnfinishedReply) -> bool:
        if row.tokens[-1] in self._end_tokens or len(row.tokens) >= row.limit:
            return True
        return has_stop(self._tokenizer, row.rendered, row.tokens, self._decoding)

    def _free_places(self, pending: deque[Rendered]) -> list[int]:
        """Return the slots for new replies: none until enough are free to be worth a forward pass."""
        if all(row is None for row in self._rows):
            self._slots, self._rows = None, [None] * min(self.size, len(pending))
        free = [place for place, row in enumerate(self._rows) if row is None]
        return free if len(free) >= len(self._rows) * _SHARE_REPLACED else []

    def _start(self, places: list[int], rows: list[UnfinishedReply]) -> torch.Tensor:
        """Return the scores of the first token of new replies, (rows, vocabulary)."""
        prompts, padding, device = [row.rendered for row in rows], padding_token(self._tokenizer), self._model.device
        own = [prompt.tokens[len(self._shared) :] for prompt in prompts]
        tokens, mask = (tensor.to(device) for tensor in pad_left(own, padding))
        if self._model.config.is_encoder_decoder:
            lengths = [len(prompt.started) for prompt in prompts]
            started, started_mask = (
                tensor.to(device) for tensor in pad_left([prompt.started for prompt in prompts], padding)
            )
            inputs = {"decoder_input_ids": started, "decoder_attention_mask": started_mask}
            cache: Any = EncoderDecoderCache(DynamicCache(), DynamicCache())
        else:
            lengths, cache = [len(prompt.tokens) for prompt in prompts], self._new_cache(len(rows))
            mask = torch.cat([mask.new_ones((len(rows), len(self._shared))), mask], dim=1)
            positions = (mask.cumsum(1) - 1).clamp_min(0)[:, len(self._shared) :]
            inputs = {"position_ids": positions} if self._takes_positions else {}
        output = self._model(
            input_ids=tokens, attention_mask=mask, past_key_values=cache, use_cache=True, **inputs, **self._last_only
        )
        if self._prefix is not None:
            self._prefix.close_gaps(cache, [tokens.shape[1] - len(row) for row in own])
        encoded = (output.encoder_last_hidden_state, mask) if self._model.config.is_encoder_decoder else None
        if self._slots is None:
            self._slots, self._encoded = Slots(output.past_key_values, lengths), encoded
        else:
            self._slots.put(places, output.past_key_values, lengths)
            if encoded is not None and self._encoded is not None:
                for held, new in zip(self._encoded, encoded, strict=True):
                    held[places] = 0
                    held[places, held.shape[1] - new.shape[1] :] = new
        for place, row in zip(places, rows, strict=True):
            self._rows[place] = row
        return cast("torch.Tensor", output.logits[:, -1])

    def _new_cache(self, num_rows: int) -> DynamicCache:
        """Return the cache of new prompts, which holds the tokens that all of them begin with."""
        if not self._shared:
            return DynamicCache()
        self._prefix = self._prefix or SharedPrefix(self._model, self._shared)
        return self._prefix.cache(num_rows)

    def _step(self, places: list[int]) -> torch.Tensor:
        """Return the scores of the next token of the replies in these slots, (rows, vocabulary)."""
        slots, device, padding = self._slots, self._model.device, padding_token(self._tokenizer)
        assert slots is not None, "a step follows a start"
        last = torch.tensor([[padding if row is None else row.tokens[-1]] for row in self._rows], device=device)
        mask = slots.mask.to(device)
        if self._encoded is not None:
            hidden, encoder_mask = self._encoded
            inputs = {"encoder_outputs": BaseModelOutput(hidden), "attention_mask": encoder_mask}
            inputs |= {"decoder_input_ids": last, "decoder_attention_mask": mask}
        else:
            inputs = {"input_ids": last, "attention_mask": mask}
            if self._takes_positions:
                inputs["position_ids"] = slots.positions.to(device)
        logits = self._model(**inputs, past_key_values=slots.cache, use_cache=True).logits[:, -1]
        slots.advance(places)
        return cast("torch.Tensor", logits if len(places) == len(self._rows) else logits[places])

    def _drop_ended(self) -> None:
        """Drop the slots of ended replies once they are many enough, so that no time is spent on them."""
        busy = [place for place, row in enumerate(self._rows) if row is not None]
        if self._slots is None or len(self._rows) - len(busy) < max(1, len(self._rows) * _SHARE_REPLACED):
            return
        self._slots.keep(busy)
        if self._encoded is not None:
            self._encoded = (self._encoded[0][busy], self._encoded[1][busy])
        self._rows = [self._rows[place] for place in busy]
