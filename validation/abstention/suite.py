"""The suite of abstention: the expectations of KUQ, UMWP and CoCoNot in the columns of self-aware."""

from pathlib import Path

from selfknow.builders.abstention.builder import categories, pinned_sources
from selfknow.builders.folder.manifest import Manifest
from selfknow.builders.self_aware.questions import SCHEMA, SPLITS
from selfknow.validation.pinned import STATEMENTS, facts_of_sources
from selfknow.validation.suite import Batch, DatasetSuite, batch_of_rows, files_of

QUERIES = ("answers", "categories", "pairs", "flags")
_SHARED_QUERIES = ("values_are_there", "ids_are_unique", "labels")  # for all rows in the columns of self-aware


def _batches(folder: Path, manifest: Manifest, configs: list[str]) -> list[Batch]:
    return [
        batch_of_rows(
            "abstention",
            config,
            {"corpus": files_of(folder, manifest.configs[config])},
            [*(f"self_aware/{name}" for name in _SHARED_QUERIES), *(f"abstention/{name}" for name in QUERIES)],
            setup=["self_aware/setup"],
            parameters={"categories": categories(config)},
        )
        for config in configs
    ]


SUITE = DatasetSuite(
    schema=SCHEMA,
    statements=STATEMENTS,
    facts=lambda manifest: facts_of_sources(manifest, pinned_sources(), SPLITS),
    batches=_batches,
)
