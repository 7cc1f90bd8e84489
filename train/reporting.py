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
        UserError: A tracker is unknown or not installed; the message says how to install it.
    """
    for name in names:
        if name not in TRACKERS:
            raise UserError(f"unknown tracker {name!r} in --report-to{nearest(name, TRACKERS)}")
        if find_spec(name) is None:
            raise UserError(f"--report-to {name} needs {name}: pip install {name}")


def trackers(names: Sequence[str]) -> tuple[str, ...]:
    """Return the trackers that the Trainer starts itself: all but TensorBoard (see :func:`tensorboard`)."""
    return tuple(name for name in names if name != TENSORBOARD)


def tensorboard(folder: Path) -> "list[TrainerCallback]":
    """Make the Trainer's TensorBoard callback, which writes into a folder; none if TensorBoard is not installed."""
    if find_spec(TENSORBOARD) is None:
        return []
    from torch.utils.tensorboard import SummaryWriter
    from transformers.integrations.integration_utils import TensorBoardCallback

    return [TensorBoardCallback(SummaryWriter(str(folder)))]
