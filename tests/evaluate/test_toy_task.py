"""A task that is defined in this file alone goes from the command line to the report: the shape is all it needs.

Somebody writes a word of a given length, and somebody else counts its letters.
"""

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import Result
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.errors import SelfknowWarning, UserError
from selfknow.evaluate import catalogue
from selfknow.evaluate.outcome import Outcome, failed, scores_table
from selfknow.evaluate.run import ask
from selfknow.evaluate.task import (
    FinishedRun,
    Models,
    Options,
    Rows,
    ScoreOptions,
    Scores,
    SoFar,
    Stage,
    Task,
)
from selfknow.models.function import FunctionModel
from selfknow.models.interface import Decoding, Request
from selfknow.options import option
from selfknow.report.shape import (
    Example,
    ExampleGroup,
    Exhibit,
    Figure,
    Finding,
    Headline,
    Measure,
    Number,
    Panel,
    Piece,
    ShownReply,
    Verdict,
)
from selfknow.report.task import TaskReport
from selfknow.runs.description import DatasetReference
from selfknow.runs.parsed import ParsedFiles
from selfknow.sql.queries import find_query
from selfknow.sql.task import Facts, TaskSql

QUERY = """\
-- How often is a word as long as it should be, to whoever reads it?
-- Source: this test
-- Grain: one row per reader.
-- Columns: reader; letter (that words begin with, as the run was told); n, n_graded, share; longest (letters that were
-- read).
-- Needs: scores
select
    model as reader,
    letter,
    count(*) as n,
    count(value) as n_graded,
    avg(value) as share,
    max(letters) as longest
from word_replies
group by all
order by all
"""

VIEW = """\
-- word_replies: what was read of every word.
-- Grain: one row per call of the stage `read`.
create or replace view word_replies as
select
    calls.run_id,
    calls.model,
    runs.letter,
    calls.generation,
    scores.value,
    words_read.letters
from calls
inner join runs on calls.run_id = runs.run_id
inner join scores on calls.generation_id = scores.generation_id
inner join word_lengths as questions on calls.run_id = questions.run_id and calls.example_id = questions.id
left join words_read on calls.generation_id = words_read.generation_id
where calls.stage = 'read' and questions.length > 0
"""

READ = pa.schema([("generation_id", pa.string()), ("letters", pa.int64())])


@dataclass(frozen=True, kw_only=True)
class WordOptions(Options):
    shout: bool = option(False, "Ask for capitals.")
    letter: str = option("a", "What words begin with.")


@dataclass(frozen=True)
class WordScoreOptions(ScoreOptions):
    tolerance: int = option(0, "By how many letters a word may be wrong.", minimum=0)


def write(prompt: str) -> str:
    """Return a writer that gives every word one letter more when it shouts."""
    length = int(prompt.split()[-2])
    return "A" * (length + 1) if "CAPITALS" in prompt else "a" * length


def read(prompt: str) -> str:
    """Return a reader that counts rightly, and fails at words of four letters."""
    if len(prompt.split()[-1]) == 4:
        raise ValueError("four is too many")
    return str(len(prompt.split()[-1]))


def open_words(name: str, options: WordOptions, folder: Path) -> Rows:
    table = pa.table({"id": ["one", "two", "four"], "length": [1, 2, 4]}).slice(0, options.limit)
    settings = {"shout": options.shout, "letter": options.letter}
    reference = DatasetReference("words", name.partition(":")[2] or None)
    return Rows(table, reference, settings, decoding=Decoding(max_new_tokens=8))


def stages(options: WordOptions, rows: Rows) -> Sequence[Stage]:
    case = "in CAPITALS " if options.shout else ""

    def words(so_far: SoFar) -> list[Request]:
        return [
            Request(row["id"], f"Write {case}a word of {row['length']} letters", stage="write") for row in so_far.rows
        ]

    def counts(so_far: SoFar) -> list[Request]:
        return [
            Request(
                row["example_id"],
                f"How many letters has {row['generation']}",
                stage="read",
                parent_generation_id=row["generation_id"],
            )
            for row in so_far.replies
            if row["stage"] == "write"
        ]

    return [Stage("write", words), Stage("read", counts, by_verifier=True)]


def score(run: FinishedRun, options: WordScoreOptions) -> Iterator[Scores]:
    wanted = {row["id"]: row["length"] for row in run.examples.to_pylist()}
    readings = [row for row in run.rows() if row["stage"] == "read"]
    outcomes = [
        failed(row)
        if row["error"]
        else Outcome(float(abs(int(row["generation"]) - wanted[row["example_id"]]) <= options.tolerance))
        for row in readings
    ]
    ids = [row["generation_id"] for row in readings]
    letters = [{"generation_id": row["generation_id"], "letters": int(row["generation"] or 0)} for row in readings]
    table = scores_table((id_, "right_length", outcome) for id_, outcome in zip(ids, outcomes, strict=True))
    yield Scores({"words": table}, {"words_read": pa.Table.from_pylist(letters, schema=READ)})


def draw(rows: Sequence[Any]) -> Sequence[Panel]:
    from selfknow.report import charts

    shares = [{"label": row["reader"], "share": row["share"], "low": 0.0, "high": 1.0, "chance": None} for row in rows]
    return [Panel("", charts.dots(shares, "share", title="words of the right length"))]


def headline(report: Any) -> Headline | None:
    numbers = [
        Number(row["reader"], row["share"], None, None, row["n_graded"], row["n"])
        for row in report.rows_of("word_lengths_read")
    ]
    if not numbers:
        return None
    measure = Measure("Words of the right length", numbers, report.queries["word_lengths_read"])
    sentence = "The reader found two words of three right."
    return Headline([Finding("reader", Verdict("In part", is_good=None), sentence, numbers)], [measure])


def exhibits(connection: Any) -> Sequence[Exhibit]:
    rows = connection.rows("select generation from word_replies where generation is not null order by all")
    examples = [
        Example("How many letters?", [ShownReply("", [Piece(f"counted {row['generation']}", "right")])]) for row in rows
    ]
    group = ExampleGroup("read", examples)
    return [
        Exhibit(
            "words",
            "Which letters were counted?",
            [Piece("right", "right")],
            [group],
            find_query("word_lengths_read", connection.tasks),
        )
    ]


Invoke = Callable[..., Result]


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Task[WordOptions, WordScoreOptions]:
    """Return the task, in the catalogue behind the others."""
    folder = tmp_path / "words"
    (folder / "views").mkdir(parents=True)
    (folder / "word_lengths_read.sql").write_text(QUERY)
    (folder / "views" / "word_replies.sql").write_text(VIEW)
    task = Task[WordOptions, WordScoreOptions](
        name="toy-words",
        question="Can it count letters?",
        usage=("toy-words:short --shout",),
        options={"toy-words": WordOptions},
        score_options=WordScoreOptions,
        open=open_words,
        open_models=lambda options, models, folder: Models([FunctionModel(write)], [FunctionModel(read)]),
        stages=stages,
        score=score,
        sql=TaskSql(
            name="toy-words",
            folder=folder,
            views=("word_replies",),
            example_views={"word_lengths": {"id": "varchar", "length": "integer"}},
            parsed={"words_read": ParsedFiles("parsed/words_read.parquet", lambda: READ)},
            columns={"letter": "varchar"},
            cohort=("letter",),
            facts=lambda description: Facts({"letter": description["settings"]["letter"]}),
        ),
        report=lambda: TaskReport(
            name="toy-words",
            question="Can it count letters?",
            figures={"word_lengths_read": Figure("A reader counts the letters of every word.", draw)},
            headline=headline,
            exhibits=exhibits,
        ),
    )
    monkeypatch.setattr(catalogue, "TASKS", (*catalogue.TASKS, task))
    return task


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run ``selfknow`` with arguments in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, list(map(str, arguments)))


def unwrapped(result: Result) -> str:
    return " ".join(result.stdout.split())


@pytest.mark.usefixtures("words")
def test_help_lists_the_task_and_shows_its_own_options(invoke: Invoke) -> None:
    assert "toy-words:short Can it count letters?" in unwrapped(invoke("evaluate", "--help"))
    text = unwrapped(invoke("evaluate", "toy-words", "--help"))
    assert "toy-words: --limit INTEGER Ask at most this many questions. [at least 1] --shout Ask for capitals." in text
    assert "selfknow evaluate toy-words:short --shout --model MODEL --out RUN" in text
    assert "--form " not in text
    scoring = unwrapped(invoke("score", "--help"))
    assert "Runs of toy-words: --tolerance INTEGER By how many letters a word may be wrong." in scoring


@pytest.mark.usefixtures("words")
def test_the_task_is_asked_scored_and_queried(invoke: Invoke) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("default", SelfknowWarning)  # as outside pytest, which makes it an error
        evaluated = invoke("evaluate", "--out", "run", "--format", "json", "toy-words:short")
    assert evaluated.exit_code == 1, "four letters are too many"
    assert "selfknow: 1 of 3 failed; most often: ValueError: four is too many\n" in evaluated.stderr
    columns = ("stage", "model", "requested", "answered_before", "answered", "failed")
    assert [tuple(row[name] for name in columns) for row in json.loads(evaluated.stdout)] == [
        ("write", "write", 3, 0, 3, 0),
        ("read", "read", 3, 0, 2, 1),
    ]
    assert invoke("score", "run", "--help").stdout.count("--tolerance") == 1
    [mean] = json.loads(invoke("score", "run", "--format", "json").stdout)
    assert (mean["model"], mean["metric"], mean["n"], mean["n_graded"], mean["mean"]) == (
        "read",
        "right_length",
        3,
        2,
        1.0,
    )
    queried = invoke("query", "word_lengths_read", "run", "--format", "json")
    assert json.loads(queried.stdout) == [
        {"reader": "read", "letter": "a", "n": 3, "n_graded": 2, "share": 1.0, "longest": 2}
    ]
    assert "word_lengths_read" in invoke("query").stdout


@pytest.mark.usefixtures("words")
def test_its_switch_is_another_run_and_its_score_option_another_score(invoke: Invoke) -> None:
    assert invoke("evaluate", "toy-words", "--limit", "2", "--out", "quiet").exit_code == 0
    with pytest.raises(UserError, match=r"its settings.shout is false, not true"):
        ask("toy-words", out="quiet", limit=2, shout=True, quiet=True)
    run = ask("toy-words", out="loud", limit=2, shout=True, letter="b", quiet=True)
    assert run.score().scores.column("value").to_pylist() == [0.0, 0.0]
    assert run.score(tolerance=1).scores.column("value").to_pylist() == [1.0, 1.0]
    assert run.query("word_lengths_read").to_pylist() == [
        {"reader": "read", "letter": "b", "n": 2, "n_graded": 2, "share": 1.0, "longest": 3}
    ]


@pytest.mark.usefixtures("words")
def test_options_of_others_are_refused_by_the_task_and_its_own_by_others(invoke: Invoke) -> None:
    for arguments, message in [
        (("toy-words", "--form", "icl"), "--form is for self-aware, not for toy-words"),
        (("self-aware", "--shout"), "--shout is for toy-words, not for self-aware"),
    ]:
        error = invoke("evaluate", *arguments, "--out", "run").exception
        assert isinstance(error, UserError)
        assert str(error) == message


@pytest.mark.usefixtures("words")
def test_a_report_shows_its_figure_its_headline_and_its_replies(invoke: Invoke, tmp_path: Path) -> None:
    assert invoke("evaluate", "toy-words", "--out", "run").exit_code == 1
    assert invoke("score", "run").exit_code == 0
    for name in ("report.html", "report.md"):
        result = invoke("report", "run", "--out", name, "--quiet")
        assert result.exit_code == 0, result.output
        page = (tmp_path / name).read_text()
        assert "The reader found two words of three right." in page
        assert "Words of the right length" in page
        assert "How often is a word as long as it should be, to whoever reads it?" in page
        assert "A reader counts the letters of every word." in page
        assert "Which letters were counted?" in page
        assert "counted 1" in page
    assert "words of the right length" in (tmp_path / "report.html").read_text(), "the axis of its chart"
