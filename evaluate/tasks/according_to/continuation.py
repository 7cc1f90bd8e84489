"""Continuation: does a model continue a passage in the text's own words?

This set is ours, no paper's. A model that is too small to quote on request may still know a text by heart. It gets the
first words of a passage and nothing else. Its completion is measured with QUIP (Weller et al., "According to ...",
section 3.1). A row: ``{"id": "passage-0000", "question": "In the beginning God created the heaven and …", "answers":
["that it was good: and God divided …"], "cooccurrences": null}``. The question is the prompt; the answer is the
passage's continuation in the text.

Metrics of every completion:

``quip``, ``quip_zero``, ``quip_corrected``  the same as for other replies (:mod:`.score`)
``quip_beyond_prompt``  the share of the completion's n-grams that are in the corpus, without those that are in the
                        prompt: the prompt is from the corpus, so repeating it must not count as quoting
``quip_control``        QUIP over the control portrait, of a text that the model cannot have seen
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from selfknow.errors import UserError
from selfknow.evaluate.outcome import Outcome, scores_table
from selfknow.evaluate.replies import Excerpt
from selfknow.evaluate.task import FinishedRun, Row, Rows, Scores
from selfknow.evaluate.tasks.according_to.questions import SCHEMA
from selfknow.evaluate.tasks.according_to.score import NAME, Outcomes, measured_excerpts, quip_outcomes
from selfknow.models.interface import Request
from selfknow.portraits import Portrait
from selfknow.portraits.normalization import normalize
from selfknow.runs.description import DatasetReference

CONTINUATION = "continuation"
BEYOND_PROMPT, CONTROL = "quip_beyond_prompt", "quip_control"
_NOTHING_NEW = "every n-gram is in the prompt"


def passage_rows(text: str, words: int, count: int, seed: int) -> pa.Table:
    """Return passages of a text: one from each of ``count`` equal parts, at a place that the seed decides.

    Args:
        text: The text.
        words: The number of words of a passage, and of its continuation.
        count: The number of passages.
        seed: The random seed that decides where passages begin.

    Returns:
        Rows of id, question (the passage), answers (its continuation in the text) and cooccurrences (null).

    Raises:
        UserError: The text is too short for this many passages.

    Example:
        >>> passage_rows("one two three four", words=1, count=2, seed=0)["question"].to_pylist()
        ['one', 'three']
    """
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    max_passages = len(spans) // (2 * words)
    if count > max_passages:
        raise UserError(
            f"the text has {len(spans):,} words: room for {max_passages:,} passages of {words} words with "
            f"continuations of the same length, not for {count:,}"
        )
    rows = []
    for number in range(count):
        part_start, part_end = number * len(spans) // count, (number + 1) * len(spans) // count
        digest = hashlib.blake2b(f"{seed},{number}".encode(), digest_size=8).digest()
        first = part_start + int.from_bytes(digest, "little") % (part_end - part_start - 2 * words + 1)
        passage, continuation = spans[first : first + words], spans[first + words : first + 2 * words]
        rows.append(
            {
                "id": f"passage-{number:04d}",
                "question": text[passage[0][0] : passage[-1][1]],
                "answers": [text[continuation[0][0] : continuation[-1][1]]],
            }
        )
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def open_passages(path: Path, words: int, count: int, seed: int, settings: dict[str, object]) -> Rows:
    """Read a text file and return rows of its passages.

    Args:
        path: The file.
        words: The number of words of a passage.
        count: The number of passages.
        seed: The random seed that decides where passages begin.
        settings: Further settings that identify the run: portraits, samples, limit.

    Raises:
        UserError: The file cannot be read, or is too short.
    """
    try:
        content = path.expanduser().read_bytes()
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"the text {path} cannot be read: {error}") from error
    passage_settings = {"passage_words": words, "num_passages": count, "passage_seed": seed}
    format_settings = {"format": CONTINUATION, "prompts": [CONTINUATION], "kinds": [CONTINUATION], "placement": None}
    reference = DatasetReference(str(path), content_hash=hashlib.sha256(content).hexdigest())
    return Rows(passage_rows(text, words, count, seed), reference, {**format_settings, **passage_settings, **settings})


def requests(rows: Iterable[Row], samples: int) -> list[Request]:
    """Return a request for each passage and sample; the prompt is the passage alone."""
    return [
        Request(row["id"], row["question"], variant=CONTINUATION, sample=sample)
        for row in rows
        for sample in range(samples)
    ]


def score(run: FinishedRun, portrait: Portrait, control: Portrait | None) -> Iterator[Scores]:
    """Score the completions of a run.

    Args:
        run: The run.
        portrait: The portrait of the text.
        control: The portrait of a text that the model cannot have seen; null for no control.

    Yields:
        The scores of each batch.
    """
    passages = {row["id"]: row["question"] for row in run.examples.select(["id", "question"]).to_pylist()}
    for batch in run.calls:
        rows = batch.to_pylist()
        excerpts = measured_excerpts(rows)
        outcomes_of_rows = _outcomes(rows, excerpts, passages, portrait, control)
        scores = (
            (row["generation_id"], metric, outcome)
            for row, outcomes in zip(rows, outcomes_of_rows, strict=True)
            for metric, outcome in outcomes.items()
        )
        yield Scores({NAME: scores_table(scores)}, excerpts=excerpts)


def _outcomes(
    rows: Sequence[Row],
    excerpts: Mapping[str, Excerpt],
    passages: Mapping[str, str],
    portrait: Portrait,
    control: Portrait | None,
) -> list[Outcomes]:
    """Return the outcomes of each completion, by metric."""
    texts = [excerpts[row["generation_id"]].text.strip() if row["generation_id"] in excerpts else None for row in rows]
    outcomes = quip_outcomes(rows, texts, portrait)
    if control is not None:
        for outcomes_of_row, control_outcomes in zip(outcomes, quip_outcomes(rows, texts, control), strict=True):
            outcomes_of_row[CONTROL] = control_outcomes["quip"]
    prompts = [passages[row["example_id"]] for row in rows]
    for outcomes_of_row, share in zip(outcomes, beyond_prompt(texts, prompts, portrait), strict=True):
        quip = outcomes_of_row["quip"]
        outcomes_of_row[BEYOND_PROMPT] = quip if quip.value is None else share
    return outcomes


def beyond_prompt(texts: Sequence[str | None], prompts: Sequence[str], portrait: Portrait) -> list[Outcome[float]]:
    """Return the share of each text's n-grams that are in the corpus; n-grams of its prompt do not count.

    Returns:
        A share from 0 to 1 for each text; null if all its n-grams are in the prompt.
    """
    width = portrait.description.width
    ngrams_of_texts = [
        [ngram for ngram in _ngrams(text, width) if ngram not in prompt]
        for text, prompt in zip(_normalized(texts, portrait), _normalized(prompts, portrait), strict=True)
    ]
    hits = portrait.contains([ngram for ngrams in ngrams_of_texts for ngram in ngrams])
    ends = np.cumsum([len(ngrams) for ngrams in ngrams_of_texts])
    parts = np.split(hits, ends[:-1]) if ngrams_of_texts else []
    return [Outcome(float(part.mean())) if len(part) else Outcome(None, _NOTHING_NEW) for part in parts]


def _ngrams(text: str, width: int) -> list[str]:
    return [text[start : start + width] for start in range(len(text) - width + 1)]


def _normalized(texts: Sequence[str | None], portrait: Portrait) -> list[Any]:
    array = pa.array([text or "" for text in texts], pa.large_string())
    return list(normalize(array, portrait.description.normalization).to_pylist())
