"""According to: does a model quote its corpus when it is asked to?

Weller et al., "According to ...": Prompting Language Models Improves Quoting from Pre-Training Data, sections 3 and 4.
A row: ``{"id": "question-00000", "question": "Who wrote Emma?", "answers": ["Jane Austen"], "cooccurrences": 12}``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import UserError, argument
from selfknow.evaluate.task import (
    FinishedRun,
    Row,
    Rows,
    SampledOptions,
    ScoreOptions,
    Scores,
    SoFar,
    Stage,
    TableSupport,
    Task,
)
from selfknow.models.interface import Decoding, Request
from selfknow.options import option
from selfknow.sql.task import TaskSql

if TYPE_CHECKING:
    from selfknow.report.task import TaskReport
    from selfknow.runs.description import DatasetReference


DECODING = Decoding(temperature=0.3)
"""The paper's temperature. Its authors report no other decoding setting."""


@dataclass(frozen=True, kw_only=True)
class AccordingToOptions(SampledOptions):
    """Options for the prompts, and for the corpus that replies are scored against.

    Attributes:
        portrait: The corpus's portrait: a folder or a Hub id.
        prompts: ``all``, or prompt ids separated by commas; the null prompt is always included.
        prompt_format: One of the formats in Appendix A; null for the question set's default.
        placement: The place of the phrase "According to …": ``appended``, ``prepended`` or ``both``.
        corpus_name: The corpus's name in the prompts.
        corpus_address: The corpus's address in the prompts.
        counts: A file with a ``count`` for each ``id`` or ``question``: the number of passages that mention both the
            question's entity and the answer.
        examples: True if completion models are shown two worked examples.
    """

    portrait: str | None = option(None, "The corpus's portrait: a folder or a Hub id.")
    prompts: str = option("all", "`all`, or ids with commas; null is always asked.")
    prompt_format: str | None = option(None, "short, two-step, long or long-answer. Default: the dataset's.")
    placement: str = option("appended", "The phrase is appended, prepended or both.")
    corpus_name: str = option("Wikipedia", "The corpus's name in the prompts.")
    corpus_address: str | None = option(None, "The corpus's address in the prompts.")
    counts: Path | None = option(None, "A file of questions, each with its `count` of passages.")
    examples: bool = option(True, "Show base models two worked examples first.", switch="examples/no-examples")


@dataclass(frozen=True, kw_only=True)
class ContinuationOptions(SampledOptions):
    """Options for the passages that a model continues, and the texts that completions are scored against.

    Attributes:
        portrait: The text's portrait: a folder or a Hub id.
        control_portrait: The portrait of a text that the model cannot have seen; null for no control.
        passages: The text file.
        passage_words: The number of words of each passage that the model is shown.
        num_passages: The number of passages, spread evenly over the text.
        passage_seed: The random seed that decides where passages begin.
    """

    portrait: str | None = option(None, "The text's portrait: a folder or a Hub id.")
    control_portrait: str | None = option(None, "The portrait of a text that the model cannot have seen.")
    passages: Path | None = option(None, "The text file.", metavar="FILE")
    passage_words: int = option(32, "The number of words of each passage that the model is shown.", minimum=1)
    num_passages: int = option(200, "The number of passages, spread evenly over the text.", minimum=1)
    passage_seed: int = option(0, "The random seed that decides where passages begin.", minimum=0)


@dataclass(frozen=True)
class AccordingToScoreOptions(ScoreOptions):
    """Options for portraits that were moved since the run.

    Attributes:
        portrait: A folder or Hub id; null for the place that the run recorded.
        control_portrait: The same for the control portrait of ``according-to:continuation``.
    """

    portrait: str | None = option(None, "The portrait, if it was moved since the run.")
    control_portrait: str | None = option(None, "The control portrait, if it was moved since the run.")


def _open(name: str, options: AccordingToOptions | ContinuationOptions, folder: Path) -> Rows:
    if isinstance(options, ContinuationOptions):
        return _open_passages(options)
    from selfknow.evaluate.tasks.according_to.prompts import Setup, chosen_prompts
    from selfknow.evaluate.tasks.according_to.questions import open_questions
    from selfknow.evaluate.tasks.according_to.score import describe_portrait

    portrait = _required_portrait(options)
    questions = open_questions(name.partition(":")[2], folder, options.counts)
    setup = Setup(
        options.prompt_format or questions.format,
        chosen_prompts(options.prompts),
        options.placement,
        options.corpus_name,
        options.corpus_address,
        options.examples,
    )
    settings = {
        **setup.as_json(),
        "portrait": describe_portrait(portrait),
        "samples": options.samples,
        "limit": options.limit,
    }
    rows = questions.rows.slice(0, options.limit)
    return Rows(rows, questions.reference, settings, annotations=("cooccurrences",), decoding=DECODING)


def _required_portrait(options: AccordingToOptions) -> str:
    if options.portrait is None:
        places = "a folder that `selfknow portrait build` made, or a Hub id"
        raise UserError(f"name the corpus's portrait, {argument('portrait')}: {places}")
    return options.portrait


def _open_passages(options: ContinuationOptions) -> Rows:
    from dataclasses import replace

    from selfknow.evaluate.tasks.according_to.continuation import open_passages
    from selfknow.evaluate.tasks.according_to.score import describe_portrait

    if options.passages is None or options.portrait is None:
        raise UserError(f"name the text to continue, {argument('passages')}, and its portrait, {argument('portrait')}")
    control = options.control_portrait
    settings: dict[str, object] = {
        "portrait": describe_portrait(options.portrait),
        "control_portrait": None if control is None else describe_portrait(control),
        "samples": options.samples,
        "limit": options.limit,
    }
    rows = open_passages(options.passages, options.passage_words, options.num_passages, options.passage_seed, settings)
    return replace(rows, table=rows.table.slice(0, options.limit), decoding=DECODING)


def _stages(options: AccordingToOptions | ContinuationOptions, rows: Rows) -> Sequence[Stage]:
    from selfknow.evaluate.tasks.according_to import continuation

    if isinstance(options, ContinuationOptions):
        return [Stage("answer", lambda so_far: continuation.requests(so_far.rows, options.samples))]
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


def _rows_of_user_questions(
    questions: Sequence[Row], reference: "DatasetReference", options: AccordingToOptions | ContinuationOptions
) -> Rows:
    from selfknow.evaluate.tasks.according_to.prompts import chosen_prompts
    from selfknow.evaluate.tasks.according_to.questions import rows_of_user_questions
    from selfknow.evaluate.tasks.according_to.score import describe_portrait

    assert isinstance(options, AccordingToOptions), "users cannot bring questions to the continuation task"
    settings = {
        # Other tools' replies have no explanation of their own: the whole reply is scored, as in the long format.
        "format": options.prompt_format or "long",
        "prompts": list(chosen_prompts(options.prompts)),
        "portrait": describe_portrait(_required_portrait(options)),
        "samples": options.samples,
        "limit": None,
    }
    return Rows(rows_of_user_questions(questions), reference, settings, annotations=("cooccurrences",))


def _prompts(rows: Rows) -> Sequence[str]:
    """Return the ids of the run's prompts; for passages that is ``continuation`` alone."""
    prompts = rows.settings.get("prompts")
    return list(map(str, prompts)) if isinstance(prompts, list) else ["continuation"]


def _score(run: FinishedRun, options: AccordingToScoreOptions) -> Iterator[Scores]:
    from selfknow.evaluate.tasks.according_to import continuation
    from selfknow.evaluate.tasks.according_to.score import load_portrait, open_portrait, score

    format_, portrait = open_portrait(run, options.portrait)
    if format_ != continuation.CONTINUATION:
        return score(run, format_, portrait)
    control_description = run.description["settings"].get("control_portrait")
    control = load_portrait(run, control_description, options.control_portrait) if control_description else None
    return continuation.score(run, portrait, control)


def _report() -> "TaskReport":
    from selfknow.evaluate.tasks.according_to.exhibits import exhibits
    from selfknow.evaluate.tasks.according_to.report import FIGURES, headline
    from selfknow.report.task import TaskReport

    return TaskReport(
        name=ACCORDING_TO.name,
        question=ACCORDING_TO.question,
        about="The model is asked to quote a text, or to continue a passage from it.",
        figures=FIGURES,
        headline=headline,
        exhibits=exhibits,
    )


ACCORDING_TO: Task[AccordingToOptions | ContinuationOptions, AccordingToScoreOptions] = Task(
    name="according-to",
    question="Does it quote?",
    usage=(
        "according-to:nq --portrait org/wikipedia-portrait",
        "according-to:my.jsonl --portrait FOLDER --counts FILE",
        "according-to:continuation --passages FILE --portrait DIR",
    ),
    options={"according-to:continuation": ContinuationOptions, "according-to": AccordingToOptions},
    score_options=AccordingToScoreOptions,
    open=_open,
    stages=_stages,
    score=_score,
    sql=TaskSql(
        name="according-to",
        folder=Path(__file__).parent,
        views=(
            "according_to_intervals",
            "according_to_explanations",
            "according_to_question_sets",
            "according_to_draws",
            "according_to_cells",
            "according_to_replies",
            "according_to_scores",
            "according_to_differences",
        ),
        example_views={
            "according_to_questions": {
                "id": "varchar",
                "question": "varchar",
                "answers": "varchar[]",
                "cooccurrences": "bigint",
            }
        },
    ),
    report=_report,
    table=TableSupport(variants=_prompts, own_rows=_rows_of_user_questions),
)
