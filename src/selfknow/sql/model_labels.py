"""What tables call the models: short, and only what sets them apart.

The names that people know come first (``OPT 7M``, the last part of a Hub id); of a local checkpoint that nobody named,
its architecture and size. Behind that stands what differs among the models of one name: ``OPT 7M, from scratch,
documents first 50``.
"""

import hashlib
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from selfknow.sql.asked_models import AskedModel
from selfknow.untrusted import for_label

Key = tuple[Any, ...]
# Of a recipe what people ask for first.
_FIRST = ("tokenizer", "documents_first", "learning_rate", "lora_rank", "epochs")


def own_labels(asked: Sequence[AskedModel]) -> list[str]:
    """What each model is called by its name alone, for those of which nothing else is known.

    Of a path it is the last part (but for the folder that every training calls ``model``), where that tells it from
    all others; two revisions of one name are told apart by their first digits.
    """
    short = [for_label(re.sub(r"/+(model/*)?$", "", one.name).rpartition("/")[2] or one.name) for one in asked]
    names: dict[str, set[str]] = {}
    weights: dict[str, set[str]] = {}
    revisions: dict[str, set[str]] = {}
    for one, its in zip(asked, short, strict=True):
        names.setdefault(its, set()).add(one.name)
        weights.setdefault(its, set()).add(checkpoint(one))
        revisions.setdefault(one.name, set()).update([one.revision] if one.revision else [])
    labels = []
    for one, its in zip(asked, short, strict=True):
        label = its if 1 in (len(names[its]), len(weights[its])) else for_label(one.name)
        revision = for_label((one.revision or "")[:8])
        labels.append(f"{label}@{revision}" if len(revisions[one.name]) > 1 else label)
    return labels


def checkpoint(one: AskedModel) -> str:
    """The revision where it is a commit or a hash of the weights, else the name."""
    return one.revision if one.revision and re.fullmatch(r"[0-9a-f]{40,}", one.revision) else one.name


def model_labels(asked: Sequence[AskedModel], bases: Sequence[str], keys: Sequence[Key]) -> list[str]:
    """What tables call each model.

    Args:
        asked: The models.
        bases: The name of each, without what sets it apart (see :func:`base_label`).
        keys: What each is, and the corpus that it was trained on: models with one key are one, and get one label.
    """
    starts = [
        base + (", from scratch" if one.pretrained is False else "") for one, base in zip(asked, bases, strict=True)
    ]
    labels = list(starts)
    for start in dict.fromkeys(starts):
        places = [place for place, its in enumerate(starts) if its == start]
        if len({keys[place] for place in places}) > 1:
            peers = [asked[place] for place in places]
            for place, phrases in zip(places, _what_differs(peers), strict=True):
                labels[place] = ", ".join([start, *phrases])
    return _told_apart(asked, labels, keys)


def base_label(one: AskedModel, own: str) -> str:
    """The name that people know a model by.

    Args:
        one: The model.
        own: What its name alone calls it.
    """
    facts = one.facts
    if facts.label is not None:
        return for_label(facts.label)
    if one.known is not None:
        return one.known.label
    if facts.origin is not None:
        return for_label(facts.origin.rpartition("/")[2])
    if facts.architecture is not None:
        return for_label(" ".join(part for part in (facts.architecture, short_number(facts.num_parameters)) if part))
    return own


def short_number(number: int | None) -> str:
    """A number of parameters as people say it.

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


def recipe_label(one: AskedModel) -> str | None:
    """What of a recipe is not as the defaults have it, in words; null where the recipe is not known."""
    if one.facts.recipe is None:
        return None
    changes = one.facts.recipe_changes or {}
    return ", ".join(_phrase(name, changes[name]) for name in _ordered(changes)) or "defaults"


def _what_differs(peers: Sequence[AskedModel]) -> list[list[str]]:
    """Of each model each trait that tells it from its peers where the traits before it do not."""
    told: list[tuple[Hashable, ...]] = [() for _ in peers]
    phrases: list[list[str]] = [[] for _ in peers]
    for trait, say in _traits(peers):
        with_this = [(*before, trait(one)) for before, one in zip(told, peers, strict=True)]
        if len(set(with_this)) > len(set(told)):
            told = with_this
            for found, one in zip(phrases, peers, strict=True):
                found += [phrase] if (phrase := say(one)) else []
    return phrases


Trait = tuple[Callable[[AskedModel], Hashable], Callable[[AskedModel], str]]


def _traits(peers: Sequence[AskedModel]) -> list[Trait]:
    """What may set models of one name apart, what matters most first: its value, and how a label says it."""
    found: list[Trait] = [
        (lambda one: one.facts.quantization, lambda one: one.facts.quantization or ""),
        (lambda one: one.facts.precision, lambda one: one.facts.precision or ""),
    ]
    found += [_recipe_trait(name) for name in _ordered({name: 0 for one in peers for name in one.facts.recipe or {}})]
    if _corpora_differ(peers):
        found.append((lambda one: repr((one.facts.corpus or {}).get("config")), _corpus_phrase))
        found.append((lambda one: one.corpus_seed, _corpus_seed_phrase))
    return found


def _recipe_trait(name: str) -> Trait:
    def value(one: AskedModel) -> Hashable:
        return repr((one.facts.recipe or {}).get(name))

    def say(one: AskedModel) -> str:
        changes = one.facts.recipe_changes or {}
        return _phrase(name, changes[name]) if name in changes else ""

    return value, say


def _corpora_differ(peers: Sequence[AskedModel]) -> bool:
    """Whether models trained on different corpora were asked the same; else what was asked tells them apart."""
    trained_on: dict[Hashable, set[str | None]] = {}
    for one in peers:
        dataset = one.run.dataset
        # As text, for a run of somebody else's may hold lists here, which are no keys.
        asked = (repr(one.run.description.get("task")), repr(dataset.get("content_hash") or dict(dataset)))
        trained_on.setdefault(asked, set()).add(one.corpus_key)
    return any(len(corpora) > 1 for corpora in trained_on.values())


def _corpus_phrase(one: AskedModel) -> str:
    config = (one.facts.corpus or {}).get("config")
    return f"trained on {config}" if config is not None else ""


def _corpus_seed_phrase(one: AskedModel) -> str:
    return f"corpus seed {one.corpus_seed}" if one.corpus_seed is not None else ""


def _ordered(names: Mapping[str, object]) -> list[str]:
    return [*(name for name in _FIRST if name in names), *(name for name in names if name not in _FIRST)]


def _phrase(name: str, value: object) -> str:
    """A setting in words.

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


def _told_apart(asked: Sequence[AskedModel], labels: Sequence[str], keys: Sequence[Key]) -> list[str]:
    """Labels with a few digits behind those that different models would share."""
    found = list(labels)
    for label in dict.fromkeys(labels):
        places = [place for place, its in enumerate(labels) if its == label]
        peers = [asked[place] for place in places]
        differ = _corpora_differ(peers)
        own_keys = [keys[place] if differ else keys[place][:1] for place in places]
        if len(set(own_keys)) > 1:
            digits = _telling_digits(peers, own_keys)
            for place, its in zip(places, digits, strict=True):
                found[place] = f"{label}@{its}" if its else label
    return found


def _telling_digits(asked: Sequence[AskedModel], keys: Sequence[Key]) -> list[str]:
    """The first of these that tells models with different keys apart: revisions, else a hash of what they are."""
    number = len(set(keys))
    for field in (
        [None if one.is_trained_here else one.revision for one in asked],
        [one.facts.parent_revision for one in asked],
        [one.corpus_key for one in asked],
    ):
        digits = [(value or "")[:8] for value in field]
        if len(set(zip(digits, keys, strict=True))) == len(set(digits)) == number:
            return digits
    return [hashlib.sha256(repr(key).encode()).hexdigest()[:8] for key in keys]
