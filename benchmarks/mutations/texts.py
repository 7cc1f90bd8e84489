"""Damaged plans, and damaged JSON lines of every kind that the package reads."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from benchmarks.mutations.damage import damaged_json, damaged_lines, damaged_yaml
from benchmarks.mutations.target import Target, WrongNumberError
from selfknow.builders.diary_recall.own_table import read_own_table
from selfknow.cli.reproduce_commands import plan_commands
from selfknow.evaluate.tasks.according_to import questions as according_to
from selfknow.evaluate.tasks.gsm8k import questions as gsm8k
from selfknow.evaluate.tasks.self_knowledge.benchmark import open_benchmark
from selfknow.files import read_rows
from selfknow.portraits import Corpus
from selfknow.reproduce.cells import expand
from selfknow.reproduce.plan import packaged_plans, read_plan
from selfknow.runs.importers.lm_eval import read_lm_eval
from selfknow.runs.importers.openai_batch import read_openai_batch
from selfknow.runs.importers.run import write_imported
from tests.json_lines import sample_lines

_PLAN = """\
title: Do pre-trained weights help?
shows: Table 1
needs: a GPU of 24 GB
train:
  - model: [opt-125m, pythia-70m]
    data: diary-recall:1k
    scratch: [false, true]
    seed: [0, 1]
evaluate:
  - task: [self-aware, gsm8k]
    model: trained
    limit: 10
  - task: self-knowledge:math
    model: HuggingFaceTB/SmolLM2-135M
score:
  scorer: sentences
query: [overview, metrics]
"""


def _make_plans(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plan0.yaml").write_text(_PLAN)
    for number, path in enumerate(packaged_plans().values(), start=1):
        (folder / f"plan{number}.yaml").write_bytes(path.read_bytes())


def _damage_plan(folder: Path, chance: Random) -> str:
    number = chance.randrange(len(list(folder.glob("plan*.yaml")))) if chance.random() < 0.5 else 0
    plan = folder / f"plan{number}.yaml"
    plan.write_bytes(damaged_yaml(plan.read_bytes(), chance))
    plan.rename(folder / "plan.yaml")
    return "own" if number == 0 else "packaged"


@cache
def _commands() -> Any:
    return plan_commands()


def _use_plan(folder: Path, chance: Random) -> str:  # noqa: ARG001
    path = folder / "plan.yaml"
    cells = expand(read_plan(path if path.exists() else folder / "plan0.yaml"), _commands(), folder / "out")
    names = [cell.name for cell in cells]
    if len(set(names)) != len(names):
        raise WrongNumberError("two cells have one name")
    for cell in cells:
        if (folder / "out").resolve() not in cell.folder.resolve().parents:
            raise WrongNumberError(f"the cell {cell.name} is outside of the plan's folder: {cell.folder}")
        cell.shown(folder)
    return "other"


PLANS = Target("plans", _make_plans, _damage_plan, _use_plan)


def _lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _make_lines(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in sample_lines().items():
        (folder / f"{name}.jsonl").write_text(_lines(rows), encoding="utf-8")


def _damage_lines(folder: Path, chance: Random) -> str:
    path = chance.choice(sorted(folder.glob("*.jsonl")))
    path.write_bytes(damaged_lines(path.read_bytes(), chance, damaged_json))
    (folder / "damaged").write_text(path.stem)
    return path.stem


def _import(log: Any, folder: Path) -> int:
    return write_imported(log, folder / "run")


_READERS: dict[str, Callable[[Path, Path], object]] = {
    "gsm8k": lambda path, folder: gsm8k.open_questions(f"gsm8k:{path}"),  # noqa: ARG005
    "according-to": lambda path, folder: according_to.open_questions(str(path)),  # noqa: ARG005
    "benchmark": lambda path, folder: open_benchmark(str(path)),  # noqa: ARG005
    "batch-in": lambda path, folder: _import(read_openai_batch([path.with_name("batch-out.jsonl")], [path]), folder),
    "batch-out": lambda path, folder: _import(read_openai_batch([path], [path.with_name("batch-in.jsonl")]), folder),
    "lm-eval": lambda path, folder: _import(read_lm_eval(path, "m"), folder),
    "own-corpus": lambda path, folder: read_own_table(path),  # noqa: ARG005
}


_TEXT_COLUMNS = {"gsm8k": "question", "according-to": "question", "benchmark": "question", "own-corpus": "document"}


def _use_lines(folder: Path, chance: Random) -> str:
    damaged = folder / "damaged"
    if not damaged.exists():
        for name in _READERS:
            _read(folder, name, chance)
        return "same"
    _read(folder, damaged.read_text(), chance)
    return "other"


def _read(folder: Path, name: str, chance: Random) -> None:
    path = folder / f"{name}.jsonl"
    if name in _TEXT_COLUMNS and chance.random() < 0.1:
        for texts in Corpus.from_files([str(path)], text=_TEXT_COLUMNS[name]):
            if not pa.types.is_string(texts.type) and not pa.types.is_large_string(texts.type):
                raise WrongNumberError("a text of a corpus is no text")
    read_rows(path)
    _READERS[name](path, folder / name)


LINES = Target("JSON lines", _make_lines, _damage_lines, _use_lines)
