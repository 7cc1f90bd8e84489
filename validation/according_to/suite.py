"""The suite of according-to: the expectations of a placement's rows."""

from collections.abc import Iterator
from pathlib import Path

from selfknow.builders.according_to.builder import SCHEMA
from selfknow.builders.according_to.prompts import PLACEMENTS, formats, phrases
from selfknow.builders.folder.manifest import ConfigEntry, Manifest
from selfknow.validation.folder.fact import Fact
from selfknow.validation.suite import Batch, DatasetSuite, batch_of_rows, files_of

_STATEMENTS = {
    "placements": "a config is one of the placements",
    "parameters": "a config is made in the formats of Appendix A (otherwise its rows are not checked)",
    "splits": "a config has the split test alone (otherwise its rows are not checked)",
}
QUERIES = (
    "values_are_there",
    "ids",
    "ids_are_unique",
    "prompts_are_complete",
    "phrases",
    "questions",
    "two_steps",
    "phrases_are_placed",
    "markers_are_known",
)


def _facts(manifest: Manifest) -> list[Fact]:
    return [fact for config, entry in manifest.configs.items() for fact in _facts_of_config(config, entry)]


def _facts_of_config(config: str, entry: ConfigEntry) -> Iterator[Fact]:
    yield Fact("splits", config, None, "splits", "test", ", ".join(entry.splits))
    yield Fact("placements", config, None, "placement", config if config in PLACEMENTS else None, config)
    yield Fact("parameters", config, None, "formats", repr(list(formats())), repr(entry.parameters.get("formats")))


def _batches(folder: Path, manifest: Manifest, configs: list[str]) -> list[Batch]:
    """Return the batches to validate, one for each placement."""
    queries = [f"according_to/{name}" for name in QUERIES]
    shared = {"formats": list(formats()), "prompts": [dict(phrase) for phrase in phrases()]}
    return [
        batch_of_rows(
            "according-to",
            config,
            {"corpus": files_of(folder, manifest.configs[config])},
            queries,
            parameters={"placement": config, **shared},
        )
        for config in configs
        if config in PLACEMENTS
    ]


SUITE = DatasetSuite(schema=SCHEMA, statements=_STATEMENTS, facts=_facts, batches=_batches)
