"""The suite of self-aware-nearest: the paper's construction over public sets, with flags for flaws."""

from pathlib import Path

from selfknow.builders.folder.manifest import Manifest
from selfknow.builders.self_aware.nearest_config import partner_limits, pools
from selfknow.builders.self_aware.questions import SCHEMA, SPLITS
from selfknow.validation.pinned import STATEMENTS, facts_of_sources
from selfknow.validation.suite import Batch, DatasetSuite, batch_of_rows, files_of

QUERIES = (
    "values_are_there",
    "ids_are_unique",
    "labels",
    "original/answers",
    "original/flags",
    "nearest/partners",
    "nearest/questions_are_given_once",
    "nearest/row_counts",
)


def _batches(folder: Path, manifest: Manifest, configs: list[str]) -> list[Batch]:
    limits = {config: partner_limits(config) for config in configs}
    return [
        batch_of_rows(
            "self-aware-nearest",
            config,
            {"corpus": files_of(folder, manifest.configs[config])},
            [f"self_aware/{name}" for name in QUERIES],
            setup=["self_aware/setup"],
            parameters={"partners": limits[config].per_question, "questions": limits[config].total},
        )
        for config in configs
    ]


SUITE = DatasetSuite(
    schema=SCHEMA,
    statements=STATEMENTS,
    facts=lambda manifest: facts_of_sources(manifest, pools(), SPLITS),
    batches=_batches,
)
