r"""Self-knowledge: does a model understand what it creates?

Tan et al., Can I understand what I create? Self-Knowledge Evaluation of Large Language Models. A model is asked to
write something with a known property, and then, in a separate call, asked about what it wrote. A row:

    {"id": "total-count-035-plain", "task": "total-count", "style": "plain",
     "generate_prompt": "Write one paragraph that has exactly 56 words. Reply with the paragraph and nothing else.",
     "verify_prompt": "How many words does the paragraph below have? Reply with ...\n\n{generation}",
     "dual_prompt": "Write another paragraph that has exactly as many words as the one below. ...\n\n{generation}",
     "answer": "56", "params": "{\"num\": 56, ...}"}
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import datasets
import pyarrow as pa

from selfknow.builders.dataset import ConfigBuilder, Dataset, DatasetConfig
from selfknow.builders.folder.card import lines_of_row
from selfknow.builders.self_knowledge.prompts import STYLES, row
from selfknow.builders.self_knowledge.sources import (
    SOURCES,
    benchmark_questions,
    births,
    categories,
    choices,
    noise,
    words,
)
from selfknow.builders.self_knowledge.tasks import TASKS, num_instances
from selfknow.errors import UserError, nearest

CONFIGS = tuple(TASKS)
SCHEMA = pa.schema(
    {
        name: pa.string()
        for name in ("id", "task", "style", "generate_prompt", "verify_prompt", "dual_prompt", "answer", "params")
    }
)
_LARGEST_SEED = 2**64 - 1


def task_table(task: str, seed: int) -> pa.Table:
    """Return all rows of a task: every instance in every style."""
    rows = [row(task, number, style, seed) for number in range(num_instances(task)) for style in STYLES]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def task_config(config: str, seed: int = 0) -> DatasetConfig:
    """Return the config of a task.

    Raises:
        UserError: The task does not exist, or the seed is out of range.
    """
    if config not in CONFIGS:
        raise UserError(f"self-knowledge has no config {config!r}{nearest(config, CONFIGS)}")
    if not 0 <= seed <= _LARGEST_SEED:
        raise UserError(f"seed must be between 0 and {_LARGEST_SEED}, not {seed}")
    parameters = {"seed": seed, "num_instances": num_instances(config), "styles": list(STYLES)}
    return DatasetConfig(config, parameters, SCHEMA, {"test": [partial(task_table, config, seed)]})


@dataclass
class SelfKnowledgeConfig(datasets.BuilderConfig):
    """A task of ``SelfKnowledge``, and the seed of its random choices."""

    seed: int = 0


class SelfKnowledge(ConfigBuilder):
    """The Hugging Face builder of self-knowledge.

    Example:
        >>> from selfknow import SelfKnowledge
        >>> builder = SelfKnowledge(config_name="total-count")
        >>> builder.download_and_prepare()  # doctest: +SKIP
        >>> builder.as_dataset(split="test").num_rows  # doctest: +SKIP
        300
    """

    sources = SOURCES
    BUILDER_CONFIG_CLASS = SelfKnowledgeConfig
    BUILDER_CONFIGS: ClassVar[list[SelfKnowledgeConfig]] = [SelfKnowledgeConfig(name=config) for config in CONFIGS]

    def dataset_config(self) -> DatasetConfig:
        """Return the config of the chosen task."""
        config = self.config
        assert isinstance(config, SelfKnowledgeConfig), "Hugging Face makes configs of BUILDER_CONFIG_CLASS"
        return task_config(config.name, config.seed)


def card_parts(configs: list[DatasetConfig]) -> Mapping[str, str]:
    """Return an example row, the table of the tasks, and the choices that the paper leaves open."""
    first = configs[0].shards["test"][0]().slice(0, 1).to_pylist()[0]
    ranges, answers = choices(), [choices()[name] for name in ("math_answers", "code_answers")]
    return {
        "example": lines_of_row(first),
        "tasks": _table_of_tasks(configs),
        "num_instances": str(ranges["num_instances"]),
        "word_counts": _range(ranges["word_counts"]) + " words",
        "occurrences": _range(ranges["occurrences"]),
        "word_positions": _range(ranges["word_positions"]),
        "num_people": str(len(births())),
        "arxiv_months": " to ".join(f"{year}-{month:02d}" for year, month in ranges["arxiv_months"].values()),
        "num_other_answers": str(
            sum(len(part) for kinds in answers for part in kinds.values() if isinstance(part, list))
        ),
        "theorems": " with ".join(
            f"{len(ranges[f'theorem_{name}'])} {name}" for name in ("kinds", "ranges", "variables")
        ),
        "mentions": _range(ranges["mentions"]),
        "categories": _join_with_and(list(categories())),
        "positive_words": _range(ranges["positive_words"]),
        "sports": _join_with_and(words()["sports"]),
        "sports_years": _range(ranges["sports_years"]),
        "image_counts": _range(ranges["image_counts"]),
        "num_shown": str(ranges["benchmark_questions_shown"]),
        "num_prepositions": str(len(words()["prepositions"])),
        "num_positive": str(len(words()["positive"])),
        "num_benchmark": str(len(benchmark_questions())),
        "noise_words": str(len(noise().split())),
    }


def _range(bounds: Mapping[str, int]) -> str:
    return f"{bounds['first']} to {bounds['last']}"


def _join_with_and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]])


def _table_of_tasks(configs: list[DatasetConfig]) -> str:
    lines = ["| task | writes | is asked | dual | keep | break |", "| --- | --- | --- | --- | --- | --- |"]
    for config in configs:
        rows = config.shards["test"][0]().to_pylist()
        params = [json.loads(row["params"]) for row in rows]
        transformations = [_distinct_values(params, name) for name in ("keep", "break")]
        texts = [rows[0][name].split("\n")[0] for name in ("generate_prompt", "verify_prompt")]
        dual = "yes" if rows[0]["dual_prompt"] else ""
        lines.append("| " + " | ".join([f"`{config.name}`", *texts, dual, *transformations]) + " |")
    return "\n".join(lines)


def _distinct_values(params: Sequence[Mapping[str, object]], name: str) -> str:
    names = {f"`{values[name]}`" for values in params if values[name]}
    return ", ".join(sorted(names))


DATASET = Dataset(
    name="self-knowledge",
    version="1.1.0",
    sources=SOURCES,
    summary="Does a model understand what it creates? It writes with a known property, then is asked about it.",
    configs=CONFIGS,
    config=task_config,
    metadata={
        "pretty_name": "Self-knowledge",
        "license": "cc0-1.0",
        "language": ["en"],
        "task_categories": ["text-generation", "question-answering"],
        "tags": ["self-knowledge", "self-consistency", "synthetic", "selfknow"],
        "annotations_creators": ["machine-generated"],
    },
    card_parts=card_parts,
)
