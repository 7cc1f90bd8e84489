"""The five sentences that open the page of results, computed again with numpy from the replies' Parquet files."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
import pytest
from scipy.stats import t

from tests.conftest import REPOSITORY
from tests.model_replies.linked import RUNS

PAGE = (REPOSITORY / "docs" / "results.md").read_text()
SENTENCES = dict(re.findall(r"^\d\. \*\*(.+?)\.\*\* (.+)$", PAGE, re.MULTILINE))
SMOL, GEMMA = RUNS / "SmolLM2-135M-Instruct", RUNS / "gemma-3-270m"
Values = npt.NDArray[np.float64]


def rows(folder: Path) -> list[dict[str, Any]]:
    return [row for file in sorted(folder.glob("*.parquet")) for row in pq.read_table(file).to_pylist()]


def values(run: Path, metric: str) -> dict[str, float]:
    """Return the graded values of a metric, by generation."""
    scores = [row for row in rows(run / "scores") if row["metric"] == metric and row["value"] is not None]
    return {row["generation_id"]: row["value"] for row in scores}


def bounds(means: Values) -> tuple[float, float]:
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def resampled_means(sample: Values, rng: np.random.Generator) -> Values:
    return rng.choice(sample, (4000, len(sample))).mean(axis=1)


def wilson(hits: float, n: int) -> tuple[float, float]:
    z = 1.959964
    centre, half = hits / n + z * z / (2 * n), z * np.sqrt(hits / n * (1 - hits / n) / n + z * z / (4 * n * n))
    return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)


def test_the_page_opens_with_a_sentence_a_question_and_one_of_limits() -> None:
    assert list(SENTENCES) == [
        "How much it knows",
        "What it does not know",
        "What it creates",
        "What it quotes",
        "Limits",
    ]


def exact_copies(num_diarists: int, setup: str, recipe: str = "-60-epochs") -> Values:
    """Return 1 for each exact copy of the target and 0 for any other answer: trainings × questions."""
    runs = (RUNS / "opt-7m-diaries").glob(f"diary-recall-{num_diarists}-{setup}{recipe}-seed-*")
    trainings = []
    for run in sorted(runs):
        targets = {row["id"]: row["completion"] for row in pq.read_table(run / "examples.parquet").to_pylist()}
        answers = {
            row["example_id"]: row["generation"] for row in rows(run / "generations") if row["stage"] == "answer"
        }
        trainings.append([answers[id_] == target for id_, target in sorted(targets.items())])
    return np.array(trainings, dtype=np.float64)


def crossed(copies: Values) -> tuple[float, float]:
    """Return the interval of the mean over trainings and questions, both random (Clark 1973, Satterthwaite 1946)."""
    seeds, questions = copies.shape
    mean, of_seeds, of_questions = copies.mean(), copies.mean(axis=1), copies.mean(axis=0)
    residuals = copies - of_seeds[:, None] - of_questions[None, :] + mean
    rest = (residuals**2).sum() / ((seeds - 1) * (questions - 1))
    between_seeds = max(questions * of_seeds.var(ddof=1), rest)
    between_questions = max(seeds * of_questions.var(ddof=1), rest)
    square = between_seeds + between_questions - rest
    parts = between_seeds**2 / (seeds - 1) + between_questions**2 / (questions - 1)
    degrees = max(square**2 / (parts + rest**2 / ((seeds - 1) * (questions - 1))), min(seeds, questions) - 1)
    half = t.ppf(0.975, degrees) * np.sqrt(square / copies.size)
    return max(0.0, float(mean - half)), min(1.0, float(mean + half))


def interval(copies: Values) -> tuple[float, float]:
    """Return the interval of the page: over trainings and questions; of one or two trainings, over questions alone."""
    num_questions = copies.shape[1]
    return crossed(copies) if len(copies) > 2 else wilson(float(copies.mean()) * num_questions, num_questions)


def test_shares_of_held_out_diaries_are_exact_copies_of_the_target() -> None:
    sentence = SENTENCES["How much it knows"]
    expected = {
        (2048, "simplified"): "96% (93 to 100)",
        (2048, "standard"): "8% (3 to 13)",
        (1024, "simplified"): "88% (79 to 97)",
        (1024, "standard"): "9% (2 to 16)",
        (512, "simplified"): "79% (57 to 100)",
        (512, "standard"): "9% (0 to 22)",
        (256, "simplified"): "51% (25 to 78)",
        (256, "standard"): "15% (0 to 34)",
    }
    for (num_diarists, setup), words in expected.items():
        copies = exact_copies(num_diarists, setup)
        low, high = interval(copies)
        assert words == f"{copies.mean():.0%} ({low * 100:.0f} to {high * 100:.0f})"
        assert words in sentence
    assert "306, 153, 78 and 39 answers of three seeds each" in sentence
    shapes = [exact_copies(size, "standard").shape for size in (2048, 1024, 512, 256)]
    assert shapes == [(3, 102), (3, 51), (3, 26), (3, 13)]


def shown_rows(query: str, runs: str) -> list[dict[str, str]]:
    """Return the rows of a query's table on the page, by column, as they are shown."""
    output = re.search(rf"^\$ selfknow query {query} \S+/{re.escape(runs)} .*\n((?:[^$`].*\n)+)", PAGE, re.MULTILINE)
    assert output
    header, _, *lines = output[1].splitlines()
    return [dict(zip(header.split(), line.split(), strict=True)) for line in lines]


@pytest.mark.parametrize(
    ("runs", "recipe", "sizes"),
    [("*-60-epochs-*", "-60-epochs", ("256", "512", "1,024", "2,048")), ("*d-seed-*", "", ("256", "512"))],
)
def test_accuracies_and_intervals_of_every_number_of_diarists_are_those_of_the_table(
    runs: str, recipe: str, sizes: tuple[str, ...]
) -> None:
    table = shown_rows("accuracy_by_size", runs)
    assert {(row["num_diarists"], row["setup"]) for row in table} == {
        (size, setup) for size in sizes for setup in ("standard", "simplified")
    }
    for row in table:
        copies = exact_copies(int(row["num_diarists"].replace(",", "")), row["setup"], recipe)
        assert (row["n_seeds"], row["n"]) == (str(len(copies)), str(copies.size))
        assert row["accuracy"] == f"{copies.mean():.4f}"
        # four digits are shown, and the quantile in SQL is Hill's approximation
        assert [float(row["low"]), float(row["high"])] == pytest.approx(interval(copies), abs=1e-4)


def test_gaps_are_differences_of_the_accuracies_with_newcombes_intervals() -> None:
    for row in shown_rows("setup_gap", "*-60-epochs-*"):
        standard, simplified = (
            exact_copies(int(row["num_diarists"].replace(",", "")), setup) for setup in ("standard", "simplified")
        )
        (low, high), (lower, upper) = interval(standard), interval(simplified)
        gap = simplified.mean() - standard.mean()
        below = np.hypot(simplified.mean() - lower, high - standard.mean())
        above = np.hypot(upper - simplified.mean(), standard.mean() - low)
        shown = [float(row[column]) for column in ("gap", "low", "high")]
        assert shown == pytest.approx([gap, gap - below, gap + above], abs=6e-5)


def test_with_the_same_number_of_tokens_512_diarists_and_more_are_recalled_alike() -> None:
    recipes = {256: "-240-epochs", 512: "-120-epochs", 1024: "-60-epochs", 2048: "-30-epochs"}
    copies = {size: exact_copies(size, "simplified", recipe)[0] for size, recipe in recipes.items()}
    shares = {f"{size:,}": f"{sample.mean():.4f}" for size, sample in copies.items()}
    table = shown_rows("accuracy_by_size", "*-simplified-240-epochs-*")
    assert {row["num_diarists"]: row["accuracy"] for row in table} == shares
    tokens = [int(row["training_tokens"].replace(",", "")) for row in table]
    assert max(tokens) < 1.02 * min(tokens)
    larger = sorted(f"{copies[size].mean():.0%}" for size in (512, 1024, 2048))
    assert f"With 512 to 2,048 diarists they recall {larger[0][:-1]} to {larger[-1]} of" in PAGE
    before = {size: exact_copies(size, "simplified")[0] for size in copies}
    words = "{:.0%}, {:.0%} and {:.0%}".format(*(before[size].mean() for size in (512, 1024, 2048)))
    assert f"With seed 0 and 60 epochs it was {words}" in PAGE
    hits = f"{copies[256].sum():.0f} of {len(copies[256])} diaries", f"the same seed gave {before[256].sum():.0f}."
    assert ", where 60 epochs with ".join(hits) in PAGE


def test_differences_of_abstaining_contain_zero_under_all_prompts_but_two() -> None:
    rng, lows = np.random.default_rng(0), {}
    for run in [*SMOL.glob("self-aware-*"), *GEMMA.glob("self-aware-*")]:
        abstained = values(run, "sentences_abstained")
        answerable = {row["id"]: row["answerable"] for row in pq.read_table(run / "examples.parquet").to_pylist()}
        samples: dict[bool, list[float]] = {True: [], False: []}
        for row in rows(run / "generations"):
            if row["generation_id"] in abstained:
                samples[answerable[row["example_id"]]].append(abstained[row["generation_id"]])
        unanswerable, others = (resampled_means(np.array(samples[label]), rng) for label in (False, True))
        low, high = bounds(unanswerable - others)
        assert high > 0
        lows[f"{run.parent.name}/{run.name}"] = low
    exceptions = [
        lows.pop(name)
        for name in ("SmolLM2-135M-Instruct/self-aware-paper-direct", "gemma-3-270m/self-aware-paper-icl")
    ]
    assert len(lows) == 10
    assert max(lows.values()) < 0
    assert exceptions == pytest.approx([0.0014, 0.0111], abs=0.01), "the page's, by resampling of pairs"
    sentence = SENTENCES["What it does not know"]
    assert "under ten of twelve prompts the interval of the difference contains 0, and under eleven" in sentence
    assert "abstains from 18% of these questions and from 9% of the others" in sentence
    table = PAGE.partition("corrected_difference_high\n-")[2].partition("```")[0]
    corrected = [line.split() for line in table.splitlines()[1:]]
    [exception] = [row for row in corrected if not float(row[-2]) < 0 < float(row[-1])]
    assert len(corrected) == 12
    assert exception[:2] == ["gemma-3-270m-q4_k_m.gguf", "paper-icl"]
    difference, low, high = (float(value) * 100 for value in exception[2:])
    assert f"a corrected difference of {difference:.0f} points ({low:.1f} to {high:.1f})" in sentence


def test_the_page_says_how_many_endings_of_the_authors_examples_the_scorer_skips() -> None:
    run = GEMMA / "self-aware-paper-icl"
    abstained = values(run, "sentences_abstained")
    answerable = {row["id"]: row["answerable"] for row in pq.read_table(run / "examples.parquet").to_pylist()}
    skipped, hits, totals = ({False: 0, True: 0} for _ in range(3))
    for row in rows(run / "generations"):
        label = answerable[row["example_id"]]
        value = abstained.get(row["generation_id"], 0)
        ends_so = "the answer is unknown" in row["generation"].partition("\nQ:")[0]
        skipped[label] += ends_so and not value
        hits[label] += bool(value)
        totals[label] += 1
    assert f"Another {sum(skipped.values())} replies ({skipped[False]} and {skipped[True]}) end with" in PAGE
    shares = (f"{(hits[label] + skipped[label]) / totals[label]:.0%}" for label in (False, True))
    assert f"with them it would be {' and '.join(shares)}." in PAGE


@pytest.mark.parametrize(
    ("model", "written", "read"),
    [
        (SMOL, "14% (10 to 18) of 299 texts", "13% (9 to 18) of 202 different questions"),
        (GEMMA, "5% (3 to 9) of 206 texts", "26% (20 to 34) of 146 questions"),
    ],
)
def test_shares_about_own_texts_count_each_prompt_once_and_what_could_not_be_read_as_wrong(
    model: Path, written: str, read: str
) -> None:
    for metric, words in {"generation_correct": written, "verification_correct": read}.items():
        by_prompt: dict[tuple[str, str], list[float]] = defaultdict(list)
        for run in model.glob("self-knowledge-*-separate"):
            unread = {row["generation_id"]: 0.0 for row in rows(run / "parsed") if row.get("metric") == metric}
            graded = unread | values(run, metric)
            for row in rows(run / "generations"):
                if row["generation_id"] in graded:
                    by_prompt[run.name, row["prompt"]].append(graded[row["generation_id"]])
        means = [float(np.mean(replies)) for replies in by_prompt.values()]
        low, high = wilson(sum(means), len(means))
        share = f"{np.mean(means):.0%} ({low * 100:.0f} to {high * 100:.0f}) of {len(means)}"
        assert words.startswith(share)
        assert words in SENTENCES["What it creates"]


def test_continuations_quote_beyond_their_prompt_and_prompts_that_ask_for_quotes_change_nothing() -> None:
    rng, sentence = np.random.default_rng(0), SENTENCES["What it quotes"]
    shares = {
        "according-to-continuation": ("3.5% (2.4 to 4.8)", "7.5% (5.9 to 9.0)"),
        "according-to-continuation-questions": ("0.8% (0.5 to 1.2)", "2.3% (1.6 to 3.0)"),
        "according-to-continuation-diaries": ("24.0% (20.7 to 27.4)", "35.6% (31.5 to 39.6)"),
    }
    for name, both in shares.items():
        for model, words in zip((SMOL, GEMMA), both, strict=True):
            quip = np.array(list(values(model / name, "quip_beyond_prompt").values()))
            low, high = bounds(resampled_means(quip, rng))
            assert words in sentence
            shown = [float(number) for number in re.findall(r"\d+\.\d", words)]
            assert shown == pytest.approx([quip.mean() * 100, low * 100, high * 100], abs=0.5)  # another bootstrap
            assert shown[0] == pytest.approx(quip.mean() * 100, abs=0.051)
    for model in (SMOL, GEMMA):
        run = model / "according-to-prompts"
        quips = values(run, "quip")
        by_question: dict[str, dict[str, float]] = defaultdict(dict)
        for row in rows(run / "generations"):
            if row["generation_id"] in quips:
                by_question[row["example_id"]][row["variant"]] = quips[row["generation_id"]]
        changes = [
            np.mean([value for prompt, value in scores.items() if prompt not in ("null", *ANTI)]) - scores["null"]
            for scores in by_question.values()
            if "null" in scores and len(set(scores) - {"null", *ANTI}) > 0
        ]
        low, high = bounds(resampled_means(np.array(changes), rng))
        assert low < 0 < high


ANTI = ("reddit", "github", "without")
"""The prompts that ask for something else than a quote."""
