"""The files in the folder of each page's shell blocks: a tiny model, and small files under the page's names."""

import csv
import gzip
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.portraits import Portrait
from tests.abstention.conftest import COCONOT, COLUMNS
from tests.json_lines import sample_lines
from tests.model_replies.linked import link_replies
from tests.redisbloom_dump import make_dump
from tests.shell_blocks import blocks, commands, pages, run
from tests.sql.test_importers import CHOOSE, LOGS

_VERSE = "In the beginning God created the heaven and the earth, and the earth was without form, and void.\n"
_QUESTIONS = [{"question": f"who wrote book {number}", "answer": ["Ann"]} for number in range(4)]


def write_tiny_model(folder: Path) -> None:
    """Save a base model with random weights that reads long prompts."""
    from tests.tiny_models import save, tiny_config, tiny_model, tiny_tokenizer

    tokenizer = tiny_tokenizer([_VERSE * 40])
    model = tiny_model("opt", tokenizer)
    config = tiny_config("opt", len(tokenizer))
    config.max_position_embeddings = 4_096
    resized = type(model)(config).eval()
    for settings in (resized.config, resized.generation_config):
        settings.pad_token_id, settings.eos_token_id = tokenizer.pad_token_id, tokenizer.eos_token_id
        settings.bos_token_id = None
    save(resized, tokenizer, folder)


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _readme(folder: Path) -> None:
    Portrait.build([_VERSE]).save(folder / "org" / "wikipedia-portrait")
    _lines(folder / "nq.jsonl", _QUESTIONS)


def _according_to(folder: Path) -> None:
    (folder / "bible.txt").write_text("".join(f"{number} {_VERSE}" for number in range(1, 700)))
    Portrait.build(["Of all the words in the world, none of these stands in that book."]).save(folder / "unseen")
    _lines(folder / "nq.jsonl", _QUESTIONS)
    make_dump(folder, "quip_20200301.25-1.bf")


def _corpora(folder: Path) -> None:
    link_replies(folder)


def _models(folder: Path) -> None:
    _lines(folder / "gsm8k.jsonl", [{"question": f"{n} + 1?", "answer": f"#### {n + 1}"} for n in range(3)])


def _own_corpus(folder: Path) -> None:
    page_blocks = blocks(pages()["docs/own-corpus.md"])
    [table] = [block.text for block in page_blocks if block.language == "csv"]
    (folder / "elements.csv").write_text(table, encoding="utf-8")
    run(next(commands(next(block for block in page_blocks if block.language == "console"))))


def _portraits(folder: Path) -> None:
    (folder / "corpus").mkdir()
    lines = "".join(json.dumps({"text": f"{number} {_VERSE}"}) + "\n" for number in range(9)).encode()
    for name in ("a", "b"):
        with pa.output_stream(folder / "corpus" / f"{name}.jsonl.zst", compression="zstd") as file:
            file.write(lines)
    (folder / "wiki.txt.gz").write_bytes(gzip.compress((_VERSE * 9).encode()))
    run(["selfknow", "data", "build", "diary-recall", "1k", "--out", "diary-recall"])


def _self_aware(folder: Path) -> None:
    for name, rows in COCONOT.items():
        (folder / "FOLDER" / name).mkdir(parents=True)
        table = pa.Table.from_pylist([dict(zip(COLUMNS, row, strict=True)) for row in rows])
        pq.write_table(table, folder / "FOLDER" / name / "test-00000-of-00001.parquet")
    _lines(folder / "unanswerable.jsonl", [{"question": "Why are we here?"}, {"question": "Who will win in 2090?"}])
    _lines(folder / "NQ-open.dev.jsonl", [{"question": row["question"], "answer": row["answer"]} for row in _QUESTIONS])
    run(["selfknow", "data", "build", "self-aware", "--out", "self-aware"])
    run(["selfknow", "evaluate", "self-aware", "--form", "icl", "--model", "MODEL", "--out", "runs/icl"])


def _sql(folder: Path) -> None:
    from tests.sql.example_runs import write_examples

    link_replies(folder)
    write_examples(folder)
    Portrait.build([_VERSE]).save(folder / "portraits" / "1k")
    shutil.copy(CHOOSE, folder / "samples_gsm8k.jsonl")
    shutil.copy(next(LOGS.glob("results_*")), folder)
    (folder / "logs").mkdir()
    shutil.copy(LOGS / "inspect.eval", folder / "logs" / "popularity.eval")
    for name, file in {"batch-in": "requests.jsonl", "batch-out": "output.jsonl"}.items():
        _lines(folder / file, sample_lines()[name])


FOLDERS: Mapping[str, Callable[[Path], object]] = {
    "README.md": _readme,
    "docs/according-to.md": _according_to,
    "docs/corpora.md": _corpora,
    "docs/index.md": lambda folder: None,
    "docs/models.md": _models,
    "docs/own-corpus.md": _own_corpus,
    "docs/portraits.md": _portraits,
    "docs/reproducing.md": lambda folder: None,
    "docs/results.md": _corpora,
    "docs/self-aware.md": _self_aware,
    "docs/self-knowledge.md": lambda folder: None,
    "docs/sql.md": _sql,
    "docs/training.md": lambda folder: None,
}
"""What fills the folder of each page whose shell blocks run."""


def fill_sheets(folder: Path) -> None:
    """Do people's work between two commands: fill in every row of every blank sheet."""
    for path in folder.glob("*/*.csv"):
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        answers = {"answer": "unknown", "judgement": "abstains" if path.parent.name == "judged" else "answerable"}
        for row in rows:
            row.update({name: word for name, word in answers.items() if name in row})
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
