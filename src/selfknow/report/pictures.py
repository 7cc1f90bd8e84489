"""Figures as SVG or PNG files. All charts of a figure are drawn in one picture, without a browser."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.files import check_output, write_whole
from selfknow.report.shape import Panel, panel_groups
from selfknow.sql.queries import Query
from selfknow.untrusted import for_display

_PIXELS_PER_POINT = 2
_WIDTH = 640  # of a single chart, in points
_ROW_WIDTH = 960  # of charts side by side, without their axes
_GAP = 28  # between charts
_CONFIG = {"axisY": {"labelLimit": 360}}  # Vega's own limit of 180 pixels cuts off the names of models with settings


Chart = dict[str, Any]
"""A chart as a Vega-Lite specification."""


def specification(panel: Panel) -> Chart:
    """Return a panel's Vega-Lite specification, without Altair's theme."""
    # Altair's validation is slow, and a report has hundreds of charts. A test validates every kind of chart.
    chart: Chart = panel.chart.to_dict(validate=False)
    chart.pop("config", None)
    displayed: Chart = for_display(chart)
    return displayed


def compose(query: Query, panels: Sequence[Panel]) -> Chart:
    """Return all panels as one chart: side by side in rows, one group below the other.

    Args:
        query: The query, whose title is the heading.
        panels: At least one panel.
    """
    heading: Chart = {"text": query.title, "subtitle": query.source}
    if len(panels) == 1:
        [panel] = panels
        names = [name for name in (panel.group, panel.title) if name]
        heading["subtitle"] = " · ".join(names) or query.source
        return {**_sized(panel, _WIDTH), "title": heading, "config": _CONFIG}
    rows = [_row(name, group) for name, group in panel_groups(panels).items()]
    charts = [chart for row in rows for chart in row["concat"]]
    shared: Chart = {
        "datasets": {name: data for chart in charts for name, data in chart.pop("datasets", {}).items()},
        "params": [param for chart in charts for param in chart.pop("params", ())],
    }
    return {
        **shared,
        "title": heading,
        "vconcat": rows,
        "spacing": 2 * _GAP,
        "resolve": _resolve(charts),
        "config": _CONFIG,
    }


def _row(name: str, panels: Sequence[Panel]) -> Chart:
    most_columns = panels[0].columns
    columns = min(most_columns, len(panels))
    width = (_ROW_WIDTH - _GAP * (most_columns - 1)) // most_columns if columns > 1 else _WIDTH
    charts = [{**_sized(panel, width), "title": {"text": panel.title, "fontSize": 12}} for panel in panels]
    row: Chart = {"concat": charts, "columns": columns, "spacing": _GAP, "resolve": _resolve(charts)}
    return {**row, "title": {"text": name, "fontSize": 14}} if name else row


def _sized(panel: Panel, width: int) -> Chart:
    chart = specification(panel)
    chart.pop("autosize", None)
    chart.pop("$schema", None)
    return {**chart, "width": width}


def _resolve(charts: Iterable[Chart]) -> Chart:
    """Return the resolution of scales: charts share a legend if their colours have the same meaning."""
    encodings = {json.dumps(_colour_encodings(chart), sort_keys=True) for chart in charts}
    resolution = "shared" if len(encodings) == 1 else "independent"
    channels = {"color": resolution, "strokeDash": resolution}
    return {"scale": channels, "legend": channels}


def _colour_encodings(chart: Chart) -> list[Any]:
    return [layer.get("encoding", {}).get("color") for layer in chart.get("layer", [chart])]


def svg(chart: Chart) -> bytes:
    """Return the chart as SVG; control characters are replaced, since vl-convert would end the process over them."""
    import vl_convert

    return vl_convert.vegalite_to_svg(for_display(chart), config=_THEME).encode()


def png(chart: Chart) -> bytes:
    """Return the chart as PNG, with two pixels per point.

    Raises:
        UserError: The chart is too large for PNG.
    """
    import vl_convert

    try:
        return bytes(vl_convert.vegalite_to_png(for_display(chart), config=_THEME, scale=_PIXELS_PER_POINT))
    except ValueError as error:
        raise UserError(f"the figure cannot be drawn as PNG: use --out FIGURE.svg ({error})") from error


def write_picture(chart: Chart, path: Path) -> None:
    """Write a chart as SVG or PNG, by the ending of the file's name."""
    check_output(path, (".svg", ".png"))
    write_whole(path, png(chart) if path.suffix.lower() == ".png" else svg(chart))


_THEME = {
    "background": "white",
    "padding": 16,
    "view": {"stroke": None},
    "mark": {"color": "#1a6f68"},
    "rule": {"color": "#1a6f68"},
    "point": {"color": "#1a6f68"},
    "title": {"anchor": "start", "fontSize": 15, "subtitleColor": "#6b6862", "offset": 12},
    "axis": {"gridColor": "#e4e1da", "domainColor": "#e4e1da", "tickColor": "#e4e1da", "titleFontWeight": 400},
    "range": {
        "category": ["#1a6f68", "#d1782f", "#7a3fc4", "#1f1b4d", "#6b2415", "#837cbf", "#736034", "#5b2a8c"],
        "ramp": ["#f3f1ec", "#9fcac4", "#1a6f68", "#0c3f3b"],
        "heatmap": ["#f3f1ec", "#9fcac4", "#1a6f68", "#0c3f3b"],
        # Matplotlib's plasma from dark to light, without its lightest hues, which white paper would hide. The order is
        # visible to readers who cannot tell red from green.
        "ordinal": {"scheme": ["#0d0887", "#5b02a3", "#9a179b", "#cb4678", "#e76f5a", "#f0804e"]},
    },
    "style": {
        "chance": {"stroke": "#6b6862", "color": "#6b6862", "strokeDash": [4, 4]},
        "chance-tick": {"color": "#6b6862"},
        "on-light-cell": {"color": "#1f1e1c"},
        "on-dark-cell": {"color": "white"},
    },
}
