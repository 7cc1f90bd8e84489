"""The division of a step's examples among processes and micro-batches: exact, or refused."""

import os
from dataclasses import dataclass

from selfknow.errors import UserError

_SHARDING_VARIABLES = {"ACCELERATE_USE_FSDP": "FSDP", "ACCELERATE_USE_DEEPSPEED": "DeepSpeed"}


@dataclass(frozen=True)
class Batch:
    """The share of a step that one process computes.

    Attributes:
        micro_batch_size: Examples that go through the model at once.
        num_micro_batches: Micro-batches before the weights change.
    """

    micro_batch_size: int
    num_micro_batches: int


def share_out(examples_per_step: int, num_processes: int = 1, micro_batch_size: int | None = None) -> Batch:
    """Divide a step's examples evenly, so that a step has exactly as many as in the recipe.

    Args:
        examples_per_step: Examples in each step, from the recipe.
        num_processes: Processes that train together.
        micro_batch_size: The largest number of examples that go through a model at once; null for a process's whole
            share. A share that is smaller is one micro-batch.

    Raises:
        UserError: The examples cannot be divided evenly; the message names numbers that can.

    Example:
        >>> share_out(32, num_processes=2, micro_batch_size=4)
        Batch(micro_batch_size=4, num_micro_batches=4)
    """
    share, rest = divmod(examples_per_step, num_processes)
    if rest:
        lower = share * num_processes
        nearest = [str(number) for number in (lower, lower + num_processes) if number]
        raise UserError(
            f"{examples_per_step} examples a step cannot be shared out evenly over {num_processes} processes: start "
            f"{_join_with_or(_divisors(examples_per_step))} processes, or pass --examples-per-step "
            f"{' or '.join(nearest)}"
        )
    size = share if micro_batch_size is None else min(micro_batch_size, share)
    if share % size:
        raise UserError(
            f"micro-batches of {size} do not divide the {share} examples that a process has in a step: "
            f"pass --micro-batch-size {_join_with_or(_divisors(share))}"
        )
    return Batch(size, share // size)


def _divisors(number: int) -> list[int]:
    return [divisor for divisor in range(1, number + 1) if number % divisor == 0]


def _join_with_or(numbers: list[int]) -> str:
    *others, last = map(str, numbers)
    return f"{', '.join(others)} or {last}" if others else last


def refuse_sharding() -> None:
    """Check that ``accelerate`` is not configured to shard the weights.

    Raises:
        UserError: It is configured so; the message says what saves memory instead.
    """
    for variable, name in _SHARDING_VARIABLES.items():
        if os.environ.get(variable, "").lower() in ("1", "true", "yes"):
            raise UserError(
                f"{name} shards the weights, but validation generates with the whole model and checkpoints hold it "
                "whole: start with torchrun, and save memory with --micro-batch-size 1, --gradient-checkpointing or "
                "--lora-rank 16"
            )


def check_devices(num_cards: int, num_processes: int) -> None:
    """Check that every visible GPU has its own process.

    With several GPUs and one process the Trainer would put a whole step's examples on each of them.

    Args:
        num_cards: NVIDIA GPUs that this process sees.
        num_processes: Processes that train together.

    Raises:
        UserError: Several GPUs are visible, and there is only one process.
    """
    if num_cards > 1 and num_processes == 1:
        raise UserError(
            f"{num_cards} GPUs are visible and there is one process: start one for each GPU with "
            f"`torchrun --nproc-per-node {num_cards} -m selfknow train …`, or choose a GPU with CUDA_VISIBLE_DEVICES=0"
        )
