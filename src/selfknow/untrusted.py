"""Escapes for untrusted text, such as a model's reply, in a terminal, JSON or a spreadsheet.

A reply may hold escape sequences that colour, overwrite or retitle a terminal, marks that reverse the direction of a
line, and cells that a spreadsheet program would compute as formulas.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

_BLANK, _DELETE = 0x20, 0x7F
_CONTROL_PICTURES = 0x2400  # U+2400 is the visible symbol of U+0000, U+2401 of U+0001, …
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Control characters, marks of direction, separators of lines and paragraphs, and halves of surrogate pairs.
_MARKS = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
# U+FFFE and U+FFFF are not characters, and an SVG file cannot hold them.
_UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f{_MARKS}\ud800-\udfff\ufffe\uffff]")
_UNSAFE_IN_JSON = re.compile(f"[{_MARKS}\ud800-\udfff]")
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def for_terminal(text: str) -> str:
    r"""Make a text's control characters visible, so that a terminal does not obey them; newlines and tabs stay.

    Example:
        >>> for_terminal("a\x1b[31mb")
        'a␛[31mb'
    """
    return _UNSAFE.sub(lambda match: _make_visible(ord(match[0])), text)


def for_label(text: str) -> str:
    r"""Put a name on one line and make its control characters visible.

    Example:
        >>> for_label("a\x1b[31mb\nc")
        'a␛[31mb␊c'
    """
    return for_terminal(text).translate({ord("\n"): "\N{SYMBOL FOR LINE FEED}", ord("\t"): " "})


def for_display(value: Any) -> Any:
    r"""Make control characters visible in all texts of a JSON value, including keys; NaN and infinity become null.

    Example:
        >>> for_display({"mod\x1bel": ["a\x07", float("nan"), 1.5]})
        {'mod␛el': ['a␇', None, 1.5]}
    """
    if isinstance(value, str):
        return for_terminal(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {for_terminal(key) if isinstance(key, str) else key: for_display(item) for key, item in value.items()}
    return [for_display(item) for item in value] if isinstance(value, list | tuple) else value


def _make_visible(code: int) -> str:
    if code < _BLANK:
        return chr(_CONTROL_PICTURES + code)
    return "\N{SYMBOL FOR DELETE}" if code == _DELETE else _REPLACEMENT


def for_json(text: str) -> str:
    r"""Escape the control characters of a JSON document; its content stays the same.

    Example:
        >>> for_json('["\x9b31m"]')
        '["\\u009b31m"]'
    """
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def for_spreadsheet(value: object) -> object:
    """Put an apostrophe before a cell that a spreadsheet program would compute as a formula.

    Numbers stay unchanged, even as text. Source: OWASP, CSV Injection.

    Example:
        >>> for_spreadsheet("=1+1"), for_spreadsheet("-0.5"), for_spreadsheet(-0.5)
        ("'=1+1", '-0.5', -0.5)
    """
    if not isinstance(value, str) or not _FORMULA.match(value) or _is_number(value):
        return value
    return f"'{value}"


def from_spreadsheet(cell: str) -> str:
    """Return the text of a cell; this undoes :func:`for_spreadsheet`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.strip() == text
