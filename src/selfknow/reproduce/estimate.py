"""The cost of a cell before it runs: tokens, operations, and hours at a measured speed or at one that the user names.

Operations are 6 × parameters × tokens (Kaplan et al., Scaling Laws for Neural Language Models, section 2.1: for each
parameter and token, two in the forward pass and four in the backward pass). Validations and evaluations count the same.
They need a third of the operations, but they generate token after token, which leaves the machine waiting.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.reproduce.cells import TRAIN, TUNE, Cell
from selfknow.reproduce.states import State, States

if TYPE_CHECKING:
    import pyarrow as pa

CHARACTERS_PER_TOKEN = 3.4
"""Characters per token of ``diary-recall:1k`` with SmolLM2's tokenizer, which has 49,152 byte-pair tokens."""

ASSUMPTIONS = (
    f"Tokens: one for {CHARACTERS_PER_TOKEN} characters. A training is counted up to its limit of steps or epochs, "
    "with its validations and its test; a plateau may end it earlier. An evaluation is counted with the longest "
    "replies, without requests that depend on earlier replies. Operations: 6 × parameters × tokens."
)
_OPERATIONS, _SECONDS_PER_HOUR = 6, 3_600
_EXAMPLES, _STEPS, _VOCABULARY = 32, 6, 1_024
# Larger models are not measured, but taken to be as fast as a model of this width: its steps take a second on a CPU.
_LARGEST_WIDTH = {"cpu": 256}
_OTHER_LARGEST_WIDTH = 1_024


def cost_rows(
    cells: Sequence[Cell], states: States, throughput: float | None = None
) -> tuple[list[dict[str, object]], str]:
    """Return a row per cell, with its state, tokens, operations and hours, and a sentence on the hours of all cells.

    Args:
        cells: The cells.
        states: The cells' states.
        throughput: Operations per second; null to measure them here with a model of about the size of each cell's.

    Raises:
        UserError: A corpus or a model that is trained is not available.
    """
    rows: list[dict[str, object]] = []
    hours_left = 0.0
    for cell in cells:
        state = states.read(cell).state
        tokens, tokens_per_step = _tokens_of(cell)
        parameters = None if tokens is None else num_parameters(cell)
        operations = hours = None
        if tokens is not None and parameters is not None:
            operations = float(_OPERATIONS * parameters * tokens)
            hours = operations / (throughput or operations_per_second(parameters, tokens_per_step)) / _SECONDS_PER_HOUR
            hours_left += hours if state is not State.finished else 0.0
        text = None if operations is None else f"{operations:.2e}"
        rows.append({"cell": cell.name, "state": state.value, "tokens": tokens, "operations": text, "hours": hours})
    speed = f"{throughput:.2e} operations per second" if throughput else "the speed of training steps measured just now"
    return rows, f"{hours_left:,.1f} hours for all unfinished cells, at {speed}."


def _tokens_of(cell: Cell) -> tuple[int | None, int]:
    """Return the most tokens that a cell learns, reads and writes (null if unknown), and its tokens per step."""
    if cell.kind == TRAIN:
        return _training_tokens(cell)
    try:
        return (None, 0) if cell.kind == TUNE else _evaluation_tokens(cell)
    except UserError:  # its questions are not available now
        return None, 0


def _training_tokens(cell: Cell) -> tuple[int, int]:
    from selfknow.evaluate.dataset import open_dataset
    from selfknow.train.options import TrainingOptions, resolve_recipe

    recipe = resolve_recipe(cell.model, _read_options(TrainingOptions, cell.settings))
    corpus = open_dataset(cell.data)
    train, validation, test = (corpus.read(split) for split in ("train", "validation", "test"))
    steps = recipe.num_steps(len(train))
    tokens_per_step = recipe.examples_per_step * _tokens(train) / len(train)
    tokens_per_validation = _sample(train, recipe.validation_limit) * 2 + _sample(validation, recipe.validation_limit)
    num_validations = steps // recipe.validation_interval
    tokens = steps * tokens_per_step + num_validations * tokens_per_validation + _tokens(test)
    return round(tokens), round(tokens_per_step)


def _evaluation_tokens(cell: Cell) -> tuple[int, int]:
    from selfknow.evaluate.catalogue import find_task
    from selfknow.evaluate.task import SoFar
    from selfknow.models.interface import ReplyOptions

    task, options_class = find_task(cell.data)
    options = _read_options(options_class, cell.settings)
    rows = task.open(cell.data, options, cell.folder)
    so_far = SoFar(cell.folder, rows.table.to_pylist())
    prompts = [request.prompt for stage in task.stages(options, rows) for request in stage.requests(so_far)]
    longest_reply = _read_options(ReplyOptions, cell.settings).applied_to(rows.decoding).max_new_tokens
    tokens = sum(len(prompt) for prompt in prompts) / CHARACTERS_PER_TOKEN + longest_reply * len(prompts)
    return round(tokens), cell.settings.get("batch_size") or len(prompts)


def _read_options(options: type[Any], settings: Mapping[str, Any]) -> Any:
    """Return an instance of an options class with the values that a command line sets."""
    values = {field_.name: settings[field_.name] for field_ in fields(options) if settings.get(field_.name) is not None}
    return options(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})


def _tokens(table: "pa.Table") -> float:
    """Estimate the tokens of the rows' prompts and completions, with an end token for each row."""
    import pyarrow.compute as pc

    characters = sum(pc.sum(pc.utf8_length(table[name])).as_py() or 0 for name in ("prompt", "completion"))
    return float(characters / CHARACTERS_PER_TOKEN + len(table))


def _sample(table: "pa.Table", limit: int) -> float:
    """Return the tokens of a sample of rows; 0 as a limit means no limit."""
    return _tokens(table) * min(1.0, (limit or len(table)) / max(1, len(table)))


def num_parameters(cell: Cell) -> int | None:
    """Return the parameters of the model that a cell trains or asks; null if its configuration is not available."""
    import torch

    from selfknow.models.checkpoints import load_config
    from selfknow.models.known import known_model
    from selfknow.train.suite import MODELS, from_config

    settings = cell.settings
    if cell.trained_by is not None:
        return num_parameters(cell.trained_by)
    known = None if cell.kind == TRAIN else known_model(cell.model)
    if known is not None or (cell.kind != TRAIN and settings.get("endpoint")):
        return settings.get("num_parameters") or (None if known is None else known.num_parameters)
    own_vocabulary = settings.get("scratch") and settings.get("corpus_tokenizer")
    name = str(settings.get("checkpoint") or cell.model)
    if name in MODELS and not own_vocabulary:
        return MODELS[name].num_parameters
    try:
        config: Any = MODELS[name].config() if name in MODELS else load_config(name)
    except UserError:
        return None
    if own_vocabulary:  # at most this many tokens: small corpora have fewer
        config.vocab_size = settings["vocabulary_size"]
    with torch.device("meta"):
        return sum(weights.numel() for weights in from_config(config).parameters())


@cache
def operations_per_second(parameters: int, tokens_per_step: int) -> float:
    """Measure the operations per second of a training on this machine, with a few steps of a random decoder.

    Args:
        parameters: The number of parameters of the model. The decoder has about as many, up to a largest width.
        tokens_per_step: The tokens of a step of 32 examples.
    """
    import torch
    from transformers import AutoConfig

    from selfknow.models.checkpoints import best_device
    from selfknow.train.hardware import best_precision
    from selfknow.train.suite import from_config

    device = best_device()
    widths = [2**power for power in range(6, 12) if 2**power <= _LARGEST_WIDTH.get(device, _OTHER_LARGEST_WIDTH)]
    width = min(widths, key=lambda width: abs(12 * width**2 * max(2, width // 64) - parameters))
    shape = {"hidden_size": width, "word_embed_proj_dim": width, "ffn_dim": 4 * width}
    shape |= {"num_attention_heads": width // 64, "num_hidden_layers": max(2, width // 64), "vocab_size": _VOCABULARY}
    model: Any = from_config(AutoConfig.for_model("opt", **shape)).to(device)  # type: ignore[arg-type]
    tokens = torch.randint(_VOCABULARY, (_EXAMPLES, max(2, tokens_per_step // _EXAMPLES)), device=device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
    seconds: list[float] = []
    for _ in range(_STEPS):
        start = perf_counter()
        with torch.autocast(device, torch.bfloat16, enabled=best_precision() == "bfloat16"):
            loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if device == "cuda":
            torch.cuda.synchronize()
        seconds.append(perf_counter() - start)
    # The first step warms up. The fastest of the others counts, since other programs only make a step longer.
    num_weights: int = sum(weights.numel() for weights in model.parameters())
    return _OPERATIONS * num_weights * tokens.numel() / min(seconds[1:])
