"""Changes to a text with a known effect on the answer (Tan et al., sections 4.4 and 7.1)."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from selfknow.evaluate.tasks.self_knowledge.content import Content, statement
from selfknow.evaluate.tasks.self_knowledge.counting import words_of
from selfknow.models.images.pictures import mirrored_name

_FIRST_SENTENCE = re.compile(r"^(.*?[.!?][\"”’')\]]*)\s+(\S.*)$", re.DOTALL)
_RELATIONS = {"≤": ">", "≥": "<", r"\leq": ">", r"\geq": "<", r"\le": ">", r"\ge": "<", "<=": ">", ">=": "<"}
_RELATIONS |= {"<": ">=", ">": "<="}
_RELATION = re.compile("|".join(re.escape(sign) for sign in sorted(_RELATIONS, key=len, reverse=True)))


def transformed(name: str, content: Content, params: Mapping[str, Any]) -> Content:
    """Return a text after the transformation ``name``; null with a reason if it cannot be altered.

    >>> transformed("move-first-sentence", Content("One came. Two left."), {}).text
    'Two left. One came.'
    >>> transformed("change-word", Content("One came."), {"position": 2, "word": "Later"}).text
    'One Later'
    """
    if content.text is None:
        return content
    return _TRANSFORMATIONS[name](content, params)


def _move_first_sentence(content: Content, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    match = _FIRST_SENTENCE.match(str(content.text).strip())
    if match is None:
        return Content(None, reason="one sentence only")
    return Content(f"{match[2]} {match[1]}")


def _add_first_word(content: Content, params: Mapping[str, Any]) -> Content:
    return Content(f"{params['word']} {content.text}")


def _delete_first_word(content: Content, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    text = str(content.text)
    words = words_of(text)
    return Content(text[words[0].end() :].lstrip()) if len(words) > 1 else Content(None, reason="one word only")


def _change_word(content: Content, params: Mapping[str, Any]) -> Content:
    text, position = str(content.text), params["position"]
    words = words_of(text)
    if len(words) < position:
        return Content(None, reason="fewer words than asked for")
    match = words[position - 1]
    return Content(text[: match.start()] + params["word"] + text[match.end() :])


def _append_word(content: Content, params: Mapping[str, Any]) -> Content:
    return Content(f"{content.text} {params['word']}")


def _append_preposition(content: Content, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    return Content(f"{content.text} It stood behind the house.")


def _shift_date(content: Content, params: Mapping[str, Any]) -> Content:
    assert content.subject is not None, "a fact has a name"
    return Content(statement(content.subject, params["altered_date"]), subject=content.subject)


def _append_comment(content: Content, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    return Content(f"{content.text}\n# This is the last line.")


def _append_print(content: Content, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    return Content(f'{content.text}\nprint("and one more line")')


def _reverse_relation(content: Content, params: Mapping[str, Any]) -> Content:
    """Return a text with its claim denied: ``x^2 >= 1`` becomes ``x^2 < 1``.

    Signs that only bound the variable, as in ``0 < x``, stay. Null unless exactly one other sign remains.
    """
    text, variable = str(content.text), params["variable"]
    side = rf"(?:-?(?<![\d./])[\d./]++|\b{re.escape(variable)}\b)"
    chains = re.finditer(rf"{side}(?:\s*(?:{_RELATION.pattern})\s*{side})+", text)
    bound_spans = [range(*match.span()) for match in chains if variable in match[0] and _stands_alone(text, match)]
    places_in_bounds = {place for span in bound_spans for place in span}
    signs = [match for match in _RELATION.finditer(text) if match.start() not in places_in_bounds]
    if len(signs) != 1:
        return Content(None, reason="several signs of comparison" if signs else "no sign of comparison")
    sign = signs[0]
    return Content(text[: sign.start()] + _RELATIONS[sign[0]] + text[sign.end() :])


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    """Return true if a run is not part of a longer expression."""
    before, after = range(match.start() - 1, -1, -1), range(match.end(), len(text))
    return _first_visible(text, before) not in tuple("+-*/^(") and _first_visible(text, after) not in tuple("+-*/^)(")


def _first_visible(text: str, places: Iterable[int]) -> str | None:
    """Return the first character of a text at these places that is not white space."""
    return next((text[place] for place in places if not text[place].isspace()), None)


def _mirror_image(content: Content, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    """Return the name of the mirrored picture; its file is made when it is shown."""
    return Content(mirrored_name(str(content.text)))


def _unchanged(content: Content, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    """Return the text unchanged; only the question about it differs."""
    return content


_TRANSFORMATIONS: Mapping[str, Callable[[Content, Mapping[str, Any]], Content]] = {
    "move-first-sentence": _move_first_sentence,
    "add-first-word": _add_first_word,
    "delete-first-word": _delete_first_word,
    "change-word": _change_word,
    "append-word": _append_word,
    "append-preposition": _append_preposition,
    "shift-date": _shift_date,
    "append-comment": _append_comment,
    "append-print": _append_print,
    "reverse-relation": _reverse_relation,
    "mirror-image": _mirror_image,
    "alter-question": _unchanged,
}
TRANSFORMATIONS = tuple(_TRANSFORMATIONS)
