"""Run folders of a few given answers each, written by the run's own writer and scored by its own scorer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.evaluate.connection import connect
from selfknow.evaluate.score import score_run
from selfknow.evaluate.tasks.diary_recall.documents import Document
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import GREEDY, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.writer import RunWriter
from selfknow.sql.connection import Connection
from selfknow.sql.queries import query_rows

SENTENCES = (
    "Location: City",
    "Time: Evening",
    "Weather: Rain",
    "Mood: Happy",
    "Restfulness: Tired",
    "Stress Level: Relaxed",
    "Physical Activity: Running",
    "Meditated: No",
)
EXAMPLES = pa.schema(
    {
        "id": pa.string(),
        "diarist": pa.string(),
        "prompt": pa.string(),
        "completion": pa.string(),
        "num_documents": pa.int32(),
        "document_lengths": pa.list_(pa.int32()),
    }
)


def entry(diarist: str, number: int, length: int, first: int = 0) -> Document:
    """Return an entry of ``length`` sentences, from the ``first`` on."""
    return Document(diarist, number, SENTENCES[first : first + length])


def diary(diarist: str, *lengths: int) -> list[Document]:
    return [entry(diarist, number, length) for number, length in enumerate(lengths, start=1)]


def text(*documents: Document) -> str:
    return "\n".join(document.text for document in documents)


def question(diarist: str, *lengths: int) -> dict[str, object]:
    return {
        "id": diarist,
        "diarist": diarist,
        "prompt": f"Recall all of {diarist}'s diary entries, in order.\n",
        "completion": text(*diary(diarist, *lengths)),
        "num_documents": len(lengths),
        "document_lengths": list(lengths),
    }


@dataclass
class ModelAnswers:
    """A model with fixed answers; a list of texts is several tries, and null is a failed one."""

    model: str = "facebook/opt-125m"
    revision: str | None = "1"
    answers: Mapping[str, str | list[str | None] | None] = field(default_factory=dict)
    more: Sequence[tuple[Request, Reply]] = ()
    facts: ModelFacts = ModelFacts()  # noqa: RUF009

    def replies(self) -> Iterator[tuple[Request, Reply]]:
        for example_id, answer in self.answers.items():
            for attempt in answer if isinstance(answer, list) else [answer]:
                failed = Reply(None, error="503 overloaded")
                yield Request(example_id, "Recall."), failed if attempt is None else Reply(attempt, "stop")
        yield from self.more


def write_run(
    folder: Path,
    questions: Sequence[Mapping[str, object]],
    *models: ModelAnswers,
    config: str = "1k",
    dataset: str = "diary-recall",
    score: bool = True,
    **reference: str,
) -> Path:
    description = RunDescription("diary-recall", DatasetReference(dataset, config, "test", **reference), GREEDY)
    with RunWriter.open(folder, description, pa.Table.from_pylist(list(questions), schema=EXAMPLES)) as run:
        for answers in models:
            run.describe_model(answers.model, answers.revision, answers.facts)
            for request, reply in answers.replies():
                run.append(answers.model, answers.revision, request, reply)
    if score:
        score_run(folder)
    return folder


def write_corpus(folder: Path, *documents: Document, config: str = "1k") -> Path:
    """Write a dataset folder that holds these documents."""
    rows = [
        {
            "kind": "document",
            "diarist": document.diarist,
            "prompt": f"{document.title}\n",
            "completion": "\n".join(document.sentences),
            "entry": document.number,
        }
        for document in documents
    ]
    (folder / config).mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / config / "train-00000-of-00001.parquet")
    return folder


def rows_of(connection: Connection, name: str, *columns: str) -> list[tuple[object, ...]]:
    """Return these columns of a query's rows, with floats rounded to four places."""
    picked = [[row[column] for column in columns] for row in query_rows(connection, name)]
    return [tuple(round(value, 4) if isinstance(value, float) else value for value in row) for row in picked]


def ask_runs(name: str, runs: Sequence[Path] | Path, *columns: str, **options: object) -> list[tuple[object, ...]]:
    with connect(runs, **options) as connection:  # type: ignore[arg-type]
        return rows_of(connection, name, *columns)
