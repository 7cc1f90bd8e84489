"""Every expectation of the suite is met by what is built, and finds the damage that it is there for, and no other."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.folder.manifest import ConfigEntry, Manifest, read_manifest
from selfknow.builders.folder.write import build_folder
from selfknow.builders.model_replies.builder import DATASET, SCHEMA, config_of_runs
from selfknow.builders.model_replies.runs import (
    DESCRIPTION,
    EXAMPLES,
    GENERATIONS,
    ReplyRun,
    collected_runs,
    digest_of_folder,
    run_folders,
)
from selfknow.files import write_json
from selfknow.validation.check import check_folder, findings
from selfknow.validation.model_replies.suite import QUERIES, SUITE, batch_of_config
from tests.sql_checks import validate_by_sql

Rows = list[dict[str, Any]]
RUN = next(run for run in collected_runs() if run.name == "SmolLM2-135M-Instruct/self-aware-direct")
SCORES = "scores/self-aware-sentences.parquet"


@dataclass(frozen=True)
class Damage:
    """Changes to a run folder before its rows are built, to the rows, and to the manifest's list."""

    run: Callable[[Path], object] = lambda _: None
    rows: Callable[[Rows], Rows] = lambda rows: rows
    listed: Callable[[ReplyRun], ReplyRun] = lambda run: run


def table(file: str, change: Callable[[Rows], Rows]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        rows = pq.read_table(folder / file)
        pq.write_table(pa.Table.from_pylist(change(rows.to_pylist()), rows.schema), folder / file)

    return apply


def description(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        write_json(folder / DESCRIPTION, change(json.loads((folder / DESCRIPTION).read_text())))

    return apply


def first(**changed: object) -> Callable[[Rows], Rows]:
    return lambda rows: [{**rows[0], **changed}, *rows[1:]]


def last(change: Callable[[Rows], Mapping[str, object]]) -> Callable[[Rows], Rows]:
    return lambda rows: [*rows[:-1], {**rows[-1], **change(rows)}]


def of_generations(change: Callable[[Rows], Rows]) -> Damage:
    return Damage(run=table(GENERATIONS, change))


def both(*steps: Callable[[Path], object]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        for step in steps:
            step(folder)

    return apply


def again(rows: Rows) -> Rows:
    """Return the last call once more, after it was answered."""
    return [*rows, {**rows[-1], "generation_id": f"{RUN.run_id}-again", "attempt": 1}]


def greedy_and_twice(rows: Rows) -> Rows:
    """Give the second prompt the first one's text, but not its reply."""
    same = {name: rows[0][name] for name in ("prompt", "messages", "prompt_tokens")}
    return [rows[0], {**rows[1], **same}, *rows[2:]]


def greedy_and_nearly_the_same(rows: Rows) -> Rows:
    """Ask every other prompt twice; in one of 150 pairs the replies differ."""
    names = ("prompt", "messages", "prompt_tokens", "generation", "finish_reason", "completion_tokens", "logprob")
    twice = [{**row, **{name: rows[place - place % 2][name] for name in names}} for place, row in enumerate(rows)]
    return [*greedy_and_twice(rows[:2]), *twice[2:]]


def counted(run: ReplyRun) -> ReplyRun:
    return replace(run, replies=run.replies + 1)


AT_ZERO = description(lambda content: {**content, "decoding": {**content["decoding"], "temperature": 0.0}})
IN_FLOAT32 = description(lambda content: {**content, "models": [{**content["models"][0], "precision": "float32"}]})
DAMAGE: dict[str, Damage] = {
    "values_are_there": of_generations(first(stage="")),
    "ids_are_unique": Damage(rows=lambda rows: [*rows, {**rows[0], "metrics": [], "scores": [], "reasons": []}]),
    "runs_are_readable": Damage(run=lambda folder: (folder / SCORES).write_bytes(b"PAR1")),
    "runs_are_described": Damage(
        run=description(lambda content: {**content, "dataset": {**content["dataset"], "content_hash": None}})
    ),
    "rows_belong_to_their_run": Damage(rows=first(model="gemma-3-270m")),
    "rows_are_the_generations": Damage(rows=lambda rows: first(generation=rows[0]["generation"] + ".")(rows)),
    "rows_have_the_scores": Damage(
        rows=lambda rows: first(scores=[1 - rows[0]["scores"][0], *rows[0]["scores"][1:]])(rows)
    ),
    "replies_are_counted": Damage(listed=counted),
    "examples_are_asked": Damage(
        run=both(table(EXAMPLES, lambda rows: rows[1:]), description(lambda content: {**content, "examples": 299}))
    ),
    "calls_are_asked_once": Damage(run=table(GENERATIONS, again), listed=counted),
    "failures_have_an_error": of_generations(first(error="timed out")),
    "finish_reasons": of_generations(first(finish_reason="length")),
    "numbers_are_in_range": of_generations(first(logprob=0.5)),
    "scores_are_in_range": Damage(run=table(SCORES, first(value=1.5))),
    "parents_are_there": of_generations(last(lambda rows: {"parent_generation_id": rows[0]["generation_id"]})),
    "greedy_replies_repeat": Damage(run=both(AT_ZERO, table(GENERATIONS, greedy_and_twice))),
    "models_are_described": Damage(
        run=description(lambda content: {**content, "models": [{**content["models"][0], "revision": "main"}]})
    ),
    "messages_are_in_the_prompt": of_generations(first(messages=[{"role": "user", "content": "Are you sure?"}])),
    "times_are_in_order": of_generations(first(created_at=datetime(2026, 1, 1, tzinfo=UTC))),
    "no_machine_is_named": Damage(run=description(lambda content: {**content, "portrait": "/data/portraits/kjv"})),
}


def failed_once(rows: Rows) -> Rows:
    """Let the first call fail before it is answered."""
    nothing = dict.fromkeys(("generation", "finish_reason", "prompt_tokens", "completion_tokens", "logprob"))
    failure = {**rows[0], **nothing, "generation_id": f"{RUN.run_id}-failed", "error": "503 overloaded"}
    return [failure, {**rows[0], "attempt": 1}, *rows[1:]]


FURTHER: dict[str, tuple[Damage, str]] = {
    "half a document": (Damage(run=table(SCORES, first(metric="documents_target", value=1.5))), "scores_are_in_range"),
    "infinite log odds": (
        Damage(run=table(SCORES, first(metric="stop_log_odds", value=-inf))),
        "scores_are_in_range",
    ),
    "a file that does not say how it is quantised": (
        Damage(
            run=description(lambda content: {**content, "models": [{**content["models"][0], "quantization": None}]})
        ),
        "models_are_described",
    ),
    "a run in float32, in which one of 150 repeated prompts got two replies": (
        Damage(run=both(AT_ZERO, IN_FLOAT32, table(GENERATIONS, greedy_and_nearly_the_same))),
        "greedy_replies_repeat",
    ),
}
NEARLY: dict[str, Damage] = {
    "nothing is changed": Damage(),
    "a request failed and was asked again": Damage(run=table(GENERATIONS, failed_once), listed=counted),
    "an empty reply": of_generations(first(generation="", completion_tokens=1)),
    "a score is null with its reason": Damage(run=table(SCORES, first(value=None, reason="it only asks back"))),
    "a number of documents": Damage(run=table(SCORES, first(metric="documents_target", value=3.0))),
    "log odds": Damage(run=table(SCORES, first(metric="stop_log_odds", value=-42.5))),
    "skipped documents": Damage(run=table(SCORES, first(metric="probe_documents_skipped", value=2.0))),
    "a text that the model only scored": of_generations(first(finish_reason="forced", completion_tokens=10_000)),
    "a reply and a text that was scored after the same prompt": Damage(
        run=both(AT_ZERO, table(GENERATIONS, greedy_and_twice), table(GENERATIONS, first(finish_reason="forced")))
    ),
    "a run at temperature 0": Damage(run=AT_ZERO),
    "a run in bfloat16, in which one of 150 repeated prompts got two replies": Damage(
        run=both(AT_ZERO, table(GENERATIONS, greedy_and_nearly_the_same))
    ),
    "a path in a reply": of_generations(first(generation="/usr/bin/python", completion_tokens=4)),
}


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, set[str]]:
    """Return the expectations that each damaged folder does not meet, all of them checked at once."""
    place = tmp_path_factory.mktemp("damaged")
    cases = {**DAMAGE, **NEARLY, **{name: damage for name, (damage, _) in FURTHER.items()}}
    batches = [_batch(place / str(number), damage) for number, damage in enumerate(cases.values())]
    results = validate_by_sql(batches, lambda: None)
    return {
        name: {finding.expectation for finding in findings(batch, result)}
        for name, batch, result in zip(cases, batches, results, strict=True)
    }


def _batch(place: Path, damage: Damage) -> Any:
    """Return the batch of a folder of one run that is built from damaged files as if they were right."""
    folder = shutil.copytree(run_folders() / RUN.name, place / "sources" / RUN.name)
    readable = config_of_runs("self-aware", place / "sources", [RUN]).shards["test"][0]
    rows = readable().to_pylist() if damage is DAMAGE["runs_are_readable"] else None
    damage.run(folder)
    run = damage.listed(replace(RUN, digest=digest_of_folder(folder)))
    config = config_of_runs("self-aware", place / "sources", [run])
    rows = damage.rows(config.shards["test"][0]().to_pylist() if rows is None else rows)
    made = pa.Table.from_pylist(rows, SCHEMA)
    manifest = build_folder(DATASET, [replace(config, shards={"test": [lambda: made]})], place / "built")
    return batch_of_config(place / "built", "self-aware", manifest.configs["self-aware"])


def test_what_is_built_is_without_a_finding(replies: Path) -> None:
    assert check_folder(replies) == []


def test_every_expectation_has_its_damage() -> None:
    assert set(DAMAGE) == set(QUERIES)


@pytest.mark.parametrize("expectation", DAMAGE)
def test_damage_is_found_by_the_expectation_that_is_meant(failing: Mapping[str, set[str]], expectation: str) -> None:
    assert failing[expectation] == {expectation}


@pytest.mark.parametrize("case", FURTHER)
def test_an_expectation_finds_other_damage_too(failing: Mapping[str, set[str]], case: str) -> None:
    assert failing[case] == {FURTHER[case][1]}


@pytest.mark.parametrize("case", NEARLY)
def test_what_is_right_though_it_looks_odd_is_no_finding(failing: Mapping[str, set[str]], case: str) -> None:
    assert failing[case] == set()


def unmet(manifest: Manifest) -> set[str]:
    return {fact.expectation for fact in SUITE.facts(manifest) if not fact.is_met}


def test_a_manifest_with_other_runs_is_found(replies: Path) -> None:
    manifest = read_manifest(replies)
    entry = manifest.configs["self-aware"]
    runs = list(entry.parameters["runs"])  # type: ignore[call-overload]

    def listing(changed: ConfigEntry, config: str = "self-aware") -> Manifest:
        return replace(manifest, configs={config: changed})

    def with_runs(value: object) -> Manifest:
        return listing(replace(entry, parameters={"runs": value}))

    assert unmet(manifest) == set()
    assert unmet(with_runs(runs[1:])) == {"parameters"}
    assert unmet(with_runs([{**runs[0], "replies": 1}, *runs[1:]])) == {"parameters"}
    assert unmet(with_runs("none")) == {"parameters"}
    assert unmet(listing(replace(entry, splits={"train": entry.splits["test"]}))) == {"splits"}
    assert unmet(listing(entry, "diaries")) == {"tasks", "parameters"}


def test_a_run_with_another_file_is_found(replies: Path) -> None:
    manifest = read_manifest(replies)
    at = next(place for place, file in enumerate(manifest.files) if file.path.endswith(GENERATIONS))
    other = replace(manifest.files[at], sha256="0" * 64)
    files = (*manifest.files[:at], *manifest.files[at + 1 :])
    assert unmet(replace(manifest, files=(*files, other))) == {"run_files"}
    assert unmet(replace(manifest, files=files)) == {"run_files"}
    assert unmet(replace(manifest, files=tuple(reversed(manifest.files)))) == set()
