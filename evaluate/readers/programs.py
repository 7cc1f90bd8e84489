"""Readers of programs in replies, and of the outputs that replies predict for a program."""

import re

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.readers.words import only
from selfknow.evaluate.replies import Excerpt, fenced_blocks, plain, unquoted, without_postscript, without_preamble

_PRINTS = (
    r"(?:prints?|printed|outputs?|output|results?|produces?|displays?|execut\w+|return(?:s|ed)?|program|code|snippet)"
)
_TALKS = re.compile(rf"\b{_PRINTS}\b", re.IGNORECASE)
_PRINTED_BLOCK = re.compile(rf"(?:\b{_PRINTS}\b|\bwill show\b|\bgives?\b)[^\n]{{0,80}}\s*\Z", re.IGNORECASE)
_LANGUAGES = ("python", "py", "python3")
_NO_PROGRAM = ("output", "text", "txt", "console", "plaintext", "shell", "bash", "sh", "plain")
_BEHIND = re.compile(
    r"^[^\n]*(?:\b(?:prints?|printed|outputs?|is|be|are|displays?|returns?|produces?|results? in)\b|(?<=[a-z]):)"
    r"(?: out)?(?: the (?:following|number|word|list|string|text|value|line|result|output))?"
    r"(?: exactly| simply| just)?:?"
    r"[ \t]+(?P<value>\S[^\n]*)$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^[ \t*_#>-]*(?:the )?(?:final |expected |program )?output(?: is)?[*_]*\s?:[*_]*[ \t]*\n?", re.IGNORECASE
)
_INTRODUCED = re.compile(
    rf"\b{_PRINTS}\b[^\n]{{0,80}}:[*_]{{0,3}}[ \t]*\n\s*(\S[^\n]{{0,200}})(?=\n[ \t]*\n|\s*\Z)", re.IGNORECASE
)
_FAILS = re.compile(
    r"\b(?:rais\w+|throws?|thrown|fails? with|crash\w*|results? in|produces?|causes?|leads? to|encounters?|gives?|get)"
    r"(?: (?:an?|the))?[ `*]+[\w.]*(?:Error|Exception)\b|"
    r"(?i:\b(?:nothing (?:is|will be|gets) (?:printed|output|displayed)|prints nothing|no output|"
    r"(?:does|do|will|would)(?:n['’]t| not) (?:print|output|display|produce) any(?:thing|\b)))"
)
_CATCHES = re.compile(r"\b(?:caught|catch(?:es)?|handle[sd]?|except(?:s|ed)?)\b", re.IGNORECASE)
_PRINTS_PLAINLY = re.compile(
    r"\b(?:will|would|['’](?:ll|d)|to|simply|just) (?:print|output|display|show|return)(?: out)?[ \t]+"
    r"(?P<value>[-+]?\d[\d,.]*\d|[-+]?\d)(?=[.!]?\s*$|"
    r"[.,]? (?:to|on|in) (?:the|your|its)? ?(?:console|screen|terminal|output|stdout))",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_TICKED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def read_program(excerpt: Excerpt) -> tuple[Excerpt | None, str | None]:
    """Return the program in a reply: the only code block that is not output, or the whole text if there is no block.

    Args:
        excerpt: The reply without its thinking.

    Returns:
        The program and None, or None and the reason.
    """
    blocks = list(fenced_blocks(excerpt))
    if not blocks:
        return without_postscript(without_preamble(excerpt)).stripped(), None
    programs = [block for language, block in blocks if language in _LANGUAGES]
    if not programs:
        programs = [
            block
            for place, (language, block) in enumerate(blocks)
            if language not in _NO_PROGRAM and not (place and _is_printed(excerpt, blocks[place - 1][1], block))
        ]
    programs = [block for block in programs if block.text.strip()]
    if len(programs) == 1:
        return programs[0].stripped(), None
    return None, "several code blocks" if programs else "no code block"


def _is_printed(excerpt: Excerpt, before: Excerpt, block: Excerpt) -> bool:
    """Return true if the text between two blocks announces the second one as output."""
    text_between = excerpt.reply[before.end : block.start].replace("```", "")
    return bool(_PRINTED_BLOCK.search(text_between.rstrip().rstrip(":*_ ")))


def printed(text: str) -> str:
    """Return an output without white space around it and at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def read_output(text: str) -> Outcome[str]:
    """Return the output that a text predicts for a program.

    It is the only code block or code span, or the text after "prints". A text that does not mention programs is itself
    the output. Quotation marks and Markdown around an output are removed.

    Example:
        >>> read_output("The program prints `42`."), read_output("**42**").value
        (Outcome(value='42', reason=None), '42')
    """
    excerpt = Excerpt(text, 0, len(text)).stripped()
    if label := _LABEL.match(excerpt.text):
        excerpt = excerpt.part(label.end()).stripped()
    blocks = [
        block for language, block in fenced_blocks(excerpt) if language not in _LANGUAGES or "print" not in block.text
    ]
    if len(blocks) > 1:
        return Outcome(None, "several code blocks")
    if blocks:
        return Outcome(printed(blocks[0].text))
    if _FAILS.search(excerpt.text) and not _CATCHES.search(excerpt.text):
        return Outcome(None, "an error, or nothing printed")
    if not _TALKS.search(excerpt.text) or (label and "\n\n" not in excerpt.text):
        return Outcome(printed(_value(excerpt.text)))
    return _output_in_sentences(excerpt.text)


def _output_in_sentences(text: str) -> Outcome[str]:
    """Return the output that sentences predict for a program."""
    values = [_value(value) for value in _INTRODUCED.findall(text)]
    if values and not any(_TALKS.search(value) or value.endswith(":") for value in values):
        return only("output", map(printed, values))
    if ticked := _TICKED.findall(text):
        return only("piece of code", map(printed, _last_ticked(text) or ticked))
    first, _, rest = text.partition("\n")
    if first.rstrip("*_ ").endswith(":") and _TALKS.search(first) and rest.strip() and not _TALKS.search(rest):
        return Outcome(printed(_value(rest)))
    last = text.splitlines()[-1]
    before = text[: len(text) - len(last)].rstrip("*_ \n")
    if before.endswith(":") and _TALKS.search(before.splitlines()[-1]) and not _TALKS.search(last):
        return Outcome(printed(_value(last)))
    if len(bold := _BOLD.findall(text)) == 1 and not _TALKS.search(bold[0]):
        return Outcome(printed(_value(bold[0])))
    if prediction := _BEHIND.match(last):
        value = prediction["value"] if prediction["value"].endswith("..") else prediction["value"].removesuffix(".")
        if len(value.split()) == 1 or value[:1] in tuple("[({'\"“*"):
            return Outcome(printed(_value(value)))
    plainly = {match["value"] for match in _PRINTS_PLAINLY.finditer(text)}
    return Outcome(plainly.pop()) if len(plainly) == 1 else Outcome(None, "no output")


def _last_ticked(text: str) -> list[str]:
    """Return the code spans directly after "prints", "output is" or similar words."""
    return re.findall(rf"(?:\b{_PRINTS}|\bis|\bbe)(?:[^\S\n]|:|,)*(?:\*\*)?`([^`\n]+)`", text, re.IGNORECASE)


def _value(text: str) -> str:
    """Return a value without quotation marks and Markdown around it, and a formula without LaTeX."""
    ticks = min(len(text) - len(text.lstrip("`")), len(text) - len(text.rstrip("`")), len(text) // 2)
    if ticks:
        return text[ticks : len(text) - ticks].strip()
    inner = unquoted(Excerpt(text, 0, len(text))).text
    if inner.startswith(("$", "\\(", "\\[")):
        return plain(inner).strip()
    return inner.strip()
