"""The tuning of a model on creations: questions and worked solutions that it, or another model, wrote.

The paper (Tan et al., section 6.3) gives neither the prompt nor the target of the tuning. Here the prompt is GSM8K's
(``evaluate/tasks/gsm8k/questions.py``, with the chat template if the tokenizer has one), and only the worked solution
is learnt (:mod:`selfknow.train.solutions`). If the last step of an epoch is not full, examples of the next epoch fill
it; only the last step of the training may be smaller.

With adapters the model's own weights are frozen. With ``bfloat16`` they are loaded in bfloat16, which takes half the
memory of float32; the adapters, their gradients and AdamW's moments are float32 (:mod:`.tuning_memory`).
"""

from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from selfknow.errors import UserError
from selfknow.evaluate.tasks.gsm8k.questions import prompt, wording
from selfknow.evaluate.tasks.self_knowledge.creations import Creations
from selfknow.models import checkpoints
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import Request
from selfknow.train.facts import recipe_facts, start_facts
from selfknow.train.job import load, with_adapters
from selfknow.train.recipe import Recipe
from selfknow.train.tuning_settings import TuningSettings

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from selfknow.train.data import Stream, TrainingRows
    from selfknow.train.validation import ValidationRows


@dataclass(frozen=True)
class TuningJob:
    """A model, and the version of one model's creations that it is tuned on.

    Attributes:
        model: A Hub id, a checkpoint folder or a GGUF file.
        creations: The questions that it is tuned on.
        version: The answers that it is tuned on, ``raw`` or ``corrected``.
        settings: The settings that affect the result.
        chat: Render questions with the chat template; null renders so if the tokenizer has one.
        batch_size: Unused, since a tuning generates nothing.
        micro_batch_size: The largest number of questions that go through the model at once; null for all of a step.
        report_to: Experiment trackers that the tuning also reports to.
    """

    model: str
    creations: Creations
    version: str
    settings: TuningSettings = field(default_factory=TuningSettings)
    chat: bool | None = None
    batch_size: int = 64
    micro_batch_size: int | None = None
    report_to: tuple[str, ...] = ()

    @property
    def recipe(self) -> Recipe:
        """The recipe; its number of steps follows from the number of questions."""
        return self.settings.recipe(len(self.creations.version(self.version)))

    def as_json(self) -> dict[str, object]:
        """Return the settings that must be the same for a tuning to resume."""
        return {
            "task": "tune",
            "model": self.model,
            "revision": _revision(self.model),
            "creator": self.creations.creator,
            "version": self.version,
            "content_hash": self.creations.content_hash(self.version),
            "num_questions": len(self.creations.version(self.version)),
            "prompt": wording()["prompt"],
            "target": "worked solution",
            "chat": self.chat,
            "settings": asdict(self.settings),
        }

    def facts(self) -> ModelFacts:
        """Return the facts about the model that are known before tuning."""
        settings = self.as_json()
        corpus = {
            "name": self.creations.creator,
            "config": self.version,
            "content_hash": settings["content_hash"],
            "parameters": {"num_questions": settings["num_questions"]},
        }
        prompt_settings = {name: settings[name] for name in ("prompt", "target", "chat")}
        defaults = {**asdict(TuningSettings()), **prompt_settings, "chat": None}
        start = start_facts(self.model, None, scratch=False)
        return start.updated(
            recipe_facts({**asdict(self.settings), **prompt_settings}, defaults, self.settings.seed, corpus)
        )

    def make_tokenizer(self, folder: Path) -> "PreTrainedTokenizerBase":
        """Save the checkpoint's own tokenizer, unchanged, in a folder."""
        tokenizer = checkpoints.load_tokenizer(self.model)
        if tokenizer.eos_token_id is None:
            raise UserError(f"the tokenizer of {self.model} has no end-of-sequence token: it could not learn to stop")
        tokenizer.save_pretrained(str(folder))
        return tokenizer

    def make_model(self, tokenizer: "PreTrainedTokenizerBase", resumed: Path | None = None) -> "PreTrainedModel":  # noqa: ARG002
        """Load the checkpoint, with new adapters if ``lora_rank`` is set.

        If the tuning resumes, the Trainer restores the adapters; a model without adapters is loaded from ``resumed``.
        """
        import torch

        torch.manual_seed(self.settings.seed)
        name = self.model if resumed is None or self.settings.lora_rank else str(resumed)
        return with_adapters(load(name, self.recipe, frozen=bool(self.settings.lora_rank)), self.recipe)

    def stream(self, tokenizer: "PreTrainedTokenizerBase", *, encoder_decoder: bool) -> "Stream":
        """Return the stream of examples, with every question once per epoch."""
        from selfknow.train.data import Stream

        rows = tuning_rows(self, tokenizer, encoder_decoder=encoder_decoder)
        return Stream(rows, self.recipe, self.settings.epochs * len(rows))

    def validation_questions(self) -> list[dict[str, Any]]:
        """Return no questions: the paper trains for a fixed number of epochs."""
        return []

    def validation_rows(self) -> "ValidationRows":
        """Return no rows: a tuning is not validated."""
        from selfknow.train.validation import ValidationRows

        return ValidationRows()

    def prepare_to_save(self, model: "PreTrainedModel") -> "PreTrainedModel":
        """Return the model in the original checkpoint's precision, in which the two are compared."""
        return cast("PreTrainedModel", cast("Any", model).to(checkpoints.load_config(self.model).dtype or model.dtype))

    def test(self, folder: Path) -> dict[str, object]:  # noqa: ARG002
        """Return no scores: a separate run asks the tuned model GSM8K."""
        return {}


@cache
def _revision(model: str) -> str | None:
    return checkpoints.revision(model)


def tuning_rows(job: TuningJob, tokenizer: "PreTrainedTokenizerBase", *, encoder_decoder: bool) -> "TrainingRows":
    """Tokenize each question's prompt, and its solution with an end-of-sequence token; only the solution is learnt.

    Raises:
        UserError: A question with its solution is longer than the model's positions.
    """
    import numpy as np

    from selfknow.train.data import TrainingRows, token_rows

    prompts, targets = _tokens(job, tokenizer, encoder_decoder=encoder_decoder)
    is_question = np.ones(len(prompts), dtype=np.bool_)
    if encoder_decoder:
        return TrainingRows(token_rows(prompts), token_rows(targets), is_question)
    rows = [[*prompt_tokens, *target_tokens] for prompt_tokens, target_tokens in zip(prompts, targets, strict=True)]
    longest = max(map(len, rows))
    positions = getattr(checkpoints.load_config(job.model), "max_position_embeddings", None)
    if positions is not None and longest > positions:
        raise UserError(f"a question with its solution has {longest} tokens, more than the {positions} of {job.model}")
    num_unlearnt = np.array([len(prompt_tokens) for prompt_tokens in prompts], dtype=np.int32)
    return TrainingRows(None, token_rows(rows), is_question, num_unlearnt)


def longest_example(job: TuningJob) -> int:
    """Return the number of tokens of the longest question together with its solution."""
    tokenizer = checkpoints.load_tokenizer(job.model)
    encoder_decoder = bool(checkpoints.load_config(job.model).is_encoder_decoder)
    prompts, targets = _tokens(job, tokenizer, encoder_decoder=encoder_decoder)
    return max(
        len(prompt_tokens) + len(target_tokens) for prompt_tokens, target_tokens in zip(prompts, targets, strict=True)
    )


def _tokens(
    job: TuningJob, tokenizer: "PreTrainedTokenizerBase", *, encoder_decoder: bool
) -> tuple[list[list[int]], list[list[int]]]:
    """Return the tokens of each prompt, and the tokens of each solution with its end-of-sequence token."""
    from selfknow.models.rendering import Renderer
    from selfknow.models.tokenization import encode

    config = checkpoints.load_config(job.model)
    chat = bool(tokenizer.chat_template) if job.chat is None else job.chat
    renderer = Renderer(tokenizer, chat, config.decoder_start_token_id if encoder_decoder else None)
    pairs = job.creations.version(job.version)
    requests = [Request(str(number), prompt(question)) for number, (question, _) in enumerate(pairs)]
    prompts = [renderer.render(request).tokens for request in requests]
    solutions = encode(tokenizer, [solution for _, solution in pairs], special_tokens=False)
    return prompts, [[*solution, tokenizer.eos_token_id] for solution in solutions]
