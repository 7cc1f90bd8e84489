"""Local checkpoints behind the interface for models. Many replies are generated at once, each until its own end."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from selfknow.errors import UserError
from selfknow.models import checkpoints
from selfknow.models.facts import ModelFacts, checkpoint_facts
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.models.precision import choose_precision, precision_of
from selfknow.models.rendering import Rendered, Renderer, added_text, pad_left, same_batch
from selfknow.models.tokenization import padding_token

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_NO_LIMIT = 1 << 30
Answer = TypeVar("Answer")


class LocalModel:
    """A causal or encoder-decoder language model in this process.

    Args:
        model: The model, on its device.
        tokenizer: Its tokenizer.
        name: What the user called it.
        revision: Which weights these are.
        batch_size: Requests answered at once; halved where the memory does not suffice.
        chat: Whether prompts go through the chat template; by default wherever the tokenizer has one.
        quantization: How its weights were stored in a GGUF file, such as ``Q4_1``; null where they were not.

    Attributes:
        on_tokens: Is told how many tokens were generated, after every step (see :class:`TokenReports`).
    """

    def __init__(
        self,
        model: "PreTrainedModel",
        tokenizer: "PreTrainedTokenizerBase",
        name: str,
        revision: str | None = None,
        *,
        batch_size: int = 64,
        chat: bool | None = None,
        quantization: str | None = None,
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.revision = revision
        self.batch_size = batch_size
        self.quantization = quantization
        self.on_tokens: Callable[[int], None] = lambda _: None
        self.chat = bool(tokenizer.chat_template) if chat is None else chat
        _check_chat(name, tokenizer, chat)

    @classmethod
    def load(
        cls,
        name: str,
        *,
        batch_size: int = 64,
        chat: bool | None = None,
        device: str | None = None,
        precision: str | None = None,
    ) -> Self:
        """Load a checkpoint from a folder, a GGUF file or the Hub.

        Args:
            name: A folder, a GGUF file or a Hub id.
            batch_size: Requests answered at once.
            chat: Whether prompts go through the chat template; by default wherever the tokenizer has one.
            device: Such as ``cpu``; by default the best there is.
            precision: ``float32``, ``bfloat16`` or ``saved``, as the checkpoint is; by default bfloat16 where the
                device computes in it, else float32.

        Raises:
            UserError: It does not exist, cannot be had, or does not fit into memory.
        """
        checkpoints.require_models_extra()
        device = device or checkpoints.best_device()
        precision = choose_precision(precision, device)
        tokenizer = checkpoints.load_tokenizer(name)
        _check_chat(name, tokenizer, chat)  # before the weights, which take long
        model = checkpoints.load_model(name, precision)
        revision, quantization = checkpoints.revision(name, model.config), checkpoints.quantization(name)
        checkpoints.move(name, model, device)
        return cls(model, tokenizer, name, revision, batch_size=batch_size, chat=chat, quantization=quantization)

    @property
    def num_parameters(self) -> int:
        """How many parameters the model has; tied ones count once."""
        return sum(parameter.numel() for parameter in self.model.parameters())

    @property
    def precision(self) -> str:
        """What the model computes in, such as ``float32``: part of who was asked."""
        return precision_of(self.model)

    @property
    def facts(self) -> ModelFacts:
        """What is known of the model: what its folder says, and what can be seen of it in memory."""
        seen = ModelFacts(
            num_parameters=self.num_parameters,
            quantization=self.quantization,
            precision=self.precision,
        )
        return checkpoint_facts(self.name, self.model.config.model_type).updated(seen)

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Answer requests, those with the longest prompts first; ``on_tokens`` is told of every step's tokens."""
        fitting: list[Rendered] = []
        for one in map(self._render, requests):
            if self._room(one) >= 1:
                fitting.append(one)
                continue
            error = f"the prompt of {len(one.tokens)} tokens leaves the model no room for an answer"
            yield one.request, Reply(None, rendered_prompt=one.text, messages=one.messages, error=error)
        # Prompts of like length are padded least, and what does not fit into memory is known at once.
        fitting.sort(key=lambda one: -len(one.tokens))
        yield from self._in_batches([one for one in fitting if one.forced is not None], decoding)
        written = [one for one in fitting if one.forced is None]
        # An encoder-decoder model's started answers are not padded in whole batches: those of one length share one.
        written.sort(key=lambda one: len(one.started) if not self._continuous else 0)
        yield from (self._continuously if self._continuous else self._in_batches)(written, decoding)

    @property
    def _continuous(self) -> bool:
        from selfknow.models.continuous import suits

        return suits(self.model)

    def _in_batches(self, rendered: list[Rendered], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Answer batches one after another, each until its last reply has ended."""
        while rendered:
            batch = same_batch(rendered[: self.batch_size])
            answer = (
                partial(self._generate, batch, decoding) if batch[0].forced is None else partial(self._score, batch)
            )
            if (replies := self._within_memory(answer, len(batch))) is not None:
                yield from zip((one.request for one in batch), replies, strict=True)
                del rendered[: len(batch)]

    def _continuously(self, rendered: list[Rendered], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Answer requests so that a reply that has ended gives its place to the next one."""
        from selfknow.models.continuous import ContinuousBatch

        ends = end_tokens(self.model, self.tokenizer)
        unanswered = {id(one): one for one in rendered}
        while unanswered:
            size, pending = min(self.batch_size, len(unanswered)), deque(unanswered.values())
            batch = ContinuousBatch(self.model, self.tokenizer, decoding, ends, self._room, size, self.on_tokens)
            while (pending or batch.under_way) and (
                ended := self._within_memory(partial(batch.advance, pending), size)
            ) is not None:
                for row in ended:
                    del unanswered[id(row.rendered)]
                    yield row.rendered.request, self._reply(row.rendered, row.tokens, ends, decoding, row.logprob)

    def _render(self, request: Request) -> Rendered:
        if request.image is not None:
            raise UserError(f"{self.name} reads text only: name a vision-language model, which sees pictures too")
        start = self.model.config.decoder_start_token_id if self.model.config.is_encoder_decoder else None
        return Renderer(self.tokenizer, self.chat, start).render(request)

    def _within_memory(self, answer: Callable[[], Answer], size: int) -> Answer | None:
        """What an attempt gives; null if it did not fit into memory, and batches of half the size come next."""
        import torch

        try:
            with torch.inference_mode():
                return answer()
        except (RuntimeError, MemoryError) as error:
            if not checkpoints.is_out_of_memory(error):
                raise
            if size == 1:
                raise UserError(f"{self.name}: not even one request at a time fits into memory") from error
        self.batch_size = size // 2  # the tensors of the failed attempt are gone by now
        return None

    def _room(self, one: Rendered) -> int:
        """How many tokens may follow before the model's positions are used up."""
        if self.model.config.is_encoder_decoder:
            return _NO_LIMIT
        limit = getattr(self.model.config.get_text_config(), "max_position_embeddings", _NO_LIMIT)
        return int(limit) - len(one.tokens) - len(one.forced or [])

    def _generate(self, batch: list[Rendered], decoding: Decoding) -> list[Reply]:
        from selfknow.models.logits import SequenceLogprob
        from selfknow.models.stops import StopTexts

        ends = end_tokens(self.model, self.tokenizer)
        inputs = self._inputs(batch)
        length = (inputs["decoder_input_ids"] if "decoder_input_ids" in inputs else inputs["input_ids"]).shape[1]
        stops = StopTexts(self.tokenizer, batch, decoding, length)
        logprob = SequenceLogprob(ends, self.on_tokens, stops.stopped)
        output = self._tokens(
            **inputs,
            max_new_tokens=min(decoding.max_new_tokens, *(self._room(one) for one in batch)),
            do_sample=False,
            num_beams=1,
            temperature=None,
            top_p=None,
            top_k=None,
            pad_token_id=padding_token(self.tokenizer),
            eos_token_id=ends,
            logits_processor=[logprob, *self._sampling(batch, decoding)],
            stopping_criteria=[stops],
        )
        logprobs = logprob.finish(output[:, -1])
        rows = [row[:end] for row, end in zip(output[:, length:].tolist(), stops.lengths, strict=True)]
        return [
            self._reply(one, row, ends, decoding, total) for one, row, total in zip(batch, rows, logprobs, strict=True)
        ]

    def _tokens(self, **inputs: Any) -> "torch.Tensor":
        """What the model generates, by its own ``generate``: (rows, tokens)."""
        output: torch.Tensor = cast("Any", self.model).generate(**inputs)
        return output

    def _sampling(self, batch: list[Rendered], decoding: Decoding) -> list[Any]:
        from selfknow.models.drawing import warpers
        from selfknow.models.logits import Draw

        found = warpers(self.model, decoding)
        return [*found, Draw([one.request.seed(decoding.seed) for one in batch])] if found else []

    def _reply(self, one: Rendered, row: list[int], ends: list[int], decoding: Decoding, logprob: float) -> Reply:
        end = next((place for place, token in enumerate(row) if token in ends), None)
        tokens = row if end is None else row[:end]
        text = added_text(self.tokenizer, one, tokens)
        stops = [place for stop in one.stops(decoding) if (place := text.find(stop)) >= 0]
        return Reply(
            generation=text[: min(stops)] if stops else text,
            finish_reason="length" if end is None and not stops else "stop",
            rendered_prompt=one.text,
            messages=one.messages,
            prompt_tokens=len(one.tokens) + len(one.started),
            completion_tokens=len(row) if end is None else end + 1,
            logprob=logprob,
        )

    def _score(self, batch: list[Rendered]) -> list[Reply]:
        """The log-probabilities of forced continuations, by one forward pass."""
        import torch

        lengths = [len(one.forced or []) for one in batch]
        inputs = self._inputs(batch, forced=True)
        keep = {} if self.model.config.is_encoder_decoder else {"logits_to_keep": max(lengths) + 1}
        logits = self.model(**inputs, use_cache=False, **keep).logits[:, -max(lengths) - 1 : -1]
        logprobs = torch.log_softmax(logits.float(), dim=-1)
        key = "decoder_input_ids" if self.model.config.is_encoder_decoder else "input_ids"
        targets = inputs[key][:, -max(lengths) :]
        chosen = logprobs.gather(2, targets[:, :, None]).squeeze(2).double().tolist()
        return [
            Reply(
                generation=one.request.forced,
                finish_reason="forced",
                rendered_prompt=one.text,
                messages=one.messages,
                prompt_tokens=len(one.tokens) + len(one.started),
                completion_tokens=length,
                logprob=sum(values[len(values) - length :]),
            )
            for one, length, values in zip(batch, lengths, chosen, strict=True)
        ]

    def _inputs(self, batch: list[Rendered], *, forced: bool = False) -> "dict[str, torch.Tensor]":
        """Left-padded inputs on the model's device."""
        import torch

        extra = [one.forced or [] if forced else [] for one in batch]
        device = self.model.device
        if self.model.config.is_encoder_decoder:
            tokens, mask = pad_left([one.tokens for one in batch], padding_token(self.tokenizer))
            started = [one.started + more for one, more in zip(batch, extra, strict=True)]
            decoder_tokens, decoder_mask = pad_left(started, padding_token(self.tokenizer))
            inputs = {"input_ids": tokens, "attention_mask": mask, "decoder_input_ids": decoder_tokens}
            if forced:
                inputs["decoder_attention_mask"] = decoder_mask
        else:
            rows = [one.tokens + more for one, more in zip(batch, extra, strict=True)]
            tokens, mask = pad_left(rows, padding_token(self.tokenizer))
            inputs = {"input_ids": tokens, "attention_mask": mask}
            if forced:
                inputs["position_ids"] = (mask.cumsum(1) - 1).clamp_min(0)
        return {name: value.to(device) for name, value in inputs.items() if isinstance(value, torch.Tensor)}


def _check_chat(name: str, tokenizer: "PreTrainedTokenizerBase", chat: bool | None) -> None:
    if chat and not tokenizer.chat_template:
        raise UserError(f"{name} has no chat template, as base models have none: leave out --chat")


def end_tokens(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> list[int]:
    """The tokens that end a reply: the model's own, and the tokenizer's end-of-sequence."""
    own = model.generation_config.eos_token_id if model.generation_config is not None else None
    ends = own if isinstance(own, list) else [own]
    return sorted({int(end) for end in [*ends, tokenizer.eos_token_id] if end is not None})
