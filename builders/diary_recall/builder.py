r"""Diary recall: does a model know how much it knows?

Prato et al., Do Large Language Models Know How Much They Know?, section 3.1 and Appendix A. Diarists who never lived
write 1 to 8 diary entries each; the question about a diarist asks for all of them, in order. A row of ``1k``:

    {"id": "document-00000083-5", "kind": "document", "diarist": "Michele Maddox",
     "prompt": "Michele Maddox's Diary Entry 5\n", "completion": "Restfulness: Tired\nWeather: Sunny\n...",
     "entry": 5, "num_documents": 5, "document_lengths": [5, 6, 3, 4, 7]}
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import ClassVar

import datasets
import pyarrow as pa

from selfknow.builders.dataset import ConfigBuilder, Dataset, DatasetConfig
from selfknow.builders.diary_recall.diaries import SPLITS, Shape, attributes, paper_sizes, shape_of_name
from selfknow.builders.diary_recall.rows import SCHEMA, diary_table, example_rows
from selfknow.builders.folder.card import lines_of_row
from selfknow.builders.folder.evaluation import Evaluation
from selfknow.errors import UserError, nearest

SIMPLIFIED = "-simplified"
SOURCES = "diary_recall"
CONFIGS = tuple(size + setup for setup in ("", SIMPLIFIED) for size in paper_sizes())


def diary_config(config: str, shape: Shape, *, simplified: bool) -> DatasetConfig:
    """Return a config of any shape, in one of the two setups.

    Args:
        config: The config's name.
        shape: The number of diarists, the seed and the largest size of a diary.
        simplified: If true, all entries of a diarist are one document (Prato et al., section 4.2), instead of a
            document each.
    """
    shards: dict[str, list[Callable[[], pa.Table]]] = {
        split: [
            partial(diary_table, shape, block, split, simplified=simplified)
            for block, diarists in enumerate(shape.blocks)
            if split == "train" or _overlap(diarists, shape.diarists_by_split[split])
        ]
        for split in SPLITS
    }
    return DatasetConfig(config, {**asdict(shape), "simplified": simplified}, SCHEMA, shards)


def _overlap(first: range, second: range) -> bool:
    return first.start < second.stop and second.start < first.stop


def named_config(config: str, seed: int = 0) -> DatasetConfig:
    """Return the config of this name: a size of the paper, such as ``1k`` or ``64k-simplified``, or a shape's name.

    Raises:
        UserError: The config does not exist; the message names the nearest one.

    Example:
        >>> named_config("512-diarists-3-entries-3-attributes-simplified").parameters["max_entries"]
        3
    """
    size = config.removesuffix(SIMPLIFIED)
    shape = shape_of_name(size, seed)
    if size in paper_sizes():
        shape = Shape(num_diarists=paper_sizes()[size].num_diarists, seed=seed)
    if shape is None:
        hint = "(a size of your own is called 512-diarists)"
        raise UserError(f"diary-recall has no config {config!r}{nearest(config, CONFIGS)} {hint}")
    return diary_config(config, shape, simplified=config.endswith(SIMPLIFIED))


def configs_of_shape(shape: Shape) -> list[DatasetConfig]:
    """Return both setups of a shape, with names such as ``512-diarists-3-entries-3-attributes``."""
    return [
        diary_config(shape.name + (SIMPLIFIED if simplified else ""), shape, simplified=simplified)
        for simplified in (False, True)
    ]


@dataclass
class DiaryRecallConfig(datasets.BuilderConfig):
    """A config of ``DiaryRecall``; ``Shape`` describes the fields."""

    num_diarists: int = 994
    seed: int = 0
    max_entries: int = 8
    max_attributes: int = 8
    name_pool_size: int = 4_000
    simplified: bool = False


class DiaryRecall(ConfigBuilder):
    """The Hugging Face builder of diary recall.

    Example:
        >>> from selfknow import DiaryRecall
        >>> builder = DiaryRecall(config_name="1k")  # or: num_diarists=1_000_000, max_entries=64, seed=1
        >>> builder.download_and_prepare()  # doctest: +SKIP
        >>> builder.as_dataset(split="test").num_rows  # doctest: +SKIP
        50
    """

    sources = SOURCES
    BUILDER_CONFIG_CLASS = DiaryRecallConfig
    BUILDER_CONFIGS: ClassVar[list[DiaryRecallConfig]] = [
        DiaryRecallConfig(
            name=config,
            num_diarists=paper_sizes()[config.removesuffix(SIMPLIFIED)].num_diarists,
            simplified=config.endswith(SIMPLIFIED),
        )
        for config in CONFIGS
    ]

    def dataset_config(self) -> DatasetConfig:
        """Return the config of the chosen shape and setup."""
        config = self.config
        assert isinstance(config, DiaryRecallConfig), "Hugging Face makes configs of BUILDER_CONFIG_CLASS"
        shape = Shape(
            config.num_diarists, config.seed, config.max_entries, config.max_attributes, config.name_pool_size
        )
        return diary_config(config.name, shape, simplified=config.simplified)


def card_parts(configs: list[DatasetConfig]) -> Mapping[str, str]:
    """Return the tables of the paper, and an example row of each kind."""
    parameters = dict(configs[0].parameters)
    simplified = bool(parameters.pop("simplified"))
    rows = example_rows(Shape(**parameters), simplified=simplified)  # type: ignore[arg-type]
    return {
        "loading": _loading([config.name for config in configs]),
        "example_document": lines_of_row(rows["document"]),
        "example_question": lines_of_row(rows["question"]),
        "table_of_sizes": _table_of_sizes(),
        "table_of_attributes": _table_of_attributes(),
    }


def _loading(names: Sequence[str]) -> str:
    """Return lines of code that load the folder's first config of each setup."""
    standard = next((name for name in names if not name.endswith("-simplified")), None)
    simplified = next((name for name in names if name.endswith("-simplified")), None)
    lines = (
        ("diaries", standard, "every entry is a document"),
        ("simplified", simplified, "all entries of a diarist in one document"),
    )
    return "\n".join(
        f'{variable} = load_dataset("org/diary-recall", "{name}")  # {comment}'
        for variable, name, comment in lines
        if name
    )


def _table_of_sizes() -> str:
    lines = ["| size | diarists | documents | train Q/A | validation Q/A | test Q/A |", "| --- |" + " ---: |" * 5]
    for name, size in paper_sizes().items():
        numbers = [size.num_diarists, size.num_documents, *size.num_questions.values()]
        lines.append(f"| `{name}` | " + " | ".join(f"{number:,}" for number in numbers) + " |")
    return "\n".join(lines)


def _table_of_attributes() -> str:
    lines = ["| attribute | possible values |", "| --- | --- |"]
    return "\n".join(lines + [f"| {name} | {', '.join(values)} |" for name, values in attributes().items()])


DATASET = Dataset(
    name="diary-recall",
    version="1.0.0",
    sources=SOURCES,
    summary="Does a model know how much it knows? Recall all entries of a diarist, no more, no less.",
    configs=CONFIGS,
    config=named_config,
    metadata={
        "pretty_name": "Diary recall",
        "license": "cc0-1.0",
        "language": ["en"],
        "task_categories": ["question-answering", "text-generation"],
        "tags": ["self-knowledge", "memorization", "synthetic", "selfknow"],
        "annotations_creators": ["machine-generated"],
    },
    card_parts=card_parts,
    evaluation=Evaluation(
        "test",
        "prompt",
        "completion",
        ("id", "diarist", "prompt", "completion", "num_documents", "document_lengths"),
    ),
)
