"""A program in a reply, and what a reply says that a program prints."""

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
    """Return the program of a reply: its one block of code that is no output, or everything where there is no block.

    Args:
        excerpt: The reply without its thinking.

    Returns:
        The part that is the program, or null with the reason.
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
    """Return true if a block after another one is introduced as what is printed."""
    between = excerpt.reply[before.end : block.start].replace("```", "")
    return bool(_PRINTED_BLOCK.search(between.rstrip().rstrip(":*_ ")))


def printed(text: str) -> str:
    """Return a program's output without white space at the ends of lines and around it."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def read_output(text: str) -> Outcome[str]:
    """Return the output that a text claims for a program: its only block or code span, or the text after "prints".

    A text that says nothing of programs is the output itself. Quotation marks and Markdown around it are no part of it.

    Example:
        >>> read_output("The program prints `42`."), read_output("**42**").value
        (Outcome(value='42', reason=None), '42')
    """
    whole = Excerpt(text, 0, len(text)).stripped()
    if label := _LABEL.match(whole.text):
        whole = whole.part(label.end()).stripped()
    blocks = [
        block for language, block in fenced_blocks(whole) if language not in _LANGUAGES or "print" not in block.text
    ]
    if len(blocks) > 1:
        return Outcome(None, "several code blocks")
    if blocks:
        return Outcome(printed(blocks[0].text))
    if _FAILS.search(whole.text) and not _CATCHES.search(whole.text):
        return Outcome(None, "an error, or nothing printed")
    if not _TALKS.search(whole.text) or (label and "\n\n" not in whole.text):
        return Outcome(printed(_value(whole.text)))
    return _of_sentences(whole.text)


def _of_sentences(text: str) -> Outcome[str]:
    """Return the outputs that sentences claim for a program."""
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
    if behind := _BEHIND.match(last):
        value = behind["value"] if behind["value"].endswith("..") else behind["value"].removesuffix(".")
        if len(value.split()) == 1 or value[:1] in tuple("[({'\"“*"):
            return Outcome(printed(_value(value)))
    plainly = {match["value"] for match in _PRINTS_PLAINLY.finditer(text)}
    return Outcome(plainly.pop()) if len(plainly) == 1 else Outcome(None, "no output")


def _last_ticked(text: str) -> list[str]:
    """Return the pieces of code right after "prints", "output is" and the like."""
    return re.findall(rf"(?:\b{_PRINTS}|\bis|\bbe)(?:[^\S\n]|:|,)*(?:\*\*)?`([^`\n]+)`", text, re.IGNORECASE)


def _value(text: str) -> str:
    """Return a value without the marks around it, and without the LaTeX of a formula."""
    ticks = min(len(text) - len(text.lstrip("`")), len(text) - len(text.rstrip("`")), len(text) // 2)
    if ticks:
        return text[ticks : len(text) - ticks].strip()
    inner = unquoted(Excerpt(text, 0, len(text))).text
    if inner.startswith(("$", "\\(", "\\[")):
        return plain(inner).strip()
    return inner.strip()
