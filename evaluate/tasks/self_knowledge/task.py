"""Self-knowledge: does a model understand what it creates? It writes something, and is then asked about it.

Tan et al., Can I understand what I create? Self-Knowledge Evaluation of Large Language Models, sections 3 to 7. A row:
``{"id": "total-count-000-plain", "generate_prompt": "Write a paragraph of exactly 56 words …", "verify_prompt": "How
many words …", "answer": "56", …}``.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.evaluate.task import (
    FinishedRun,
    Models,
    Rows,
    Scores,
    Stage,
    TableSupport,
    Task,
)
from selfknow.evaluate.tasks.self_knowledge.options import (
    BenchmarkOptions,
    PictureOptions,
    SelfKnowledgeOptions,
    SelfKnowledgeScoreOptions,
)
from selfknow.runs.parsed import ParsedFiles
from selfknow.sql.task import TaskSql

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.models.opening import ModelOptions
    from selfknow.report.task import TaskReport


def _open(name: str, options: SelfKnowledgeOptions, folder: Path) -> Rows:
    from selfknow.evaluate.tasks.self_knowledge.rows import open_rows

    return open_rows(name, options)


def _models(options: SelfKnowledgeOptions, models: "ModelOptions", folder: Path) -> Models:
    from selfknow.evaluate.tasks.self_knowledge.cast import picture_models, text_models

    if isinstance(options, PictureOptions):
        return picture_models(options, models, folder)
    return text_models(options, models)


def _stages(options: SelfKnowledgeOptions, rows: Rows) -> Sequence[Stage]:
    from selfknow.evaluate.tasks.self_knowledge.stages import stages

    return stages(options, rows)


def _score(run: FinishedRun, options: SelfKnowledgeScoreOptions) -> Iterator[Scores]:
    from selfknow.evaluate.tasks.self_knowledge.score import score

    return score(run, options)


def _readings() -> "pa.Schema":
    from selfknow.evaluate.tasks.self_knowledge.replies import READINGS

    return READINGS


def _unread_numbers() -> "pa.Schema":
    from selfknow.evaluate.tasks.self_knowledge.replies import UNREAD

    return UNREAD


def _report() -> "TaskReport":
    from selfknow.evaluate.tasks.self_knowledge.exhibits import exhibits
    from selfknow.evaluate.tasks.self_knowledge.report import FIGURES, headline, missing
    from selfknow.report.task import TaskReport

    return TaskReport(
        name=SELF_KNOWLEDGE.name,
        question=SELF_KNOWLEDGE.question,
        about="It writes texts to order, and is then asked about them.",
        figures=FIGURES,
        headline=headline,
        exhibits=exhibits,
        missing=missing,
    )


SELF_KNOWLEDGE: Task[SelfKnowledgeOptions, SelfKnowledgeScoreOptions] = Task(
    name="self-knowledge",
    question="Does it understand what it creates?",
    usage=(
        "self-knowledge:total-count",
        "self-knowledge:total-count --protocol dual",
        "self-knowledge:grammar --protocol dual --reuse RUN",
        "self-knowledge:benchmark --benchmark my_questions.csv",
        "self-knowledge:image-color --image-model PIPELINE",
    ),
    datasets=("self-knowledge",),
    options={
        "self-knowledge:image-*": PictureOptions,
        "self-knowledge:benchmark": BenchmarkOptions,
        "self-knowledge:*": SelfKnowledgeOptions,
    },
    score_options=SelfKnowledgeScoreOptions,
    open=_open,
    open_models=_models,
    stages=_stages,
    score=_score,
    sql=TaskSql(
        name="self-knowledge",
        folder=Path(__file__).parent,
        views=("self_knowledge_shares", "self_knowledge_replies", "self_knowledge_cells", "self_knowledge_paper"),
        parsed={
            "self_knowledge_readings": ParsedFiles("parsed/self_knowledge_readings.parquet", _readings),
            "self_knowledge_unread": ParsedFiles("parsed/self_knowledge_unread.parquet", _unread_numbers),
        },
    ),
    report=_report,
    table=TableSupport(
        question="generate_prompt",
        stage="generate",
        variants=lambda rows: (f"{rows.settings['protocol']}/{rows.settings['wording']}",),
    ),
)
