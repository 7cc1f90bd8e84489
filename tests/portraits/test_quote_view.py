"""Texts with their quotes marked."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from selfknow.portraits import Quote
from selfknow.portraits.quote_view import as_html, as_terminal, marked_pieces

TEXT = "a <b> & ⟦c⟧ quoted words"


class TextOf(HTMLParser):
    """Collects the text of the page's text block, and the marked parts of it."""

    def __init__(self) -> None:
        super().__init__()
        self.inside, self.depth, self.text, self.marked = False, 0, "", []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "div":
            self.inside = ("class", "text") in attrs
        if tag == "mark" and self.inside:
            self.marked.append("")
            self.depth += 1

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "div"
        self.depth -= tag == "mark"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.text += data
            if self.depth:
                self.marked[-1] += data


def test_a_terminal_without_colour_shows_brackets() -> None:
    assert as_terminal("abcdef", [Quote(1, 3), Quote(4, 6)], colour=False) == "a⟦bc⟧d⟦ef⟧"
    assert as_terminal("abcdef", [Quote(0, 4), Quote(2, 6)], colour=False) == "⟦ab⟦cd⟧ef⟧"
    assert as_terminal("abcd", [Quote(0, 2), Quote(2, 4)], colour=False) == "⟦ab⟧⟦cd⟧"


def test_colour_marks_the_same_characters() -> None:
    shown = as_terminal("abcdef", [Quote(0, 4), Quote(2, 6)], colour=True)
    assert shown == "\x1b[30;42mab\x1b[0m\x1b[30;46mcd\x1b[0m\x1b[30;42mef\x1b[0m"


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), max_size=4))
def test_the_pieces_are_the_text(text: str, spans: list[tuple[int, int]]) -> None:
    quotes = [Quote(start, start + length) for start, length in spans if start + length <= len(text)]
    pieces = list(marked_pieces(text, quotes))
    assert "".join(piece for piece, _ in pieces) == text
    depths = [depth for piece, depth in pieces for _ in piece]
    assert depths == [sum(quote.start <= i < quote.end for quote in quotes) for i in range(len(text))]


def test_the_page_shows_the_text_as_it_is_and_needs_nothing_else() -> None:
    page = as_html(TEXT, [Quote(2, 7), Quote(12, 18)], [("QUIP", "<0.5>")])
    parser = TextOf()
    parser.feed(page)
    assert parser.text == TEXT
    assert parser.marked == [TEXT[2:7], TEXT[12:18]]
    assert "&lt;0.5&gt;" in page
    assert "http" not in page
