"""What the command line changes of a plan: other models, other sizes, other options."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from selfknow.errors import UserError
from selfknow.evaluate.tasks.diary_recall.corpus import SIMPLIFIED
from selfknow.files import user_path
from selfknow.reproduce.located import Located, Value, read_option
from selfknow.reproduce.plan import TRAINED, Block, Plan


@dataclass(frozen=True)
class Changes:
    """What is done otherwise than the plan says.

    Attributes:
        models: Models that the plan names narrow it down to themselves; others take the place of its models.
        sizes: Sizes of the diary corpora (``1k``), in the same way.
        data: A dataset folder or a Hub id that holds the corpora, in place of building them.
        checkpoints: Folders that stand in for published checkpoints, by the model's name.
        train: Options of every training, before those of the plan.
        evaluate: Options of every evaluation, in the same way.
    """

    models: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    data: str | None = None
    checkpoints: Mapping[str, str] = field(default_factory=dict)
    train: Mapping[str, Sequence[Located]] = field(default_factory=dict)
    evaluate: Mapping[str, Sequence[Located]] = field(default_factory=dict)


def split_commas(words: Iterable[str]) -> tuple[str, ...]:
    """Words that are given one by one or with commas between them, each once."""
    return tuple(dict.fromkeys(one.strip() for word in words for one in word.split(",") if one.strip()))


def read_checkpoints(texts: Iterable[str]) -> dict[str, str]:
    """``NAME=FOLDER`` pairs; folders are made absolute, so that cells do not depend on where they are run from.

    Raises:
        UserError: A pair has another form, or there is no such folder.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, folder = text.partition("=")
        if not (name and equals and folder):
            raise UserError(f"--checkpoint takes NAME=FOLDER, such as --checkpoint opt-7m=my-opt, not {text!r}")
        place = user_path(folder)
        if not place.is_dir():
            raise UserError(f"--checkpoint {text}: there is no folder {folder}")
        found[name] = str(place.resolve())
    return found


def read_options(option: str, texts: Iterable[str]) -> dict[str, list[Located]]:
    """``NAME=VALUE`` pairs; a name that is given several times has several values, as a list in a plan has.

    Raises:
        UserError: A pair has another form.
    """
    found: dict[str, list[Located]] = {}
    for text in texts:
        name, place = read_option(option, text)
        found.setdefault(name, []).append(place)
    return found


def changed_block(block: Block, options: Mapping[str, Sequence[Located]]) -> Block:
    """A block with the command line's options in place of its own."""
    settings, places = dict(block.settings), dict(block.places)
    for name, values in options.items():
        settings[name] = tuple(one.value(name) for one in values)
        places[name] = values[0]
    return Block(settings, places, block.name)


def chosen_models(values: Sequence[Value], plan: Plan, wanted: Sequence[str]) -> list[Value]:
    """The models of a block, narrowed down or replaced; what the plan trains itself stays."""
    blocks = (*plan.train, *plan.evaluate)
    everywhere = {model for block in blocks for model in block.settings.get("model", ())}
    kept: list[Value] = [model for model in values if model == TRAINED]
    return [*kept, *_chosen([model for model in values if model != TRAINED], everywhere, wanted)]


def chosen_sizes(values: Sequence[Value], plan: Plan, wanted: Sequence[str]) -> list[Value]:
    """The datasets of a block, narrowed down to sizes, or of other sizes in the setups that it has."""
    if not wanted:
        return list(values)
    everywhere = {_parts(str(data))[1] for block in plan.train for data in block.settings["data"]}
    parts = [_parts(str(data)) for data in values]
    sizes = _chosen(list(dict.fromkeys(size for _, size, _ in parts)), everywhere, wanted)
    setups = dict.fromkeys((name, setup) for name, _, setup in parts)
    present = {size for _, size, _ in parts}
    return [
        f"{name}:{size}{setup}"
        for size in sizes
        for name, setup in setups
        if size not in present or (name, size, setup) in parts
    ]


def _chosen(values: Sequence[Value], everywhere: Iterable[Value], wanted: Sequence[str]) -> list[Value]:
    """Those of the wanted that stand here, or nowhere in the plan; without a wish all that stand here."""
    if not (wanted and values):
        return list(values)
    elsewhere = set(everywhere) - set(values)
    return [one for one in wanted if one not in elsewhere]


def _parts(data: str) -> tuple[str, str, str]:
    """``diary-recall:1k-simplified`` as ``diary-recall``, ``1k`` and ``-simplified``."""
    name, _, config = data.rpartition(":")
    size = config.removesuffix(SIMPLIFIED)
    return name, size, config.removeprefix(size)
