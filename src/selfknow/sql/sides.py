"""The two sides of a comparison: a run, a model and a variant each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from selfknow.errors import UserError, argument, nearest
from selfknow.runs.reader import RunFolder

SIDES = Path(__file__).parent / "paired" / "sides.sql"
_MOST_NAMED = 12

Scored = Mapping[str, Any]
"""A row of ``sides.sql``: a metric of a model's calls of a variant in a run."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes:
        location: The run folder.
        run: The run's id.
        model: The model's name.
        revision: The weights' commit or hash.
        variant: The variant of its calls; null: all.
    """

    location: str
    run: str
    model: str
    revision: str | None
    variant: str | None

    def holds(self, row: Scored) -> bool:
        """Return true for a scored metric of this side."""
        mine = (self.run, self.model, self.revision)
        return (row["run_id"], row["model"], row["revision"]) == mine and self.variant in (None, row["variant"])


def find_sides(
    runs: Sequence[RunFolder], scored: Sequence[Scored], metric: str, models: Sequence[str], variants: Sequence[str]
) -> tuple[Side, Side]:
    """Find the two sides that names of models and variants stand for.

    Args:
        runs: One run, or two.
        scored: The scored metrics of the runs.
        metric: The metric to compare.
        models: One name for both sides, one for each, or none.
        variants: The same for variants.

    Raises:
        UserError: There is no such metric, model or variant, the sides are the same, or a name is needed.
    """
    if len(models) > 2 or len(variants) > 2:
        raise UserError("two sides are compared: name at most two models and two variants")
    ends = (runs[0], runs[-1])
    _check_metric(ends, scored, metric)
    rows = [[row for row in scored if row["run_id"] == run.run_id and row["metric"] == metric] for run in ends]
    chosen = _choose_models(ends, rows, models, within_one=len(runs) == 1 and len(variants) < 2)
    sides = []
    for run, (name, revision), of_run, variant in zip(ends, chosen, rows, _for_each_side(variants), strict=True):
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
    """Choose how to pair the calls of two sides.

    Returns:
        The sides, and true if calls of the same variant are paired; false if each side has only one variant, which the
        sides then name.

    Raises:
        UserError: The sides have several variants, and none in common.
    """
    of_a, of_b = ({row["variant"] for row in scored if row["metric"] == metric and side.holds(row)} for side in (a, b))
    if of_a & of_b:
        return a, b, True
    if len(of_a) == len(of_b) == 1:
        return replace(a, variant=of_a.pop()), replace(b, variant=of_b.pop()), False
    raise UserError(
        f"name a {argument('variants', flag='variant')} of each side: {metric} has {_list_names(of_a)} on "
        f"one, {_list_names(of_b)} on the other"
    )


def labels(a: Side, b: Side) -> tuple[str, str]:
    """Return labels that tell the sides apart: the model, the variant, or else the run folder's name."""
    parts: tuple[list[str], list[str]] = ([], [])
    for name in ("model", "variant"):
        if getattr(a, name) != getattr(b, name):
            for part, side in zip(parts, (a, b), strict=True):
                part.append(str(getattr(side, name)))
    if not parts[0] or (a.model, a.variant) == (b.model, b.variant):
        folder_a, folder_b = (PurePosixPath(side.location).name for side in (a, b))
        return (folder_a, folder_b) if folder_a != folder_b else (a.location, b.location)
    return " ".join(parts[0]), " ".join(parts[1])


def _check_metric(runs: Sequence[RunFolder], scored: Sequence[Scored], metric: str) -> None:
    in_runs = [{row["metric"] for row in scored if row["run_id"] == run.run_id} for run in runs]
    shared = in_runs[0] & in_runs[1]
    if metric in shared:
        return
    holders = [run.location for run, metrics in zip(runs, in_runs, strict=True) if metric in metrics]
    problem = f"only {holders[0]} has scores of {metric!r}" if holders else f"neither run has a metric {metric!r}"
    raise UserError(problem + nearest(metric, sorted(shared)))


def _choose_models(
    runs: Sequence[RunFolder], rows: Sequence[Sequence[Scored]], names: Sequence[str], *, within_one: bool
) -> list[tuple[str, str | None]]:
    """Return the model and its revision for each side."""
    available = [sorted({(row["model"], row["revision"]) for row in of_run}, key=str) for of_run in rows]
    if not names and within_one and len(available[0]) == 2:
        return available[0]
    chosen = []
    for run, models, name in zip(runs, available, _for_each_side(names), strict=True):
        matches = [model for model in models if name in (None, model[0], _with_revision(*model))]
        if len(matches) != 1:
            several = f"{run.location} has several models: name one with {argument('models', flag='model')}"
            problem = several if matches else f"{name!r} was not asked, or not scored, in {run.location}"
            raise UserError(f"{problem}; there are {_list_names(_with_revision(*model) for model in models)}")
        chosen.append(matches[0])
    return chosen


def _with_revision(model: str, revision: str | None) -> str:
    return model if revision is None else f"{model}@{revision[:8]}"


def _for_each_side(names: Sequence[str]) -> tuple[str | None, str | None]:
    return (names[0], names[-1]) if names else (None, None)


def _list_names(names: Iterable[str]) -> str:
    listed = sorted(names)
    more = f" and {len(listed) - _MOST_NAMED} more" if len(listed) > _MOST_NAMED else ""
    return ", ".join(listed[:_MOST_NAMED]) + more or "none"
