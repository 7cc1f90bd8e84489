"""The two sides of a comparison: run, model and variant, or one line that names the choices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from selfknow.errors import UserError, nearest
from selfknow.runs.reader import RunFolder

SIDES = Path(__file__).parent / "paired" / "sides.sql"
_MOST_NAMED = 12

Scored = Mapping[str, Any]
"""A row of ``sides.sql``: a metric that was scored in a run, of a model's calls of a variant."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes:
        location: The run folder.
        run: The run's id.
        model: Who was asked.
        revision: Which weights those were.
        variant: The calls of this variant alone; null: of all.
    """

    location: str
    run: str
    model: str
    revision: str | None
    variant: str | None

    def holds(self, row: Scored) -> bool:
        """Whether a scored metric is of this side."""
        mine = (self.run, self.model, self.revision)
        return (row["run_id"], row["model"], row["revision"]) == mine and self.variant in (None, row["variant"])


def find_sides(
    runs: Sequence[RunFolder], scored: Sequence[Scored], metric: str, models: Sequence[str], variants: Sequence[str]
) -> tuple[Side, Side]:
    """The two sides that these names stand for.

    Args:
        runs: One run, or two.
        scored: What was scored in them.
        metric: What is compared.
        models: For both sides, for each, or none.
        variants: The same.

    Raises:
        UserError: There is no such metric, model or variant; or the sides are one and the same, or not told apart.
    """
    if len(models) > 2 or len(variants) > 2:
        raise UserError("two sides are compared: name at most two models and two variants")
    ends = (runs[0], runs[-1])
    _check_metric(ends, scored, metric)
    rows = [[row for row in scored if row["run_id"] == run.run_id and row["metric"] == metric] for run in ends]
    asked = _models_asked(ends, rows, models, within_one=len(runs) == 1 and len(variants) < 2)
    sides = []
    for run, (name, revision), of_run, variant in zip(ends, asked, rows, _for_both(variants), strict=True):
        side = Side(run.location, run.run_id, name, revision, variant)
        if not any(map(side.holds, of_run)):
            there = {row["variant"] for row in of_run if (row["model"], row["revision"]) == (name, revision)}
            raise UserError(
                f"{metric} has no variant {variant!r} in {run.location}{nearest(variant or '', map(str, there))}"
            )
        sides.append(side)
    if sides[0] == sides[1]:
        raise UserError(
            f"{metric} of {sides[0].model} would be compared with itself: name another run, model or variant"
        )
    return sides[0], sides[1]


def paired_by_variant(a: Side, b: Side, scored: Sequence[Scored], metric: str) -> tuple[Side, Side, bool]:
    """Whether a call is paired with that of the same variant; else the sides, each with its one variant.

    Raises:
        UserError: The sides have several variants, and none in common.
    """
    one, other = ({row["variant"] for row in scored if row["metric"] == metric and side.holds(row)} for side in (a, b))
    if one & other:
        return a, b, True
    if len(one) == len(other) == 1:
        return replace(a, variant=one.pop()), replace(b, variant=other.pop()), False
    raise UserError(f"name a --variant of each side: {metric} is of {_named(one)} on one, {_named(other)} on the other")


def labels(a: Side, b: Side) -> tuple[str, str]:
    """What tells the sides apart: the model, the variant, else the name of the run folder."""
    parts: tuple[list[str], list[str]] = ([], [])
    for name in ("model", "variant"):
        if getattr(a, name) != getattr(b, name):
            for part, side in zip(parts, (a, b), strict=True):
                part.append(str(getattr(side, name)))
    if not parts[0] or (a.model, a.variant) == (b.model, b.variant):
        one, other = (PurePosixPath(side.location).name for side in (a, b))
        return (one, other) if one != other else (a.location, b.location)
    return " ".join(parts[0]), " ".join(parts[1])


def _check_metric(runs: Sequence[RunFolder], scored: Sequence[Scored], metric: str) -> None:
    in_runs = [{row["metric"] for row in scored if row["run_id"] == run.run_id} for run in runs]
    shared = in_runs[0] & in_runs[1]
    if metric in shared:
        return
    where = [run.location for run, metrics in zip(runs, in_runs, strict=True) if metric in metrics]
    told = f"only {where[0]} has scores of {metric!r}" if where else f"neither run has a metric {metric!r}"
    raise UserError(told + nearest(metric, sorted(shared)))


def _models_asked(
    runs: Sequence[RunFolder], rows: Sequence[Sequence[Scored]], names: Sequence[str], *, within_one: bool
) -> list[tuple[str, str | None]]:
    """For each side the model and its revision."""
    there = [sorted({(row["model"], row["revision"]) for row in of_run}, key=str) for of_run in rows]
    if not names and within_one and len(there[0]) == 2:
        return there[0]
    asked = []
    for run, models, name in zip(runs, there, _for_both(names), strict=True):
        found = [one for one in models if name in (None, one[0], _with_revision(*one))]
        if len(found) != 1:
            several = f"{run.location} has several models: name one with --model"
            told = several if found else f"{name!r} was not asked, or not scored, in {run.location}"
            raise UserError(f"{told}; there are {_named(_with_revision(*one) for one in models)}")
        asked.append(found[0])
    return asked


def _with_revision(model: str, revision: str | None) -> str:
    return model if revision is None else f"{model}@{revision[:8]}"


def _for_both(names: Sequence[str]) -> tuple[str | None, str | None]:
    return (names[0], names[-1]) if names else (None, None)


def _named(names: Iterable[str]) -> str:
    listed = sorted(names)
    more = f" and {len(listed) - _MOST_NAMED} more" if len(listed) > _MOST_NAMED else ""
    return ", ".join(listed[:_MOST_NAMED]) + more or "none"
