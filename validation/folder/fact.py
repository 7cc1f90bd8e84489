"""Facts about a dataset folder: an expected and an actual value. All checks of its files have this form."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

import pyarrow as pa


@dataclass(frozen=True)
class Fact:
    """An expected and an actual value of a dataset folder, both as text so that any damage can be shown.

    Args:
        expectation: The expectation that is met if both are the same.
        config: The config that it concerns, or None.
        split: The split that it concerns, or None.
        subject: The file or the field that it concerns.
        expected: The expected value; None if there should be none.
        actual: The actual value; None if there is none.
    """

    expectation: str
    config: str | None
    split: str | None
    subject: str
    expected: str | None
    actual: str | None

    @property
    def is_met(self) -> bool:
        """True if the actual value is the expected one."""
        return self.expected == self.actual


def table_of(facts: Sequence[Fact]) -> pa.Table:
    """Return the facts as text columns, one row for each."""
    schema = pa.schema([(field.name, pa.string()) for field in fields(Fact)])
    return pa.Table.from_pylist([asdict(fact) for fact in facts], schema=schema)
