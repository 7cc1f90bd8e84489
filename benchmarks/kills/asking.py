"""Kills of ``selfknow evaluate`` and ``selfknow score``: a run with a part for every three replies, then scored."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.kills.activity import Activity
from selfknow.evaluate.collect import collect
from selfknow.evaluate.score import score_run
from selfknow.models.interface import GREEDY, Decoding, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import generation_files, read_generations
from selfknow.runs.writer import RunWriter

_CALLS = 60
_COMPARED_COLUMNS = ("example_id", "stage", "variant", "sample", "attempt", "generation", "error")


class _Adder:
    """A model that adds one to a number, with a wrong result every third time."""

    name, revision = "adder", "1"

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:  # noqa: ARG002
        for request in requests:
            time.sleep(0.002)
            number = int(request.example_id.rpartition("-")[2])
            yield request, Reply(f"It is {number + 1 + (number % 3 == 0)}.", "stop")


def _work(place: Path) -> None:
    rows = [{"id": f"sum-{i:03d}", "question": f"{i} + 1?", "answer": f"#### {i + 1}"} for i in range(_CALLS)]
    description = RunDescription("gsm8k", DatasetReference("sums"), GREEDY, {"prompt": "p", "samples": 1})
    requests = [Request(str(row["id"]), str(row["question"])) for row in rows]
    with RunWriter.open(place / "run", description, pa.Table.from_pylist(rows), rows_per_part=3) as run:
        collect(run, _Adder(), requests, quiet=True)
    score_run(place / "run")


def _phase(place: Path) -> str:
    run = place / "run"
    if not (run / "run.json").exists():
        return "before run.json"
    if list((run / "scores").glob("*.parquet")):
        return "scored"
    answered = 3 * len(generation_files(run))
    if answered >= _CALLS:
        return "all answered, not scored"
    if not answered:
        return "no reply yet"
    percent = answered * 4 // _CALLS * 25
    return f"{percent} to {percent + 25} % answered"


def _faults(place: Path, sound: Path, ended: bool) -> Iterable[str]:
    run, earlier_ids = place / "run", place / "kept.json"
    table = read_generations(run) if generation_files(run) else None
    ids = table["generation_id"].to_pylist() if table else []
    if len(ids) != len(set(ids)):
        yield "a reply is doubled"
    earlier = set(json.loads(earlier_ids.read_text())) if earlier_ids.exists() else set()
    if lost := earlier - set(ids):
        yield f"{len(lost)} replies were lost"
    earlier_ids.write_text(json.dumps(ids))
    if ended:
        if plain_replies(run) != plain_replies(sound / "run"):
            yield "the replies are not those of an undisturbed run"
        if scores_of(run) != scores_of(sound / "run"):
            yield "the scores are not those of an undisturbed run"
        if unfinished := [path.name for path in run.rglob(".*.writing")]:
            yield f"{unfinished[0]} was left behind"


def plain_replies(run: Path) -> list[tuple[object, ...]]:
    """Return all replies of a run's only model, without their times."""
    return sorted(map(tuple, (row.values() for row in read_generations(run, _COMPARED_COLUMNS).to_pylist())), key=repr)


def scores_of(run: Path) -> list[tuple[str, object, object]]:
    """Return all scores of a run."""
    tables = [pq.read_table(path, partitioning=None) for path in sorted((run / "scores").glob("*.parquet"))]
    return sorted((row["metric"], row["value"], row["reason"]) for table in tables for row in table.to_pylist())


EVALUATE = Activity(
    "evaluate, score",
    lambda place: None,  # noqa: ARG005
    _work,
    _phase,
    _faults,
)
