"""Continuous batching: a reply that has ended gives its place to the next request, and none waits for the longest."""

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
from selfknow.models.rendering import Rendered, pad_left
from selfknow.models.slots import Slots
from selfknow.models.stops import has_stop
from selfknow.models.tokenization import padding_token

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# A forward pass over one prompt costs about as much as a step of a full batch: ended replies are replaced once they
# are this share of the slots.
_SHARE_REPLACED = 1 / 8
_KINDS_OF_LAYERS = {"full_attention", "sliding_attention"}
# Encoder-decoder models whose decoder knows distances alone, so that a reply may start in any column.
_RELATIVE_DECODERS = {"t5", "mt5", "umt5"}
# Generation settings that change scores by what was written so far, and what they are where they change nothing.
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


def suits(model: "PreTrainedModel") -> bool:
    """Whether a model's replies can come and go one by one.

    It cannot where the model keeps more than keys and values (a state-space model), where its decoder counts columns,
    or where its generation settings change scores by what was written so far.
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


def _inputs(model: "PreTrainedModel") -> set[str]:
    """The names of what a model's forward pass takes."""
    return set(inspect.signature(type(model).forward).parameters)


@dataclass(eq=False)
class Written:
    """A reply under way.

    Attributes:
        rendered: The request.
        limit: The most tokens it may have.
        generator: Its random stream; null where decoding is greedy.
        tokens: What was drawn so far, with the end-of-sequence.
        logprob: Sum of their log-probabilities.
    """

    rendered: Rendered
    limit: int
    generator: torch.Generator | None
    tokens: list[int] = field(default_factory=list)
    logprob: float = 0.0


class ContinuousBatch:
    """Replies under way, each in a slot of its own.

    Args:
        model: A model that :func:`suits`.
        tokenizer: Its tokenizer.
        decoding: How replies are drawn.
        end_tokens: Tokens that end a reply.
        room: How many tokens the model can add to a request.
        size: Slots at most.
        on_tokens: Is told how many tokens were drawn, after every step.
    """

    def __init__(
        self,
        model: "PreTrainedModel",
        tokenizer: "PreTrainedTokenizerBase",
        decoding: Decoding,
        end_tokens: Sequence[int],
        room: Callable[[Rendered], int],
        size: int,
        on_tokens: Callable[[int], None],
    ) -> None:
        self._model: Any = model
        self._tokenizer = tokenizer
        self._decoding = decoding
        self._drawing = Drawing(model, decoding)
        self._end_tokens = frozenset(end_tokens)
        self._room = room
        self.size = size
        self._on_tokens = on_tokens
        self._slots: Slots | None = None
        self._rows: list[Written | None] = []
        self._encoded: tuple[torch.Tensor, torch.Tensor] | None = None
        self._takes_positions = "position_ids" in _inputs(model)
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in _inputs(model) else {}

    @property
    def under_way(self) -> bool:
        """Whether any reply has not ended."""
        return any(row is not None for row in self._rows)

    def advance(self, pending: deque[Rendered]) -> list[Written]:
        """Draw the first token of new replies, or where there is no place for any the next token of all others.

        Args:
            pending: Requests to come; those that get a slot are taken from its left. The longest prompts come first.

        Returns:
            The replies that ended with it.
        """
        free = self._free_places(pending)
        if pending and free:
            new = [pending.popleft() for _ in range(min(len(free), len(pending)))]
            places = free[: len(new)]
            scores = self._start(places, [self._written(one) for one in new])
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

    def _written(self, one: Rendered) -> Written:
        generator = self._drawing.generator(one.request.seed(self._decoding.seed))
        return Written(one, min(self._decoding.max_new_tokens, self._room(one)), generator)

    def _has_ended(self, row: Written) -> bool:
        if row.tokens[-1] in self._end_tokens or len(row.tokens) >= row.limit:
            return True
        return has_stop(self._tokenizer, row.rendered, row.tokens, self._decoding)

    def _free_places(self, pending: deque[Rendered]) -> list[int]:
        """Where new replies can start: nowhere until there are enough places to make a forward pass worth it."""
        if all(row is None for row in self._rows):
            self._slots, self._rows = None, [None] * min(self.size, len(pending))
        free = [place for place, row in enumerate(self._rows) if row is None]
        return free if len(free) >= len(self._rows) * _SHARE_REPLACED else []

    def _start(self, places: list[int], rows: list[Written]) -> torch.Tensor:
        """The scores of the first token of new replies, (rows, vocabulary)."""
        rendered, padding, device = [row.rendered for row in rows], padding_token(self._tokenizer), self._model.device
        tokens, mask = (one.to(device) for one in pad_left([one.tokens for one in rendered], padding))
        if self._model.config.is_encoder_decoder:
            lengths = [len(one.started) for one in rendered]
            started, started_mask = (one.to(device) for one in pad_left([one.started for one in rendered], padding))
            inputs = {"decoder_input_ids": started, "decoder_attention_mask": started_mask}
            cache: Any = EncoderDecoderCache(DynamicCache(), DynamicCache())
        else:
            lengths, cache = [len(one.tokens) for one in rendered], DynamicCache()
            inputs = {"position_ids": (mask.cumsum(1) - 1).clamp_min(0)} if self._takes_positions else {}
        output = self._model(
            input_ids=tokens, attention_mask=mask, past_key_values=cache, use_cache=True, **inputs, **self._last_only
        )
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

    def _step(self, places: list[int]) -> torch.Tensor:
        """The scores of the next token of the replies in these slots, (rows, vocabulary)."""
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
        """Compute no longer what nobody waits for, where many replies have ended and no request takes their place."""
        kept = [place for place, row in enumerate(self._rows) if row is not None]
        if self._slots is None or len(self._rows) - len(kept) < max(1, len(self._rows) * _SHARE_REPLACED):
            return
        self._slots.keep(kept)
        if self._encoded is not None:
            self._encoded = (self._encoded[0][kept], self._encoded[1][kept])
        self._rows = [self._rows[place] for place in kept]
