"""The suites of self-aware: the expectations of our own questions, and of the authors' original ones."""

from collections.abc import Sequence
from pathlib import Path

from selfknow.builders.folder.manifest import ConfigEntry, Manifest
from selfknow.builders.self_aware import builder as self_aware
from selfknow.builders.self_aware import original as self_aware_original
from selfknow.builders.self_aware.question_text import NEAR_DUPLICATE
from selfknow.builders.self_aware.questions import (
    AUTHORED_SCHEMA,
    CATEGORIES,
    DIFFICULTIES,
    NUM_ANSWERABLE,
    SCHEMA,
    SPLITS,
)
from selfknow.validation.folder.fact import Fact
from selfknow.validation.suite import Batch, DatasetSuite, batch_of_rows, files_of

_STATEMENTS = {
    "parameters": "a config is made from the parameters that its dataset has (otherwise its rows are not checked)",
    "splits": "a config has the splits answerable and unanswerable (otherwise its rows are not checked)",
}
QUERIES = (
    "values_are_there",
    "ids_are_unique",
    "labels",
    "answers",
    "categories",
    "row_counts",
    "questions_are_asked_once",
    "no_near_duplicates",
    "few_near_duplicates",
    "few_alike_by_cosine",
    "no_answer_inside_its_question",
    "pairs",
    "frames",
    "sources",
    "short_aliases",
    "yes_and_no",
    "first_words",
    "lengths",
    "flags",
)
QUERIES_OF_ORIGINAL = (
    "values_are_there",
    "ids_are_unique",
    "labels",
    "original/flags",
    "original/answers",
    "original/null_columns",
)
_PARAMETERS = {
    "categories": list(CATEGORIES),
    "kinds": list(NUM_ANSWERABLE),
    "row_counts": [
        *({"split": "unanswerable", "part": part, "expected": number} for part, number in CATEGORIES.items()),
        *({"split": "answerable", "part": part, "expected": number} for part, number in NUM_ANSWERABLE.items()),
    ],
    "near_duplicate": NEAR_DUPLICATE,
    "fewest_frames": 300,
    "most_of_a_frame": 6,
    "difficulties": list(DIFFICULTIES),
    "most_near_duplicates": 200,
    "near_cosine": 0.6,
    "most_alike_by_cosine": 50,
    "most_short_aliases": 100,
    "most_first_word_distance": 0.25,
}


def _facts(manifest: Manifest) -> list[Fact]:
    """Return the facts about our config: its expected and actual name, seed and splits."""
    return [
        fact
        for config, entry in manifest.configs.items()
        for fact in (
            Fact("parameters", config, None, "config", self_aware.CONFIG, config),
            Fact("parameters", config, None, "seed", repr(manifest.seed), repr(entry.parameters.get("seed"))),
            _fact_of_splits(config, entry),
        )
    ]


def _facts_of_original(manifest: Manifest) -> list[Fact]:
    """Return the facts about the authors' questions: expected and actual name, hashes and splits of the config."""
    source = self_aware_original.pinned_source()
    return [
        fact
        for config, entry in manifest.configs.items()
        for fact in (
            Fact("parameters", config, None, "config", self_aware_original.CONFIG, config),
            Fact("parameters", config, None, "sha256", source["sha256"], str(entry.parameters.get("sha256"))),
            Fact("authors_rows", config, None, "content hash", source["content_hash"], entry.content_hash),
            _fact_of_splits(config, entry),
        )
    ]


def _fact_of_splits(config: str, entry: ConfigEntry) -> Fact:
    return Fact("splits", config, None, "splits", ", ".join(SPLITS), ", ".join(entry.splits))


def _batches(folder: Path, manifest: Manifest, configs: list[str]) -> list[Batch]:
    queries = [f"self_aware/{name}" for name in QUERIES]
    return [_batch("self-aware", folder, config, manifest.configs[config], queries) for config in configs]


def _batches_of_original(folder: Path, manifest: Manifest, configs: list[str]) -> list[Batch]:
    queries = [f"self_aware/{name}" for name in QUERIES_OF_ORIGINAL]
    return [_batch("self-aware-original", folder, config, manifest.configs[config], queries) for config in configs]


def _batch(suite: str, folder: Path, config: str, entry: ConfigEntry, queries: Sequence[str]) -> Batch:
    views = {"corpus": files_of(folder, entry)}
    return batch_of_rows(suite, config, views, queries, setup=["self_aware/setup"], parameters=_PARAMETERS)


SUITE = DatasetSuite(schema=AUTHORED_SCHEMA, statements=_STATEMENTS, facts=_facts, batches=_batches)
SUITE_OF_ORIGINAL = DatasetSuite(
    schema=SCHEMA,
    statements=_STATEMENTS | {"authors_rows": "the rows are the authors', to the last letter"},
    facts=_facts_of_original,
    batches=_batches_of_original,
)
