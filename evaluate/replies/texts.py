"""A requested text, without the chat model's remarks around it."""

import re

from selfknow.evaluate.replies.excerpt import Excerpt, fenced_blocks
from selfknow.evaluate.replies.thinking import without_thinking

_COURTESY = r"(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok|alright|gladly|great|no problem|yes|understood)"
_OFFERS = (
    r"(?:here(?:['’]s| is| are| you go| it is)|below (?:is|are)|this is|the following|as requested|"
    r"i(?:['’]ve| have| will|['’]ll| can|['’]d) )"
)
_TEXTS = (
    r"(?:paragraph|text|passage|question|problem|program|code|script|statement|inequality|sentence|statistics|stats|"
    r"name|person|celebrity|paper|example|story|answer|one|version|words)"
)
_LABEL = rf"(?:(?:final|new|sample|the|my|your) )?{_TEXTS}"
_AROUND = r"[ \t*_#>\"“”-]*"
_PREAMBLES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_AROUND}{_COURTESY}\b[^\n]{{0,200}}?[:!.…]{_AROUND}\n+",
        rf"{_AROUND}{_OFFERS}[^\n]{{0,250}}?:{_AROUND}\n+",
        rf"(?:{_COURTESY}[!,.]\s+)?{_OFFERS}[^\n:]{{0,160}}\b{_TEXTS}\b[^\n:]{{0,120}}:{_AROUND}[ \t]+",
        r"(?:sure(?: thing)?|certainly|of course|absolutely|gladly)!\s+",
        rf"{_AROUND}{_LABEL}{_AROUND}:{_AROUND}\s*",
        r"#{1,6} [^\n]{0,200}\n+",
        r"\*\*[^*\n]{1,100}\*\*[ \t]*\n\n+",
        r"(?:[-*_] ?){3,}\n+",
    )
)
_COUNTS = r"(?:total )?(?:word count|words?|number of words|count|total|length)"
_TEXT_KINDS = r"(?:paragraph|text|passage|question|problem|program|code|script|inequality|statement)"
_REMARKS = (
    r"let me know|(?:i )?hope (?:this|that|it) (?:helps|is|works|meets|was)|please (?:let me|note)|feel free to|"
    r"would you like|do you want me|if you(?:['’]d| would) like|"
    r"if you (?:need|want|have) (?:any|more|another|further|me)|is there anything|(?:a |please )?note(?: that|[*_ ]*:)|"
    r"(?:explanation|breakdown|how it works|(?:expected |the )?output|proof|solution|hint|"
    r"(?:the )?(?:correct |final |right )?answer)\b[*_ ]*(?::|\n|is\b)|"
    rf"(?:this|the) (?:above )?{_TEXT_KINDS} (?:above |below )?(?:has|have|contains?|consists|is|uses|mentions|prints?|"
    r"names|includes|meets|satisfies|holds|will|works|asks|requires|outputs|follows)\b|"
    rf"in (?:this|the) {_TEXT_KINDS}\b|the word [\"“'*]+\w+[\"”'*]+ (?:occurs|appears)|when (?:run|executed)|"
    r"i (?:have )?(?:counted|made sure|used the|wrote|written|included)|that['’]s (?:exactly )?\d+"
)
_POSTSCRIPT = re.compile(
    rf"\n[ \t]*\n[ \t(\[*_#>-]*(?:{_REMARKS}|{_COUNTS}\W{{0,4}}[:=]|\d+ words\b)|"
    rf"\n[ \t(\[*_#>-]*(?:let me know|i hope this|note:|explanation:|(?:final |correct )?answer\b[*_]*:|"
    rf"{_COUNTS}[*_]*\s?[:=]|\(?\d+ words\)?[ \t*_]*(?:\n|\Z))|"
    r"\n[ \t]*(?:[-*_] ?){3,}[ \t]*(?:\n|\Z)",
    re.IGNORECASE,
)
_WORD_COUNT_AT_END = re.compile(
    rf"\s*[(\[*_]{{1,4}}(?:{_COUNTS}\s*[:=]\s*\d+|(?:exactly )?\d+ words)[^\n\w]{{0,6}}\Z", re.IGNORECASE
)
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "'": "'", "‘": "’"}


def asked_text(reply: str | Excerpt, prompt: str = "") -> Excerpt:
    r"""Return the requested text in a reply, without the chat model's remarks around it.

    Args:
        reply: The raw reply, or the result of an earlier step.
        prompt: The rendered prompt (see :func:`without_thinking`).

    Example:
        >>> asked_text("Sure! Here is a text:\n\nThe river runs on.\n\n(Word count: 4)").text
        'The river runs on.'
    """
    excerpt = without_preamble(without_thinking(reply, prompt) if isinstance(reply, str) else reply)
    blocks = list(fenced_blocks(excerpt))
    if len(blocks) == 1 and not excerpt.text[: blocks[0][1].start - excerpt.start].partition("```")[0].strip():
        return blocks[0][1].stripped()
    return unquoted(without_postscript(excerpt))


def without_preamble(excerpt: Excerpt) -> Excerpt:
    """Return a text without its introduction: "Sure! Here is a paragraph:", a heading, a horizontal line."""
    excerpt = excerpt.stripped()
    for _ in range(6):  # a reply may have several, such as a courtesy and a heading
        opening = next(
            (match for preamble in _PREAMBLES if (match := preamble.match(excerpt.reply, excerpt.start, excerpt.end))),
            None,
        )
        if opening is None or not excerpt.reply[opening.end() : excerpt.end].strip():
            break
        excerpt = excerpt.part(opening.end() - excerpt.start).stripped()
    return excerpt


def without_postscript(excerpt: Excerpt) -> Excerpt:
    """Return a text without the remarks after it, such as "(Word count: 56)" or "Let me know …"."""
    if remark := _POSTSCRIPT.search(excerpt.reply, excerpt.start, excerpt.end):
        excerpt = excerpt.part(0, remark.start() - excerpt.start).stripped()
    if word_count := _WORD_COUNT_AT_END.search(excerpt.reply, max(excerpt.start, excerpt.end - 60), excerpt.end):
        excerpt = excerpt.part(0, word_count.start() - excerpt.start)
    return excerpt


def unquoted(excerpt: Excerpt) -> Excerpt:
    """Return a text without quotation marks or Markdown around all of it."""
    for _ in range(4):
        excerpt, text = excerpt.stripped(), excerpt.stripped().text
        mark = next((item for item in ("***", "**", "__", "*", "_", "`") if text.startswith(item)), "")
        close = mark or _QUOTES.get(text[:1], "")
        inner = text[len(close) : len(text) - len(close)]
        if not close or not text.endswith(close) or not inner.strip() or text[:1] in inner or close in inner:
            break
        excerpt = excerpt.part(len(close), len(text) - len(close))
    return excerpt.stripped()
