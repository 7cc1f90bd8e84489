"""What should be so of a dataset folder, and how it is: the common shape of everything that is checked about files."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

import pyarrow as pa


@dataclass(frozen=True)
class Fact:
    """Something that should be so, and how it is; both as text, so that any damage can be told.

    Args:
        expectation: The expectation that is met when both are the same.
        config: The config it is about, or None.
        split: The split it is about, or None.
        subject: The file or the field it is about.
        expected: What should be, None for nothing.
        found: What is, None for nothing.
    """

    expectation: str
    config: str | None
    split: str | None
    subject: str
    expected: str | None
    found: str | None

    @property
    def is_met(self) -> bool:
        """Whether what is found is what is expected."""
        return self.expected == self.found


def table_of(facts: Sequence[Fact]) -> pa.Table:
    """The facts as text columns, one row a fact."""
    schema = pa.schema([(field.name, pa.string()) for field in fields(Fact)])
    return pa.Table.from_pylist([asdict(fact) for fact in facts], schema=schema)
