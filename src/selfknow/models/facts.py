"""Facts about a model: its origin, its training, its size and its precision.

``selfknow train`` writes them into the checkpoint, as ``selfknow.json`` beside the weights, so that they survive when
the folder is copied or renamed. ``selfknow evaluate`` copies them into ``run.json``, and SQL groups by them. An unknown
fact is null; none is guessed from a name.
"""

import hashlib
import json
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from selfknow.errors import UserError
from selfknow.files import user_path

FACTS_FILE = "selfknow.json"
# Settings that trade time for memory and do not change the training's result.
_TECHNICAL_SETTINGS = frozenset({"gradient_checkpointing", "compile"})


@dataclass(frozen=True, kw_only=True)
class ModelFacts:
    """Known facts about a model; an unknown one is null.

    Attributes:
        label: Its name in tables, if the user chose one.
        suite: Its group in tables, if the user chose one.
        architecture: Name of its architecture in ``transformers``, such as ``opt`` or ``gpt_neox``.
        origin: The model before it was trained here: a model of the paper's suite (``opt-7m``) or a Hub id.
        num_parameters: The number of parameters; tied ones count once.
        quantization: The storage type of its weights, such as ``Q4_1``; null if they are not quantized.
        precision: The type it computes in, such as ``float32``.
        from_scratch: True if its training here started from random weights; false: from a checkpoint.
        parent: The user's name for the checkpoint that the training started from.
        parent_revision: The commit of a parent on the Hub, or the hash of a local parent.
        corpus: The training corpus: ``name``, ``config``, ``content_hash`` and ``parameters``.
        recipe: The settings of its training, without the seed.
        recipe_changes: The settings of the recipe that differ from their defaults.
        training_seed: The seed of the training's weights, order and dropout.
        epochs: The number of passes over the corpus.
        training_tokens: The number of tokens that it was trained on, over all epochs.
        recall_of_documents: Share of a sample of the corpus's documents that the model recalls word for word.
        recall_of_training_questions: Share of a sample of its training questions that it answers word for word.
        instruction_tuned: True if it was tuned on instructions; false for a base model.
        instruction_tuned_from: The base model from which it was tuned.

    Example:
        >>> ModelFacts(num_parameters=1_580_032, from_scratch=True).as_json()
        {'num_parameters': 1580032, 'from_scratch': True}
    """

    label: str | None = None
    suite: str | None = None
    architecture: str | None = None
    origin: str | None = None
    num_parameters: int | None = None
    quantization: str | None = None
    precision: str | None = None
    from_scratch: bool | None = None
    parent: str | None = None
    parent_revision: str | None = None
    corpus: Mapping[str, Any] | None = None
    recipe: Mapping[str, Any] | None = None
    recipe_changes: Mapping[str, Any] | None = None
    training_seed: int | None = None
    epochs: float | None = None
    training_tokens: int | None = None
    recall_of_documents: float | None = None
    recall_of_training_questions: float | None = None
    instruction_tuned: bool | None = None
    instruction_tuned_from: str | None = None

    @property
    def recipe_hash(self) -> str | None:
        """A hash of the recipe, 12 hex digits; null if the recipe is unknown."""
        if self.recipe is None:
            return None
        settings = {name: value for name, value in self.recipe.items() if name not in _TECHNICAL_SETTINGS}
        return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]

    def as_json(self) -> dict[str, Any]:
        """Return the known facts by name."""
        values = ((fact.name, getattr(self, fact.name)) for fact in fields(self))
        return {name: value for name, value in values if value is not None}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Read facts from JSON; fields of other versions are ignored, except ``pretrained`` of an earlier one.

        Raises:
            UserError: A fact has a value of the wrong type.
        """
        types = {fact.name: _python_type(str(fact.type)) for fact in fields(cls)}
        known = {name: value for name, value in content.items() if name in types}
        for name, value in known.items():
            has_type = isinstance(value, types[name]) and isinstance(value, bool) is (types[name] is bool)
            if value is not None and not has_type:
                raise UserError(f"the facts about a model are damaged: {name} is {reprlib.repr(value)}")
        if isinstance(content.get("pretrained"), bool):
            known.setdefault("from_scratch", not content["pretrained"])
        return cls(**known)

    def updated(self, other: "ModelFacts") -> "ModelFacts":
        """Return these facts, overwritten by the known facts of ``other``."""
        return replace(self, **other.as_json())


def _python_type(annotation: str) -> Any:
    """Return the Python type of a field's values from its annotation, such as ``float | None``."""
    types = {"str": str, "int": int, "float": (int, float), "bool": bool}
    return types.get(annotation.partition(" ")[0], dict)


def read_facts(folder: Path) -> ModelFacts:
    """Read the ``selfknow.json`` of a checkpoint folder; without one, all facts are unknown.

    Raises:
        UserError: The file is damaged.
    """
    from selfknow.files import read_json

    path = folder / FACTS_FILE
    return ModelFacts.from_json(read_json(path)) if path.is_file() else ModelFacts()


def checkpoint_facts(name: str, architecture: str | None = None) -> ModelFacts:
    """Return the facts about a checkpoint that are known without its weights.

    Args:
        name: A checkpoint or training folder, a file, or a Hub id, which becomes its origin.
        architecture: The architecture in its configuration.

    Raises:
        UserError: The folder's ``selfknow.json`` is damaged.
    """
    from selfknow.models.known import known_model

    path = user_path(name)
    if path.exists():
        folders = (folder for folder in (path, path / "model") if (folder / FACTS_FILE).is_file())
        folder = next(folders, path)
        return ModelFacts(architecture=architecture).updated(read_facts(folder))
    known = known_model(name)
    return ModelFacts(
        architecture=architecture,
        origin=name,
        instruction_tuned=None if known is None else known.instruction_tuned_from is not None,
        instruction_tuned_from=None if known is None else known.instruction_tuned_from,
    )


def write_facts(folder: Path, facts: ModelFacts) -> None:
    """Write facts into a checkpoint folder, as ``selfknow.json``."""
    from selfknow.files import write_json

    write_json(folder / FACTS_FILE, facts.as_json())
