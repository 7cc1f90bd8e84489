"""Given rows: a run of self-aware whose replies and verdicts are written down."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from selfknow.builders.self_aware.questions import SCHEMA
from selfknow.evaluate.tasks.self_aware.score import VERDICTS
from selfknow.evaluate.tasks.self_aware.task import SELF_AWARE
from selfknow.files import write_parquet
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import SCORES, write_scores
from selfknow.runs.writer import RunWriter
from tests.self_aware.rows import example

Given = tuple[int, int, float | None, float | None, float | None, float | None]
# pair, place in it (0: the unanswerable one), abstained, similarity, answered rightly, log-probability
GIVEN: list[Given] = [
    (0, 0, 1.0, 0.92, None, -6.0),
    (0, 1, 0.0, 0.10, 1.0, -1.0),
    (0, 2, 1.0, 0.78, 0.0, -5.0),
    (1, 0, 0.0, 0.66, None, -2.0),
    (1, 1, 0.0, 0.20, 0.0, -3.0),
    (1, 2, 0.0, 0.30, 1.0, -1.0),
    (2, 0, 1.0, 0.81, None, -4.0),
    (2, 1, None, None, None, None),  # a failed request
    (2, 2, 0.0, 0.40, 1.0, -0.5),
]
LABELS = {(0, 0): 1.0, (0, 2): 1.0, (1, 0): 1.0, (1, 1): 0.0}


def identifier(pair: int, place: int) -> str:
    return str(example(pair, place, answerable=place > 0)["id"])


def write(
    folder: Path,
    replies: list[Given],
    model: str = "ann",
    *,
    scorer: str = "strict",
    threshold: float = 0.75,
    form: str = "direct",
    config: str = "authored",
    source: str | None = None,
    facts: ModelFacts | None = None,
    settings: Mapping[str, object] | None = None,
    decoding: Decoding | None = None,
    encoder: str = "packaged",
    references: str = "strict",
    content_hash: str | None = None,
) -> Path:
    """Return a run of these replies, as the store and the scorer write it."""
    rows = [
        example(pair, place, answerable=place > 0) | ({"source": source} if source else {})
        for pair, place, *_ in replies
    ]
    dataset = DatasetReference("small", config, content_hash=content_hash)
    description = RunDescription(SELF_AWARE.name, dataset, decoding or Decoding(), settings or {})
    ids = {}
    with RunWriter.open(folder, description, pa.Table.from_pylist(rows, schema=SCHEMA)) as run:
        run.describe_model(model, None, facts or ModelFacts())
        for pair, place, abstained, _, _, logprob in replies:
            failed = Reply(None, error="503")
            reply = failed if abstained is None else Reply("said", "stop", completion_tokens=2, logprob=logprob)
            request = Request(identifier(pair, place), "?", variant=form)
            ids[pair, place] = run.append(model, None, request, reply)
    verdicts = [
        {
            "generation_id": ids[pair, place],
            "scorer": scorer,
            "encoder": None if scorer == "sentences" else encoder,
            "threshold": threshold,
            "references_name": references,
            "abstained": abstained,
            "phrase_found": None if abstained is None else 0.0,
            "max_similarity": similarity,
        }
        for pair, place, abstained, similarity, _, _ in replies
    ]
    write_parquet(folder / "parsed" / "self_aware_verdicts-strict-x.parquet", pa.Table.from_pylist(verdicts, VERDICTS))
    scores = [
        {"generation_id": ids[pair, place], "metric": "substring_match", "value": right}
        for pair, place, _, _, right, _ in replies
        if place
    ]
    scores += [
        {"generation_id": ids[place], "metric": "hand_abstained", "value": label}
        for place, label in LABELS.items()
        if place in ids
    ]
    write_scores(folder, "given", pa.Table.from_pylist(scores, schema=SCORES))
    return folder
