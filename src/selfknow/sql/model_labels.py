"""Short labels of models for tables, with only those settings that tell the models apart.

A label begins with a well-known name (``OPT 7M``, the last part of a Hub id), or with the architecture and size of a
local checkpoint without a name. The settings that differ among models of one name follow: ``OPT 7M, from scratch,
documents first 50``.
"""

import hashlib
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from selfknow.sql.asked_models import AskedModel
from selfknow.untrusted import for_label

Key = tuple[Any, ...]
"""The values that identify a model."""

# The settings of a recipe that come first in a label.
_FIRST_SETTINGS = ("tokenizer", "documents_first", "learning_rate", "lora_rank", "epochs")


def name_labels(models: Sequence[AskedModel]) -> list[str]:
    """Return a label for each model by its name alone, for models without known facts.

    The label is the last part of the name's path if no other model has it, else the whole name. A last folder
    ``model``, where a training writes its checkpoint, does not count. If the name has several revisions, the first
    digits of the revision follow.
    """
    short_names = [
        for_label(re.sub(r"/+(model/*)?$", "", model.name).rpartition("/")[2] or model.name) for model in models
    ]
    names: dict[str, set[str]] = {}
    weights: dict[str, set[str]] = {}
    revisions: dict[str, set[str]] = {}
    for model, name in zip(models, short_names, strict=True):
        names.setdefault(name, set()).add(model.name)
        weights.setdefault(name, set()).add(checkpoint(model))
        revisions.setdefault(model.name, set()).update([model.revision] if model.revision else [])
    labels = []
    for model, name in zip(models, short_names, strict=True):
        label = name if 1 in (len(names[name]), len(weights[name])) else for_label(model.name)
        revision = for_label((model.revision or "")[:8])
        labels.append(f"{label}@{revision}" if len(revisions[model.name]) > 1 else label)
    return labels


def checkpoint(model: AskedModel) -> str:
    """Return a model's revision if it is a commit or a hash of the weights, else its name."""
    return model.revision if model.revision and re.fullmatch(r"[0-9a-f]{40,}", model.revision) else model.name


def model_labels(models: Sequence[AskedModel], bases: Sequence[str], keys: Sequence[Key]) -> list[str]:
    """Return each model's label in tables.

    Args:
        models: The models.
        bases: The best-known name of each model (see :func:`base_label`).
        keys: The identity of each model with its training corpus; models with the same key get the same label.
    """
    starts = [
        base + (", from scratch" if model.pretrained is False else "")
        for model, base in zip(models, bases, strict=True)
    ]
    labels = list(starts)
    for start in dict.fromkeys(starts):
        indices = [index for index, other in enumerate(starts) if other == start]
        if len({keys[index] for index in indices}) > 1:
            peers = [models[index] for index in indices]
            for index, phrases in zip(indices, _differences(peers), strict=True):
                labels[index] = ", ".join([start, *phrases])
    return _with_digits(models, labels, keys)


def base_label(model: AskedModel, name_label: str) -> str:
    """Return a model's best-known name.

    Args:
        model: The model.
        name_label: Its label by its name alone (see :func:`name_labels`).
    """
    facts = model.facts
    if facts.label is not None:
        return for_label(facts.label)
    if model.known is not None:
        return model.known.label
    if facts.origin is not None:
        return for_label(facts.origin.rpartition("/")[2])
    if facts.architecture is not None:
        return for_label(" ".join(part for part in (facts.architecture, short_number(facts.num_parameters)) if part))
    return name_label


def short_number(number: int | None) -> str:
    """Return a number of parameters in short form.

    Example:
        >>> short_number(1_315_758_080), short_number(1_580_032), short_number(14_272)
        ('1.3B', '1.6M', '14K')
    """
    if not number:
        return ""
    for size, letter in ((10**9, "B"), (10**6, "M"), (10**3, "K")):
        if number >= size:
            digits = number / size
            return f"{digits:.1f}{letter}" if digits < 10 else f"{digits:.0f}{letter}"
    return str(number)


def recipe_label(model: AskedModel) -> str | None:
    """Return a recipe's settings that differ from the defaults, in words; null if the recipe is unknown."""
    if model.facts.recipe is None:
        return None
    changes = model.facts.recipe_changes or {}
    return ", ".join(_phrase(name, changes[name]) for name in _sort_settings(changes)) or "defaults"


def _differences(peers: Sequence[AskedModel]) -> list[list[str]]:
    """Return the phrases that tell models of one name apart, a list for each model.

    A trait gets a phrase only if it splits models that all traits before it leave together.
    """
    values: list[tuple[Hashable, ...]] = [() for _ in peers]
    phrases: list[list[str]] = [[] for _ in peers]
    for read_trait, describe in _traits(peers):
        extended_values = [(*before, read_trait(model)) for before, model in zip(values, peers, strict=True)]
        if len(set(extended_values)) > len(set(values)):
            values = extended_values
            for model_phrases, model in zip(phrases, peers, strict=True):
                if phrase := describe(model):
                    model_phrases.append(phrase)
    return phrases


Trait = tuple[Callable[[AskedModel], Hashable], Callable[[AskedModel], str]]
"""A function that returns a model's value of a trait, and one that returns the phrase for it."""


def _traits(peers: Sequence[AskedModel]) -> list[Trait]:
    """Return the traits that may tell models of one name apart, the most important first."""
    traits: list[Trait] = [
        (lambda model: model.facts.quantization, lambda model: model.facts.quantization or ""),
        (lambda model: model.facts.precision, lambda model: model.facts.precision or ""),
    ]
    settings = _sort_settings({name: 0 for model in peers for name in model.facts.recipe or {}})
    traits += [_recipe_trait(name) for name in settings]
    if _corpora_differ(peers):
        traits.append((lambda model: repr((model.facts.corpus or {}).get("config")), _corpus_phrase))
        traits.append((lambda model: model.corpus_seed, _corpus_seed_phrase))
    return traits


def _recipe_trait(name: str) -> Trait:
    def value(model: AskedModel) -> Hashable:
        return repr((model.facts.recipe or {}).get(name))

    def phrase(model: AskedModel) -> str:
        changes = model.facts.recipe_changes or {}
        return _phrase(name, changes[name]) if name in changes else ""

    return value, phrase


def _corpora_differ(peers: Sequence[AskedModel]) -> bool:
    """Return true if models with different training corpora ran on the same rows; else the rows tell them apart."""
    corpora_by_rows: dict[Hashable, set[str | None]] = {}
    for model in peers:
        dataset = model.run.dataset
        # As text, since another program may have written lists here, which cannot be keys.
        rows = (repr(model.run.description.get("task")), repr(dataset.get("content_hash") or dict(dataset)))
        corpora_by_rows.setdefault(rows, set()).add(model.corpus_key)
    return any(len(corpora) > 1 for corpora in corpora_by_rows.values())


def _corpus_phrase(model: AskedModel) -> str:
    config = (model.facts.corpus or {}).get("config")
    return f"trained on {config}" if config is not None else ""


def _corpus_seed_phrase(model: AskedModel) -> str:
    return f"corpus seed {model.corpus_seed}" if model.corpus_seed is not None else ""


def _sort_settings(names: Mapping[str, object]) -> list[str]:
    return [
        *(name for name in _FIRST_SETTINGS if name in names),
        *(name for name in names if name not in _FIRST_SETTINGS),
    ]


def _phrase(name: str, value: object) -> str:
    """Return a setting in words.

    >>> _phrase("learning_rate", 0.001), _phrase("documents_first", 50), _phrase("lora_rank", 16)
    ('learning rate 0.001', 'documents first 50', 'LoRA 16')
    """
    words = name.replace("_", " ")
    if name == "lora_rank":
        return f"LoRA {value}"
    if isinstance(value, bool):
        return words if value else f"no {words}"
    if value is None:
        return f"own {words}"
    return f"{words} {value:g}" if isinstance(value, float) else f"{words} {value}"


def _with_digits(models: Sequence[AskedModel], labels: Sequence[str], keys: Sequence[Key]) -> list[str]:
    """Add a few digits to labels that different models would share."""
    distinct_labels = list(labels)
    for label in dict.fromkeys(labels):
        indices = [index for index, other in enumerate(labels) if other == label]
        peers = [models[index] for index in indices]
        peer_keys = [keys[index] for index in indices]
        if not _corpora_differ(peers):
            peer_keys = [key[:1] for key in peer_keys]  # without the training corpus
        if len(set(peer_keys)) > 1:
            for index, digits in zip(indices, _distinct_digits(peers, peer_keys), strict=True):
                distinct_labels[index] = f"{label}@{digits}" if digits else label
    return distinct_labels


def _distinct_digits(models: Sequence[AskedModel], keys: Sequence[Key]) -> list[str]:
    """Return digits that tell models with different keys apart: of revisions or corpora, else of a hash of the keys."""
    num_keys = len(set(keys))
    for hashes in (
        [None if model.is_trained_here else model.revision for model in models],
        [model.facts.parent_revision for model in models],
        [model.corpus_key for model in models],
    ):
        digits = [(value or "")[:8] for value in hashes]
        if len(set(zip(digits, keys, strict=True))) == len(set(digits)) == num_keys:
            return digits
    return [hashlib.sha256(repr(key).encode()).hexdigest()[:8] for key in keys]
