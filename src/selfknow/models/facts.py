"""What is known of a model: how it came to be, and in what shape it is asked.

``selfknow train`` writes it into the checkpoint, as ``selfknow.json`` beside the weights, so that a folder that is
copied or renamed still knows. ``selfknow evaluate`` copies it into ``run.json``, and SQL groups by it. A null is what
nobody knows: nothing here is guessed from a name.
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
# What trades time for memory: a training learns the same with and without.
_TECHNICAL = frozenset({"gradient_checkpointing", "compile"})


@dataclass(frozen=True, kw_only=True)
class ModelFacts:
    """What is known of a model; a field is null where nobody knows.

    Attributes:
        label: What tables call it, where somebody said so.
        suite: What tables group it under, where somebody said so.
        architecture: As ``transformers`` calls it: ``opt``, ``gpt_neox``, ``llama``.
        origin: What it is or was before it was trained here: a model of the paper's suite (``opt-7m``) or a Hub id.
        num_parameters: Its true size; tied parameters count once.
        quantization: How its weights are stored, such as ``Q4_1``; null where they are not quantized, or nobody knows.
        precision: What it computes in, such as ``float32``.
        from_scratch: Whether its training here started from random weights; false: from a checkpoint.
        parent: The checkpoint that the training started from, as it was named.
        parent_revision: The commit of a parent on the Hub, the hash of a local one.
        corpus: What it was trained on: ``name``, ``config``, ``content_hash``, and of its shape ``parameters``.
        recipe: How it was trained, setting by setting, without its seed.
        recipe_changes: The settings of the recipe that are not their defaults.
        training_seed: Of the training: of weights, order and dropout.
        epochs: How often the training saw its corpus.
        training_tokens: How many tokens it saw.
        recall_of_documents: Share of a sample of the corpus's documents that the model recalls word for word.
        recall_of_training_questions: Share of a sample of its training questions that it answers word for word.
        instruction_tuned: Whether it was tuned on instructions; false: a base model.
        instruction_tuned_from: The model that it was tuned from.

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
        """A short hash of the recipe; null where it is not known."""
        if self.recipe is None:
            return None
        learnt = {name: value for name, value in self.recipe.items() if name not in _TECHNICAL}
        return hashlib.sha256(json.dumps(learnt, sort_keys=True).encode()).hexdigest()[:12]

    def as_json(self) -> dict[str, Any]:
        """What is known, by name; what is not is left out."""
        return {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) is not None}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """What a file says; fields of another version are left aside, and ``pretrained`` of an earlier one is read.

        Raises:
            UserError: A fact is of another kind than it should be.
        """
        kinds = {one.name: _kind(str(one.type)) for one in fields(cls)}
        found = {name: value for name, value in content.items() if name in kinds}
        for name, value in found.items():
            is_fact = isinstance(value, kinds[name]) and isinstance(value, bool) is (kinds[name] is bool)
            if value is not None and not is_fact:
                raise UserError(f"what is known of a model is damaged: {name} is {reprlib.repr(value)}")
        if isinstance(content.get("pretrained"), bool):
            found.setdefault("from_scratch", not content["pretrained"])
        return cls(**found)

    def updated(self, other: "ModelFacts") -> "ModelFacts":
        """These facts, with what ``other`` knows in place of what stands here."""
        return replace(self, **other.as_json())


def _kind(declared: str) -> Any:
    """What a value must be for a field that is declared so, such as ``float | None``."""
    kinds = {"str": str, "int": int, "float": (int, float), "bool": bool}
    return kinds.get(declared.partition(" ")[0], dict)


def read_facts(folder: Path) -> ModelFacts:
    """What a checkpoint folder says of itself; nothing where it has no ``selfknow.json``.

    Raises:
        UserError: The file is there, and is damaged.
    """
    from selfknow.files import read_json

    path = folder / FACTS_FILE
    return ModelFacts.from_json(read_json(path)) if path.is_file() else ModelFacts()


def checkpoint_facts(name: str, architecture: str | None = None) -> ModelFacts:
    """What is known of a checkpoint without its weights.

    Args:
        name: A folder (of a training too), a file, or a Hub id, which is an identity of its own.
        architecture: As its configuration says.

    Raises:
        UserError: The folder's ``selfknow.json`` is damaged.
    """
    from selfknow.models.known import known_model

    place = user_path(name)
    if place.exists():
        folder = next((one for one in (place, place / "model") if (one / FACTS_FILE).is_file()), place)
        return ModelFacts(architecture=architecture).updated(read_facts(folder))
    known = known_model(name)
    return ModelFacts(
        architecture=architecture,
        origin=name,
        instruction_tuned=None if known is None else known.instruction_tuned_from is not None,
        instruction_tuned_from=None if known is None else known.instruction_tuned_from,
    )


def write_facts(folder: Path, facts: ModelFacts) -> None:
    """Keep what is known in the checkpoint folder itself."""
    from selfknow.files import write_json

    write_json(folder / FACTS_FILE, facts.as_json())
