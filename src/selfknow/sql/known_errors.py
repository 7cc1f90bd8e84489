"""What is known of the readers' and scorers' own errors: shipped with the package, and printed beside their numbers.

``datasets_src/instrument.tsv`` is made by ``python -m benchmarks.instrument`` out of replies that were labelled, none
of which a reader was chosen on; docs/instrument.md says the same at length.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from selfknow.builders.tables import read_table

TABLE = "instrument.tsv"


@dataclass(frozen=True)
class KnownErrors:
    """How often a reader was wrong on labelled replies of one kind.

    Attributes:
        metric: What it gives, as ``scores`` call it.
        truth: Of which replies: ``abstains``, ``does not abstain``, or ``any`` reply.
        questions: To which questions: ``answerable`` or ``unanswerable`` ones, or ``any``.
        n: How many there are.
        wrong: How many of them it read wrongly.
        unreadable: How many it gave no value for.
        low: The least that the rate of wrong ones may be (95%, Wilson).
        high: The most.
    """

    metric: str
    truth: str
    questions: str
    n: int
    wrong: int
    unreadable: int
    low: float
    high: float

    def __str__(self) -> str:
        """For people: ``paper_abstained: 12.0% wrong (9.1% to 15.8%) of 400 labelled replies that abstain …``."""
        rate = f"{self.wrong / self.n:.1%} wrong ({self.low:.1%} to {self.high:.1%})" if self.n else "not measured"
        kind = {"abstains": "replies that abstain", "does not abstain": "replies that do not abstain"}.get(
            self.truth, "replies"
        )
        if self.questions != "any":
            kind += f" from {self.questions} questions"
        null = f", {self.unreadable} of them read as nothing" if self.unreadable else ""
        return f"{self.metric}: {rate} of {self.n:,} labelled {kind}{null}"


@cache
def known_errors() -> tuple[KnownErrors, ...]:
    """All that is known, in the table's order."""
    return tuple(
        KnownErrors(
            row["metric"],
            row["truth"],
            row["questions"],
            int(row["n"]),
            int(row["wrong"]),
            int(row["unreadable"]),
            float(row["low"]),
            float(row["high"]),
        )
        for row in read_table(TABLE)
    )


def errors_of(metrics: Iterable[str]) -> list[KnownErrors]:
    """What is known of these metrics' errors, with whatever encoder (``paper_abstained@packaged``)."""
    wanted = set(metrics)
    return [one for one in known_errors() if one.metric.partition("@")[0] in wanted]
