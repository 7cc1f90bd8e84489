"""The two sides of a comparison: a run, a model and a variant each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from selfknow.errors import UserError, argument, nearest
from selfknow.runs.reader import RunFolder

SIDES = Path(__file__).parent / "paired" / "sides.sql"
_MAX_LISTED_NAMES = 12

ScoredMetric = Mapping[str, Any]
"""A row of ``sides.sql``: one metric of one model's calls of one variant, in one run."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes:
        location: The run folder.
        run: The run's id.
        model: The model's name.
        revision: The weights' commit or hash.
        variant: The variant of its calls; null: all variants.
    """

    location: str
    run: str
    model: str
    revision: str | None
    variant: str | None

    def holds(self, row: ScoredMetric) -> bool:
        """Return true for a scored metric of this side."""
        model = (self.run, self.model, self.revision)
        return (row["run_id"], row["model"], row["revision"]) == model and self.variant in (None, row["variant"])


def find_sides(
    runs: Sequence[RunFolder],
    scored: Sequence[ScoredMetric],
    metric: str,
    models: Sequence[str],
    variants: Sequence[str],
) -> tuple[Side, Side]:
    """Find the two sides of a comparison by the names of their models and variants.

    Args:
        runs: One run, or two.
        scored: The scored metrics of the runs.
        metric: The metric to compare.
        models: One name for both sides, one name for each, or none.
        variants: The same for variants.

    Raises:
        UserError: A metric, model or variant is unknown, the sides are the same, or a name is needed.
    """
    if len(models) > 2 or len(variants) > 2:
        raise UserError("a comparison has two sides: name at most two models and two variants")
    ends = (runs[0], runs[-1])
    _check_metric(ends, scored, metric)
    rows = [[row for row in scored if row["run_id"] == run.run_id and row["metric"] == metric] for run in ends]
    chosen_models = _choose_models(ends, rows, models, may_compare_models=len(runs) == 1 and len(variants) < 2)
    sides = []
    for run, (name, revision), run_rows, variant in zip(
        ends, chosen_models, rows, _for_each_side(variants), strict=True
    ):
        side = Side(run.location, run.run_id, name, revision, variant)
        if not any(map(side.holds, run_rows)):
            model_rows = [row for row in run_rows if (row["model"], row["revision"]) == (name, revision)]
            known_variants = {str(row["variant"]) for row in model_rows}
            raise UserError(
                f"{metric} has no variant {variant!r} in {run.location}{nearest(variant or '', known_variants)}"
            )
        sides.append(side)
    if sides[0] == sides[1]:
        raise UserError(
            f"{metric} of {sides[0].model} would be compared with itself: name another run, model or variant"
        )
    return sides[0], sides[1]


def paired_by_variant(a: Side, b: Side, scored: Sequence[ScoredMetric], metric: str) -> tuple[Side, Side, bool]:
    """Choose how to pair the calls of two sides.

    Returns:
        The sides, and true if calls of the same variant are paired. It is false if each side has one variant, and these
        differ; the returned sides then name their variants.

    Raises:
        UserError: The sides have several variants, and none in common.
    """
    rows = [row for row in scored if row["metric"] == metric]
    variants_a, variants_b = ({row["variant"] for row in rows if side.holds(row)} for side in (a, b))
    if variants_a & variants_b:
        return a, b, True
    if len(variants_a) == len(variants_b) == 1:
        return replace(a, variant=variants_a.pop()), replace(b, variant=variants_b.pop()), False
    raise UserError(
        f"name a {argument('variants', flag='variant')} of each side: {metric} has {_list_names(variants_a)} on "
        f"one, {_list_names(variants_b)} on the other"
    )


def labels(a: Side, b: Side) -> tuple[str, str]:
    """Return a label for each side: the names of models and variants that differ, else the names of the run folders."""
    parts: tuple[list[str], list[str]] = ([], [])
    for name in ("model", "variant"):
        if getattr(a, name) != getattr(b, name):
            for part, side in zip(parts, (a, b), strict=True):
                part.append(str(getattr(side, name)))
    if not parts[0] or (a.model, a.variant) == (b.model, b.variant):
        folder_a, folder_b = (PurePosixPath(side.location).name for side in (a, b))
        return (folder_a, folder_b) if folder_a != folder_b else (a.location, b.location)
    return " ".join(parts[0]), " ".join(parts[1])


def _check_metric(runs: Sequence[RunFolder], scored: Sequence[ScoredMetric], metric: str) -> None:
    metrics_of_runs = [{row["metric"] for row in scored if row["run_id"] == run.run_id} for run in runs]
    shared = metrics_of_runs[0] & metrics_of_runs[1]
    if metric in shared:
        return
    locations = [run.location for run, metrics in zip(runs, metrics_of_runs, strict=True) if metric in metrics]
    problem = f"only {locations[0]} has scores of {metric!r}" if locations else f"neither run has a metric {metric!r}"
    raise UserError(problem + nearest(metric, sorted(shared)))


def _choose_models(
    runs: Sequence[RunFolder], rows: Sequence[Sequence[ScoredMetric]], names: Sequence[str], *, may_compare_models: bool
) -> list[tuple[str, str | None]]:
    """Return the model and its revision for each side.

    Without names, ``may_compare_models`` compares the two models of a run that has exactly two.
    """
    available = [sorted({(row["model"], row["revision"]) for row in run_rows}, key=str) for run_rows in rows]
    if not names and may_compare_models and len(available[0]) == 2:
        return available[0]
    chosen_models = []
    for run, models, name in zip(runs, available, _for_each_side(names), strict=True):
        matches = [model for model in models if name in (None, model[0], _with_revision(*model))]
        if len(matches) != 1:
            if matches:
                problem = f"{run.location} has several models: name one with {argument('models', flag='model')}"
            else:
                problem = f"{name!r} was not asked, or not scored, in {run.location}"
            raise UserError(f"{problem}; there are {_list_names(_with_revision(*model) for model in models)}")
        chosen_models.append(matches[0])
    return chosen_models


def _with_revision(model: str, revision: str | None) -> str:
    return model if revision is None else f"{model}@{revision[:8]}"


def _for_each_side(names: Sequence[str]) -> tuple[str | None, str | None]:
    return (names[0], names[-1]) if names else (None, None)


def _list_names(names: Iterable[str]) -> str:
    listed = sorted(names)
    more = f" and {len(listed) - _MAX_LISTED_NAMES} more" if len(listed) > _MAX_LISTED_NAMES else ""
    return ", ".join(listed[:_MAX_LISTED_NAMES]) + more or "none"
