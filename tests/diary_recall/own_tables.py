"""Tables of documents about named things, and corpora made from them."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.builders.diary_recall.own_corpus import own_configs, own_corpus, own_dataset
from selfknow.builders.diary_recall.own_table import read_own_table
from selfknow.builders.folder.manifest import Manifest
from selfknow.builders.folder.write import build_folder

Row = Mapping[str, object]


def things(count: int = 24) -> list[dict[str, object]]:
    """Return one, two or three documents about each thing, some of two lines, with letters beyond ASCII."""
    return [
        {"name": f"Thing {number}", "document": _text(number, entry), "order": entry}
        for number in range(count)
        for entry in range(1, number % 3 + 2)
    ]


def _text(number: int, entry: int) -> str:
    more = "\nSee Thing 1: Document 3 pages, naïve." if number % 5 == 0 else ""
    return f"Fact {number}.{entry} is so.{more}"


def write_table(path: Path, rows: Sequence[Row]) -> Path:
    """Write rows in the format of the file's suffix."""
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    return path


def build_own(table: Path, folder: Path, *, seed: int = 0, held_out_percent: int = 10) -> Manifest:
    corpus = own_corpus(read_own_table(table), table.stem, seed, held_out_percent)
    return build_folder(own_dataset(corpus), own_configs(corpus), folder, seed=seed)
