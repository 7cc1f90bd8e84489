"""Plans: YAML files that list the models, datasets, options and seeds for `train`, `evaluate` and `tune`.

::

    title: Do pre-trained weights help?
    shows: Table 1
    needs: the checkpoints of OPT 125M, Pythia 70M and Flan-T5 Small, a GPU of 24 GB
    train:
      - model: [opt-125m, pythia-70m, flan-t5-small]
        data: diary-recall:32k
        scratch: [false, true]
    query: pretrained_or_scratch
    published: table-1

A list means that every value is run, with every value of the other lists. Keys run in the file's order. A value that
begins with ``OUT/`` is a file in the plan's folder. ``docs/reproducing.md`` has the whole format.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfknow.builders.sources import DATASETS_SRC
from selfknow.errors import UserError, nearest
from selfknow.files import user_path
from selfknow.reproduce.located import Located, Value, read_yaml

PLANS = DATASETS_SRC / "plans"
ENDINGS = (".yaml", ".yml")
TRAINED = "trained"  # as a model: all models that the plan trains
_TEXTS = ("title", "shows", "needs")
_BLOCKS = ("train", "evaluate", "tune")
_LISTS = ("query", "figures", "published")
_KEYS = (*_TEXTS, *_BLOCKS, "score", *_LISTS)
_REQUIRED = {"train": ("model", "data"), "evaluate": ("task",)}


@dataclass(frozen=True)
class Block:
    """One item under ``train``, ``evaluate`` or ``tune``. It has a cell for every combination of its settings' values.

    Attributes:
        settings: The values of each setting, in the file's order. A setting is an option, named as on the command
            line, or an argument: ``model`` and ``data``, or ``task``.
        places: The place of each setting in the file, for error messages.
        name: The start of its cells' names, before the values of its lists; null to name cells by all their settings.
    """

    settings: Mapping[str, tuple[Value, ...]]
    places: Mapping[str, Located]
    name: str | None = None


@dataclass(frozen=True)
class Plan:
    """A plan as it stands in its file, before models, tasks and queries are looked up.

    Attributes:
        name: ``PAPER/NAME`` of a packaged plan, or the name of the user's file without its ending.
        title: One line for the list of plans.
        needs: One line on what it needs, such as models, a portrait, people or a GPU.
        places: The place of each key in the file, for error messages.
        shows: The figure or table that it repeats; null for your own experiment.
        train: The trainings.
        evaluate: The evaluations.
        tune: The tunings of models on their own questions (``selfknow advanced creations tune``), all in one cell.
        score: Options of ``selfknow score``; null for no options.
        query: Queries that are printed at the end, in order.
        figures: Figures that are drawn at the end, in order.
        published: Tables of the paper that are printed beside ours: ``TABLE``, or ``PAPER/TABLE``.
    """

    name: str
    title: str
    needs: str
    places: Mapping[str, Located]
    shows: str | None = None
    train: tuple[Block, ...] = ()
    evaluate: tuple[Block, ...] = ()
    tune: tuple[Block, ...] = ()
    score: Block | None = None
    query: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    published: tuple[str, ...] = ()

    @property
    def published_tables(self) -> list[tuple[str, str]]:
        """The paper and the name of each published table."""
        paper = self.name.partition("/")[0]
        return [(before or paper, table) for before, _, table in (name.rpartition("/") for name in self.published)]


def packaged_plans() -> dict[str, Path]:
    """Return the files of the plans in the package by name (``PAPER/NAME``, or ``demo``), ordered by paper."""
    paths = {path.relative_to(PLANS).with_suffix("").as_posix(): path for path in PLANS.rglob("*.yaml")}
    return dict(sorted(paths.items(), key=_sort_key))


def _sort_key(plan: tuple[str, Path]) -> list[tuple[int, str]]:
    """Return the key by which plans are sorted, with figure 10 after figure 2."""
    return [(int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", plan[0])]


def find_plan(name: str) -> Plan:
    """Read a packaged plan by ``PAPER/NAME``, or your own plan from a YAML file.

    Raises:
        UserError: There is no such plan, or its file is not a plan.

    Example:
        >>> find_plan("how-much-they-know/table-1").shows
        'Table 1'
    """
    packaged = packaged_plans()
    if name in packaged:
        return read_plan(packaged[name], name)
    if name.endswith(ENDINGS):
        return read_plan(user_path(name))
    hint = "(`selfknow reproduce` lists them all; a plan of your own is a file that ends in .yaml)"
    raise UserError(f"there is no plan {name!r}{nearest(name, ['four-questions', *packaged])} {hint}")


def read_plan(path: Path, name: str | None = None) -> Plan:
    """Read a plan.

    Args:
        path: The YAML file.
        name: The name of a packaged plan; null to take the file's name.

    Raises:
        UserError: The file is not a plan; the message names the line and says how to correct it.
    """
    root = read_yaml(path, path.name if name is None else f"plans/{name}{path.suffix}")
    keys = root.mapping("a plan", _KEYS)
    for required in ("title", "needs"):
        if required not in keys:
            root.refuse(f"a plan must have a `{required}`, in one line")
    if not keys.keys() & set(_BLOCKS):
        root.refuse("a plan must have blocks under `train`, `evaluate` or `tune`")
    texts: dict[str, Any] = {key: keys[key].text(f"`{key}`") for key in _TEXTS if key in keys}
    blocks: dict[str, Any] = {key: tuple(_blocks(keys[key], key)) for key in _BLOCKS if key in keys}
    lists: dict[str, Any] = {key: tuple(_texts(keys[key], key)) for key in _LISTS if key in keys}
    score = _block(keys["score"], "score") if "score" in keys else None
    plan = Plan(name or path.stem, score=score, places=keys, **texts, **blocks, **lists)
    for block in plan.evaluate:
        if TRAINED in block.settings.get("model", ()) and not plan.train:
            block.places["model"].refuse(f"`{TRAINED}` means the models under `train`, which this plan does not have")
    return plan


def _texts(place: Located, key: str) -> Iterator[str]:
    for item in place.items(f"`{key}`"):
        yield item.text(f"each of `{key}`")


def _blocks(place: Located, key: str) -> Iterator[Block]:
    for item in place.items(f"`{key}`"):
        block = _block(item, key)
        for required in _REQUIRED.get(key, ()):
            if required not in block.settings:
                item.refuse(f"a block under `{key}` must have a `{required}`")
        yield block


def _block(item: Located, key: str) -> Block:
    words = item.mapping(f"a block under `{key}`")
    name = None if key == "score" or "name" not in words else words.pop("name").text("`name`")
    settings: dict[str, tuple[Value, ...]] = {}
    places: dict[str, Located] = {}
    for word, place in words.items():
        option = word.replace("_", "-")
        if option in settings:
            place.refuse(f"{word!r} is there twice")
        values = tuple(located.value(f"`{word}`") for located in place.items(f"`{word}`"))
        for number, value in enumerate(values):
            if value in values[:number]:
                place.refuse(f"{value!r} is named twice in `{word}`")
        settings[option], places[option] = values, place
    return Block(settings, places, name)
