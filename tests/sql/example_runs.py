"""The diary runs of docs/sql.md: three scripted models on 200 diarists in both setups.

python -m tests.sql.example_runs    (writes ``diary-recall`` and ``runs`` into the current folder)
"""

from pathlib import Path

import pyarrow.parquet as pq

from selfknow.builders.catalogue import find_configs, find_dataset
from selfknow.builders.folder.write import build_folder
from selfknow.models.facts import ModelFacts
from selfknow.runs.description import DatasetReference
from tests.sql.synthetic_runs import SyntheticModel, write_run

NUM_QUESTIONS = 200
FROM_SCRATCH = ModelFacts(origin="opt-125m", num_parameters=125_239_296, from_scratch=True)
STANDARD = [
    SyntheticModel("facebook/opt-125m", {"fewer": 0.12, "beyond": 0.06, "another entry": 0.05, "invented": 0.1}, 0.9),
    SyntheticModel(
        "out/opt-125m-scratch/model",
        {"fewer": 0.3, "beyond": 0.2, "another diarist": 0.15, "foreign": 0.1},
        0.5,
        0.5,
        FROM_SCRATCH,
    ),
    SyntheticModel("EleutherAI/pythia-70m", {"fewer": 0.2, "beyond": 0.2, "invented": 0.2, "cut off": 0.1}, 0.7, 1.0),
]
SIMPLIFIED = [
    SyntheticModel("facebook/opt-125m", {"fewer": 0.02, "invented": 0.03}),
    SyntheticModel("out/opt-125m-scratch/model", {"fewer": 0.1, "beyond": 0.1, "empty": 0.02}, facts=FROM_SCRATCH),
    SyntheticModel("EleutherAI/pythia-70m", {"beyond": 0.05, "invented": 0.15, "failed": 0.03}),
]


def write_examples(folder: Path) -> None:
    """Write the corpora into ``folder/diary-recall`` and a run of each setup into ``folder/runs``."""
    dataset = find_dataset("diary-recall")
    build_folder(dataset, find_configs(dataset, ["1k", "1k-simplified"], seed=0), folder / "diary-recall")
    for seed, (config, models) in enumerate({"1k": STANDARD, "1k-simplified": SIMPLIFIED}.items()):
        questions = pq.read_table(
            folder / "diary-recall" / config, filters=[("kind", "=", "question")], partitioning=None
        )
        reference = DatasetReference("diary-recall", config, "train")
        write_run(
            folder / "runs" / config,
            questions.slice(0, NUM_QUESTIONS),
            models,
            reference,
            probes=50,
            stop=100,
            seed=seed,
        )


if __name__ == "__main__":
    write_examples(Path())
