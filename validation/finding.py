"""What a check of a dataset folder finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """An expectation that a dataset folder does not meet.

    Args:
        config: The config it was found in, or None when it concerns the whole folder.
        split: The split it was found in, or None when it concerns all of them.
        expectation: The name of the expectation, such as ``answers_repeat_the_documents``.
        message: What is expected, and how often it is not so.
        examples: A few of the places, in a fixed order.
    """

    config: str | None
    split: str | None
    expectation: str
    message: str
    examples: Sequence[Mapping[str, object]]
