"""Local checkpoints behind the interface of every model, with many replies generated at once."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from selfknow.errors import UserError, argument
from selfknow.models import checkpoints
from selfknow.models.facts import ModelFacts, checkpoint_facts
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.models.precision import choose_precision, model_precision
from selfknow.models.rendering import Rendered, Renderer, added_text, first_batch, pad_left
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
        name: The name by which the user called it.
        revision: The weights' commit or hash.
        batch_size: The largest number of requests answered at once; halved if the memory does not suffice.
        chat: Send prompts through the chat template; null: only if the tokenizer has one.
        quantization: The storage type of its weights in a GGUF file, such as ``Q4_1``; null for other checkpoints.

    Attributes:
        on_tokens: Function to call after every step with the number of tokens generated (see :class:`TokenReports`).
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
            batch_size: The largest number of requests answered at once.
            chat: Send prompts through the chat template; null: only if the tokenizer has one.
            device: The device, such as ``cpu``; by default the fastest one.
            precision: ``float32``, ``bfloat16`` or ``saved`` (the checkpoint's own); by default bfloat16 if the device
                computes in it, else float32.

        Raises:
            UserError: The checkpoint does not exist, cannot be fetched, or does not fit into memory.
        """
        checkpoints.require_models_extra()
        device = device or checkpoints.best_device()
        precision = choose_precision(precision, device)
        tokenizer = checkpoints.load_tokenizer(name)
        _check_chat(name, tokenizer, chat)  # before loading the weights, which takes long
        model = checkpoints.load_model(name, precision)
        revision, quantization = checkpoints.revision(name, model.config), checkpoints.quantization(name)
        checkpoints.move(name, model, device)
        return cls(model, tokenizer, name, revision, batch_size=batch_size, chat=chat, quantization=quantization)

    @classmethod
    def without_weights(
        cls,
        config: object,
        tokenizer: "PreTrainedTokenizerBase",
        name: str,
        revision: str | None,
        *,
        chat: bool | None = None,
    ) -> Self:
        """Return a model that can only count the tokens of prompts."""
        return cls(cast("Any", SimpleNamespace(config=config)), tokenizer, name, revision, chat=chat)

    def prompt_tokens(self, request: Request) -> int:
        """Return the length of a request's prompt in tokens, as the model receives it."""
        rendered = self._render(request)
        return len(rendered.tokens) + len(rendered.started)

    @property
    def num_parameters(self) -> int:
        """The number of the model's parameters; tied ones count once."""
        return sum(parameter.numel() for parameter in self.model.parameters())

    @property
    def precision(self) -> str:
        """The type that the model computes in, such as ``float32``."""
        return model_precision(self.model)

    @property
    def facts(self) -> ModelFacts:
        """The facts in the model's folder, and facts that are measured on the loaded model."""
        measured = ModelFacts(
            num_parameters=self.num_parameters,
            quantization=self.quantization,
            precision=self.precision,
        )
        return checkpoint_facts(self.name, self.model.config.model_type).updated(measured)

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Answer requests, and call ``on_tokens`` after every step.

        Requests of all limits share the batch. Those with the highest limits come first, so that no long reply is left
        to run alone at the end; among them, the longest prompts come first.
        """
        fitting: list[Rendered] = []
        for prompt in map(self._render, requests):
            if self._room(prompt) >= 1:
                fitting.append(prompt)
                continue
            error = f"the prompt of {len(prompt.tokens)} tokens leaves the model no room for an answer"
            yield prompt.request, Reply(None, rendered_prompt=prompt.text, messages=prompt.messages, error=error)
        # Prompts of similar length need the least padding, and a batch that does not fit into memory fails at once.
        fitting.sort(key=lambda prompt: -len(prompt.tokens))
        yield from self._generate_in_batches([prompt for prompt in fitting if prompt.forced is not None], decoding)
        to_generate = [prompt for prompt in fitting if prompt.forced is None]
        to_generate.sort(key=lambda prompt: -prompt.request.limit(decoding))
        if self._is_continuous:
            yield from self._generate_continuously(to_generate, decoding)
        else:
            # An encoder-decoder model's started answers are not padded, so those in a batch need the same length.
            to_generate.sort(key=lambda prompt: len(prompt.started))
            yield from self._generate_in_batches(to_generate, decoding)

    @property
    def _is_continuous(self) -> bool:
        from selfknow.models.continuous import supports_continuous_batching

        return supports_continuous_batching(self.model)

    def _generate_in_batches(self, rendered: list[Rendered], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Answer batches one after another, each until its last reply has ended."""
        while rendered:
            batch = first_batch(rendered[: self.batch_size])
            is_forced = batch[0].forced is not None
            answer = partial(self._score, batch) if is_forced else partial(self._generate, batch, decoding)
            if (replies := self._try_in_memory(answer, len(batch))) is not None:
                yield from zip((prompt.request for prompt in batch), replies, strict=True)
                del rendered[: len(batch)]

    def _generate_continuously(self, rendered: list[Rendered], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Answer requests in slots; when a reply has ended, the next request takes its slot."""
        from selfknow.models.continuous import ContinuousBatch

        def limit(prompt: Rendered) -> int:
            return min(prompt.request.limit(decoding), self._room(prompt))

        ends = end_tokens(self.model, self.tokenizer)
        unanswered = {id(prompt): prompt for prompt in rendered}
        while unanswered:
            size, pending = min(self.batch_size, len(unanswered)), deque(unanswered.values())
            batch = ContinuousBatch(
                self.model, self.tokenizer, decoding, ends, limit, list(pending), size, self.on_tokens
            )
            while (pending or batch.is_busy) and (
                ended := self._try_in_memory(partial(batch.advance, pending), size)
            ) is not None:
                for row in ended:
                    del unanswered[id(row.rendered)]
                    yield row.rendered.request, self._reply(row.rendered, row.tokens, ends, decoding, row.logprob)

    def _render(self, request: Request) -> Rendered:
        if request.image is not None:
            raise UserError(f"{self.name} reads text only: name a vision-language model, which also sees pictures")
        start = self.model.config.decoder_start_token_id if self.model.config.is_encoder_decoder else None
        return Renderer(self.tokenizer, self.chat, start).render(request)

    def _try_in_memory(self, answer: Callable[[], Answer], size: int) -> Answer | None:
        """Call ``answer`` and return its result; if memory does not suffice, halve the batch size and return null."""
        import torch

        try:
            with torch.inference_mode():
                return answer()
        except (RuntimeError, MemoryError) as error:
            if not checkpoints.is_out_of_memory(error):
                raise
            if size == 1:
                raise UserError(f"{self.name}: not even one request at a time fits into memory") from error
        self.batch_size = size // 2  # here the failed attempt's tensors are freed
        return None

    def _room(self, prompt: Rendered) -> int:
        """Return the number of tokens that can follow a prompt before the model runs out of positions."""
        if self.model.config.is_encoder_decoder:
            return _NO_LIMIT
        limit = getattr(self.model.config.get_text_config(), "max_position_embeddings", _NO_LIMIT)
        return int(limit) - len(prompt.tokens) - len(prompt.forced or [])

    def _generate(self, batch: list[Rendered], decoding: Decoding) -> list[Reply]:
        from selfknow.models.logits import SequenceLogprob
        from selfknow.models.stops import RowEnds

        ends = end_tokens(self.model, self.tokenizer)
        inputs = self._inputs(batch)
        prompt_tokens = inputs["decoder_input_ids"] if "decoder_input_ids" in inputs else inputs["input_ids"]
        prompt_length = prompt_tokens.shape[1]
        row_ends = RowEnds(self.tokenizer, batch, decoding, prompt_length)
        logprob = SequenceLogprob(ends, self.on_tokens, row_ends.ended)
        output = self._generate_tokens(
            **inputs,
            max_new_tokens=min(max(row_ends.limits), *(self._room(prompt) for prompt in batch)),
            do_sample=False,
            num_beams=1,
            temperature=None,
            top_p=None,
            top_k=None,
            pad_token_id=padding_token(self.tokenizer),
            eos_token_id=ends,
            logits_processor=[logprob, *self._sampling_processors(batch, decoding)],
            stopping_criteria=[row_ends],
        )
        logprobs = logprob.finish(output[:, -1])
        rows = [row[:end] for row, end in zip(output[:, prompt_length:].tolist(), row_ends.lengths, strict=True)]
        return [
            self._reply(prompt, row, ends, decoding, total)
            for prompt, row, total in zip(batch, rows, logprobs, strict=True)
        ]

    def _generate_tokens(self, **inputs: Any) -> "torch.Tensor":
        """Call the model's own ``generate`` and return its output, (rows, tokens)."""
        output: torch.Tensor = cast("Any", self.model).generate(**inputs)
        return output

    def _sampling_processors(self, batch: list[Rendered], decoding: Decoding) -> list[Any]:
        from selfknow.models.drawing import warpers
        from selfknow.models.logits import DrawProcessor

        processors = warpers(self.model, decoding)
        if not processors:
            return []
        return [*processors, DrawProcessor([prompt.request.seed(decoding.seed) for prompt in batch])]

    def _reply(self, prompt: Rendered, row: list[int], ends: list[int], decoding: Decoding, logprob: float) -> Reply:
        end = next((index for index, token in enumerate(row) if token in ends), None)
        tokens = row if end is None else row[:end]
        text = added_text(self.tokenizer, prompt, tokens)
        stops = [start for stop in prompt.stops(decoding) if (start := text.find(stop)) >= 0]
        return Reply(
            generation=text[: min(stops)] if stops else text,
            finish_reason="length" if end is None and not stops else "stop",
            rendered_prompt=prompt.text,
            messages=prompt.messages,
            prompt_tokens=len(prompt.tokens) + len(prompt.started),
            completion_tokens=len(row) if end is None else end + 1,
            logprob=logprob,
        )

    def _score(self, batch: list[Rendered]) -> list[Reply]:
        """Score the forced continuations of a batch in one forward pass."""
        import torch

        lengths = [len(prompt.forced or []) for prompt in batch]
        inputs = self._inputs(batch, forced=True)
        keep = {} if self.model.config.is_encoder_decoder else {"logits_to_keep": max(lengths) + 1}
        logits = self.model(**inputs, use_cache=False, **keep).logits[:, -max(lengths) - 1 : -1]
        logprobs = torch.log_softmax(logits.float(), dim=-1)
        key = "decoder_input_ids" if self.model.config.is_encoder_decoder else "input_ids"
        targets = inputs[key][:, -max(lengths) :]
        target_logprobs = logprobs.gather(2, targets[:, :, None]).squeeze(2).double().tolist()
        return [
            Reply(
                generation=prompt.request.forced,
                finish_reason="forced",
                rendered_prompt=prompt.text,
                messages=prompt.messages,
                prompt_tokens=len(prompt.tokens) + len(prompt.started),
                completion_tokens=length,
                logprob=sum(values[len(values) - length :]),
            )
            for prompt, length, values in zip(batch, lengths, target_logprobs, strict=True)
        ]

    def _inputs(self, batch: list[Rendered], *, forced: bool = False) -> "dict[str, torch.Tensor]":
        """Return the inputs of a batch on the model's device, padded on the left; ``forced`` adds continuations."""
        import torch

        continuations = [(prompt.forced or []) if forced else [] for prompt in batch]
        device = self.model.device
        if self.model.config.is_encoder_decoder:
            tokens, mask = pad_left([prompt.tokens for prompt in batch], padding_token(self.tokenizer))
            started = [prompt.started + tokens for prompt, tokens in zip(batch, continuations, strict=True)]
            decoder_tokens, decoder_mask = pad_left(started, padding_token(self.tokenizer))
            inputs = {"input_ids": tokens, "attention_mask": mask, "decoder_input_ids": decoder_tokens}
            if forced:
                inputs["decoder_attention_mask"] = decoder_mask
        else:
            rows = [prompt.tokens + tokens for prompt, tokens in zip(batch, continuations, strict=True)]
            tokens, mask = pad_left(rows, padding_token(self.tokenizer))
            inputs = {"input_ids": tokens, "attention_mask": mask}
            if forced:
                inputs["position_ids"] = (mask.cumsum(1) - 1).clamp_min(0)
        return {name: value.to(device) for name, value in inputs.items() if isinstance(value, torch.Tensor)}


def _check_chat(name: str, tokenizer: "PreTrainedTokenizerBase", chat: bool | None) -> None:
    if chat and not tokenizer.chat_template:
        raise UserError(f"{name} has no chat template, like most base models: leave out {argument('chat', True)}")


def end_tokens(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> list[int]:
    """Return the tokens that end a reply: those of the model, and the tokenizer's end-of-sequence token."""
    model_end = model.generation_config.eos_token_id if model.generation_config is not None else None
    ends = model_end if isinstance(model_end, list) else [model_end]
    return sorted({int(end) for end in [*ends, tokenizer.eos_token_id] if end is not None})
