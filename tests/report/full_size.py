"""Runs of the paper's whole grid: 15 models x 7 dataset sizes x 2 setups, of invented models."""

from pathlib import Path

import pyarrow as pa

from selfknow.builders.tables import read_table
from selfknow.runs.description import DatasetReference
from tests.sql.given import EXAMPLES, question
from tests.sql.synthetic_runs import SyntheticModel, write_run

SIZES = ("1k", "2k", "4k", "8k", "16k", "32k", "64k")
SUITES = ("OPT", "Pythia", "Flan-T5")


def full_size_runs(folder: Path) -> list[Path]:
    """Write a run of all 15 models for each dataset size and setup: the larger both are, the more a model knows."""
    models = [row["name"] for row in read_table("models.tsv") if row["suite"] in SUITES]
    rows = [question(f"D{count}", *(length % 8 + 1 for length in range(count))) for count in range(1, 9)]
    questions = pa.Table.from_pylist(rows, schema=EXAMPLES)
    runs = []
    for place, size in enumerate(SIZES):
        for setup, ease in (("", 0), ("-simplified", 3)):
            requests = [
                SyntheticModel(name, _shares(min(8, place + number % 5 + ease))) for number, name in enumerate(models)
            ]
            run = folder / f"{size}{setup}"
            write_run(
                run, questions, requests, DatasetReference("diary-recall", f"{size}{setup}", "test"), seed=len(runs)
            )
            runs.append(run)
    return runs


def _shares(known: int) -> dict[str, float]:
    """Return the shares of errors if ``known`` of eight answers are right: half recall too little, half too much."""
    wrong = 8 - known
    return {"fewer": (wrong + 1) // 2 / 8, "beyond": wrong // 2 / 8}
