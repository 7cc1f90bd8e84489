"""Readers of a word, a letter, an arXiv identifier, a name from a list or a person's name in a reply."""

import re
from collections.abc import Iterable

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.readers.sentences import concludes, sentences, without_asides
from selfknow.evaluate.replies import Excerpt, plain, unquoted

_BARE = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
_MARK = r"(?:\*\*([^*\n]+)\*\*|[\"“]([^\"”\n]+)[\"”]|`([^`\n]+)`|(?<!\w)['‘]([^'’\n]+)['’](?!\w)|\*([^*\n]+)\*)"
_MARKED = re.compile(_MARK)
_STATED = re.compile(
    rf"(?:\b(?:is|be|was|becomes|answer)|:)\s*(?:\n\s*)?(?:the word |simply )?(?:\*\*)?{_MARK}", re.IGNORECASE
)
_IS_WORD = re.compile(r"(?:\b(?:is|be|was|it['’]s)|:)\s+(?:indeed\s+|simply\s+)?(\S+)\W*$", re.IGNORECASE)
_LONGEST_ENDING = 200  # characters; longer endings would be slow to search
_ARXIV_ID = re.compile(
    r"(?<![\w.])(?:(?<!/)|(?<=abs/)|(?<=pdf/)|(?<=html/))"
    r"(?:\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}|(?<!\w-)[a-z][a-z-]{1,15}(?:\.[A-Z]{2})?/\d{7})"
    r"(?:v\d{1,3})?(?:\.pdf)?(?![\w/]|\.\d)"
)
"""The parts have arXiv's maximum lengths: without a limit, a long run of dashes would be slow to search."""
_LETTER_ALONE = re.compile(r"[\W_]*([A-Da-d])[\W_]*")
_LETTER_GIVEN = re.compile(
    r"(?i:answer|option|choice|solution)(?i: is| would be| must be|:)[\s:]*(?i:option |choice |letter )?"
    r"[\s(\"'“]*([A-D])\b(?!['’])"
)
_LETTER = re.compile(
    r"(?:(?i:option|answer|is|choose|select|pick) \W*|\()([B-D]\b|A\b(?! \w))|\b([A-D])\)|^[\W_]*([A-D])[.:]"
)


def bare(word: str) -> str:
    """Return a word in lower case, without the punctuation around it.

    >>> bare('"River",')
    'river'
    """
    match = _BARE.search(word)
    return match[0].casefold() if match else ""


def only(kind: str, values: Iterable[str]) -> Outcome[str]:
    """Return the value if all values are the same; otherwise null, with the reason ``no KIND`` or ``several KINDs``."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) == 1:
        return Outcome(distinct[0])
    return Outcome(None, f"several {kind}s" if distinct else f"no {kind}")


def read_word(text: str) -> Outcome[str]:
    """Return the word that a text gives as its answer.

    It is the text's only word; else the only quoted or bold word, preferably after "is"; else the last word, after
    "is".

    Example:
        >>> read_word('The word number 3 in "the quick brown fox" is **brown** (counted from 1).').value
        'brown'
    """
    words = _words(plain(text))
    if len(words) == 1:
        return Outcome(bare(words[0]))
    parts = sentences(text)
    conclusions = [sentence for sentence in parts if concludes(sentence)][-1:]
    for part in (conclusions if conclusions == parts[-1:] else []) + [text]:
        for pattern in (_STATED, _MARKED):
            marked_texts = [next(filter(None, groups)) for groups in pattern.findall(part)]
            marked_words = [bare(plain(item)) for item in marked_texts if len(_words(item)) == 1]
            if marked_words:
                return only("word", marked_words)
    if parts and (len(parts) == 1 or concludes(parts[-1])):
        ending = _IS_WORD.search(without_asides(plain(parts[-1])).strip()[-_LONGEST_ENDING:])
        if ending and bare(ending[1]):
            return Outcome(bare(ending[1]))
    return Outcome(None, "several words" if words else "no word")


def _words(text: str) -> list[str]:
    return [word for word in text.split() if any(map(str.isalnum, word))]


def read_arxiv_id(text: str) -> Outcome[str]:
    """Return the only arXiv identifier in a text, without its version; it may be part of a URL.

    Example:
        >>> read_arxiv_id("See https://arxiv.org/abs/2406.06140v2.").value
        '2406.06140'
    """
    identifiers = (re.sub(r"(?:v\d+)?(?:\.pdf)?$", "", match) for match in _ARXIV_ID.findall(plain(text)))
    return only("arXiv identifier", identifiers)


def read_letter(text: str) -> Outcome[str]:
    """Return the letter from A to D that a text gives as its answer; an A before a word is an article.

    Example:
        >>> read_letter("The correct answer is B) a stack, since A) a queue is no stack.").value
        'B'
    """
    reply = plain(text)
    if alone := _LETTER_ALONE.fullmatch(reply):
        return Outcome(alone[1].upper())
    if stated_letters := _LETTER_GIVEN.findall(reply):
        return only("letter", stated_letters)
    return only("letter", (next(filter(None, groups)) for groups in _LETTER.findall(reply)))


def read_among(names: Iterable[str], kind: str, text: str) -> Outcome[str]:
    """Return the only name of a list that a text contains as a whole word, in lower case.

    Example:
        >>> read_among(["red", "blue"], "colour", "It is **Red**.").value
        'red'
    """
    pattern = rf"\b(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})\b"
    denials = re.compile(rf"\b(?:not|rather than|instead of) (?:(?:a|an|the) )?{pattern}", re.IGNORECASE)
    reply = denials.sub(" ", plain(text))
    return only(kind, (match.casefold() for match in re.findall(pattern, reply, re.IGNORECASE)))


_MONTHS = {
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"),
    "December",
}
_NAME = re.compile(
    r"[^\W\d_a-z][\w.'’-]*(?: (?:(?:of|the|de|da|van|von|der|la|le|al|bin|ibn|y) )*[^\W\d_a-z][\w.'’-]*)+"
)
_BOLD = re.compile(r"\*\*([^*\n]{2,60})\*\*")
_MAX_WORDS_IN_A_NAME = 5


def find_name(text: Excerpt) -> Excerpt | None:
    """Return the part of a text that is a person's name; None if there is none.

    It is the only bold name; else the first line, if it has at most five words and no digit; else the first run of
    capitalised words without a month.

    Example:
        >>> line = "One famous person born on 14 March 1879 is Albert Einstein, the physicist."
        >>> find_name(Excerpt(line, 0, len(line))).text
        'Albert Einstein'
    """
    bold = [match for match in _BOLD.finditer(text.text) if not _MONTHS & set(match[1].split())]
    names = {match[1] for match in bold if not re.search(r"\d|:", match[1])}
    if len(names) == len(bold) == 1 and len(bold[0][1].split()) <= _MAX_WORDS_IN_A_NAME:
        return text.part(*bold[0].span(1)).stripped(" .,")
    line = unquoted(text.part(0, len(text.text.split("\n", 1)[0])))
    short = unquoted(line.stripped(" .!"))
    first = short.part(0, len(re.split(r"[,(:]| [-–—] ", short.text)[0])).stripped(' *_#`"“”.!')
    words = first.text.split()
    is_alone = first.text == short.text or len(words) > 1
    if words and is_alone and len(words) <= _MAX_WORDS_IN_A_NAME and not re.search(r"\d|\bborn\b", first.text):
        return first
    for match in _NAME.finditer(line.text):
        if not _MONTHS & set(re.findall(r"\w+", match[0])):
            return line.part(*match.span()).stripped(" .")
    return None
