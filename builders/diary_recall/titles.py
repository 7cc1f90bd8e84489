"""The title lines of both kinds of corpora: ``Tom's Diary Entry 2``, and of one's own ``Gravity: Document 2``.

An answer is cut into documents at its title lines, so no line of a document may look like one.
"""

import re
from functools import cache

from selfknow.builders.sources import read_json

OWN_CORPUS = "diary_recall/own_corpus"


@cache
def templates(folder: str) -> dict[str, str]:
    """The templates of titles and questions: of ``diary_recall``, or of :data:`OWN_CORPUS`."""
    found = read_json(f"{folder}/templates.json")
    assert isinstance(found, dict), "templates.json is an object"
    return found


@cache
def title_middles() -> tuple[str, ...]:
    """What stands between name and number in a title.

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
    r"""The lines of a text that are read as titles.

    Example:
        >>> title_lines("It falls.\nGravity: Document 3\nIt falls: Document 3 says so.")
        ['Gravity: Document 3']
    """
    return _title_line().findall(text)
