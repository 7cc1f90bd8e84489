"""Run folders of models that never lived, whose behaviour is known exactly: for the tests and for the benchmarks.

Every model is given a share of each :data:`OUTCOMES`; of n questions exactly that many (rounded) get it. What an answer
scores is computed by the package's own scorer, once a question and outcome, and then taken as often as it is used, so
that a million generations are made in seconds.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from selfknow.evaluate.tasks.diary_recall.documents import Document, Fate
from selfknow.evaluate.tasks.diary_recall.prompts import PROBES, target
from selfknow.evaluate.tasks.diary_recall.score import (
    METRICS,
    PARSED_DOCUMENTS,
    answer_scores,
    boundary_scores,
    probe_scores,
)
from selfknow.files import write_json, write_parquet
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import GREEDY
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import GENERATIONS, SCORES, write_scores

Entries = tuple[Document, ...]
ROWS_PER_PART = 262_144
SENTENCE_COUNT = 5  # of an invented entry


@dataclass(frozen=True)
class SyntheticModel:
    """A model and what it does.

    Attributes:
        name: As ``generations.model`` has it.
        shares: The share of each outcome; the rest is ``exact``.
        orderly: The share of probes that it goes on with in order.
        stop_log_odds: Its mean log-odds of ending at the last boundary; at the others it is the same, below zero.
        facts: What ``run.json`` says of it.
    """

    name: str
    shares: Mapping[str, float] = field(default_factory=dict)
    orderly: float = 1.0
    stop_log_odds: float = 2.0
    facts: ModelFacts = ModelFacts()  # noqa: RUF009


def _text(documents: Sequence[Document]) -> str:
    return "\n".join(document.text for document in documents)


def _body_of(documents: Entries, place: int, sentences: tuple[str, ...]) -> str:
    changed = list(documents)
    changed[place] = Document(changed[place].diarist, changed[place].number, sentences)
    return _text(changed)


def _another_entry(own: Entries, _other: Entries) -> str:
    """Return the last entry with the body of another one of the diarist; a single entry keeps its body."""
    return _body_of(own, len(own) - 1, own[0].sentences)


OUTCOMES: dict[str, Callable[[Entries, Entries], str | None]] = {
    "exact": lambda own, _other: _text(own),
    "fewer": lambda own, _other: _text(own[:-1]),
    "beyond": lambda own, other: _text([*own, Document(own[0].diarist, len(own) + 1, other[0].sentences)]),
    "repeated": lambda own, _other: _text([*own, own[0]]),
    "foreign": lambda own, other: _text([*own[:-1], other[0]]),
    "another entry": _another_entry,
    "another diarist": lambda own, other: _body_of(own, 0, max((document.sentences for document in other), key=len)),
    "invented": lambda own, _other: _body_of(own, 0, tuple(f"Mood: Grim {i}" for i in range(SENTENCE_COUNT))),
    "cut off": lambda own, _other: _text(own)[:-3],
    "empty": lambda _own, _other: "",
    "failed": lambda _own, _other: None,
}
"""What an answer can be, from the true entries and those of another diarist. With one entry, ``fewer`` is empty."""


@dataclass(frozen=True)
class _Scored:
    """Every question with every outcome: ``q * len(OUTCOMES) + o`` is the place of a pair."""

    texts: list[str | None]
    values: NDArray[np.float64]  # (pairs, metrics), nan where null
    reasons: list[str | None]  # of exact_match
    documents: pa.Table  # without generation_id
    first_document: NDArray[np.int64]  # (pairs + 1,)


def write_run(
    folder: Path,
    questions: pa.Table,
    models: Sequence[SyntheticModel],
    dataset: DatasetReference,
    *,
    samples: int = 1,
    probes: int = 0,
    stop: int = 0,
    seed: int = 0,
) -> int:
    """Write a run folder of synthetic models, scored.

    Args:
        folder: Where; new.
        questions: Diary questions.
        models: Who is asked.
        dataset: What the questions are said to come from.
        samples: Answers a question.
        probes: Ask the continuation probes of this many questions.
        stop: Score the boundaries of this many questions.
        seed: Of the choice which question gets which outcome.

    Returns:
        The number of generations.
    """
    description = RunDescription("diary-recall", dataset, GREEDY, {"answers": True})
    run_id = uuid.UUID(int=int(np.random.default_rng([seed, len(questions)]).integers(2**62))).hex[-12:]
    run = {"run_id": run_id, **description.as_json(), "examples": len(questions), "versions": [{"selfknow": "0"}]}
    described = [{"name": model.name, "revision": "1", **model.facts.as_json()} for model in models]
    write_json(folder / "run.json", {**run, "models": described, "created_at": "2026-01-01T00:00:00+00:00"})
    write_parquet(folder / "examples.parquet", questions)
    rows = questions.to_pylist()
    entries = [target(row) for row in rows]
    writer = _Writer(folder, run_id)
    scored = _score(entries)
    for number, model in enumerate(models):
        random = np.random.default_rng([seed, number])
        for sample in range(samples):
            _write_answers(writer, model, rows, scored, _outcomes(model, len(rows), random), sample)
        _write_probes(writer, model, rows[:probes], entries, random)
        _write_boundaries(writer, model, rows[:stop], entries, random)
    return writer.close()


def _outcomes(model: SyntheticModel, num_questions: int, random: np.random.Generator) -> NDArray[np.int64]:
    outcomes = np.zeros(num_questions, dtype=np.int64)
    start = 0
    for name, share in model.shares.items():
        count = round(share * num_questions)
        outcomes[start : start + count] = list(OUTCOMES).index(name)
        start += count
    assert start <= num_questions, f"the shares of {model.name} add up to more than 1"
    return random.permutation(outcomes)


def _score(entries: list[Entries]) -> _Scored:
    texts: list[str | None] = []
    values, reasons, documents = [], [], []
    first = [0]
    for number, own in enumerate(entries):
        other = entries[(number + 1) % len(entries)]
        for name, make in OUTCOMES.items():
            text = make(own, other)
            texts.append(text)
            if text is None:
                values.append([np.nan] * len(METRICS["answer"]))
                reasons.append("the request failed: 503 overloaded")
            else:
                scores, parsed = answer_scores(text, own, "length" if name == "cut off" else "stop")
                values.append([score.value for score in scores.values()])
                reasons.append(scores["exact_match"].reason)
                documents.extend(vars(document) for document in parsed)
            first.append(len(documents))
    schema = pa.schema([column for column in PARSED_DOCUMENTS if column.name != "generation_id"])
    return _Scored(
        texts,
        np.array(values, dtype=np.float64),
        reasons,
        pa.Table.from_pylist([{**row, "fate": Fate(row["fate"]).value} for row in documents], schema=schema),
        np.array(first),
    )


class _Writer:
    """Parts of a run as the store has them, many rows at a time."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self.folder, self.run_id = folder, run_id
        self.count = 0
        self.generations: list[pa.Table] = []
        self.scores: list[pa.Table] = [SCORES.empty_table()]
        self.documents: list[pa.Table] = [PARSED_DOCUMENTS.empty_table()]

    def add(self, columns: Mapping[str, object], num_rows: int) -> pa.Array:
        """Add generations; a column is a list, or one value for all. Returns their ids."""
        ids = pa.array([f"{self.run_id}-{self.count + i:016x}" for i in range(num_rows)])
        values = {"generation_id": ids, "run_id": self.run_id, "sample": 0, "attempt": 0, **columns}
        values |= {"finish_reason": values.get("finish_reason", "stop"), "revision": "1", "created_at": 0}
        arrays = []
        for column in GENERATIONS:
            value = values.get(column.name)
            if isinstance(value, list | pa.Array | np.ndarray):
                arrays.append(pa.array(value, column.type))
            else:
                arrays.append(pa.repeat(pa.scalar(value, column.type), num_rows))
        self.generations.append(pa.Table.from_arrays(arrays, schema=GENERATIONS))
        self.count += num_rows
        return ids

    def score(self, ids: pa.Array, stage: str, values: NDArray[np.float64], reasons: Sequence[str | None]) -> None:
        """Add the scores of generations: ``values`` is (generations, metrics of the stage), nan where null."""
        names, num_rows = list(METRICS[stage]), len(ids)
        every = np.repeat(np.arange(num_rows), len(names))
        flat = values.ravel()
        shown = [
            reason if k == 0 or np.isnan(values[row, k]) else None
            for row, reason in enumerate(reasons)
            for k in range(len(names))
        ]
        self.scores.append(
            pa.table(
                {
                    "generation_id": ids.take(pa.array(every)),
                    "metric": pa.array(names).take(pa.array(np.tile(np.arange(len(names)), num_rows))),
                    "value": pa.array(flat, mask=np.isnan(flat)),
                    "reason": pa.array(shown, pa.string()),
                }
            ).cast(SCORES)
        )

    def close(self) -> int:
        """Write everything; returns the number of generations."""
        table = pa.concat_tables(self.generations).combine_chunks()
        for number, start in enumerate(range(0, len(table), ROWS_PER_PART)):
            part = table.slice(start, ROWS_PER_PART)
            write_parquet(self.folder / "generations" / f"part-{number:05d}.parquet", part)
        write_scores(self.folder, "diary-recall", pa.concat_tables(self.scores))
        write_parquet(self.folder / "parsed" / "diary_documents.parquet", pa.concat_tables(self.documents))
        return self.count


def _write_answers(
    writer: _Writer,
    model: SyntheticModel,
    rows: list[dict[str, object]],
    scored: _Scored,
    outcomes: NDArray[np.int64],
    sample: int,
) -> None:
    pairs = np.arange(len(rows)) * len(OUTCOMES) + outcomes
    texts = [scored.texts[pair] for pair in pairs]
    names = list(OUTCOMES)
    ids = writer.add(
        {
            "example_id": [row["id"] for row in rows],
            "stage": "answer",
            "variant": "plain",
            "sample": sample,
            "model": model.name,
            "prompt": [row["prompt"] for row in rows],
            "generation": texts,
            "finish_reason": [
                None if text is None else "length" if names[outcome] == "cut off" else "stop"
                for text, outcome in zip(texts, outcomes, strict=True)
            ],
            "error": [None if text is not None else "503 overloaded" for text in texts],
        },
        len(rows),
    )
    writer.score(ids, "answer", scored.values[pairs], [scored.reasons[pair] for pair in pairs])
    first, last = scored.first_document[pairs], scored.first_document[pairs + 1]
    counts = last - first
    starts = np.repeat(first - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
    documents = scored.documents.take(pa.array(starts + np.arange(counts.sum())))
    owner = ids.take(pa.array(np.repeat(np.arange(len(rows)), counts)))
    writer.documents.append(documents.add_column(0, PARSED_DOCUMENTS.field(0), owner))


def _write_probes(
    writer: _Writer,
    model: SyntheticModel,
    rows: list[dict[str, object]],
    entries: list[Entries],
    random: np.random.Generator,
) -> None:
    for name, probe in PROBES.items():
        numbers = [number for number in range(len(rows)) if len(entries[number]) >= probe.min_entries]
        if not numbers:
            continue
        orderly = random.permutation(np.arange(len(numbers)) < round(model.orderly * len(numbers)))
        texts = [
            probe.continuation(entries[number]) if right else f"\n{entries[number][0].text}"
            for number, right in zip(numbers, orderly, strict=True)
        ]
        columns = {
            "example_id": [rows[number]["id"] for number in numbers],
            "stage": "probe",
            "variant": name,
            "model": model.name,
            "prompt": [f"{rows[number]['prompt']}{probe.started(entries[number])}" for number in numbers],
            "generation": texts,
        }
        scored = [probe_scores(text, name, entries[number]) for text, number in zip(texts, numbers, strict=True)]
        values = np.array([[score.value for score in scores.values()] for scores in scored], dtype=np.float64)
        writer.score(writer.add(columns, len(numbers)), "probe", values, [None] * len(numbers))


def _write_boundaries(
    writer: _Writer,
    model: SyntheticModel,
    rows: list[dict[str, object]],
    entries: list[Entries],
    random: np.random.Generator,
) -> None:
    places = [(number, place) for number in range(len(rows)) for place in range(1, len(entries[number]) + 1)]
    if not places:
        return
    sign = np.array([1.0 if place == len(entries[number]) else -1.0 for number, place in places])
    log_odds = sign * model.stop_log_odds + random.normal(size=len(places))
    logprobs = {"stop": -np.log1p(np.exp(-log_odds)), "next-title": -np.log1p(np.exp(log_odds))}
    for stage, logprob in logprobs.items():
        columns = {
            "example_id": [rows[number]["id"] for number, _ in places],
            "stage": stage,
            "variant": [f"after-{place}" for _, place in places],
            "model": model.name,
            "prompt": [rows[number]["prompt"] for number, _ in places],
            "generation": "",
            "finish_reason": "forced",
            "logprob": logprob,
        }
        ids = writer.add(columns, len(places))
        if stage == "stop":
            scored = [
                boundary_scores(f"after-{place}", float(stop), float(title), len(entries[number]))
                for (number, place), stop, title in zip(places, logprob, logprobs["next-title"], strict=True)
            ]
            values = np.array([[score.value for score in scores.values()] for scores in scored], dtype=np.float64)
            writer.score(ids, "stop", values, [None] * len(places))
