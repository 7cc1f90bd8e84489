"""The figures of docs/scale.md: time and memory against size for each kind of work, on logarithmic axes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from benchmarks.growth.points import Point
from selfknow.report.pictures import _THEME as LIGHT

# The dark colours of src/selfknow/report/page/report.css.
_INK, _SOFT, _LINE = "#eceae5", "#a09c94", "#34332f"
DARK: dict[str, Any] = {
    **LIGHT,
    "background": "#1f1f1c",
    "axis": {
        **LIGHT["axis"],  # type: ignore[dict-item]
        **dict.fromkeys(("gridColor", "domainColor", "tickColor"), _LINE),
        "labelColor": _SOFT,
        "titleColor": _INK,
    },
    "legend": {"labelColor": _INK},
    "range": {"category": ["#5cc4b8", "#f0a565", "#9f8cff", "#fff176", "#d9557f"]},
}
_UNITS = {"portraits": "n-grams", "runs": "generations", "corpora": "diarists"}
_COPYING, _DISK = "limit: copied once within memory", "limit: written once to this disk"
_NEEDED = "limit: libraries and what must be held"


def write_figures(points: Sequence[Point], folder: Path) -> None:
    """Write ``growth-light.svg`` and ``growth-dark.svg``."""
    chart = figure(points).to_dict()
    chart.pop("config")  # Altair's own theme
    for name, theme in (("light", LIGHT), ("dark", DARK)):
        picture = vl_convert.vegalite_to_svg(chart, config=theme)
        (folder / f"growth-{name}.svg").write_text(picture, encoding="utf-8")


def figure(points: Sequence[Point]) -> alt.VConcatChart:
    """Draw a row for each kind of work: time at the left, memory at the right."""
    works = [work for work in _UNITS if any(point.work == work for point in points)]
    rows = []
    for work in works:
        work_points = [point for point in points if point.work == work]
        time = _panel(_times(work_points), _UNITS[work], "CPU seconds")
        memory = _panel(_memory(work_points), _UNITS[work], "memory (MB)")
        # Otherwise all panels would share one legend.
        rows.append(alt.hconcat(time, memory, spacing=36).resolve_scale(color="independent", strokeDash="independent"))
    return alt.vconcat(*rows, spacing=28).resolve_scale(color="independent", strokeDash="independent")


def _times(points: Sequence[Point]) -> list[dict[str, Any]]:
    limits = {_COPYING: "copying_seconds", _DISK: "disk_seconds"}
    return [_row(point, point.series, point.cpu_seconds) for point in points] + [
        _row(point, name, getattr(point, seconds)) for name, seconds in limits.items() for point in _one_series(points)
    ]


def _memory(points: Sequence[Point]) -> list[dict[str, Any]]:
    return [_row(point, point.series, point.memory_in_mb) for point in points] + [
        _row(point, _NEEDED, point.needed_in_mb) for point in _one_series(points)
    ]


def _one_series(points: Sequence[Point]) -> list[Point]:
    """Return the points of the series that moves the fewest bytes; the limits are drawn for it."""
    first = min(points, key=lambda point: point.moved_in_mb / point.size).series
    return [point for point in points if point.series == first]


def _row(point: Point, name: str, value: float) -> dict[str, Any]:
    return {"size": point.size, "name": name, "value": value, "limit": name.startswith("limit")}


def _panel(rows: list[dict[str, Any]], unit: str, title: str) -> alt.LayerChart:
    names = list(dict.fromkeys(row["name"] for row in rows))
    measured = [name for name in names if not name.startswith("limit")]
    legend = alt.Legend(title=None, orient="top", direction="vertical", symbolType="stroke", labelLimit=300)
    billions = "replace(format(datum.value, '~s'), 'G', 'B')"
    # Only whole powers of ten have labels, because more labels would overlap.
    exponents = range(4, 9) if unit == "n-grams" else range(3, 8)
    largest = max(row["size"] for row in rows)
    powers = [10**exponent for exponent in exponents if 10**exponent <= largest]
    sizes = alt.Axis(labelExpr=billions, values=powers, grid=True)
    values = [10.0**exponent for exponent in range(-6, 6)]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("size:Q", title=unit, scale=alt.Scale(type="log", nice=False), axis=sizes),
        y=alt.Y("value:Q", title=title, scale=alt.Scale(type="log"), axis=alt.Axis(format="~g", values=values)),
        color=alt.Color("name:N", legend=legend, scale=alt.Scale(domain=names)),
        strokeDash=alt.StrokeDash("name:N", legend=legend, scale=alt.Scale(domain=names, range=_dashes(names))),
    )
    points = base.transform_filter(alt.FieldOneOfPredicate("name", measured))
    dots = points.mark_point(filled=True, size=45, opacity=1)
    return alt.layer(base.mark_line(strokeWidth=2), dots).properties(width=380, height=220)


def _dashes(names: Sequence[str]) -> list[list[int]]:
    """Return the dash pattern of each line: solid for measurements, dashed for limits."""
    dashed = iter([[6, 4], [2, 3], [1, 5]])
    return [next(dashed) if name.startswith("limit") else [1, 0] for name in names]
