r"""According to: do prompts make a model quote?

Weller et al., "According to ...": Prompting Language Models Improves Quoting from Pre-Training Data, Table 1 and
Appendix A. A row of the config ``appended``:

    {"id": "long-attributed", "prompt_id": "attributed", "kind": "grounding", "format": "long", "placement": "appended",
     "phrase": "Respond to this question using only information that can be attributed to {corpus}.",
     "answer_prompt": "{question} Respond to this question using only information that can be attributed to {corpus}.",
     "explain_prompt": None}
"""

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

import datasets
import pyarrow as pa

from selfknow.builders.according_to.prompts import PLACEMENTS, SOURCES, formats, phrases, rows
from selfknow.builders.dataset import ConfigBuilder, Dataset, DatasetConfig
from selfknow.builders.folder.card import lines_of_row
from selfknow.errors import UserError, nearest

COLUMNS = ("id", "prompt_id", "kind", "format", "placement", "phrase", "answer_prompt", "explain_prompt")
SCHEMA = pa.schema({name: pa.string() for name in COLUMNS})


def prompt_table(placement: str) -> pa.Table:
    """Return all rows of a placement."""
    return pa.Table.from_pylist(rows(placement), schema=SCHEMA)


def placement_config(config: str, seed: int = 0) -> DatasetConfig:  # noqa: ARG001 (nothing is drawn)
    """Return the config of a placement.

    Raises:
        UserError: The placement does not exist.
    """
    if config not in PLACEMENTS:
        raise UserError(f"according-to has no config {config!r}{nearest(config, PLACEMENTS)}")
    return DatasetConfig(config, {"formats": list(formats())}, SCHEMA, {"test": [partial(prompt_table, config)]})


class AccordingTo(ConfigBuilder):
    """The Hugging Face builder of according-to.

    Example:
        >>> from selfknow import AccordingTo
        >>> builder = AccordingTo(config_name="appended")
        >>> builder.download_and_prepare()  # doctest: +SKIP
        >>> builder.as_dataset(split="test").num_rows  # doctest: +SKIP
        48
    """

    sources = SOURCES
    BUILDER_CONFIGS: ClassVar[list[datasets.BuilderConfig]] = [datasets.BuilderConfig(name=name) for name in PLACEMENTS]

    def dataset_config(self) -> DatasetConfig:
        """Return the config of the chosen placement."""
        return placement_config(self.config.name)


def card_parts(configs: list[DatasetConfig]) -> Mapping[str, str]:
    """Return an example row and the table of the prompts."""
    lines = ["| prompt | kind | phrase |", "| --- | --- | --- |"]
    lines += [f"| `{prompt['id']}` | {prompt['kind']} | {prompt['phrase']} |" for prompt in phrases()]
    row = configs[0].shards["test"][0]().to_pylist()[-4]  # the last grounding prompt, in the last format
    return {"example": lines_of_row(row), "prompts": "\n".join(lines)}


DATASET = Dataset(
    name="according-to",
    version="1.0.0",
    sources=SOURCES,
    summary="Does a model quote what it was trained on? Prompts that ask for it, and for the contrary.",
    configs=PLACEMENTS,
    config=placement_config,
    metadata={
        "pretty_name": "According to",
        "license": "cc-by-4.0",
        "language": ["en"],
        "task_categories": ["question-answering", "text-generation"],
        "tags": ["grounding", "quoting", "prompts", "selfknow"],
        "annotations_creators": ["expert-generated"],
    },
    card_parts=card_parts,
)
