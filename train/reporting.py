"""Experiment trackers that a training also reports to."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import UserError, nearest

if TYPE_CHECKING:
    from transformers import TrainerCallback

TENSORBOARD = "tensorboard"
TRACKERS = ("trackio", "wandb", TENSORBOARD)


def check_trackers(names: Sequence[str]) -> None:
    """Check that trackers are known and installed.

    Raises:
        UserError: One is not; says how to install it.
    """
    for name in names:
        if name not in TRACKERS:
            raise UserError(f"unknown tracker {name!r} in --report-to{nearest(name, TRACKERS)}")
        if find_spec(name) is None:
            raise UserError(f"--report-to {name} needs {name}: pip install {name}")


def trackers(names: Sequence[str]) -> tuple[str, ...]:
    """Return the trackers that the Trainer starts itself; TensorBoard is used wherever it is installed."""
    return tuple(name for name in names if name != TENSORBOARD)


def tensorboard(folder: Path) -> "list[TrainerCallback]":
    """Make the Trainer's TensorBoard callback, writing into a folder, if TensorBoard is installed."""
    if find_spec(TENSORBOARD) is None:
        return []
    from torch.utils.tensorboard import SummaryWriter
    from transformers.integrations.integration_utils import TensorBoardCallback

    return [TensorBoardCallback(SummaryWriter(str(folder)))]
