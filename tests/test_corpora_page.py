"""docs/corpora.md shows ten rows of each dataset, and they are really in it."""

import random
from typing import Any

import pytest

from selfknow.builders.catalogue import find_configs, find_dataset
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "corpora.md").read_text(encoding="utf-8")
TASKS = (
    *("total-count", "designated-count", "fact", "math", "theorem", "code"),
    *("sentiment", "specific-mention", "sports-statistics", "image-color"),
)


def rows(dataset: str, config: str, split: str) -> list[dict[str, Any]]:
    [corpus] = find_configs(find_dataset(dataset), [config], seed=0)
    return [row for shard in corpus.shards[split] for row in shard().to_pylist()]


def diaries() -> str:
    """Return ten documents that a seed draws, a line each."""
    documents = [row for row in rows("diary-recall", "1k", "train") if row["kind"] == "document"]
    drawn = random.Random(0).sample(documents, 10)
    return "\n".join((row["prompt"] + row["completion"]).replace("\n", " / ") for row in drawn)


def creations() -> str:
    """Return the first row of ten tasks: the request to write, the question about the text, and the answer."""
    firsts = [rows("self-knowledge", task, "test")[0] for task in TASKS]
    return "\n".join(
        f"{row['task']}: {row['generate_prompt']}\n  → {row['verify_prompt'].partition(chr(10))[0]} ({row['answer']})"
        for row in firsts
    )


def phrases() -> str:
    """Return the first ten prompts after the null prompt."""
    short = [row for row in rows("according-to", "appended", "test") if row["format"] == "short" and row["phrase"]]
    return "\n".join(f"{row['kind']}: {row['phrase']}" for row in short[:10])


@pytest.mark.parametrize("shown", [diaries, creations, phrases])
def test_the_rows_on_the_page_are_those_of_the_dataset(shown: Any) -> None:
    assert f"```text\n{shown()}\n```" in PAGE
