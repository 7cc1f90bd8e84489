"""The scoring of a run of every task: time and peak memory, beside only reading the run and writing its scores.

    python -m benchmarks.scoring [REPLIES]    (a million make runs of 100 to 400 MB)

The replies are repetitions of the packaged replies of small models, each with a number at its end, so that no two are
the same. Each piece of work is measured in its own process.
"""

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.tables import print_table
from benchmarks.timing import measure
from selfknow.builders.sources import DATASETS_SRC
from selfknow.files import read_json, read_parquet, write_json, write_parquet
from selfknow.parquet_batches import parquet_writer, read_batches
from selfknow.portraits import Portrait
from selfknow.runs.schema import GENERATIONS, SCORES, generation_files

FOLDER = Path("out/benchmarks/scoring")
PACKAGED = Path(str(DATASETS_SRC)) / "model_replies" / "runs"
RUNS = {
    "diary-recall": "opt-7m-diaries/diary-recall-512-simplified-seed-0",
    "self-aware": "SmolLM2-135M-Instruct/self-aware-icl",
    "self-knowledge, dual": "SmolLM2-135M-Instruct/self-knowledge-total-count-dual",
    "self-knowledge, consistency": "SmolLM2-135M-Instruct/self-knowledge-grammar-consistency",
    "according-to": "SmolLM2-135M-Instruct/according-to-prompts",
    "gsm8k": "SmolLM2-135M-Instruct/self-aware-direct",
}
REPLIES = 1_000_000
_ROWS_PER_PART = 65_536


def make_run(name: str, replies: int, folder: str) -> None:
    """Write a run of a task with this number of replies, in parts, stage by stage as in a real run."""
    source, target = PACKAGED / RUNS[name], Path(folder)
    description, examples = read_json(source / "run.json"), read_parquet(source / "examples.parquet")
    if name == "gsm8k":
        description["task"] = "gsm8k"
        answers = pa.array([f"so #### {number}" for number in range(len(examples))])
        examples = pa.table({"id": examples["id"], "question": examples["question"], "answer": answers})
    if name == "according-to":
        description["settings"] = _settings_of_portrait(target, description)
    write_json(target / "run.json", description)
    write_parquet(target / "examples.parquet", examples)
    calls = pa.concat_tables([read_parquet(path, GENERATIONS) for path in generation_files(source)])
    copies, number = -(-replies // len(calls)), 0
    for stage in pc.unique(calls["stage"]).to_pylist():
        stage_calls = calls.filter(pc.equal(calls["stage"], stage))
        copies_per_part = max(1, _ROWS_PER_PART // len(stage_calls))
        for first in range(0, copies, copies_per_part):
            parts = [_copy(stage_calls, copy) for copy in range(first, min(first + copies_per_part, copies))]
            write_parquet(target / "generations" / f"part-{number:05d}.parquet", pa.concat_tables(parts))
            number += 1


def _settings_of_portrait(folder: Path, description: Mapping[str, Any]) -> dict[str, object]:
    """Return the settings of a run with short answers, over a portrait of a small text."""
    text = (Path(str(DATASETS_SRC)) / "according_to" / "king_james_bible.jsonl").read_text(encoding="utf-8")
    portrait = Portrait.build([text[:200_000]])
    portrait.save(folder / "portrait")
    reference = {"name": str((folder / "portrait").resolve()), "sha256": portrait.description.sha256}
    return {**description["settings"], "portrait": reference, "format": "short"}


def _copy(calls: pa.Table, number: int) -> pa.Table:
    """Return copies of calls with new ids, samples and texts."""
    for name in ("generation_id", "parent_generation_id"):
        ids = pc.binary_join_element_wise(calls[name], f"-{number}", "")
        calls = calls.set_column(calls.schema.get_field_index(name), GENERATIONS.field(name), ids)
    texts = pc.binary_join_element_wise(calls["generation"], f" {number}", "")
    samples = pa.array(np.full(len(calls), number), pa.int32())
    calls = calls.set_column(calls.schema.get_field_index("generation"), GENERATIONS.field("generation"), texts)
    return calls.set_column(calls.schema.get_field_index("sample"), GENERATIONS.field("sample"), samples)


def score(run: str) -> int:
    """Score a run as ``selfknow score`` does; return the number of scores."""
    from selfknow.evaluate.run import Run

    rows = Run(Path(run)).score()
    return sum(int(str(row["n"])) for row in rows)


def read_and_write(run: str) -> None:
    """Read a run and write the scores that it has, which is the least that scoring must do."""
    for path in generation_files(Path(run)):
        for _ in read_batches(path, GENERATIONS):
            pass
    for path in sorted(Path(run, "scores").glob("*.parquet")):
        with parquet_writer(Path(run, "again.parquet"), SCORES) as file:
            for batch in read_batches(path, SCORES):
                file.write(batch)
    Path(run, "again.parquet").unlink()


def main(replies: int = REPLIES, *names: str) -> None:
    """Make and score a run of each task, and print the table of docs/benchmarks.md."""
    rows = []
    for name in names or RUNS:
        folder = FOLDER / name.replace(", ", "-")
        shutil.rmtree(folder, ignore_errors=True)
        measure(make_run, name, replies, str(folder))
        scored, limit = measure(score, str(folder)), measure(read_and_write, str(folder))
        speed = f"{replies / scored.cpu_seconds:,.0f}"
        memory = [f"{work.peak_memory_in_mb:,.0f}" for work in (scored, limit)]
        rows.append(
            [name, f"{scored.value:,}", f"{scored.cpu_seconds:.0f}", speed, f"{limit.cpu_seconds:.1f}", *memory]
        )
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
        shutil.rmtree(folder)
    head = [f"task, {replies:,} replies", "scores", "CPU (s)", "replies a CPU second", "reading and writing (CPU s)"]
    print_table([*head, "peak (MB)", "of reading and writing (MB)"], rows)


if __name__ == "__main__":
    main(*(int(each) if each.isdigit() else each for each in sys.argv[1:]))  # type: ignore[arg-type]
