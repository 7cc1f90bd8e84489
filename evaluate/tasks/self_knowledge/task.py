"""Self-knowledge: does a model understand what it creates? It writes something, and is then asked about it.

Tan et al., Can I understand what I create? Self-Knowledge Evaluation of Large Language Models, sections 3 to 7. A row:
``{"id": "total-count-000-plain", "generate_prompt": "Write a paragraph of exactly 56 words …", "verify_prompt": "How
many words …", "answer": "56", …}``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.evaluate.task import (
    FinishedRun,
    Models,
    Rows,
    SampledOptions,
    ScoreOptions,
    Scores,
    Stage,
    Task,
    completion_examples_option,
)
from selfknow.options import option
from selfknow.runs.parsed import ParsedFiles
from selfknow.sql.task import TaskSql

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.models.opening import ModelOptions
    from selfknow.report.task import TaskReport


@dataclass(frozen=True, kw_only=True)
class SelfKnowledgeOptions(SampledOptions):
    """How a task is asked.

    Attributes:
        split: The split whose rows are asked.
        protocol: What is asked about what was written.
        style: Which of plain, expert and cot.
        wording: Ours, or the paper's where it gives it.
        examples: Whether completion models are shown two worked examples; null: in our wording.
        verifier: Models that are asked about what the writer wrote, instead of itself.
        reuse: An earlier run whose texts are asked about; none are written.
    """

    split: str = option("test", "The split whose rows are asked.")
    protocol: str = option("separate", "Or in-context[-noise], dual, [in]consistency.")
    style: tuple[str, ...] = option((), "plain (the default), expert, cot; repeatable.")
    wording: str = option("ours", "Ours, or the paper's where it gives it.")
    examples: bool | None = completion_examples_option()
    verifier: tuple[str, ...] = option((), "Who is asked about --model's texts. Default: itself; repeatable.")
    reuse: Path | None = option(None, "An earlier run whose texts to ask about: --model's, or all.")


@dataclass(frozen=True, kw_only=True)
class BenchmarkOptions(SelfKnowledgeOptions):
    """How questions after the manner of a benchmark are asked (section 6.5).

    Attributes:
        benchmark: What new questions follow; null: our own.
    """

    benchmark: str | None = option(
        None,
        "A file of questions, or `cais/mmlu:college_computer_science`; new ones are written after it. "
        "Default: our own.",
    )


@dataclass(frozen=True, kw_only=True)
class PictureOptions(SelfKnowledgeOptions):
    """How a task about pictures is asked (section 5).

    Attributes:
        image_model: Who draws: a diffusers pipeline, or with ``image_endpoint`` the name there.
        image_endpoint: The image generator's address.
        image_size: Width and height in pixels, as ``512x512``.
        image_steps: Of denoising.
        image_guidance: The guidance scale.
    """

    image_model: str | None = option(
        None,
        "Who draws: a diffusers pipeline, or the name at --image-endpoint.",
    )
    image_endpoint: str | None = option(None, "Address of a server that answers /v1/images/generations.")
    image_size: str | None = option(None, "The size of pictures, as 512x512. Default: the generator's.")
    image_steps: int | None = option(None, "Denoising steps of a local pipeline.", minimum=1)
    image_guidance: float | None = option(None, "Guidance scale of a local pipeline.", minimum=0.0)

    @property
    def has_generator(self) -> bool:
        """Whether an image generator is named."""
        return self.image_model is not None or self.image_endpoint is not None

    @property
    def has_pictures(self) -> bool:
        """Whether pictures are drawn, or taken over from an earlier run."""
        return self.has_generator or self.reuse is not None


@dataclass(frozen=True)
class SelfKnowledgeScoreOptions(ScoreOptions):
    """What else is measured.

    Attributes:
        attention: The local model that wrote, as it is called in the run, or ``writer`` for the only one; null: nothing
            is loaded.
    """

    attention: str | None = option(
        None,
        "Of designated-count: the local model that wrote, as it is called in the run, or `writer` for the only one; "
        "adds how it attends to its keywords.",
    )


def _open(name: str, options: SelfKnowledgeOptions, folder: Path) -> Rows:
    from selfknow.evaluate.tasks.self_knowledge.rows import open_rows

    return open_rows(name, options)


def _cast(options: SelfKnowledgeOptions, models: "ModelOptions", folder: Path) -> Models:
    from selfknow.evaluate.tasks.self_knowledge.cast import picture_models, text_models

    if isinstance(options, PictureOptions):
        return picture_models(options, models, folder)
    return text_models(options, models)


def _stages(options: SelfKnowledgeOptions, rows: Rows) -> Sequence[Stage]:
    from selfknow.evaluate.tasks.self_knowledge.stages import stages

    return stages(options, rows)


def _score(run: FinishedRun, options: SelfKnowledgeScoreOptions) -> Scores:
    from selfknow.evaluate.tasks.self_knowledge.score import score

    return score(run, options)


def _readings() -> "pa.Schema":
    from selfknow.evaluate.tasks.self_knowledge.readings import READINGS

    return READINGS


def _unread() -> "pa.Schema":
    from selfknow.evaluate.tasks.self_knowledge.readings import UNREAD

    return UNREAD


def _report() -> "TaskReport":
    from selfknow.evaluate.tasks.self_knowledge.report import REPORT

    return REPORT


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
    cast=_cast,
    stages=_stages,
    score=_score,
    sql=TaskSql(
        name="self-knowledge",
        folder=Path(__file__).parent,
        views=("self_knowledge_shares", "self_knowledge_replies", "self_knowledge_cells", "self_knowledge_paper"),
        parsed={
            "self_knowledge_readings": ParsedFiles("parsed/self_knowledge_readings.parquet", _readings),
            "self_knowledge_unread": ParsedFiles("parsed/self_knowledge_unread.parquet", _unread),
        },
    ),
    report=_report,
)
