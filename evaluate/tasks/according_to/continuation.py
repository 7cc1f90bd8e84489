"""Continuation: given some words of a passage, does a model go on in the text's own words?

No paper's set. A model too small to quote on request may still have a text by heart: it is given the first words of a
passage and nothing else, and what it writes is measured with QUIP (Weller et al., "According to ...", section 3.1). A
row: ``{"id": "passage-0000", "question": "In the beginning God created the heaven and …", "answers": ["that it was
good: and God divided …"], "cooccurrences": null}``; the question is the prompt, the answer how the text itself goes on.

Metrics, of every completion:

``quip``, ``quip_zero``, ``quip_corrected``  as of every reply (:mod:`.score`)
``quip_beyond_prompt``  of the completion's n-grams that do not stand in its prompt, the share in the corpus: whoever
                        repeats the prompt, which is the text's own, quotes nothing of their own
``quip_control``        QUIP over the control portrait: what is quoted of a text that the model cannot have seen
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
from selfknow.evaluate.tasks.according_to.score import NAME, Outcomes, kept_parts, quip_outcomes
from selfknow.models.interface import Request
from selfknow.portraits import Portrait
from selfknow.portraits.normalization import normalize
from selfknow.runs.description import DatasetReference

CONTINUATION = "continuation"
BEYOND_PROMPT, CONTROL = "quip_beyond_prompt", "quip_control"
_NOTHING_NEW = "no n-gram that does not stand in the prompt"


def passage_rows(text: str, words: int, count: int, seed: int) -> pa.Table:
    """Passages of a text, one in each of equally long stretches of it, where a seed says.

    Args:
        text: The text.
        words: The number of words of each passage; as many words of the text follow it.
        count: Passages.
        seed: The seed for the places where passages begin.

    Returns:
        Rows of id, question (the passage as it stands in the text), answers (how it goes on), cooccurrences (null).

    Raises:
        UserError: The text is too short for this many passages.

    Example:
        >>> passage_rows("one two three four", words=1, count=2, seed=0)["question"].to_pylist()
        ['one', 'three']
    """
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    most = len(spans) // (2 * words)
    if count > most:
        raise UserError(
            f"the text has {len(spans):,} words: room for {most:,} passages of {words} words and as many after each, "
            f"not for {count:,}"
        )
    rows = []
    for number in range(count):
        begin, end = number * len(spans) // count, (number + 1) * len(spans) // count
        digest = hashlib.blake2b(f"{seed},{number}".encode(), digest_size=8).digest()
        first = begin + int.from_bytes(digest, "little") % (end - begin - 2 * words + 1)
        passage, rest = spans[first : first + words], spans[first + words : first + 2 * words]
        rows.append(
            {
                "id": f"passage-{number:04d}",
                "question": text[passage[0][0] : passage[-1][1]],
                "answers": [text[rest[0][0] : rest[-1][1]]],
            }
        )
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def open_passages(path: Path, words: int, count: int, seed: int, settings: dict[str, object]) -> Rows:
    """Return the passages of a text file.

    Args:
        path: The file.
        words: See :func:`passage_rows`.
        count: The number of passages.
        seed: See :func:`passage_rows`.
        settings: Further settings that identify the run: portraits, samples, limit.

    Raises:
        UserError: The file cannot be read, or is too short.
    """
    try:
        content = path.expanduser().read_bytes()
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"the text {path} cannot be read: {error}") from error
    drawn = {"passage_words": words, "num_passages": count, "passage_seed": seed}
    shape = {"format": CONTINUATION, "prompts": [CONTINUATION], "kinds": [CONTINUATION], "placement": None}
    reference = DatasetReference(str(path), content_hash=hashlib.sha256(content).hexdigest())
    return Rows(passage_rows(text, words, count, seed), reference, {**shape, **drawn, **settings})


def requests(rows: Iterable[Row], samples: int) -> list[Request]:
    """Return the passages themselves, and nothing else."""
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
        control: The control of a text that the model cannot have seen; null: there is none.

    Yields:
        The scores of each batch.
    """
    passages = {row["id"]: row["question"] for row in run.examples.select(["id", "question"]).to_pylist()}
    for batch in run.calls:
        rows = batch.to_pylist()
        excerpts = kept_parts(rows)
        of_rows = _outcomes(rows, excerpts, passages, portrait, control)
        scores = (
            (row["generation_id"], metric, outcome)
            for row, outcomes in zip(rows, of_rows, strict=True)
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
    """Return the metrics of completions."""
    texts = [excerpts[row["generation_id"]].text.strip() if row["generation_id"] in excerpts else None for row in rows]
    outcomes = quip_outcomes(rows, texts, portrait)
    if control is not None:
        for outcomes_of_row, other in zip(outcomes, quip_outcomes(rows, texts, control), strict=True):
            outcomes_of_row[CONTROL] = other["quip"]
    prompts = [passages[row["example_id"]] for row in rows]
    for outcomes_of_row, share in zip(outcomes, beyond_prompt(texts, prompts, portrait), strict=True):
        usual = outcomes_of_row["quip"]
        outcomes_of_row[BEYOND_PROMPT] = usual if usual.value is None else share
    return outcomes


def beyond_prompt(texts: Sequence[str | None], prompts: Sequence[str], portrait: Portrait) -> list[Outcome[float]]:
    """Return for each text the share of its n-grams in the corpus, without those of its prompt.

    Returns:
        Null where a text has no such n-gram.
    """
    width = portrait.description.width
    own = [
        [gram for gram in _ngrams(text, width) if gram not in prompt]
        for text, prompt in zip(_normalized(texts, portrait), _normalized(prompts, portrait), strict=True)
    ]
    hits = portrait.contains([gram for grams in own for gram in grams])
    ends = np.cumsum([len(grams) for grams in own])
    parts = np.split(hits, ends[:-1]) if own else []
    return [Outcome(float(part.mean())) if len(part) else Outcome(None, _NOTHING_NEW) for part in parts]


def _ngrams(text: str, width: int) -> list[str]:
    return [text[start : start + width] for start in range(len(text) - width + 1)]


def _normalized(texts: Sequence[str | None], portrait: Portrait) -> list[Any]:
    array = pa.array([text or "" for text in texts], pa.large_string())
    return list(normalize(array, portrait.description.normalization).to_pylist())
