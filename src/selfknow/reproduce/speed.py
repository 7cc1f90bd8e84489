"""How fast this machine trains: measured on a model of about the same size, for the hours of a dry run."""

from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.models.known import known_model
from selfknow.reproduce.cells import TRAIN, Cell
from selfknow.train.suite import MODELS, from_config

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel

UTILISATION = 0.4
"""The share of what a large matrix product reaches that the training of a large model does."""

_EXAMPLES = 32
_MATRIX = {"cuda": 8_192, "mps": 4_096, "cpu": 1_024}
_REPETITIONS = 5
_LONGEST_MEASURED_STEP_SECONDS = 1.0
_FEWEST_CALLS, _MOST_CALLS, _SECONDS_MEASURED = 4, 50, 2.0
_STAND_IN_WIDTHS = (128, 256, 512, 768, 1_024, 1_536, 2_048)
_STAND_IN_VOCABULARY = 1_024


def num_parameters(cell: Cell) -> int | None:
    """The parameters of the model that a cell trains or asks; null where its configuration cannot be had.

    Args:
        cell: The cell; of an evaluation of what the plan trains the training is looked at.
    """
    import torch

    from selfknow.models.checkpoints import load_config

    if cell.trained_by is not None:
        return num_parameters(cell.trained_by)
    if cell.kind != TRAIN and (cell.settings.get("endpoint") or known_model(cell.model) is not None):
        known = known_model(cell.model)
        return cell.settings.get("num_parameters") or (None if known is None else known.num_parameters)
    own = cell.settings.get("scratch") and cell.settings.get("corpus_tokenizer")
    name = str(cell.settings.get("checkpoint") or cell.model)
    if name in MODELS and not own:
        return MODELS[name].num_parameters
    try:
        config: Any = MODELS[name].config() if name in MODELS else load_config(name)
    except UserError:
        return None
    if own:  # at most so many tokens: small corpora have fewer
        config.vocab_size = cell.settings["vocabulary_size"]
    with torch.device("meta"):
        return sum(one.numel() for one in from_config(config).parameters())


def machine() -> str:
    """What the hours were measured on."""
    import torch

    from selfknow.models.checkpoints import best_device

    if best_device() == "cuda":
        return f"what steps took on {torch.cuda.get_device_name()} just now"
    return f"what steps took on {torch.get_num_threads()} threads of this machine's processor just now"


@cache
def operations_per_second(parameters: int | None, tokens_per_step: int) -> float:
    """How many of the 6 × parameters × tokens operations a training does in a second, on this machine.

    A model whose step takes less than a second is measured: a stand-in of about its size takes a few steps. Of a
    larger one the rate is that of a large matrix product, times :data:`UTILISATION`.

    Args:
        parameters: Of the model; null is as good as large.
        tokens_per_step: That it learns in a step.
    """
    whole = UTILISATION * _matrix_operations_per_second()
    if parameters is None or 6 * parameters * tokens_per_step / whole > _LONGEST_MEASURED_STEP_SECONDS:
        return whole
    model = _stand_in(parameters)
    size = sum(one.numel() for one in model.parameters())
    return 6 * size * tokens_per_step / _step_seconds(model, tokens_per_step)


@cache
def _matrix_operations_per_second() -> float:
    import torch

    from selfknow.models.checkpoints import best_device
    from selfknow.train.hardware import best_precision

    device = best_device()
    matrix = torch.randn(_MATRIX[device], _MATRIX[device], device=device, dtype=getattr(torch, best_precision()))

    def work() -> None:
        for _ in range(_REPETITIONS):
            matrix @ matrix

    return float(2 * _MATRIX[device] ** 3 * _REPETITIONS / _seconds(work))


def _stand_in(parameters: int) -> "PreTrainedModel":
    """A decoder with random weights and about so many parameters, nearly all of them in its layers."""
    layers = {width: max(1, round(parameters / (12 * width**2))) for width in _STAND_IN_WIDTHS}
    width = min(_STAND_IN_WIDTHS, key=lambda width: abs(layers[width] - width // 64))
    heads = max(1, width // 64)
    shape = {"hidden_size": width, "word_embed_proj_dim": width, "ffn_dim": 4 * width, "num_attention_heads": heads}
    from transformers import AutoConfig

    config: PreTrainedConfig = AutoConfig.for_model(
        "opt", vocab_size=_STAND_IN_VOCABULARY, num_hidden_layers=layers[width], **shape
    )
    return from_config(config)


def _step_seconds(model: "PreTrainedModel", tokens_per_step: int) -> float:
    """Seconds of one step of 32 examples: forwards, backwards and Adam, in the precision of a training here."""
    import torch

    from selfknow.models.checkpoints import best_device
    from selfknow.train.hardware import best_precision

    device = best_device()
    placed: Any = model.to(device)  # type: ignore[arg-type]
    tokens = torch.randint(_STAND_IN_VOCABULARY, (_EXAMPLES, max(2, tokens_per_step // _EXAMPLES)), device=device)
    optimizer = torch.optim.AdamW(placed.parameters(), lr=1e-6)

    def step() -> None:
        with torch.autocast(device, torch.bfloat16, enabled=best_precision() == "bfloat16"):
            loss = placed(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return _seconds(step)


def _seconds(work: Callable[[], None]) -> float:
    """The least seconds of several calls, after one that warms up: other programs only ever make a call longer."""
    import torch

    taken: list[float] = []
    while len(taken) < _FEWEST_CALLS or (sum(taken) < _SECONDS_MEASURED and len(taken) < _MOST_CALLS):
        start = perf_counter()
        work()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        taken.append(perf_counter() - start)
    return min(taken[1:])
