"""Markdown references, which stand for pictures in prompts, so that recorded prompts stay small."""

import base64
import re

from selfknow.models.interface import Request

_REFERENCE = re.compile(r"\s*!\[\]\((\S+?)\)\s*")


def reference(name: str) -> str:
    """Return the Markdown reference to a picture.

    >>> reference("images/ab12.png")
    '![](images/ab12.png)'
    """
    return f"![]({name})"


def picture_name(prompt: str) -> str | None:
    r"""Return the name of the picture in a prompt; null if there is none.

    >>> picture_name("How many?\n\n![](images/ab12.png)")
    'images/ab12.png'
    """
    match = _REFERENCE.search(prompt)
    return match[1] if match else None


def split_at_picture(prompt: str) -> tuple[str, str]:
    r"""Return the texts of a prompt before and after its picture.

    >>> split_at_picture("Draw.\n\n![](images/ab12.png)\n\nHow many?")
    ('Draw.', 'How many?')
    """
    match = _REFERENCE.search(prompt)
    return (prompt[: match.start()], prompt[match.end() :]) if match else (prompt, "")


def request_parts(request: Request) -> list[dict[str, object]]:
    """Return the parts of a request's chat message in order, with its picture as a ``data:`` address."""
    assert request.image is not None, "the request shows a picture"
    data = base64.b64encode(request.image.read_bytes()).decode()
    return message_parts(request.prompt, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}})


def message_parts(prompt: str, picture: dict[str, object]) -> list[dict[str, object]]:
    """Return the parts of a chat message: the text before the picture, the picture, and the text after it."""
    before, after = split_at_picture(prompt)
    return [*_text_parts(before), picture, *_text_parts(after)]


def _text_parts(text: str) -> list[dict[str, object]]:
    return [{"type": "text", "text": text}] if text else []
