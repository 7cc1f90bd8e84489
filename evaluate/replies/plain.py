"""Removal of Markdown and LaTeX, for readers of values; the result is not a slice, and is never stored."""

import re

_LATEX = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<=\d)\{,\}(?=\d)", ","),
        (r"\\(?:text|mathrm|mathbf|mathit|texttt|textbf|operatorname)\s*\{([^{}]*)\}", r"\1"),
        (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1/\2"),
        (r"\\(?:boxed|fbox)\s*\{([^{}]*)\}", r"\1"),
        (r"(?<=\d)\\[,!](?=\d)", ""),
        (r"\\[()\[\],;! ]|\\(?:left|right|displaystyle)\b", ""),
        (r"\\([%$#&_{}])", r"\1"),
    )
)
_MARKDOWN = re.compile(
    r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|^[ \t]*#{1,6} |^[ \t]*> ?|`{1,3}", re.MULTILINE
)
_MARK = re.compile(r"[*_#>`]")  # a fast check: all Markdown has one of these, and most sentences have none
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\((https?://[^\s()]*)\)")


def plain(text: str) -> str:
    r"""Return a text without Markdown and LaTeX, for readers of values.

    Example:
        >>> plain(r"**The answer** is $\boxed{1{,}000}$.")
        'The answer is 1,000.'
    """
    if "](http" in text:
        text = _LINK.sub(r"\1 \2", text)
    if "\\" in text or "{,}" in text:
        for pattern, replacement in _LATEX:
            text = pattern.sub(replacement, text)
    text = text.replace("$", "")
    return _MARKDOWN.sub("", text) if _MARK.search(text) else text
