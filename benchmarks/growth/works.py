"""The pieces of work whose growth is measured. Heavy libraries are imported in the process that does the work."""

import math
from pathlib import Path

WIDTH, RATE = 25, 1e-3
LINE = 1_000 + WIDTH - 1  # characters of a text: a thousand n-grams
QUESTIONS = 1_000
OUTCOMES = ("fewer", "beyond", "repeated", "foreign", "another entry", "another diarist", "invented", "cut off")


def write_text(path: str, ngrams: int) -> None:
    """Write a text file of random letters with a thousand n-grams per line, of which hardly any occurs twice."""
    import numpy as np

    random = np.random.default_rng(0)
    with Path(path).open("wb") as file:
        for first in range(0, ngrams // 1_000, 10_000):
            rows = min(10_000, ngrams // 1_000 - first)
            letters = random.integers(97, 123, (rows, LINE + 1), dtype=np.uint8)
            letters[:, LINE] = ord("\n")
            file.write(letters.data)


def build_portrait(path: str, out: str, capacity: int | None) -> None:
    """Run ``selfknow portrait build``, on one thread."""
    from selfknow.portraits import Corpus, Portrait

    Portrait.build(Corpus.from_files([path]), width=WIDTH, capacity=capacity, threads=1).save(out)


def filter_in_mb(ngrams: int) -> float:
    """Return the size that every filter of these n-grams needs at this false positive rate (Carter et al., 1978)."""
    return ngrams * math.log2(1 / RATE) / 8e6


def build_corpus(diarists: int, out: str) -> None:
    """Run ``selfknow data build diary-recall --num-diarists``: both setups, on one thread."""
    import pyarrow as pa

    from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
    from selfknow.builders.diary_recall.diaries import Shape
    from selfknow.builders.folder.write import build_folder

    pa.set_cpu_count(1)
    build_folder(DATASET, configs_of_shape(Shape(diarists)), Path(out), jobs=1)


def write_replies(generations: int, out: str) -> None:
    """Write a run of a thousand questions, each asked often, with a tenth of the replies wrong in each way."""
    import pyarrow as pa

    from selfknow.builders.diary_recall.builder import named_config
    from selfknow.runs.description import DatasetReference
    from tests.sql.synthetic_runs import SyntheticModel, write_run

    corpus = pa.concat_tables(shard() for shard in named_config("4k").shards["train"])
    questions = corpus.filter(pa.compute.equal(corpus["kind"], "question")).slice(0, QUESTIONS)
    model = SyntheticModel("model", dict.fromkeys(OUTCOMES, 0.1))
    reference = DatasetReference("diary-recall", "4k", "train", content_hash="0")
    write_run(Path(out), questions, [model], reference, samples=generations // QUESTIONS)


def score(run: str) -> None:
    """Run ``selfknow score``."""
    from selfknow.evaluate.score import score_to_files

    score_to_files(Path(run))


def ask_sql(run: str) -> int:
    """Run ``selfknow query overview``, on one thread."""
    from selfknow.evaluate.connection import connect
    from selfknow.sql.queries import run_query

    with connect([run], threads=1) as connection:
        return len(run_query(connection, "overview").fetchall())
