"""Runs of self-knowledge with models at hand, asked through the driver that the command line uses."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from selfknow.evaluate.ask import ask_task
from selfknow.evaluate.collect import Progress
from selfknow.evaluate.task import Models
from selfknow.evaluate.tasks.self_knowledge.agents.task import SELF_KNOWLEDGE_AGENTS, AgentOptions
from selfknow.evaluate.tasks.self_knowledge.options import PictureOptions, SelfKnowledgeOptions
from selfknow.evaluate.tasks.self_knowledge.rows import choose_rows
from selfknow.evaluate.tasks.self_knowledge.task import SELF_KNOWLEDGE
from selfknow.models.images.generators import Drawing, ImageGenerator, ImageSettings
from selfknow.models.interface import GREEDY, Decoding, LanguageModel
from selfknow.runs.description import DatasetReference
from tests.self_knowledge.scripted import table_of


def ask_texts(
    folder: Path,
    task: str,
    writers: Sequence[LanguageModel],
    verifiers: Sequence[LanguageModel] | None = None,
    *,
    table: pa.Table | None = None,
    own_questions: pa.Table | None = None,
    decoding: Decoding = GREEDY,
    **options: Any,
) -> list[Progress]:
    """Have models write, and models asked about it; the options are those of ``selfknow evaluate``."""
    chosen = SelfKnowledgeOptions(**options)
    table = table_of(task) if table is None else table
    rows = choose_rows(task, table, DatasetReference("self-knowledge", task, "test"), chosen, own_questions)
    return ask_task(SELF_KNOWLEDGE, rows, chosen, Models(writers, verifiers), folder, decoding, quiet=True)


def ask_pictures(
    folder: Path,
    task: str,
    generators: Sequence[ImageGenerator],
    verifiers: Sequence[LanguageModel],
    *,
    decoding: Decoding = GREEDY,
    **options: Any,
) -> list[Progress]:
    """Have image generators draw, and models that see asked about every picture."""
    chosen = PictureOptions(image_model="painter" if generators else None, **options)
    rows = choose_rows(task, table_of(task), DatasetReference("self-knowledge", task, "test"), chosen)
    drawing = [Drawing(generator, ImageSettings(), folder) for generator in generators]
    return ask_task(SELF_KNOWLEDGE, rows, chosen, Models(drawing, verifiers), folder, decoding, quiet=True)


def ask_agents(
    folder: Path, proposer: LanguageModel, judge: LanguageModel, num_proposals: int, instances: int = 10
) -> list[Progress]:
    """Have a model invent templates and another judge them, and have the first carry out what was accepted."""
    options = AgentOptions(limit=num_proposals, instances=instances)
    rows = SELF_KNOWLEDGE_AGENTS.open("self-knowledge:agents", options, folder)
    models = Models([proposer], [judge], {"judge": judge.name})
    return ask_task(SELF_KNOWLEDGE_AGENTS, rows, options, models, folder, GREEDY, quiet=True)
