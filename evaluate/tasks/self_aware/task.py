"""Self-aware: does a model know what it does not know? Questions with an answer, and questions that have none.

Yin et al., Do Large Language Models Know What They Don't Know?, section 4. A row: ``{"id": …, "question": "Is there
life elsewhere in the universe?", "answers": [], "answerable": false, "category": "no scientific consensus", …}``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError, argument
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
    completion_examples_option,
)
from selfknow.models.interface import Decoding, Request
from selfknow.options import option
from selfknow.runs.parsed import ParsedFiles
from selfknow.sql.task import Facts, TaskSql

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.report.task import TaskReport
    from selfknow.runs.description import DatasetReference


@dataclass(frozen=True, kw_only=True)
class SelfAwareOptions(SampledOptions):
    """Options for asking the questions.

    Attributes:
        form: The input form (Yin et al., section 4.2).
        wording: ``ours``, or ``paper`` for the authors' exact words.
        examples: If true, completion models see two worked examples; null does so in our wording only.
        template: A file with a form of your own, with ``{question}`` in it; null to use ``form``.
    """

    form: str = option("direct", 'direct; instruction, which allows "unknown"; or icl, which adds six examples.')
    wording: str = option("ours", "ours, or paper: the authors' own words.")
    examples: bool | None = completion_examples_option()
    template: Path | None = option(None, "A text file with {question} in it, instead of a form.", metavar="FILE")


@dataclass(frozen=True)
class SelfAwareScoreOptions(ScoreOptions):
    """Options for scoring abstention.

    Attributes:
        scorer: ``sentences``, ``paper``, ``strict``, or several; empty for ``sentences``, which needs no encoder.
        encoder: A sentence encoder for ``paper`` and ``strict``; null for the paper's.
        references: The phrases of abstention that replies are compared with: ``paper``, ``strict``, or a file with one
            per line; null for each scorer's own.
        threshold: The cosine with a reference phrase above which a reply abstains, from -1 to 1; null for the one
            calibrated for encoder and scorer.
    """

    scorer: tuple[str, ...] = option(
        (), "sentences, paper or strict; repeatable. Default: sentences, or all three if an encoder option is given."
    )
    encoder: str | None = option(
        None,
        "For paper and strict: a sentence encoder on the Hub, a folder, or `packaged`, which needs no network. "
        "Default: the paper's, princeton-nlp/sup-simcse-roberta-large.",
    )
    references: str | None = option(
        None, "Reference phrases: paper, strict, or a file with one per line. Default: the scorer's own."
    )
    threshold: float | None = option(
        None,
        "A reply abstains if its similarity to a reference phrase exceeds this cosine. "
        "Default: calibrated for the encoder, else 0.75.",
    )


def _open(name: str, options: SelfAwareOptions, folder: Path) -> Rows:
    from selfknow.evaluate.dataset import open_dataset
    from selfknow.evaluate.tasks.completions import completion_settings
    from selfknow.evaluate.tasks.self_aware.own_questions import own_file, read_own_questions
    from selfknow.evaluate.tasks.self_aware.prompts import (
        OURS,
        PAPER,
        choose_shots,
        completion_examples,
        read_template,
        stop_text,
        template_name,
        template_of,
    )
    from selfknow.evaluate.tasks.self_aware.questions import SPLITS, read_questions

    settings: dict[str, object] = {
        "form": options.form,
        "wording": options.wording,
        "samples": options.samples,
        "limit": options.limit,
    }
    is_ours = options.template is None and options.wording == OURS
    has_form_or_wording = (options.form, options.wording) != (SelfAwareOptions.form, SelfAwareOptions.wording)
    if options.template is None:
        template_of(settings)  # raises UserError if there is no such form or wording
        settings["form"] = options.form if is_ours else f"{options.wording}-{options.form}"
    elif has_form_or_wording:
        raise UserError(
            f"{argument('template')} replaces {argument('form')} and {argument('wording')}: leave those out"
        )
    else:
        text = read_template(options.template)
        settings |= {"form": template_name(text), "template": text}
    if options.examples and not is_ours:
        raise UserError(
            f"{argument('examples')} are for our wording: leave it out with {argument('template')} and "
            f"{argument('wording', PAPER)}"
        )
    if file := own_file(name):
        table, reference = read_own_questions(file, options.limit)
    else:
        dataset = open_dataset(name)
        table, reference = read_questions(dataset, options.limit), dataset.reference("+".join(SPLITS))
    questions = table["question"].to_pylist()
    if settings["form"] == "icl":
        # Examples never repeat a question of the run, so their choice depends on the questions.
        settings["shots"] = [shot["question"] for shot in choose_shots(questions)]
    examples = completion_examples(questions, options.form) if is_ours else []
    settings["completion"] = None
    if examples and options.examples is not False:
        settings["completion"] = completion_settings(examples, num_examples=len(examples), stop=[stop_text()])
    # The authors set no stop strings.
    stop = () if options.wording == PAPER else (stop_text(),)
    decoding = Decoding(max_new_tokens=256, temperature=0.7, stop=stop)  # of Yin et al., section 4.2
    return Rows(table, reference, settings, decoding=decoding)


def _stages(options: SelfAwareOptions, rows: Rows) -> Sequence[Stage]:
    def requests(so_far: SoFar) -> Iterable[Request]:
        from selfknow.evaluate.tasks.self_aware.prompts import requests as prompt_requests
        from selfknow.evaluate.tasks.self_aware.prompts import system_message, template_of

        return prompt_requests(
            so_far.rows,
            str(rows.settings["form"]),
            options.samples,
            template_of(rows.settings),
            system=system_message(options.wording),
            with_examples=rows.settings["completion"] is not None,
        )

    return [Stage("answer", requests)]


def _facts(description: Mapping[str, Any]) -> Facts:
    """Return the question set of a run. Only runs of the same set, in the same version, share a cohort."""
    dataset = description.get("dataset")
    dataset = dataset if isinstance(dataset, dict) else {}
    config = dataset.get("config")
    return Facts({"question_set": config}, (str(config or ""), str(dataset.get("content_hash") or "")))


def _grading_requests(run: FinishedRun) -> Sequence[Request]:
    from selfknow.evaluate.tasks.self_aware.judging import requests

    return requests(run)


def _score(run: FinishedRun, options: SelfAwareScoreOptions) -> Iterator[Scores]:
    from selfknow.evaluate.tasks.self_aware.score import score

    return score(run, options)


def _rows_of_user_questions(
    questions: Sequence[Mapping[str, Any]], reference: "DatasetReference", options: SelfAwareOptions
) -> Rows:
    from selfknow.evaluate.tasks.self_aware.questions import own_questions

    return Rows(own_questions(questions), reference, {"samples": options.samples, "limit": None})


def _verdicts() -> "pa.Schema":
    from selfknow.evaluate.tasks.self_aware.score import VERDICTS

    return VERDICTS


def _report() -> "TaskReport":
    from selfknow.evaluate.tasks.self_aware.exhibits import exhibits
    from selfknow.evaluate.tasks.self_aware.report import FIGURES, headline
    from selfknow.report.task import TaskReport

    return TaskReport(
        name=SELF_AWARE.name,
        question=SELF_AWARE.question,
        about="Some questions have an answer, and others nobody can answer.",
        figures=FIGURES,
        headline=headline,
        exhibits=exhibits,
    )


SELF_AWARE: Task[SelfAwareOptions, SelfAwareScoreOptions] = Task(
    name="self-aware",
    question="Does it know what it does not know?",
    usage=("self-aware", "self-aware --form icl", "self-aware:questions.csv"),
    datasets=("self-aware", "self-aware-original", "self-aware-nearest", "abstention"),
    options={"self-aware": SelfAwareOptions},
    score_options=SelfAwareScoreOptions,
    open=_open,
    stages=_stages,
    grades=_grading_requests,
    score=_score,
    sql=TaskSql(
        name="self-aware",
        folder=Path(__file__).parent,
        views=(
            "self_aware_functions",
            "self_aware_replies",
            "self_aware_direct_answers",
            "self_aware_replicates",
            "self_aware_intervals",
            "self_aware_rates",
            "self_aware_accuracies",
        ),
        example_views={
            "self_aware_questions": {
                "id": "varchar",
                "question": "varchar",
                "answers": "varchar[]",
                "answerable": "boolean",
                "category": "varchar",
                "source": "varchar",
                "pair_id": "varchar",
            }
        },
        parsed={"verdicts": ParsedFiles("parsed/self_aware_verdicts-*.parquet", _verdicts)},
        columns={"question_set": "varchar"},
        cohort=("question_set",),
        facts=_facts,
    ),
    report=_report,
    table=TableSupport(
        variants=lambda _: (),
        settings={"form": "plain", "wording": None, "completion": None},
        needs={"answerable": "true if the question has an answer, false if it has none"},
        own_rows=_rows_of_user_questions,
    ),
)
