"""Changes to a plan from the command line: other models, sizes of corpora, and options."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from selfknow.errors import UserError
from selfknow.evaluate.tasks.diary_recall.corpus import SIMPLIFIED
from selfknow.files import user_path
from selfknow.reproduce.located import Located, Value, read_option
from selfknow.reproduce.plan import TRAINED, Block, Plan


@dataclass(frozen=True)
class Changes:
    """Changes to a plan.

    Attributes:
        models: The models to use. Some of the plan's models narrow the plan down; other models replace the plan's.
        sizes: The sizes of the diary corpora to use (``1k``), in the same way.
        data: The dataset folder or Hub id of the corpora; null to build them.
        checkpoints: Folders to use instead of published checkpoints, by the model's name.
        train: Options of every training, which replace the plan's options of the same name.
        evaluate: Options of every evaluation, in the same way.
    """

    models: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    data: str | None = None
    checkpoints: Mapping[str, str] = field(default_factory=dict)
    train: Mapping[str, Sequence[Located]] = field(default_factory=dict)
    evaluate: Mapping[str, Sequence[Located]] = field(default_factory=dict)


def split_commas(words: Iterable[str]) -> tuple[str, ...]:
    """Return the names in words, each name once: ``["a,b", "c"]`` holds a, b and c."""
    return tuple(dict.fromkeys(name.strip() for word in words for name in word.split(",") if name.strip()))


def absolute_folder(name: str | None) -> str | None:
    """Return a folder's absolute path, so that cells do not depend on the working directory. Other names stay."""
    if name is None or not user_path(name).is_dir():
        return name
    return str(user_path(name).resolve())


def read_checkpoints(texts: Iterable[str]) -> dict[str, str]:
    """Read ``NAME=FOLDER`` pairs.

    Raises:
        UserError: A pair has another form, or there is no such folder.
    """
    folders: dict[str, str] = {}
    for text in texts:
        name, _, folder = text.partition("=")
        if not (name and folder):
            raise UserError(f"--checkpoint takes NAME=FOLDER, such as --checkpoint opt-7m=my-opt, not {text!r}")
        if not user_path(folder).is_dir():
            raise UserError(f"--checkpoint {text}: there is no folder {folder}")
        folders[name] = str(absolute_folder(folder))
    return folders


def read_options(
    option: str, texts: Iterable[str], more: Mapping[str, object] | None = None
) -> dict[str, list[Located]]:
    """Read ``NAME=VALUE`` pairs; several values of a name are a list, as in a plan.

    Args:
        option: The command-line option that holds the pairs, such as ``--train``.
        texts: The pairs.
        more: Further values by name; null values are left out.

    Raises:
        UserError: A text is not of the form NAME=VALUE.
    """
    further = [f"{name}={value}" for name, value in (more or {}).items() if value is not None]
    by_name: dict[str, list[Located]] = {}
    for text in (*texts, *further):
        name, place = read_option(option, text)
        by_name.setdefault(name, []).append(place)
    return by_name


def changed_block(block: Block, options: Mapping[str, Sequence[Located]]) -> Block:
    """Return a block with the command line's options instead of its own."""
    settings = {name: tuple(place.value(name) for place in values) for name, values in options.items()}
    places = {name: values[0] for name, values in options.items()}
    return replace(block, settings={**block.settings, **settings}, places={**block.places, **places})


def chosen_models(values: Sequence[Value], plan: Plan, wanted: Sequence[str]) -> list[Value]:
    """Return a block's models, narrowed down to the wanted ones or replaced by them; ``trained`` stays."""
    blocks = (*plan.train, *plan.evaluate)
    plan_models = {model for block in blocks for model in block.settings.get("model", ())}
    trained: list[Value] = [model for model in values if model == TRAINED]
    return [*trained, *_chosen([model for model in values if model != TRAINED], plan_models, wanted)]


def chosen_sizes(values: Sequence[Value], plan: Plan, wanted: Sequence[str]) -> list[Value]:
    """Return a block's datasets, narrowed down to the wanted sizes, or the same setups in these sizes."""
    if not wanted:
        return list(values)
    plan_sizes = {_parts(str(data))[1] for block in plan.train for data in block.settings["data"]}
    parts = [_parts(str(data)) for data in values]
    present = dict.fromkeys(size for _, size, _ in parts)
    setups = dict.fromkeys((name, setup) for name, _, setup in parts)
    return [
        f"{name}:{size}{setup}"
        for size in _chosen(list(present), plan_sizes, wanted)
        for name, setup in setups
        if size not in present or (name, size, setup) in parts
    ]


def _chosen(values: Sequence[Value], plan_values: Iterable[Value], wanted: Sequence[str]) -> list[Value]:
    """Return the wanted values but those that only other blocks of the plan have; without wanted values, return all."""
    if not (wanted and values):
        return list(values)
    only_elsewhere = set(plan_values) - set(values)
    return [value for value in wanted if value not in only_elsewhere]


def _parts(data: str) -> tuple[str, str, str]:
    """Return a dataset's name, size and setup: ``diary-recall``, ``1k`` and ``-simplified``."""
    name, _, config = data.rpartition(":")
    size = config.removesuffix(SIMPLIFIED)
    return name, size, config.removeprefix(size)
