"""What a cell takes, before it is run: tokens, operations and hours.

Operations are 6 × parameters × tokens (Kaplan et al., Scaling Laws for Neural Language Models, section 2.1: two a
parameter and token forwards, four backwards). What is asked, in validations and evaluations, is counted in the same
way: it needs a third of that, but is generated token after token, which leaves the machine waiting.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.evaluate.dataset import open_dataset
from selfknow.reproduce.cells import TRAIN, TUNE, Cell
from selfknow.reproduce.speed import machine, num_parameters, operations_per_second
from selfknow.reproduce.states import State, States

if TYPE_CHECKING:
    import pyarrow as pa

OPERATIONS_PER_TOKEN = 6
CHARACTERS_PER_TOKEN = 3.4
"""Of a diary, with a byte-pair tokenizer of 49,152 tokens (SmolLM2's); measured on ``diary-recall:1k``."""

ASSUMPTIONS = (
    f"Tokens: one for {CHARACTERS_PER_TOKEN} characters, up to the cap of steps or epochs (a plateau ends a training "
    "before it), with those of the validations and the test; of an evaluation what can be asked before anybody has "
    f"replied, with the longest replies. Operations: {OPERATIONS_PER_TOKEN} × parameters × tokens."
)
_SECONDS_PER_HOUR = 3_600


@dataclass(frozen=True)
class Cost:
    """What a cell takes at most.

    Attributes:
        parameters: Of the model; null where nobody knows.
        tokens: That are learnt, read and written.
        tokens_per_step: That go through the model at once.
    """

    parameters: int | None
    tokens: int
    tokens_per_step: int

    @property
    def operations(self) -> float | None:
        """6 × parameters × tokens; null where the parameters are not known."""
        return None if self.parameters is None else float(OPERATIONS_PER_TOKEN * self.parameters * self.tokens)


def training_cost(cell: Cell) -> Cost:
    """What a training takes if nothing ends it before its cap.

    Raises:
        UserError: Its corpus or its model cannot be had.
    """
    from selfknow.train.options import TrainingOptions, recipe_of

    options = _chosen(TrainingOptions, cell.settings)
    recipe = recipe_of(cell.model, options)
    corpus = open_dataset(cell.data)
    train, validation, test = (corpus.read(split) for split in ("train", "validation", "test"))
    steps = recipe.num_steps(len(train))
    per_step = recipe.examples_per_step * _tokens(train) / len(train)
    validated = _sample(train, recipe.validation_limit) * 2 + _sample(validation, recipe.validation_limit)
    num_validations = steps // recipe.validation_interval
    tokens = steps * per_step + num_validations * validated + _tokens(test)
    return Cost(num_parameters(cell), round(tokens), round(per_step))


def evaluation_cost(cell: Cell) -> Cost | None:
    """What an evaluation takes, as far as it can be known; null where its questions cannot be had now."""
    from selfknow.evaluate.catalogue import find_task
    from selfknow.evaluate.task import SoFar
    from selfknow.models.interface import ReplyOptions

    task, own = find_task(cell.data)
    try:
        options = _chosen(own, cell.settings)
        rows = task.open(cell.data, options, cell.folder)
        so_far = SoFar(cell.folder, rows.table.to_pylist())
        prompts = [one.prompt for stage in task.stages(options, rows) for one in stage.requests(so_far)]
    except UserError:
        return None
    longest = _chosen(ReplyOptions, cell.settings).applied_to(rows.decoding).max_new_tokens
    tokens = sum(len(prompt) for prompt in prompts) / CHARACTERS_PER_TOKEN + longest * len(prompts)
    return Cost(num_parameters(cell), round(tokens), cell.settings.get("batch_size") or len(prompts))


def _chosen(options: type[Any], settings: Mapping[str, Any]) -> Any:
    """An options class with what a command line says of its fields."""
    said = {one.name: settings[one.name] for one in fields(options) if settings.get(one.name) is not None}
    return options(**{name: tuple(value) if isinstance(value, list) else value for name, value in said.items()})


def _tokens(table: "pa.Table") -> float:
    """How many tokens the rows' prompts and completions have, about, with the token that ends each."""
    import pyarrow.compute as pc

    characters = sum(pc.sum(pc.utf8_length(table[name])).as_py() or 0 for name in ("prompt", "completion"))
    return float(characters / CHARACTERS_PER_TOKEN + len(table))


def _sample(table: "pa.Table", limit: int) -> float:
    """The tokens of a sample of rows; 0 as a limit is no limit."""
    return _tokens(table) * min(1.0, (limit or len(table)) / max(1, len(table)))


def cost_rows(
    cells: Sequence[Cell], states: States, throughput: float | None = None
) -> tuple[list[dict[str, object]], str]:
    """A row a cell: its state, tokens, operations and hours.

    Args:
        cells: The cells.
        states: How far they have come.
        throughput: Operations a second; null: measured on this machine, with each model.

    Returns:
        The rows, and what the hours assume, in a sentence.
    """
    rows: list[dict[str, object]] = []
    left = 0.0
    for cell in cells:
        cost = None if cell.kind == TUNE else training_cost(cell) if cell.kind == TRAIN else evaluation_cost(cell)
        operations = None if cost is None else cost.operations
        hours = None
        if cost is not None and operations is not None:
            rate = throughput or operations_per_second(cost.parameters, cost.tokens_per_step)
            hours = operations / rate / _SECONDS_PER_HOUR
        state = states.read(cell).state
        left += hours or 0.0 if state is not State.finished else 0.0
        row: dict[str, object] = {"cell": cell.name, "state": state.value, "tokens": cost and cost.tokens}
        rows.append({**row, "operations": None if operations is None else f"{operations:.2e}", "hours": hours})
    how = f"{throughput:.2e} operations a second" if throughput else machine()
    return rows, f"{left:,.1f} hours in all for what is left, at {how}."
