"""Model replies: the replies of small models to the questions of this package, one row each, with their scores.

The dataset folder also holds the run folders of the rows, below ``runs``, for ``selfknow query`` and ``selfknow
report``. A row:

    {"id": "4e24ea8838d0-c5cef8fa951eca9a", "run": "SmolLM2-135M-Instruct/self-aware-direct",
     "model": "SmolLM2-135M-Instruct", "question_set": "self-aware:authored", "example_id": "consensus-161-1b",
     "stage": "answer", "variant": "direct", "generation": "BLUFF!", "metrics": ["whole_word_match", …],
     "scores": [0.0, …], …}
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.builders.dataset import Dataset, DatasetConfig
from selfknow.builders.folder.card import lines_of_row
from selfknow.builders.model_replies.runs import (
    FOLDER,
    GENERATIONS,
    SOURCES,
    ReplyRun,
    collected_runs,
    files_of_run,
    models,
    question_set_of,
    read_description,
    run_folders,
)
from selfknow.errors import UserError

CONFIGS = tuple(dict.fromkeys(run.config for run in collected_runs()))
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("run", pa.string()),
        ("model", pa.string()),
        ("question_set", pa.string()),
        ("example_id", pa.string()),
        ("stage", pa.string()),
        ("variant", pa.string()),
        ("sample", pa.int32()),
        ("attempt", pa.int32()),
        ("parent_id", pa.string()),
        ("prompt", pa.string()),
        ("generation", pa.string()),
        ("finish_reason", pa.string()),
        ("prompt_tokens", pa.int32()),
        ("completion_tokens", pa.int32()),
        ("logprob", pa.float64()),
        ("error", pa.string()),
        ("metrics", pa.list_(pa.string())),
        ("scores", pa.list_(pa.float64())),
        ("reasons", pa.list_(pa.string())),
    ]
)
# The columns that are copied from a run's generations under the same name.
_UNCHANGED_COLUMNS = tuple(
    name for name in SCHEMA.names if name not in {"id", "run", "model", "question_set", "parent_id"}
)


def replies_of_run(folder: Path, run: ReplyRun) -> pa.Table:
    """Return the rows of one run, in the order of its generations."""
    generations = pq.read_table(folder / GENERATIONS, partitioning=None).to_pylist()
    scores = _scores_by_generation(folder)
    question_set = question_set_of(read_description(folder))
    rows = [
        {
            **{name: row.get(name) for name in _UNCHANGED_COLUMNS},
            "id": row["generation_id"],
            "parent_id": row["parent_generation_id"],
            "run": run.name,
            "model": run.model,
            "question_set": question_set,
            **_score_columns(scores[row["generation_id"]]),
        }
        for row in generations
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _scores_by_generation(folder: Path) -> Mapping[str, list[Mapping[str, Any]]]:
    by_generation: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for path in sorted((folder / "scores").glob("*.parquet")):
        for row in pq.read_table(path, partitioning=None).to_pylist():
            by_generation[row["generation_id"]].append(row)
    return by_generation


def _score_columns(scores: Sequence[Mapping[str, Any]]) -> Mapping[str, list[object]]:
    columns = {"metrics": "metric", "scores": "value", "reasons": "reason"}
    return {name: [row[column] for row in scores] for name, column in columns.items()}


def replies_table(folders: Path, runs: Sequence[ReplyRun]) -> pa.Table:
    """Return the rows of several runs; the folder of each is ``folders / run.name``."""
    return pa.concat_tables([SCHEMA.empty_table(), *(replies_of_run(folders / run.name, run) for run in runs)])


def config_of_runs(config: str, folders: Path, runs: Sequence[ReplyRun]) -> DatasetConfig:
    """Return a config that holds the rows and the folders of some runs.

    Args:
        config: The config's name, which is the name of a task.
        folders: The folder that holds the run folders; each is called ``run.name``.
        runs: The runs.
    """
    files = {
        f"{FOLDER}/{run.name}/{path}": folders / run.name / path
        for run in runs
        for path in files_of_run(folders / run.name)
    }
    parameters = {"runs": parameters_of(runs)}
    return DatasetConfig(config, parameters, SCHEMA, {"test": [partial(replies_table, folders, runs)]}, files)


def parameters_of(runs: Sequence[ReplyRun]) -> list[dict[str, object]]:
    """Return a config's runs for the manifest."""
    return [{"run": run.name, "run_id": run.run_id, "replies": run.replies, "digest": run.digest} for run in runs]


def replies_config(config: str, seed: int = 0) -> DatasetConfig:
    """Return the packaged replies of one task.

    Args:
        config: ``self-aware``, ``self-knowledge``, ``according-to`` or ``diary-recall``.
        seed: Has no effect.

    Raises:
        UserError: The config does not exist.
    """
    del seed
    if config not in CONFIGS:
        raise UserError(f"model-replies has no config {config!r}; it has {', '.join(CONFIGS)}")
    return config_of_runs(config, run_folders(), [run for run in collected_runs() if run.config == config])


def card_parts(configs: list[DatasetConfig]) -> Mapping[str, str]:
    """Return an example row, the table of the models with their licences, and the table of the runs."""
    names = {config.name for config in configs}
    runs = [run for run in collected_runs() if run.config in names]
    row = configs[0].shards["test"][0]().slice(0, 1).to_pylist()[0]
    return {"example": lines_of_row(row), "models": _table_of_models(runs), "runs": _table_of_runs(runs)}


def _table_of_models(runs: Sequence[ReplyRun]) -> str:
    lines = ["| model | kind | file | parameters | licence of the model |", "| --- | --- | --- | ---: | --- |"]
    for name in dict.fromkeys(run.model for run in runs):
        row = models()[name]
        model = _description_of_model(next(run for run in runs if run.model == name))
        file = f"`{model['name']}`" if model.get("quantization") else "none: train it again"
        cells = [_link(name, row["page"]), row["kind"], file, f"{model['num_parameters']:,}"]
        lines.append(f"| {' | '.join([*cells, _link(row['licence'], row['licence_page'])])} |")
    return "\n".join(lines)


def _link(text: str, page: str) -> str:
    return f"[{text}]({page})" if page else text


def _description_of_model(run: ReplyRun) -> Mapping[str, Any]:
    """Return the description of the run's model in its ``run.json``."""
    description: Mapping[str, Any] = read_description(run_folders() / run.name)["models"][0]
    return description


def _table_of_runs(runs: Sequence[ReplyRun]) -> str:
    names = list(dict.fromkeys(run.model for run in runs))
    lines = [f"| runs | {' | '.join(names)} |", "| --- |" + " ---: |" * len(names)]
    for name in dict.fromkeys(run.run for run in runs):
        replies = {run.model: f"{run.replies:,}" for run in runs if run.run == name}
        lines.append(f"| `{name}` | {' | '.join(replies.get(model, '–') for model in names)} |")
    return "\n".join(lines)


DATASET = Dataset(
    name="model-replies",
    version="1.0.0",
    sources=SOURCES,
    summary="The replies of small models to the questions of this package, with scores, as rows and as run folders.",
    configs=CONFIGS,
    config=replies_config,
    metadata={
        "pretty_name": "Model replies",
        "license": "apache-2.0",
        "language": ["en"],
        "task_categories": ["text-generation", "question-answering"],
        "tags": ["self-knowledge", "model outputs", "evaluation", "selfknow"],
        "annotations_creators": ["machine-generated"],
    },
    card_parts=card_parts,
)
