"""SQL over a million generations, and the report of them, against the same analysis written plainly in pandas.

python -m benchmarks.sql
"""

import shutil
import sys
from pathlib import Path

import pyarrow.parquet as pq

from selfknow.builders.catalogue import find_corpora, find_dataset
from selfknow.builders.folder import build_folder
from selfknow.evaluate.run import DatasetReference
from tests.sql.synthetic_runs import SyntheticModel, write_run

FOLDER = Path("out/benchmarks/sql")
SIZES = ("8k", "16k", "32k", "64k")
QUESTIONS = 8_000
MODELS = (
    *("opt-7m", "opt-125m", "opt-350m", "opt-1.3b", "opt-2.7b"),
    *("flan-t5-small", "flan-t5-base", "flan-t5-large", "flan-t5-xl"),
    *("pythia-70m", "pythia-160m", "pythia-410m", "pythia-1b", "pythia-1.4b", "pythia-2.8b"),
)


def make_runs(folder: Path) -> list[Path]:
    """A million scored generations: 15 models, four sizes, both setups; better with model, size and setup."""
    corpus = folder / "diary-recall"
    configs = [size + setup for size in SIZES for setup in ("", "-simplified")]
    dataset = find_dataset("diary-recall")
    build_folder(dataset, find_corpora(dataset, configs, seed=0), corpus, jobs=2)
    runs, count = [], 0
    for number, config in enumerate(configs):
        rows = pq.read_table(corpus / config, filters=[("kind", "=", "question")], partitioning=None)
        models = [SyntheticModel(f"runs/{name}", _shares(number, rank)) for rank, name in enumerate(MODELS)]
        reference = DatasetReference(str(corpus), config, "train", content_hash=f"{number}")
        run = folder / "runs" / config
        count += write_run(run, rows.slice(0, QUESTIONS), models, reference, probes=100, stop=50, seed=number)
        runs.append(run)
    print(f"{count:,} generations in {len(runs)} runs", file=sys.stderr)
    return runs


def _shares(config: int, rank: int) -> dict[str, float]:
    wrong = 0.9 - 0.05 * rank - 0.02 * config
    kinds = ("fewer", "beyond", "repeated", "foreign", "another entry", "another diarist", "invented", "cut off")
    return {**{kind: max(0.01, wrong / len(kinds)) for kind in kinds}, "empty": 0.01, "failed": 0.01}


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    make_runs(FOLDER)
