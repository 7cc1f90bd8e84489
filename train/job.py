"""A training job, its tokenizer and its model."""

import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from selfknow.errors import UserError
from selfknow.evaluate.dataset import ConfigFiles
from selfknow.models import checkpoints
from selfknow.models.facts import ModelFacts
from selfknow.models.tokenization import check_round_trip
from selfknow.options import check_options
from selfknow.train.facts import default_recipe, recipe_facts, start_facts, tokenizer_fact
from selfknow.train.options import JobOptions
from selfknow.train.recipe import Recipe
from selfknow.train.suite import MODELS, from_config

if TYPE_CHECKING:
    import pyarrow as pa
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from selfknow.train.data import Stream
    from selfknow.train.validation import ValidationRows

CORPUS_TOKENIZER = "corpus"
_VOCABULARY_MULTIPLE = 64  # the number of embeddings is rounded up to a multiple of this, which suits GPUs
_DROPOUT = ("dropout", "hidden_dropout", "dropout_rate")  # as OPT, Pythia and T5 call it


@dataclass(frozen=True)
class TrainingJob(JobOptions):
    """A training of a model on a corpus with a recipe. The other fields are those of :class:`JobOptions`.

    Attributes:
        model: A model of the suite (``opt-7m``), a Hub id, a checkpoint folder or a GGUF file.
        corpus: The dataset whose training split is learnt.
        recipe: The settings that affect the result.

    Raises:
        UserError: The checkpoint to start from was never published, or an option is out of its range.
    """

    model: str
    corpus: ConfigFiles
    recipe: Recipe

    def __post_init__(self) -> None:
        check_options(self, JobOptions)
        if not self.scratch and self.origin is None:
            raise UserError(f"{self.model} was never published: train it with --scratch, or from --checkpoint FOLDER")

    @property
    def origin(self) -> str | None:
        """The checkpoint that ``transformers`` loads; null for OPT 7M."""
        return self.checkpoint or (MODELS[self.model].checkpoint if self.model in MODELS else self.model)

    @property
    def tokenizer_name(self) -> str:
        """The source of the tokenizer: ``corpus``, a Hub id or a folder."""
        published = MODELS[self.model].tokenizer if self.model in MODELS else self.model
        return self.tokenizer or self.checkpoint or published

    def as_json(self) -> dict[str, object]:
        """Return the settings that must be the same for a training to resume."""
        return {
            "task": "train",
            "model": self.model,
            "checkpoint": self.checkpoint,
            "scratch": self.scratch,
            "tokenizer": self.tokenizer,
            "vocabulary_size": self.vocabulary_size if self.tokenizer == CORPUS_TOKENIZER else None,
            "dataset": asdict(replace(self.corpus, parameters=None).reference("train")),
            "recipe": self.recipe.as_json(),
        }

    def facts(self) -> ModelFacts:
        """Return the facts about the model that are known before training."""
        tokenizer_settings = {"tokenizer": tokenizer_fact(self.tokenizer)}
        if self.tokenizer == CORPUS_TOKENIZER:
            tokenizer_settings["vocabulary_size"] = str(self.vocabulary_size)
        defaults = {**default_recipe(self.model), "tokenizer": None}
        corpus = self.corpus.reference("train").as_json()
        start = start_facts(self.model, self.origin, scratch=self.scratch)
        return start.updated(
            recipe_facts({**self.recipe.as_json(), **tokenizer_settings}, defaults, self.recipe.seed, corpus)
        )

    def make_tokenizer(self, folder: Path) -> "PreTrainedTokenizerBase":
        """Make the tokenizer and save it in a folder, or load it from there if it has been made.

        Raises:
            UserError: It is not available, or it cannot return a training answer byte for byte.
        """
        from selfknow.train.corpus_tokenizer import train_tokenizer
        from selfknow.train.tokenizer import prepare

        if (folder / "tokenizer_config.json").is_file():
            return checkpoints.load_tokenizer_folder(folder)
        if self.tokenizer == CORPUS_TOKENIZER:
            tokenizer = train_tokenizer(_texts(self.corpus.read("train")), self.vocabulary_size)
        else:
            tokenizer = self._published_tokenizer()
        tokenizer = prepare(tokenizer)
        for split in ("train", "validation", "test"):
            check_round_trip(tokenizer, _answers(self.corpus.read(split)), self.tokenizer_name)
        tokenizer.save_pretrained(str(folder))
        return checkpoints.load_tokenizer_folder(folder)

    def _published_tokenizer(self) -> "PreTrainedTokenizerBase":
        try:
            return checkpoints.load_tokenizer(self.tokenizer_name)
        except UserError as error:
            if not self.scratch or self.tokenizer is not None:
                raise
            reason = str(error).rstrip(".")
            raise UserError(
                f"{reason}; pass --tokenizer with another one, or --corpus-tokenizer to train a small one on the spot"
            ) from error

    def make_model(self, tokenizer: "PreTrainedTokenizerBase", resumed: Path | None = None) -> "PreTrainedModel":
        """Make the model to train, with room for every token, on the CPU.

        From scratch with a tokenizer of the corpus, the vocabulary is that tokenizer's, rounded up to a multiple of 64.
        Otherwise it is the published one, enlarged only if tokens were added beyond it.

        Args:
            tokenizer: The tokenizer.
            resumed: The checkpoint of this training that it resumes from. Its weights are loaded here, because the
                Trainer loads them by their names in the file, which in some architectures are not the model's.

        Raises:
            UserError: The model is not available, or does not fit into memory.
        """
        import torch

        torch.manual_seed(self.recipe.seed)
        if resumed is not None and not self.recipe.lora_rank:
            model = load(str(resumed), self.recipe)
        elif self.scratch:
            model = _from_scratch(self, len(tokenizer) if self.tokenizer == CORPUS_TOKENIZER else None)
        else:
            assert self.origin is not None, "a job that needs a checkpoint has one"
            model = load(self.origin, self.recipe)
        if cast("torch.Tensor", model.get_input_embeddings().weight).shape[0] < len(tokenizer):
            model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=_VOCABULARY_MULTIPLE)
        _set_special_tokens(model, tokenizer)
        return with_adapters(model, self.recipe)

    def stream(self, tokenizer: "PreTrainedTokenizerBase", *, encoder_decoder: bool) -> "Stream":
        """Return all examples in the order in which they are learnt.

        Raises:
            UserError: The training split is not from a diary corpus.
        """
        from selfknow.train.data import Stream, training_rows

        rows = training_rows(self.corpus.read("train"), tokenizer, encoder_decoder=encoder_decoder)
        return Stream(rows, self.recipe)

    def validation_questions(self) -> "list[dict[str, Any]]":
        """Return the validation split, which confirms the best checkpoint."""
        return list(self.corpus.read("validation").to_pylist())

    def validation_rows(self) -> "ValidationRows":
        """Return the rows of every validation: samples of held-out and of training rows."""
        from selfknow.train.validation import choose_validation_rows

        return choose_validation_rows(
            self.corpus.read("train"), self.corpus.read("validation"), self.recipe.validation_limit
        )

    def prepare_to_save(self, model: "PreTrainedModel") -> "PreTrainedModel":
        """Return the trained model unchanged: it is saved in float32."""
        return model

    def test(self, folder: Path) -> "dict[str, object]":
        """Ask the trained model the questions of the test split, and score its replies in the run folder ``test``."""
        from selfknow.evaluate.ask import ask_task
        from selfknow.evaluate.score import score_to_files
        from selfknow.evaluate.task import Models
        from selfknow.evaluate.tasks.diary_recall.task import DIARY_RECALL, DiaryOptions, question_rows
        from selfknow.models.interface import Decoding
        from selfknow.models.local import LocalModel
        from selfknow.runs.summary import summarize

        model = LocalModel.load(str(folder / "model"), batch_size=self.batch_size, precision="float32")
        decoding = Decoding(max_new_tokens=self.recipe.max_new_tokens)
        shutil.rmtree(folder / "test", ignore_errors=True)  # an earlier checkpoint's replies are outdated
        options = DiaryOptions()
        questions = question_rows(self.corpus, options)
        ask_task(DIARY_RECALL, questions, options, Models([model]), folder / "test", decoding)
        rows = summarize(folder / "test", score_to_files(folder / "test"))
        means = {row["metric"]: row["mean"] for row in rows}
        return {f"test_{name}": means[name] for name in ("exact_match", "right_count", "right_content")}


def _texts(table: "pa.Table") -> list[str]:
    import pyarrow.compute as pc

    return list(pc.binary_join_element_wise(table["prompt"], table["completion"], "").to_pylist())


def _answers(table: "pa.Table") -> list[str]:
    import pyarrow.compute as pc

    return list(table.filter(pc.equal(table["kind"], "question"))["completion"].to_pylist())


def load_trained(recipe: Recipe, checkpoint: str | None, model: "PreTrainedModel") -> "PreTrainedModel":
    """Load the weights of a checkpoint of this training, and merge adapters into them.

    Args:
        recipe: The settings it was trained with.
        checkpoint: The folder of the checkpoint; null for the last weights.
        model: The model with its last weights.
    """
    import torch

    if not recipe.lora_rank:
        return model if checkpoint is None else checkpoints.load_model(checkpoint, torch.float32)
    adapted_model = cast("Any", model)
    if checkpoint is not None:
        from peft import load_peft_weights, set_peft_model_state_dict

        set_peft_model_state_dict(adapted_model, load_peft_weights(checkpoint, device=str(adapted_model.device)))
    return cast("PreTrainedModel", adapted_model.merge_and_unload())


def _from_scratch(job: TrainingJob, vocab_size: int | None) -> "PreTrainedModel":
    if job.recipe.lora_rank:
        raise UserError("LoRA adapts a trained model: leave out --scratch or --lora-rank")
    if vocab_size is not None:
        vocab_size = -(-vocab_size // _VOCABULARY_MULTIPLE) * _VOCABULARY_MULTIPLE
    is_published = job.checkpoint is None and job.model in MODELS
    config = MODELS[job.model].config() if is_published else checkpoints.load_config(job.checkpoint or job.model)
    vocabulary = {} if vocab_size is None else {"vocab_size": vocab_size}
    config.update({**vocabulary, **_dropout(config, job.recipe.dropout)})
    return from_config(config)


def load(name: str, recipe: Recipe, *, frozen: bool = False) -> "PreTrainedModel":
    """Load a checkpoint to train, in float32, with the recipe's dropout.

    Args:
        name: A folder, a GGUF file or a Hub id.
        recipe: The settings it is trained with.
        frozen: If true, only adapters are trained, so the model's own weights are loaded in the recipe's precision.

    Raises:
        UserError: The model is not available, or does not fit into memory.
    """
    import torch

    dtype = torch.bfloat16 if frozen and recipe.precision == "bfloat16" else torch.float32
    return checkpoints.load_model(name, dtype, **_dropout(checkpoints.load_config(name), recipe.dropout))


def _set_special_tokens(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> None:
    tokens = {"pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id}
    if tokenizer.bos_token_id is not None or not model.config.is_encoder_decoder:
        tokens["bos_token_id"] = tokenizer.bos_token_id
    if model.config.is_encoder_decoder:
        tokens["decoder_start_token_id"] = tokenizer.pad_token_id
    for settings in (model.config, model.generation_config):
        for name, value in tokens.items():
            setattr(settings, name, value)


def _dropout(config: object, rate: float | None) -> dict[str, float]:
    """Return the settings that set a configuration's dropout to this rate; none if the rate is null."""
    return {} if rate is None else {name: rate for name in _DROPOUT if hasattr(config, name)}


def with_adapters(model: "PreTrainedModel", recipe: Recipe) -> "PreTrainedModel":
    """Add to a model the adapters and the gradient checkpointing of the recipe.

    Raises:
        UserError: The recipe has adapters, and peft is not installed.
    """
    if recipe.gradient_checkpointing:
        enable = getattr(model, "activation_checkpointing_enable", None) or model.gradient_checkpointing_enable
        enable({"use_reentrant": False})
    if not recipe.lora_rank:
        return model
    try:
        from peft import LoraConfig, TaskType, get_peft_model
    except ImportError as error:
        raise UserError("LoRA needs peft: pip install peft") from error
    adapters = LoraConfig(
        r=recipe.lora_rank,
        lora_alpha=recipe.lora_alpha or 2 * recipe.lora_rank,
        lora_dropout=recipe.lora_dropout,
        target_modules="all-linear",
        task_type=TaskType.SEQ_2_SEQ_LM if model.config.is_encoder_decoder else TaskType.CAUSAL_LM,
    )
    return cast("PreTrainedModel", get_peft_model(model, adapters))
