"""Damaged run folders and dataset folders."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.mutations.damage import damage_folder, damaged_bytes, damaged_json, damaged_yaml
from benchmarks.mutations.target import Target, WrongNumberError
from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
from selfknow.builders.diary_recall.diaries import Shape
from selfknow.builders.folder.manifest import read_manifest
from selfknow.builders.folder.write import build_folder
from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_sql
from selfknow.evaluate.connection import connect
from selfknow.evaluate.dataset import open_dataset
from selfknow.evaluate.run import Run
from selfknow.evaluate.score import score_run
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import GREEDY, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.reader import open_runs
from selfknow.runs.schema import last_attempts, read_examples, read_generations
from selfknow.runs.writer import RunWriter
from selfknow.sql.views import parsed_files
from selfknow.validation.catalogue import SUITES
from selfknow.validation.folder.suite import facts_of_folder

_ROWS = 12
_QUERIED_OUT_OF = 12  # one input in twelve is queried: a connection with all views takes as long as twelve inputs


def damaged_table(content: bytes, chance: Random) -> bytes:
    """Return a valid Parquet file in which a column is missing, new, renamed, or has other values, or rows change."""
    table = pq.read_table(pa.BufferReader(content))
    place = chance.randrange(table.num_columns)
    name = table.column_names[place]
    kind = chance.randrange(7)
    if kind == 0:
        table = table.drop_columns([name])
    elif kind == 1:
        table = table.rename_columns(
            [
                chance.choice(("", "x", "id", f"{column} ")) if column == name else column
                for column in table.column_names
            ]
        )
    elif kind == 2:
        values: pa.Array = chance.choice(
            (
                pa.nulls(len(table)),
                pa.array(range(len(table))),
                pa.array([[1]] * len(table)),
                pa.array([b"\xff"] * len(table)),
            )
        )
        table = table.set_column(place, name, values)
    elif kind == 3:
        table = table.slice(0, chance.choice((0, 1, len(table) // 2)))
    elif kind == 4:
        table = pa.concat_tables([table, table.slice(chance.randrange(max(1, len(table))))])
    elif kind == 5:
        table = table.append_column(chance.choice((name, "extra", "ü")), pa.nulls(len(table)))
    else:
        table = table.set_column(place, name, pa.nulls(len(table), table.schema.field(place).type))
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


_DAMAGES = {
    ".json": (damaged_json, damaged_json, damaged_bytes),
    ".parquet": (damaged_bytes, damaged_bytes, damaged_table),
}


def _make_run(folder: Path) -> None:
    description = RunDescription("gsm8k", DatasetReference("gsm8k"), GREEDY, {"prompt": "p", "samples": 1})
    rows = [{"id": f"gsm8k-{i:05d}", "question": f"What is {i} + 1?", "answer": f"#### {i + 1}"} for i in range(_ROWS)]
    with RunWriter.open(folder / "run", description, pa.Table.from_pylist(rows), rows_per_part=8) as run:
        run.describe_model("m", "1", ModelFacts(num_parameters=7))
        for i, row in enumerate(rows):
            run.append("m", "1", Request(row["id"], row["question"]), Reply(f"It is {i + i % 2}.", "stop"))
    score_run(folder / "run")


def _use_run(folder: Path, chance: Random) -> str:
    place = folder / "run"
    open_runs([place], parsed_files(task_sql()))
    generations = read_generations(place)
    if len(last_attempts(generations)) > len(generations):
        raise WrongNumberError("more last attempts than attempts")
    read_examples(place)
    if chance.randrange(_QUERIED_OUT_OF):
        return "same" if generations.equals(_sound_run(str(folder))) else "other"
    with connect([place]) as connection:
        [row] = connection.rows("select count(*) as n from generations")
        if row["n"] != len(generations):
            raise WrongNumberError(f"SQL counts {row['n']} generations of {len(generations)}")
    for query in ("overview", "metrics"):
        Run(place).query(query)
    return "queried"


@cache
def _sound_run(folder: str) -> pa.Table:
    return read_generations(Path(folder).with_name(f"{Path(folder).name}.sound") / "run")


RUNS = Target(
    "run folders", _make_run, lambda folder, chance: damage_folder(folder / "run", chance, _DAMAGES), _use_run
)


def _make_dataset(folder: Path) -> None:
    corpora = configs_of_shape(Shape(num_diarists=16))[:1]
    build_folder(replace(DATASET, version="1.0.0"), corpora, folder / "diaries")


def _use_dataset(folder: Path, chance: Random) -> str:  # noqa: ARG001
    place = folder / "diaries"
    refusal = None
    try:
        dataset = open_dataset(f"{place}:16-diarists")
        for split in ("train", "validation", "test"):
            dataset.read(split)
    except UserError as error:
        refusal = error
    manifest = read_manifest(place)
    suite = SUITES.get(manifest.dataset)
    if suite is None:
        raise UserError(f"nothing is known of the dataset {manifest.dataset}")
    unmet = [fact for fact in facts_of_folder(place, manifest, suite) if not fact.is_met]
    if unmet:
        raise UserError(f"{len(unmet)} facts are not met")
    if refusal is not None:
        raise refusal
    if _parquet_bytes(place) != _parquet_bytes(Path(f"{folder}.sound") / "diaries"):
        raise WrongNumberError("the check passes files that were damaged")
    return "same"


def _parquet_bytes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.parquet") if path.is_file()}


DATASETS = Target(
    "dataset folders",
    _make_dataset,
    lambda folder, chance: damage_folder(
        folder / "diaries", chance, {**_DAMAGES, ".md": (damaged_yaml, damaged_bytes)}
    ),
    _use_dataset,
)
