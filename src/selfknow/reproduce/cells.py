"""Cells: the single trainings and evaluations of a plan, each with a name and a command."""

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
from selfknow.reproduce.commands import Command, Commands, option_words
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
        name: The cell's name. It depends only on what the cell does, so it is the same in every plan, order and folder.
        model: The model to train or ask, as the command line names it; its folder, if the plan trains it.
        data: The dataset to train on, or the task to ask.
        options: The options of its command, such as ``("--seed", "0")``.
        folder: The folder of the training or the run.
        trained_by: The training that makes the model to evaluate; null if the plan does not train it.
        score: The arguments of each call of ``selfknow score``, after the run folder; empty for a training.
        settings: The parsed values of all options of its command, by name.
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
        """The arguments of its command, after ``selfknow``."""
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
        """The arguments of all its commands, after ``selfknow``; an evaluation is scored, too."""
        return [self.words, *(["score", str(self.folder), *words] for words in self.score)]

    def shown(self, current_folder: Path) -> str:
        """Return its commands as a user types them, with relative paths and with addresses without credentials."""
        texts = (shlex.join(["selfknow", *map(without_credentials, words)]) for words in self.commands)
        return " && ".join(text.replace(f"{current_folder}/", "") for text in texts)


def expand(plan: Plan, commands: Commands, folder: Path, changes: Changes | None = None) -> list[Cell]:
    """Return all cells of a plan in the file's order; evaluations of a trained model follow its training.

    Args:
        plan: The plan.
        commands: The commands, with the options that each one has.
        folder: The plan's folder, absolute. Cells are written to ``train/NAME``, ``evaluate/NAME`` or ``tune/NAME``.
        changes: The changes of the command line.

    Raises:
        UserError: A setting is not an option of its command, a model or a task is unknown, or no cell is left.
    """
    changes = changes or Changes()
    _check_queries(plan)
    plan = _replace_out(plan, folder)
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
    """Return the cells of one job of several: every Nth training with its evaluations, or evaluation on its own.

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
    starts_of_job = set(starts[int(number) - 1 :: int(count)])
    return [cell for cell in cells if (cell.trained_by or cell).name in starts_of_job]


def _check_queries(plan: Plan) -> None:
    from selfknow.evaluate.connection import find_query

    for place in plan.places["query"].items("`query`") if plan.query else []:
        try:
            find_query(place.text("a query"))
        except UserError as error:
            place.refuse(str(error))


def _unique(cells: Iterable[Cell]) -> list[Cell]:
    """Return each cell once, since blocks may overlap.

    Raises:
        UserError: Two different cells have one name.
    """
    by_name: dict[str, Cell] = {}
    for cell in cells:
        first = by_name.setdefault(cell.name, cell)
        if first.words != cell.words:
            commands = " and ".join(shlex.join(map(without_credentials, same.words)) for same in (first, cell))
            raise UserError(f"two cells are called {cell.name}: {commands}")
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
        trainings: Sequence[Cell | None] = [*trained.values()] if model == TRAINED else [trained.get(model)]
        for training in trainings:
            dataset = task if training is None or ":" in task else training.data
            name = block_name(block, settings, chosen, *([training.name] if training and model == TRAINED else []))
            short_task = task.rpartition("/")[2]  # without a folder or an owner
            name = name or settings_name([short_task, model if training is None else training.name], options, folder)
            checkpoint = model if training is None else str(training.folder)
            cell = Cell(EVALUATE, name, checkpoint, dataset, options, folder / EVALUATE / name, training, score)
            yield replace(cell, settings=_read(command, cell, block))


def _tunings(plan: Plan, block: Block, command: Command, folder: Path, changes: Changes) -> Iterator[Cell]:
    """Yield one cell for all models, since each model is tuned on the questions of all models."""
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
    """Return the settings as command-line options in alphabetical order, without the subjects."""
    names = sorted(settings.keys() - set(subjects))
    return tuple(word for name in names for word in option_words(command, name, settings[name], block.places[name]))


def _score_calls(plan: Plan, commands: Commands, task: str) -> Iterator[tuple[str, ...]]:
    """Yield the arguments of each call of ``selfknow score``: the plan's options that the task's scorer has."""
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


def _replace_out(plan: Plan, folder: Path) -> Plan:
    """Return a plan in which ``OUT/`` at the start of a value is replaced by the plan's folder."""

    def replaced(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(replaced, value))
        return f"{folder}/{value.removeprefix(OUT)}" if isinstance(value, str) and value.startswith(OUT) else value

    def blocks(listed: Sequence[Block]) -> tuple[Block, ...]:
        return tuple(
            replace(block, settings={name: replaced(values) for name, values in block.settings.items()})
            for block in listed
        )

    return replace(plan, train=blocks(plan.train), evaluate=blocks(plan.evaluate), tune=blocks(plan.tune))
