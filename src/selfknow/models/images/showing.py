"""A picture in a prompt: a Markdown reference stands for it, so that recorded prompts stay small."""

import base64
import re

from selfknow.models.interface import Request

_REFERENCE = re.compile(r"\s*!\[\]\((\S+?)\)\s*")


def reference(name: str) -> str:
    """What stands in a prompt for a picture.

    >>> reference("images/ab12.png")
    '![](images/ab12.png)'
    """
    return f"![]({name})"


def name_in(prompt: str) -> str | None:
    r"""The name of the picture that a prompt shows, if it shows one.

    >>> name_in("How many?\\n\\n![](images/ab12.png)")
    'images/ab12.png'
    """
    match = _REFERENCE.search(prompt)
    return match[1] if match else None


def around(prompt: str) -> tuple[str, str]:
    r"""What a prompt says before its picture, and behind it.

    >>> around("Draw.\\n\\n![](images/ab12.png)\\n\\nHow many?")
    ('Draw.', 'How many?')
    """
    match = _REFERENCE.search(prompt)
    return (prompt[: match.start()], prompt[match.end() :]) if match else (prompt, "")


def parts_of(request: Request) -> list[dict[str, object]]:
    """The parts of a chat message that shows a picture, in their order, the picture as a ``data:`` address."""
    assert request.image is not None, "the request shows a picture"
    data = base64.b64encode(request.image.read_bytes()).decode()
    return in_parts(request.prompt, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}})


def in_parts(prompt: str, picture: dict[str, object]) -> list[dict[str, object]]:
    """The parts of a chat message: what a prompt says before its picture, the picture, and what it says behind it."""
    before, after = around(prompt)
    return [*_text(before), picture, *_text(after)]


def _text(text: str) -> list[dict[str, object]]:
    return [{"type": "text", "text": text}] if text else []
