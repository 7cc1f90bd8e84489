"""Self-aware: does a model know what it does not know?

Yin et al., Do Large Language Models Know What They Don't Know?, section 2: unanswerable questions in five categories,
and similar answerable ones. The questions are our own; a row of each split:

    {"id": "consensus-001-1", "question": "Why do we dream when we sleep?", "answers": [], "answerable": False,
     "category": "no scientific consensus", "source": "frame/consensus-001", "pair_id": "consensus-001-1", "flags": [],
     "difficulty": None, "written_by": "language model", "judged_by": "language model"}
    {"id": "consensus-001-1a", "question": …, "answers": […], "answerable": True, "category": None,
     "source": "single fact/read twice", "pair_id": "consensus-001-1", "flags": [], "difficulty": "easy",
     "written_by": "language model", "judged_by": "language model"}
"""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import ClassVar

import datasets

from selfknow.builders.dataset import ConfigBuilder, Dataset, DatasetConfig
from selfknow.builders.folder.card import lines_of_row
from selfknow.builders.self_aware.questions import (
    AUTHORED_SCHEMA,
    CATEGORIES,
    DIFFICULTIES,
    SPLITS,
    question_table,
    questions,
)
from selfknow.errors import UserError

SOURCES = "self_aware"
CONFIG = "authored"


def authored_config(config: str = CONFIG, seed: int = 0) -> DatasetConfig:
    """Return the one config, ``authored``; the seed only affects the order of the rows.

    Raises:
        UserError: The config does not exist, or the seed is not a whole number of 64 bits.
    """
    if config != CONFIG:
        raise UserError(
            f"self-aware has no config {config!r}: choose {CONFIG}. The authors' own questions are the dataset "
            "self-aware-original, because they have another licence"
        )
    if not 0 <= seed < 2**64:
        raise UserError(f"the seed must be from 0 to 2**64 - 1, not {seed}")
    return DatasetConfig(
        config, {"seed": seed}, AUTHORED_SCHEMA, {split: [partial(question_table, split, seed)] for split in SPLITS}
    )


class SelfAware(ConfigBuilder):
    """The Hugging Face builder of self-aware.

    Example:
        >>> from selfknow import SelfAware
        >>> builder = SelfAware(config_name="authored")
        >>> builder.download_and_prepare()  # doctest: +SKIP
        >>> builder.as_dataset(split="unanswerable").num_rows  # doctest: +SKIP
        1032
    """

    sources = SOURCES
    BUILDER_CONFIGS: ClassVar[list[datasets.BuilderConfig]] = [datasets.BuilderConfig(name=CONFIG)]

    def dataset_config(self) -> DatasetConfig:
        """Return the one config."""
        return authored_config(self.config.name)


def card_parts(configs: list[DatasetConfig]) -> Mapping[str, str]:
    """Return the texts that fill in the dataset card: example rows, tables and counts."""
    seed = configs[0].parameters["seed"]
    assert isinstance(seed, int), "our own config has a seed"
    rows = {split: question_table(split, seed).slice(0, 1).to_pylist()[0] for split in SPLITS}
    unanswerable, answerable = questions("unanswerable"), questions("answerable")
    frames = {
        name: len({question.source for question in unanswerable if question.category == name}) for name in CATEGORIES
    }
    by_category = Counter(question.category for question in unanswerable if question.category is not None)
    by_kind = Counter(question.source.split("/")[0] for question in answerable)
    by_check = Counter(question.source.split("/")[1] for question in answerable)
    by_difficulty = Counter(question.difficulty for question in answerable)
    return {
        "example_unanswerable": lines_of_row(rows["unanswerable"]),
        "example_answerable": lines_of_row(rows["answerable"]),
        "table_of_categories": _table(
            ("category", "questions", "share", "frames"),
            [(name, f"{n:,}", f"{n / len(unanswerable):.0%}", str(frames[name])) for name, n in by_category.items()],
        ),
        "table_of_kinds": _table(
            ("kind", "questions", "share"),
            [(kind, f"{n:,}", f"{n / len(answerable):.0%}") for kind, n in by_kind.most_common()],
        ),
        "table_of_checks": _table(
            ("how the answer was checked", "questions"), [(check, f"{n:,}") for check, n in by_check.most_common()]
        ),
        "difficulties": ", ".join(f"{by_difficulty[name]:,} {name}" for name in DIFFICULTIES),
        "num_short_aliases": f"{sum('alias_too_short' in question.flags for question in answerable):,}",
    }


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "| --- |" + " ---: |" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


DATASET = Dataset(
    name="self-aware",
    version="2.1.0",
    sources=SOURCES,
    summary="Does a model know what it does not know? Unanswerable questions, and similar answerable ones.",
    configs=(CONFIG,),
    config=authored_config,
    metadata={
        "pretty_name": "Self-aware",
        "license": "cc0-1.0",
        "language": ["en"],
        "task_categories": ["question-answering", "text-classification"],
        "tags": ["self-knowledge", "unanswerable questions", "abstention", "selfknow"],
        "annotations_creators": ["machine-generated"],
    },
    card_parts=card_parts,
)
