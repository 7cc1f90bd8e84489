"""The baselines of the diary corpora: a generator of rows, written after the paper, and two plain writers.

The module has nothing else, because ``Dataset.from_generator`` hashes all of it.
"""

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Dataset, Features, List, Value

SPLITS = ("train", "validation", "test")
ROWS_AT_ONCE = 20_000
ATTRIBUTES = {
    "Location": ["City", "Countryside"],
    "Time": ["Morning", "Evening"],
    "Weather": ["Sunny", "Rain"],
    "Mood": ["Happy", "Sad"],
    "Restfulness": ["Tired", "Rested"],
    "Stress Level": ["Stressed", "Relaxed"],
    "Physical Activity": ["Running", "Weight Training"],
    "Meditated": ["Yes", "No"],
}
FEATURES = Features(
    {
        **dict.fromkeys(["id", "kind", "diarist", "prompt", "completion"], Value("string")),
        "entry": Value("int32"),
        "num_documents": Value("int32"),
        "document_lengths": List(Value("int32")),
    }
)


def rows(split: str, num_diarists: int, simplified: bool) -> Iterator[dict[str, object]]:
    """Yield the rows of a split, diarist after diarist."""
    held_out = num_diarists // 20
    first = {"train": 0, "validation": num_diarists - 2 * held_out, "test": num_diarists - held_out}[split]
    questioned = range(
        first, {"train": num_diarists - 2 * held_out, "validation": num_diarists - held_out}.get(split, num_diarists)
    )
    for number in range(num_diarists) if split == "train" else questioned:
        chance = random.Random(number)
        name = f"Given{number // 1000} Surname{number % 1000}"
        bodies = []
        for _ in range(number % 8 + 1):
            chosen = chance.sample(list(ATTRIBUTES), chance.randint(1, 8))
            bodies.append([f"{attribute}: {chance.choice(ATTRIBUTES[attribute])}" for attribute in chosen])
        texts = ["\n".join([f"{name}'s Diary Entry {i}", *body]) for i, body in enumerate(bodies, start=1)]
        shared = {"diarist": name, "num_documents": len(bodies), "document_lengths": [len(body) for body in bodies]}
        if split == "train":
            for i, text in enumerate(["\n".join(texts)] if simplified else texts, start=1):
                title, body = text.split("\n", 1)
                entry = None if simplified else i
                yield {
                    "id": f"document-{number:08d}-{i}",
                    "kind": "document",
                    "prompt": f"{title}\n",
                    "completion": body,
                    "entry": entry,
                    **shared,
                }
        if number in questioned:
            question = f"Recall all of {name}'s diary entries, in order.\n"
            yield {
                "id": f"question-{number:08d}",
                "kind": "question",
                "prompt": question,
                "completion": "\n".join(texts),
                "entry": None,
                **shared,
            }


def write_with_datasets(folder: Path, num_diarists: int, simplified: bool) -> None:
    """Write the three splits as Parquet with Hugging Face's ``datasets``."""
    for split in SPLITS:
        options = {"split": split, "num_diarists": num_diarists, "simplified": simplified}
        dataset = Dataset.from_generator(rows, features=FEATURES, cache_dir=str(folder / "cache"), gen_kwargs=options)
        dataset.to_parquet(folder / f"{split}.parquet")


def write_with_pyarrow(folder: Path, num_diarists: int, simplified: bool) -> None:
    """Write the three splits as Parquet with pyarrow, a table of rows at a time."""
    schema = FEATURES.arrow_schema
    for split in SPLITS:
        with pq.ParquetWriter(folder / f"{split}.parquet", schema, compression="zstd") as writer:
            remaining = rows(split, num_diarists, simplified)
            while table := list(islice(remaining, ROWS_AT_ONCE)):
                writer.write_table(pa.Table.from_pylist(table, schema))
