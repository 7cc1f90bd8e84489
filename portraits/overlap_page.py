"""The overlap of a benchmark with a corpus as a self-contained HTML page."""

from collections.abc import Iterable
from html import escape

from selfknow.portraits.overlap import Overlap, RowOverlap
from selfknow.portraits.quote_view import marked_pieces

ROWS_SHOWN = 100  # the rows with the longest spans
_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Overlap</title>
<style>
  body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
         color: #1b1b1b; background: #fff }}
  .text {{ white-space: pre-wrap; overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: 14px }}
  mark {{ background: #d7ebc5; color: inherit; padding: .1em 0 }}
  table {{ border-collapse: collapse; margin: 1rem 0 }}
  th, td {{ text-align: left; padding: .25rem 1rem .25rem 0; vertical-align: top; overflow-wrap: anywhere }}
  td.n, th.n {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }}
  @media screen and (prefers-color-scheme: dark) {{
    body {{ color: #e6e6e6; background: #181818 }} mark {{ background: #38562a }}
  }}
</style>
<main>
<h1>Overlap</h1>
<table>{facts}</table>
<p>Marked spans of {min_span} characters or more stand in the corpus{words}. A hit says that the same {width} characters
stand there, not that a model was trained on the row. A benchmark that shares nothing with the corpus would still show
about {expected} hits among {ngrams} n-grams ({low} to {high} in 95 of 100 cases).</p>
<h2>{shown} of {total} rows, the longest span first</h2>
<table><tr><th scope="col" class="n">row</th><th scope="col" class="n">share</th>
<th scope="col" class="n">longest span</th><th scope="col">text</th></tr>
{rows}</table>
</main>
</html>
"""


def as_html(overlap: Overlap, facts: Iterable[tuple[str, str]]) -> str:
    """Return the page: the numbers of the whole benchmark, and the rows with the longest spans.

    Args:
        overlap: The measured overlap.
        facts: Names and values to show on top.
    """
    summary = overlap.summary()
    rows_shown = sorted(overlap.rows, key=lambda row: (-row.longest_span, row.row))[:ROWS_SHOWN]
    shares = [(name, _format_number(value)) for name, value in summary.items()]
    return _PAGE.format(
        facts="".join(
            f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in [*facts, *shares]
        ),
        min_span=overlap.min_span,
        words=", cut to whole words" if overlap.whole_words else "",
        width=overlap.width,
        ngrams=f"{summary['ngrams']:,}",
        expected=_format_number(summary["false_hits_expected"]),
        low=f"{summary['false_hits_low']:,}",
        high=f"{summary['false_hits_high']:,}",
        shown=f"{len(rows_shown):,}",
        total=f"{len(overlap.rows):,}",
        rows="".join(map(_row, rows_shown)),
    )


def _row(row: RowOverlap) -> str:
    text = "".join(
        f"<mark>{escape(piece)}</mark>" if depth else escape(piece)
        for piece, depth in marked_pieces(row.text or "", row.spans)
    )
    numbers = (f"{row.row:,}", _format_number(row.share), f"{row.longest_span:,}")
    cells = "".join(f'<td class="n">{number}</td>' for number in numbers)
    return f'<tr>{cells}<td class="text">{text}</td></tr>\n'


def _format_number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
