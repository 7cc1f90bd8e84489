"""The measured error rates of the code that reads and scores replies; they are printed beside the scores.

``python -m benchmarks.instrument`` measures them (docs/instrument.md), on labelled replies that no reader was
developed on, and writes ``datasets_src/instrument.tsv``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from selfknow.builders.tables import read_table

TABLE = "instrument.tsv"


@dataclass(frozen=True)
class KnownErrors:
    """The error rate of a reader on labelled replies of one kind.

    Attributes:
        metric: The metric that the reader computes, as named in the table ``scores``.
        truth: The label of the replies: ``abstains``, ``does not abstain``, or ``any``.
        questions: The kind of questions: ``answerable``, ``unanswerable``, or ``any``.
        n: The number of labelled replies.
        wrong: The number of replies with a wrong value.
        unreadable: The number of replies without a value.
        low: The lower end of the error rate's 95% interval (Wilson).
        high: The upper end of that interval.
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
        """Return one line: ``paper_abstained: 12.0% wrong (9.1% to 15.8%) of 400 labelled replies that abstain …``."""
        rate = f"{self.wrong / self.n:.1%} wrong ({self.low:.1%} to {self.high:.1%})" if self.n else "not measured"
        kind = {"abstains": "replies that abstain", "does not abstain": "replies that do not abstain"}.get(
            self.truth, "replies"
        )
        if self.questions != "any":
            kind += f" from {self.questions} questions"
        unreadable = f", {self.unreadable} of them unreadable" if self.unreadable else ""
        return f"{self.metric}: {rate} of {self.n:,} labelled {kind}{unreadable}"


@cache
def known_errors() -> tuple[KnownErrors, ...]:
    """Return all known error rates, in the table's order."""
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
    """Return the error rates of these metrics and of their variants with an encoder (``paper_abstained@packaged``)."""
    names = set(metrics)
    return [errors for errors in known_errors() if errors.metric.partition("@")[0] in names]
