"""The part of the check that all datasets share: the folder against its manifest and its card."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from selfknow.builders.folder.manifest import Manifest
from selfknow.validation.folder import card, evaluation, files
from selfknow.validation.folder.fact import Fact, table_of
from selfknow.validation.suite import Batch, DatasetSuite, Query, read_sql

_CONFIGS_AT_A_TIME = 2  # hashing and Parquet work outside Python's lock


def facts_of_folder(
    folder: Path, manifest: Manifest, suite: DatasetSuite, advance: Callable[[], object] = lambda: None
) -> list[Fact]:
    """Return all facts of a folder except those that need queries of its rows.

    Args:
        folder: The dataset folder.
        manifest: The folder's manifest.
        suite: The suite of its dataset.
        advance: Called after each config, for a progress bar.
    """

    def facts_of_config(config: str) -> list[Fact]:
        facts = files.facts_of_config(folder, config, manifest.configs[config], suite.schema)
        advance()
        return facts

    with ThreadPoolExecutor(_CONFIGS_AT_A_TIME) as pool:
        facts_by_config = list(pool.map(facts_of_config, manifest.configs))
    return [
        *files.facts_of_other_files(folder, manifest),
        *card.facts_of_card(folder, manifest, suite.schema),
        *evaluation.facts_of_evaluation(folder, manifest, suite.schema),
        *suite.facts(manifest),
        *(fact for facts in facts_by_config for fact in facts),
    ]


def batch_of_folder(facts: Sequence[Fact], suite: DatasetSuite) -> Batch:
    """Return the batch of a folder's facts."""
    query = read_sql("folder/facts")
    statements = {**files.STATEMENTS, **card.STATEMENTS, **evaluation.STATEMENTS, **suite.statements}
    queries = [
        Query(name, statement, query, json.dumps({"expectation": name})) for name, statement in statements.items()
    ]
    unknown = {fact.expectation for fact in facts} - set(statements)
    assert not unknown, f"every fact belongs to an expectation, but not {unknown}"
    return Batch("folder", None, "dataset-folder", queries, table=table_of(facts))


def configs_with_rows(manifest: Manifest, facts: Sequence[Fact]) -> list[str]:
    """Return the configs whose rows can be checked: their files are readable, with the right columns and parameters."""
    preconditions = {"files_are_there", "files_are_readable", "columns", "parameters", "splits"}
    excluded = {fact.config for fact in facts if fact.expectation in preconditions and not fact.is_met}
    return [config for config in manifest.configs if config not in excluded]
