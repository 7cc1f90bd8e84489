"""Continuous batching: when a reply has ended, the next request takes its slot, so no reply waits for the longest.

``generate_batch`` of ``transformers`` does this, too, at the same measured speed. But it lacks stop strings, a seed for
each request, and encoder-decoder models, which runs need.
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

# Ended replies are replaced only once they take this share of the slots, as a forward pass over one prompt costs about
# as much as a step of a full batch.
_LEAST_SHARE_REPLACED = 1 / 8
_LAYER_TYPES = {"full_attention", "sliding_attention"}
# Encoder-decoder models whose decoder has relative positions, so that a reply may start in any column.
_RELATIVE_DECODERS = {"t5", "mt5", "umt5"}
# Generation settings that change scores depending on earlier tokens, each with the value that changes nothing.
_NEUTRAL_SETTINGS = {
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

    It is false if the model caches more than keys and values (a state-space model), if its decoder takes positions from
    columns, or if its generation settings change scores depending on earlier tokens.
    """
    config, settings = model.config.get_text_config(decoder=True), model.generation_config
    kinds = getattr(config, "layer_types", None)
    return (
        "past_key_values" in _inputs(model)
        and not getattr(model, "_is_stateful", False)
        and (kinds is None or set(kinds) <= _LAYER_TYPES)
        and not getattr(config, "num_kv_shared_layers", 0)
        and (not model.config.is_encoder_decoder or model.config.model_type in _RELATIVE_DECODERS)
        and all(getattr(settings, name, None) in (None, neutral) for name, neutral in _NEUTRAL_SETTINGS.items())
    )


def _can_share(model: "PreTrainedModel") -> bool:
    """Return true for a model whose prompts can begin with cached tokens.

    Padding lies between these and the rest of a prompt. A decoder that gets no positions, or that sees a window of
    columns, would count the padding.
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
        limit: The largest number of tokens that it may have.
        generator: Its random stream; null if decoding is greedy.
        tokens: The tokens so far, including an end token.
        logprob: The sum of their natural log-probabilities.
    """

    rendered: Rendered
    limit: int
    generator: torch.Generator | None
    tokens: list[int] = field(default_factory=list)
    logprob: float = 0.0


class ContinuousBatch:
    """A batch of unfinished replies, each in its own slot.

    Args:
        model: A model that :func:`supports_continuous_batching`.
        tokenizer: Its tokenizer.
        decoding: The decoding of all replies.
        end_tokens: Tokens that end a reply.
        limit: Function that returns the limit of a request's reply, in tokens.
        prompts: All requests that will come; the tokens that they all begin with are computed once.
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
        self._last_logits_only = {"logits_to_keep": 1} if "logits_to_keep" in _inputs(model) else {}

    @property
    def is_busy(self) -> bool:
        """True while a reply has not ended."""
        return any(row is not None for row in self._rows)

    def advance(self, pending: deque[Rendered]) -> list[UnfinishedReply]:
        """Draw one token of some replies: the first of new replies if slots are free, else the next of all others.

        Args:
            pending: Requests without a slot, the highest limits first. Requests that get a slot are removed from it.

        Returns:
            The replies that ended with this token.
        """
        free_slots = self._free_slots(pending)
        if pending and free_slots:
            prompts = [pending.popleft() for _ in range(min(len(free_slots), len(pending)))]
            slots = free_slots[: len(prompts)]
            scores = self._start(slots, [self._new_reply(prompt) for prompt in prompts])
        else:
            self._drop_ended()
            slots = [slot for slot, row in enumerate(self._rows) if row is not None]
            scores = self._step(slots)
        rows = [row for slot in slots if (row := self._rows[slot]) is not None]
        tokens, logprobs = self._drawing.draw(scores, [row.generator for row in rows])
        for row, token, logprob in zip(rows, tokens, logprobs, strict=True):
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

    def _free_slots(self, pending: deque[Rendered]) -> list[int]:
        """Return the slots for new replies; empty until enough are free to be worth a forward pass."""
        if all(row is None for row in self._rows):
            self._slots, self._rows = None, [None] * min(self.size, len(pending))
        free_slots = [slot for slot, row in enumerate(self._rows) if row is None]
        return free_slots if len(free_slots) >= len(self._rows) * _LEAST_SHARE_REPLACED else []

    def _start(self, slots: list[int], rows: list[UnfinishedReply]) -> torch.Tensor:
        """Put new replies into slots, and return the scores of their first tokens, (rows, vocabulary)."""
        prompts, padding, device = [row.rendered for row in rows], padding_token(self._tokenizer), self._model.device
        suffixes = [prompt.tokens[len(self._shared) :] for prompt in prompts]  # without the shared tokens
        tokens, mask = (tensor.to(device) for tensor in pad_left(suffixes, padding))
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
            input_ids=tokens,
            attention_mask=mask,
            past_key_values=cache,
            use_cache=True,
            **inputs,
            **self._last_logits_only,
        )
        if self._prefix is not None:
            self._prefix.close_gaps(cache, [tokens.shape[1] - len(suffix) for suffix in suffixes])
        encoded = (output.encoder_last_hidden_state, mask) if self._model.config.is_encoder_decoder else None
        if self._slots is None:
            self._slots, self._encoded = Slots(output.past_key_values, lengths), encoded
        else:
            self._slots.put(slots, output.past_key_values, lengths)
            if encoded is not None and self._encoded is not None:
                for states, new_states in zip(self._encoded, encoded, strict=True):
                    states[slots] = 0
                    states[slots, states.shape[1] - new_states.shape[1] :] = new_states
        for slot, row in zip(slots, rows, strict=True):
            self._rows[slot] = row
        return cast("torch.Tensor", output.logits[:, -1])

    def _new_cache(self, num_rows: int) -> DynamicCache:
        """Return a cache for new prompts, which holds the tokens that all prompts begin with."""
        if not self._shared:
            return DynamicCache()
        self._prefix = self._prefix or SharedPrefix(self._model, self._shared)
        return self._prefix.cache(num_rows)

    def _step(self, busy_slots: list[int]) -> torch.Tensor:
        """Feed every reply's last token, and return the scores of the next ones in these slots, (rows, vocabulary)."""
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
        slots.advance(busy_slots)
        return cast("torch.Tensor", logits if len(busy_slots) == len(self._rows) else logits[busy_slots])

    def _drop_ended(self) -> None:
        """Drop the slots of ended replies once there are enough of them, so that no time is spent on them."""
        busy_slots = [slot for slot, row in enumerate(self._rows) if row is not None]
        if self._slots is None or len(self._rows) - len(busy_slots) < max(1, len(self._rows) * _LEAST_SHARE_REPLACED):
            return
        self._slots.keep(busy_slots)
        if self._encoded is not None:
            self._encoded = (self._encoded[0][busy_slots], self._encoded[1][busy_slots])
        self._rows = [self._rows[slot] for slot in busy_slots]
