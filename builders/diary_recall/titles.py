"""The title lines of both kinds of corpora: ``Tom's Diary Entry 2``, and ``Gravity: Document 2`` in your own corpus.

An answer is cut into documents at its title lines, so no line of a document may look like one.
"""

import re
from functools import cache

from selfknow.builders.sources import read_json

OWN_CORPUS = "diary_recall/own_corpus"


@cache
def templates(folder: str) -> dict[str, str]:
    """Read the templates of titles and questions: those of ``diary_recall``, or of :data:`OWN_CORPUS`."""
    value = read_json(f"{folder}/templates.json")
    assert isinstance(value, dict), "templates.json is an object"
    return value


@cache
def title_middles() -> tuple[str, ...]:
    """Return the texts between name and number in titles.

    Example:
        >>> title_middles()
        ("'s Diary Entry ", ': Document ')
    """
    titles = (templates(folder)["title"] for folder in ("diary_recall", OWN_CORPUS))
    return tuple(title.removeprefix("{name}").removesuffix("{entry}") for title in titles)


@cache
def _title_line() -> re.Pattern[str]:
    middles = "|".join(map(re.escape, title_middles()))
    return re.compile(rf"^.+(?:{middles})[1-9][0-9]{{0,8}}$", re.MULTILINE)


def title_lines(text: str) -> list[str]:
    r"""Return the lines of a text that are read as titles.

    Example:
        >>> title_lines("It falls.\nGravity: Document 3\nIt falls: Document 3 says so.")
        ['Gravity: Document 3']
    """
    return _title_line().findall(text)
