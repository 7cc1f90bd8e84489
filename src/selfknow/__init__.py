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
    from selfknow.evaluate.catalogue import tasks
    from selfknow.evaluate.connection import connect
    from selfknow.evaluate.run import Run, ask
    from selfknow.evaluate.table import import_table
    from selfknow.evaluate.tasks.according_to.task import AccordingToOptions, ContinuationOptions
    from selfknow.evaluate.tasks.diary_recall.task import DiaryOptions
    from selfknow.evaluate.tasks.gsm8k.task import Gsm8kOptions
    from selfknow.evaluate.tasks.self_aware.task import SelfAwareOptions
    from selfknow.evaluate.tasks.self_knowledge.agents.task import AgentOptions
    from selfknow.evaluate.tasks.self_knowledge.options import BenchmarkOptions, PictureOptions, SelfKnowledgeOptions
    from selfknow.portraits import Portrait
    from selfknow.validation.check import check_folder

__all__ = [
    "AccordingTo",
    "AccordingToOptions",
    "AgentOptions",
    "BenchmarkOptions",
    "ContinuationOptions",
    "DiaryOptions",
    "DiaryRecall",
    "Gsm8kOptions",
    "PictureOptions",
    "Portrait",
    "Run",
    "SelfAware",
    "SelfAwareOptions",
    "SelfKnowledge",
    "SelfKnowledgeOptions",
    "UserError",
    "__version__",
    "ask",
    "check_folder",
    "connect",
    "import_table",
    "tasks",
]

_HOMES = {
    "AccordingTo": "selfknow.builders.according_to.builder",
    "AccordingToOptions": "selfknow.evaluate.tasks.according_to.task",
    "AgentOptions": "selfknow.evaluate.tasks.self_knowledge.agents.task",
    "BenchmarkOptions": "selfknow.evaluate.tasks.self_knowledge.options",
    "ContinuationOptions": "selfknow.evaluate.tasks.according_to.task",
    "DiaryOptions": "selfknow.evaluate.tasks.diary_recall.task",
    "DiaryRecall": "selfknow.builders.diary_recall.builder",
    "Gsm8kOptions": "selfknow.evaluate.tasks.gsm8k.task",
    "PictureOptions": "selfknow.evaluate.tasks.self_knowledge.options",
    "Portrait": "selfknow.portraits",
    "Run": "selfknow.evaluate.run",
    "SelfAware": "selfknow.builders.self_aware.builder",
    "SelfAwareOptions": "selfknow.evaluate.tasks.self_aware.task",
    "SelfKnowledge": "selfknow.builders.self_knowledge.builder",
    "SelfKnowledgeOptions": "selfknow.evaluate.tasks.self_knowledge.options",
    "ask": "selfknow.evaluate.run",
    "check_folder": "selfknow.validation.check",
    "connect": "selfknow.evaluate.connection",
    "import_table": "selfknow.evaluate.table",
    "tasks": "selfknow.evaluate.catalogue",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'selfknow' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
