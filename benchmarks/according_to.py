"""Intervals of quoting in SQL against NumPy, and entities counted in a corpus all at once against one by one.

    python -m benchmarks.according_to QUESTIONS CORPUS

QUESTIONS is a file of questions and answers, CORPUS a text with a passage per line. The run has every question under
all twelve prompts, with random scores. NumPy computes the same intervals from the same random draws; if the results
differ, the benchmark stops. The counts of the first questions are compared with those of a regular expression that
searches every passage.
"""

import re
import shutil
import sys
from pathlib import Path

import numpy as np

from benchmarks.tables import print_table
from benchmarks.timing import check_same, measure, timed
from selfknow.evaluate.connection import connect
from selfknow.evaluate.tasks.according_to.cooccurrences import count_cooccurrences, passages_of
from selfknow.evaluate.tasks.according_to.prompts import PROMPTS
from selfknow.evaluate.tasks.according_to.questions import open_questions
from selfknow.portraits import Corpus
from selfknow.sql.queries import run_query
from tests.sql.according_to_runs import array, draws, ends, replicated_mean, write_run

FOLDER = Path("out/benchmarks/according-to")
METRICS = ("quip", "quip_zero", "quip_corrected", "exact_match", "f1", "has_explanation")
NAMES = ("according_to_table", "according_to_changes", "according_to_popularity", "according_to_by_size")
ONE_BY_ONE = 50


def scores(num_questions: int) -> dict[str, dict[str, list[float | None]]]:
    """Return random scores by metric and prompt; a twentieth of them is null."""
    random = np.random.default_rng(0)
    values = random.random((len(METRICS), len(PROMPTS), num_questions))
    missing = random.random(values.shape) < 0.05
    return {
        metric: {
            prompt: [
                None if is_missing else float(value)
                for value, is_missing in zip(values[i, j], missing[i, j], strict=True)
            ]
            for j, prompt in enumerate(PROMPTS)
        }
        for i, metric in enumerate(METRICS)
    }


def ask_sql(name: str, run: str) -> float:
    """Fetch every row of a query; for changes return the sum of the intervals' lower ends, else 0."""
    with connect(run) as connection:
        rows = run_query(connection, name).to_arrow_table()
    return float(np.sum(rows["difference_low"].to_numpy())) if name == "according_to_changes" else 0.0


def ask_numpy(num_questions: int) -> float:
    """Return the same sum as ``ask_sql``, from the paired bootstrap and sign flips of every metric and prompt."""
    values = scores(num_questions)
    weights, signs = draws(num_questions)
    total = 0.0
    for scores_by_prompt in values.values():
        null = array(scores_by_prompt["null"])
        for prompt in PROMPTS[1:]:
            change = array(scores_by_prompt[prompt]) - null
            paired = ~np.isnan(change)
            total += ends(replicated_mean(change, weights))[0]
            ends(replicated_mean(change, weights) / replicated_mean(np.where(paired, null, np.nan), weights))
            np.mean(np.abs(signs[:, paired] @ change[paired]) >= abs(change[paired].sum()))
    return total


def compare_intervals(num_questions: int) -> None:
    """Print the time of every query over a run of this size, and NumPy's time for the query that it computes."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    counts = [10 ** (number % 5) for number in range(num_questions)]
    run = write_run(FOLDER / "run", scores(num_questions), counts=counts, facts={"num_parameters": 1})
    queries = {name: measure(ask_sql, name, str(run)) for name in NAMES}
    numpy = measure(ask_numpy, num_questions)
    check_same("according_to_changes", queries["according_to_changes"].value, numpy.value)
    print()
    works = [*((f"`{name}`", work) for name, work in queries.items()), ("changes in NumPy", numpy)]
    print_table(
        [f"{num_questions:,} questions × {len(PROMPTS)} prompts", "CPU (s)", "peak memory (MB)"],
        ([name, f"{work.cpu_seconds:.1f}", f"{work.peak_memory_in_mb:,.0f}"] for name, work in works),
    )


def compare_counts(questions: str, corpus: str) -> None:
    """Print the time to count all questions at once, and the time of a search in every passage for each question."""
    source = open_questions(questions)
    rows, passages = source.rows.to_pylist(), Corpus.from_files([corpus])
    counting = timed(lambda: count_cooccurrences(rows, passages, source.entities, quiet=True))
    at_once = counting.seconds
    folded = [passage.casefold() for passage in passages_of(passages)]

    def search() -> None:
        for row, result in list(zip(rows, counting.value, strict=True))[:ONE_BY_ONE]:
            answers = _any_of(row["answers"])
            both = [
                sum(bool(_any_of([entity]).search(text) and answers.search(text)) for text in folded)
                for entity in result.entities
            ]
            if result.count is not None and result.count != max(both):
                raise SystemExit(f"{row['question']}: {result.count}, but a search finds {max(both)}")

    one_by_one = timed(search).seconds * len(rows) / ONE_BY_ONE
    size = Path(corpus).stat().st_size / 1e6
    print(f"\n{len(rows):,} questions, {len(folded):,} passages, {size:.1f} MB:")
    print(f"all at once, with the search for names: {at_once:.2f} s")
    print(
        f"one by one, without it: {one_by_one:.1f} s, {one_by_one / at_once:.0f} times as long "
        f"(measured on {ONE_BY_ONE} questions)"
    )


def _any_of(phrases: list[str]) -> re.Pattern[str]:
    words = [r"\W+".join(re.findall(r"\w+", phrase.casefold())) for phrase in phrases]
    return re.compile(rf"(?<!\w)(?:{'|'.join(filter(None, words)) or r'(?!)'})(?!\w)")


def main(questions: str, corpus: str) -> None:
    """Print both comparisons."""
    compare_counts(questions, corpus)
    compare_intervals(len(open_questions(questions).rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
