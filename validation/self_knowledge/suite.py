"""The suite of self-knowledge: the expectations of a task's rows."""

from collections.abc import Iterator
from pathlib import Path

from selfknow.builders.folder.manifest import ConfigEntry, Manifest
from selfknow.builders.self_knowledge.builder import CONFIGS, SCHEMA
from selfknow.builders.self_knowledge.prompts import STYLES
from selfknow.builders.self_knowledge.sources import paper_templates
from selfknow.builders.self_knowledge.tasks import TRANSFORMATIONS, num_instances
from selfknow.validation.folder.fact import Fact
from selfknow.validation.suite import Batch, DatasetSuite, batch_of_rows, files_of

_STATEMENTS = {
    "tasks": "a config is one of the tasks",
    "parameters": "a config is made from the parameters that its name stands for (otherwise its rows are not checked)",
    "splits": "a config has the split test alone (otherwise its rows are not checked)",
}
QUERIES = (
    "values_are_there",
    "ids",
    "ids_are_unique",
    "instances_are_complete",
    "prompts_differ",
    "markers",
    "slots_are_filled",
    "prompts_name_their_slots",
    "answers",
    "dual_prompts",
    "transformations",
    "styles_share_their_instance",
    "paper_prompts",
)


def _facts(manifest: Manifest) -> list[Fact]:
    return [fact for config, entry in manifest.configs.items() for fact in _facts_of_config(manifest, config, entry)]


def _facts_of_config(manifest: Manifest, config: str, entry: ConfigEntry) -> Iterator[Fact]:
    yield Fact("splits", config, None, "splits", "test", ", ".join(entry.splits))
    yield Fact("tasks", config, None, "task", config if config in CONFIGS else None, config)
    expected = {"seed": manifest.seed, "styles": list(STYLES)}
    if config in CONFIGS:
        expected["num_instances"] = num_instances(config)
    for name, value in expected.items():
        yield Fact("parameters", config, None, name, repr(value), repr(entry.parameters.get(name)))


def _batches(folder: Path, manifest: Manifest, configs: list[str]) -> list[Batch]:
    """Return the batches to validate, one for each task."""
    queries = [f"self_knowledge/{name}" for name in QUERIES]
    shared = {
        "styles": list(STYLES),
        "transformations": list(TRANSFORMATIONS),
        "tasks_of_the_paper": list(paper_templates()["tables_8_13_and_14"]),
    }
    return [
        batch_of_rows(
            "self-knowledge",
            config,
            {"corpus": files_of(folder, manifest.configs[config])},
            queries,
            setup=["self_knowledge/setup"],
            parameters={"task": config, "num_instances": num_instances(config), **shared},
        )
        for config in configs
        if config in CONFIGS
    ]


SUITE = DatasetSuite(schema=SCHEMA, statements=_STATEMENTS, facts=_facts, batches=_batches)
