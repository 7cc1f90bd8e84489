"""According to: does a model quote its corpus when it is asked to?

Weller et al., "According to ...": Prompting Language Models Improves Quoting from Pre-Training Data, sections 3 and 4.
A row: ``{"id": "question-00000", "question": "Who wrote Emma?", "answers": ["Jane Austen"], "cooccurrences": 12}``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import UserError
from selfknow.evaluate.models.interface import Request
from selfknow.evaluate.task import FinishedRun, Rows, SampledOptions, ScoreOptions, Scores, SoFar, Stage, Task
from selfknow.options import option

if TYPE_CHECKING:
    from selfknow.evaluate.report.gather import Report
    from selfknow.evaluate.report.shape import Exhibit, Figure, Headline
    from selfknow.evaluate.sql.connection import Connection


@dataclass(frozen=True, kw_only=True)
class AccordingToOptions(SampledOptions):
    """How questions are asked, and over which corpus replies are scored.

    Attributes:
        portrait: The corpus's portrait, a folder or a Hub id.
        prompts: ``all``, or ids of prompts with commas between; the null prompt is always asked.
        prompt_format: One of Appendix A's; null: the question set's own.
        placement: Where the phrase stands.
        corpus_name: What the prompts call the corpus.
        corpus_address: Where the corpus is said to be found.
        counts: A file of id (or question) and count: in how many passages both entities stand.
    """

    portrait: str | None = option(None, "The corpus's portrait, a folder or a Hub id.")
    prompts: str = option("all", "`all`, or ids with commas between; null is always asked.")
    prompt_format: str | None = option(None, "One of short, two-step, long, long-answer. Default: the set's.")
    placement: str = option("appended", "Where the phrase stands: appended, prepended, both.")
    corpus_name: str = option("Wikipedia", "What the prompts call the corpus.")
    corpus_address: str | None = option(None, "Where the corpus is to be found.")
    counts: Path | None = option(None, "A file of id (or question) and count: passages with both entities.")


@dataclass(frozen=True)
class AccordingToScoreOptions(ScoreOptions):
    """Where the portrait is.

    Attributes:
        portrait: A folder or Hub id; null: where the run says.
    """

    portrait: str | None = option(None, "The portrait, where it was moved since the run.")


def _open(name: str, options: AccordingToOptions, folder: Path) -> Rows:
    from selfknow.evaluate.tasks.according_to.prompts import Setup, chosen_prompts
    from selfknow.evaluate.tasks.according_to.questions import open_questions
    from selfknow.evaluate.tasks.according_to.score import describe_portrait

    if options.portrait is None:
        raise UserError("name the corpus's --portrait: a folder that `selfknow portrait build` made, or a Hub id")
    questions = open_questions(name.partition(":")[2], folder, options.counts)
    setup = Setup(
        options.prompt_format or questions.format,
        chosen_prompts(options.prompts),
        options.placement,
        options.corpus_name,
        options.corpus_address,
    )
    settings = {
        **setup.as_json(),
        "portrait": describe_portrait(options.portrait),
        "samples": options.samples,
        "limit": options.limit,
    }
    rows = questions.rows.slice(0, options.limit)
    return Rows(rows, questions.reference, settings, annotations=("cooccurrences",))


def _stages(options: AccordingToOptions, rows: Rows) -> Sequence[Stage]:
    from selfknow.evaluate.tasks.according_to.prompts import (
        ANSWER,
        EXPLAIN,
        TWO_STEP,
        Setup,
        answer_requests,
        explain_requests,
    )

    setup = Setup.of(rows.settings)

    def answers(so_far: SoFar) -> Iterable[Request]:
        return answer_requests(setup, so_far.rows, options.samples)

    def explanations(so_far: SoFar) -> Iterable[Request]:
        questions = {row["id"]: row for row in so_far.rows}
        return explain_requests(setup, questions, [row for row in so_far.replies if row["stage"] == ANSWER])

    return [Stage(ANSWER, answers), *([Stage(EXPLAIN, explanations)] if setup.format == TWO_STEP else [])]


def _score(run: FinishedRun, options: AccordingToScoreOptions) -> Scores:
    from selfknow.evaluate.tasks.according_to.score import kept_parts, open_portrait, score

    format_, portrait = open_portrait(run, options.portrait)
    table = score(run.calls, run.examples, format_, portrait)
    return Scores({ACCORDING_TO.name: table}, kept=kept_parts(run.calls))


def _figures() -> "Mapping[str, Figure]":
    from selfknow.evaluate.tasks.according_to.figures import FIGURES

    return FIGURES


def _headline(report: "Report") -> "Headline | None":
    from selfknow.evaluate.tasks.according_to.headline import headline

    return headline(report)


def _exhibits(connection: "Connection") -> "Sequence[Exhibit]":
    from selfknow.evaluate.tasks.according_to.exhibits import exhibits

    return exhibits(connection)


ACCORDING_TO: Task[AccordingToOptions, AccordingToScoreOptions] = Task(
    name="according-to",
    question="Does it quote?",
    usage=(
        "according-to:nq --portrait org/wikipedia-portrait",
        "according-to:my.jsonl --portrait FOLDER --counts FILE",
    ),
    options={"according-to": AccordingToOptions},
    score_options=AccordingToScoreOptions,
    open=_open,
    stages=_stages,
    score=_score,
    folder=Path(__file__).parent,
    views=(
        "according_to_replies",
        "according_to_explanations",
        "according_to_draws",
        "according_to_replicates",
        "according_to_differences",
    ),
    examples={
        "according_to_questions": {
            "id": "varchar",
            "question": "varchar",
            "answers": "varchar[]",
            "cooccurrences": "bigint",
        }
    },
    figures=_figures,
    headline=_headline,
    exhibits=_exhibits,
)
