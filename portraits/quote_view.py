"""A text with its quotes marked, for the terminal and as a self-contained HTML page."""

import itertools
from collections.abc import Iterator, Sequence
from html import escape

from selfknow.portraits.quotes import Quote
from selfknow.untrusted import for_terminal

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Quotes</title>
<style>
  body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
         color: #1b1b1b; background: #fff }}
  .text {{ white-space: pre-wrap; overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: 15px }}
  mark {{ background: #d7ebc5; color: inherit; padding: .1em 0 }}
  mark.several {{ background: #9dcb73; text-decoration: underline }}
  table {{ border-collapse: collapse; margin: 1rem 0 }}
  th, td {{ text-align: left; padding: .15rem 1rem .15rem 0; vertical-align: top; overflow-wrap: anywhere }}
  td.n, th.n {{ text-align: right; font-variant-numeric: tabular-nums }}
  @media screen and (prefers-color-scheme: dark) {{
    body {{ color: #e6e6e6; background: #181818 }} mark {{ background: #38562a }} mark.several {{ background: #57863d }}
  }}
</style>
<main>
<h1>Quotes</h1>
<table>{facts}</table>
<p>Marked characters are part of a quote: the same characters stand in the corpus. If two separate quotes overlap, the
mark is darker and underlined. A mark does not say that the text is true, nor who wrote it first.</p>
<div class="text">{text}</div>
<h2>{count}, the longest first</h2>
<table><tr><th scope="col" class="n">start</th><th scope="col" class="n">end</th><th scope="col" class="n">length</th>
<th scope="col">quote</th></tr>
{rows}</table>
</main>
</html>
"""


def marked_pieces(text: str, quotes: Sequence[Quote]) -> Iterator[tuple[str, int]]:
    """Yield the text in pieces, each with the number of quotes that it is part of."""
    steps: dict[int, int] = {0: 0, len(text): 0}
    for quote in quotes:
        steps[quote.start] = steps.get(quote.start, 0) + 1
        steps[quote.end] = steps.get(quote.end, 0) - 1
    depth = 0
    bounds = sorted(steps)
    for start, end in itertools.pairwise(bounds):
        depth += steps[start]
        yield text[start:end], depth


def as_terminal(text: str, quotes: Sequence[Quote], *, colour: bool) -> str:
    """Return the text with its quotes coloured, or in brackets without colour; control characters are made visible."""
    text = for_terminal(text)
    if colour:
        return "".join(_coloured(piece, depth) for piece, depth in marked_pieces(text, quotes))
    marks: dict[int, str] = {}
    # Closing brackets come before opening ones at the same place, so that adjacent quotes do not look nested.
    for quote in quotes:
        marks[quote.end] = marks.get(quote.end, "") + "⟧"
    for quote in quotes:
        marks[quote.start] = marks.get(quote.start, "") + "⟦"
    return "".join(marks.get(i, "") + text[i : i + 1] for i in range(len(text) + 1))


def _coloured(piece: str, depth: int) -> str:
    """Return a piece that is part of ``depth`` quotes: plain, on green, or on cyan if it is part of several."""
    if not depth:
        return piece
    background = "42" if depth == 1 else "46"
    return f"\x1b[30;{background}m{piece}\x1b[0m"


def _marked(piece: str, depth: int) -> str:
    if not depth:
        return escape(piece)
    attribute = " class=several" if depth > 1 else ""
    return f"<mark{attribute}>{escape(piece)}</mark>"


def as_html(text: str, quotes: Sequence[Quote], facts: Sequence[tuple[str, str]]) -> str:
    """Return a page with the text, its quotes marked, and a table of them.

    Args:
        text: The text before normalisation.
        quotes: The text's quotes.
        facts: Names and values to show on top.
    """
    marked = "".join(_marked(piece, depth) for piece, depth in marked_pieces(text, quotes))
    longest = sorted(quotes, key=lambda quote: (quote.start - quote.end, quote.start))
    rows = "".join(
        f'<tr><td class="n">{quote.start}</td><td class="n">{quote.end}</td>'
        f'<td class="n">{quote.end - quote.start}</td>'
        f"<td>{escape(text[quote.start : quote.end])}</td></tr>\n"
        for quote in longest
    )
    head = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in facts)
    return _PAGE.format(
        facts=head, text=marked, count="1 quote" if len(quotes) == 1 else f"{len(quotes):,} quotes", rows=rows
    )
