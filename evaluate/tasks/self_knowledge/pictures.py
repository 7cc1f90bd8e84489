"""Pictures of a run of self-knowledge: shown with the questions about them, and taken over from an earlier run."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from selfknow.models.images.pictures import find, keep
from selfknow.models.images.showing import name_in
from selfknow.models.interface import Request


def shown(folder: Path, requests: Iterable[Request]) -> list[Request]:
    """Questions with the files of the pictures that they show.

    Args:
        folder: The run folder.
        requests: The questions, each with a picture's name in its prompt.

    Raises:
        UserError: A picture is missing, or was changed.
    """
    return [replace(request, image=find(folder, str(name_in(request.prompt)))) for request in requests]


def take_over(name: str, earlier: Path, folder: Path) -> None:
    """Copy a picture of an earlier run into this one.

    Args:
        name: The picture's name in both runs.
        earlier: The run folder that holds it.
        folder: The run folder that shall hold it.

    Raises:
        UserError: It is missing there, or was changed.
    """
    keep(folder, find(earlier, name).read_bytes())
