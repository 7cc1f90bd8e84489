"""Cells: a plan expanded into the trainings and evaluations that it is made of, each with its name and its command."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from selfknow.errors import UserError, nearest
from selfknow.evaluate.catalogue import find_task
from selfknow.files import user_path
from selfknow.models.address import without_credentials
from selfknow.reproduce.changes import Changes, changed_block, chosen_models, chosen_sizes
from selfknow.reproduce.commands import Command, Commands, words_of
from selfknow.reproduce.located import Located, Value
from selfknow.reproduce.names import OUT, block_name, settings_name
from selfknow.reproduce.plan import TRAINED, Block, Plan
from selfknow.train.suite import MODELS

TRAIN, EVALUATE, TUNE = "train", "evaluate", "tune"


@dataclass(frozen=True)
class Cell:
    """One training or one evaluation.

    Attributes:
        kind: ``train``, ``evaluate`` or ``tune``.
        name: Made only from what the cell does, so it is the same in every plan, order and folder.
        model: The model to train or ask, as the command line names it; its folder, if the plan trains it.
        data: The data that it is trained on, or asked.
        options: Its options as command-line arguments.
        folder: Its training or run folder.
        trained_by: The training that makes the model to evaluate; null if the plan does not train it.
        score: The words of ``selfknow score`` after the run folder, a list per call; none for a training.
        settings: The values of all options of its command, as the command line reads them.
    """

    kind: str
    name: str
    model: str
    data: str
    options: tuple[str, ...]
    folder: Path
    trained_by: "Cell | None" = None
    score: tuple[tuple[str, ...], ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def words(self) -> list[str]:
        """The command, without ``selfknow``."""
        if self.kind == TUNE:
            return ["advanced", "creations", "tune", *self.options, "--out", str(self.folder)]
        if self.kind == TRAIN:
            return [TRAIN, self.model, "--data", self.data, *self.options, "--out", str(self.folder)]
        return [EVALUATE, self.data, "--model", self.model, *self.options, "--out", str(self.folder)]

    @property
    def evidence(self) -> Path:
        """The file or folder that exists once the cell has results."""
        return self.folder / ("made" if self.kind == TUNE else "run.json")

    @property
    def commands(self) -> list[list[str]]:
        """All that is run for it, each without ``selfknow``: an evaluation is scored too."""
        return [self.words, *(["score", str(self.folder), *words] for words in self.score)]

    def shown(self, around: Path) -> str:
        """Its commands as a user types them, with paths from the current folder, and addresses without credentials."""
        texts = (shlex.join(["selfknow", *map(without_credentials, words)]) for words in self.commands)
        return " && ".join(text.replace(f"{around}/", "") for text in texts)


def expand(plan: Plan, commands: Commands, folder: Path, changes: Changes | None = None) -> list[Cell]:
    """Return all cells of a plan, in the file's order, each evaluation of what is trained after its training.

    Args:
        plan: The plan.
        commands: The commands, with the options that each one has.
        folder: The folder of the cells, absolute: ``train/NAME`` and ``evaluate/NAME`` in it.
        changes: The changes of the command line.

    Raises:
        UserError: A setting is none of its command's, a model or a task is unknown, or nothing is left of the plan.
    """
    changes = changes or Changes()
    _check_queries(plan)
    plan = _placed(plan, folder)
    trainings = _unique(
        cell for block in plan.train for cell in _trainings(plan, block, commands.train, folder, changes)
    )
    trained = {str(cell.folder): cell for cell in trainings}
    evaluations = _unique(
        cell for block in plan.evaluate for cell in _evaluations(plan, block, commands, folder, changes, trained)
    )
    tunings = _unique(cell for block in plan.tune for cell in _tunings(plan, block, commands.tune, folder, changes))
    by_training: dict[Cell | None, list[Cell]] = {}
    for cell in evaluations:
        by_training.setdefault(cell.trained_by, []).append(cell)
    by_key = {
        TRAIN: [member for cell in trainings for member in (cell, *by_training.get(cell, ()))],
        EVALUATE: by_training.get(None, []),
        TUNE: tunings,
    }
    cells = [cell for key in plan.places for cell in by_key.get(key, ())]
    if not cells:
        raise UserError(f"nothing is left of {plan.name} for these --models and --sizes")
    return cells


def shard(cells: Sequence[Cell], text: str) -> list[Cell]:
    """Return the cells of one job of several: every Nth training with its evaluations, and other evaluation.

    Args:
        cells: The cells from :func:`expand`.
        text: ``I/N``: the job's number, from 1, and the number of jobs.

    Raises:
        UserError: The text is not of the form I/N, or there is no such job.
    """
    number, slash, count = text.partition("/")
    if not (slash and number.isdigit() and count.isdigit()):
        raise UserError(f"--shard takes I/N, such as 1/8, not {text!r}")
    if not 1 <= int(number) <= int(count):
        raise UserError(f"--shard I/N takes I from 1 to N, not {text}")
    starts = [cell.name for cell in cells if cell.trained_by is None]
    mine = set(starts[int(number) - 1 :: int(count)])
    return [cell for cell in cells if (cell.trained_by or cell).name in mine]


def _check_queries(plan: Plan) -> None:
    from selfknow.evaluate.connection import find_query

    for place in plan.places["query"].items("`query`") if plan.query else []:
        try:
            find_query(place.text("a query"))
        except UserError as error:
            place.refuse(str(error))


def _unique(cells: Iterable[Cell]) -> list[Cell]:
    """Each cell once: blocks may overlap.

    Raises:
        UserError: Two different cells have one name.
    """
    by_name: dict[str, Cell] = {}
    for cell in cells:
        other = by_name.setdefault(cell.name, cell)
        if other.words != cell.words:
            both = " and ".join(shlex.join(map(without_credentials, each.words)) for each in (other, cell))
            raise UserError(f"two cells are called {cell.name}: {both}")
    return list(by_name.values())


def _trainings(plan: Plan, block: Block, command: Command, folder: Path, changes: Changes) -> Iterator[Cell]:
    block = changed_block(block, changes.train)
    settings: dict[str, Sequence[Value]] = dict(block.settings)
    settings["model"] = chosen_models(settings["model"], plan, changes.models)
    settings["data"] = chosen_sizes(settings["data"], plan, changes.sizes)
    for chosen in _product(settings):
        model, data = str(chosen["model"]), str(chosen["data"])
        _check_model(model, block.places["model"])
        options = _options(command, chosen, block, "model", "data")
        stand_in = ("--checkpoint", changes.checkpoints[model]) if model in changes.checkpoints else ()
        if changes.data is not None:
            data = f"{changes.data}:{data.rpartition(':')[2]}"
        name = block_name(block, settings, chosen) or settings_name([model, data.rpartition(":")[2]], options, folder)
        cell = Cell(TRAIN, name, model, data, (*options, *stand_in), folder / TRAIN / name)
        yield replace(cell, settings=_read(command, cell, block))


def _evaluations(
    plan: Plan, block: Block, commands: Commands, folder: Path, changes: Changes, trained: Mapping[str, Cell]
) -> Iterator[Cell]:
    block = changed_block(block, changes.evaluate)
    settings: dict[str, Sequence[Value]] = dict(block.settings)
    if "model" in settings:
        settings["model"] = chosen_models(settings["model"], plan, changes.models)
    elif changes.models:
        settings["model"] = changes.models
    else:
        raise UserError(f"{plan.name} asks any model you like: name one with --models")
    for chosen in _product(settings):
        model, task = str(chosen["model"]), str(chosen["task"])
        command = _known_task(task, commands, block)
        options = _options(command, chosen, block, "model", "task")
        score = tuple(_score_calls(plan, commands, find_task(task).task.name))
        sources: Sequence[Cell | None] = [*trained.values()] if model == TRAINED else [trained.get(model)]
        for source in sources:
            dataset = task if source is None or ":" in task else source.data
            name = block_name(block, settings, chosen, *([source.name] if source and model == TRAINED else []))
            short_task = task.rpartition("/")[2]  # without a folder or an owner
            name = name or settings_name([short_task, model if source is None else source.name], options, folder)
            who = model if source is None else str(source.folder)
            cell = Cell(EVALUATE, name, who, dataset, options, folder / EVALUATE / name, source, score)
            yield replace(cell, settings=_read(command, cell, block))


def _tunings(plan: Plan, block: Block, command: Command, folder: Path, changes: Changes) -> Iterator[Cell]:
    """Yield one cell for all models: each is tuned on the questions of all."""
    block = changed_block(block, changes.train)
    settings: dict[str, Sequence[Value]] = dict(block.settings)
    models = changes.models or settings.pop("model", ())
    if not models:
        raise UserError(f"{plan.name} tunes any models you like: name them with --models")
    for chosen in _product(settings):
        model_words = [word for model in models for word in ("--model", str(model))]
        options = _options(command, chosen, block, "model")
        name = block_name(block, settings, chosen) or settings_name([TUNE, *map(str, models)], options, folder)
        cell = Cell(TUNE, name, str(models[0]), "gsm8k", (*model_words, *options), folder / TUNE / name)
        yield replace(cell, settings=_read(command, cell, block))


def _product(settings: Mapping[str, Sequence[Value]]) -> Iterator[dict[str, Value]]:
    for values in product(*settings.values()):
        yield dict(zip(settings, values, strict=True))


def _options(command: Command, settings: Mapping[str, Value], block: Block, *subjects: str) -> tuple[str, ...]:
    """Return the settings but these subjects as options of a command line, always in the same order."""
    names = sorted(settings.keys() - set(subjects))
    return tuple(word for name in names for word in words_of(command, name, settings[name], block.places[name]))


def _score_calls(plan: Plan, commands: Commands, task: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each call of `selfknow score`: those of the plan's options that the task's scorer has."""
    if plan.score is None:
        yield ()
        return
    command = commands.score(task)
    tasks = {find_task(str(name)).task.name for block in plan.evaluate for name in block.settings["task"]}
    for name, place in plan.score.places.items():
        if not any(name in commands.score(task_name).options for task_name in tasks):
            place.refuse(f"`selfknow score` of {', '.join(sorted(tasks))} has no option {name!r}")
    known = {name: values for name, values in plan.score.settings.items() if name in command.options}
    for chosen in _product(known):
        yield _options(command, chosen, plan.score)


def _known_task(task: str, commands: Commands, block: Block) -> Command:
    try:
        find_task(task)
        return commands.evaluate(task)
    except UserError as error:
        block.places["task"].refuse(str(error))


def _check_model(model: str, place: Located) -> None:
    """Refuse a name that is not one of the paper's models, a folder, a file or a Hub id."""
    if model not in MODELS and "/" not in model and not user_path(model).exists():
        place.refuse(f"there is no model {model!r}{nearest(model, MODELS)}")


def _read(command: Command, cell: Cell, block: Block) -> Mapping[str, Any]:
    """Parse a cell's arguments as the command line does; an error names the plan's line that caused it."""
    try:
        return command.read(cell.words[len(command.name.split()) if cell.kind == TUNE else 1 :])
    except UserError as error:
        message = str(error)
        name = next((name for name in command.options if f"--{name}'" in message), None)
        place = block.places.get(name or "") or next(iter(block.places.values()))
        place.refuse(message)


def _placed(plan: Plan, folder: Path) -> Plan:
    """Return a plan whose values that begin with ``OUT/`` lie in its folder."""

    def placed(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(placed, value))
        return f"{folder}/{value.removeprefix(OUT)}" if isinstance(value, str) and value.startswith(OUT) else value

    def blocks(listed: Sequence[Block]) -> tuple[Block, ...]:
        return tuple(
            replace(block, settings={name: placed(values) for name, values in block.settings.items()})
            for block in listed
        )

    return replace(plan, train=blocks(plan.train), evaluate=blocks(plan.evaluate), tune=blocks(plan.tune))
