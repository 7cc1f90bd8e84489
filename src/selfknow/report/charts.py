"""The few kinds of chart that a report is made of, in Altair; they fill their container and know no colours.

Colours come from the page (light or dark) or from the picture's theme, so that one chart serves both.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import altair as alt

from selfknow.report.shape import Row

_PERCENT = ".0%"


class _Rows(alt.InlineData):
    """Rows that all copies of a chart share: Altair copies a chart, and all that it holds, at every step."""

    def __deepcopy__(self, memo: object) -> "_Rows":
        return self


def dots(
    rows: Sequence[Row],
    value: str,
    *,
    row: str = "label",
    colour: str | None = None,
    hue: str | None = None,
    hues: Sequence[str] = (),
    order: Sequence[str] = (),
    title: str,
    narrow: bool = False,
    domain: tuple[float, float] | None = None,
    each: str | None = None,
) -> alt.LayerChart:
    """A share with its interval a line, and a tick for chance.

    Args:
        rows: With ``value``, ``low``, ``high`` and the columns that are named.
        value: The share.
        row: What stands at the left.
        colour: What is told apart by colour, side by side in a row.
        hue: What else is told apart by colour, one a row.
        hues: Its values in the order in which they take the page's colours, whichever of them there are.
        order: What ``colour`` tells apart, in the order that it has by itself, such as sizes.
        title: Of the axis.
        narrow: The axis is as long as the intervals need, not from 0 to 1.
        domain: Where the axis begins and ends, so that several charts share it.
        each: A column with a list of the shares that the share is the mean of: a small circle each.
    """
    assert all(value in one for one in rows), f"a chart of {value} without its points"
    names = list(dict.fromkeys(one[row] for one in rows))
    axis = _named() if any(" · " in str(name) for name in names) else alt.Axis()
    y = alt.Y(f"{row}:N", sort=names, title=None, axis=axis)
    kinds = list(order) or list(dict.fromkeys(one[colour] for one in rows if colour))
    offset: dict[str, Any] = {"yOffset": alt.YOffset(f"{colour}:N", sort=kinds)} if colour else {}
    paint: dict[str, Any] = {"color": _colour(colour or hue, rows, hues, order)} if colour or hue else {}
    tips = _tooltips(
        rows,
        [row, *[name for name in (colour, hue) if name], value, "low", "high", "chance", "n", "n_graded", "n_pairs"],
    )
    base = alt.Chart(_Rows(values=list(rows))).encode(y=y, tooltip=tips, **offset)
    ends = [one[end] or 0 for one in rows for end in ("low", "high")]
    if domain is None:
        domain = (0, 1) if min(ends) >= 0 and not narrow else (min(-0.1, *ends), max(0.1, *ends))
    scale = alt.Scale(domain=list(domain), nice=narrow)
    x = alt.X(
        f"{value}:Q",
        title=title,
        axis=alt.Axis(format=_PERCENT, tickCount=5) if narrow else alt.Axis(format=_PERCENT),
        scale=scale,
    )
    bars = base.mark_rule(strokeWidth=3, opacity=0.45).encode(
        x=alt.X("low:Q", title=title, scale=scale), x2="high:Q", **paint
    )
    points = base.mark_point(filled=True, size=90, opacity=1).encode(x=x, **paint)
    ticks = base.mark_tick(thickness=2, size=16, style="chance-tick").encode(x=alt.X("chance:Q", title=title))
    step = max(28, 14 * len({one[colour] for one in rows}) + 12) if colour else 28
    layers = [ticks, bars, points]
    if each is not None:
        parts = [{row: one[row], value: share} for one in rows for share in one.get(each) or ()]
        circles = alt.Chart(_Rows(values=parts)).mark_point(filled=False, size=45, opacity=0.9)
        layers += [circles.encode(y=y, x=x, tooltip=_tooltips(parts, [row, value]))] if parts else []
    return _sized(alt.layer(*layers), step * len(names))


def lines(
    rows: Sequence[Row],
    x: str,
    value: str,
    *,
    titles: tuple[str, str],
    colour: str = "label",
    order: Sequence[str] = (),
    dash: str | None = None,
    log: bool = False,
    steps: bool = False,
    alone: bool = True,
) -> alt.LayerChart:
    """A share over a number, a line a cohort, with intervals and the chance line.

    Args:
        rows: With ``x``, ``value``, ``low``, ``high``, ``chance``, ``label`` and what ``colour`` and ``dash`` name.
        x: The number.
        value: The share.
        titles: Of both axes.
        colour: What is told apart by colour.
        order: What ``colour`` tells apart, in the order that it has by itself, such as sizes.
        dash: What is told apart by whole and broken lines.
        log: A logarithmic axis.
        steps: An axis on which its values are equally far apart.
        alone: Whether the only value of ``order`` is named in a legend.
    """
    base = alt.Chart(_Rows(values=list(rows)))
    tips = _tooltips(rows, ["label", x, value, "low", "high", "chance", "n", "n_graded"])
    scale = alt.Scale(type="log", nice=False, padding=16) if log else alt.Scale(zero=False, nice=False, padding=12)
    values = sorted({one[x] for one in rows})
    billions = "replace(format(datum.value, '~s'), 'G', 'B')"
    axis = (
        alt.Axis(labelExpr=billions, grid=False, tickCount=4)
        if log
        else alt.Axis(format="d", grid=False, values=values)
    )
    horizontal = alt.X(f"{x}:Q", title=titles[0], axis=axis, scale=scale)
    if steps:
        horizontal = alt.X(f"{x}:O", title=titles[0], axis=alt.Axis(format=",", labelAngle=0), scale=alt.Scale())
    encoded = base.encode(x=horizontal, color=_colour(colour, rows, order=order, alone=alone), detail="label:N")
    vertical = alt.Y(
        f"{value}:Q", title=titles[1], axis=alt.Axis(format=_PERCENT), scale=alt.Scale(domain=[0, 1], nice=False)
    )
    between = encoded.mark_rule(opacity=0.45, strokeWidth=2).encode(y=alt.Y("low:Q", title=titles[1]), y2="high:Q")
    line = encoded.mark_line(strokeWidth=2).encode(y=vertical, tooltip=tips)
    if dash:
        kinds = list(dict.fromkeys(one[dash] for one in rows))
        line = line.encode(strokeDash=alt.StrokeDash(f"{dash}:N", sort=kinds, legend=_legend(kinds, long=True)))
    shapes = {} if order else {"shape": _shape(colour, rows)}
    points = encoded.mark_point(filled=True, size=55, opacity=1).encode(y=vertical, tooltip=tips, **shapes)
    guess = base.mark_line(style="chance").encode(x=horizontal, y=alt.Y("mean(chance):Q", title=titles[1]))
    # A layer without a row would have no extent.
    beneath = [layer for layer, column in ((guess, "chance"), (between, "low")) if _any(rows, column)]
    return _sized(alt.layer(*beneath, line, points), 260)


def _any(rows: Sequence[Row], column: str) -> bool:
    return any(row.get(column) is not None for row in rows)


@dataclass(frozen=True)
class Redrawn:
    """A chart whose form was made once and is drawn of other rows: Altair takes 60 ms a chart, a report has hundreds.

    Attributes:
        form: The chart as Vega-Lite has it, without rows.
        rows: What it is drawn of.
    """

    form: Mapping[str, Any]
    rows: Sequence[Row]

    def to_dict(self, *, validate: bool = True) -> dict[str, Any]:  # noqa: ARG002 (as Altair's)
        """The chart as Vega-Lite has it, as a copy that is the caller's."""
        return {**copy.deepcopy(dict(self.form)), "data": {"values": list(self.rows)}}


def heat(
    rows: Sequence[Row],
    x: str,
    y: str,
    value: str,
    *,
    titles: tuple[str, str],
    targets: Sequence[int],
    small: bool,
) -> Redrawn:
    """A share a cell, target against recalled.

    Args:
        rows: With ``x``, ``y`` and ``value``.
        x: The number that was recalled.
        y: The number that there is.
        value: The share.
        titles: Of both axes.
        targets: All numbers that there are, so that pictures of several models have the same axes.
        small: One of many small pictures: percentages without their sign, and none below 5%.
    """
    columns = tuple(sorted({one[x] for one in rows} | set(targets)))
    form = _heat_form(x, y, value, titles, tuple(sorted(targets)), columns, tuple(rows[0]), small=small)
    return Redrawn(form, [{**one, "percent": 100 * one[value]} for one in rows])


@cache
def _heat_form(
    x: str,
    y: str,
    value: str,
    titles: tuple[str, str],
    targets: tuple[int, ...],
    columns: tuple[int, ...],
    names: tuple[str, ...],
    *,
    small: bool,
) -> Mapping[str, Any]:
    rows = [dict.fromkeys(names, 1) | dict.fromkeys((value, "low", "high", "chance"), 0.5) | {"label": ""}]
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X(f"{x}:O", title=titles[0], axis=alt.Axis(labelAngle=0), scale=alt.Scale(domain=columns)),
        y=alt.Y(f"{y}:O", title=titles[1], scale=alt.Scale(domain=targets[::-1])),
    )
    text = alt.Text("percent:Q", format=".0f") if small else alt.Text(f"{value}:Q", format=_PERCENT)
    known = [{name: one for name, one in row.items() if name in names} for row in rows]
    tips = _tooltips(known, ["label", y, x, value, "low", "high", "chance", "n", "n_graded"])
    cells = base.mark_rect(cornerRadius=2 if small else 3).encode(
        color=alt.Color(f"{value}:Q", scale=alt.Scale(domain=[0, 1]), legend=None), tooltip=tips
    )
    texts = [
        base.mark_text(fontSize=9 if small else 11, style=f"on-{shade}-cell")
        .encode(text=text, tooltip=tips)
        .transform_filter(where)
        for shade, where in (
            ("light", f"datum.{value} >= 0.05 && datum.{value} < 0.5"),
            ("dark", f"datum.{value} >= 0.5"),
        )
    ]
    made = _sized(alt.layer(cells, *texts), (20 if small else 30) * len(targets)).to_dict()
    return {name: part for name, part in made.items() if name not in ("config", "data", "datasets")}


def stacked(
    rows: Sequence[Row], colour: str, *, title: str, order: Sequence[str], hues: Sequence[str], tips: Sequence[str] = ()
) -> alt.LayerChart:
    """Shares that add up to one, a bar a cohort.

    Args:
        rows: With ``share``, ``label`` and what ``colour`` names.
        colour: What is told apart by colour.
        title: Of the axis.
        order: Its values from left to right.
        hues: Its values in the order in which they take the page's colours.
        tips: Further columns for those who point at a bar.
    """
    ranked = [{**one, "rank": order.index(one[colour])} for one in rows]
    cohorts = list(dict.fromkeys(one["label"] for one in rows))
    chart = (
        alt.Chart(_Rows(values=ranked))
        .mark_bar(cornerRadius=2)
        .encode(
            y=alt.Y("label:N", sort=cohorts, title=None, axis=_named()),
            x=alt.X("share:Q", title=title, axis=alt.Axis(format=_PERCENT), scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(f"{colour}:N", scale=alt.Scale(domain=list(hues)), legend=_legend(order)),
            order=alt.Order("rank:Q"),
            tooltip=_tooltips(rows, ["label", colour, "share", "low", "high", "chance", *tips, "n", "n_graded"]),
        )
    )
    return _sized(chart, 28 * len(cohorts))


def against_chance(
    rows: Sequence[Row], x: str, colour: str, *, titles: tuple[str, str], tips: Sequence[str] = ()
) -> alt.LayerChart:
    """Shares of kinds over a number, each with the chance line of its own.

    Args:
        rows: With ``x``, ``share``, ``low``, ``high``, ``chance`` and what ``colour`` names.
        x: The number.
        colour: The column of the kinds.
        titles: Of both axes.
        tips: Further columns for those who point at a dot.
    """
    base = alt.Chart(_Rows(values=list(rows))).encode(
        x=alt.X(f"{x}:O", title=titles[0], axis=alt.Axis(labelAngle=0)),
        color=_colour(colour, rows),
        tooltip=_tooltips(rows, [colour, x, "share", "low", "high", "chance", "n", *tips]),
    )
    share = alt.Y("share:Q", title=titles[1], axis=alt.Axis(format=_PERCENT), scale=alt.Scale(domain=[0, 1]))
    between = base.mark_rule(opacity=0.45, strokeWidth=2).encode(y=alt.Y("low:Q", title=titles[1]), y2="high:Q")
    line = base.mark_line(strokeWidth=2).encode(y=share)
    points = base.mark_point(filled=True, size=55, opacity=1).encode(y=share, shape=_shape(colour, rows))
    guess = base.mark_line(strokeDash=[3, 3], opacity=0.6).encode(y=alt.Y("chance:Q", title=titles[1]))
    return _sized(alt.layer(guess, between, line, points), 240)


def steps(
    rows: Sequence[Row],
    x: str,
    value: str,
    *,
    colour: str,
    filled: str,
    titles: tuple[str, str, str],
    tips: Sequence[str],
) -> alt.LayerChart:
    """A share after each step, a line a number of steps.

    Args:
        rows: With what is named here.
        x: The step.
        value: The share.
        colour: The number of steps in all.
        filled: Whether a point is filled.
        titles: Of both axes and of the colours.
        tips: Columns for those who point at a dot.
    """
    base = alt.Chart(_Rows(values=list(rows))).encode(
        x=alt.X(f"{x}:O", title=titles[0], axis=alt.Axis(labelAngle=0)),
        y=alt.Y(f"{value}:Q", title=titles[1], axis=alt.Axis(format=_PERCENT), scale=alt.Scale(domain=[0, 1])),
        color=alt.Color(f"{colour}:O", legend=alt.Legend(title=titles[2], orient="top", columns=8)),
        tooltip=_tooltips(rows, tips),
    )
    points = base.mark_point(size=60, opacity=1, strokeWidth=2).encode(
        fill=alt.condition(f"datum.{filled}", alt.Color(f"{colour}:O", legend=None), alt.value("transparent"))
    )
    return _sized(alt.layer(base.mark_line(strokeWidth=1.5, opacity=0.7), points), 240)


def _named() -> alt.Axis:
    """An axis of cohorts; on a phone their labels take two lines."""
    parts = "split(datum.label, ' · ')"
    narrow = f"width < 300 && length({parts}) > 1"
    two_lines = f"[{parts}[0], join(slice({parts}, 1), ' · ')]"
    return alt.Axis(
        labelExpr=f"{narrow} ? {two_lines} : datum.label",
        labelOffset=alt.ExprRef("width < 300 ? -6 : 0"),
        labelLineHeight=13,
    )


def _shape(field: str, rows: Sequence[Row]) -> alt.Shape:
    """Shapes for people who do not see the colours. The same domain as the colours' makes one legend of both."""
    names = list(dict.fromkeys(one[field] for one in rows))
    scale = alt.Scale(domain=names)
    return alt.Shape(f"{field}:N", scale=scale, legend=_legend(names) if len(names) > 1 else None)


def _colour(
    field: str | None,
    rows: Sequence[Row],
    hues: Sequence[str] = (),
    order: Sequence[str] = (),
    *,
    alone: bool = True,
) -> alt.Color:
    if order:
        legend = _legend(order, columns=7) if alone or len(order) > 1 else None
        return alt.Color(f"{field}:O", sort=list(order), scale=alt.Scale(domain=list(order)), legend=legend)
    names = list(dict.fromkeys(one[field] for one in rows if field))
    legend = _legend(names) if len(names) > 1 else None
    if hues:
        return alt.Color(f"{field}:N", scale=alt.Scale(domain=list(hues)), legend=legend)
    return alt.Color(f"{field}:N", scale=alt.Scale(domain=names), legend=legend)


def _legend(names: Sequence[str], columns: int = 3, *, long: bool = False) -> alt.Legend:
    """Names above a chart, as many side by side as fit; with long strokes if some lines are broken."""
    longest = max((len(str(name)) for name in names), default=0)
    columns = 2 if longest > 12 else min(columns, 4) if longest > 5 else columns
    on_a_phone = max(1, min(columns, 240 // (7 * longest + 30)))
    strokes: dict[str, Any] = {"symbolSize": 500, "symbolType": "stroke", "symbolStrokeWidth": 2} if long else {}
    return alt.Legend(
        title=None,
        values=list(names),
        orient="top",
        columns=alt.ExprRef(f"windowSize()[0] < 600 ? {on_a_phone} : {columns}"),
        labelLimit=260,
        symbolOpacity=1,
        **strokes,
    )


def _tooltips(rows: Sequence[Row], columns: Sequence[str]) -> list[alt.Tooltip]:
    found = [column for column in columns if any(column in row for row in rows)]
    return [_tooltip(column, [row.get(column) for row in rows]) for column in dict.fromkeys(found)]


def _tooltip(column: str, values: Sequence[object]) -> alt.Tooltip:
    title = column.replace("_", " ")
    if any(isinstance(value, float) for value in values):
        return alt.Tooltip(f"{column}:Q", title=title, format=".1%")
    if any(isinstance(value, int) for value in values):
        return alt.Tooltip(f"{column}:Q", title=title, format=",")
    return alt.Tooltip(f"{column}:N", title=title)


def _sized(chart: Any, height: int) -> alt.LayerChart:
    """A chart that fills its container; heights are numbers, since Vega-Lite fits no chart with steps."""
    # Not by `properties`, which makes the chart again and validates it against the whole schema.
    chart.width, chart.height = "container", height
    sized: alt.LayerChart = chart
    return sized
