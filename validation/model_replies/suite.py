"""The suite of model-replies: its rows repeat its run folders, which are complete, plausible and unchanged."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from selfknow.builders.folder.manifest import ConfigEntry, Manifest
from selfknow.builders.model_replies.builder import CONFIGS, SCHEMA, parameters_of
from selfknow.builders.model_replies.runs import FOLDER, collected_runs, digest_of
from selfknow.validation.folder.fact import Fact
from selfknow.validation.model_replies.runs import read_runs
from selfknow.validation.suite import Batch, DatasetSuite, batch_of_rows, files_of

_STATEMENTS = {
    "tasks": "a config is one of the tasks that models were asked",
    "parameters": "a config is made of all runs that were collected for it (otherwise its rows are not checked)",
    "splits": "a config has the split test alone (otherwise its rows are not checked)",
    "run_files": "the files of a run have the digest that it was collected with",
}
QUERIES = (
    "values_are_there",
    "ids_are_unique",
    "runs_are_readable",
    "runs_are_described",
    "rows_belong_to_their_run",
    "rows_are_the_generations",
    "rows_have_the_scores",
    "replies_are_counted",
    "examples_are_asked",
    "calls_are_asked_once",
    "failures_have_an_error",
    "finish_reasons",
    "numbers_are_in_range",
    "scores_are_in_range",
    "parents_are_there",
    "greedy_replies_repeat",
    "models_are_described",
    "messages_are_in_the_prompt",
    "times_are_in_order",
    "no_machine_is_named",
)


def _facts(manifest: Manifest) -> list[Fact]:
    return [fact for config, entry in manifest.configs.items() for fact in _facts_of_config(manifest, config, entry)]


def _facts_of_config(manifest: Manifest, config: str, entry: ConfigEntry) -> Iterator[Fact]:
    yield Fact("splits", config, None, "splits", "test", ", ".join(entry.splits))
    yield Fact("tasks", config, None, "task", config if config in CONFIGS else None, config)
    runs = [run for run in collected_runs() if run.config == config]
    listed_runs = entry.parameters.get("runs")
    for expected, actual in zip_longest(parameters_of(runs), listed_runs if isinstance(listed_runs, list) else []):
        yield Fact("parameters", config, None, "runs", _text(expected), _text(actual))
    for run in runs:
        yield Fact("run_files", config, None, run.name, run.digest, _digest(manifest, run.name))


def _text(value: object) -> str | None:
    return None if value is None else repr(value)


def _digest(manifest: Manifest, run: str) -> str | None:
    """Return the digest of the files that a manifest lists below a run, or None if it lists none."""
    prefix = f"{FOLDER}/{run}/"
    files = [(file.path.removeprefix(prefix), file.sha256) for file in manifest.files if file.path.startswith(prefix)]
    return digest_of(files) if files else None


def batch_of_config(folder: Path, config: str, entry: ConfigEntry) -> Batch:
    """Return the batch of a config whose parameters list its runs."""
    listed_runs = entry.parameters["runs"]
    assert isinstance(listed_runs, list), "the facts have checked it"
    runs = read_runs(folder, listed_runs)
    views = {"corpus": files_of(folder, entry), **{view: files for view, files in runs.files.items() if files}}
    # Without a readable run there is nothing to compare the rows with.
    queries = QUERIES if runs.values else ("runs_are_readable",)
    return batch_of_rows(
        "model-replies",
        config,
        views,
        [f"model_replies/{name}" for name in queries],
        setup=["model_replies/setup"] if runs.values else [],
        parameters={"config": config, "runs": list(runs.values), "unreadable": list(runs.unreadable)},
    )


def _batches(folder: Path, manifest: Manifest, configs: list[str]) -> list[Batch]:
    """Return the batches to validate, one for each task."""
    return [batch_of_config(folder, config, manifest.configs[config]) for config in configs]


SUITE = DatasetSuite(schema=SCHEMA, statements=_STATEMENTS, facts=_facts, batches=_batches)
