"""Corpora, portraits and SQL for asking what a language model knows about what it knows.

The public names below are imported at their first use, so that ``import selfknow`` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from selfknow.errors import UserError
from selfknow.version import __version__

if TYPE_CHECKING:
    from selfknow.builders.according_to.builder import AccordingTo
    from selfknow.builders.diary_recall.builder import DiaryRecall
    from selfknow.builders.self_aware.builder import SelfAware
    from selfknow.builders.self_knowledge.builder import SelfKnowledge
    from selfknow.evaluate.connection import connect
    from selfknow.evaluate.run import Run, ask
    from selfknow.evaluate.table import import_table
    from selfknow.portraits import Portrait
    from selfknow.validation.check import check_folder

__all__ = [
    "AccordingTo",
    "DiaryRecall",
    "Portrait",
    "Run",
    "SelfAware",
    "SelfKnowledge",
    "UserError",
    "__version__",
    "ask",
    "check_folder",
    "connect",
    "import_table",
]

_HOMES = {
    "AccordingTo": "selfknow.builders.according_to.builder",
    "DiaryRecall": "selfknow.builders.diary_recall.builder",
    "Portrait": "selfknow.portraits",
    "Run": "selfknow.evaluate.run",
    "SelfAware": "selfknow.builders.self_aware.builder",
    "SelfKnowledge": "selfknow.builders.self_knowledge.builder",
    "ask": "selfknow.evaluate.run",
    "check_folder": "selfknow.validation.check",
    "connect": "selfknow.evaluate.connection",
    "import_table": "selfknow.evaluate.table",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'selfknow' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
