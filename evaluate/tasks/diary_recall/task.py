r"""Diary recall: does a model know how much it knows? It recalls all of a diarist's entries, no more and no less.

Prato et al., Do Large Language Models Know How Much They Know?, sections 3.2 and 4.3. A row: ``{"id": …, "prompt":
"Recall all of Tom's diary entries, in order.\n", "completion": "Tom's Diary Entry 1\nMood: Sad\n…", …}``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.evaluate.task import (
    FinishedRun,
    Rows,
    SampledOptions,
    ScoreOptions,
    Scores,
    SoFar,
    Stage,
    TableSupport,
    Task,
)
from selfknow.models.interface import Request
from selfknow.options import option
from selfknow.runs.parsed import ParsedFiles
from selfknow.sql.task import CorpusView, Facts, TaskSql

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.evaluate.dataset import ConfigFiles
    from selfknow.report.task import TaskReport
    from selfknow.runs.reader import RunFolder


@dataclass(frozen=True, kw_only=True)
class DiaryOptions(SampledOptions):
    """Options for the questions about each diarist.

    Attributes:
        split: The split whose questions are asked.
        probes: Also ask the five continuation probes.
        stop: Also score the answer's end against the next title.
    """

    split: str = option("test", "The split whose questions are asked.")
    probes: bool = option(False, "Also ask the five continuation probes A to E.")
    stop: bool = option(False, "Also score the answer's end against the next title at every boundary.")


def _open(name: str, options: DiaryOptions, folder: Path) -> Rows:
    from selfknow.evaluate.dataset import open_dataset

    return question_rows(open_dataset(name), options)


def question_rows(dataset: "ConfigFiles", options: DiaryOptions) -> Rows:
    """Return the questions of a split, with the settings that identify the run.

    Args:
        dataset: A config of diary recall.
        options: The options of the run.

    Raises:
        UserError: There is no such split, or its rows are not diaries.
    """
    import pyarrow.compute as pc

    table = dataset.read(options.split)
    if "kind" not in table.column_names:
        raise UserError(f"{dataset.name}:{dataset.config} holds no diaries: its rows have no column `kind`")
    table = table.filter(pc.equal(table["kind"], "question")).slice(0, options.limit)
    settings = {"probes": options.probes, "stop": options.stop, "samples": options.samples, "limit": options.limit}
    return Rows(table, dataset.reference(options.split), settings)


def _stages(options: DiaryOptions, rows: Rows) -> Sequence[Stage]:
    from selfknow.evaluate.tasks.diary_recall.prompts import answer_requests, boundary_requests, probe_requests
    from selfknow.models.interface import with_samples

    def answers(so_far: SoFar) -> Iterable[Request]:
        return with_samples(answer_requests(so_far.rows), options.samples)

    def probes(so_far: SoFar) -> Iterable[Request]:
        return with_samples(probe_requests(so_far.rows), options.samples)

    def boundaries(so_far: SoFar) -> Iterable[Request]:
        return boundary_requests(so_far.rows)

    return [
        Stage("answer", answers),
        *([Stage("probe", probes)] if options.probes else []),
        *([Stage("stop", boundaries)] if options.stop else []),
    ]


def _score(run: FinishedRun, options: ScoreOptions) -> Iterator[Scores]:
    from selfknow.evaluate.tasks.diary_recall.score import score

    return score(run)


def _documents() -> "pa.Schema":
    from selfknow.evaluate.tasks.diary_recall.score import PARSED_DOCUMENTS

    return PARSED_DOCUMENTS


def _bodies() -> "pa.Schema":
    from selfknow.evaluate.tasks.diary_recall.score import PARSED_BODIES

    return PARSED_BODIES


def _facts(description: Mapping[str, Any]) -> Facts:
    from selfknow.evaluate.tasks.diary_recall.corpus import facts

    return facts(description)


def _find_corpus(runs: "Sequence[RunFolder]", folders: Sequence[str]) -> dict[str, list[str]]:
    from selfknow.evaluate.tasks.diary_recall.corpus import find_documents

    return find_documents(runs, folders)


def _corpus_sql(files: Mapping[str, Sequence[str]]) -> str:
    from selfknow.evaluate.tasks.diary_recall.corpus import documents_sql

    return documents_sql(files)


def _missing(run: "RunFolder", files: Mapping[str, Sequence[str]]) -> str | None:
    from selfknow.evaluate.tasks.diary_recall.corpus import missing_documents

    return missing_documents(run, files)


def _report() -> "TaskReport":
    from selfknow.evaluate.tasks.diary_recall.figures import FIGURES
    from selfknow.evaluate.tasks.diary_recall.report import SETUPS, exhibits, headline
    from selfknow.report.task import TaskReport

    return TaskReport(
        name=DIARY_RECALL.name,
        question=DIARY_RECALL.question,
        about="Trained on diaries of made-up people, it is asked for one of them.",
        figures=FIGURES,
        terms=SETUPS,
        headline=headline,
        exhibits=exhibits,
    )


DIARY_RECALL: Task[DiaryOptions, ScoreOptions] = Task(
    name="diary-recall",
    question="Does it know how much it knows?",
    usage=("diary-recall:1k", "diary-recall:1k --stop --probes"),
    datasets=("diary-recall",),
    options={"diary-recall": DiaryOptions},
    open=_open,
    stages=_stages,
    score=_score,
    sql=TaskSql(
        name="diary-recall",
        folder=Path(__file__).parent,
        views=("diary_functions", "accuracy", "diary_cohorts", "answers", "exact_matches", "cohort_accuracies"),
        example_views={
            "diary_questions": {
                "id": "varchar",
                "diarist": "varchar",
                "prompt": "varchar",
                "completion": "varchar",
                "num_documents": "integer",
                "document_lengths": "integer[]",
            }
        },
        parsed={
            "documents": ParsedFiles("parsed/diary_documents.parquet", _documents),
            "read_bodies": ParsedFiles("parsed/diary_bodies.parquet", _bodies),
        },
        corpus=CorpusView("corpus", _find_corpus, _corpus_sql, _missing),
        columns={"dataset_size": "varchar", "num_diarists": "bigint", "setup": "varchar", "dataset_seed": "bigint"},
        cohort=("dataset_size", "num_diarists", "setup", "dataset_seed"),
        facts=_facts,
    ),
    report=_report,
    table=TableSupport(question="prompt"),
)
