"""A process that writes a run slowly, a part every few rows: made to be killed."""

from pathlib import Path

from selfknow.evaluate.collect import collect
from selfknow.models.interface import Decoding, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.writer import RunWriter
from tests.diary_questions import Parrot, questions

DESCRIPTION = RunDescription("diary-recall", DatasetReference("diary-recall", "tiny", "test"), Decoding())


def write(folder: Path, number: int, seconds_per_call: float) -> None:
    examples = questions(number)
    requests = [Request(row["id"], row["prompt"]) for row in examples.to_pylist()]
    with RunWriter.open(folder, DESCRIPTION, examples, rows_per_part=3) as run:
        collect(run, Parrot(seconds=seconds_per_call), requests, quiet=True)
