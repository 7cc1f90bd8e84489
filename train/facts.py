"""The facts about a model that its training run records: its parent model, its corpus and its recipe."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from selfknow.files import user_path
from selfknow.models import checkpoints
from selfknow.models.facts import ModelFacts, checkpoint_facts
from selfknow.models.known import known_model
from selfknow.train.recipe import Recipe
from selfknow.train.suite import MODELS

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_NOT_SETTINGS = frozenset({"seed", "plateau"})


def start_facts(model: str, checkpoint: str | None, *, scratch: bool) -> ModelFacts:
    """Return facts about the start of a training run: random weights, or a checkpoint.

    Args:
        model: The model as the user named it: a model of the suite, a Hub id, or a checkpoint.
        checkpoint: The name that ``transformers`` loads; null for a model of the suite that was never published.
        scratch: If true, it starts from random weights.
    """
    name = checkpoint or model
    before = checkpoint_facts(name)
    origin = model if known_model(model) is not None else before.origin
    if scratch:
        return ModelFacts(origin=origin, suite=before.suite, from_scratch=True, instruction_tuned=False)
    return ModelFacts(
        origin=origin,
        suite=before.suite,
        from_scratch=False,
        parent=name,
        parent_revision=checkpoints.revision(name, checkpoints.load_config(name)),
        instruction_tuned=before.instruction_tuned,
        instruction_tuned_from=before.instruction_tuned_from,
    )


def recipe_facts(
    recipe: Mapping[str, Any], defaults: Mapping[str, Any], seed: int, corpus: Mapping[str, Any]
) -> ModelFacts:
    """Return the facts about a training run: its recipe, the changes from the defaults, its seed and its corpus.

    Args:
        recipe: Every setting by name; ``seed``, and ``plateau``, which is the stopping rule in words, are left out.
        defaults: The default settings.
        seed: The seed of the training.
        corpus: The corpus (see :class:`ModelFacts`).
    """
    settings = {name: value for name, value in recipe.items() if name not in _NOT_SETTINGS}
    changes = {name: value for name, value in settings.items() if name not in defaults or value != defaults[name]}
    return ModelFacts(recipe=settings, recipe_changes=changes, training_seed=seed, corpus=corpus)


def default_recipe(model: str) -> dict[str, Any]:
    """Return the default settings, which are the paper's; a model outside the suite has no default learning rate."""
    rate = MODELS[model].learning_rate if model in MODELS else None
    defaults = asdict(Recipe(1.0 if rate is None else rate))
    if rate is None:
        del defaults["learning_rate"]
    return defaults


def tokenizer_fact(name: str | None) -> str | None:
    """Return the name of a tokenizer in a recipe; for a local folder, a short hash of its files."""
    if name is None or not user_path(name).is_dir():
        return name
    folder = user_path(name)
    return checkpoints.hash_of_files(folder, sorted(folder.glob("tokenizer*.json")))[:12]


def result_facts(results: Mapping[str, Any]) -> ModelFacts:
    """Return the length of a training, and the share of its corpus that the model recalls.

    Args:
        results: The training's results, as in ``run.json``.
    """
    return ModelFacts(
        epochs=results["epochs"],
        training_tokens=results["tokens"],
        recall_of_documents=results.get("recall_of_documents"),
        recall_of_training_questions=results.get("recall_of_training_questions"),
    )


def architecture_facts(model: "PreTrainedModel") -> ModelFacts:
    """Return the architecture and size of a trained model."""
    return ModelFacts(
        architecture=model.config.model_type, num_parameters=sum(parameter.numel() for parameter in model.parameters())
    )
