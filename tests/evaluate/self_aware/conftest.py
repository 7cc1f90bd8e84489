"""A small dataset in the shape of self-aware, and a server that abstains by a rule."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.self_aware_questions import SCHEMA
from selfknow.evaluate.corpora import Corpus, open_corpus

CATEGORIES = ("philosophical", "imagination")


def example(pair: int, place: int, *, answerable: bool) -> dict[str, object]:
    """The ``place``-th answerable question of a pair, or its unanswerable one."""
    kind = f"known-{place}" if answerable else "unknown"
    return {
        "id": f"pair-{pair}-{kind}",
        "question": f"What is {pair} plus {place}?" if answerable else f"Why must there be a {pair}?",
        "answers": [f"the number {pair + place}", f"{pair + place}"] if answerable else [],
        "answerable": answerable,
        "category": None if answerable else CATEGORIES[pair % 2],
        "source": "single fact/sums" if answerable else "frame/why",
        "pair_id": f"pair-{pair}",
        "flags": [],
    }


@pytest.fixture(scope="session")
def aware_folder(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Ten unanswerable questions, each with two answerable ones under its ``pair_id``."""
    folder: Path = tmp_path_factory.mktemp("aware") / "small"
    (folder / "authored").mkdir(parents=True)
    rows = {
        "answerable": [example(pair, place, answerable=True) for pair in range(10) for place in (1, 2)],
        "unanswerable": [example(pair, 0, answerable=False) for pair in range(10)],
    }
    for split, given in rows.items():
        path = folder / "authored" / f"{split}-00000-of-00001.parquet"
        pq.write_table(pa.Table.from_pylist(given, schema=SCHEMA), path)
    return open_corpus(str(folder))
